/* accesses.c (AArch64): the memory accesses that the instruction at an address is about to make, so that permissions can be taken first.
 *
 * The registers of the context determine all of them. */
#include "engine/a64/translate.h"
#include "engine/a64/vectors.h"
#include "engine/base/lib.h"

static uint64_t register_of(const struct thread *thread, unsigned reg) {
  if (reg == A64_SP) return arch_sp(thread);
  return reg < 31 ? thread->arch.gpr[reg] : 0;
}

static uint64_t index_of(const struct thread *thread, const struct a64_mem *mem) {
  if (mem->index >= 31) return 0; /* none, or the zero register */
  uint64_t value = thread->arch.gpr[mem->index];
  if (mem->extend == 2) value = (uint32_t)value;
  if (mem->extend == 6) value = (uint64_t)(int64_t)(int32_t)value;
  return value << mem->shift;
}

/* dc zva writes a block as large as the machine says, wherever in it the register points. */
static struct access zeroed_block(const struct thread *thread, const struct a64_mem *mem) {
  uint64_t identity;
  __asm__ volatile("mrs %0, dczid_el0" : "=r"(identity));
  size_t bytes = (size_t)4 << (identity & 15);
  return (struct access){ALIGN_DOWN(register_of(thread, mem->base), bytes), bytes, true};
}

/* cpy and set move registers, one of which counts the bytes left, up or down: so many bytes to both sides of the addresses. */
static unsigned block_operation(const struct thread *thread, const struct a64_insn *insn, struct access *to) {
  int64_t left = (int64_t)register_of(thread, a64_register(insn->word, FIELD_N));
  uint64_t bytes = (uint64_t)(left < 0 ? -left : left);
  uint64_t target = register_of(thread, a64_register(insn->word, FIELD_D));
  uint64_t source = register_of(thread, a64_register(insn->word, FIELD_M));
  to[0] = (struct access){target - bytes, 2 * bytes, true};
  if (insn->mem.access != ACCESS_BOTH) return 1;
  to[1] = (struct access){source - bytes, 2 * bytes, false};
  return 2;
}

unsigned arch_accesses(struct thread *thread, uintptr_t pc, struct access to[ARCH_ACCESSES_MAX]) {
  enum { VECTORS_MOST = 4 };
  struct a64_insn insn;
  uint32_t word;
  if (safe_copy(&word, (const void *)pc, sizeof word)) return 0;
  a64_decode(word, &insn);
  const struct a64_mem *mem = &insn.mem;
  if (mem->access == ACCESS_NONE || mem->scattered) return 0;
  if (mem->base == A64_NO_REGISTER) return block_operation(thread, &insn, to);
  bool write = mem->access & ACCESS_WRITE;
  if (mem->base == A64_LITERAL) {
    to[0] = (struct access){pc + (uint64_t)insn.offset, mem->size, false};
  } else if (mem->scalable || (!mem->size && mem->index != A64_NO_REGISTER)) {
    int64_t disp = mem->scalable ? mem->disp * (int64_t)(vectors_length() >> mem->shift)
                                 : (int64_t)index_of(thread, mem);
    to[0] = (struct access){register_of(thread, mem->base) + (uint64_t)disp, VECTORS_MOST * vectors_length(),
                            write};
  } else if (!mem->size) {
    to[0] = zeroed_block(thread, mem);
  } else {
    uint64_t address = register_of(thread, mem->base) + (uint64_t)(int64_t)mem->disp + index_of(thread, mem);
    to[0] = (struct access){address, mem->size, write};
  }
  return 1;
}

/* No instruction here is long enough to be run in pieces. */
void arch_begin_piece(struct thread *thread) {
  (void)thread;
}

void arch_end_piece(struct thread *thread, uintptr_t pc) {
  (void)thread, (void)pc;
}

void arch_resume_piece(struct thread *thread) {
  (void)thread;
}
