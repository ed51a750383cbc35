/* Words beside a function that all threads call, in a page that can be written and executed: each counts in them, by exclusive loads and stores where
 * the processor has those. How often such a store fails is part of what a thread sees, and must not depend on whether the page happens
 * to be watched for changes of its code. */
#include <stdbool.h>
#include <stdint.h>

#include "jit.h"
#include "race.h"

enum { WORDS = 8, FIRST_WORD = 1024, WORD_BYTES = 256 };

static byte *page;

#if defined(__aarch64__)
/* Adds one; how often it was tried in vain. */
static uint32_t count(uint32_t *word) {
  uint32_t value, status, tries = 0;
  __asm__ volatile(
      "b 2f\n"
      "1: add %w2, %w2, #1\n"
      "2: ldxr %w0, [%3]\n\t"
      "add %w0, %w0, #1\n\t"
      "stxr %w1, %w0, [%3]\n\t"
      "cbnz %w1, 1b"
      : "=&r"(value), "=&r"(status), "+r"(tries)
      : "r"(word)
      : "memory");
  return tries;
}
#else
static uint32_t count(uint32_t *word) {
  uint32_t tries = 0, value = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &value, value + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    tries++;
  return tries;
}
#endif

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    uint32_t *word = (uint32_t *)(page + FIRST_WORD + (i + me) % WORDS * WORD_BYTES);
    uint32_t tries = count(word);
    /* Alone it can only be an interrupt that made one fail. */
    if (race_threads > 1) race_note(me, tries);
    if (i % 16 == me % 16) race_note(me, jit_call(page));
    if (i % 256 == 0) sched_yield();
  }
}

int main(int argc, char **argv) {
  page = jit_map(JIT_PAGE);
  jit_constant(page, 42);
  return race_run(argc, argv, 3000, run, NULL);
}
