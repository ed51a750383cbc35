/* vector_state.c: what becomes of the vector registers besides computing with them: faults between elements, signals, system calls, new threads, threads that take
 * turns; and what is illegal. qemu 7.2 does several of these otherwise. */
/* status: 0 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "program.h"

#define VECTOR(text) ".option push\n .option arch, +v\n" text "\n .option pop"
#define CLOBBERS "t0", "t1", "memory"
#define VILL (1ull << 63)
enum { PAGE = 4096, MAGIC = 0x53465457, STATE_BYTES = 568 };

/* As it lies in a signal's frame, behind its header. */
struct vector_state {
  uint64_t vstart, vl, vtype, vcsr, vlenb;
  uint8_t *registers;
};

static volatile sig_atomic_t signals;
static struct vector_state seen;
static uint8_t *page, *hole; /* two pages; the second one may be missing */
static int mends, rewrites;

static uint64_t read_csr(int which) {
  uint64_t value = 0;
  switch (which) {
    case 0:
      __asm__ volatile(VECTOR("csrr %0, vl") : "=r"(value));
      break;
    case 1:
      __asm__ volatile(VECTOR("csrr %0, vtype") : "=r"(value));
      break;
    case 2:
      __asm__ volatile(VECTOR("csrr %0, vstart") : "=r"(value));
      break;
    case 3:
      __asm__ volatile(VECTOR("csrr %0, vcsr") : "=r"(value));
      break;
  }
  return value;
}
enum { VL, VTYPE, VSTART, VCSR };

static struct vector_state *state_of(ucontext_t *user, uint32_t *magic) {
  uint8_t *header = (uint8_t *)&user->uc_mcontext.__fpregs + 520;
  memcpy(magic, header, 4);
  return (struct vector_state *)(header + 8);
}

static void handle(int number, siginfo_t *info, void *context) {
  ucontext_t *user = context;
  uint32_t magic;
  struct vector_state *state = state_of(user, &magic);
  (void)info;
  signals = number;
  if (magic == MAGIC) seen = *state;
  if (magic == MAGIC && rewrites) memset(state->registers, 0x5a, 16), state->vl = 3;
  /* Whatever the handler does to the registers is forgotten. */
  __asm__ volatile(
      VECTOR("vsetvli t0, zero, e8, m8, ta, ma\n vmv.v.i v0, 1\n vmv.v.i v8, 1\n vmv.v.i v16, 1")::
          : CLOBBERS);
  if (mends)
    CHECK(!mprotect(hole, PAGE, PROT_READ | PROT_WRITE));
  else if (number == SIGILL || number == SIGSEGV)
    user->uc_mcontext.__gregs[0] += 4;
}

/* The signal that an instruction of four bytes ends with, 0 if with none. */
#define SIGNAL_OF(text)                                      \
  ({                                                         \
    signals = 0;                                             \
    __asm__ volatile(VECTOR(text) : : "r"(hole) : CLOBBERS); \
    signals;                                                 \
  })
#define DO(text) __asm__ volatile(VECTOR(text) : : "r"(page) : CLOBBERS)
#define CONFIGURE(count, type) DO("vsetivli zero, " #count ", " type ", ta, ma")

static void keep(void *to) {
  __asm__ volatile(VECTOR("vs8r.v v8, (%0)") : : "r"(to) : "memory");
}

/* -- What is illegal ---------------------------------------------------------------------------------------------------------------- */

static void test_illegal(void) {
  DO("vsetvli t0, zero, e16, mf8, ta, ma");
  CHECK(read_csr(VTYPE) == VILL && read_csr(VL) == 0);
  CHECK(SIGNAL_OF("vadd.vv v8, v8, v8") == SIGILL);
  CHECK(SIGNAL_OF("vmv1r.v v8, v9") == SIGILL);
  DO("vl1re8.v v8, (%0)");
  DO("vsetvli t0, zero, e64, mf2, ta, ma");
  CHECK(read_csr(VTYPE) == VILL);
  DO("vsetvli t0, zero, e32, mf2, ta, ma");
  CHECK(read_csr(VL) == 2);
  CONFIGURE(4, "e32, m1");
  CHECK(SIGNAL_OF(".word 0x5c002057 | 1 << 20 | 2 << 15 | 3 << 7 /* vcompress.vm v3, v1, v2, v0.t */") ==
        SIGILL);
  CHECK(SIGNAL_OF(".word 0x64002057 | 1 << 20 | 2 << 15 | 3 << 7 /* vmand.mm v3, v1, v2, v0.t */") == SIGILL);
  CHECK(SIGNAL_OF("vadd.vv v0, v8, v8, v0.t") == SIGILL);
  CHECK(SIGNAL_OF("vwadd.vv v9, v10, v11") == SIGILL);
  CHECK(SIGNAL_OF("vlseg8e64.v v26, (%0)") == SIGILL);
  DO("csrwi vstart, 1");
  CHECK(SIGNAL_OF("vredsum.vs v8, v9, v10") == SIGILL);
  DO("csrwi vstart, 0");
  CONFIGURE(4, "e16, m1");
  CHECK(SIGNAL_OF("vfadd.vv v8, v9, v10") == SIGILL);
  CONFIGURE(2, "e64, m1");
  DO("fsrmi 6");
  CHECK(SIGNAL_OF("vfadd.vv v8, v9, v10") == SIGILL);
  DO("fsrmi 0");
  CHECK(SIGNAL_OF("vfadd.vv v8, v9, v10") == 0);
}

