/* baton.c: the hand-over of the baton. See baton.h.
 *
 * Recording. The next holder of the baton closes a chunk in the order log. So a thread that releases the baton for a moment
 * and finds it free goes on with the same chunk, and nothing is logged. A waiting thread checks now and then
 * whether the holder is still alive: a process may be killed while it has the baton.
 *
 * Replay. Each record of the order log says where the running chunk ends and which thread comes next. */
#include "engine/order/baton.h"

#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/order/audit.h"
#include "engine/region/live.h"
#include "engine/region/rest.h"
#include "engine/order/rthreads.h"
#include "engine/order/stops.h"
#include "engine/memory/verify.h"
#include "engine/order/written_memory.h"
#include "engine/region/endings.h"
#include "engine/region/debug.h"

/* Under the lock. When another thread has ended the process, the slot may be another thread's by now, and the kernel is
 * about to end this thread. */
static void check_identity(struct thread *thread) {
  const struct rthread *rthread = thread->rthread;
  if (atomic_load(&rthread->state) == SLOT_LIVE && rthread->number == thread->number) return;
  region_unlock();
  for (;;) os_call5(__NR_ppoll, 0, 0, 0, 0, 0);
}

/* Under the lock. The thread's chunk begins, or goes on. The chunk before ends in the log only now, because a thread that is given the baton may be
 * stopped or dead before it takes it. */
static void open_chunk(struct rthread *rthread) {
  uint32_t slot = slot_of(rthread) + 1;
  if (region->open_chunk == slot && region->open_number == rthread->number) return;
  uint8_t buffer[CHUNK_END_LARGEST];
  struct chunk_end end = region->open_end;
  end.next = rthread->number;
  if (region->open_chunk) ring_put(&region->order, buffer, chunk_encode(&end, buffer));
  region->open_chunk = slot;
  region->open_number = rthread->number;
  rthread->chunk.start = rthread->ring.position;
}

/* True if the thread was given the baton. */
static bool take_turn(struct thread *thread) {
  uint32_t given = 1;
  region_lock();
  check_identity(thread);
  bool taken = atomic_compare_exchange_strong(&thread->rthread->turn, &given, 0);
  if (taken && recording()) open_chunk(thread->rthread);
  region_unlock();
  return taken;
}

static struct rthread *holder(void) {
  uint32_t slot = atomic_load(&region->holder);
  return slot ? &region->slots[slot - 1] : NULL;
}

/* -- Recording ------------------------------------------------------------------------------------------------------------ */

static void wake(struct rthread *rthread) {
  if (rthread) region_wake(&rthread->turn, 1);
}

/* True if the thread is stopped, and could not take the baton now. */
static bool is_stopped(struct rthread *rthread) {
  uint32_t stops = atomic_load(&rthread->stops.state);
  if (stops != STOP_LIKELY) return stops == STOP_BEGINS;
  char state = rthread_state(rthread);
  if (state == 'T' || state == 't') return true;
  atomic_store(&rthread->stops.state, STOP_NONE);
  return false;
}

/* Under the lock. Gives the baton to the next thread, which the caller must wake. Stopped threads stay in the queue, and pick the baton up
 * themselves if no other thread does. */
static struct rthread *hand_on(void) {
  uint32_t next;
  for (uint32_t n = region->scheduler.count; n && chunk_next(&region->scheduler, &next); n--) {
    if (is_stopped(&region->slots[next])) {
      chunk_wait(&region->scheduler, next);
      continue;
    }
    atomic_store(&region->holder, next + 1);
    atomic_store(&region->slots[next].turn, 1);
    return &region->slots[next];
  }
  atomic_store(&region->holder, 0);
  return NULL;
}

/* The same, noting how the holder's chunk ends, should it end here. */
static struct rthread *let_go(struct rthread *rthread, enum chunk_reason reason) {
  region->open_end =
      (struct chunk_end){.length = rthread->ring.position - rthread->chunk.start, .reason = reason};
  return hand_on();
}

/* Replay does not repeat the work that a process, killed from outside, has done since its last log entry. Other processes may have seen that work if
 * they share memory. */
static bool leaves_marks(const struct rthread *dead) {
  for (uint32_t i = 0; region->shares && i < region_slots(region); i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && region->slots[i].pid != dead->pid) return true;
  return false;
}

/* Takes the baton from a thread that was killed with it, and ends all threads of its process. If the recording ends with this, no other thread gets
 * the baton, so none sees state that can't be replayed. */
