/* sync.c: performs the instructions that synchronise threads, and orders them. See sync.h. */
#include "engine/order/sync.h"

#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/memory/limits.h"
#include "engine/order/hand_over.h"
#include "engine/order/replay_waits.h"
#include "engine/order/thread_order.h"
#include "engine/region/endings.h"
#include "engine/region/journal.h"
#include "engine/region/reader.h"
#include "engine/region/turns.h"
#include "input/input.h"
#include "input/times.h"
#include "order/sync.h"

/* A line each. A reader takes no lock: what it has read holds if the version is the same afterwards, and even. */
struct sync_clock {
  _Alignas(64) struct lock lock; /* of those that may write */
  _Atomic uint32_t version;
  _Atomic uint32_t slot;  /* slot + 1 of the last of them, 0: none yet … */
  _Atomic uint64_t clock; /* … and its order clock then */
};

enum { FENCES = SYNC_CLOCKS, CALLS, CLOCKS };
static struct sync_clock clocks[CLOCKS];

void sync_start(void) {
  if (!sync_on()) return;
  if (!ARCH_PERFORMS_ATOMICS)
    sphere_fail(OUTCOME_UNSUPPORTED, "--order=sync is not supported yet on this machine's instruction set");
  long at =
      os_call6(__NR_mmap, SYNC_BASE, SYNC_LEFT_BASE - SYNC_BASE + SYNC_CLOCKS * sizeof(struct sync_left),
               PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) fail_to_map("what atomics have left, and threads have seen", at);
  memset(clocks, 0, sizeof clocks);
}

static struct sync_seen *seen_by(const struct thread *thread) {
  _Static_assert(sizeof(struct sync_seen) <= SYNC_STRIDE, "each thread's lies before the next one's");
  return (struct sync_seen *)(SYNC_BASE + slot_number(thread) * SYNC_STRIDE);
}

void sync_forget(struct thread *thread) {
  if (sync_on()) memset(seen_by(thread), 0, sizeof(struct sync_seen));
}

static struct sync_value value_of(const struct atomic *atomic, const uint64_t words[2]) {
  return (struct sync_value){atomic->address, {words[0], words[1]}, atomic->bytes};
}

static struct sync_clock *clock_of(const struct atomic *atomic) {
  return &clocks[atomic->kind == ATOMIC_FENCE ? (unsigned)FENCES : sync_clock_of(atomic->address)];
}

/* What the last atomic of the word has left there. Under the lock of the clock, or its version. */
static struct sync_value *last_of(const struct atomic *atomic) {
  struct sync_left *left = (struct sync_left *)SYNC_LEFT_BASE + sync_clock_of(atomic->address);
  return sync_last(left, atomic->address);
}

static bool same(const uint64_t a[2], const uint64_t b[2]) {
  return a[0] == b[0] && a[1] == b[1];
}

/* -- Clocks, while recording ------------------------------------------------------------------------------------------------- */

/* A holder does not keep it for longer than a sleep would take. */
static void take(struct sync_clock *clock) {
  enum { LOOKS = 200 };
  for (unsigned i = 0; i < LOOKS && atomic_load_explicit(&clock->lock.word, memory_order_relaxed); i++)
    arch_relax();
  lock_take(&clock->lock);
  atomic_fetch_add(&clock->version, 1);
}

static void release(struct sync_clock *clock) {
  atomic_fetch_add(&clock->version, 1);
  lock_release(&clock->lock);
}

/* What the thread does from here on comes after what that slot's thread had done by then. Its own thread alone changes a recorder that is not parked. */
static void follow(struct thread *thread, uint32_t slot, uint64_t when) {
  const struct order_heard *heard = &self(thread)->recorder.heard;
  if (!slot || slot == slot_number(thread) + 1) return;
  bool known = slot - 1 < heard->count && when <= heard->of[slot - 1];
  if (!known) permissions_follow(thread, slot - 1, when);
}

static void follow_last(struct thread *thread, const struct sync_clock *clock) {
  follow(thread, atomic_load_explicit(&clock->slot, memory_order_relaxed),
         atomic_load_explicit(&clock->clock, memory_order_relaxed));
}

