/* decode_memory.c (A64): loads and stores. See decode.h. */
#include "engine/a64/decode.h"

static void operand(struct a64_insn *out, unsigned access, unsigned size, int32_t disp) {
  out->mem.access = (uint8_t)access;
  out->mem.size = (uint16_t)size;
  out->mem.base = (uint8_t)a64_register(out->word, FIELD_N);
  out->mem.disp = disp;
  out->reads |= IN_N;
  out->stack |= IN_N;
}

/* Before (pre-indexed) or after the access the base becomes the sum. */
static void write_back(struct a64_insn *out, bool post) {
  out->writes |= IN_N;
  out->mem.writeback = true;
  out->mem.post = post;
  if (post) out->mem.disp = 0;
}

/* The fields name the general registers that are moved. */
static void moves(struct a64_insn *out, unsigned access, unsigned fields) {
  if (access & ACCESS_READ) out->writes |= (uint8_t)fields;
  if (access & ACCESS_WRITE) out->reads |= (uint8_t)fields;
}

/* -- Exclusive, ordered, compare and swap ----------------------------------------------------------------------------- */

static bool ordered(uint32_t w, struct a64_insn *out) {
  unsigned size = 1u << a64_bits(w, 31, 30);
  bool load = a64_bits(w, 22, 22), pair = a64_bits(w, 21, 21);
  unsigned access = load ? ACCESS_READ : ACCESS_WRITE;
  if (a64_bits(w, 23, 23)) {
    if (pair) { /* cas */
      operand(out, ACCESS_BOTH, size, 0);
      out->reads |= IN_D | IN_M;
      out->writes |= IN_M;
      out->atomic = true;
      return a64_bits(w, 14, 10) == 31;
    }
    operand(out, access, size, 0); /* ldar, stlr, ldlar, stllr */
    moves(out, access, IN_D);
    return true;
  }
  if (pair && !(w >> 31)) { /* casp */
    operand(out, ACCESS_BOTH, 8u << a64_bits(w, 30, 30), 0);
    out->reads |= IN_D | IN_M;
    out->writes |= IN_M;
    out->pairs = IN_D | IN_M;
    out->atomic = true;
    return a64_bits(w, 14, 10) == 31 && !(a64_register(w, FIELD_D) & 1) && !(a64_register(w, FIELD_M) & 1);
  }
  out->kind = load ? A64_LOAD_EXCLUSIVE : A64_STORE_EXCLUSIVE;
  operand(out, access, pair ? 2 * size : size, 0);
  moves(out, access, pair ? IN_D | IN_A : IN_D);
  if (!load) out->writes |= IN_M;
  return true;
}

/* -- Structures of vectors ----------------------------------------------------------------------------------------------- */