static void bury(struct rthread *dead, uint32_t number) {
  struct rthread *next = NULL;
  region_lock();
  bool holds = holder() == dead && dead->number == number;
  bool lost = holds && !atomic_load(&dead->turn) && leaves_marks(dead);
  bool output_lost = holds && atomic_load(&dead->input.unlogged);
  if (holds && !lost && !output_lost) {
    for (uint32_t i = 0; i < region_slots(region); i++) {
      struct rthread *other = &region->slots[i];
      if (other == dead || atomic_load(&other->state) != SLOT_LIVE || other->pid != dead->pid) continue;
      chunk_forget(&region->scheduler, i);
      rthread_end(other);
    }
    next =
        atomic_load(&dead->turn) ? hand_on() : let_go(dead, CHUNK_DEAD); /* with the former it never had it */
    rthread_end(dead);
  }
  region_unlock();
  if (lost)
    sphere_fail(OUTCOME_UNSUPPORTED,
                "a process was killed in the middle of its turn: what it has just written to memory that "
                "others share "
                "can't be recorded");
  if (output_lost) rthread_check_output(dead);
  wake(next);
}

/* A thread that was stopped while it waited, and was then given the baton, can't use it: it goes to the end of the queue. */
static void pass_over(struct rthread *stopped) {
  struct rthread *next = NULL;
  region_lock();
  uint32_t given = 1;
  if (holder() == stopped && atomic_compare_exchange_strong(&stopped->turn, &given, 0)) {
    atomic_store(&stopped->stops.state, STOP_LIKELY);
    chunk_wait(&region->scheduler, slot_of(stopped));
    next = hand_on();
  }
  region_unlock();
  wake(next);
}

static void look_after(struct rthread *now) {
  uint32_t number = now->number; /* the slot may be another's by the time that the state is known */
  char state = rthread_state(now);
  if (state == 'X' || state == 'Z')
    bury(now, number);
  else if (state == 'T' || state == 't')
    pass_over(now);
}

/* A thread that has waited for another's end must not find the other still alive. */
static void see_off(const struct rthread *rthread) {
  if (!region->leaving_process) return;
  if (region->leaving_process == rthread->pid)
    while (atomic_load((_Atomic int *)region->leaving_word)) os_call0(__NR_sched_yield);
  region->leaving_process = 0;
}

static void begin_chunk(struct thread *thread) {
  live_runs(thread);
  audit_turn(thread);
  see_off(thread->rthread);
  if (memory_was_written(thread->rthread->pid)) memory_log_written(thread);
  thread->rthread->chunk.spent = 0;
  thread->rthread->chunk.size = chunk_size(&region->scheduler);
  arch_set_stop(thread, arch_position(thread) + thread->rthread->chunk.size);
}

/* A thread that was killed while it handed the baton on may have left it without a holder. */
static void pick_up(void) {
  struct rthread *next = NULL;
  region_lock();
  if (!holder()) next = hand_on();
  region_unlock();
  wake(next);
}

/* The kernel reports that the holder was killed, or stopped from outside, only to its parent. So waiting threads check the holder, the less often
 * the more of them there are, and each at least once a second. */
static void wait_for_turn(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  while (!take_turn(thread)) {
    uint32_t others = *(volatile uint32_t *)&region->scheduler.count;
    region_wait_longer(&rthread->turn, 0, MAX(others, 1));
    live_serve(thread);
    struct rthread *now = holder();
    bool looks = !atomic_load(&rthread->turn) && now && now != rthread;
    if (looks && region_look_is_due(&region->looked)) look_after(now);
    if (!now) pick_up();
  }
}

void baton_take(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  region_lock();
  check_identity(thread);
  bool free = !atomic_load(&region->holder);
  if (free) {
    open_chunk(rthread);
    atomic_store(&region->holder, slot_of(rthread) + 1);
  } else {
    chunk_wait(&region->scheduler, slot_of(rthread));
  }
  region_unlock();
  if (!free) wait_for_turn(thread);
  begin_chunk(thread);
}

void baton_release(struct thread *thread, enum chunk_reason reason) {
  struct rthread *rthread = thread->rthread;
  rthread->ring.position = arch_position(thread);
  if (reason != CHUNK_EXIT)
    live_rests(thread);
  else
    live_runs(thread);
  region_lock();
  struct rthread *next = let_go(rthread, reason);
  region_unlock();
  wake(next);
}

/* A chunk shorter than this is not given up for a thread that was woken: contended locks would change hands
 * all the time. Natively, too, the waker does about as much before the woken thread runs: a thread that releases a lock for one call, as interpreters do,
 * has made the call by then. But other threads would never get a lock that is always retaken at once: a woken thread that waits at the same
 * futex again before it did anything else is offered the baton after shorter chunks. */
enum { OFFER_LEAST = 16000, OFFER_STARVING = 1000, OFFER_PATIENCE = 50 };