/* Others that come to the clock follow what the thread has done by now. */
static void leave(struct thread *thread, struct sync_clock *clock) {
  set_position(thread);
  atomic_store_explicit(&clock->slot, slot_number(thread) + 1, memory_order_relaxed);
  atomic_store_explicit(&clock->clock, order_clock(&self(thread)->recorder), memory_order_relaxed);
}

/* -- Recording --------------------------------------------------------------------------------------------------------------- */

static void log_found(struct thread *thread, const struct atomic *atomic, bool awaited) {
  struct input_event event = {.kind = EVENT_INSN,
                              .insn = {.insn = awaited ? INSN_ATOMIC_AWAITED : INSN_ATOMIC,
                                       .count = atomic->bytes > sizeof(uint64_t) ? 2 : 1,
                                       .values = {atomic->found[0], atomic->found[1]}}};
  record_event(thread, &event);
}

/* Reads what memory holds, together with the clock and the value that was left there: meanwhile no atomic of the clock has written. */
static bool load(const struct sync_clock *clock, struct atomic *atomic, struct sync_clock *then,
                 struct sync_value *left) {
  for (;;) {
    uint32_t version = atomic_load_explicit(&clock->version, memory_order_acquire);
    if (version & 1) {
      arch_relax();
      continue;
    }
    atomic_store_explicit(&then->slot, atomic_load_explicit(&clock->slot, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&then->clock, atomic_load_explicit(&clock->clock, memory_order_relaxed),
                          memory_order_relaxed);
    *left = *last_of(atomic);
    if (safe_load((const void *)atomic->address, atomic->bytes, atomic->found)) return false;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&clock->version, memory_order_relaxed) == version) return true;
  }
}

/* A word that crosses its bytes is not one of those that atomics use. */
static bool is_aligned(const struct atomic *atomic) {
  return atomic->address % atomic->bytes == 0;
}

static bool record_load(struct thread *thread, struct atomic *atomic) {
  struct sync_clock then;
  struct sync_value left;
  if (!load(clock_of(atomic), atomic, &then, &left)) return false;
  follow_last(thread, &then);
  struct sync_value found = value_of(atomic, atomic->found);
  struct sync_value *seen = sync_see(seen_by(thread), atomic->address);
  if (!sync_predicts(seen, &found)) log_found(thread, atomic, !sync_predicts(&left, &found));
  *seen = found;
  arch_atomic_finish(thread, atomic);
  return true;
}

/* safe_exchange, also where the page is watched for changes of code. */
static long exchange(const struct atomic *atomic, uint64_t found[2]) {
  long differs = safe_exchange((void *)atomic->address, atomic->bytes, found, atomic->left);
  if (differs >= 0 || !codewatch_hold(atomic->address, atomic->address + atomic->bytes)) return differs;
  differs = safe_exchange((void *)atomic->address, atomic->bytes, found, atomic->left);
  codewatch_let_go();
  return differs;
}

/* safe_load, of memory that is going to be written: a load of sixteen bytes may need that. */
static long load_to_update(const struct atomic *atomic, uint64_t found[2]) {
  long failed = safe_load((const void *)atomic->address, atomic->bytes, found);
  if (!failed || !codewatch_hold(atomic->address, atomic->address + atomic->bytes)) return failed;
  failed = safe_load((const void *)atomic->address, atomic->bytes, found);
  codewatch_let_go();
  return failed;
}

static long store(const struct atomic *atomic) {
  long failed = safe_store((void *)atomic->address, atomic->bytes, atomic->left);
  if (!failed || !codewatch_hold(atomic->address, atomic->address + atomic->bytes)) return failed;
  failed = safe_store((void *)atomic->address, atomic->bytes, atomic->left);
  codewatch_let_go();
  return failed;
}

/* The instruction in one step. False: it faults. */
static bool update(const struct thread *thread, struct atomic *atomic) {
  if (load_to_update(atomic, atomic->found)) return false;
  for (;;) {
    arch_atomic_compute(thread, atomic);
    if (same(atomic->found, atomic->left)) return true;
    long differs = exchange(atomic, atomic->found);
    if (differs <= 0) return !differs;
  }
}

static bool write(const struct thread *thread, struct atomic *atomic) {
  if (atomic->kind == ATOMIC_FENCE) return true;
  if (atomic->kind == ATOMIC_UPDATE) return update(thread, atomic);
  return !store(atomic);
}

