/* Threads that walk over the same memory, upwards and downwards, reading and writing as they go, in steps of several sizes: what a check at
 * one step of a walk vouches for is another thread's before the walk is over. */
#include "race.h"

enum { BYTES = 1024 };

static uint8_t field[BYTES + 64] __attribute__((aligned(64)));

#ifdef __aarch64__
/* Accesses that move their base. */
static uint64_t walk_up(uint8_t *at, uint64_t count, uint64_t sum) {
  uint64_t value;
  __asm__ volatile(
      "1: ldrb %w[value], [%[at]]\n"
      "  eor  %[sum], %[value], %[sum], ror #59\n"
      "  strb %w[sum], [%[at]], #1\n"
      "  subs %[count], %[count], #1\n"
      "  b.ne 1b\n"
      : [at] "+r"(at), [count] "+r"(count), [sum] "+r"(sum), [value] "=&r"(value)
      :
      : "cc", "memory");
  return sum;
}
static uint64_t walk_words(uint8_t *at, uint64_t count, uint64_t sum) {
  uint64_t value;
  __asm__ volatile(
      "1: ldr  %[value], [%[at]], #8\n"
      "  eor  %[sum], %[value], %[sum], ror #51\n"
      "  stur %[sum], [%[at], #-8]\n"
      "  subs %[count], %[count], #8\n"
      "  b.hi 1b\n"
      : [at] "+r"(at), [count] "+r"(count), [sum] "+r"(sum), [value] "=&r"(value)
      :
      : "cc", "memory");
  return sum;
}
static uint64_t walk_down(uint8_t *at, uint64_t count, uint64_t sum) {
  uint64_t value;
  at += count;
  __asm__ volatile(
      "1: ldrh %w[value], [%[at], #-2]!\n"
      "  eor  %[sum], %[value], %[sum], ror #57\n"
      "  strh %w[sum], [%[at]]\n"
      "  subs %[count], %[count], #2\n"
      "  b.hi 1b\n"
      : [at] "+r"(at), [count] "+r"(count), [sum] "+r"(sum), [value] "=&r"(value)
      :
      : "cc", "memory");
  return sum;
}
static uint64_t walk_pairs(uint8_t *at, uint64_t count, uint64_t sum) {
  uint64_t value, other;
  __asm__ volatile(
      "1: ldr  %[other], [%[at], #8]\n" /* the higher one first */
      "  ldr  %[value], [%[at]]\n"
      "  eor  %[sum], %[sum], %[value]\n"
      "  eor  %[sum], %[other], %[sum], ror #3\n"
      "  stp  %[sum], %[value], [%[at]], #16\n"
      "  subs %[count], %[count], #16\n"
      "  b.hi 1b\n"
      : [at] "+r"(at), [count] "+r"(count), [sum] "+r"(sum), [value] "=&r"(value), [other] "=&r"(other)
      :
      : "cc", "memory");
  return sum;
}
#else
static uint64_t walk_by(volatile void *from, unsigned size, uint64_t count, uint64_t sum, int down) {
  for (uint64_t i = 0; i < count; i += size) {
    volatile uint8_t *at = (volatile uint8_t *)from + (down ? count - size - i : i);
    uint64_t value = size == 1 ? *at : size == 2 ? *(volatile uint16_t *)at : *(volatile uint64_t *)at;
    sum = value + (sum >> 59 | sum << 5);
    if (size == 1)
      *at = (uint8_t)sum;
    else if (size == 2)
      *(volatile uint16_t *)at = (uint16_t)sum;
    else
      *(volatile uint64_t *)at = sum;
  }
  return sum;
}
static uint64_t walk_up(uint8_t *at, uint64_t count, uint64_t sum) {
  return walk_by(at, 1, count, sum, 0);
}
static uint64_t walk_words(uint8_t *at, uint64_t count, uint64_t sum) {
  return walk_by(at, 8, count, sum, 0);
}
static uint64_t walk_down(uint8_t *at, uint64_t count, uint64_t sum) {
  return walk_by(at, 2, count, sum, 1);
}
static uint64_t walk_pairs(uint8_t *at, uint64_t count, uint64_t sum) {
  return walk_by(at, 8, count, sum, 1);
}
#endif

static void run(unsigned me) {
  uint64_t sum = me;
  for (unsigned i = 0; i < race_rounds; i++) {
    uint8_t *at = field + (i * 13 + me * 7) % 61 * 8;
    sum = walk_up(at, 100 + i % 50, sum);
    sum = walk_words(at + 128, 136, sum);
    sum = walk_down(at + 64, 150, sum);
    sum = walk_pairs(at + 32, 192, sum);
    race_note(me, (uint32_t)(sum ^ sum >> 32));
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 300, run, NULL);
}
