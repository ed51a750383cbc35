/* decode.c (A64): the first cut by encoding group; data processing, branches and the system group. See decode.h. */
#include "engine/a64/decode.h"

static void uses(struct a64_insn *out, unsigned reads, unsigned writes, unsigned stack) {
  out->reads = (uint8_t)reads;
  out->writes = (uint8_t)writes;
  out->stack = (uint8_t)stack;
}

/* -- Data processing, immediate --------------------------------------------------------------------------------- */

/* True if the thirteen bits N:immr:imms name a bit mask. */
static bool is_bit_mask(uint32_t word, bool wide) {
  uint32_t n = a64_bits(word, 22, 22), imms = a64_bits(word, 15, 10);
  if (!wide && n) return false;
  uint32_t sizes = n << 6 | (~imms & 63); /* the highest bit set gives the element's size */
  if (sizes < 2) return false;
  uint32_t length = 31 - (uint32_t)__builtin_clz(sizes);
  uint32_t levels = (1u << length) - 1;
  return (imms & levels) != levels;
}

static bool immediate(uint32_t w, struct a64_insn *out) {
  bool wide = w >> 31;
  switch (a64_bits(w, 25, 23)) {
    case 0:
    case 1: /* adr, adrp */
      out->kind = A64_ADDRESS;
      out->offset = a64_signed(w, 23, 5) * 4 + a64_bits(w, 30, 29);
      if (wide) out->offset *= 4096;
      uses(out, 0, IN_D, 0);
      return true;
    case 2: /* add, sub */
      uses(out, IN_N, IN_D, IN_N | (a64_bits(w, 29, 29) ? 0 : IN_D));
      return true;
    case 3: /* addg, subg; smax, umax, smin, umin */
      if (a64_bits(w, 22, 22)) {
        uses(out, IN_N, IN_D, 0);
        return !a64_bits(w, 30, 29) && !a64_bits(w, 21, 20);
      }
      uses(out, IN_N, IN_D, IN_N | IN_D);
      return wide && !a64_bits(w, 29, 29) && !a64_bits(w, 15, 14);
    case 4: /* logical */
      uses(out, IN_N, IN_D, a64_bits(w, 30, 29) == 3 ? 0 : IN_D);
      return is_bit_mask(w, wide);
    case 5: /* move wide */
      uses(out, a64_bits(w, 30, 29) == 3 ? IN_D : 0, IN_D, 0);
      return a64_bits(w, 30, 29) != 1 && (wide || !a64_bits(w, 22, 22));
    case 6: /* bit field */
      uses(out, a64_bits(w, 30, 29) == 1 ? IN_N | IN_D : IN_N, IN_D, 0);
      return a64_bits(w, 30, 29) != 3 && a64_bits(w, 22, 22) == wide &&
             (wide || !(a64_bits(w, 21, 21) | a64_bits(w, 15, 15)));
    default: /* extract */
      uses(out, IN_N | IN_M, IN_D, 0);
      return !a64_bits(w, 30, 29) && !a64_bits(w, 21, 21) && a64_bits(w, 22, 22) == wide &&
             (wide || !a64_bits(w, 15, 15));
  }
}

/* -- Branches, exceptions, system ---------------------------------------------------------------------------------- */

/* op0, op1, CRn, CRm and op2 of a system register. */
#define SYSTEM_REGISTER(op0, op1, n, m, op2) ((op0) << 14 | (op1) << 11 | (n) << 7 | (m) << 3 | (op2))
enum {
  REGISTER_CTR = SYSTEM_REGISTER(3, 3, 0, 0, 1),
  REGISTER_DCZID = SYSTEM_REGISTER(3, 3, 0, 0, 7),
  REGISTER_RNDR = SYSTEM_REGISTER(3, 3, 2, 4, 0),
  REGISTER_RNDRRS = SYSTEM_REGISTER(3, 3, 2, 4, 1),
};

