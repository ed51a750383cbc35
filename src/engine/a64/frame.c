/* frame.c (AArch64): the signal frame that a handler finds on its stack, laid out as the kernel does, and the way back.
 *
 *   stack ->  (the application's stack pointer, or the top of the alternate stack)
 *             frame record: x29, x30
 *             room for records that do not fit the frame
 *   sp ----->  siginfo, ucontext with a chain of records in its reserved part: vectors, syndrome, scalable vectors
 *
 * The application's vector registers are live in the processor while the engine runs; they pass through a buffer, because the
 * frame itself may be unwritable, or forged. */
#include "engine/a64/frame.h"

#include <asm/ptrace.h>
#include <asm/sigcontext.h>
#include <asm/signal.h>
#include <asm/ucontext.h>
#include <linux/elf.h>
#include <linux/ptrace.h>
#include <linux/uio.h>

#include "engine/a64/translate.h"
#include "engine/a64/vectors.h"
#include "engine/base/lib.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"

struct frame {
  siginfo_t info;
  struct ucontext uc;
};

struct frame_record {
  uint64_t fp, lr;
};

extern const char signal_trampoline[];

/* The frame with room for records that do not fit its reserved part: they follow it, in the same chain of addresses. */
enum { EXTRA_MAX = 16384, TERMINATOR = sizeof(struct _aarch64_ctx) * 2 };
struct long_frame {
  struct frame frame;
  uint8_t extra[EXTRA_MAX];
} __attribute__((aligned(16)));

/* -- Records ------------------------------------------------------------------------------------------------------ */

/* The record of a kind in the chain from start to end, or NULL when there is none or the chain is damaged before it. */
static const struct _aarch64_ctx *find_record(const uint8_t *start, const uint8_t *end, uint32_t magic,
                                              size_t size) {
  while (start + sizeof(struct _aarch64_ctx) <= end) {
    const struct _aarch64_ctx *record = (const void *)start;
    if (!record->magic || record->size < sizeof *record || record->size % 16 ||
        record->size > (size_t)(end - start))
      return NULL;
    if (record->magic == magic) return record->size >= size ? record : NULL;
    start += record->size;
  }
  return NULL;
}

static const void *find_in(const struct ucontext *uc, uint32_t magic, size_t size) {
  const uint8_t *start = uc->uc_mcontext.__reserved;
  return find_record(start, start + sizeof uc->uc_mcontext.__reserved, magic, size);
}

uint64_t frame_syndrome(const struct ucontext *uc) {
  const struct esr_context *record = find_in(uc, ESR_MAGIC, sizeof *record);
  return record ? record->esr : 0;
}

static uint8_t *add_syndrome(uint8_t *at, uint64_t syndrome) {
  struct esr_context *record = (void *)at;
  if (!syndrome) return at;
  record->head = (struct _aarch64_ctx){ESR_MAGIC, sizeof *record};
  record->esr = syndrome;
  return at + sizeof *record;
}

/* Scalable vectors are in the reserved part, or follow a record that says where, which is right behind its own terminator.
 * frame_at is where the application will find the frame. Returns the end of all records. */
static uint8_t *add_scalable(const struct thread *thread, struct long_frame *frame, uint8_t *at,
                             uintptr_t frame_at) {
  size_t size = vectors_record_size(thread);
  uint8_t *end = frame->frame.uc.uc_mcontext.__reserved + sizeof frame->frame.uc.uc_mcontext.__reserved;
  if (!size) return at;
  if (at + size + TERMINATOR > end) {
    struct extra_context *extra = (void *)at;
    at += sizeof *extra + TERMINATOR;
    *extra = (struct extra_context){.head = {EXTRA_MAGIC, sizeof *extra},
                                    .datap = frame_at + (uintptr_t)(at - (uint8_t *)frame),
                                    .size = (uint32_t)(size + TERMINATOR)};
  }
  vectors_save_scalable(thread, (struct sve_context *)at);
  return at + size;
}

/* -- The frame ------------------------------------------------------------------------------------------------------- */

#define NZCV_BITS 0xf0000000UL

static size_t frame_size(const struct thread *thread) {
  size_t scalable = vectors_record_size(thread);
  size_t records = sizeof(struct fpsimd_context) + sizeof(struct esr_context) + TERMINATOR;
  if (records + scalable <= sizeof(((struct sigcontext *)0)->__reserved)) return sizeof(struct frame);
  records += sizeof(struct extra_context) + TERMINATOR + scalable;
  return MAX(sizeof(struct frame), ALIGN_UP(offsetof(struct frame, uc.uc_mcontext.__reserved) + records, 16));
}

