/* vectors.c: random instructions of the V extension, each from a random state: every opcode, element width, group, mask, rounding mode; legal ones and
 * others. What they leave in all registers and in memory, and whether they were illegal, is one number for each kind of instruction.
 *
 *   vectors [SEED [COUNT [KIND]]]     COUNT of each kind; with a KIND, a line for each instruction of it
 *
 * Some encodings are reserved, or left open, where qemu does not do what the simulator does; they are not tried (see `is_left_out`). */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "program.h"

enum { SCALARS = 8, FIRST_SCALAR = 10, BUFFER = 8192, MIDDLE = BUFFER / 2 };

struct state {
  uint64_t x[SCALARS]; /* a0 … a7 */
  uint64_t f[32];
  uint64_t fcsr, vcsr, vtype, vl, vstart;
  uint8_t v[512];
};

static struct state before, after;
static uint8_t buffer[BUFFER] __attribute__((aligned(64)));
static uint32_t *code;
static volatile sig_atomic_t signals;
static uint64_t random_state;

static uint64_t any(void) {
  return next_random(&random_state) ^ next_random(&random_state) << 17;
}
static uint32_t below(uint32_t limit) {
  return (uint32_t)(next_random(&random_state) >> 20) % limit;
}
static int one_in(uint32_t n) {
  return below(n) == 0;
}

/* -- Executing one ------------------------------------------------------------------------------------------------------------ */

static void skip(int number, siginfo_t *info, void *context) {
  ucontext_t *user = context;
  (void)info;
  signals = number;
  user->uc_mcontext.__gregs[0] += 4;
}

/* clang-format off */
#define EACH_FLOAT(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
  X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
/* clang-format on */
#define LOAD_FLOAT(n) "fld f" #n ", 64 + 8 * " #n "(s2)\n"
#define KEEP_FLOAT(n) "fsd f" #n ", 64 + 8 * " #n "(s2)\n"
#define CLOBBER_FLOAT(n) "f" #n,
#define SCALAR(insn)                                                                     \
  insn " a0, 0(s2)\n" insn " a1, 8(s2)\n" insn " a2, 16(s2)\n" insn " a3, 24(s2)\n" insn \
       " a4, 32(s2)\n" insn " a5, 40(s2)\n" insn " a6, 48(s2)\n" insn " a7, 56(s2)\n"

