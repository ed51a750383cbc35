/* digest.c: XXH3 in its 64-bit form, with a seed, in general registers only. See digest.h.
 *
 * The method depends on the length: up to 16 bytes are read into one or two words that overlap; up to 128, pairs of words from
 * both ends; up to 240, pairs of words in turn; longer ones in stripes of 64 bytes that are added to eight lanes. Every word is mixed with
 * a word of the secret before it is multiplied. Words are little-endian, as they are on every machine that Reprise runs on.
 * tests/input/digest.c holds it against the reference library. */
#include "input/digest.h"

/* The secret of the algorithm, as its specification has it. */
static const uint8_t standard_secret[] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, /* 0 */
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, /* 32 */
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, /* 64 */
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, /* 96 */
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb, /* 128 */
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, /* 160 */
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

#define PRIME32_1 0x9e3779b1UL
#define PRIME32_2 0x85ebca77UL
#define PRIME32_3 0xc2b2ae3dUL
#define PRIME64_1 0x9e3779b185ebca87UL
#define PRIME64_2 0xc2b2ae3d27d4eb4fUL
#define PRIME64_3 0x165667b19e3779f9UL
#define PRIME64_4 0x85ebca77c2b2ae63UL
#define PRIME64_5 0x27d4eb2f165667c5UL
#define MIX_SHORT 0x9fb21c651e98df25UL
#define MIX_LONG 0x165667919e3779f9UL

enum {
  SECRET = sizeof standard_secret,
  LANES = 8,
  STRIPE = LANES * 8,
  SECRET_STEP = 8,                                 /* from the secret of a stripe to that of the next */
  BLOCK_STRIPES = (SECRET - STRIPE) / SECRET_STEP, /* then the lanes are scrambled */
  BLOCK = BLOCK_STRIPES * STRIPE,
};

/* -- Words ----------------------------------------------------------------------------------------------------------------- */