static void fill(const struct thread *thread, const struct frame_request *request, struct long_frame *to,
                 size_t size, uintptr_t at) {
  struct frame *frame = &to->frame;
  struct sigcontext *m = &frame->uc.uc_mcontext;
  memset(to, 0, size);
  frame->uc.uc_stack.ss_sp = request->altstack.ss_sp;
  frame->uc.uc_stack.ss_flags = request->altstack.ss_flags;
  frame->uc.uc_stack.ss_size = request->altstack.ss_size;
  *arch_uc_mask(&frame->uc) = request->mask;
  memcpy(m->regs, thread->arch.gpr, sizeof m->regs);
  m->sp = thread->arch.sp;
  m->pc = thread->arch.pc;
  m->pstate = thread->arch.nzcv;
  m->fault_address = thread->arch.fault_address;
  vectors_save(thread, (struct fpsimd_context *)m->__reserved);
  uint8_t *records = add_syndrome(m->__reserved + sizeof(struct fpsimd_context), thread->arch.fault_syndrome);
  add_scalable(thread, to, records, at);
  frame->info = *request->info;
}

long arch_push_frame(struct thread *thread, const struct frame_request *request) {
  size_t size = frame_size(thread);
  uintptr_t record_at = ALIGN_DOWN(request->stack - sizeof(struct frame_record), 16);
  uintptr_t at = ALIGN_DOWN(record_at - size, 16);
  if (request->stack_limit && at <= request->stack_limit) return -EFAULT;
  struct long_frame frame;
  uint64_t *gpr = thread->arch.gpr;
  struct frame_record record = {gpr[29], gpr[LINK]};
  fill(thread, request, &frame, size, at);
  if (copy_to_app(record_at, &record, sizeof record) || copy_to_app(at, &frame, size)) return -EFAULT;
  gpr[0] = (uint64_t)request->signo;
  if (request->flags & SA_SIGINFO) {
    gpr[1] = at + offsetof(struct frame, info);
    gpr[2] = at + offsetof(struct frame, uc);
  }
  gpr[29] = record_at;
  gpr[LINK] = request->flags & SA_RESTORER ? request->restorer : (uintptr_t)signal_trampoline;
  thread->arch.sp = at;
  thread->arch.pc = request->handler;
  return 0;
}

void arch_become_program(const struct thread *thread, const struct frame_request *request) {
  struct long_frame frame;
  fill(thread, request, &frame, frame_size(thread), (uintptr_t)&frame);
  register long nr __asm__("x8") = __NR_rt_sigreturn;
  __asm__ volatile("mov sp, %0; svc #0" : : "r"(&frame), "r"(nr) : "memory");
  __builtin_unreachable();
}

void arch_give_registers(int tid, const struct thread *thread) {
  struct user_pt_regs registers;
  struct iovec all = {&registers, sizeof registers};
  if (os_call4(__NR_ptrace, PTRACE_GETREGSET, tid, NT_PRSTATUS, &all)) return;
  memcpy(registers.regs, thread->arch.gpr, sizeof registers.regs);
  registers.sp = thread->arch.sp;
  registers.pc = thread->arch.pc;
  registers.pstate = (registers.pstate & ~NZCV_BITS) | (thread->arch.nzcv & NZCV_BITS);
  os_call4(__NR_ptrace, PTRACE_SETREGSET, tid, NT_PRSTATUS, &all);
}

/* The scalable vectors of a frame that is being returned from, wherever its chain has them. */
static bool restore_scalable(struct thread *thread, const struct ucontext *uc) {
  const struct sve_context *record = find_in(uc, SVE_MAGIC, sizeof *record);
  if (record) return vectors_load_scalable(thread, record, record->head.size);
  const struct extra_context *extra = find_in(uc, EXTRA_MAGIC, sizeof *extra);
  if (!extra) return true;
  uint8_t more[EXTRA_MAX] __attribute__((aligned(16)));
  if (extra->size > sizeof more || extra->size % 16 ||
      safe_copy(more, (const void *)extra->datap, extra->size))
    return false;
  record = (const void *)find_record(more, more + extra->size, SVE_MAGIC, sizeof *record);
  return !record || vectors_load_scalable(thread, record, record->head.size);
}

long arch_pop_frame(struct thread *thread, uint64_t *mask, stack_t *altstack) {
  struct frame frame;
  uintptr_t at = arch_sp(thread);
  if (at % 16 || safe_copy(&frame, (void *)at, sizeof frame)) return -EFAULT;
  const struct sigcontext *m = &frame.uc.uc_mcontext;
  const struct fpsimd_context *vectors = find_in(&frame.uc, FPSIMD_MAGIC, sizeof *vectors);
  if (!vectors || m->pstate & ~NZCV_BITS) return -EFAULT; /* no other state is the program's to change */
  vectors_load(thread, vectors);
  if (!restore_scalable(thread, &frame.uc)) return -EFAULT;
  memcpy(thread->arch.gpr, m->regs, sizeof m->regs);
  thread->arch.sp = m->sp;
  thread->arch.pc = m->pc;
  thread->arch.nzcv = m->pstate & NZCV_BITS;
  *mask = *arch_uc_mask(&frame.uc);
  *altstack = frame.uc.uc_stack;
  return 0;
}
