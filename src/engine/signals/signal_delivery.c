/* signal_delivery.c: a signal's way from the kernel to the application.
 *
 * The kernel's handler (signal_arrived) takes no lock and builds no frame: it notes the signal in the
 * thread, has the kernel hold back all others, and lets the thread run on to its next safepoint; a system
 * call that is about to be entered is given up. A fault leaves the cache at once, its state made whole.
 * signals_deliver then runs on the engine stack at the safepoint and does what the kernel does when it
 * delivers. */
#include <asm/mman.h>

#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/code/code.h"
#include "engine/code/report.h"
#include "engine/memory/mappings.h"
#include "engine/order/thread_order.h"
#include "engine/order/stops.h"
#include "engine/region/endings.h"
#include "engine/region/journal.h"
#include "engine/region/live.h"
#include "engine/signals/signal_state.h"

/* -- In the kernel's handler ----------------------------------------------------------------------------- */

/* True if the processor raised the signal at the instruction; false if a process sent it. (A process may
 * send itself anything, a signal that claims to be a fault included.) */
static bool is_fault(const struct thread *thread, int signo, const siginfo_t *info,
                     const struct ucontext *uc) {
  if (info->si_code <= 0 || !(SIGNAL_BIT(signo) & SYNCHRONOUS)) return false;
  if (signo == SIGBUS && info->si_code == BUS_MCEERR_AO) return false;
  if (thread->signals.sending == signo && !arch_uc_in_cache(uc)) return false;
  return signo != SIGSYS;
}

static void queue(struct thread *thread, struct ucontext *uc, int signo, const siginfo_t *info,
                  bool synchronous) {
  if (thread->signals.queued.signo) thread->signals.displaced = thread->signals.queued;
  thread->signals.queued = (struct queued_signal){.signo = signo, .synchronous = synchronous, .info = *info};
  *arch_uc_mask(uc) = ASYNCHRONOUS;
  arch_set_signal_queued(thread, true);
  arch_request(thread);
}

static void take_fault(struct thread *thread, int signo, siginfo_t *info, struct ucontext *uc) {
  if (arch_uc_divert(uc, true)) return;
  /* Files that stand in for memory where there is no memfd_create (file_state.c, recording/scratch.c). */
  if (signo == SIGBUS && in_sphere() && mappings_in_engine((uintptr_t)info->si_addr, 1))
    sphere_fail(OUTCOME_FAILED, REGION_IS_FULL);
  if (!arch_uc_in_cache(uc) || !arch_uc_recover(thread, uc, info))
    report_engine_fault(signo, arch_uc_pc(uc), (uintptr_t)info->si_addr);
  queue(thread, uc, signo, info, true);
  arch_uc_to_engine(thread, uc);
}

/* A synchronous signal that a process sent: the kernel does not know whether the application blocks or
 * ignores it. */
static bool take_sent_synchronous(struct thread *thread, int signo, const siginfo_t *info,
                                  struct ucontext *uc) {
  uint64_t bit = SIGNAL_BIT(signo);
  thread->signals.disturbed = true;
  if (thread->process->actions->of[signo].handler == HANDLER_IGNORE) return true;
  bool blocked = (thread->signals.waiting ? thread->signals.wait_mask : thread->signals.mask) & bit;
  if (!blocked && !thread->signals.queued.signo) return false;
  if (!(thread->signals.held & bit)) *held_info(thread, signo) = *info;
  thread->signals.held |= bit;
  if (thread->signals.awaited & bit) {
    arch_set_signal_queued(thread, true);
    arch_uc_divert(uc, false);
  }
  return true;
}

void signal_arrived(int signo, siginfo_t *info, struct ucontext *uc) {
  struct thread *thread = arch_self();
  if (is_kick(info)) {
    arch_request(thread);
    thread->signals.disturbed = true;
    if (permissions_on()) stops_kicked(thread, arch_uc_mask(uc));
    /* The call is interrupted, and restarted when the thread is let go, or has made a vessel. */
    bool held = permissions_on() && stops_is_held(thread->rthread);
    if (thread->in_kernel && (held || live_is_asked(thread))) arch_uc_divert(uc, false);
    return;
  }
  if (stops_handled(signo) && thread->process->actions->of[signo].handler == HANDLER_DEFAULT) {
    stops_arrived(thread, signo, info, arch_uc_mask(uc));
    return;
  }
  LOG(signals, "%d taken, code %d, at %lx", signo, info->si_code, arch_uc_pc(uc));
  if (is_fault(thread, signo, info, uc)) {
    take_fault(thread, signo, info, uc);
    return;
  }
  bool filtered = signo == SIGSYS && info->si_code > 0 && thread->signals.sending != signo;
  if (filtered) /* a system call that a filter has refused: the application made it, at its own address */
    info->si_call_addr = (void *)arch_pc(thread);
  else if (SIGNAL_BIT(signo) & SYNCHRONOUS && take_sent_synchronous(thread, signo, info, uc))
    return;
  CHECK(!thread->signals.queued.signo);
  queue(thread, uc, signo, info, filtered);
  arch_uc_divert(uc, false);
}

