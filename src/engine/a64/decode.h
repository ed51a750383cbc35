/* decode.h: the facts about one A64 instruction that the translator needs.
 *
 * Every instruction is one word, so there is no length to find; the translator must know which words it may copy unchanged. The
 * decoder reports the kind of the instruction, which of the four register fields of the word name a
 * general register (the translator renames those it has taken), and the memory operand. It follows the encoding groups of
 * the architecture's manual, knows no mnemonics, and is freestanding: no libc, no state.
 *
 * Vector instructions are copied whether they are allocated or not, since they name no general register: the machine
 * itself raises the fault for those that it lacks. */
#ifndef REPRISE_A64_DECODE_H
#define REPRISE_A64_DECODE_H

#include <stdbool.h>
#include <stdint.h>

enum a64_kind {
  A64_COPY,         /* run as it is, after renaming registers where needed */
  A64_ADDRESS,      /* adr, adrp: the destination becomes target */
  A64_LOAD_LITERAL, /* a load from target */
  A64_PREFETCH_LITERAL,
  A64_BRANCH,          /* b */
  A64_CALL,            /* bl */
  A64_CONDITIONAL,     /* b.cond, bc.cond, cbz, cbnz, tbz, tbnz */
  A64_BRANCH_REGISTER, /* br and its authenticating forms */
  A64_CALL_REGISTER,
  A64_RETURN,
  A64_SYSTEM_CALL,  /* svc */
  A64_BREAKPOINT,   /* brk: raises, pc on the instruction */
  A64_UNDEFINED,    /* not allocated, or not for user code: SIGILL */
  A64_READ_SPECIAL, /* mrs of what the program can't compute: time, random numbers, identity */
  A64_CODE_CHANGED, /* ic ivau: the line that the register points at is code to be read anew */
  A64_WAIT_EVENT,   /* wfe, wfi and their timed forms: no more than a pause is lost by not waiting */
  A64_LOAD_EXCLUSIVE,
  A64_STORE_EXCLUSIVE,
  A64_CLEAR_EXCLUSIVE,
  A64_BLOCK_OF_EIGHT, /* ld64b, st64b and their like: eight registers from the first on */
};

/* The places in a word that can name a register. */
enum a64_field { FIELD_D, FIELD_N, FIELD_A, FIELD_M, FIELDS }; /* bits 0, 5, 10 and 16 on */
enum { IN_D = 1 << FIELD_D, IN_N = 1 << FIELD_N, IN_A = 1 << FIELD_A, IN_M = 1 << FIELD_M };

enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_BOTH = 3 };

enum { A64_SP = 31, A64_NO_REGISTER = 32, A64_LITERAL = 33 };

/* The memory operand: [base + disp], [base + extended index << shift] or [target]. */
struct a64_mem {
  uint8_t
      access; /* ACCESS_*; ACCESS_NONE: there is none, or only its address matters (prefetch, cache maintenance) */
  uint8_t base;   /* register, A64_SP, A64_LITERAL or A64_NO_REGISTER (vector of bases) */
  uint8_t index;  /* register or A64_NO_REGISTER */
  uint8_t extend; /* of the index: the option field (3 is uxtx, that is, none) */
  uint8_t shift;
  bool scattered; /* addresses come from a vector: one access per lane */
  bool post;      /* the base moves after the access, so disp is 0 */
  bool writeback; /* the base moves */
  bool scalable;  /* disp and size are multiples of the vector length, which the machine decides */
  uint16_t size;  /* bytes touched; 0 when the machine decides */
  int32_t disp;
};

struct a64_insn {
  uint32_t word;
  uint8_t kind;       /* enum a64_kind */
  uint8_t reads;      /* IN_*: fields naming a general register that is read … */
  uint8_t writes;     /* … and written */
  uint8_t stack;      /* IN_*: fields in which 31 is the stack pointer, not zero */
  uint8_t pairs;      /* IN_*: fields that name a register and its successor (casp) */
  bool atomic;        /* reads and writes in one: LSE atomics, compare and swap, swap */
  bool links;         /* x30 becomes the address behind the instruction */
  bool authenticates; /* a branch that checks its target's signature first */
  int64_t offset;     /* branches and literals: target minus pc (adrp: minus pc's page) */
  struct a64_mem mem;
};

void a64_decode(uint32_t word, struct a64_insn *out);
/* True for an A64_READ_SPECIAL that reads the time, which programs do by the million. */
bool a64_reads_timer(const struct a64_insn *insn);

/* The register a field names. */
static inline unsigned a64_register(uint32_t word, enum a64_field field) {
  static const uint8_t at[FIELDS] = {0, 5, 10, 16};
  return word >> at[field] & 31;
}

/* General registers read and written, by number; bit 31 is the stack pointer. x30 of a linking branch included. */
uint32_t a64_registers_read(const struct a64_insn *insn);
uint32_t a64_registers_written(const struct a64_insn *insn);

/* decode_memory.c, decode_vector.c: the groups that have files of their own. */
void a64_decode_memory(uint32_t word, struct a64_insn *out);
void a64_decode_vector(uint32_t word, struct a64_insn *out);
void a64_decode_scalable(uint32_t word, struct a64_insn *out);

/* Bits high to low of the word. */
static inline uint32_t a64_bits(uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((1u << (high - low + 1)) - 1);
}
static inline bool a64_matches(uint32_t word, uint32_t mask, uint32_t value) {
  return (word & mask) == value;
}
/* Bits high to low as a signed number. */
static inline int64_t a64_signed(uint32_t word, unsigned high, unsigned low) {
  unsigned width = high - low + 1;
  return (int64_t)((uint64_t)a64_bits(word, high, low) << (64 - width)) >> (64 - width);
}

#endif
