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

#include <asm/sigcontext.h>
#include <asm/signal.h>
#include <asm/ucontext.h>

#include "engine/cache.h"
#include "engine/code.h"
#include "engine/a64/translate.h"
#include "engine/lib.h"

struct frame {
  siginfo_t info;
  struct ucontext uc;
};

struct frame_record {
  uint64_t fp, lr;
};

void save_vectors(void *fpsr_onwards);
void load_vectors(const void *fpsr_onwards);
extern const char signal_trampoline[];

void arch_init_machine(void) {}

/* -- Records ------------------------------------------------------------------------------------------------------ */

/* The next record of a chain in the reserved part, or NULL at its end or where it is damaged. */
static const struct _aarch64_ctx *next_record(const struct _aarch64_ctx *record, const uint8_t *end) {
  const struct _aarch64_ctx *next = (const struct _aarch64_ctx *)((const uint8_t *)record + record->size);
  if (record->size < sizeof *record || record->size % 16) return NULL;
  if ((const uint8_t *)(next + 1) > end || !next->magic) return NULL;
  return (const uint8_t *)next + next->size <= end ? next : NULL;
}

static const void *find_record(const struct ucontext *uc, uint32_t magic, size_t size) {
  const uint8_t *start = uc->uc_mcontext.__reserved, *end = start + sizeof uc->uc_mcontext.__reserved;
  for (const struct _aarch64_ctx *record = (const void *)start; record; record = next_record(record, end))
    if (record->magic == magic) return record->size >= size ? record : NULL;
  return NULL;
}

uint64_t frame_syndrome(const struct ucontext *uc) {
  const struct esr_context *record = find_record(uc, ESR_MAGIC, sizeof *record);
  return record ? record->esr : 0;
}

static uint8_t *add_vectors(uint8_t *at) {
  struct fpsimd_context *record = (void *)at;
  record->head = (struct _aarch64_ctx){FPSIMD_MAGIC, sizeof *record};
  save_vectors(&record->fpsr);
  return at + sizeof *record;
}

static uint8_t *add_syndrome(uint8_t *at, uint64_t syndrome) {
  struct esr_context *record = (void *)at;
  if (!syndrome) return at;
  record->head = (struct _aarch64_ctx){ESR_MAGIC, sizeof *record};
  record->esr = syndrome;
  return at + sizeof *record;
}

/* -- The frame ------------------------------------------------------------------------------------------------------- */

#define NZCV_BITS 0xf0000000UL

static void fill(const struct thread *thread, const struct frame_request *request, struct frame *frame) {
  struct sigcontext *m = &frame->uc.uc_mcontext;
  memset(frame, 0, sizeof *frame);
  frame->uc.uc_stack.ss_sp = request->altstack.ss_sp;
  frame->uc.uc_stack.ss_flags = request->altstack.ss_flags;
  frame->uc.uc_stack.ss_size = request->altstack.ss_size;
  *arch_uc_mask(&frame->uc) = request->mask;
  memcpy(m->regs, thread->arch.gpr, sizeof m->regs);
  m->sp = thread->arch.sp;
  m->pc = thread->arch.pc;
  m->pstate = thread->arch.nzcv;
  m->fault_address = thread->arch.fault_address;
  add_syndrome(add_vectors(m->__reserved), thread->arch.fault_syndrome);
  frame->info = *request->info;
}

long arch_push_frame(struct thread *thread, const struct frame_request *request) {
  uintptr_t record_at = ALIGN_DOWN(request->stack - sizeof(struct frame_record), 16);
  uintptr_t at = ALIGN_DOWN(record_at - sizeof(struct frame), 16);
  if (request->stack_limit && at <= request->stack_limit) return -EFAULT;
  struct frame frame;
  uint64_t *gpr = thread->arch.gpr;
  struct frame_record record = {gpr[29], gpr[LINK]};
  fill(thread, request, &frame);
  if (copy_to_app(record_at, &record, sizeof record) || copy_to_app(at, &frame, sizeof frame)) return -EFAULT;
  gpr[0] = (uint64_t)request->signo;
  if (request->flags & SA_SIGINFO) {
    gpr[1] = at + offsetof(struct frame, info);
    gpr[2] = at + offsetof(struct frame, uc);
  }
  gpr[29] = record_at;
  gpr[LINK] = request->flags & SA_RESTORER ? request->restorer : (uintptr_t)signal_trampoline;
  thread->arch.sp = at;
  thread->arch.pc = request->handler;
  thread->arch.monitor_size = 0;
  return 0;
}

long arch_pop_frame(struct thread *thread, uint64_t *mask, stack_t *altstack) {
  struct frame frame;
  uintptr_t at = arch_sp(thread);
  if (at % 16 || safe_copy(&frame, (void *)at, sizeof frame)) return -EFAULT;
  const struct sigcontext *m = &frame.uc.uc_mcontext;
  const struct fpsimd_context *vectors = find_record(&frame.uc, FPSIMD_MAGIC, sizeof *vectors);
  if (!vectors || m->pstate & ~NZCV_BITS) return -EFAULT; /* no other state is the program's to change */
  load_vectors(&vectors->fpsr);
  memcpy(thread->arch.gpr, m->regs, sizeof m->regs);
  thread->arch.sp = m->sp;
  thread->arch.pc = m->pc;
  thread->arch.nzcv = m->pstate & NZCV_BITS;
  thread->arch.monitor_size = 0;
  *mask = *arch_uc_mask(&frame.uc);
  *altstack = frame.uc.uc_stack;
  return 0;
}
