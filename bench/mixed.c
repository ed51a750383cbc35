/* Writes megabytes of mixed content for the compressors, the same bytes every time.

     mixed MEGABYTES >FILE

   Sections of 64 KB to 320 KB alternate between what archives hold: prose, log lines, source code, tables of
   binary records, incompressible bytes, and runs of zeros. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

enum { WORDS = 4096, WORD_MAX = 12 };

static uint64_t random_state = 6364136223846793005u;
static char words[WORDS][WORD_MAX + 1];

static uint64_t next_random(void) {
  return kernel_random(&random_state) >> 16;
}

static void make_words(void) {
  static const char letters[] = "eeeeetttaaaooiinnsshhrrddlcumwfgypbvk";
  for (int i = 0; i < WORDS; i++) {
    int length = 1 + (int)(next_random() % 4 + next_random() % 9);
    if (length > WORD_MAX) length = WORD_MAX;
    for (int j = 0; j < length; j++) words[i][j] = letters[next_random() % (sizeof letters - 1)];
  }
}

/* Early words come far more often than late ones, as in any language. */
static const char *next_word(void) {
  uint64_t a = next_random() % WORDS, b = next_random() % WORDS, c = next_random() % WORDS;
  return words[a * b / WORDS * c / WORDS];
}

static long prose(void) {
  long size = 0;
  for (int i = (int)(8 + next_random() % 12); i > 0; i--) size += printf(i > 1 ? "%s " : "%s. ", next_word());
  return size + (next_random() % 6 ? 0 : printf("\n"));
}

/* Drawn one statement at a time: the order in which a call's arguments are evaluated is the compiler's. */
static void next_words(const char *drawn[4]) {
  for (int i = 0; i < 4; i++) drawn[i] = next_word();
}

static long log_line(void) {
  static unsigned long clock;
  const char *w[4];
  next_words(w);
  clock += next_random() % 5000;
  int worker = (int)(next_random() % 16);
  const char *level = next_random() % 20 ? "info" : "warning";
  int took = (int)(next_random() % 100000);
  return printf("%010lu.%03lu worker[%d] %s: %s %s took %d us\n", clock / 1000, clock % 1000, worker, level,
                w[0], w[1], took);
}

static long source_line(void) {
  const char *w[4];
  next_words(w);
  int depth = (int)(next_random() % 4) * 2;
  switch (next_random() % 4) {
    case 0:
      return printf("%*sif (%s->%s != %s) return;\n", depth, "", w[0], w[1], w[2]);
    case 1:
      return printf("%*sfor (int i = 0; i < %s; i++) %s[i] += %s;\n", depth, "", w[0], w[1], w[2]);
    case 2:
      return printf("%*s%s = %s(%s, %s);\n", depth, "", w[0], w[1], w[2], w[3]);
    default:
      return printf("%*s}\n\n", depth, "");
  }
}

static long binary_record(void) {
  static uint32_t serial;
  struct {
    uint32_t serial, kind;
    double value;
    uint16_t samples[8];
  } record = {.serial = serial, .kind = (uint32_t)(next_random() % 5)};
  serial++;
  record.value = (double)(next_random() % 100000) / 8.0;
  for (int i = 0; i < 8; i++) record.samples[i] = (uint16_t)(serial * (unsigned)i + next_random() % 64);
  return (long)fwrite(&record, 1, sizeof record, stdout);
}

static long noise(void) {
  uint64_t bits = kernel_random(&random_state);
  return (long)fwrite(&bits, 1, sizeof bits, stdout);
}

static long zeros(void) {
  static const char block[512];
  return (long)fwrite(block, 1, sizeof block, stdout) + noise();
}

int main(int argc, char **argv) {
  static long (*const kinds[])(void) = {prose,         log_line, prose,    source_line,
                                        binary_record, noise,    log_line, zeros};
  long megabytes = argc == 2 ? atol(argv[1]) : 0;
  if (megabytes <= 0) {
    fprintf(stderr, "usage: mixed MEGABYTES >FILE\n");
    return 2;
  }
  make_words();
  long left = megabytes * 1000000;
  while (left > 0) {
    long (*kind)(void) = kinds[next_random() % (sizeof kinds / sizeof *kinds)];
    long section = (long)(65536 + next_random() % 262144);
    for (long written = 0; written < section && left > 0;) {
      long size = kind();
      if (size < 0) break;
      written += size;
      left -= size;
    }
    if (ferror(stdout)) break;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("mixed");
    return 1;
  }
  return 0;
}