/* True for registers whose values the engine must see. */
static bool is_special(uint32_t reg) {
  uint32_t op0 = reg >> 14 & 3, op1 = reg >> 11 & 7, n = reg >> 7 & 15, m = reg >> 3 & 15;
  if (op0 == 3 && op1 == 0) return true; /* identification, which the kernel answers */
  if (reg == REGISTER_CTR || reg == REGISTER_DCZID || reg == REGISTER_RNDR || reg == REGISTER_RNDRRS)
    return true;
  if (op0 == 3 && op1 == 3 && n == 14) return true;                             /* timers; event counters */
  if (op0 == 3 && op1 == 3 && n == 13 && m == 0 && (reg & 7) == 3) return true; /* TPIDRRO_EL0 */
  return op0 == 3 && op1 == 3 && n == 9;                                        /* performance counters */
}

bool a64_reads_timer(const struct a64_insn *insn) {
  uint32_t reg = a64_bits(insn->word, 20, 5);
  return insn->kind == A64_READ_SPECIAL && (reg >> 14 & 3) == 3 && (reg >> 11 & 7) == 3 &&
         (reg >> 7 & 15) == 14;
}

/* sys, sysl: cache maintenance, and operations that only newer machines have. */
static void system_operation(uint32_t w, struct a64_insn *out) {
  uint32_t op1 = a64_bits(w, 18, 16), n = a64_bits(w, 15, 12), m = a64_bits(w, 11, 8),
           op2 = a64_bits(w, 7, 5);
  bool reads_result = a64_bits(w, 21, 21);
  uses(out, reads_result ? 0 : IN_D, reads_result ? IN_D : 0, 0);
  if (reads_result || op1 != 3 || n != 7) return;
  unsigned target = a64_register(w, FIELD_D) == 31 ? A64_NO_REGISTER : a64_register(w, FIELD_D);
  if (m == 5 && op2 == 1) out->kind = A64_CODE_CHANGED;
  if (m == 4 && (op2 == 1 || op2 == 3 || op2 == 4)) { /* dc zva, gva, gzva */
    out->mem.access = ACCESS_WRITE;
    out->mem.base = (uint8_t)target;
  }
}

static bool hint_or_barrier(uint32_t w, struct a64_insn *out) {
  uint32_t m = a64_bits(w, 11, 8), op2 = a64_bits(w, 7, 5);
  switch (a64_bits(w, 15, 12)) {
    case 1: /* wfet, wfit */
      if (m != 0 || op2 > 1) return false;
      out->kind = A64_WAIT_EVENT;
      uses(out, IN_D, 0, 0);
      return true;
    case 2: /* hints: those that sign name fixed registers, none of them taken */
      if (m == 0 && (op2 == 2 || op2 == 3)) out->kind = A64_WAIT_EVENT;
      return a64_bits(w, 4, 0) == 31;
    case 3: /* barriers */
      if (a64_bits(w, 4, 0) != 31) return false;
      if (op2 == 2) out->kind = A64_CLEAR_EXCLUSIVE;
      return op2 >= 1 && op2 != 3;
    case 4: /* cfinv, xaflag, axflag, and immediates to the state */
      return a64_bits(w, 4, 0) == 31;
    default:
      return false;
  }
}

static bool system(uint32_t w, struct a64_insn *out) {
  bool reads = a64_bits(w, 21, 21);
  switch (a64_bits(w, 20, 19)) {
    case 0:
      if (reads) return false; /* transactions: no machine has them */
      if (a64_bits(w, 18, 16) != 3) return a64_bits(w, 15, 12) == 4 && a64_bits(w, 4, 0) == 31;
      return hint_or_barrier(w, out);
    case 1:
      system_operation(w, out);
      return true;
    default: /* mrs, msr */
      uses(out, reads ? 0 : IN_D, reads ? IN_D : 0, 0);
      if (reads && is_special(a64_bits(w, 20, 5))) out->kind = A64_READ_SPECIAL;
      return true;
  }
}

static bool exception(uint32_t w, struct a64_insn *out) {
  uint32_t which = a64_bits(w, 23, 21) << 5 | a64_bits(w, 4, 0);
  if (which == 1)
    out->kind = A64_SYSTEM_CALL;
  else if (which == 1 << 5)
    out->kind = A64_BREAKPOINT;
  else
    return false;
  return true;
}

