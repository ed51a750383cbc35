/* export.c (AArch64): a thread's registers, out and in, in the order of the debugger's target description (debug/description.c). */
#include "engine/a64/vectors.h"
#include "engine/base/lib.h"
#include "contract/region_debug.h"

struct exported {
  uint64_t x[31], sp, pc;
  uint32_t cpsr;
  uint8_t v[32][16];
  uint32_t fpsr, fpcr;
  uint64_t tpidr;
} __attribute__((packed));
_Static_assert(sizeof(struct exported) <= DEBUG_REGISTERS, "room for the registers");

void arch_export_registers(const struct thread *thread, uint8_t *to) {
  struct fpsimd_context vectors;
  struct exported *out = (struct exported *)to;
  vectors_save(thread, &vectors);
  memcpy(out->x, thread->arch.gpr, sizeof out->x);
  out->sp = thread->arch.sp;
  out->pc = thread->arch.pc;
  out->cpsr = (uint32_t)thread->arch.nzcv;
  memcpy(out->v, vectors.vregs, sizeof out->v);
  out->fpsr = vectors.fpsr;
  out->fpcr = vectors.fpcr;
  uint64_t tpidr;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(tpidr));
  out->tpidr = tpidr;
}

void arch_import_registers(struct thread *thread, const uint8_t *from) {
  struct fpsimd_context vectors;
  const struct exported *in = (const struct exported *)from;
  const uint64_t flags = 0xfUL << 28;
  vectors_save(thread, &vectors);
  memcpy(vectors.vregs, in->v, sizeof in->v);
  vectors.fpsr = in->fpsr;
  vectors.fpcr = in->fpcr;
  vectors_load(thread, &vectors);
  memcpy(thread->arch.gpr, in->x, sizeof in->x);
  thread->arch.sp = in->sp;
  thread->arch.pc = in->pc;
  thread->arch.nzcv = (thread->arch.nzcv & ~flags) | (in->cpsr & flags);
  uint64_t tpidr = in->tpidr;
  __asm__ volatile("msr tpidr_el0, %0" : : "r"(tpidr));
}
