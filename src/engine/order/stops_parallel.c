/* stops_parallel.c: stops in a sphere whose threads run at once: no thread may be stopped in the middle of what others wait for. So a process stops
 * itself when all its threads have come to a safepoint or are parked. See stops.c. */
#include <linux/ptrace.h>

#include "engine/base/lib.h"
#include "engine/order/permissions.h"
#include "engine/order/rthreads.h"
#include "engine/order/stops.h"
#include "engine/region/rings.h"
#include "engine/region/sent_signals.h"

/* No other process waits for this one now. A stop requested by another process is made once: the first slot's word decides, the words of
 * the other slots only say that it should be checked. */
static void obey(struct thread *thread) {
  struct rthread *own = thread->rthread, *first = process_first(own->pid);
  int signo = thread->record.stop_signal;
  uint32_t asked = STOP_ASKED, begun = STOP_BEGINS;
  thread->record.stop_signal = 0;
  if (own != first) atomic_store(&own->stops.state, STOP_NONE);
  if (signo) stop_obey(thread, signo);
  if (signo || !first || !atomic_compare_exchange_strong(&first->stops.state, &asked, STOP_BEGINS)) return;
  /* To this thread, so that it is not past here before the process has stopped. */
  os_call3(__NR_tgkill, own->pid, own->tid, SIGSTOP);
  atomic_compare_exchange_strong(&first->stops.state, &begun, STOP_NONE);
}

void stops_at_safepoint(struct thread *thread) {
  permissions_stop(thread);
  obey(thread);
  permissions_go(thread);
}

/* Obeys if all other threads are parked as well. Otherwise a running thread does, at its next safepoint. */
void stops_parked(struct thread *thread) {
  struct rthread *running = permissions_running(thread);
  int signo = thread->record.stop_signal;
  if (!running) obey(thread);
  if (!running || running == thread->rthread) return;
  thread->record.stop_signal = 0;
  if (signo) {
    stop_pass_to(thread, running, signo);
    return;
  }
  struct rthread *first = process_first(running->pid);
  if (!first || atomic_load(&first->stops.state) != STOP_ASKED) return;
  if (running != first) atomic_store(&running->stops.state, STOP_ASKED);
  kick_thread(running->pid, running->tid);
}

void stops_kicked(struct thread *thread, uint64_t *mask) {
  if (!stops_wanted(thread)) return;
  stops_parked(thread);
  *mask = stop_open_mask(thread, *mask);
}

/* Requests a stop, and waits until the process has stopped, has been continued since, or is gone. */
static void ask_to_stop(int32_t pid, void *nothing) {
  (void)nothing;
  struct rthread *first = process_first(pid);
  bool asked = false;
  while (first && first->pid == pid && rthread_is_alive(first)) {
    uint32_t none = STOP_NONE;
    if (stops_done(pid) || stop_waits_for_child(pid)) break;
    if (asked && atomic_load(&first->stops.state) == STOP_NONE) break;
    if (!asked && atomic_compare_exchange_strong(&first->stops.state, &none, STOP_ASKED)) {
      asked = true;
      kick_thread(first->pid, first->tid);
    }
    region_give_way();
  }
  /* If another stop came first, the process must not stop once more when it is continued. */
  uint32_t unheard = STOP_ASKED;
  if (asked) atomic_compare_exchange_strong(&first->stops.state, &unheard, STOP_NONE);
}

void parallel_before_job_signal(int32_t pid) {
  (void)pid;
}

void parallel_before_stop(struct thread *thread, int32_t to, bool itself) {
  call_reaches_others(thread, to, ask_to_stop, NULL);
  if (itself) permissions_stop(thread);
}

void parallel_after_stop(struct thread *thread, int32_t to, bool itself) {
  (void)to;
  if (itself) permissions_go(thread);
}

/* -- Threads that another process holds: its tracer, or the one that writes its memory -------------------------------------------- */

/* Slot + 1 of the thread that writes the memory of its process, 0: none does. */
static uint32_t writer_of(const struct rthread *own) {
  uint32_t writer = atomic_load(&region->memory_writer);
  return writer && region->slots[writer - 1].parallel.writes_to == own->pid ? writer : 0;
}

bool stops_is_held(const struct rthread *rthread) {
  return atomic_load(&rthread->stops.tracer) || writer_of(rthread);
}

/* Waits for a change of the word, for a while; a killed holder is removed from it. */
static void await_holder(_Atomic uint32_t *word, uint32_t holder) {
  region_wait(word, holder);
  if (!rthread_is_alive(&region->slots[holder - 1])) atomic_compare_exchange_strong(word, &holder, 0);
}

void stops_stay(struct thread *thread) {
  struct rthread *own = thread->rthread;
  uint32_t holder;
  while ((holder = atomic_load(&own->stops.tracer))) await_holder(&own->stops.tracer, holder);
  while ((holder = writer_of(own))) await_holder(&region->memory_writer, holder);
}

static bool is_live_of(const struct rthread *slot, int32_t pid) {
  return atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid;
}

void stops_begin_writing(struct thread *thread, int32_t pid) {
  uint32_t own = slot_of(thread->rthread) + 1, other = 0;
  thread->rthread->parallel.writes_to = pid;
  permissions_park(thread);
  while (!atomic_compare_exchange_strong(&region->memory_writer, &other, own)) {
    if (other) await_holder(&region->memory_writer, other);
    other = 0;
  }
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    while (is_live_of(slot, pid) && !permissions_is_parked(slot) && rthread_is_alive(slot)) region_give_way();
  }
  permissions_unpark(thread);
}

void stops_end_writing(void) {
  atomic_store(&region->memory_writer, 0);
  region_wake(&region->memory_writer, INT32_MAX);
}

/* Other threads, the tracee among them, may request the tracer's blocks: so the tracer is parked meanwhile, too. */
static void await_parked(struct thread *thread, struct rthread *tracee) {
  atomic_store(&tracee->stops.tracer, slot_of(thread->rthread) + 1);
  permissions_park(thread);
  while (!permissions_is_parked(tracee) && rthread_is_alive(tracee)) {
    task_pass_kick(tracee->tid);
    region_give_way();
  }
  permissions_unpark(thread);
}

void parallel_before_trace(struct thread *thread, const struct call *call, struct rthread *tracee) {
  if (call_stops_tracee(call) && tracee) await_parked(thread, tracee);
}

static bool lets_tracee_go(const struct call *call, long result) {
  if (call_stops_tracee(call)) return result < 0;
  return call_continues_tracee(call) ? result == -EPERM : call->args[0] == PTRACE_DETACH && result >= 0;
}

void parallel_after_trace(const struct call *call, struct rthread *tracee, long result) {
  if (tracee && call_stops_tracee(call) && result >= 0) task_await_trap(tracee->tid);
  if (!tracee || !lets_tracee_go(call, result)) return;
  atomic_store(&tracee->stops.tracer, 0);
  region_wake(&tracee->stops.tracer, 1);
}
