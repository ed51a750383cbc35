/* Byte histogram: counts the bytes of a buffer of skewed content. One load, then one read and one write of
   a counter that was often touched an iteration ago. */
#include "kernel.h"

static void count_bytes(uint32_t counts[256], const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) counts[bytes[i]]++;
}

int main(int argc, char **argv) {
  enum { SIZE = 4 << 20 };
  long rounds = kernel_rounds(argc, argv, 430);
  unsigned char *bytes = kernel_alloc(SIZE);
  uint64_t random = 521288629u;
  for (size_t i = 0; i < SIZE; i++) {
    uint64_t r = kernel_random(&random);
    bytes[i] = (unsigned char)((r & (r >> 8)) >> 20); /* bits are set one time in four, as in text */
  }

  static uint32_t counts[256];
  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) {
    count_bytes(counts, bytes, SIZE);
    sum = sum * 31 + counts[i & 255];
    bytes[(i * 4099) % SIZE] ^= (unsigned char)i;
  }
  for (int i = 0; i < 256; i++) sum = sum * 31 + counts[i];
  free(bytes);
  return kernel_report("byte_histogram", sum);
}
