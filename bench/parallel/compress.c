/* Parallel compression: pieces of a made-up text, each compressed by whoever takes it, with a dictionary of its own (LZ with a
   hash of three bytes), lengths written to a shared table. */
#include "team.h"

enum { PIECE = 32 << 10, PIECES = 256, HASHES = 1 << 12, LONGEST = 255 };

static uint8_t text[PIECES][PIECE];
static uint32_t lengths[PIECES], digests[PIECES];
static long next_piece, pieces;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void make_text(void) {
  static const char *const words[] = {"the ", "order ", "of ",  "threads ", "is ",
                                      "a ",   "log ",   "and ", "replay ",  "again "};
  for (long p = 0; p < PIECES; p++) {
    uint64_t random = team_mix((uint64_t)p) | 1;
    for (size_t at = 0; at < PIECE;) {
      const char *word = words[kernel_random(&random) % 10];
      for (; *word && at < PIECE; word++) text[p][at++] = (uint8_t)*word;
      if (at < PIECE && kernel_random(&random) % 7 == 0) text[p][at++] = (uint8_t)kernel_random(&random);
    }
  }
}

static uint32_t hash(const uint8_t *at) {
  return (uint32_t)((at[0] | at[1] << 8 | (uint32_t)at[2] << 16) * 2654435761u) >> 20 & (HASHES - 1);
}

static uint32_t put(uint32_t digest, uint32_t value) {
  return (digest ^ value) * 16777619u;
}

static void compress(long piece) {
  uint16_t table[HASHES] = {0};
  const uint8_t *in = text[piece];
  uint32_t digest = 2166136261u, length = 0;
  for (uint32_t at = 0; at < PIECE;) {
    uint32_t match = 0, from = 0;
    if (at + 3 < PIECE) {
      uint32_t h = hash(in + at);
      from = table[h];
      while (from < at && at + match < PIECE && match < LONGEST && in[from + match] == in[at + match])
        match++;
      table[h] = (uint16_t)at;
    }
    digest = match > 3 ? put(put(digest, at - from), match) : put(digest, in[at]);
    length += match > 3 ? 3 : 1;
    at += match > 3 ? match : 1;
  }
  lengths[piece] = length;
  digests[piece] = digest;
}

static void work(int me) {
  (void)me;
  for (;;) {
    pthread_mutex_lock(&lock);
    long piece = next_piece++;
    pthread_mutex_unlock(&lock);
    if (piece >= pieces) return;
    compress(piece % PIECES);
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  pieces = team_amount(PIECES * 24) * team_size;
  make_text();
  team_run(work);
  uint64_t sum = 0;
  for (int i = 0; i < PIECES; i++) sum = sum * 31 + lengths[i] * 7ull + digests[i];
  return kernel_report("compress", sum);
}
