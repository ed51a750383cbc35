/* accesses.c (x86-64): the memory accesses that the instruction at an address is about to make, so that permissions can be taken first.
 *
 * The registers of the context determine all of them, except the lanes of gathers and scatters: the engine never
 * touches vector registers, so they still hold the application's values.
 *
 * A long repeated string instruction is run in pieces of PIECE iterations, and each piece counts as an
 * instruction: its accesses are bounded, and a wait for other threads inside it has a position. */
#include "engine/code/code.h"
#include "engine/x64/translate.h"

enum { PIECE = 4096, XSAVE_MOST = 16384, TILE_ROWS = 16, TILE_ROW = 64 };

static void add(struct access **to, uintptr_t address, size_t bytes, bool write) {
  *(*to)++ = (struct access){address, bytes, write};
}

static uint64_t segment_base(const struct thread *thread, unsigned segment) {
  uint64_t base = 0;
  if (segment == SEG_GS) return thread->arch.gs_base;
  if (segment == SEG_FS) __asm__ volatile("rdfsbase %0" : "=r"(base));
  return base;
}

static uint64_t register_of(const struct thread *thread, unsigned reg) {
  return reg < 16 ? thread->arch.gpr[reg] : 0;
}

static uintptr_t address_of(const struct thread *thread, const struct x64_insn *insn,
                            const struct x64_mem *mem, uintptr_t next) {
  uint64_t address = (uint64_t)mem->disp + register_of(thread, mem->base);
  if (mem->base == REG_RIP) address += next;
  if (!mem->vsib && mem->index != REG_NONE) address += register_of(thread, mem->index) * mem->scale;
  if (insn->address_size == 4) address = (uint32_t)address;
  return address + segment_base(thread, mem->segment);
}

/* -- Gathers and scatters --------------------------------------------------------------------------------------------- */