void baton_offer(struct thread *thread) {
  uint64_t least = region->starving ? OFFER_STARVING : OFFER_LEAST;
  if (arch_position(thread) - thread->rthread->chunk.start < least) return;
  region->starving = 0;
  thread->rthread->chunk.offered = true;
  arch_request(thread);
}

bool baton_is_wanted(void) {
  return *(volatile uint32_t *)&region->scheduler.count;
}

/* Instruction counts do not include work in the kernel: while other threads want the baton, so many calls are enough for a chunk. Otherwise a thread
 * that polls by system calls for another's progress would keep the other from making it. */
enum { CALLS_MOST = 256 };

void baton_spend(struct thread *thread, uint32_t calls) {
  struct rthread *rthread = thread->rthread;
  rthread->chunk.spent += calls;
  if (rthread->chunk.spent < CALLS_MOST || !baton_is_wanted()) return;
  rthread->chunk.offered = true;
  arch_request(thread);
}

void baton_waits(struct thread *thread, uintptr_t futex) {
  const struct rthread *rthread = thread->rthread;
  uint32_t own = slot_of(rthread) + 1;
  bool starves =
      rthread->chunk.woken_at == futex && arch_position(thread) - rthread->chunk.woken_since < OFFER_STARVING;
  if (starves)
    region->starving = own;
  else if (region->starving == own)
    region->starving = 0;
}

void baton_waited(struct thread *thread, uintptr_t futex, bool woken) {
  thread->rthread->chunk.woken_at = woken ? futex : 0;
  thread->rthread->chunk.woken_since = arch_position(thread);
}

/* True if the chunk should end before it is full, and a thread has come for the baton: a thread that was just woken may be on its way. */
static bool offer_accepted(struct rthread *rthread) {
  if (!rthread->chunk.offered) return false;
  rthread->chunk.offered = false;
  for (int i = 0; i < OFFER_PATIENCE && !baton_is_wanted(); i++) os_call0(__NR_sched_yield);
  return baton_is_wanted();
}

void baton_leave(struct thread *thread, enum chunk_reason reason) {
  thread->rthread->ring.position = arch_position(thread);
  live_rests(thread);
  wake(let_go(thread->rthread, reason));
}

/* The terminal stops the process: not with the baton in hand. */
static void stop_without_baton(struct thread *thread) {
  verify_record(thread, false);
  region_lock();
  stops_mark(thread->rthread->pid, STOP_BEGINS);
  baton_leave(thread, CHUNK_POLL);
  region_unlock();
  baton_take(thread);
}

/* While no thread waits no chunk ends, and the places of checks are free to choose. Each exact place costs replay some time. So checks come soon
 * after the beginning, then less and less often. */
static bool is_check_due(struct rthread *rthread) {
  enum { CHECKS_APART = 64 };
  uint32_t n = ++rthread->chunk.alone;
  return config.check_memory || n % CHECKS_APART == 0 || (n < CHECKS_APART && !(n & (n - 1)));
}

/* Ends the chunk if another thread waits. */
static bool pass_on(struct thread *thread, enum chunk_reason reason) {
  struct rthread *rthread = thread->rthread, *next = NULL;
  if (!baton_is_wanted()) return false;
  live_rests(thread);
  region_lock();
  bool others = region->scheduler.count;
  if (others) {
    chunk_wait(&region->scheduler, slot_of(rthread));
    next = let_go(rthread, reason);
  }
  region_unlock();
  if (!others) live_runs(thread);
  wake(next);
  return others;
}

bool baton_yield(struct thread *thread) {
  if (!pass_on(thread, CHUNK_CALL)) return false;
  wait_for_turn(thread);
  begin_chunk(thread);
  return true;
}

/* In the log, the chunk ends, and another one of the same thread begins. */
static void split_chunk(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  uint8_t buffer[CHUNK_END_LARGEST];
  region_lock();
  struct chunk_end end = {
      .length = rthread->ring.position - rthread->chunk.start, .next = rthread->number, .reason = CHUNK_POLL};
  ring_put(&region->order, buffer, chunk_encode(&end, buffer));
  rthread->chunk.start = rthread->ring.position;
  region_unlock();
}

static bool make_checkpoint(struct thread *thread) {
  if (!live_is_possible(thread)) return false;
  verify_record(thread, false);
  split_chunk(thread);
  if (!live_make(thread)) rthreads_end_gone(thread);
  begin_chunk(thread);
  return true;
}

void baton_poll(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  uint64_t position = arch_position(thread);
  rthread->ring.position = position;
  if (thread->record.stop_signal) arch_request(thread); /* until it is done */
  if (position == rthread->chunk.quiet_since) return;
  if (thread->record.stop_signal) stop_without_baton(thread);
  if (live_is_wanted(thread) && make_checkpoint(thread)) return;
  if (!offer_accepted(rthread) && arch_until_stop(thread) > rthread->chunk.size / 2) return;
  bool others = baton_is_wanted();
  if (others || is_check_due(rthread)) verify_record(thread, false);
  if (others) others = pass_on(thread, CHUNK_POLL);
  if (others) wait_for_turn(thread);
  begin_chunk(thread);
}

