/* decode_walk.h: the state of the decoder half-way, shared by decode.c, which reads the bytes, and
 * decode_operands.c, which interprets them. */
#ifndef REPRISE_X64_DECODE_WALK_H
#define REPRISE_X64_DECODE_WALK_H

#include "engine/x64/decode_tables.h"

/* Small on purpose: compilers then clear it with a few stores. */
struct walk {
  const uint8_t *code;
  struct x64_insn *insn;
  int64_t disp;           /* the displacement, as encoded until decode_operands.c scales it */
  uint8_t limit;          /* bytes that may be read, 15 at most */
  uint8_t at;             /* bytes consumed */
  bool overrun;           /* a byte at or past the limit was wanted */
  uint8_t pp;             /* mandatory prefix: 0 none, 1 66, 2 F3, 3 F2 */
  uint8_t segment;        /* enum x64_segment */
  uint8_t w, r, x, b;     /* REX or VEX bits, as 0 or 1 (not inverted) */
  uint8_t r_high, v_high; /* EVEX.R' and V', not inverted */
  uint8_t vvvv;           /* not inverted: 0 is the neutral value */
  uint8_t length;         /* L'L: 0, 1, 2 or 3 */
  uint8_t mask;           /* EVEX.aaa */
  uint8_t zeroing;        /* EVEX.z */
  uint8_t evex_b;         /* EVEX.b: broadcast, rounding */
  uint8_t mod, reg, rm;   /* fields of ModRM, without extensions */
  uint8_t operand_size;
};

/* The initial value of an instruction. It is copied from another file on purpose: where the compiler sees the zeros it
 * clears them with a string instruction (there are no vector registers in the engine), which costs as much
 * as the rest of the walk. */
extern const struct x64_insn x64_blank_insn;

/* The effective operand size, in bytes, under a row's flags. */
uint8_t x64_operand_size(const struct walk *w, uint32_t flags);

/* Fills in the memory operand, the register and flag sets and the implicit accesses as the row says. The
 * operand size and the immediate must be known. */
void x64_note_row(struct walk *w, const struct x64_row *row);

/* The memory operand of a 3DNow! instruction, which has no row. */
void x64_note_memory(struct walk *w, uint8_t access, uint16_t size);

/* True if the processor accepts this combination of prefixes and registers. To be called after x64_note_row. */
bool x64_is_legal(const struct walk *w, const struct x64_row *row);

#endif
