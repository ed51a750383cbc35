/* emit.h (AArch64): words of generated code, by name. */
#ifndef REPRISE_A64_EMIT_H
#define REPRISE_A64_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/a64/context.h"
#include "engine/code/code_view.h"
#include "engine/code/lasting_marks.h"

/* The registers that the engine has taken: see context.h. */
enum { SCRATCH2 = 13, COUNTDOWN = 14, SCRATCH = 15, CONTEXT = 18, LINK = 30, ZERO = 31, STACK = 31 };
#define TAKEN (1u << SCRATCH2 | 1u << COUNTDOWN | 1u << SCRATCH | 1u << CONTEXT)
#define GPR_WORD(reg) (CTX_GPR + 8 * (reg))

enum { LOAD_LITERAL = 0x58000000u };
enum { NOP = 0xd503201fu, YIELD = 0xd503203fu, CLREX = 0xd5033f5fu, UDF = 0 };

struct code {
  uint32_t *at;
  struct lasting_marks
      *marks; /* notes what depends on where the code and its source lie; NULL: nobody asks */
};

/* What is emitted next depends on a place: see enum lasting_mark. */
static inline void mark(struct code *c, enum lasting_mark kind) {
  if (c->marks) lasting_note(c->marks, c->at, kind);
}

static inline void emit(struct code *c, uint32_t word) {
  *(uint32_t *)code_written(c->at++) = word;
}

/* Data: the constant of an `ldr` nearby. */
static inline void emit_word(struct code *c, uint64_t value) {
  emit(c, (uint32_t)value);
  emit(c, (uint32_t)(value >> 32));
}
static inline void patch_literal(const uint32_t *load, const uint32_t *constant) {
  *(uint32_t *)code_written(load) = *load | ((uint32_t)(constant - load) & 0x7ffffu) << 5;
}

/* ldr reg, [x18, #offset] and str: words of the context. */
static inline void emit_load(struct code *c, unsigned reg, unsigned offset) {
  emit(c, 0xf9400000u | offset / 8 << 10 | CONTEXT << 5 | reg);
}
static inline void emit_save(struct code *c, unsigned reg, unsigned offset) {
  emit(c, 0xf9000000u | offset / 8 << 10 | CONTEXT << 5 | reg);
}

static inline void emit_mov(struct code *c, unsigned to, unsigned from) {
  emit(c, 0xaa0003e0u | from << 16 | to);
}
/* add and sub with a small constant; 31 is the stack pointer */
static inline void emit_add_imm(struct code *c, unsigned to, unsigned from, unsigned imm) {
  emit(c, 0x91000000u | imm << 10 | from << 5 | to);
}
static inline void emit_sub_imm(struct code *c, unsigned to, unsigned from, unsigned imm) {
  emit(c, 0xd1000000u | imm << 10 | from << 5 | to);
}
static inline void emit_sub(struct code *c, unsigned to, unsigned a, unsigned b) {
  emit(c, 0xcb000000u | b << 16 | a << 5 | to);
}
static inline void emit_orr(struct code *c, unsigned to, unsigned a, unsigned b) {
  emit(c, 0xaa000000u | b << 16 | a << 5 | to);
}
static inline void emit_eor(struct code *c, unsigned to, unsigned a, unsigned b) {
  emit(c, 0xca000000u | b << 16 | a << 5 | to);
}

/* adrp reg, page of the address: for the engine's own memory, which is near */
static inline void emit_page(struct code *c, unsigned reg, uintptr_t address) {
  uint64_t pages = (address >> 12) - ((uintptr_t)c->at >> 12);
  emit(c, 0x90000000u | (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7ffff) << 5 | reg);
}

/* movz, movk…: as few as the value takes */
static inline void emit_mov_imm(struct code *c, unsigned reg, uint64_t value) {
  emit(c, 0xd2800000u | (uint32_t)(value & 0xffff) << 5 | reg);
  for (unsigned half = 1; half < 4; half++) {
    uint32_t part = value >> 16 * half & 0xffff;
    if (part) emit(c, 0xf2800000u | half << 21 | part << 5 | reg);
  }
}

/* The same for an address of the program: movz and two movk, or, where a part of it is 0, what depends on its value. */
static inline void emit_mov_address(struct code *c, unsigned reg, uint64_t value) {
  bool usual = value >> 16 & 0xffff && value >> 32 & 0xffff && !(value >> 48);
  mark(c, usual ? LASTING_MOVED : LASTING_FIXED);
  emit_mov_imm(c, reg, value);
}

static inline void emit_br(struct code *c, unsigned reg) {
  emit(c, 0xd61f0000u | reg << 5);
}

/* Branches return their own address, to be directed by patch_branch. */
static inline uint32_t *emit_b(struct code *c) {
  emit(c, 0x14000000u);
  return c->at - 1;
}
/* b target: for one that is known, and not the block's own */
static inline void emit_b_to(struct code *c, uintptr_t target) {
  mark(c, LASTING_ENGINE);
  int64_t words = ((int64_t)target - (int64_t)(uintptr_t)c->at) / 4;
  emit(c, 0x14000000u | ((uint32_t)words & 0x3ffffffu));
}
static inline uint32_t *emit_cbz(struct code *c, unsigned reg) {
  emit(c, 0xb4000000u | reg);
  return c->at - 1;
}
static inline uint32_t *emit_cbnz(struct code *c, unsigned reg) {
  emit(c, 0xb5000000u | reg);
  return c->at - 1;
}
static inline uint32_t *emit_tbz(struct code *c, unsigned reg, unsigned bit) {
  emit(c, 0x36000000u | (bit >> 5) << 31 | (bit & 31) << 19 | reg);
  return c->at - 1;
}
static inline uint32_t *emit_tbnz(struct code *c, unsigned reg, unsigned bit) {
  emit(c, 0x37000000u | (bit >> 5) << 31 | (bit & 31) << 19 | reg);
  return c->at - 1;
}

/* The displacement field of a direct branch: its width and lowest bit. */
static inline void branch_field(uint32_t word, unsigned *width, unsigned *low) {
  if ((word & 0x7c000000u) == 0x14000000u)
    *width = 26, *low = 0; /* b, bl */
  else if ((word & 0x7e000000u) == 0x36000000u)
    *width = 14, *low = 5; /* tbz, tbnz */
  else
    *width = 19, *low = 5; /* b.cond, cbz, cbnz */
}

static inline void patch_branch(const uint32_t *branch, const void *target) {
  unsigned width, low;
  branch_field(*branch, &width, &low);
  uint32_t mask = ((1u << width) - 1) << low;
  int64_t words = ((intptr_t)target - (intptr_t)branch) / 4;
  __atomic_store_n((uint32_t *)code_written(branch), (*branch & ~mask) | ((uint32_t)words << low & mask),
                   __ATOMIC_RELEASE);
}

/* entry.S; written: where the code at start was written */
void sync_code_views(const void *start, const void *end, const void *written);
static inline void sync_code(const void *start, const void *end) {
  sync_code_views(start, end, code_written(start));
}

#endif