/* -- At the safepoint ------------------------------------------------------------------------------------ */

void signals_raise(struct thread *thread, int signo, int code, uintptr_t address) {
  if (in_sphere()) order_tick(thread);
  kernel_set_mask(ALL_SIGNALS);
  if (thread->signals.queued.signo) thread->signals.displaced = thread->signals.queued;
  thread->signals.queued = (struct queued_signal){.signo = signo, .synchronous = true};
  thread->signals.queued.info.si_signo = signo;
  thread->signals.queued.info.si_code = code;
  thread->signals.queued.info.si_addr = (void *)address;
  arch_set_signal_queued(thread, true);
  arch_request(thread);
  kernel_set_mask(ASYNCHRONOUS);
}

void signals_end_at_once(struct thread *thread, int signo) {
  kernel_set_mask(ALL_SIGNALS);
  if (thread->signals.queued.signo != signo) {
    thread->signals.queued = (struct queued_signal){.signo = signo};
    thread->signals.queued.info.si_signo = signo;
    thread->signals.queued.info.si_code = SI_USER;
    thread->signals.queued.info.si_pid = thread->process->pid;
  }
  thread->signals.displaced.signo = 0;
  arch_set_signal_queued(thread, true);
  arch_request(thread);
  kernel_set_mask(ASYNCHRONOUS);
}

void signals_raise_fetch(struct thread *thread, uintptr_t address) {
  struct mapping mapping;
  bool mapped = mappings_find(address, &mapping);
  /* The kernel brings in a page that may be accessed at all, before the processor finds that it is no
   * code. */
  bool present = mapped && mapping.prot != PROT_NONE;
  if (!arch_set_fetch_fault(thread, address, present))
    signals_raise(thread, SIGSEGV, SI_KERNEL, 0);
  else if (mapped && mapping.prot & PROT_EXEC) /* beyond the end of the file that is mapped there */
    signals_raise(thread, SIGBUS, BUS_ADRERR, address);
  else
    signals_raise(thread, SIGSEGV, mapped ? SEGV_ACCERR : SEGV_MAPERR, address);
}

/* The queued signal is served, and thread->mask applies from now on. */
static void done_with_queued(struct thread *thread) {
  kernel_set_mask(ALL_SIGNALS);
  thread->signals.queued = thread->signals.displaced;
  thread->signals.displaced.signo = 0;
  int signo = thread->signals.queued.signo;
  if (signo && thread->signals.mask & SIGNAL_BIT(signo)) {
    send_again(thread, signo, &thread->signals.queued.info);
    thread->signals.queued.signo = 0;
  }
  arch_set_signal_queued(thread, thread->signals.queued.signo != 0);
  if (thread->signals.queued.signo) arch_request(thread);
  signals_let_in(thread);
  queue_held(thread, thread->signals.mask);
}

/* A recording logs the signals that the kernel brought; in a replay they come from the log. */
static void record_signal(struct thread *thread, const struct queued_signal *signal) {
  if (replaying() || (signal->synchronous && signal->signo != SIGSYS)) return;
  struct input_event event = {.kind = EVENT_SIGNAL,
                              .signal = {.pc = arch_pc(thread),
                                         .signo = (uint32_t)signal->signo,
                                         .synchronous = signal->synchronous,
                                         .ended_wait = signal->ended_wait,
                                         .count = sizeof signal->info}};
  _Static_assert(sizeof signal->info <= EVENT_INFO_LIMIT, "siginfo");
  memcpy(event.signal.info, &signal->info, sizeof signal->info);
  thread->rthread->chunk.quiet_since = arch_position(thread);
  record_event(thread, &event);
  if (config.live && config.trigger_signals & SIGNAL_BIT(signal->signo)) live_trigger();
}

static bool is_one_shot(const struct action *action) {
  return action->handler != HANDLER_DEFAULT && action->handler != HANDLER_IGNORE &&
         action->flags & SA_RESETHAND;
}

/* The action that applies to the signal; a one-shot handler is used up. Reading the action has a position of its own: other threads change
 * the action, or use up the same handler, before or after that position. */
static struct action take_action(struct thread *thread, const struct queued_signal *signal) {
  struct signal_actions *actions = thread->process->actions;
  struct action *current = &actions->of[signal->signo];
  bool alone = in_sphere() && is_one_shot(current);
  if (alone) order_alone(thread);
  lock_take(&actions->lock);
  struct action action = *current;
  bool forced = signal->synchronous &&
                (action.handler == HANDLER_IGNORE || thread->signals.mask & SIGNAL_BIT(signal->signo));
  if (forced) action.handler = HANDLER_DEFAULT;
  if (is_one_shot(&action)) {
    current->handler = HANDLER_DEFAULT;
    kernel_set_action(signal->signo, current);
  }
  lock_release(&actions->lock);
  if (in_sphere()) order_tick(thread);
  if (alone) order_together(thread);
  return action;
}

