/* memory.c: a program that touches much memory, for what recording needs beside it: bench/orders.
 *
 *     memory [THREADS]
 *
 * The threads fill a part of 192 MB each, then read what their neighbour wrote, and leave a mark in every block of it. */
#include "parallel/team.h"

enum { WORDS = 192 << 17, STRIDE = 8 };
static uint64_t *words, sums[TEAM_MAX];

static void work(int me) {
  long from, to;
  team_part(me, WORDS, &from, &to);
  for (long i = from; i < to; i++) words[i] = (uint64_t)i;
  team_wait();
  team_part((me + 1) % team_threads, WORDS, &from, &to);
  for (long i = from; i < to; i += STRIDE) sums[me] += words[i]++;
}

int main(int argc, char **argv) {
  char percent[] = "100", *arguments[] = {argv[0], percent, argc > 1 ? argv[1] : NULL, NULL};
  uint64_t sum = 0;
  team_begin(1 + argc, arguments);
  words = malloc(WORDS * sizeof *words);
  if (!words) return 1;
  team_run(work);
  for (int i = 0; i < team_threads; i++) sum += sums[i];
  printf("%016lx\n", (unsigned long)sum);
  return 0;
}
