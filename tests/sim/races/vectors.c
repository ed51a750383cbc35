/* vectors.c: threads mix each other's values with vector loads and stores of every kind, without synchronisation: between two elements of one instruction others'
 * stores come, pages are touched for the first time, and signals are handled that use the vector registers too. PROGRAM THREADS SCALE. */
#include <signal.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "../workloads/workload.h"

enum { WORDS = 256, FRESH_BYTES = 64 << 12 };
static uint32_t shared[WORDS + 160] __attribute__((aligned(64)));
static uint8_t *fresh;
static uint32_t handled;

#define VECTOR(text) ".option push\n .option arch, +v\n" text "\n .option pop"

static uint32_t mix(uint32_t a, uint32_t b) {
  uint32_t n = a ^ (b * 2654435761u);
  return (n << 7 | n >> 25) + 0x9e3779b9;
}

/* A handler that leaves other values in all registers, and in vtype. */
static void handle(int number) {
  uint32_t *at = &shared[handled++ % WORDS];
  (void)number;
  __asm__ volatile(VECTOR("vsetvli t0, zero, e8, m8, ta, ma\n vle8.v v0, (%0)\n vmv.v.i v8, 7\n vmv.v.i v16, "
                          "9\n vmv.v.i v24, 11\n"
                          "vadd.vi v0, v0, 1\n vsetivli zero, 8, e8, m1, ta, ma\n vse8.v v0, (%0)")
                   :
                   : "r"(at)
                   : "t0", "memory");
}

#define SUM "vmv.s.x v24, zero\n vredxor.vs v24, v8, v24\n vmv.x.s %0, v24\n"

/* Loads from one place, stores to another; what it read. */
static uint32_t exchange(unsigned how, void *from, void *to, uint32_t mine) {
  uint32_t seen = 0;
  long stride = (long)(mine >> 3 & 15) - 8, count = mine >> 7 & 31;
  switch (how) {
    case 0: /* in a row, sometimes over the ends of lines */
      __asm__ volatile(VECTOR("vsetvli t0, %4, e32, m4, tu, mu\n vle32.v v8, (%1)\n vxor.vx v12, v8, %3\n "
                              "vse32.v v12, (%2)\n" SUM)
                       : "=&r"(seen)
                       : "r"(from), "r"(to), "r"(mine), "r"(count)
                       : "t0", "memory");
      break;
    case 1: /* strided */
      __asm__ volatile(VECTOR("vsetvli t0, %5, e16, m2, tu, mu\n vlse16.v v8, (%1), %4\n vadd.vx v12, v8, "
                              "%3\n vsse16.v v12, (%2), %4\n" SUM)
                       : "=&r"(seen)
                       : "r"(from), "r"(to), "r"(mine), "r"(stride), "r"(count)
                       : "t0", "memory");
      break;
    case 2: /* by indices, where a mask has bits */
      __asm__ volatile(VECTOR("vsetvli t0, zero, e32, m2, tu, mu\n vid.v v16\n vmul.vx v16, v16, %3\n "
                              "vand.vx v16, v16, %4\n vmsgtu.vx v0, v16, %5\n"
                              "vmv.v.i v8, 0\n vluxei32.v v8, (%1), v16, v0.t\n vadd.vv v12, v8, v16\n "
                              "vsoxei32.v v12, (%2), v16, v0.t\n" SUM)
                       : "=&r"(seen)
                       : "r"(from), "r"(to), "r"(mine | 1), "r"(0xfcl), "r"(64l)
                       : "t0", "memory");
      break;
    case 3: /* segments */
      __asm__ volatile(VECTOR("vsetvli t0, %4, e16, m2, tu, mu\n vlseg3e16.v v8, (%1)\n vadd.vx v10, v10, "
                              "%3\n vxor.vv v8, v8, v12\n vsseg3e16.v v8, (%2)\n" SUM)
                       : "=&r"(seen)
                       : "r"(from), "r"(to), "r"(mine), "r"(count)
                       : "t0", "memory");
      break;
    default: /* up to a fault, in pages that are touched for the first time; whole registers */
      __asm__ volatile(VECTOR("vsetvli t0, zero, e8, m2, tu, mu\n vle8ff.v v8, (%4)\n vl2re32.v v12, (%1)\n "
                              "vxor.vv v12, v8, v12\n vs2r.v v12, (%2)\n"
                              "vse8.v v12, (%4)\n" SUM)
                       : "=&r"(seen)
                       : "r"(from), "r"(to), "r"(mine), "r"(fresh + mine % (FRESH_BYTES - 16))
                       : "t0", "memory");
  }
  return seen;
}

static void work(long me) {
  uint32_t mine = (uint32_t)me + 1;
  pthread_barrier_wait(&all);
  for (long i = 0; i < 60 * scale; i++) {
    char *from = (char *)(shared + 32) + mine % (4 * WORDS),
         *to = (char *)(shared + 32) + (mine >> 12) % (4 * WORDS);
    uint32_t seen = exchange(mine % 5, from, to, mine);
    mine = mix(mine, seen);
    if (mine % 16 == 0) __atomic_fetch_xor(&shared[mine / 16 % WORDS], mine, __ATOMIC_SEQ_CST);
    if (mine % 64 == 1) sched_yield();
  }
}

int main(int argc, char **argv) {
  struct itimerval often = {{0, 20}, {0, 20}};
  struct sigaction action = {.sa_handler = handle};
  uint32_t result = 0;
  read_arguments(argc, argv);
  /* The last page is not there: loads end before it. */
  fresh = mmap(NULL, FRESH_BYTES + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(fresh + FRESH_BYTES, 4096);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  for (uint32_t i = 0; i < WORDS; i++) shared[i] = i * 77;
  run_all();
  for (int i = 0; i < WORDS; i++) result = mix(result, shared[i]);
  printf("%08x\n", result);
  return 0;
}
