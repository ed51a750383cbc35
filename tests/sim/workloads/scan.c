/* scan.c: a search through a file that is larger than a cache: threads read it in pieces from the disk, index the words of each piece in memory of their own,
   and join what they found in a table that all share. The file is the program itself, as often as the scale says. */
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

enum { PIECE = 16 << 10, PIECES = 24, OWN = 1 << 15, SLOTS = 256 };

static const char *file;
static pthread_mutex_t lock[16];
static uint64_t table[SLOTS];
static atomic_long next_piece;

static void index_piece(const uint8_t *bytes, ssize_t count, uint32_t *own) {
  uint64_t hash = 1469598103934665603ull;
  for (ssize_t i = 0; i < count; i++) {
    hash = (hash ^ bytes[i]) * 1099511628211ull;
    if (i % 16 == 15) own[hash >> 49]++;
  }
}

static void join(const uint32_t *own) {
  for (int slot = 0; slot < SLOTS; slot++) {
    uint64_t sum = 0;
    for (int i = 0; i < OWN / SLOTS; i++) sum += own[slot * (OWN / SLOTS) + i];
    pthread_mutex_lock(&lock[slot % 16]);
    table[slot] += sum;
    pthread_mutex_unlock(&lock[slot % 16]);
  }
}

static void work(long me) {
  uint8_t *piece = malloc(PIECE);
  uint32_t *own = calloc(OWN, sizeof *own);
  int descriptor = open(file, O_RDONLY);
  (void)me;
  for (long n; (n = atomic_fetch_add(&next_piece, 1)) < PIECES * scale;) {
    lseek(descriptor, n % PIECES * PIECE, SEEK_SET);
    index_piece(piece, read(descriptor, piece, PIECE), own);
  }
  join(own);
  close(descriptor);
  free(own);
  free(piece);
}

int main(int argc, char **argv) {
  uint64_t sum = 0;
  read_arguments(argc, argv);
  file = argv[0];
  for (int i = 0; i < 16; i++) pthread_mutex_init(&lock[i], NULL);
  run_all();
  for (int slot = 0; slot < SLOTS; slot++) sum = sum * 31 + table[slot];
  printf("%016lx\n", (unsigned long)sum);
  return 0;
}
