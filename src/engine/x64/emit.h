/* emit.h (x86-64): the instructions that the translator adds of its own, each by name.
 *
 * Emission never checks for room: the caller has reserved CACHE_BLOCK_MAX bytes and keeps blocks small enough. Memory in the
 * context is addressed as gs:[disp32], which needs no register. */
#ifndef REPRISE_X64_EMIT_H
#define REPRISE_X64_EMIT_H

#include "engine/base/lib.h"
#include "engine/code/code_view.h"
#include "engine/code/lasting_marks.h"
#include "engine/x64/context.h"
#include "engine/x64/decode.h"

struct code {
  uint8_t *at; /* next byte */
  struct lasting_marks
      *marks; /* notes what depends on where the code and its source lie; NULL: nobody asks */
};

enum condition { COND_E = 4, COND_NE = 5, COND_BE = 6, COND_A = 7, COND_NS = 9, COND_LE = 14 };

static inline void emit8(struct code *c, uint8_t byte) {
  *(uint8_t *)code_written(c->at++) = byte;
}

static inline void emit32(struct code *c, uint32_t value) {
  __builtin_memcpy(code_written(c->at), &value, 4);
  c->at += 4;
}

static inline void emit64(struct code *c, uint64_t value) {
  __builtin_memcpy(code_written(c->at), &value, 8);
  c->at += 8;
}

static inline void emit_bytes(struct code *c, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) emit8(c, bytes[i]);
}

/* Copies a whole instruction. Writes X64_INSN_MAX bytes whatever its length, which is faster than a loop. */
static inline void emit_instruction(struct code *c, const uint8_t bytes[X64_INSN_MAX], size_t length) {
  __builtin_memcpy(code_written(c->at), bytes, X64_INSN_MAX);
  c->at += length;
}

/* What is emitted next depends on a place: see enum lasting_mark. */
static inline void mark(struct code *c, enum lasting_mark kind) {
  if (c->marks) lasting_note(c->marks, c->at, kind);
}

/* The same for the last bytes that were emitted. */
static inline void mark_behind(struct code *c, size_t bytes, enum lasting_mark kind) {
  if (c->marks) lasting_note(c->marks, c->at - bytes, kind);
}

/* opcode with a register and gs:[offset]: the ModRM form "no base, disp32". */
static inline void emit_gs_op(struct code *c, bool wide, uint8_t opcode, unsigned reg, uint32_t offset) {
  uint8_t *at = code_written(c->at),
          *start = at; /* else the compiler takes every byte for a change of where the next one goes */
  *at++ = 0x65;
  uint8_t rex = (uint8_t)((wide ? 0x48 : 0x40) | (reg >> 3) << 2);
  if (rex != 0x40) *at++ = rex;
  *at++ = opcode;
  *at++ = (uint8_t)(0x04 | (reg & 7) << 3);
  *at++ = 0x25;
  c->at += at - start;
  emit32(c, offset);
}

static inline void emit_save(struct code *c, unsigned reg, uint32_t offset) {
  emit_gs_op(c, true, 0x89, reg, offset);
}
static inline void emit_load(struct code *c, unsigned reg, uint32_t offset) {
  emit_gs_op(c, true, 0x8b, reg, offset);
}

/* mov dword gs:[offset], value */
static inline void emit_store_imm(struct code *c, uint32_t offset, uint32_t value) {
  emit_gs_op(c, false, 0xc7, 0, offset);
  emit32(c, value);
}

/* add qword gs:[word of the position], amount: one instruction, so that a signal handler never sees half of it. */
static inline void emit_count(struct code *c, unsigned word, int32_t amount) {
  bool small = amount == (int8_t)amount;
  emit_gs_op(c, true, small ? 0x83 : 0x81, 0, CTX_COUNTS + 8 * word);
  mark_behind(c, sizeof(uint32_t), LASTING_COUNT);
  if (small)
    emit8(c, (uint8_t)amount);
  else
    emit32(c, (uint32_t)amount);
}

static inline void emit_mov_imm(struct code *c, unsigned reg, uint64_t value) {
  if (value == (uint32_t)value) {
    if (reg >= 8) emit8(c, 0x41);
    emit8(c, (uint8_t)(0xb8 | (reg & 7)));
    emit32(c, (uint32_t)value);
  } else {
    emit8(c, (uint8_t)(0x48 | reg >> 3));
    emit8(c, (uint8_t)(0xb8 | (reg & 7)));
    emit64(c, value);
  }
}

/* The same for an address of the program, or one with its sign changed: where the code is mapped elsewhere it is another. */
static inline void emit_mov_address(struct code *c, unsigned reg, uint64_t value, enum lasting_mark kind) {
  emit_mov_imm(c, reg, value);
  if (value == (uint32_t)value) {
    mark(c, LASTING_FIXED);
    return;
  }
  mark_behind(c, sizeof value, kind);
}