/* -- Conversions with a rounding of their own ------------------------------------------------------------------------------------ */

#define BOTH(type, cut, usual, frm)                                                                          \
  do {                                                                                                       \
    uint8_t one[128] = {0}, other[128] = {0};                                                                \
    __asm__ volatile(                                                                                        \
        VECTOR("vsetvli t0, zero, " type ", ta, ma\n vle64.v v16, (%0)\n vmv.v.i v8, 0\n fsflags zero\n" cut \
               "\n frflags t1\n sb t1, 127(%1)")                                                             \
        :                                                                                                    \
        : "r"(values), "r"(one)                                                                              \
        : CLOBBERS);                                                                                         \
    uint64_t flags = one[127];                                                                               \
    keep(one);                                                                                               \
    __asm__ volatile(VECTOR("fsrmi " #frm "\n vmv.v.i v8, 0\n fsflags zero\n" usual                          \
                            "\n frflags t1\n sb t1, 127(%0)\n fsrmi 0")                                      \
                     :                                                                                       \
                     : "r"(other)                                                                            \
                     : CLOBBERS);                                                                            \
    CHECK(flags == other[127]);                                                                              \
    keep(other);                                                                                             \
    CHECK(!memcmp(one, other, 64));                                                                          \
  } while (0)

static void test_conversions(void) {
  double values[16] = {0.5,   -1.5,   2.75,         -1e10,         1e10, 3e9,      -0.1,   65535.9,
                       1e300, -1e300, 0x1.fffffep0, 0x1.0000001p0, 4,    -70000.5, 1e-310, 7.999};
  uint8_t out[128];
  BOTH("e32, m2", "vfncvt.rtz.x.f.w v8, v16", "vfncvt.x.f.w v8, v16", 1);
  BOTH("e32, m2", "vfncvt.rtz.xu.f.w v8, v16", "vfncvt.xu.f.w v8, v16", 1);
  BOTH("e64, m4", "vfcvt.rtz.x.f.v v8, v16", "vfcvt.x.f.v v8, v16", 1);
  BOTH("e64, m4", "vfcvt.rtz.xu.f.v v8, v16", "vfcvt.xu.f.v v8, v16", 1);
  BOTH("e32, m2", "vfwcvt.rtz.x.f.v v8, v16", "vfwcvt.x.f.v v8, v16", 1);
  BOTH("e32, m2", "vfwcvt.rtz.xu.f.v v8, v16", "vfwcvt.xu.f.v v8, v16", 1);
  BOTH("e16, m2", "vfncvt.rtz.x.f.w v8, v16", "vfncvt.x.f.w v8, v16", 1);
  /* To odd: inexact results have their lowest bit, and none becomes infinite. */
  __asm__ volatile(VECTOR("vsetvli t0, zero, e32, m2, ta, ma\n vle64.v v16, (%0)\n vfncvt.rod.f.f.w v8, v16")
                   :
                   : "r"(values)
                   : CLOBBERS);
  keep(out);
  uint32_t bits[8];
  memcpy(bits, out, sizeof bits);
  CHECK(bits[0] == 0x3f000000 && bits[1] == 0xbfc00000 && bits[6] == 0xbdcccccd && bits[7] == 0x477fffe7);
  __asm__ volatile(VECTOR("vle64.v v16, (%0)\n vfncvt.rod.f.f.w v8, v16") : : "r"(values + 8) : CLOBBERS);
  keep(out);
  memcpy(bits, out, sizeof bits);
  CHECK(bits[0] == 0x7f7fffff && bits[1] == 0xff7fffff && bits[2] == 0x3fffffff && bits[3] == 0x3f800001 &&
        bits[6] == 1);
}

