/* Loads and stores of every addressing mode, size and direction, mostly with the registers that a translator is likeliest to
 * need for itself. Many miss the mapped memory: the fault must show every register as it was before. */
#include "trial.h"

static const struct {
  uint32_t mask, value;
  unsigned fields;
} groups[] = {
    {0x3b200c00, 0x38000000, 3},  /* unscaled */
    {0x3b200c00, 0x38000400, 3},  /* post-indexed */
    {0x3b200c00, 0x38000c00, 3},  /* pre-indexed */
    {0x3b200c00, 0x38200800, 11}, /* by register */
    {0x3b000000, 0x39000000, 3},  /* scaled */
    {0x3b000000, 0x18000000, 1},  /* literal */
    {0x3a000000, 0x28000000, 7},  /* pairs */
    {0x3f200c00, 0x38200000, 11}, /* atomics */
    {0x3fa07c00, 0x08a07c00, 11}, /* cas */
    {0xbfa07c00, 0x08207c00, 11}, /* casp */
    {0x3fe08000, 0x08c08000, 3},  /* ldar */
    {0x3fe08000, 0x08808000, 3},  /* stlr */
    {0x3fe07c00, 0x085f7c00, 3},  /* ldxr */
    {0x3fe07c00, 0x08007c00, 11}, /* stxr: nothing is marked, so it fails */
    {0xbfff0000, 0x887f0000, 7},  /* ldxp */
    {0xbfe00000, 0x88200000, 15}, /* stxp */
    {0xbfbf0000, 0x0c000000, 2},  /* structures */
    {0xbfa00000, 0x0c800000, 10}, {0xbf9f0000, 0x0d000000, 2},
    {0xbf800000, 0x0d800000, 10}, {0x3f200c00, 0x19000000, 3}, /* ldapur, stlur */
};

/* Overlaps between base and data that the architecture leaves open, and blocks of eight. */
static bool left_open(uint32_t word) {
  unsigned d = word & 31, n = word >> 5 & 31, a = word >> 10 & 31, m = word >> 16 & 31;
  if ((word & 0xbfa07c00) == 0x08207c00) return word & 0x10001; /* casp wants even ones */
  bool pair = (word & 0x3a000000) == 0x28000000, vector = word >> 26 & 1;
  bool moves = (word & 0x3b200400) == 0x38000400, exclusive = (word & 0x3f000000) == 0x08000000;
  if (pair && !vector) return d == a || d == n || a == n;
  if (exclusive && word >> 21 & 1 && word >> 22 & 1) return d == a;
  if (exclusive && !(word >> 22 & 3)) return m == n || m == d || m == a;
  if ((word & 0x3f200c00) == 0x38200000) return (word >> 15 & 1) && (word >> 12 & 7);
  return moves && !vector && d == n;
}

static uint32_t next(void) {
  static unsigned count;
  if (count == 6000) return 0;
  unsigned group = count++ % (sizeof groups / sizeof *groups);
  uint32_t word;
  do
    word = trial_fields(((uint32_t)trial_random() & ~groups[group].mask) | groups[group].value,
                        groups[group].fields);
  while (left_open(word));
  return word;
}

int main(void) {
  trial_run(next);
}
