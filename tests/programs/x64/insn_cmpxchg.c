/* cmpxchg of all sizes, cmpxchg8b and cmpxchg16b: success, failure, flags, a shared counter. */
#include <pthread.h>
#include <stdint.h>

#include "digest.h"
#include "trap.h"

typedef struct {
  uint64_t low, high;
} __attribute__((aligned(16))) pair;

#define SINGLE(op, size)                                       \
  for (int i = 0; i < DIGEST_OPERANDS; i++)                    \
    for (int j = 0; j < DIGEST_OPERANDS; j++) {                \
      uint64_t m = digest_operands[i], a = digest_operands[j]; \
      unsigned char z;                                         \
      __asm__ volatile(op " %" size "3, %0\nsetz %2"           \
                       : "+m"(m), "+a"(a), "=qm"(z)            \
                       : "r"(0xa5a5a5a5a5a5a5a5)               \
                       : "cc");                                \
      digest(m), digest(a), digest(z);                         \
    }                                                          \
  digest_print(op)

static unsigned char swap16(pair *p, pair *expected, pair desired) {
  unsigned char z;
  __asm__ volatile("lock cmpxchg16b %0\nsetz %3"
                   : "+m"(*p), "+a"(expected->low), "+d"(expected->high), "=q"(z)
                   : "b"(desired.low), "c"(desired.high)
                   : "cc");
  return z;
}

static unsigned char swap8(uint64_t *p, uint32_t *a, uint32_t *d, uint32_t b, uint32_t c) {
  unsigned char z;
  __asm__ volatile("cmpxchg8b %0\nsetz %3" : "+m"(*p), "+a"(*a), "+d"(*d), "=q"(z) : "b"(b), "c"(c) : "cc");
  return z;
}

static pair shared;

static void *count(void *arg) {
  for (int i = 0; i < 20000; i++) {
    pair seen = shared; /* may be torn: then the exchange fails */
    while (!swap16(&shared, &seen, (pair){seen.low + 1, seen.high + 3})) continue;
  }
  return arg;
}

__asm__(
    ".text\nmisaligned: mov misaligned_pointer(%rip), %rsi\n"
    "misaligned_at: lock cmpxchg16b (%rsi)\nret\n");
extern char misaligned[], misaligned_at[];
void *misaligned_pointer;

int main(void) {
  SINGLE("cmpxchgb", "b");
  SINGLE("cmpxchgw", "w");
  SINGLE("cmpxchgl", "k");
  SINGLE("cmpxchgq", "q");
  SINGLE("lock cmpxchgq", "q");
  uint64_t eight = 0x1111111122222222;
  uint32_t a = 1, d = 2;
  int first = swap8(&eight, &a, &d, 7, 8), second = swap8(&eight, &a, &d, 7, 8);
  printf("cmpxchg8b %d %d, %lx, %x %x\n", first, second, (unsigned long)eight, a, d);
  pair p = {5, 6}, e = {5, 7};
  first = swap16(&p, &e, (pair){1, 2});
  second = swap16(&p, &e, (pair){1, 2});
  printf("cmpxchg16b %d %d, %lu %lu, %lu %lu\n", first, second, p.low, p.high, e.low, e.high);
  pthread_t t[3];
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, count, NULL) == 0);
  for (int i = 0; i < 3; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("shared %lu %lu\n", shared.low, shared.high);
  trap_install();
  misaligned_pointer = (char *)&shared + 8;
  CHECK(trap_run(misaligned) == 1);
  printf("misaligned: %s code %d, pc %+ld\n", trap_name(trap_seen.signo), trap_seen.code,
         (long)(trap_seen.pc - (uintptr_t)misaligned_at));
  return 0;
}
