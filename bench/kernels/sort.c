/* Sorting with the C library's qsort: the comparison is a call through a pointer into the program and a
   return into the library, between branches that cannot be predicted. */
#include <string.h>

#include "kernel.h"

struct record {
  uint32_t key;
  uint32_t serial;
};

static int by_key(const void *left, const void *right) {
  const struct record *a = left;
  const struct record *b = right;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->serial < b->serial ? -1 : a->serial > b->serial;
}

int main(int argc, char **argv) {
  enum { COUNT = 200000 };
  long rounds = kernel_rounds(argc, argv, 26);
  struct record *records = kernel_alloc(COUNT * sizeof *records);
  uint64_t random = 5783321u;
  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) {
    for (uint32_t j = 0; j < COUNT; j++) {
      records[j].key = (uint32_t)(kernel_random(&random) >> 44);
      records[j].serial = j;
    }
    qsort(records, COUNT, sizeof *records, by_key);
    for (uint32_t j = 0; j < COUNT; j += 97) sum = sum * 31 + (records[j].key ^ records[j].serial);
  }
  free(records);
  return kernel_report("sort", sum);
}
