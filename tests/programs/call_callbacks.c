/* The C library calling back into the program: qsort, bsearch, tsearch, twalk, streams with own functions. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int by_value(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int by_value_r(const void *a, const void *b, void *calls) {
  ++*(long *)calls;
  return by_value(b, a);
}

static long walked;
static void visit(const void *node, VISIT which, int depth) {
  if (which == postorder || which == leaf) walked = walked * 31 + **(int *const *)node + (depth > 100);
}

static ssize_t sink(void *cookie, const char *text, size_t n) {
  for (size_t i = 0; i < n; i++) *(unsigned *)cookie = *(unsigned *)cookie * 33 + (unsigned char)text[i];
  return (ssize_t)n;
}

int main(void) {
  static int values[5000];
  unsigned seed = 1;
  for (int i = 0; i < 5000; i++) values[i] = (int)((seed = seed * 1103515245 + 12345) >> 8) % 100000;
  qsort(values, 5000, sizeof values[0], by_value);
  for (int i = 1; i < 5000; i++) CHECK(values[i - 1] <= values[i]);
  int key = values[1234], *found = bsearch(&key, values, 5000, sizeof values[0], by_value);
  CHECK(found && *found == key);
  long calls = 0;
  qsort_r(values, 5000, sizeof values[0], by_value_r, &calls);
  printf("%d %d, comparisons %ld\n", values[0], values[4999], calls);
  void *tree = NULL;
  for (int i = 0; i < 300; i++) CHECK(tsearch(&values[i * 7], &tree, by_value));
  twalk(tree, visit);
  printf("walked %016lx\n", (unsigned long)walked);
  unsigned hash = 0;
  FILE *f = fopencookie(&hash, "w", (cookie_io_functions_t){.write = sink});
  CHECK(f);
  for (int i = 0; i < 100; i++) fprintf(f, "%d %s %.3f\n", i, i % 2 ? "odd" : "even", i / 7.0);
  fclose(f);
  printf("hash %08x\n", hash);
  return 0;
}