static long push_frame(struct thread *thread, const struct queued_signal *signal,
                       const struct action *action) {
  struct frame_request request = {
      .signo = signal->signo,
      .info = &signal->info,
      .handler = action->handler,
      .restorer = action->restorer,
      .flags = action->flags,
      .mask = thread->signals.mask,
      .altstack = thread->signals.altstack,
      .stack = arch_sp(thread) - ARCH_RED_ZONE,
  };
  uintptr_t start = (uintptr_t)thread->signals.altstack.ss_sp;
  bool already = on_altstack(thread, arch_sp(thread));
  bool entering =
      action->flags & SA_ONSTACK && thread->signals.altstack.ss_size && !on_altstack(thread, request.stack);
  if (entering) request.stack = start + thread->signals.altstack.ss_size;
  if (already || entering) request.stack_limit = start;
  enum { FRAME = 24 << 10 }; /* at most */
  if (in_sphere()) order_write(thread, request.stack - FRAME, FRAME);
  long result = arch_push_frame(thread, &request);
  arch_lose_monitor(thread);
  if (in_sphere()) order_tick(thread);
  return result;
}

/* Enters the handler. When its frame can't be written, the application gets a fault instead, as from the
 * kernel. */
static void enter_handler(struct thread *thread, const struct queued_signal *signal,
                          const struct action *action, signals_end *end) {
  if (push_frame(thread, signal, action) != 0) {
    LOG(signals, "%d: no room for its frame", signal->signo);
    struct queued_signal fault = {.signo = SIGSEGV, .synchronous = true};
    fault.info.si_signo = SIGSEGV;
    fault.info.si_code = SI_KERNEL;
    if (signal->signo == SIGSEGV) end(thread, &fault);
    kernel_set_mask(ALL_SIGNALS);
    thread->signals.queued = fault;
    signals_let_in(thread);
    signals_deliver(thread, end);
    return;
  }
  uint64_t base = signal->ended_wait ? signal->wait_mask : thread->signals.mask;
  uint64_t self = action->flags & SA_NODEFER ? 0 : SIGNAL_BIT(signal->signo);
  thread->signals.mask = (base | action->mask | self) & ~UNBLOCKABLE;
  if ((unsigned)thread->signals.altstack.ss_flags & SS_AUTODISARM)
    thread->signals.altstack = (stack_t){.ss_flags = SS_DISABLE};
  COUNT(signals);
  LOG(signals, "%d delivered, handler %lx, mask %lx", signal->signo, action->handler, thread->signals.mask);
  done_with_queued(thread);
}

/* A write to code that the engine watches is no fault of the application's: the instruction is run again. It may have done a part of its
 * work, and a replay need not watch the same code: so nothing comes in between, and it counts as if it had not been interrupted. */
static bool is_watched_write(const struct queued_signal *signal) {
  return signal->synchronous && signal->signo == SIGSEGV && signal->info.si_code == SEGV_ACCERR &&
         codewatch_write_fault((uintptr_t)signal->info.si_addr);
}

/* True if the kernel would have brought in the page for another kind of access. */
static bool is_denied(const struct queued_signal *signal) {
  struct mapping mapping;
  return signal->signo == SIGSEGV && signal->info.si_code == SEGV_ACCERR &&
         mappings_find((uintptr_t)signal->info.si_addr, &mapping) && mapping.prot != PROT_NONE;
}

void signals_after_fault(struct thread *thread) {
  if (is_watched_write(&thread->signals.queued)) {
    done_with_queued(thread);
    arch_resume_piece(thread);
    thread->loop.step_next = thread->loop.has_taken = true;
  } else if (in_sphere()) {
    arch_settle_fault(thread, is_denied(&thread->signals.queued));
    order_tick(thread);
  }
}

void signals_deliver(struct thread *thread, signals_end *end) {
  const struct queued_signal signal = thread->signals.queued;
  if (in_sphere()) record_signal(thread, &signal);
  struct action action = take_action(thread, &signal);
  if (action.handler == HANDLER_DEFAULT) {
    /* For other signals the kernel itself takes the default action, once they are let in. */
    if (SIGNAL_BIT(signal.signo) & SYNCHRONOUS || ends_in_turn(signal.signo))
      end(thread, &signal);
    else if (!replaying()) /* there the log shows the kernel's action */
      send_again(thread, signal.signo, &signal.info);
    done_with_queued(thread);
  } else if (action.handler == HANDLER_IGNORE) {
    LOG(signals, "%d ignored", signal.signo);
    done_with_queued(thread);
  } else {
    enter_handler(thread, &signal, &action, end);
  }
}
