/* digest.c: the digest of outgoing bytes: two lanes of 64x64-bit multiplications, 32 bytes a round, general registers
 * only. Bytes are read little-endian, so the digest is the same on every machine that Reprise runs on. */
#include "input/digest.h"

/* Odd, with half of their bits set: the binary digits of the golden ratio, of sqrt 2, 3 and 5. */
#define KEY_A 0x9e3779b97f4a7c15UL
#define KEY_B 0x6a09e667f3bcc909UL
#define KEY_C 0xbb67ae8584caa73bUL
#define KEY_D 0x3c6ef372fe94f82bUL

enum { ROUND = 32 };

static uint64_t mix(uint64_t a, uint64_t b) {
  __uint128_t product = (__uint128_t)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word(const uint8_t *at) {
  uint64_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

/* Fewer than eight bytes, in the low end. */
static uint64_t part(const uint8_t *at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++) value |= (uint64_t)at[i] << 8 * i;
  return value;
}

uint64_t input_digest(uint64_t seed, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  uint64_t first = seed ^ KEY_A, second = mix(seed ^ KEY_B, count ^ KEY_C);
  size_t left = count;
  for (; left >= ROUND; left -= ROUND, at += ROUND) {
    first = mix(word(at) ^ KEY_B, word(at + 8) ^ first);
    second = mix(word(at + 16) ^ KEY_C, word(at + 24) ^ second);
  }
  for (; left >= 8; left -= 8, at += 8) first = mix(word(at) ^ KEY_D, first ^ KEY_A);
  second ^= mix(part(at, left) ^ KEY_B, left ^ KEY_D);
  return mix(first ^ KEY_C, second ^ KEY_D) ^ count;
}
