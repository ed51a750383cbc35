/* libc.c: what a program does with its C library: formats, conversions, sorting, strings, memory. */
#include <locale.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "program.h"

static int by_value(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

int main(int argc, char **argv) {
  static int numbers[5000];
  uint64_t state = 1, digest = 0;
  (void)argv;
  for (int i = 0; i < 5000; i++) numbers[i] = (int)next_random(&state);
  qsort(numbers, 5000, sizeof *numbers, by_value);
  for (int i = 1; i < 5000; i++) CHECK(numbers[i - 1] <= numbers[i]);
  printf("%d %s %5.3f %-8s| %#lx %c %e %g\n", argc, "text", 3.14159, "left", 0xdeadbeefl, 'x', 1e-300,
         1e17 / 3);
  printf("%.17g %.17g %a\n", strtod("0.1", NULL), strtod("1e308", NULL), sqrt(2));
  printf("%.12f %.12f %.12f %.12f\n", sin(1), exp(1), log(10), pow(2, 0.5));
  char *blocks[500];
  for (int i = 0; i < 500; i++) {
    size_t bytes = next_random(&state) % 5000 + 1;
    CHECK(blocks[i] = malloc(bytes));
    memset(blocks[i], i, bytes);
    digest = mix(digest, (uint64_t)(unsigned char)blocks[i][bytes - 1]);
    if (i % 3 == 0) free(blocks[i]), blocks[i] = realloc(NULL, bytes * 2);
  }
  char text[256] = "the quick brown fox", *save, *word;
  for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
    digest = mix(digest, strlen(word));
  time_t moment = 1000000000;
  struct tm tm;
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime_r(&moment, &tm));
  printf("%s %016lx %s\n", text, digest, setlocale(LC_ALL, NULL));
  return 7;
}