static bool record_write(struct thread *thread, struct atomic *atomic) {
  struct sync_clock *clock = clock_of(atomic);
  take(clock);
  bool done = write(thread, atomic);
  if (done) {
    follow_last(thread, clock);
    struct sync_value found = value_of(atomic, atomic->found);
    if (atomic->kind == ATOMIC_UPDATE && !sync_predicts(last_of(atomic), &found))
      log_found(thread, atomic, true);
    arch_atomic_finish(thread, atomic);
    leave(thread, clock);
    if (atomic->kind != ATOMIC_FENCE) *last_of(atomic) = value_of(atomic, atomic->left);
  }
  release(clock);
  return done;
}

/* A call that orders nothing. */
static bool is_private(const struct call *call) {
  return call->nr == __NR_sched_yield || input_time((uint32_t)call->nr).unit;
}

void sync_call_begins(struct thread *thread, const struct call *call) {
  struct sync_clock *clock = &clocks[CALLS];
  if (!sync_on() || is_private(call)) return;
  take(clock);
  follow_last(thread, clock);
  leave(thread, clock);
  release(clock);
}

static void follow_calls(struct thread *thread) {
  struct sync_clock *clock = &clocks[CALLS];
  take(clock);
  uint32_t slot = clock->slot;
  uint64_t when = clock->clock;
  release(clock);
  follow(thread, slot, when);
}

void sync_call_returns(struct thread *thread, const struct call *call) {
  if (sync_on() && !is_private(call)) follow_calls(thread);
}

void sync_signal_arrives(struct thread *thread) {
  if (sync_on() && recording()) follow_calls(thread);
}

/* -- Replay ------------------------------------------------------------------------------------------------------------------ */

/* Takes what the atomic found from the log, if it is there. awaited: no atomic had put it into memory. */
static bool found_in_log(struct thread *thread, struct atomic *atomic, bool *awaited) {
  const struct input_event *event = replay_peek(thread);
  bool here = event && event->kind == EVENT_INSN && event->position == arch_position(thread) &&
              (event->insn.insn == INSN_ATOMIC || event->insn.insn == INSN_ATOMIC_AWAITED);
  if (!here) return false;
  unsigned words = atomic->bytes > sizeof(uint64_t) ? 2 : 1;
  uint64_t most = atomic->bytes < sizeof(uint64_t) ? (1UL << 8 * atomic->bytes) - 1 : UINT64_MAX;
  if (event->insn.count != words || event->insn.values[0] > most)
    replay_diverged(thread, "expected an atomic that reads another number of bytes than %u", atomic->bytes);
  atomic->found[0] = event->insn.values[0];
  atomic->found[1] = words > 1 ? event->insn.values[1] : 0;
  *awaited = event->insn.insn == INSN_ATOMIC_AWAITED;
  replay_consume(thread);
  thread->loop.took_value = true;
  return true;
}

static bool holds_value(void *context) {
  const struct atomic *atomic = context;
  uint64_t now[2];
  return !safe_load((const void *)atomic->address, atomic->bytes, now) && same(now, atomic->found);
}

/* Memory may hold another value by now: one that came after this load. So the wait is a short one. */
static void await_for_a_while(struct thread *thread, struct atomic *atomic) {
  enum { LOOKS = 100, YIELDS = 200 };
  order_come_by(thread);
  for (unsigned i = 0; i < LOOKS && !holds_value(atomic); i++) arch_relax();
  for (unsigned i = 0; i < YIELDS && !holds_value(atomic); i++) os_call0(__NR_sched_yield);
}

static bool replay_load(struct thread *thread, struct atomic *atomic) {
  struct sync_value *seen = sync_see(seen_by(thread), atomic->address);
  uint64_t now[2];
  bool awaited = false;
  if (safe_load((const void *)atomic->address, atomic->bytes, now)) return false;
  if (!found_in_log(thread, atomic, &awaited)) {
    bool known = sync_knows(seen, atomic->address, atomic->bytes);
    memcpy(atomic->found, seen->words, sizeof atomic->found);
    if (!known) replay_diverged(thread, "expected no atomic load of 0x%lx here", atomic->address);
  }
  if (awaited) await_for_a_while(thread, atomic);
  *seen = value_of(atomic, atomic->found);
  arch_atomic_finish(thread, atomic);
  return true;
}

