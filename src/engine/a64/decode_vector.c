/* decode_vector.c (A64): vector instructions of fixed and of scalable length. All that matters is which of them name a general
 * register or memory. See decode.h. */
#include "engine/a64/decode.h"

/* Instructions under a mask, and the roles of their fields. */
struct row {
  uint32_t mask, value;
  uint8_t reads, writes, stack;
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
    {0xbfe0fc00, 0x0e000c00, IN_N, 0, 0},
    {0xffe0fc00, 0x4e001c00, IN_N, 0, 0},
    {0xbfe0fc00, 0x0e002c00, 0, IN_D, 0},
    {0xbfe0fc00, 0x0e003c00, 0, IN_D, 0},
    /* scvtf and ucvtf; fmov to a vector; the rest is from one (conversions between floating point and integer) */
    {0x7f3efc00, 0x1e220000, IN_N, 0, 0},
    {0x7f37fc00, 0x1e270000, IN_N, 0, 0},
    {0x7f20fc00, 0x1e200000, 0, IN_D, 0},
    /* the same with a scale */
    {0x7f3e0000, 0x1e020000, IN_N, 0, 0},
    {0x7f3e0000, 0x1e180000, 0, IN_D, 0},
};

void a64_decode_vector(uint32_t w, struct a64_insn *out) {
  const struct row *row = FIND(fixed, w);
  if (row) take(row, out);
}

/* -- Scalable length ---------------------------------------------------------------------------------------------------------- */

static const struct row scalable[] = {
    /* index: base and step as immediates or registers */
    {0xff20fc00, 0x04204000, 0, 0, 0},
    {0xff20fc00, 0x04204400, IN_N, 0, 0},
    {0xff20fc00, 0x04204800, IN_M, 0, 0},
    {0xff20fc00, 0x04204c00, IN_N | IN_M, 0, 0},
    /* addvl, addpl; rdvl; their streaming kin */
    {0xffa0f000, 0x04205000, IN_M, IN_D, IN_M | IN_D},
    {0xfffff000, 0x04bf5000, 0, IN_D, 0},
    /* cnt, inc, dec of a general register by the length, saturating too */
    {0xff30fc00, 0x0420e000, 0, IN_D, 0},
    {0xff30f800, 0x0430e000, IN_D, IN_D, 0},
    {0xff20f000, 0x0420f000, IN_D, IN_D, 0},
    /* cpy and dup from a general register, insr; lasta, lastb, clasta, clastb to one */
    {0xff3fe000, 0x0528a000, IN_N, 0, IN_N},
    {0xff3ffc00, 0x05203800, IN_N, 0, IN_N},
    {0xff3ffc00, 0x05243800, IN_N, 0, 0},
    {0xff3ee000, 0x0520a000, 0, IN_D, 0},
    {0xff3ee000, 0x0530a000, IN_D, IN_D, 0},
    /* cntp; incp, decp of a general register, saturating too */
    {0xff38c000, 0x25208000, 0, IN_D, 0},
    {0xff3cf800, 0x25288800, IN_D, IN_D, 0},
    {0xff3ef800, 0x252c8800, IN_D, IN_D, 0},
    /* while…, whilewr, whilerw; ctermeq, ctermne */
    {0xff20e000, 0x25200000, IN_N | IN_M, 0, 0},
    {0xff20fc00, 0x25203000, IN_N | IN_M, 0, 0},
    {0xffa0fc0f, 0x25a02000, IN_N | IN_M, 0, 0},
};

/* -- Scalable length, memory ------------------------------------------------------------------------------------------------------- */

static void base(struct a64_insn *out, unsigned access) {
  out->reads |= IN_N;
  out->stack |= IN_N;
  out->mem.access = (uint8_t)access;
  out->mem.base = (uint8_t)a64_register(out->word, FIELD_N);
}

static void scatter(struct a64_insn *out, unsigned access) {
  out->mem.access = (uint8_t)access;
  out->mem.scattered = true;
}

/* [base, index, lsl #shift] */
static void indexed(struct a64_insn *out, unsigned access, unsigned shift) {
  base(out, access);
  out->reads |= IN_M;
  out->mem.index = (uint8_t)a64_register(out->word, FIELD_M);
  out->mem.extend = 3;
  out->mem.shift = (uint8_t)shift;
}

/* [base, #disp, mul vl], in units of the vector length divided by 1 << fraction */
static void by_length(struct a64_insn *out, unsigned access, int64_t disp, unsigned fraction) {
  base(out, access);
  out->mem.scalable = true;
  out->mem.disp = (int32_t)disp;
  out->mem.shift = (uint8_t)fraction;
}

/* Of a contiguous load's data type: log2 of the bytes in memory and in the vector. */
static const uint8_t in_memory[16] = {0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3};
static const uint8_t in_vector[16] = {0, 1, 2, 3, 3, 1, 2, 3, 3, 2, 2, 3, 3, 2, 1, 3};

static bool contiguous_load(uint32_t w, struct a64_insn *out) {
  unsigned type = a64_bits(w, 24, 21), size = a64_bits(w, 24, 23), vectors = a64_bits(w, 22, 21) + 1;
  bool high = a64_bits(w, 20, 20);
  switch (a64_bits(w, 15, 13)) {
    case 0: /* a quad or octo word to every part */
      indexed(out, ACCESS_READ, size);
      out->mem.size = a64_bits(w, 21, 21) ? 32 : 16;
      return !a64_bits(w, 22, 22);
    case 1:
      base(out, ACCESS_READ);
      out->mem.size = a64_bits(w, 21, 21) ? 32 : 16;
      out->mem.disp = (int32_t)a64_signed(w, 19, 16) * out->mem.size;
      return !high && !a64_bits(w, 22, 22);
    case 2:
    case 3: /* those that stop at the first fault take no index as none */
      indexed(out, ACCESS_READ, in_memory[type]);
      return a64_bits(w, 13, 13) || a64_register(w, FIELD_M) != 31;
    case 5:
      by_length(out, ACCESS_READ, a64_signed(w, 19, 16), in_vector[type] - in_memory[type]);
      return true;
    case 6:
      indexed(out, ACCESS_READ, size);
      return a64_register(w, FIELD_M) != 31;
    case 7:
      by_length(out, ACCESS_READ, a64_signed(w, 19, 16) * (int)vectors, 0);
      return !high;
    default:
      return false;
  }
}

