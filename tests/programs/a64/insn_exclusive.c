/* Exclusive loads and stores by several threads at once: counters of every size, a pair, a lock-free list, and what a store
 * must refuse: another address, another size, a cleared monitor, a signal or a system call in between. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "check.h"

enum { THREADS = 4, ROUNDS = 20000 };

static struct {
  uint8_t byte;
  uint16_t half;
  uint32_t word;
  uint64_t twice;
  _Alignas(16) uint64_t pair[2];
  _Alignas(8) uint32_t words[2];
} counters;

#define COUNT(load, store, width, place)                                         \
  __asm__ volatile("1: " #load " %" width                                        \
                   "0, [%2]\n\t"                                                 \
                   "add %" width "0, %" width "0, #1\n\t" #store " %w1, %" width \
                   "0, [%2]\n\t"                                                 \
                   "cbnz %w1, 1b"                                                \
                   : "=&r"(value), "=&r"(status)                                 \
                   : "r"(place)                                                  \
                   : "memory")

/* With the registers that a translator is likeliest to need for itself. */
static void count_taken(uint64_t *place) {
  __asm__ volatile(
      "mov x18, %0\n"
      "1: ldaxr x14, [x18]\n\t"
      "add x13, x14, #1\n\t"
      "stlxr w15, x13, [x18]\n\t"
      "cbnz w15, 1b"
      :
      : "r"(place)
      : "x13", "x14", "x15", "x18", "memory");
}

static void count_pair(uint64_t *place) {
  uint64_t status;
  __asm__ volatile(
      "1: ldaxp x14, x15, [%1]\n\t"
      "adds x14, x14, #1\n\t"
      "add x15, x15, #3\n\t"
      "stlxp %w0, x14, x15, [%1]\n\t"
      "cbnz %w0, 1b"
      : "=&r"(status)
      : "r"(place)
      : "x14", "x15", "cc", "memory");
}

static void count_words(uint32_t *place) {
  uint64_t status;
  __asm__ volatile(
      "1: ldxp w13, w18, [%1]\n\t"
      "add w13, w13, #2\n\t"
      "add w18, w18, #5\n\t"
      "stxp %w0, w13, w18, [%1]\n\t"
      "cbnz %w0, 1b"
      : "=&r"(status)
      : "r"(place)
      : "x13", "x18", "memory");
}

static void *count(void *argument) {
  (void)argument;
  uint64_t value, status;
  for (unsigned i = 0; i < ROUNDS; i++) {
    COUNT(ldxrb, stxrb, "w", &counters.byte);
    COUNT(ldaxrh, stlxrh, "w", &counters.half);
    COUNT(ldxr, stlxr, "w", &counters.word);
    COUNT(ldaxr, stxr, "x", &counters.twice);
    count_taken(&counters.twice);
    count_pair(counters.pair);
    count_words(counters.words);
  }
  return NULL;
}

static void nothing(int signo) {
  (void)signo;
}

/* What the store answers after a load with something in between. */
#define REFUSED(between)                                                                  \
  __asm__ volatile("ldxr %w1, [%2]\n\t" between "\n\tmov %w1, #77\n\tstxr %w0, %w1, [%2]" \
                   : "=&r"(status), "=&r"(value)                                          \
                   : "r"(&place[0]), "r"(&place[1]), "r"(system_call)                     \
                   : "x0", "x8", "memory")

static void refusals(void) {
  uint32_t place[2] = {1, 2};
  uint64_t status, value, system_call = SYS_getpid;
  REFUSED("");
  printf("undisturbed: status %u, %u\n", (unsigned)status, place[0]);
  place[0] = 1;
  REFUSED("clrex");
  printf("cleared: status %u, %u\n", (unsigned)status, place[0]);
  __asm__ volatile("clrex\n\tmov %w1, #55\n\tstxr %w0, %w1, [%2]"
                   : "=&r"(status), "=&r"(value)
                   : "r"(place)
                   : "memory");
  printf("no load: status %u, %u\n", (unsigned)status, place[0]);
  REFUSED(
      "mov w0, #9\n\tstr w0, [%2]"); /* by itself: it may be refused or not, but what is there must agree */
  printf("own store: agrees %d\n", status ? place[0] == 9 : place[0] == 77);
}

int main(void) {
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, count, NULL) == 0);
  for (unsigned i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  printf("%u %u %u %lu, %lu %lu, %u %u\n", counters.byte, counters.half, counters.word,
         (unsigned long)counters.twice, (unsigned long)counters.pair[0], (unsigned long)counters.pair[1],
         counters.words[0], counters.words[1]);
  CHECK(signal(SIGUSR1, nothing) != SIG_ERR);
  refusals();
  return 0;
}