/* -- Where an instruction goes on ------------------------------------------------------------------------------------------------- */

static void test_start(void) {
  uint8_t out[128];
  CONFIGURE(8, "e8, m1");
  DO("vmv.v.i v8, 1\n csrwi vstart, 3\n vadd.vi v8, v8, 4");
  CHECK(read_csr(VSTART) == 0);
  keep(out);
  for (int i = 0; i < 8; i++) CHECK(out[i] == (i < 3 ? 1 : 5));
  memset(page, 9, 16);
  DO("csrwi vstart, 6\n vle8.v v8, (%0)");
  keep(out);
  for (int i = 0; i < 8; i++) CHECK(out[i] == (i < 3 ? 1 : i < 6 ? 5 : 9));
}

static void test_faults(void) {
  uint8_t *at = hole - 12, out[128];
  for (int i = 0; i < 12; i++) at[i] = (uint8_t)(i + 1);
  CONFIGURE(8, "e32, m2");
  DO("vmv.v.i v8, 0");
  signals = 0;
  __asm__ volatile(VECTOR("vle32.v v8, (%0)") : : "r"(at) : CLOBBERS); /* skipped by the handler */
  CHECK(signals == SIGSEGV && seen.vstart == 3 && seen.vl == 8 && read_csr(VSTART) == 3);
  DO("csrwi vstart, 0");
  keep(out);
  for (int i = 0; i < 32; i++) CHECK(out[i] == (i < 12 ? i + 1 : 0));
  /* Up to the fault, and no signal; the first element is not left out. */
  signals = 0;
  __asm__ volatile(VECTOR("vmv.v.i v8, -1\n vle32ff.v v8, (%0)") : : "r"(at) : CLOBBERS);
  CHECK(!signals && read_csr(VL) == 3 && read_csr(VSTART) == 0);
  keep(out);
  for (int i = 0; i < 32; i++) CHECK(out[i] == (i < 12 ? i + 1 : 255));
  CONFIGURE(8, "e32, m2");
  CHECK(SIGNAL_OF("vle32ff.v v8, (%0)") == SIGSEGV && seen.vstart == 0 && read_csr(VL) == 8);
  /* The handler finds a page, and the instruction goes on: loads, stores, segments. */
  mends = 1;
  __asm__ volatile(VECTOR("vle32.v v8, (%0)") : : "r"(at) : CLOBBERS);
  CHECK(seen.vstart == 3 && read_csr(VSTART) == 0);
  keep(out);
  for (int i = 0; i < 32; i++) CHECK(out[i] == (i < 12 ? i + 1 : 0));
  CHECK(!mprotect(hole, PAGE, PROT_NONE));
  CONFIGURE(8, "e32, m2"); /* a call has taken vtype */
  __asm__ volatile(VECTOR("vmv.v.i v8, 5\n vmv.v.i v10, 6\n vmv.v.i v12, 7\n vsseg3e32.v v8, (%0)")
                   :
                   : "r"(hole - 20)
                   : CLOBBERS);
  CHECK(seen.vstart == 1);
  for (int i = 0; i < 24; i++) CHECK(((uint32_t *)(hole - 20))[i] == 5u + i % 3);
  mends = 0;
  CHECK(!mprotect(hole, PAGE, PROT_NONE));
}

/* -- Signals, calls, threads -------------------------------------------------------------------------------------------------------- */

static void test_signals(void) {
  uint8_t out[128];
  memset(&seen, 0, sizeof seen);
  CONFIGURE(5, "e16, m2");
  DO("csrwi vcsr, 5\n vmv.v.i v8, 3");
  signals = 0;
  __asm__ volatile(".word 0" ::: "memory");
  CHECK(signals == SIGILL && seen.vl == 5 && seen.vtype == read_csr(VTYPE) && seen.vcsr == 5 &&
        seen.vlenb == 16);
  CHECK(read_csr(VL) == 5 && read_csr(VCSR) == 5);
  keep(out);
  for (int i = 0; i < 5; i++) CHECK(out[2 * i] == 3 && out[2 * i + 1] == 0);
  rewrites = 1;
  __asm__ volatile(".word 0" ::: "memory");
  rewrites = 0;
  CHECK(read_csr(VL) == 3);
  __asm__ volatile(VECTOR("vs1r.v v0, (%0)") : : "r"(out) : "memory");
  for (int i = 0; i < 16; i++) CHECK(out[i] == 0x5a);
  DO("csrwi vcsr, 0");
}

