/* stops_baton.c: stops in a sphere whose threads hand on the baton: a process stops when none of its threads has the baton or the region's lock.
 * See stops.c. */
#include "engine/base/lib.h"
#include "engine/order/baton.h"
#include "engine/order/rthreads.h"
#include "engine/order/stops.h"
#include "engine/region/sent_signals.h"

void baton_stop_came(struct thread *thread) {
  if (thread->region_lock.inside) return;
  region_lock();
  region_unlock();
}

void stops_serve(struct thread *thread) {
  int signo = thread->record.stop_signal;
  uint32_t slot = atomic_load(&region->holder);
  struct rthread *holder = slot ? &region->slots[slot - 1] : NULL;
  bool runs = holder && holder->pid == thread->rthread->pid && !atomic_load(&holder->turn);
  if (runs && holder == thread->rthread) return; /* at its next safepoint */
  thread->record.stop_signal = 0;
  if (!runs) {
    stops_mark(thread->rthread->pid, STOP_BEGINS);
    region_yield();
    stop_obey(thread, signo);
    return;
  }
  stop_pass_to(thread, holder, signo);
}

/* -- SIGSTOP and SIGCONT within the sphere ------------------------------------------------------------------------------------ */

/* Waits until SIGSTOP has had its effect: it has stopped the process, or was undone from outside, or can't stop it yet. */
static void await_stop(int32_t pid, void *nothing) {
  (void)nothing;
  for (bool undone = false;;) {
    struct stop_look look = stop_look(pid);
    if (!look.running && (look.stopped || stop_waits_for_child(pid))) {
      stops_mark(pid, STOP_LIKELY);
      return;
    }
    if (!look.stopped && undone) return;
    undone = !look.pending;
    os_call0(__NR_sched_yield);
  }
}

static bool begins_to_stop(int32_t pid) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid && slot->stops.state == STOP_BEGINS)
      return true;
  }
  return false;
}

/* Waits until a stop that has begun is complete, so that SIGCONT finds it; or over, so that the next stop finds our handler. */
void baton_before_job_signal(int32_t pid) {
  for (;;) {
    struct stop_look look = stop_look(pid);
    if (!look.handling && (!look.threads || look.stopped || !begins_to_stop(pid))) return;
    os_call0(__NR_sched_yield);
  }
}

static void stop_other(int32_t pid, void *nothing) {
  if (os_call2(__NR_kill, pid, SIGSTOP) == 0) await_stop(pid, nothing);
}

void baton_before_stop(struct thread *thread, int32_t to, bool itself) {
  region_lock();
  if (to <= 0) call_reaches_others(thread, to, stop_other, NULL);
  if (!itself) return;
  stops_mark(thread->rthread->pid, STOP_BEGINS);
  baton_leave(thread, CHUNK_CALL);
  region_yield();
}

void baton_after_stop(struct thread *thread, int32_t to, bool itself) {
  if (!itself) call_reaches_others(thread, to, await_stop, NULL);
  region_unlock();
  if (itself) baton_take(thread);
}

/* -- Tracing ----------------------------------------------------------------------------------------------------------------- */

void baton_before_trace(struct thread *thread, const struct call *call, struct rthread *tracee) {
  (void)thread, (void)tracee;
  if (call_stops_tracee(call)) region_lock();
}

void baton_after_trace(const struct call *call, struct rthread *tracee, long result) {
  (void)tracee;
  if (!call_stops_tracee(call)) return;
  if (result >= 0) task_await_trap((int32_t)call->args[1]);
  region_unlock();
}
