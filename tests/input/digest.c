/* digest.c: the digest against the reference library, and against its own purpose.
 *
 * Every length up to 4 KiB and some longer ones, with several seeds and contents, is what libxxhash says. Every bit of every length
 * up to 4 KiB counts; under a sanitizer, which looks at what is read and not at what comes of it, of the shorter ones only. */
/* needs: xxhash.h */
#include "input/digest.h"

#define XXH_INLINE_ALL /* no library to link, and only the header to look for */
#include <xxhash.h>

#include "trial.h"

enum { LENGTHS = 4096, SHORTER = 600, LONGEST = 1 << 20 };
#if defined(__SANITIZE_ADDRESS__)
enum { EVERY_BIT = SHORTER };
#else
enum { EVERY_BIT = LENGTHS };
#endif

static uint8_t bytes[LONGEST];

static void fill(uint64_t state) {
  for (size_t i = 0; i < sizeof bytes; i++) {
    state = state * 6364136223846793005 + 1442695040888963407;
    bytes[i] = (uint8_t)(state >> 56);
  }
}

static bool agrees(size_t count, uint64_t seed) {
  return input_digest(seed, bytes, count) == XXH3_64bits_withSeed(bytes, count, seed);
}

static bool agrees_everywhere(void) {
  static const uint64_t seeds[] = {0, 1, 0x9e3779b97f4a7c15, UINT64_MAX, 1UL << 63, 0xffffffff};
  static const size_t longer[] = {8191, 8192, 8193, 65536, 65537, LONGEST - 1, LONGEST};
  for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
    for (size_t count = 0; count <= LENGTHS; count++)
      if (!agrees(count, seeds[s])) return false;
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
      if (!agrees(longer[i], seeds[s])) return false;
  }
  return true;
}

/* The first bit that can be turned without a change of the digest; -1 if there is none. */
static long blind_bit(size_t count, uint64_t seed) {
  uint64_t digest = input_digest(seed, bytes, count);
  for (size_t bit = 0; bit < count * 8; bit++) {
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    bool blind = input_digest(seed, bytes, count) == digest;
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (blind) return (long)bit;
  }
  return -1;
}

static bool sees_every_bit(uint64_t seed, size_t from, size_t to) {
  for (size_t count = from; count <= to; count++) {
    long bit = blind_bit(count, seed);
    if (bit < 0) continue;
    printf("length %zu, seed %lx: bit %ld does not count\n", count, seed, bit);
    return false;
  }
  return true;
}

int main(void) {
  fill(1);
  trial_check("as the reference library, random bytes", agrees_everywhere());
  trial_check("every bit, random bytes", sees_every_bit(0, 1, EVERY_BIT));
  trial_check("every bit of the shorter, chained", sees_every_bit(input_digest(0, "chained", 7), 1, SHORTER));
  memset(bytes, 0, sizeof bytes);
  trial_check("as the reference library, zeros", agrees_everywhere());
  trial_check("every bit of the shorter, zeros", sees_every_bit(0, 1, SHORTER));
  memset(bytes, 0xff, sizeof bytes);
  trial_check("as the reference library, ones", agrees_everywhere());
  trial_check("every bit of the shorter, ones", sees_every_bit(0, 1, SHORTER));
  return trial_end();
}