static bool branch_register(uint32_t w, struct a64_insn *out) {
  uint32_t opc = a64_bits(w, 24, 21), op3 = a64_bits(w, 15, 10), n = a64_register(w, FIELD_N),
           op4 = a64_bits(w, 4, 0);
  if (a64_bits(w, 20, 16) != 31) return false;
  bool modified = opc & 8; /* braa, blraa: the modifier is in the last field */
  out->kind = (opc & 3) == 0 ? A64_BRANCH_REGISTER : (opc & 3) == 1 ? A64_CALL_REGISTER : A64_RETURN;
  out->links = out->kind == A64_CALL_REGISTER;
  out->authenticates = op3 != 0;
  if ((opc & 7) > 2 || (modified && out->kind == A64_RETURN)) return false;
  if (op3 == 0) {
    uses(out, IN_N, 0, 0);
    return op4 == 0 && !modified;
  }
  if (op3 != 2 && op3 != 3) return false;
  if (out->kind == A64_RETURN) return n == 31 && op4 == 31;
  if (!modified && op4 != 31) return false;
  uses(out, modified ? IN_N | IN_D : IN_N, 0, modified ? IN_D : 0);
  return true;
}

static bool branch(uint32_t w, struct a64_insn *out) {
  switch (w >> 29) {
    case 0:
    case 4:
      out->kind = w >> 31 ? A64_CALL : A64_BRANCH;
      out->links = w >> 31;
      out->offset = a64_signed(w, 25, 0) * 4;
      return true;
    case 1:
    case 5: /* cbz, cbnz, tbz, tbnz */
      out->kind = A64_CONDITIONAL;
      out->offset = (a64_bits(w, 25, 25) ? a64_signed(w, 18, 5) : a64_signed(w, 23, 5)) * 4;
      uses(out, IN_D, 0, 0);
      return true;
    case 2: /* b.cond, bc.cond */
      out->kind = A64_CONDITIONAL;
      out->offset = a64_signed(w, 23, 5) * 4;
      return !a64_bits(w, 25, 24);
    case 6:
      if (a64_bits(w, 25, 25)) return branch_register(w, out);
      if (!a64_bits(w, 25, 24)) return exception(w, out);
      return a64_bits(w, 25, 22) == 4 && system(w, out);
    default:
      return false;
  }
}

/* -- Data processing, register --------------------------------------------------------------------------------------- */

/* Two sources: division, variable shifts, checksums, tags, signatures over two registers. */
static bool two_sources(uint32_t w, struct a64_insn *out) {
  bool wide = w >> 31;
  uint32_t opcode = a64_bits(w, 15, 10);
  uses(out, IN_N | IN_M, IN_D, 0);
  if (a64_bits(w, 29, 29)) { /* subps */
    out->stack = IN_N | IN_M;
    return wide && opcode == 0;
  }
  switch (opcode) {
    case 0: /* subp */
      out->stack = IN_N | IN_M;
      return wide;
    case 4: /* irg */
      out->stack = IN_N | IN_D;
      return wide;
    case 5: /* gmi */
      out->stack = IN_N;
      return wide;
    case 12: /* pacga */
      out->stack = IN_M;
      return wide;
    case 2:
    case 3:
    case 8:
    case 9:
    case 10:
    case 11:
      return true;
    default: /* crc32 and crc32c by bytes, half-words, words; by double words only with the wide form */
      if (opcode >> 3 == 2) return wide == ((opcode & 3) == 3);
      return opcode >= 24 && opcode <= 27; /* smax, umax, smin, umin */
  }
}

static bool one_source(uint32_t w, struct a64_insn *out) {
  bool wide = w >> 31;
  uint32_t opcode = a64_bits(w, 15, 10);
  uses(out, IN_N, IN_D, 0);
  if (a64_bits(w, 29, 29)) return false;
  if (a64_bits(w, 20, 16) == 0)
    return opcode < 3 || opcode == 4 || opcode == 5 || (opcode == 3 && wide) || (opcode >= 6 && opcode <= 8);
  if (a64_bits(w, 20, 16) != 1 || !wide) return false;
  /* Signatures: the destination is read too; without a modifier the second field is all ones. */
  if (opcode < 8) {
    uses(out, IN_D | IN_N, IN_D, IN_N);
    return true;
  }
  uses(out, IN_D, IN_D, 0);
  return opcode < 18 && a64_register(w, FIELD_N) == 31;
}