/* True if it was an ordinary store, and no atomic, that had left the value there. */
static bool find_expected(struct thread *thread, struct atomic *atomic) {
  const struct sync_value *left = last_of(atomic);
  bool awaited;
  if (found_in_log(thread, atomic, &awaited)) return awaited;
  if (!sync_knows(left, atomic->address, atomic->bytes))
    replay_diverged(thread, "expected no atomic at 0x%lx here", atomic->address);
  memcpy(atomic->found, left->words, sizeof atomic->found);
  return false;
}

/* An atomic that leaves memory as it is needs none: memory may have changed since. What an ordinary store has left is waited for. What
 * the last atomic has left is there, unless an ordinary store has come too early, as of a thread that gives back a lock that others count
 * down meanwhile: then that store is the last one in the recording, and memory stays as it is. */
static bool replay_update(struct thread *thread, struct atomic *atomic) {
  uint64_t now[2];
  if (load_to_update(atomic, now)) return false;
  bool stored = find_expected(thread, atomic);
  arch_atomic_compute(thread, atomic);
  while (!same(atomic->found, atomic->left)) {
    memcpy(now, atomic->found, sizeof now);
    long differs = exchange(atomic, now);
    if (!differs) break;
    if (differs < 0) replay_diverged(thread, "expected to write 0x%lx by an atomic", atomic->address);
    if (!stored) break;
    order_wait_for_value(thread, holds_value, atomic);
  }
  return true;
}

static bool replay_write(struct thread *thread, struct atomic *atomic) {
  if (atomic->kind == ATOMIC_UPDATE) {
    if (!replay_update(thread, atomic)) return false;
  } else if (!write(thread, atomic)) {
    return false;
  }
  arch_atomic_finish(thread, atomic);
  *last_of(atomic) = value_of(atomic, atomic->left);
  order_come_by(thread);
  return true;
}

/* -- Calls that the dynamic linker binds -------------------------------------------------------------------------------------- */

/* A thread writes into the linkage table where a function lies, and others read it without synchronisation. So replay sends
 * a thread to the dynamic linker exactly where the log says so; elsewhere it waits until the call is bound. */
static bool is_bound(void *context) {
  const struct atomic *call = context;
  uint64_t leads_to[2];
  return !safe_load((const void *)call->address, call->bytes, leads_to) && leads_to[0] != call->found[0];
}

/* False: the instruction is to be executed. */
static bool bind(struct thread *thread, struct atomic *call) {
  uint64_t bound[2];
  call->found[0] = arch_pc(thread);
  if (recording()) {
    struct input_event event = {.kind = EVENT_INSN,
                                .insn = {.insn = INSN_BINDING, .count = 1, .values = {call->found[0]}}};
    record_event(thread, &event);
    return false;
  }
  if (thread->loop.binds_at == arch_position(thread) + 1) return false;
  order_wait_for_value(thread, is_bound, call);
  if (safe_load((const void *)call->address, call->bytes, bound)) return false;
  arch_set_pc(thread, bound[0]);
  return true;
}

bool sync_binding_is_due(struct thread *thread, const struct input_event *event) {
  if (!event || event->kind != EVENT_INSN || event->insn.insn != INSN_BINDING) return false;
  if (event->position != arch_position(thread)) return false;
  arch_set_pc(thread, event->insn.values[0]);
  thread->loop.binds_at = event->position + 1;
  return true;
}

/* -- Both -------------------------------------------------------------------------------------------------------------------- */

bool sync_perform(struct thread *thread) {
  struct atomic atomic;
  if (!arch_atomic(thread, &atomic)) return false;
  if (atomic.kind == ATOMIC_WATCHED && !is_aligned(&atomic)) return false;
  switch (atomic.kind) {
    case ATOMIC_NONE:
      arch_atomic_finish(thread, &atomic);
      return true;
    case ATOMIC_BINDING:
      return bind(thread, &atomic);
    case ATOMIC_LOAD:
    case ATOMIC_WATCHED:
      return recording() ? record_load(thread, &atomic) : replay_load(thread, &atomic);
    default:
      return recording() ? record_write(thread, &atomic) : replay_write(thread, &atomic);
  }
}
