/* Every instruction that takes a lock prefix: right results alone, no lost update from three threads. */
#include <pthread.h>
#include <stdint.h>

#include "check.h"
#include "digest.h"

enum { ROUNDS = 20000, THREADS = 3 };

static uint64_t cell[8] __attribute__((aligned(64)));

#define ALONE(op, size)                                                      \
  do {                                                                       \
    for (int i = 0; i < DIGEST_OPERANDS; i++)                                \
      for (int j = 0; j < DIGEST_OPERANDS; j++) {                            \
        uint64_t m = digest_operands[i], r = digest_operands[j];             \
        unsigned char z, c;                                                  \
        __asm__ volatile("stc\nlock " op " %" size "1, %0\nsetz %2\nsetc %3" \
                         : "+m"(m), "+r"(r), "=qm"(z), "=qm"(c)::"cc");      \
        digest(m), digest(r), digest(z * 2u + c);                            \
      }                                                                      \
    digest_print(op);                                                        \
  } while (0)

#define ALONE_ONE(op)                                     \
  do {                                                    \
    for (int i = 0; i < DIGEST_OPERANDS; i++) {           \
      uint64_t m = digest_operands[i];                    \
      __asm__ volatile("lock " op " %0" : "+m"(m)::"cc"); \
      digest(m);                                          \
    }                                                     \
    digest_print(op);                                     \
  } while (0)

static void *together(void *arg) {
  uint64_t me = (uintptr_t)arg + 1;
  for (uint64_t i = 0; i < ROUNDS; i++) {
    uint64_t old = i;
    __asm__ volatile("lock addq %1, %0" : "+m"(cell[0]) : "r"(me) : "cc");
    __asm__ volatile("lock subl $3, %0" : "+m"(cell[1])::"cc");
    __asm__ volatile("lock incw %0" : "+m"(cell[2])::"cc");
    __asm__ volatile("lock decb %0" : "+m"(cell[3])::"cc");
    __asm__ volatile("lock xorq %1, %0" : "+m"(cell[4]) : "r"(me * i) : "cc");
    __asm__ volatile("lock xaddq %1, %0" : "+m"(cell[5]), "+r"(old)::"cc");
    __asm__ volatile("lock negq %0" : "+m"(cell[6])::"cc");
    uint64_t expected = __atomic_load_n(&cell[7], __ATOMIC_RELAXED);
    unsigned char done = 0;
    while (!done)
      __asm__ volatile("lock cmpxchgq %3, %0\nsetz %2"
                       : "+m"(cell[7]), "+a"(expected), "=q"(done)
                       : "r"(expected * 5)
                       : "cc");
  }
  return NULL;
}

int main(void) {
  ALONE("addb", "b");
  ALONE("addq", "q");
  ALONE("adcl", "k");
  ALONE("sbbq", "q");
  ALONE("subw", "w");
  ALONE("andq", "q");
  ALONE("orl", "k");
  ALONE("xorb", "b");
  ALONE("xaddb", "b");
  ALONE("xaddw", "w");
  ALONE("xaddq", "q");
  ALONE("xchgq", "q");
  ALONE_ONE("incq");
  ALONE_ONE("decl");
  ALONE_ONE("notw");
  ALONE_ONE("negb");
  pthread_t t[THREADS];
  cell[6] = cell[7] = 1;
  for (uintptr_t i = 0; i < THREADS; i++) CHECK(pthread_create(&t[i], NULL, together, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(t[i], NULL) == 0);
  for (int i = 0; i < 8; i++) printf("%016lx\n", (unsigned long)cell[i]);
  return 0;
}