#define STORE_LOW(n)                                         \
  case n:                                                    \
    __asm__ volatile("vmovdqu %%ymm" #n ", %0" : "=m"(*to)); \
    break;
#define STORE_HIGH(n)                                          \
  case n:                                                      \
    __asm__ volatile("vmovdqu64 %%zmm" #n ", %0" : "=m"(*to)); \
    break;

typedef uint8_t vector[64];

/* Only where the instruction itself needs AVX-512 are there more than sixteen registers, or wide ones. */
/* clang-format off */
static void store_vector(vector *to, unsigned n, bool evex) {
  if (evex) {
    switch (n) {
      STORE_HIGH(0) STORE_HIGH(1) STORE_HIGH(2) STORE_HIGH(3) STORE_HIGH(4) STORE_HIGH(5) STORE_HIGH(6) STORE_HIGH(7)
      STORE_HIGH(8) STORE_HIGH(9) STORE_HIGH(10) STORE_HIGH(11) STORE_HIGH(12) STORE_HIGH(13) STORE_HIGH(14) STORE_HIGH(15)
      STORE_HIGH(16) STORE_HIGH(17) STORE_HIGH(18) STORE_HIGH(19) STORE_HIGH(20) STORE_HIGH(21) STORE_HIGH(22) STORE_HIGH(23)
      STORE_HIGH(24) STORE_HIGH(25) STORE_HIGH(26) STORE_HIGH(27) STORE_HIGH(28) STORE_HIGH(29) STORE_HIGH(30) STORE_HIGH(31)
    }
    return;
  }
  switch (n) {
    STORE_LOW(0) STORE_LOW(1) STORE_LOW(2) STORE_LOW(3) STORE_LOW(4) STORE_LOW(5) STORE_LOW(6) STORE_LOW(7)
    STORE_LOW(8) STORE_LOW(9) STORE_LOW(10) STORE_LOW(11) STORE_LOW(12) STORE_LOW(13) STORE_LOW(14) STORE_LOW(15)
  }
}
/* clang-format on */

/* Every lane, whether its mask is set or not. */
static void add_lanes(const struct thread *thread, const struct x64_insn *insn, struct access **to) {
  const struct x64_mem *mem = &insn->mem;
  vector indices;
  store_vector(&indices, mem->index, insn->encoding == ENC_EVEX);
  uintptr_t base = address_of(thread, insn, mem, 0);
  for (unsigned i = 0; i < mem->lanes && i < sizeof indices / mem->index_size; i++) {
    int64_t index = 0;
    if (mem->index_size == 8) {
      memcpy(&index, &indices[8 * (size_t)i], 8);
    } else {
      int32_t narrow;
      memcpy(&narrow, &indices[4 * (size_t)i], 4);
      index = narrow;
    }
    add(to, base + (uint64_t)index * mem->scale, mem->size, mem->access & ACCESS_WRITE);
  }
}

/* -- Strings ------------------------------------------------------------------------------------------------------------ */

static uint64_t iterations(const struct thread *thread, const struct x64_insn *insn) {
  uint64_t count = thread->arch.gpr[RCX];
  return insn->address_size == 4 ? (uint32_t)count : count;
}

/* Adds `count` elements from the pointer on, in the direction of the flag. */
static void add_string(const struct thread *thread, const struct x64_insn *insn, struct access **to,
                       unsigned reg, unsigned size, uint64_t count, bool write) {
  uint64_t at = thread->arch.gpr[reg];
  if (insn->address_size == 4) at = (uint32_t)at;
  if (reg == RSI) at += segment_base(thread, insn->mem.segment);
  if (!count) return;
  if (thread->arch.rflags & FLAG_DF) at -= (count - 1) * size;
  add(to, at, count * size, write);
}

/* -- All ---------------------------------------------------------------------------------------------------------------- */

/* Accesses that are long, or whose address only the engine can compute. */
static void add_special(const struct thread *thread, const struct x64_insn *insn, uintptr_t next,
                        struct access **to) {
  const struct x64_mem *mem = &insn->mem;
  bool write = mem->access & ACCESS_WRITE;
  uintptr_t at = insn->has_mem ? address_of(thread, insn, mem, next) : 0;
  switch (insn->kind) {
    case INSN_BIT_STRING: {
      unsigned reg = (insn->modrm >> 3 & 7u) | (insn->rex & 4u) << 1;
      int64_t bit = (int64_t)thread->arch.gpr[reg];
      if (insn->operand_size == 2) bit = (int16_t)bit;
      if (insn->operand_size == 4) bit = (int32_t)bit;
      unsigned bits = insn->operand_size * 8u;
      int64_t words = bit >= 0 ? bit / bits : -((bits - 1 - bit) / bits);
      add(to, at + (uint64_t)(words * insn->operand_size), insn->operand_size, write);
      return;
    }
    case INSN_MOVDIR64B: {
      unsigned reg = (insn->modrm >> 3 & 7u) | (insn->rex & 4u) << 1;
      add(to, at, 64, false);
      add(to, thread->arch.gpr[reg], 64, true);
      return;
    }
    case INSN_CLZERO:
      add(to, ALIGN_DOWN(thread->arch.gpr[RAX], 64), 64, true);
      return;
    case INSN_TILE_MEMORY: {
      uint64_t stride = register_of(thread, mem->index) * mem->scale;
      uintptr_t first = at - (mem->index != REG_NONE ? stride : 0);
      for (unsigned row = 0; row < TILE_ROWS; row++) add(to, first + row * stride, TILE_ROW, write);
      return;
    }
    default:
      add(to, at, mem->size ? mem->size : XSAVE_MOST, write);
  }
}

static void add_stack(const struct thread *thread, const struct x64_insn *insn, struct access **to) {
  uintptr_t sp = arch_sp(thread);
  bool legacy = insn->encoding == ENC_LEGACY && insn->map == 0;
  if (legacy && insn->opcode == 0xc8) { /* enter: copies of frame pointers, and the new one */
    uint64_t level = insn->imm >> 16 & 31;
    add(to, sp - 8 * (level + 1), 8 * (level + 1), true);
    add(to, thread->arch.gpr[RBP] - 8 * level, 8 * level + 8, false);
  } else if (legacy && insn->opcode == 0xc9) {
    add(to, thread->arch.gpr[RBP], insn->stack_size, false);
  } else if (insn->stack_access == ACCESS_READ) {
    add(to, sp, insn->stack_size, false);
  } else {
    add(to, sp - insn->stack_size, insn->stack_size, true);
  }
}

/* As many as surely lie on the page of the first. */
static bool read_bytes(uintptr_t pc, uint8_t bytes[X64_INSN_MAX], size_t *have) {
  *have = MIN((uintptr_t)X64_INSN_MAX, ALIGN_DOWN(pc, PAGE) + PAGE - pc);
  return !safe_copy(bytes, (const void *)pc, *have);
}

static bool decode_at(uintptr_t pc, uint8_t bytes[X64_INSN_MAX], size_t have, struct x64_insn *insn) {
  if (x64_decode(bytes, have, insn)) return true;
  return !safe_copy(bytes + have, (const void *)(pc + have), X64_INSN_MAX - have) &&
         x64_decode(bytes, X64_INSN_MAX, insn);
}

/* An instruction that was decoded recently. */
struct recent {
  uintptr_t pc; /* 0: none */
  uint8_t bytes[X64_INSN_MAX];
  struct x64_insn insn;
};
enum { RECENT = 64 };
_Static_assert(RECENT * sizeof(struct recent) <= SLOT_TABLES - SLOT_RECENT, "there is room for them");

/* It is decoded once: the same few miss again and again. Its bytes are compared, so code may change. */
const struct x64_insn *instruction_at(struct thread *thread, uintptr_t pc) {
  struct recent *recent = (struct recent *)((uint8_t *)thread + SLOT_RECENT) + (pc ^ pc >> 5) % RECENT;
  uint8_t bytes[X64_INSN_MAX];
  size_t have;
  if (!read_bytes(pc, bytes, &have)) return NULL;
  if (recent->pc == pc && have >= recent->insn.len && !memcmp(bytes, recent->bytes, recent->insn.len))
    return &recent->insn;
  recent->pc = 0;
  if (!decode_at(pc, bytes, have, &recent->insn)) return NULL;
  memcpy(recent->bytes, bytes, sizeof bytes);
  recent->pc = pc;
  return &recent->insn;
}

unsigned arch_accesses(struct thread *thread, uintptr_t pc, struct access to[ARCH_ACCESSES_MAX]) {
  const struct x64_insn *insn = instruction_at(thread, pc);
  struct access *end = to;
  if (!insn) return 0;
  uintptr_t next = pc + insn->len;
  if (insn->has_mem && insn->mem.access != ACCESS_NONE) {
    bool pops = insn->stack_access == ACCESS_READ && insn->mem.base == RSP;
    if (insn->mem.vsib)
      add_lanes(thread, insn, &end);
    else if (pops) /* the address is that after the stack pointer has moved */
      add(&end, address_of(thread, insn, &insn->mem, next) + insn->stack_size, insn->mem.size, true);
    else
      add_special(thread, insn, next, &end);
  } else if (insn->kind == INSN_CLZERO) {
    add_special(thread, insn, next, &end);
  }
  if (insn->kind == INSN_STRING) {
    uint64_t count = is_repeated(insn) ? MIN(iterations(thread, insn), PIECE) : 1;
    if (insn->string_read) add_string(thread, insn, &end, RSI, insn->string_read, count, false);
    if (insn->string_write) add_string(thread, insn, &end, RDI, insn->string_write, count, true);
    if (insn->string_read_di) add_string(thread, insn, &end, RDI, insn->string_read_di, count, false);
  } else if (insn->string_write) { /* masked bytes */
    add(&end, thread->arch.gpr[RDI] + segment_base(thread, insn->mem.segment), insn->string_write, true);
  } else if (insn->string_read) { /* xlat */
    add(&end,
        thread->arch.gpr[RBX] + (uint8_t)thread->arch.gpr[RAX] + segment_base(thread, insn->mem.segment), 1,
        false);
  }
  if (insn->stack_access) add_stack(thread, insn, &end);
  return (unsigned)(end - to);
}

uintptr_t operand_of(struct thread *thread, uintptr_t pc, unsigned operand) {
  const struct x64_insn *insn = instruction_at(thread, pc);
  struct x64_mem operands[OPERANDS_MAX];
  if (!insn || operand >= checked_operands(insn, operands)) return 0;
  return address_of(thread, insn, &operands[operand], pc + insn->len);
}

/* -- Pieces --------------------------------------------------------------------------------------------------------------- */

void arch_begin_piece(struct thread *thread) {
  const struct x64_insn *insn = instruction_at(thread, thread->arch.rip);
  if (!insn || !is_repeated(insn)) return;
  uint64_t count = iterations(thread, insn), most = thread->arch.piece ? thread->arch.piece : PIECE;
  thread->arch.piece = 0;
  if (count <= most) return;
  thread->arch.rest = count - most;
  thread->arch.gpr[RCX] = most;
}

void arch_resume_piece(struct thread *thread) {
  thread->arch.piece = thread->arch.cut;
}

/* Goes on with the next piece unless a comparison has ended the whole. */
void arch_end_piece(struct thread *thread, uintptr_t pc) {
  uint64_t rest = thread->arch.rest;
  if (!rest) return;
  thread->arch.rest = 0;
  uint64_t left = thread->arch.gpr[RCX];
  thread->arch.gpr[RCX] = left + rest;
  const struct x64_insn *insn = thread->arch.rip == pc ? NULL : instruction_at(thread, pc);
  if (!insn) return;
  bool compares = insn->flags_written & FLAG_ZF, equal = thread->arch.rflags & FLAG_ZF;
  bool ended = left || (compares && equal != !!(insn->prefixes & PREFIX_REP));
  if (!ended) thread->arch.rip = pc;
}