static __attribute__((noinline)) void execute(struct state *from, struct state *to, const uint32_t *at) {
  register struct state *state __asm__("s2") = from;
  register struct state *end __asm__("s3") = to;
  register const uint32_t *insn __asm__("s4") = at;
  __asm__ volatile(".option push\n .option arch, +v\n"
                   "addi t0, s2, 360\n vl8re64.v v0, (t0)\n addi t0, t0, 128\n vl8re64.v v8, (t0)\n"
                   "addi t0, t0, 128\n vl8re64.v v16, (t0)\n addi t0, t0, 128\n vl8re64.v v24, (t0)\n"
                   EACH_FLOAT(LOAD_FLOAT)
                   "ld t0, 320(s2)\n fscsr t0\n ld t0, 328(s2)\n csrw vcsr, t0\n"
                   "ld t0, 344(s2)\n ld t1, 336(s2)\n vsetvl zero, t0, t1\n"
                   SCALAR("ld")
                   "ld t0, 352(s2)\n csrw vstart, t0\n"
                   "jalr t0, 0(s4)\n"
                   "mv s2, s3\n"
                   SCALAR("sd")
                   "csrr t0, vstart\n sd t0, 352(s2)\n csrr t0, vl\n sd t0, 344(s2)\n csrr t0, vtype\n sd t0, 336(s2)\n"
                   "csrr t0, vcsr\n sd t0, 328(s2)\n frcsr t0\n sd t0, 320(s2)\n csrw vstart, zero\n"
                   EACH_FLOAT(KEEP_FLOAT)
                   "addi t0, s2, 360\n vs8r.v v0, (t0)\n addi t0, t0, 128\n vs8r.v v8, (t0)\n"
                   "addi t0, t0, 128\n vs8r.v v16, (t0)\n addi t0, t0, 128\n vs8r.v v24, (t0)\n"
                   "fscsr zero\n .option pop"
                   : "+r"(state), "+r"(end), "+r"(insn)
                   :
                   : EACH_FLOAT(CLOBBER_FLOAT) "t0", "t1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "memory");
}

/* -- Instructions -------------------------------------------------------------------------------------------------------------- */

enum kind { INTEGER, MULTIPLY, FLOAT, LOAD, STORE, CONFIGURE, KINDS };
static const char *const names[] = {"integer", "multiply", "float", "load", "store", "configure"};

/* Often one with which a group can begin. */
static uint32_t vector_number(void) {
  uint32_t group = before.vtype & 4 ? 0 : before.vtype & 3;
  return below(32) & -(1u << (one_in(4) ? below(4) : group + one_in(4)));
}
static uint32_t scalar_number(void) {
  return one_in(8) ? 0 : FIRST_SCALAR + below(SCALARS);
}

static uint32_t arithmetic(enum kind kind) {
  static const uint32_t forms[3][3] = {{0, 3, 4}, {2, 2, 6}, {1, 1, 5}};
  static const uint8_t unaries[3][2] = {{0x17, 0x27}, {0x10, 0x14}, {0x12, 0x13}};
  uint32_t form = forms[kind][below(3)], funct6 = below(64), vd = vector_number(), vs1 = vector_number();
  if (one_in(5)) funct6 = kind == MULTIPLY && one_in(3) ? 0x12 : unaries[kind][below(2)];
  if (form == 4 || form == 6) vs1 = scalar_number();
  if (form == 3 || form == 5) vs1 = below(32);
  if (form == 3 && funct6 == 0x27) vs1 = (1u << below(4)) - 1;
  uint32_t vs2 = vector_number();
  int is_unary = (form == 1 && (funct6 == 0x10 || funct6 == 0x12 || funct6 == 0x13)) ||
                 (form == 2 && (funct6 == 0x10 || funct6 == 0x12 || funct6 == 0x14));
  if (is_unary) vs1 = one_in(2) ? below(32) : below(8) | below(3) << 3;
  if (form == 2 && funct6 == 0x10) vd = scalar_number();
  if ((form == 5 || form == 6) && funct6 == 0x10 && !one_in(4)) vs2 = 0;
  if (funct6 == 0x17 && one_in(2)) vs2 = 0;
  if (form == 2 && funct6 == 0x14 && vs1 == 0x11 && !one_in(4)) vs2 = 0;
  return funct6 << 26 | below(2) << 25 | vs2 << 20 | vs1 << 15 | form << 12 | vd << 7 | 0x57;
}

/* Indices that stay in the buffer. */
static void bound_indices(uint32_t vs2, uint32_t bytes) {
  for (uint32_t i = vs2 * 16; i < 512 && i < vs2 * 16 + 128; i++)
    if (i % bytes) before.v[i] = i % bytes == 1 ? before.v[i] & 3 : 0;
}

static uint32_t access_memory(enum kind kind) {
  static const uint32_t widths[] = {0, 5, 6, 7}, units[] = {0, 0, 0, 8, 8, 11, 16, 16};
  uint32_t n = below(4), mode = below(4), fields = one_in(2) ? 0 : below(8), second = vector_number();
  before.x[0] = (uint64_t)(buffer + MIDDLE + (one_in(4) ? below(64) : below(8) << n));
  before.x[1] = ((uint64_t)below(33) - 16) * (before.vl <= 16 ? 8 : 1);
  if (mode == 0) second = one_in(12) ? below(32) : units[below(8)];
  if (mode == 2) second = one_in(8) ? 0 : FIRST_SCALAR + 1;
  if (mode & 1) bound_indices(second, 1u << n);
  return fields << 29 | (uint32_t)one_in(40) << 28 | mode << 26 | below(2) << 25 | second << 20 |
         FIRST_SCALAR << 15 | widths[n] << 12 | vector_number() << 7 | (kind == LOAD ? 0x07 : 0x27);
}

static uint32_t configure(void) {
  uint32_t common = scalar_number() << 15 | 7 << 12 | scalar_number() << 7 | 0x57;
  uint32_t type = one_in(8) ? below(2048) : below(256);
  if ((type & 7) >= 5 && (type >> 3 & 7) > (type & 7) - 5) type &= ~0x38u;
  switch (below(3)) {
    case 0:
      return common | type << 20;
    case 1:
      return 3u << 30 | (type & 1023) << 20 | below(32) << 15 | 7 << 12 | scalar_number() << 7 | 0x57;
    default:
      before.x[3] = type;
      return common | 0x40u << 25 | (FIRST_SCALAR + 3) << 20;
  }
}

/* What qemu 7.2 does otherwise. The simulator's way is in vector_state.c. */
static int is_left_out(uint32_t w) {
  uint32_t place = w >> 15 & 31, funct6 = w >> 26, form = w >> 12 & 7, width = before.vtype >> 3 & 7;
  if ((w & 0x7f) != 0x57) return 0;
  int is_float = form == 1 || form == 5, converts = form == 1 && funct6 == 0x12;
  int exact = place == 0x0a || place == 0x0b || place == 0x10 || place == 0x11;
  /* "decode_save_opc: Assertion" at conversions that round in a way of their own. */
  if (converts && ((place & 6) == 6 || place == 0x15)) return 1;
  /* Half precision is there without Zvfh. */
  if (is_float && (width == 1 ? !(converts && exact) : width == 0 && converts)) return 1;
  /* Whole registers move, whatever vtype is. */
  if (form == 3 && funct6 == 0x27 && before.vtype == 4) return 1;
  /* Logic of masks, and VCOMPRESS, may be masked. */
  return form == 2 && funct6 >= 0x17 && funct6 <= 0x1f && !(w >> 25 & 1);
}

/* -- The state before ------------------------------------------------------------------------------------------------------------- */

static uint64_t interesting(void) {
  static const uint64_t values[] = {0,
                                    1,
                                    2,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    ~0ull};
  return one_in(2) ? values[below(sizeof values / sizeof *values)] : any() >> below(64);
}

/* Of either format: anything, or near the ends of the exponent's range, or small. */
static uint64_t interesting_float(void) {
  static const uint64_t doubles[] = {0,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x3ff0000000000000,
                                     0x3fe0000000000000,
                                     0x4330000000000000,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0x7ff0000000000001,
                                     0x7ff8000000000000,
                                     0x41e0000000000000,
                                     0x43e0000000000000,
                                     0x380fffffffffffff,
                                     0x36a0000000000000};
  static const uint32_t singles[] = {0,          1,          0x007fffff, 0x00800000, 0x3f800000,
                                     0x3f000000, 0x4b000000, 0x7f7fffff, 0x7f800000, 0x7f800001,
                                     0x7fc00000, 0x4f000000, 0x5f000000, 0x47000000, 0x00400000};
  uint64_t sign = any() & 0x8000000080000000;
  switch (below(6)) {
    case 0:
      return doubles[below(15)] | (sign & 1ull << 63);
    case 1:
      return (singles[below(15)] | (uint64_t)singles[below(15)] << 32) | sign;
    case 2:
      return (any() & 0x807fffff807fffff) | (uint64_t)(120 + below(16)) << 55 | (120 + below(16)) << 23;
    case 3:
      return (any() & 0x800fffffffffffff) | (uint64_t)(1015 + below(16)) << 52;
    case 4:
      return (any() & 0x800fffffffffffff) | (uint64_t)below(60) << 52;
    default:
      return any();
  }
}

static void fill_state(enum kind kind) {
  static const uint64_t groups[] = {5, 6, 7, 0, 1, 2, 3, 0, 1, 2, 3};
  uint64_t group = groups[below(11)], width = kind == FLOAT && !one_in(6) ? 2 + below(2) : below(4);
  uint64_t *words = (uint64_t *)before.v;
  int mode = (int)below(4);
  for (int i = 0; i < 64; i++)
    words[i] = kind == FLOAT ? interesting_float()
               : mode == 0   ? interesting()
               : mode == 1   ? interesting() * 0x0101010101010101
                             : any();
  for (int i = 0; i < SCALARS; i++) before.x[i] = one_in(2) ? interesting() : below(20);
  for (int i = 0; i < 32; i++)
    before.f[i] = one_in(2) ? interesting_float() | 0xffffffff00000000 : interesting_float();
  before.fcsr = below(5) << 5 | (one_in(2) ? 0 : below(32));
  before.vcsr = below(4) << 1;
  /* qemu 7.2 takes elements for valid that are too wide for part of a register. */
  if (group >= 5 && width > group - 5) width = below((uint32_t)group - 4);
  before.vtype = one_in(60) ? 4 : group | width << 3 | below(4) << 6;
  before.vl = one_in(12) ? 0 : below(150);
  before.vstart = 0;
}

static uint64_t digest_of(const void *bytes, size_t count) {
  uint64_t digest = 1;
  for (size_t i = 0; i < count; i += 8) digest = mix(digest, *(const uint64_t *)((const char *)bytes + i));
  return digest;
}

static uint64_t try_one(enum kind kind, int tell) {
  uint32_t word;
  fill_state(kind);
  do word = kind < LOAD ? arithmetic(kind) : kind < CONFIGURE ? access_memory(kind) : configure();
  while (is_left_out(word));
  code[0] = word;
  code[1] = 0x00028067; /* jr t0 */
  __asm__ volatile("fence.i" ::: "memory");
  signals = 0;
  execute(&before, &after, code);
  uint64_t digest = mix(digest_of(&after, sizeof after), (uint64_t)signals);
  if (kind == STORE) digest = mix(digest, digest_of(buffer, sizeof buffer));
  if (tell) {
    printf("%08x vtype %03lx vl %3lu signal %d state %016lx", word, (unsigned long)before.vtype,
           (unsigned long)before.vl, (int)signals, (unsigned long)digest);
    if (tell > 1) {
      printf("\n  fcsr %lx vcsr %lx vl %lu vstart %lu x %lx", after.fcsr, after.vcsr, after.vl, after.vstart,
             after.x[0]);
      for (int i = 0; i < 64; i++) printf("%s%016lx", i % 2 ? " " : "\n  ", ((uint64_t *)after.v)[i]);
    }
    printf("\n");
  }
  return digest;
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1,
           count = argc > 2 ? strtoull(argv[2], NULL, 0) : 400;
  uint64_t legal[KINDS] = {0};
  CHECK(!sigaction(SIGILL, &action, NULL) && !sigaction(SIGSEGV, &action, NULL));
  code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(code != MAP_FAILED);
  random_state = seed * 0x9e3779b97f4a7c15 + 1;
  for (size_t i = 0; i < sizeof buffer; i += 8) {
    uint64_t word = any();
    memcpy(buffer + i, &word, 8);
  }
  for (int kind = 0; kind < KINDS; kind++) {
    uint64_t digest = 0;
    random_state = seed * 0x9e3779b97f4a7c15 + (uint64_t)kind + 2;
    for (uint64_t i = 0; i < count; i++) {
      digest = mix(digest, try_one(kind, argc > 3 && !strcmp(argv[3], names[kind]) ? argc - 3 : 0));
      legal[kind] += !signals;
    }
    printf("%s: %lu of %lu are legal, state %016lx\n", names[kind], (unsigned long)legal[kind],
           (unsigned long)count, (unsigned long)digest);
  }
  return 0;
}