static inline void emit_mov(struct code *c, unsigned to, unsigned from) {
  emit8(c, (uint8_t)(0x48 | (from >> 3) << 2 | to >> 3));
  emit8(c, 0x89);
  emit8(c, (uint8_t)(0xc0 | (from & 7) << 3 | (to & 7)));
}

/* opcode (one byte) with a register and a memory operand that is neither RIP- nor GS-relative. */
static inline void emit_mem_op(struct code *c, bool wide, uint8_t opcode, unsigned reg,
                               const struct x64_mem *mem, bool address32) {
  if (mem->segment == SEG_FS) emit8(c, 0x64);
  if (address32) emit8(c, 0x67);
  unsigned base = mem->base, index = mem->index;
  bool has_base = base != REG_NONE, has_index = index != REG_NONE;
  uint8_t rex = (uint8_t)((wide ? 0x48 : 0x40) | (reg >> 3) << 2 | (has_index ? index >> 3 : 0) << 1 |
                          (has_base ? base >> 3 : 0));
  if (rex != 0x40) emit8(c, rex);
  emit8(c, opcode);
  bool small = mem->disp == (int8_t)mem->disp && has_base;
  uint8_t mode = !has_base ? 0x00 : small ? 0x40 : 0x80;
  if (has_index || !has_base || (base & 7) == RSP) {
    static const uint8_t log2_of[9] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3};
    emit8(c, (uint8_t)(mode | (reg & 7) << 3 | 4));
    emit8(c, (uint8_t)((has_index ? log2_of[mem->scale] : 0) << 6 | (has_index ? index & 7 : 4) << 3 |
                       (has_base ? base & 7 : 5)));
  } else {
    emit8(c, (uint8_t)(mode | (reg & 7) << 3 | (base & 7)));
  }
  if (mode == 0x40)
    emit8(c, (uint8_t)mem->disp);
  else
    emit32(c, (uint32_t)mem->disp);
}

/* lea to, [a + b] */
static inline void emit_lea_sum(struct code *c, unsigned to, unsigned a, unsigned b) {
  struct x64_mem mem = {.base = (uint8_t)a, .index = (uint8_t)b, .scale = 1};
  emit_mem_op(c, true, 0x8d, to, &mem, false);
}

/* The six status flags into rax and back; rax must be free. */
static inline void emit_flags_to_rax(struct code *c) {
  emit8(c, 0x9f);                                 /* lahf */
  emit8(c, 0x0f), emit8(c, 0x90), emit8(c, 0xc0); /* seto al */
}
static inline void emit_flags_from_rax(struct code *c) {
  emit8(c, 0x04), emit8(c, 0x7f); /* add al, 127: overflows when al was 1 */
  emit8(c, 0x9e);                 /* sahf */
}

/* Branch displacements that are patched while other threads run must not cross a cache line. The argument is how many bytes of
 * the instruction come before its displacement. */
static inline void emit_align_patch(struct code *c, unsigned before) {
  while ((((uintptr_t)c->at + before) & 63) > 60) emit8(c, 0x90);
}

/* Branches return the address of their 32-bit displacement, to be filled in by patch_branch. */
static inline uint8_t *emit_jmp(struct code *c) {
  emit_align_patch(c, 1);
  emit8(c, 0xe9);
  emit32(c, 0);
  return c->at - 4;
}

static inline uint8_t *emit_jcc(struct code *c, unsigned condition) {
  emit_align_patch(c, 2);
  emit8(c, 0x0f);
  emit8(c, (uint8_t)(0x80 | condition));
  emit32(c, 0);
  return c->at - 4;
}

static inline void patch_branch(const uint8_t *displacement, const void *target) {
  int32_t value = (int32_t)((const uint8_t *)target - (displacement + 4));
  __atomic_store_n((int32_t *)code_written(displacement), value, __ATOMIC_RELEASE);
}

/* A short jump forward over the code emitted from here to patch_short. */
static inline const uint8_t *emit_short(struct code *c) {
  return c->at++;
}
static inline void patch_short(const struct code *c, const uint8_t *displacement) {
  *(uint8_t *)code_written(displacement) = (uint8_t)(c->at - displacement - 1);
}

/* A jump that stays as it is, within the cache. */
static inline void emit_jmp_to(struct code *c, const void *target) {
  emit8(c, 0xe9);
  emit32(c, (uint32_t)((const uint8_t *)target - (c->at + 4)));
}

/* The same to code of the engine. */
static inline void emit_jmp_out(struct code *c, const char *target) {
  emit8(c, 0xe9);
  mark(c, LASTING_ENGINE);
  emit32(c, (uint32_t)((const uint8_t *)target - (c->at + 4)));
}

/* A call of the engine's code. */
static inline void emit_call_out(struct code *c, const char *target) {
  emit8(c, 0xe8);
  mark(c, LASTING_ENGINE);
  emit32(c, (uint32_t)((const uint8_t *)target - (c->at + 4)));
}

#endif
