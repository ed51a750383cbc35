/* racey.c: threads mix each other's values without any synchronisation: the result depends on the order of nearly every access. After the stress
   test of that name which recorders are tried with. */
#include "workload.h"

enum { WORDS = 64 };
static volatile struct {
  uint32_t value;
  uint32_t pad[3];
} word[WORDS]; /* four to a line: false sharing too */

static uint32_t mix(uint32_t a, uint32_t b) {
  uint32_t n = a ^ (b * 2654435761u);
  return (n << 7 | n >> 25) + 0x9e3779b9;
}

static void work(long me) {
  uint32_t mine = (uint32_t)me + 1;
  pthread_barrier_wait(&all);
  for (long i = 0; i < 400 * scale; i++) {
    uint32_t from = mine % WORDS, to = (mine >> 8) % WORDS;
    uint32_t seen = word[from].value;
    word[to].value = mix(seen, mine);
    mine = mix(mine, seen);
    if (mine % 16 == 0) __atomic_fetch_xor(&word[from].value, mine, __ATOMIC_SEQ_CST);
  }
  word[me].value = mix(word[me].value, mine);
}

int main(int argc, char **argv) {
  uint32_t result = 0;
  read_arguments(argc, argv);
  for (uint32_t i = 0; i < WORDS; i++) word[i].value = i * 77;
  run_all();
  for (int i = 0; i < WORDS; i++) result = mix(result, word[i].value);
  printf("%08x\n", result);
  return 0;
}