static uint64_t word(const uint8_t *at) {
  uint64_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

static uint32_t half_word(const uint8_t *at) {
  uint32_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

static uint64_t rotate(uint64_t value, int by) {
  return value << by | value >> (64 - by);
}

/* The 128-bit product, its halves folded together. */
static uint64_t multiply(uint64_t a, uint64_t b) {
  __uint128_t product = (__uint128_t)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t avalanche(uint64_t h) {
  h = (h ^ h >> 37) * MIX_LONG;
  return h ^ h >> 32;
}

static uint64_t avalanche_fully(uint64_t h) {
  h = (h ^ h >> 33) * PRIME64_2;
  h = (h ^ h >> 29) * PRIME64_3;
  return h ^ h >> 32;
}

static uint64_t mix_pair(const uint8_t *at, const uint8_t *secret, uint64_t seed) {
  return multiply(word(at) ^ (word(secret) + seed), word(at + 8) ^ (word(secret + 8) - seed));
}

/* -- By length ------------------------------------------------------------------------------------------------------------- */

static uint64_t digest_1_to_3(uint64_t seed, const uint8_t *at, size_t count) {
  uint64_t all = (uint64_t)at[0] << 16 | (uint64_t)at[count / 2] << 24 | at[count - 1] | count << 8;
  return avalanche_fully(all ^ ((half_word(standard_secret) ^ half_word(standard_secret + 4)) + seed));
}

static uint64_t digest_4_to_8(uint64_t seed, const uint8_t *at, size_t count) {
  seed ^= (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;
  uint64_t all = half_word(at + count - 4) + ((uint64_t)half_word(at) << 32);
  uint64_t h = all ^ ((word(standard_secret + 8) ^ word(standard_secret + 16)) - seed);
  h ^= rotate(h, 49) ^ rotate(h, 24);
  h *= MIX_SHORT;
  h = (h ^ ((h >> 35) + count)) * MIX_SHORT;
  return h ^ h >> 28;
}

static uint64_t digest_9_to_16(uint64_t seed, const uint8_t *at, size_t count) {
  uint64_t low = word(at) ^ ((word(standard_secret + 24) ^ word(standard_secret + 32)) + seed);
  uint64_t high = word(at + count - 8) ^ ((word(standard_secret + 40) ^ word(standard_secret + 48)) - seed);
  return avalanche(count + __builtin_bswap64(low) + high + multiply(low, high));
}

/* Pairs from the outside to the inside; those in the middle may overlap. */
static uint64_t digest_17_to_128(uint64_t seed, const uint8_t *at, size_t count) {
  uint64_t sum = count * PRIME64_1;
  for (size_t i = 0; i <= (count - 1) / 32; i++) {
    sum += mix_pair(at + 16 * i, standard_secret + 32 * i, seed);
    sum += mix_pair(at + count - 16 * (i + 1), standard_secret + 32 * i + 16, seed);
  }
  return avalanche(sum);
}

static uint64_t digest_129_to_240(uint64_t seed, const uint8_t *at, size_t count) {
  enum { FIRST_PAIRS = 8, SECOND_SECRET = 3, LAST_SECRET = 136 - 17 };
  uint64_t sum = count * PRIME64_1;
  for (size_t i = 0; i < FIRST_PAIRS; i++) sum += mix_pair(at + 16 * i, standard_secret + 16 * i, seed);
  sum = avalanche(sum);
  for (size_t i = FIRST_PAIRS; i < count / 16; i++)
    sum += mix_pair(at + 16 * i, standard_secret + 16 * (i - FIRST_PAIRS) + SECOND_SECRET, seed);
  sum += mix_pair(at + count - 16, standard_secret + LAST_SECRET, seed);
  return avalanche(sum);
}

static inline void add_stripe(uint64_t lanes[LANES], const uint8_t *at, const uint8_t *secret) {
#pragma GCC unroll 8
  for (size_t i = 0; i < LANES; i++) {
    uint64_t value = word(at + 8 * i), key = value ^ word(secret + 8 * i);
    lanes[i ^ 1] += value;
    lanes[i] += (uint64_t)(uint32_t)key * (key >> 32);
  }
}

static void add_stripes(uint64_t lanes[LANES], const uint8_t *at, const uint8_t *secret, size_t stripes) {
  for (size_t i = 0; i < stripes; i++) add_stripe(lanes, at + STRIPE * i, secret + SECRET_STEP * i);
}

static void scramble(uint64_t lanes[LANES], const uint8_t *secret) {
  for (size_t i = 0; i < LANES; i++)
    lanes[i] = (lanes[i] ^ lanes[i] >> 47 ^ word(secret + 8 * i)) * PRIME32_1;
}

static void seed_secret(uint8_t secret[SECRET], uint64_t seed) {
  for (unsigned i = 0; i < SECRET; i += 16) {
    uint64_t pair[2] = {word(standard_secret + i) + seed, word(standard_secret + i + 8) - seed};
    __builtin_memcpy(secret + i, pair, sizeof pair);
  }
}

/* The last stripe ends with the bytes, and may overlap the one before. */
static uint64_t digest_long(uint64_t seed, const uint8_t *at, size_t count) {
  enum { LAST_SECRET = SECRET - STRIPE - 7, MERGE_SECRET = 11 };
  uint64_t lanes[LANES] = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3,
                           PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
  uint8_t secret[SECRET];
  seed_secret(secret, seed);
  size_t blocks = (count - 1) / BLOCK, done = blocks * BLOCK;
  for (size_t i = 0; i < blocks; i++) {
    add_stripes(lanes, at + i * BLOCK, secret, BLOCK_STRIPES);
    scramble(lanes, secret + SECRET - STRIPE);
  }
  add_stripes(lanes, at + done, secret, (count - 1 - done) / STRIPE);
  add_stripe(lanes, at + count - STRIPE, secret + LAST_SECRET);

  uint64_t sum = count * PRIME64_1;
  for (size_t i = 0; i < LANES; i += 2)
    sum += multiply(lanes[i] ^ word(secret + MERGE_SECRET + 8 * i),
                    lanes[i + 1] ^ word(secret + MERGE_SECRET + 8 * i + 8));
  return avalanche(sum);
}

uint64_t input_digest(uint64_t seed, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  if (count > 240) return digest_long(seed, at, count);
  if (count > 128) return digest_129_to_240(seed, at, count);
  if (count > 16) return digest_17_to_128(seed, at, count);
  if (count > 8) return digest_9_to_16(seed, at, count);
  if (count > 3) return digest_4_to_8(seed, at, count);
  if (count > 0) return digest_1_to_3(seed, at, count);
  return avalanche_fully(seed ^ word(standard_secret + 56) ^ word(standard_secret + 64));
}
