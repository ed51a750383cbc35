/* tracing.c: the registers of a tracee as its tracer sees them, and requests that are refused.
 *
 * The kernel has the engine's registers. But a tracee is stopped only while it waits for its turn or is parked (stops.c), so that all of the
 * application's are in its context, and the tracer's engine reads them there. Vector registers and the thread pointer are the
 * application's in the kernel, too: the engine does not touch them.
 *
 * Outside of a sphere a tracee may be stopped anywhere. A thread that is stopped in the code cache is at an instruction of the application, perhaps half done, and
 * the values of borrowed registers are in its context. On the few instructions between two blocks, or between the cache and the engine's C code, x86-64
 * has the application's registers partly here and partly there: the tracee is stepped on until it has left them. Known limit: right before generated code
 * saves a register that it borrows, the value that was saved there last is shown.
 *
 * The tracer sees the application's memory as it is, except the bytes of calls that are not over yet. */
#include <linux/elf.h>
#include <linux/ptrace.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "engine/base/lib.h"
#include "engine/base/slots.h"
#include "engine/border/sphere.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/order/stops.h"
#include "engine/region/rings.h"
#include "engine/region/sent_signals.h"

enum { STOPPED = 0x7f }; /* the low byte of a wait status */

/* True for tracing that makes the tracee report from inside the engine, or ends it. A process whose PTRACE_TRACEME was refused must not stop
 * for its tracer either: each would wait for the other in vain. */
bool tracing_is_refused(struct thread *thread, const struct call *call) {
  if (call->nr != __NR_ptrace) return thread->process->untraced && call_sends_itself(thread, call) == SIGSTOP;
  if (call->args[0] == PTRACE_TRACEME) thread->process->untraced = true;
  return call->args[0] == PTRACE_SEIZE && call->args[3];
}

static const struct rthread *tracee_of(int32_t tid) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->tid == tid) return slot;
  }
  return NULL;
}

static bool peek(int32_t tid, uintptr_t from, void *to, size_t bytes) {
  char *at = to;
  for (size_t done = 0; done < bytes; done += sizeof(long)) {
    long word;
    if (os_call4(__NR_ptrace, PTRACE_PEEKDATA, tid, from + done, &word)) return false;
    memcpy(at + done, &word, MIN(sizeof word, bytes - done));
  }
  return true;
}

/* A thread that is in the engine's C code has its stack pointer in its slot. */
static bool is_in_slot(uintptr_t address) {
  return address >= THREAD_AREA_BASE && address < LARGE_COPIES_BASE;
}

/* The address of the tracee's struct thread; 0: it has none. */
static uintptr_t context_of(int32_t tid, const uint64_t *registers) {
  const struct rthread *tracee = in_sphere() ? tracee_of(tid) : NULL;
  uintptr_t sp = arch_shown_sp(registers), at = arch_shown_context(registers);
  if (tracee) return tracee->context;
  if (is_in_slot(sp)) return THREAD_AREA_BASE + ALIGN_DOWN(sp - THREAD_AREA_BASE, THREAD_AREA_STRIDE);
  return is_in_slot(at) ? at : 0;
}

/* Outside of a sphere: puts the application's registers into the copy of its context. */
static bool recover(int32_t tid, struct arch_context *context, const uint64_t *registers) {
  struct cache_insn insn;
  if (is_in_slot(arch_shown_sp(registers))) return true;
  if (!cache_insn_of_other(peek, tid, arch_shown_pc(registers), &insn))
    return arch_recover_crossing(context, registers);
  arch_recover_shown(context, &insn, registers);
  return true;
}

/* Puts the application's general registers over those of the kernel, in a buffer as PTRACE_GETREGSET leaves them. False: the thread
 * is on its way between the cache and the engine, where they are unknown. */
static bool show(int32_t tid, uint64_t *registers) {
  struct arch_context context;
  bool in_call;
  uintptr_t at = context_of(tid, registers);
  if (!at || !peek(tid, at + offsetof(struct thread, arch), &context, sizeof context)) return true;
  if ((uintptr_t)context.self != at) return true;
  if (!peek(tid, at + offsetof(struct thread, in_call), &in_call, sizeof in_call)) return true;
  if (!in_sphere() && !recover(tid, &context, registers)) return false;
  arch_show_registers(&context, in_call, registers);
  return true;
}

