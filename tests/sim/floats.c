/* floats.c: the host's floating point against that in integers: every instruction, rounding mode and format, with the inexact flag raised before or
 * not, over corner cases and random operands. What host_float() does must be what integer_float() does, to the last bit and flag; and it must do most of
 * what programs do.
 *
 *   floats [-n OPERANDS]     triples of operands for each instruction */
#include <unistd.h>

#include "sim/machine/hart.h"
#include "support.h"

static const uint64_t corners[] = {
    0,
    1,
    0x8000000000000000,
    0x000fffffffffffff,
    0x0010000000000000,
    0x0010000000000001,
    0x8010000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fe0000000000000,
    0x3ff0000000000001,
    0x41dfffffffc00000, /* 2^31 - 1 */
    0x41e0000000000000,
    0xc1e0000000000000,
    0x43e0000000000000, /* 2^63 */
    0xc3e0000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x7ff0000000000001,
    0xffffffff00000000,
    0xffffffff80000000,
    0xffffffff00000001,
    0xffffffff007fffff,
    0xffffffff00800000,
    0xffffffff00800001,
    0xffffffff3f800000,
    0xffffffffbf800000,
    0xffffffff3f800001,
    0xffffffff7f7fffff,
    0xffffffff7f800000,
    0xffffffff7fc00000,
    0xffffffff7f800001,
};

/* A corner case; any number; one of everyday size; each for either format. */
static uint64_t operand(uint64_t *random) {
  uint64_t bits = support_random(random), kind = support_below(random, 6);
  switch (kind) {
    case 0:
      return corners[support_below(random, sizeof corners / sizeof *corners)];
    case 1:
      return bits;
    case 2:
      return bits | 0xffffffff00000000;
    case 3:
      return (bits & 0x800fffffffffffff) | (1013 + support_below(random, 30)) << 52;
    case 4: /* few digits: exact results, ties */
      return (bits & 0x800f000000000000) | (1013 + support_below(random, 30)) << 52;
    default:
      return 0xffffffff00000000 | (bits & 0x807fffff) | (117 + support_below(random, 30)) << 23;
  }
}

static uint32_t done, asked;

static void compare(uint32_t insn, const struct registers *before) {
  struct registers host = *before, integer = *before;
  bool by_host = host_float(&host, insn), exists = integer_float(&integer, insn);
  asked++;
  if (!by_host) {
    support_check(!memcmp(&host, before, sizeof host), "%08x: refused, and yet something has changed", insn);
    return;
  }
  done++;
  bool same = exists && !memcmp(host.f, integer.f, sizeof host.f) &&
              !memcmp(host.x, integer.x, sizeof host.x) && host.fcsr == integer.fcsr;
  support_check(same, "%08x with %016lx %016lx %016lx, fcsr %02x: %016lx %lx fcsr %02x, not %016lx %lx %02x",
                insn, (unsigned long)before->f[1], (unsigned long)before->f[2], (unsigned long)before->f[3],
                before->fcsr, (unsigned long)host.f[4], (unsigned long)host.x[4], host.fcsr,
                (unsigned long)integer.f[4], (unsigned long)integer.x[4], integer.fcsr);
}

/* Operands in registers 1, 2 and 3, the result in 4. rs2 is a register or says what is meant. */
static uint32_t make(uint32_t opcode, uint32_t funct5, uint32_t format, uint32_t rs2, uint32_t rounding) {
  return funct5 << 27 | format << 25 | rs2 << 20 | 1 << 15 | rounding << 12 | 4 << 7 | opcode;
}

static void try_all(uint64_t *random, uint32_t fcsr) {
  static const uint8_t funct5[] = {0, 1, 2, 3, 4, 5, 8, 0x0b, 0x14, 0x18, 0x1a, 0x1c, 0x1e};
  struct registers r = {.fcsr = fcsr};
  for (int i = 1; i <= 3; i++) r.f[i] = operand(random);
  r.x[1] = support_below(random, 2) ? support_random(random) : support_below(random, 1000) - 500;
  for (uint32_t format = 0; format < 4; format++)
    for (uint32_t rounding = 0; rounding < 8; rounding++) {
      for (uint32_t opcode = 0x43; opcode <= 0x4f; opcode += 4)
        compare(make(opcode, 3, format, 2, rounding), &r);
      for (size_t n = 0; n < sizeof funct5; n++)
        for (uint32_t rs2 = 0; rs2 < 4; rs2++) compare(make(0x53, funct5[n], format, rs2, rounding), &r);
    }
}

int main(int argc, char **argv) {
  uint64_t random = 1, operands = 3000;
  if (argc == 3 && !strcmp(argv[1], "-n")) operands = strtoull(argv[2], NULL, 10);
  for (uint64_t n = 0; n < operands; n++) {
    uint32_t fcsr = support_below(&random, 2) ? 1 : (uint32_t)support_below(&random, 256);
    try_all(&random, fcsr);
  }
  support_check(done > asked / 50, "the host has done %u of %u", done, asked);
  return support_end();
}
