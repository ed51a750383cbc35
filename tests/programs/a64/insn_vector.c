/* Vector and floating-point instructions: random encodings, those that move between the two kinds of registers most of all. */
#include "trial.h"

static const struct {
  uint32_t mask, value;
  unsigned fields;
} groups[] = {
    {0xbfe0fc00, 0x0e000c00, 2}, /* dup */
    {0xffe0fc00, 0x4e001c00, 2}, /* ins */
    {0xbfe0fc00, 0x0e002c00, 1}, /* smov */
    {0xbfe0fc00, 0x0e003c00, 1}, /* umov */
    {0x7f20fc00, 0x1e200000, 3}, /* conversions */
    {0x7f200000, 0x1e000000, 3}, /* conversions with a scale */
    {0xff200000, 0x1e200000, 0}, /* scalar */
    {0xff000000, 0x1f000000, 0}, /* multiply and add */
    {0x9f200400, 0x0e200400, 0}, /* three of a kind */
    {0x9f3e0c00, 0x0e200800, 0}, /* two */
    {0x9f200c00, 0x0e200000, 0}, /* three of different kinds */
    {0x9f800400, 0x0f000400, 0}, /* shifts by immediates, and immediates */
    {0x9f000400, 0x0f000000, 0}, /* by an element */
    {0xbfe08c00, 0x0e000000, 0}, /* tables */
    {0xbf208400, 0x2e000000, 0}, /* ext */
    {0xff3e0c00, 0x4e280800, 0}, /* aes */
    {0xdf200400, 0x5e200400, 0}, /* scalars of vectors */
};

static uint32_t next(void) {
  static unsigned count;
  trial_numbers = true;
  if (count == 6000) return 0;
  unsigned group = count++ % (sizeof groups / sizeof *groups);
  return trial_fields(((uint32_t)trial_random() & ~groups[group].mask) | groups[group].value,
                      groups[group].fields);
}

int main(void) {
  trial_run(next);
}
