/* flags.c (x86-64): the instructions that move the whole flags register, and the trap flag.
 *
 * The processor must not single-step generated code, so it never sees the application's trap flag: that is a word of
 * the context. While it is set the dispatcher runs one instruction at a time, each as a block of its own, and raises
 * the trap itself. A popf looks whether it would set the flag and leaves the cache if so; under single steps the engine
 * performs popf and pushf.
 *
 * Known limit. A repeated string instruction is one step, where the processor stops after each of its iterations. */
#include "engine/base/arch_host.h"
#include "engine/code/code.h"
#include "engine/x64/translate.h"

#define FLAGS_ALWAYS 0x202UL
/* The flags that popf changes: CF PF AF ZF SF DF OF NT AC ID, and TF apart from them. */
#define FLAGS_POPPED 0x244cd5UL

enum { PAGE_FAULT = 14, ERROR_WRITE = 2, ERROR_USER = 4 };

uint64_t visible_flags(const struct thread *thread) {
  return thread->arch.rflags | (thread->arch.trap_flag ? FLAG_TF : 0);
}

/* Those of the flags in mask that an instruction of the application may change. */
static void take_flags(struct thread *thread, uint64_t flags, uint64_t mask) {
  mask &= FLAGS_POPPED;
  thread->arch.rflags = (thread->arch.rflags & ~mask) | (flags & mask) | FLAGS_ALWAYS;
  thread->arch.trap_flag = flags & FLAG_TF;
}

static void raise_page_fault(struct thread *thread, uint64_t detail, uintptr_t address, uint64_t error_code) {
  refuse(thread, detail, PAGE_FAULT, error_code);
  thread->arch.fault_address = address;
  signals_raise(thread, SIGSEGV, SEGV_MAPERR, address);
}

void emulate_popf(struct thread *thread, uint64_t detail, unsigned size) {
  uint64_t flags = 0;
  uintptr_t sp = arch_sp(thread);
  if (safe_copy(&flags, (const void *)sp, size)) {
    raise_page_fault(thread, detail, sp, ERROR_USER);
    return;
  }
  take_flags(thread, flags, size == 2 ? 0xffff : ~0UL);
  arch_set_sp(thread, sp + size);
}

void emulate_pushf(struct thread *thread, uint64_t detail, unsigned size) {
  uint64_t flags = visible_flags(thread) | FLAGS_ALWAYS;
  uintptr_t sp = arch_sp(thread) - size;
  if (copy_to_app(sp, &flags, size))
    raise_page_fault(thread, detail, sp, ERROR_USER | ERROR_WRITE);
  else
    arch_set_sp(thread, sp);
}

/* iretq, within 64-bit code: another segment is refused, as the processor refuses one that does not exist. */
void emulate_iretq(struct thread *thread, uint64_t detail) {
  struct {
    uint64_t rip, cs, rflags, rsp, ss;
  } frame;
  uintptr_t sp = arch_sp(thread);
  if (safe_copy(&frame, (const void *)sp, sizeof frame)) {
    raise_page_fault(thread, detail, sp, ERROR_USER);
    return;
  }
  uint16_t code = (uint16_t)frame.cs, data = (uint16_t)frame.ss;
  if (code != SELECTOR_CODE || data != SELECTOR_DATA) {
    if (code == SELECTOR_CODE_32) print(2, "reprise: 32-bit code is not supported\n");
    raise_protection_fault(thread, detail, (code != SELECTOR_CODE ? code : data) & 0xfffc);
    return;
  }
  take_flags(thread, frame.rflags, ~0UL);
  arch_set_pc(thread, frame.rip);
  arch_set_sp(thread, frame.rsp);
}

/* -- Single steps ------------------------------------------------------------------------------------------------- */

bool arch_stepping(const struct thread *thread) {
  return thread->arch.trap_flag;
}

void arch_stepped(struct thread *thread) {
  enum { DEBUG_TRAP = 1 };
  thread->arch.trap_number = DEBUG_TRAP;
  thread->arch.error_code = 0;
  signals_raise(thread, SIGTRAP, TRAP_TRACE, arch_pc(thread));
}