/* Steps the tracee by one instruction, with all signals blocked, so that it stops for no other reason. SIGTRAP then is the reason of its stop instead of the
 * signal before, which the tracer knows already. */
static bool step_tracee(int32_t tid) {
  uint64_t mask, all = UINT64_MAX;
  int status = 0;
  if (os_call4(__NR_ptrace, PTRACE_GETSIGMASK, tid, sizeof mask, &mask)) return false;
  if (os_call4(__NR_ptrace, PTRACE_SETSIGMASK, tid, sizeof all, &all)) return false;
  bool stepped = !os_call4(__NR_ptrace, PTRACE_SINGLESTEP, tid, 0, 0) &&
                 os_call4(__NR_wait4, tid, &status, __WALL, 0) == tid && (status & 0xff) == STOPPED;
  return !os_call4(__NR_ptrace, PTRACE_SETSIGMASK, tid, sizeof mask, &mask) && stepped;
}

static long read_set(int32_t tid, uint64_t *registers) {
  enum { CROSSING_MOST = 100 }; /* instructions, and more than there are */
  long result = 0;
  for (unsigned steps = 0; steps <= CROSSING_MOST; steps++) {
    struct iovec set = {registers, ARCH_SHOWN_REGISTERS * sizeof *registers};
    result = os_call4(__NR_ptrace, PTRACE_GETREGSET, tid, NT_PRSTATUS, &set);
    if (result || show(tid, registers) || !step_tracee(tid)) break;
  }
  return result;
}

static long get_set(const struct call *call) {
  uint64_t registers[ARCH_SHOWN_REGISTERS];
  struct iovec set;
  long result = read_set((int32_t)call->args[1], registers);
  if (result) return result;
  if (safe_copy(&set, (const void *)call->args[3], sizeof set)) return -EFAULT;
  set.iov_len = MIN(set.iov_len, sizeof registers);
  if (set.iov_len % sizeof *registers) return -EINVAL;
  if (copy_to_app((uintptr_t)set.iov_base, registers, set.iov_len)) return -EFAULT;
  return copy_to_app((uintptr_t)call->args[3] + offsetof(struct iovec, iov_len), &set.iov_len,
                     sizeof set.iov_len);
}

static long get_some(const struct call *call, size_t offset, size_t bytes) {
  uint64_t registers[ARCH_SHOWN_REGISTERS];
  long result = read_set((int32_t)call->args[1], registers);
  if (result) return result;
  return copy_to_app((uintptr_t)call->args[3], (const char *)registers + offset, bytes);
}

/* The next signal would stop a running tracee anywhere, perhaps while it holds a lock or a turn that all others wait for. So it is not continued. Nor does
 * it stay stopped, or the tracer would wait for it in vain: it is detached. */
static long refuse_to_continue(const struct call *call) {
  long result = os_call4(__NR_ptrace, PTRACE_DETACH, call->args[1], 0, 0);
  return result ? result : -EPERM;
}

bool tracing_call(struct thread *thread, const struct call *call, long *result) {
  (void)thread;
  enum { GETREGS = 12 }; /* not everywhere */
  if (call->nr != __NR_ptrace || (recording() && !tracee_of((int32_t)call->args[1]))) return false;
  if (recording() && call_continues_tracee(call))
    *result = refuse_to_continue(call);
  else if (call->args[0] == PTRACE_GETREGSET && call->args[2] == NT_PRSTATUS)
    *result = get_set(call);
  else if (ARCH_OLD_TRACING && call->args[0] == GETREGS)
    *result = get_some(call, 0, ARCH_SHOWN_REGISTERS * sizeof(uint64_t));
  else if (ARCH_OLD_TRACING && call->args[0] == PTRACE_PEEKUSR && !(call->args[2] % sizeof(long)) &&
           (size_t)call->args[2] < ARCH_SHOWN_REGISTERS * sizeof(uint64_t))
    *result = get_some(call, (size_t)call->args[2], sizeof(long));
  else
    return false;
  return true;
}
