/* decode_vector.c (A64): vector instructions of fixed and of scalable length. All that matters is which of them name a general
 * register or memory. See decode.h. */
#include "engine/a64/decode.h"

/* Instructions under a mask, and what their fields are. Access and the bytes per element only where there is memory. */
struct row {
  uint32_t mask, value;
  uint8_t reads, writes, stack;
  uint8_t access;
  enum { NO_MEMORY, BY_IMMEDIATE, BY_REGISTER, BY_VECTOR, FROM_VECTOR } form;
};

static const struct row *find(const struct row *rows, unsigned count, uint32_t word) {
  for (unsigned i = 0; i < count; i++)
    if (a64_matches(word, rows[i].mask, rows[i].value)) return &rows[i];
  return 0;
}
#define FIND(rows, word) find(rows, sizeof rows / sizeof *rows, word)

static void take(const struct row *row, struct a64_insn *out) {
  out->reads = row->reads;
  out->writes = row->writes;
  out->stack = row->stack;
}

/* -- Fixed length --------------------------------------------------------------------------------------------------------- */

/* Moves and conversions between the two kinds of registers. */
static const struct row fixed[] = {
    /* dup, ins, smov, umov of a lane */
    {0xbfe0fc00, 0x0e000c00, IN_N, 0, 0, 0, NO_MEMORY},
    {0xffe0fc00, 0x4e001c00, IN_N, 0, 0, 0, NO_MEMORY},
    {0xbfe0fc00, 0x0e002c00, 0, IN_D, 0, 0, NO_MEMORY},
    {0xbfe0fc00, 0x0e003c00, 0, IN_D, 0, 0, NO_MEMORY},
    /* scvtf and ucvtf; fmov to a vector; the rest is from one (conversions between floating point and integer) */
    {0x7f3efc00, 0x1e220000, IN_N, 0, 0, 0, NO_MEMORY},
    {0x7f37fc00, 0x1e270000, IN_N, 0, 0, 0, NO_MEMORY},
    {0x7f20fc00, 0x1e200000, 0, IN_D, 0, 0, NO_MEMORY},
    /* the same with a scale */
    {0x7f3e0000, 0x1e020000, IN_N, 0, 0, 0, NO_MEMORY},
    {0x7f3e0000, 0x1e180000, 0, IN_D, 0, 0, NO_MEMORY},
};

void a64_decode_vector(uint32_t w, struct a64_insn *out) {
  const struct row *row = FIND(fixed, w);
  if (row) take(row, out);
}

/* -- Scalable length ---------------------------------------------------------------------------------------------------------- */

static const struct row scalable[] = {
    /* index: base and step as immediates or registers */
    {0xff20fc00, 0x04204000, 0, 0, 0, 0, NO_MEMORY},
    {0xff20fc00, 0x04204400, IN_N, 0, 0, 0, NO_MEMORY},
    {0xff20fc00, 0x04204800, IN_M, 0, 0, 0, NO_MEMORY},
    {0xff20fc00, 0x04204c00, IN_N | IN_M, 0, 0, 0, NO_MEMORY},
    /* addvl, addpl; rdvl; their streaming kin */
    {0xffa0f000, 0x04205000, IN_M, IN_D, IN_M | IN_D, 0, NO_MEMORY},
    {0xfffff000, 0x04bf5000, 0, IN_D, 0, 0, NO_MEMORY},
    /* cnt, inc, dec of a general register by the length, saturating too */
    {0xff30fc00, 0x0420e000, 0, IN_D, 0, 0, NO_MEMORY},
    {0xff30f800, 0x0430e000, IN_D, IN_D, 0, 0, NO_MEMORY},
    {0xff20f000, 0x0420f000, IN_D, IN_D, 0, 0, NO_MEMORY},
    /* cpy and dup from a general register, insr; lasta, lastb, clasta, clastb to one */
    {0xff3fe000, 0x0528a000, IN_N, 0, IN_N, 0, NO_MEMORY},
    {0xff3ffc00, 0x05203800, IN_N, 0, IN_N, 0, NO_MEMORY},
    {0xff3ffc00, 0x05243800, IN_N, 0, 0, 0, NO_MEMORY},
    {0xff3ee000, 0x0520a000, 0, IN_D, 0, 0, NO_MEMORY},
    {0xff3ee000, 0x0530a000, IN_D, IN_D, 0, 0, NO_MEMORY},
    /* cntp; incp, decp of a general register, saturating too */
    {0xff38c000, 0x25208000, 0, IN_D, 0, 0, NO_MEMORY},
    {0xff3cf800, 0x25288800, IN_D, IN_D, 0, 0, NO_MEMORY},
    {0xff3ef800, 0x252c8800, IN_D, IN_D, 0, 0, NO_MEMORY},
    /* while…, whilewr, whilerw; ctermeq, ctermne */
    {0xff20e000, 0x25200000, IN_N | IN_M, 0, 0, 0, NO_MEMORY},
    {0xff20fc00, 0x25203000, IN_N | IN_M, 0, 0, 0, NO_MEMORY},
    {0xffa0fc0f, 0x25a02000, IN_N | IN_M, 0, 0, 0, NO_MEMORY},
    {0xff20d000, 0x25205000, IN_N | IN_M, 0, 0, 0, NO_MEMORY},
    {0xff20f400, 0x25204400, IN_N | IN_M, 0, 0, 0, NO_MEMORY},
};

void a64_decode_scalable(uint32_t w, struct a64_insn *out) {
  const struct row *row = FIND(scalable, w);
  if (row) take(row, out);
}