static void test_calls(void) {
  uint8_t out[128];
  CONFIGURE(5, "e16, m2");
  DO("vmv.v.i v8, 3");
  syscall(SYS_getpid);
  CHECK(read_csr(VTYPE) == VILL && read_csr(VL) == 0);
  keep(out);
  for (int i = 0; i < 128; i++) CHECK(out[i] == 0xff);
}

/* A thread that has not named a vector register has none in its frames: what a handler leaves in them stays, but for what its return takes. */
static void *fresh_thread(void *unused) {
  memset(&seen, 0xee, sizeof seen);
  signals = 0;
  __asm__ volatile("nop\n .word 0" ::: "memory");
  CHECK(signals == SIGILL && seen.vlenb == 0xeeeeeeeeeeeeeeee && read_csr(VTYPE) == VILL);
  return unused;
}

/* The first time they are zeros. */
static void *zero_thread(void *unused) {
  uint8_t out[128];
  uint64_t type;
  __asm__ volatile(VECTOR("csrr %0, vtype") : "=r"(type));
  CHECK(type == 0);
  keep(out);
  for (int i = 0; i < 128; i++) CHECK(out[i] == 0);
  return unused;
}

/* More threads than harts: registers are others' in between. */
static void *turns(void *number) {
  uint64_t all, wrong = 0;
  for (int i = 0; i < 40 && !wrong; i++)
    __asm__ volatile(
        VECTOR("vsetvli t0, zero, e64, m8, ta, ma\n vmv.v.x v0, %2\n vmv.v.x v8, %2\n vmv.v.x v16, %2\n li "
               "t1, 400\n"
               "1: vadd.vv v24, v8, v16\n vsub.vv v8, v24, v0\n vsub.vv v16, v24, v8\n addi t1, t1, -1\n "
               "bnez t1, 1b\n"
               "vmsne.vx v24, v8, %2\n vcpop.m %0, v24\n vmsne.vx v24, v16, %2\n vcpop.m %1, v24")
        : "=&r"(wrong), "=&r"(all)
        : "r"((uint64_t)number * 0x0101010101010101)
        : CLOBBERS);
  CHECK(!wrong && !all);
  return NULL;
}

static void test_threads(void) {
  enum { THREADS = 6 };
  pthread_t thread[THREADS];
  CHECK(!pthread_create(&thread[0], NULL, fresh_thread, NULL) && !pthread_join(thread[0], NULL));
  CHECK(!pthread_create(&thread[0], NULL, zero_thread, NULL) && !pthread_join(thread[0], NULL));
  for (long i = 0; i < THREADS; i++) CHECK(!pthread_create(&thread[i], NULL, turns, (void *)(i + 1)));
  for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(thread[i], NULL));
}

/* -- What programs ask ----------------------------------------------------------------------------------------------------------------- */

static void test_questions(void) {
  char text[512] = "";
  uint64_t bytes;
  struct {
    int64_t key;
    uint64_t value;
  } pairs[] = {{3, 0}, {4, 0}, {999, 0}};
  CHECK(getauxval(AT_HWCAP) & 1 << ('V' - 'A'));
  CHECK(getauxval(51 /* AT_MINSIGSTKSZ */) >= 1088 + STATE_BYTES);
  int file = open("/proc/cpuinfo", O_RDONLY);
  CHECK(file >= 0 && read(file, text, sizeof text - 1) > 0 && strstr(text, "rv64imafdcv_"));
  close(file);
  __asm__ volatile(VECTOR("csrr %0, vlenb") : "=r"(bytes));
  CHECK(bytes == 16);
  CHECK(syscall(258 /* riscv_hwprobe */, pairs, 3, 0, NULL, 0) == 0);
  CHECK(pairs[0].value == 1 && pairs[1].value == 0x3f && pairs[2].key == -1);
}

int main(void) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  hole = page + PAGE;
  CHECK(page != MAP_FAILED && !mprotect(hole, PAGE, PROT_NONE));
  CHECK(!sigaction(SIGILL, &action, NULL) && !sigaction(SIGSEGV, &action, NULL));
  test_illegal();
  test_conversions();
  test_start();
  test_faults();
  test_signals();
  test_calls();
  test_threads();
  test_questions();
  puts("vectors keep their state");
  return 0;
}