void baton_forget(struct rthread *rthread, uint32_t number) {
  region_lock();
  if (atomic_load(&rthread->state) == SLOT_LIVE && rthread->number == number) {
    chunk_forget(&region->scheduler, slot_of(rthread));
    rthread_end(rthread);
  }
  region_unlock();
}

/* -- Replay --------------------------------------------------------------------------------------------------------------- */

static struct rthread *find(uint32_t number) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) == SLOT_LIVE && rthread->number == number) return rthread;
  }
  return NULL;
}

void baton_pass(struct thread *thread) {
  const struct chunk_end *end = &thread->rthread->chunk.end;
  struct rthread *next = find(end->next);
  if (end->reason == CHUNK_DEAD) region->killed = thread->rthread->number + 1;
  /* Its parent was killed before it could log the birth, perhaps a while ago. Known limit: what it and the others did from here on is
   * in the recording, and can't be replayed. */
  if (!next && region->killed)
    sphere_fail(
        OUTCOME_LOG_ENDS,
        "thread %u was killed before it had logged the birth of thread %u: this is as far as can be replayed",
        region->killed - 1, end->next);
  if (!next) sphere_fail(OUTCOME_DAMAGED, "the order log wants thread %u, which does not exist", end->next);
  /* cppcheck-suppress nullPointerRedundantCheck ; sphere_fail does not return */
  region_count_turn(region, next->number, next->chunk.start + next->chunk.end.length);
  atomic_store(&region->holder, slot_of(next) + 1);
  atomic_store(&next->turn, 1);
  wake(next);
}

/* Reads the record that says where the chunk that begins now ends. Marks count only where the log breaks off; without one the
 * input log may be of later chunks already. */
static void learn_end(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  struct chunk_end mark = {0};
  rthread->chunk.start = arch_position(thread);
  rthread->chunk.end = (struct chunk_end){0};
  for (;;) {
    size_t count;
    const uint8_t *bytes = ring_content(&region->order, &count);
    int used = chunk_decode(&rthread->chunk.end, bytes, count);
    bool within = !used && count && config.whole && !ring_await(&region->order, count);
    if (used < 0 || within)
      sphere_fail(OUTCOME_DAMAGED, "the order log is damaged where thread %u is at position %lu: %s",
                  rthread->number, rthread->chunk.start,
                  within ? "it ends within a record" : "this is no record");
    if (used > 0) ring_consume(&region->order, (size_t)used);
    if (used > 0 && !chunk_is_mark(&rthread->chunk.end, rthread->number)) return;
    if (used > 0) mark = rthread->chunk.end;
    rthread->chunk.end = (struct chunk_end){0};
    if (!used && !ring_await(&region->order, count)) break;
  }
  if (!atomic_load(&region->order.broken)) return; /* the last chunk of all */
  if (!mark.known) sphere_fail(OUTCOME_LOG_ENDS, NULL);
  rthread->chunk.end = mark;
  rthread->chunk.end.next = CHUNK_NOBODY;
}

/* It is the turn of the parent that the kernel holds until this process is gone: it was killed here in the recording. */
static _Noreturn void leave(const struct rthread *own) {
  int32_t pid = own->pid;
  for (uint32_t i = 0; i < region_slots(region); i++)
    if (region->slots[i].pid == pid) rthread_end(&region->slots[i]);
  for (;;) os_call1(__NR_exit_group, 0);
}

static void await_turn(struct thread *thread) {
  while (!take_turn(thread)) {
    rest(thread, atomic_load(&region->live));
    struct rthread *now = holder();
    if (now && atomic_load(&thread->rthread->parallel.borrows) == slot_of(now) + 1) leave(thread->rthread);
    if (!now || now == thread->rthread || !region_look_is_due(&region->looked)) continue;
    if (rthread_is_alive(now)) continue;
    /* Dead. If it is the holder even now, it did not pass the baton on before. */
    bool waits = !atomic_load(&thread->rthread->turn) && !atomic_load(&region->finished);
    if (!waits || holder() != now || rthread_is_alive(now)) continue;
    atomic_store(&region->found_dead, true);
    replay_diverged(thread, "expected to wait for thread %u, got the end of that", now->number);
  }
}

void baton_await(struct thread *thread) {
  if (debugged()) debug_rests(thread);
  await_turn(thread);
  if (debugged()) debug_runs(thread);
  learn_end(thread);
  replay_foreign(thread);
}