static bool conditional_or_carry(uint32_t w, struct a64_insn *out) {
  bool wide = w >> 31, sets = a64_bits(w, 29, 29);
  switch (a64_bits(w, 23, 21)) {
    case 0:
      if (a64_bits(w, 15, 10) == 0) { /* adc, sbc */
        uses(out, IN_N | IN_M, IN_D, 0);
        return true;
      }
      uses(out, IN_N, 0, 0);
      if (a64_bits(w, 14, 10) == 1)
        return wide && !a64_bits(w, 30, 30) && sets && !a64_bits(w, 4, 4);             /* rmif */
      return !wide && !a64_bits(w, 30, 30) && sets && a64_matches(w, 0x1fbc1f, 0x80d); /* setf8, setf16 */
    case 2:                                                                            /* ccmn, ccmp */
      uses(out, a64_bits(w, 11, 11) ? IN_N : IN_N | IN_M, 0, 0);
      return sets && !a64_bits(w, 10, 10) && !a64_bits(w, 4, 4);
    case 4: /* csel and its kin */
      uses(out, IN_N | IN_M, IN_D, 0);
      return !sets && !a64_bits(w, 11, 11);
    case 6:
      return a64_bits(w, 30, 30) ? one_source(w, out) : two_sources(w, out);
    default:
      return false;
  }
}

static bool three_sources(uint32_t w, struct a64_insn *out) {
  bool wide = w >> 31;
  uint32_t which = a64_bits(w, 23, 21) << 1 | a64_bits(w, 15, 15);
  uses(out, IN_N | IN_M | IN_A, IN_D, 0);
  if (a64_bits(w, 30, 29)) return false;
  if (which == 0 || which == 1) return true; /* madd, msub */
  if (which == 4 || which == 12) {           /* smulh, umulh: the third is not looked at */
    uses(out, IN_N | IN_M, IN_D, 0);
    return wide;
  }
  return wide && (which == 2 || which == 3 || which == 10 || which == 11);
}

static bool registers(uint32_t w, struct a64_insn *out) {
  bool wide = w >> 31;
  uses(out, IN_N | IN_M, IN_D, 0);
  if (a64_bits(w, 28, 28)) return a64_bits(w, 24, 24) ? three_sources(w, out) : conditional_or_carry(w, out);
  if (!a64_bits(w, 24, 24)) return wide || !a64_bits(w, 15, 15);                               /* logical */
  if (!a64_bits(w, 21, 21)) return a64_bits(w, 23, 22) != 3 && (wide || !a64_bits(w, 15, 15)); /* add, sub */
  out->stack = IN_N | (a64_bits(w, 29, 29) ? 0 : IN_D);
  return !a64_bits(w, 23, 22) && a64_bits(w, 12, 10) <= 4; /* extended */
}

/* -- All ------------------------------------------------------------------------------------------------------------ */

void a64_decode(uint32_t w, struct a64_insn *out) {
  bool allocated = true;
  *out = (struct a64_insn){.word = w, .mem = {.base = A64_NO_REGISTER, .index = A64_NO_REGISTER}};
  switch (a64_bits(w, 28, 25)) {
    case 2:
      a64_decode_scalable(w, out);
      return;
    case 8:
    case 9:
      allocated = immediate(w, out);
      break;
    case 10:
    case 11:
      allocated = branch(w, out);
      break;
    case 4:
    case 6:
    case 12:
    case 14:
      a64_decode_memory(w, out);
      return;
    case 5:
    case 13:
      allocated = registers(w, out);
      break;
    case 7:
    case 15:
      a64_decode_vector(w, out);
      return;
    default: /* nothing, or matrices, which are hidden from programs */
      allocated = false;
  }
  if (!allocated) *out = (struct a64_insn){.word = w, .kind = A64_UNDEFINED, .mem = out->mem};
}

static uint32_t registers_in(const struct a64_insn *insn, unsigned fields) {
  uint32_t set = 0;
  for (unsigned i = 0; i < FIELDS; i++) {
    unsigned reg = a64_register(insn->word, i);
    if (!(fields >> i & 1) || (reg == 31 && !(insn->stack >> i & 1))) continue;
    set |= 1u << reg;
    if (insn->pairs >> i & 1 && reg < 30) set |= 2u << reg;
  }
  return set;
}

uint32_t a64_registers_read(const struct a64_insn *insn) {
  return registers_in(insn, insn->reads);
}

uint32_t a64_registers_written(const struct a64_insn *insn) {
  return registers_in(insn, insn->writes) | (insn->links ? 1u << 30 : 0);
}
