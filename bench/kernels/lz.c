/* An LZ77 compressor and its decompressor, on text made of words that repeat. Hash lookups, match loops of
   short and varying length, byte stores: the mix of a real compressor.

   The output is a sequence of tokens: a byte below 128 announces that many literals plus one; a byte of
   128 or more, minus 128, plus MIN_MATCH, is the length of a match whose distance follows in two bytes. */
#include <string.h>

#include "kernel.h"

enum { SIZE = 1 << 20, HASH_BITS = 14, MIN_MATCH = 4, MAX_MATCH = 127 + MIN_MATCH, MAX_DISTANCE = 65535 };

static uint32_t hash4(const unsigned char *p) {
  uint32_t word;
  memcpy(&word, p, sizeof word);
  return (word * 2654435761u) >> (32 - HASH_BITS);
}

static unsigned char *put_literals(unsigned char *out, const unsigned char *from, const unsigned char *to) {
  while (from < to) {
    long run = to - from < 128 ? to - from : 128;
    *out++ = (unsigned char)(run - 1);
    for (long i = 0; i < run; i++) *out++ = *from++;
  }
  return out;
}

static size_t compress(unsigned char *out, const unsigned char *in, size_t size) {
  static uint32_t heads[1 << HASH_BITS]; /* position of the last four bytes of that hash, plus one */
  memset(heads, 0, sizeof heads);
  unsigned char *start = out;
  const unsigned char *end = in + size, *literals = in, *p = in;
  while (p + MIN_MATCH <= end) {
    uint32_t hash = hash4(p);
    const unsigned char *candidate = heads[hash] ? in + heads[hash] - 1 : NULL;
    heads[hash] = (uint32_t)(p - in) + 1;
    if (!candidate || p - candidate > MAX_DISTANCE || memcmp(candidate, p, MIN_MATCH) != 0) {
      p++;
      continue;
    }
    long length = MIN_MATCH;
    while (length < MAX_MATCH && p + length < end && candidate[length] == p[length]) length++;
    out = put_literals(out, literals, p);
    long distance = p - candidate;
    *out++ = (unsigned char)(128 + length - MIN_MATCH);
    *out++ = (unsigned char)distance;
    *out++ = (unsigned char)(distance >> 8);
    p += length;
    literals = p;
  }
  return (size_t)(put_literals(out, literals, end) - start);
}

static size_t decompress(unsigned char *out, const unsigned char *in, size_t size) {
  unsigned char *start = out;
  const unsigned char *end = in + size;
  while (in < end) {
    int token = *in++;
    if (token < 128) {
      for (int i = 0; i <= token; i++) *out++ = *in++;
      continue;
    }
    const unsigned char *from = out - (in[0] | in[1] << 8);
    in += 2;
    for (int length = token - 128 + MIN_MATCH; length > 0; length--) *out++ = *from++;
  }
  return (size_t)(out - start);
}

/* Words of two to nine letters from a vocabulary of 2048, the early ones far more frequent. */
static void make_text(unsigned char *text, size_t size) {
  static unsigned char words[2048][10];
  uint64_t random = 1442695040888963407u;
  for (int i = 0; i < 2048; i++) {
    int length = 2 + (int)(kernel_random(&random) % 8);
    for (int j = 0; j < length; j++) words[i][j] = (unsigned char)('a' + kernel_random(&random) % 26);
  }
  for (size_t at = 0; at < size;) {
    uint64_t r = kernel_random(&random);
    const unsigned char *word = words[(r >> 20 & 2047) * (r >> 40 & 2047) >> 11];
    while (*word && at < size) text[at++] = *word++;
    if (at < size) text[at++] = (r >> 56) % 12 ? ' ' : '\n';
  }
}

int main(int argc, char **argv) {
  long rounds = kernel_rounds(argc, argv, 110);
  unsigned char *text = kernel_alloc(SIZE);
  unsigned char *packed = kernel_alloc(SIZE + SIZE / 64);
  unsigned char *back = kernel_alloc(SIZE);
  make_text(text, SIZE);

  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) {
    text[(i * 7919) % SIZE] ^= 1;
    size_t packed_size = compress(packed, text, SIZE);
    size_t size = decompress(back, packed, packed_size);
    if (size != SIZE || memcmp(text, back, SIZE) != 0) {
      fprintf(stderr, "lz: round %ld does not decompress to its input\n", i);
      return 1;
    }
    sum = sum * 31 + packed_size;
  }
  free(text);
  free(packed);
  free(back);
  return kernel_report("lz", sum);
}