static bool structures(uint32_t w, struct a64_insn *out) {
  static const uint8_t registers[16] = {[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
  bool post = a64_bits(w, 23, 23);
  unsigned access = a64_bits(w, 22, 22) ? ACCESS_READ : ACCESS_WRITE, size;
  if (!a64_bits(w, 24, 24)) {
    unsigned opcode = a64_bits(w, 15, 12);
    size = registers[opcode] * (8u << a64_bits(w, 30, 30));
    bool interleaved = opcode == 0 || opcode == 4 || opcode == 8;
    if (a64_bits(w, 21, 21) || !size || (interleaved && a64_bits(w, 11, 10) == 3 && !a64_bits(w, 30, 30)))
      return false;
  } else {
    unsigned opcode = a64_bits(w, 15, 13), element = a64_bits(w, 11, 10), s = a64_bits(w, 12, 12);
    unsigned count = ((opcode & 1) << 1 | a64_bits(w, 21, 21)) + 1, scale = opcode >> 1;
    if (scale == 3) {
      if (access == ACCESS_WRITE || s) return false;
      scale = element;
    } else if (scale == 2) {
      if (element > 1 || (element == 1 && s)) return false;
      scale += element;
    } else if (scale == 1 && element & 1) {
      return false;
    }
    size = count << scale;
  }
  operand(out, access, size, 0);
  if (post) {
    write_back(out, true);
    if (a64_register(w, FIELD_M) != 31) out->reads |= IN_M;
    return true;
  }
  return a64_bits(w, 20, 16) == 0;
}

/* -- Literals --------------------------------------------------------------------------------------------------------------- */

static bool literal(uint32_t w, struct a64_insn *out) {
  static const uint8_t general[4] = {4, 8, 4, 0}, vector[4] = {4, 8, 16, 0};
  bool is_vector = a64_bits(w, 26, 26);
  unsigned opc = a64_bits(w, 31, 30);
  out->kind = A64_LOAD_LITERAL;
  out->offset = a64_signed(w, 23, 5) * 4;
  if (opc == 3) {
    out->kind = A64_PREFETCH_LITERAL;
    return !is_vector;
  }
  out->mem.access = ACCESS_READ;
  out->mem.base = A64_LITERAL;
  out->mem.size = is_vector ? vector[opc] : general[opc];
  if (!is_vector) out->writes = IN_D;
  return true;
}

/* -- Unscaled ordered ones, tags, copies of blocks ------------------------------------------------------------------------------ */

static bool tags(uint32_t w, struct a64_insn *out) {
  unsigned opc = a64_bits(w, 23, 22), mode = a64_bits(w, 11, 10);
  int32_t disp = (int32_t)a64_signed(w, 20, 12) * 16;
  if (mode == 0) { /* ldg; the forms for whole blocks are the kernel's */
    operand(out, ACCESS_READ, 16, disp);
    out->reads |= IN_D;
    out->writes |= IN_D;
    return opc == 1;
  }
  operand(out, ACCESS_WRITE, opc & 2 ? 32 : 16, disp);
  out->reads |= IN_D;
  out->stack |= IN_D;
  if (mode != 2) write_back(out, mode == 1);
  return true;
}

/* cpy…, set…: three registers move along; the size is one of them. */
static bool block_operations(uint32_t w, struct a64_insn *out) {
  bool sets = a64_bits(w, 23, 22) == 3;
  unsigned step = sets ? a64_bits(w, 15, 14) : a64_bits(w, 23, 22);
  out->mem.access = sets ? ACCESS_WRITE : ACCESS_BOTH;
  out->reads = IN_D | IN_N | IN_M;
  out->writes = sets ? IN_D | IN_N : IN_D | IN_N | IN_M;
  unsigned d = a64_register(w, FIELD_D), n = a64_register(w, FIELD_N), m = a64_register(w, FIELD_M);
  if (step == 3 || d == n || d == m || n == m || d == 31 || n == 31) return false;
  return (sets || m != 31) && !(w >> 30);
}

static bool unscaled_ordered(uint32_t w, struct a64_insn *out) {
  unsigned size = a64_bits(w, 31, 30), opc = a64_bits(w, 23, 22);
  bool vector = a64_bits(w, 26, 26);
  if (a64_bits(w, 21, 21)) return w >> 24 == 0xd9 && tags(w, out);
  if (a64_bits(w, 11, 10) == 1) return block_operations(w, out);
  if (vector || a64_bits(w, 11, 10) != 0) return false;
  unsigned access = opc ? ACCESS_READ : ACCESS_WRITE;
  operand(out, access, 1u << size, (int32_t)a64_signed(w, 20, 12));
  moves(out, access, IN_D);
  return opc < 2 || size < (opc == 2 ? 3 : 2);
}

/* -- Pairs -------------------------------------------------------------------------------------------------------------------------- */

static bool pairs(uint32_t w, struct a64_insn *out) {
  bool vector = a64_bits(w, 26, 26), load = a64_bits(w, 22, 22);
  unsigned opc = a64_bits(w, 31, 30), mode = a64_bits(w, 24, 23);
  unsigned access = load ? ACCESS_READ : ACCESS_WRITE;
  unsigned size = vector ? 4u << opc : opc == 2 ? 8 : 4;
  if (opc == 3) return false;
  bool tagged = !vector && opc == 1 && !load; /* stgp */
  operand(out, access, tagged ? 16 : 2 * size,
          (int32_t)a64_signed(w, 21, 15) * (int32_t)(tagged ? 16 : size));
  if (!vector) moves(out, access, IN_D | IN_A);
  if (mode & 1) write_back(out, mode == 1);
  return vector || opc != 1 || mode != 0; /* neither ldpsw nor stgp exists without a cache's help */
}

/* -- One register ----------------------------------------------------------------------------------------------------------------------- */

/* Size and direction, from the size, V and opc fields. False when nothing is allocated. A prefetch has no access. */
static bool one(uint32_t w, struct a64_insn *out, unsigned *scale) {
  unsigned size = a64_bits(w, 31, 30), opc = a64_bits(w, 23, 22);
  if (a64_bits(w, 26, 26)) {
    *scale = opc & 2 ? 4 : size;
    operand(out, opc & 1 ? ACCESS_READ : ACCESS_WRITE, 1u << *scale, 0);
    return !(opc & 2) || size == 0;
  }
  *scale = size;
  bool prefetch = size == 3 && opc == 2;
  unsigned access = opc ? ACCESS_READ : ACCESS_WRITE;
  operand(out, prefetch ? ACCESS_NONE : access, 1u << size, 0);
  if (!prefetch) moves(out, access, IN_D);
  return opc != 3 || size < 2;
}

static bool atomic(uint32_t w, struct a64_insn *out) {
  unsigned size = 1u << a64_bits(w, 31, 30), opc = a64_bits(w, 14, 12);
  unsigned ordering = a64_bits(w, 23, 22);
  if (a64_bits(w, 26, 26)) return false;
  if (a64_bits(w, 15, 15) && opc != 0) {
    if (opc == 4) { /* ldapr */
      operand(out, ACCESS_READ, size, 0);
      moves(out, ACCESS_READ, IN_D);
      return ordering == 2 && a64_bits(w, 20, 16) == 31;
    }
    if (size != 8 || ordering || a64_register(w, FIELD_D) & 1 || a64_register(w, FIELD_D) > 22) return false;
    out->kind = A64_BLOCK_OF_EIGHT;
    operand(out, opc == 5 ? ACCESS_READ : ACCESS_WRITE, 64, 0);
    if (opc == 2 || opc == 3)
      out->writes |= IN_M; /* st64bv, st64bv0: a status */
    else if (a64_bits(w, 20, 16) != 31)
      return false;
    return opc == 5 || opc == 1 || opc == 2 || opc == 3;
  }
  operand(out, ACCESS_BOTH, size, 0);
  out->reads |= IN_M;
  out->writes |= IN_D;
  out->atomic = true;
  return true;
}

static bool authenticated(uint32_t w, struct a64_insn *out) {
  int32_t disp = (int32_t)((a64_bits(w, 22, 22) ? -512 : 0) + (int32_t)a64_bits(w, 20, 12)) * 8;
  operand(out, ACCESS_READ, 8, disp);
  out->writes |= IN_D;
  out->authenticates = true;
  if (a64_bits(w, 11, 11)) write_back(out, false);
  return a64_bits(w, 31, 30) == 3 && !a64_bits(w, 26, 26);
}

static bool indexed(uint32_t w, struct a64_insn *out) {
  unsigned scale;
  bool ok = one(w, out, &scale);
  out->mem.index = (uint8_t)a64_register(w, FIELD_M);
  out->mem.extend = (uint8_t)a64_bits(w, 15, 13);
  out->mem.shift = (uint8_t)(a64_bits(w, 12, 12) ? scale : 0);
  out->reads |= IN_M;
  return ok && a64_bits(w, 14, 14);
}

static bool single(uint32_t w, struct a64_insn *out) {
  unsigned scale, mode = a64_bits(w, 11, 10);
  if (a64_bits(w, 24, 24)) {
    bool ok = one(w, out, &scale);
    out->mem.disp = (int32_t)(a64_bits(w, 21, 10) << scale);
    return ok;
  }
  if (a64_bits(w, 21, 21))
    return mode == 0 ? atomic(w, out) : mode == 2 ? indexed(w, out) : authenticated(w, out);
  bool ok = one(w, out, &scale);
  bool prefetch = out->mem.access == ACCESS_NONE;
  out->mem.disp = (int32_t)a64_signed(w, 20, 12);
  if (mode & 1) write_back(out, mode == 1);
  if (mode == 2 && a64_bits(w, 26, 26)) return false; /* unprivileged ones are of general registers only */
  return ok && (!prefetch || mode == 0);
}

void a64_decode_memory(uint32_t w, struct a64_insn *out) {
  bool allocated = false;
  switch (a64_bits(w, 29, 28)) {
    case 0:
      if (a64_bits(w, 26, 26))
        allocated = !(w >> 31) && structures(w, out);
      else
        allocated = !a64_bits(w, 24, 24) && ordered(w, out);
      break;
    case 1:
      allocated = a64_bits(w, 24, 24) ? unscaled_ordered(w, out) : literal(w, out);
      break;
    case 2:
      allocated = pairs(w, out);
      break;
    default:
      allocated = !a64_bits(w, 25, 25) && single(w, out);
  }
  if (!allocated)
    *out = (struct a64_insn){
        .word = w, .kind = A64_UNDEFINED, .mem = {.base = A64_NO_REGISTER, .index = A64_NO_REGISTER}};
}
