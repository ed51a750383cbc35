/* Arithmetic, logic, moves, bit fields, conditional forms: random encodings of every group, mostly with the registers that a
 * translator is likeliest to need for itself. */
#include "trial.h"

static const struct {
  uint32_t mask, value; /* fixed bits */
  unsigned fields;      /* where registers are */
} groups[] = {
    {0x1f000000, 0x10000000, 1},  /* adr, adrp */
    {0x1f800000, 0x11000000, 3},  /* add, sub immediate */
    {0x1f800000, 0x12000000, 3},  /* logical immediate */
    {0x1f800000, 0x12800000, 1},  /* move wide */
    {0x1f800000, 0x13000000, 3},  /* bit fields */
    {0x7fa00000, 0x13800000, 11}, /* extract */
    {0x1f000000, 0x0a000000, 11}, /* logical */
    {0x1f200000, 0x0b000000, 11}, /* add, sub */
    {0x1fe00000, 0x0b200000, 11}, /* add, sub extended */
    {0x1fe0fc00, 0x1a000000, 11}, /* with carry */
    {0x3fe00410, 0x3a400000, 10}, /* conditional compare */
    {0x3fe00c00, 0x1a800000, 11}, /* conditional select */
    {0x7fe0f000, 0x1ac02000, 11}, /* variable shifts */
    {0x7fe0f800, 0x1ac00800, 11}, /* division */
    {0x7fe0e000, 0x1ac04000, 11}, /* checksums */
    {0x7ffff000, 0x5ac00000, 3},  /* one source */
    {0x7f000000, 0x1b000000, 15}, /* three sources */
};

static uint32_t next(void) {
  static unsigned count;
  trial_numbers = true;
  if (count == 6000) return 0;
  unsigned group = count++ % (sizeof groups / sizeof *groups);
  uint32_t word = ((uint32_t)trial_random() & ~groups[group].mask) | groups[group].value;
  return trial_fields(word, groups[group].fields);
}

int main(void) {
  trial_run(next);
}