/* ldr and str of a whole vector or predicate, an eighth as long. */
static void whole(uint32_t w, struct a64_insn *out, unsigned access) {
  int64_t disp = a64_signed(w, 21, 16) * 8 + a64_bits(w, 12, 10);
  by_length(out, access, disp, a64_bits(w, 14, 14) ? 0 : 3);
}

static bool store(uint32_t w, struct a64_insn *out) {
  unsigned size = a64_bits(w, 24, 23), vectors = a64_bits(w, 22, 21) + 1, kind = a64_bits(w, 15, 13);
  bool high = a64_bits(w, 20, 20), is_whole = a64_matches(w, 0xffc00000, 0xe5800000);
  switch (kind) {
    case 0:
      whole(w, out, ACCESS_WRITE);
      return is_whole && !a64_bits(w, 4, 4);
    case 1: /* vector of bases and an index for all */
      scatter(out, ACCESS_WRITE);
      out->reads |= IN_M;
      return !a64_bits(w, 21, 21);
    case 2:
      if (is_whole)
        whole(w, out, ACCESS_WRITE);
      else
        indexed(out, ACCESS_WRITE, size);
      return is_whole || a64_register(w, FIELD_M) != 31;
    case 3:
      indexed(out, ACCESS_WRITE, size);
      return a64_register(w, FIELD_M) != 31;
    case 7:
      if (high)
        by_length(out, ACCESS_WRITE, a64_signed(w, 19, 16) * (int)vectors, 0);
      else
        by_length(out, ACCESS_WRITE, a64_signed(w, 19, 16), a64_bits(w, 22, 21) - size);
      return high || a64_bits(w, 22, 21) >= size;
    case 5:
      if (a64_bits(w, 22, 22))
        scatter(out, ACCESS_WRITE);
      else
        base(out, ACCESS_WRITE), scatter(out, ACCESS_WRITE);
      return true;
    default:
      base(out, ACCESS_WRITE);
      scatter(out, ACCESS_WRITE);
      return true;
  }
}

/* Loads from many places, broadcasts of one element, prefetches: the two groups differ in what the last form is. */
static bool gather(uint32_t w, struct a64_insn *out) {
  bool wide = a64_bits(w, 30, 30), bit15 = a64_bits(w, 15, 15);
  if (!wide && a64_matches(w, 0xffc0a000, 0x85800000)) {
    whole(w, out, ACCESS_READ);
    return a64_bits(w, 14, 14) || !a64_bits(w, 4, 4);
  }
  if (!wide && a64_matches(w, 0xffc08000, 0x85c00000)) { /* prefetch at a displacement */
    base(out, ACCESS_NONE);
    return !a64_bits(w, 4, 4);
  }
  bool prefetches = a64_matches(w, 0xbfa08010, 0x84200000) || a64_matches(w, 0xffe08010, 0xc4608000);
  if (prefetches) {
    base(out, ACCESS_NONE);
    return true;
  }
  if (!bit15) { /* scalar base, vector of offsets */
    base(out, ACCESS_READ);
    scatter(out, ACCESS_READ);
    return true;
  }
  if (a64_bits(w, 22, 22)) {
    base(out, ACCESS_READ);
    if (wide) {
      scatter(out, ACCESS_READ);
      return true;
    }
    unsigned type = a64_bits(w, 24, 23) << 2 | a64_bits(w, 14, 13);
    out->mem.size = (uint16_t)(1u << in_memory[type]);
    out->mem.disp = (int32_t)(a64_bits(w, 21, 16) << in_memory[type]);
    return true;
  }
  scatter(out, ACCESS_READ);
  if (a64_bits(w, 21, 21)) return true; /* vector of bases, displacement */
  unsigned kind = a64_bits(w, 15, 13);
  if (kind == 7) {
    out->mem.access = ACCESS_NONE;
    return !a64_bits(w, 4, 4);
  }
  if (kind == 6 && !wide) { /* prefetch with an index */
    base(out, ACCESS_NONE);
    out->reads |= IN_M;
    return !a64_bits(w, 4, 4) && a64_register(w, FIELD_M) != 31;
  }
  out->reads |= IN_M; /* vector of bases and an index for all */
  return true;
}

void a64_decode_scalable(uint32_t w, struct a64_insn *out) {
  bool allocated = true;
  switch (a64_bits(w, 31, 29)) {
    case 4:
    case 6:
      allocated = gather(w, out);
      break;
    case 5:
      allocated = contiguous_load(w, out);
      break;
    case 7:
      allocated = store(w, out);
      break;
    default: {
      const struct row *row = FIND(scalable, w);
      if (row) take(row, out);
      /* psel names one of four registers, two of them taken, in two bits: known limit, it is not offered. */
      allocated = !a64_matches(w, 0xff20c000, 0x25204000);
    }
  }
  if (!allocated)
    *out = (struct a64_insn){
        .word = w, .kind = A64_UNDEFINED, .mem = {.base = A64_NO_REGISTER, .index = A64_NO_REGISTER}};
}
