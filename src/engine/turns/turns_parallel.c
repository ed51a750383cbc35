/* turns_parallel.c: turns of a sphere whose threads run at once: recorded by permissions for blocks of memory (permissions.h), replayed by each
 * thread's order log (thread_order.h). See region/turns.h. */
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_book.h"
#include "engine/memory/verify.h"
#include "engine/order/open_blocks.h"
#include "engine/order/own_code.h"
#include "engine/order/serial.h"
#include "engine/order/shared.h"
#include "engine/order/stops.h"
#include "engine/order/thread_order.h"
#include "engine/order/written_memory.h"
#include "engine/region/journal.h"
#include "engine/region/live.h"
#include "engine/region/object_table.h"
#include "engine/region/sent_signals.h"
#include "engine/turns/epochs.h"
#include "engine/turns/live_parallel.h"
#include "engine/turns/turn_tables.h"

static void nothing(struct thread *thread) {
  (void)thread;
}

/* -- Recording ------------------------------------------------------------------------------------------------------------- */

static void found(struct thread *thread) {
  permissions_start(thread);
  permissions_begin(thread);
}

static void rejoin(struct thread *thread) {
  permissions_start(thread);
  permissions_unpark(thread);
}

static void hold(struct thread *thread, struct rthread *child) {
  thread->rthread->parallel.released = 0;
  child->parallel.is_known_elsewhere = true; /* once it has gone to another program */
  atomic_store(&child->parallel.borrows, slot_of(thread->rthread) + 1);
  permissions_park(thread);
}

static void begin(struct thread *thread, bool copied) {
  if (copied) permissions_start(thread);
  permissions_begin(thread);
  permissions_stay(thread);
  if (memory_was_written(thread->rthread->pid)) memory_log_written(thread);
}

static void end(struct thread *thread, bool group, const struct verify_memory *memory) {
  (void)group, (void)memory;
  order_tick(thread);
  permissions_end(thread);
}

static void leave_program(struct thread *thread) {
  if (region->exposed) {
    shared_take_all(thread); /* others may have written the program's file */
    shared_leave(thread);
  }
  order_tick(thread);
  permissions_leave(thread);
}

static void come_back(struct thread *thread) {
  thread->rthread->ticks--;
  permissions_come_back(thread);
}

static void safepoint(struct thread *thread) {
  record_position(thread);
  by_value_safepoint(thread);
  permissions_serve(thread);
  if (stops_wanted(thread)) stops_at_safepoint(thread);
  if (live_on()) live_safepoint(thread);
  epoch_record(thread);
}

struct holding {
  struct thread *thread;
  bool writes; /* memory that the kernel writes is taken, too */
};

static long hold_piece(void *visitor, const struct input_piece *piece) {
  const struct holding *holding = visitor;
  bool write = holding->writes && piece->flags & INPUT_WRITES;
  bool read =
      piece->flags & (INPUT_READS | INPUT_PARTIAL) && !(piece->flags & INPUT_IN_PLACE && !holding->writes);
  if (read || write)
    permissions_take_range(holding->thread, piece->address, mappings_present(piece->address, piece->bytes),
                           write);
  return 0;
}

/* Takes all pieces until it has them at the same time: none was lost before it had the last one. */
static void hold_memory(struct thread *thread, struct input_call *in, bool writes) {
  struct holding holding = {thread, writes};
  uint32_t lost;
  do {
    lost = permissions_lost(thread);
    input_reach(in, hold_piece, &holding);
  } while (permissions_lost(thread) != lost);
}

static void take_memory(struct thread *thread, uintptr_t address, size_t bytes, bool write) {
  permissions_take_range(thread, address, bytes, write);
}

static void take_all(struct thread *thread, struct region_object *target) {
  if (target) shared_changes(target, false);
  shared_take_all(thread);
  thread->record.keeps_shared = true;
}

static bool any_signal_may_stop(const struct thread *thread, int signo) {
  (void)thread, (void)signo;
  return true;
}

static long find_shared(void *visitor, const struct input_piece *piece) {
  *(bool *)visitor |= shared_reaches(piece->address, mappings_present(piece->address, piece->bytes));
  return 0;
}

/* True if the call uses memory that processes share, which no thread may keep while it waits. */
static bool reaches_shared(struct input_call *in) {
  bool reaches = false;
  input_reach(in, find_shared, &reaches);
  return reaches;
}

/* A call may take long if no other thread waits for this one. */
static bool stays(const struct thread *thread, const struct call *call, struct input_call *in) {
  if (!call_may_wait(thread, call)) return true;
  if (live_on()) return false; /* a thread that is not parked keeps others from a checkpoint */
  return permissions_alone(thread) && !reaches_shared(in) && call_sends_itself(thread, call) != SIGKILL;
}

static long add_written(void *visitor, const struct input_piece *piece) {
  if (piece->flags & INPUT_WRITES && !(piece->flags & (INPUT_IN_PLACE | INPUT_PARTIAL)))
    *(size_t *)visitor += piece->bytes;
  return 0;
}

/* The call may write much, as into the buffer of a read. With a copy only the written bytes have to be taken, when the result is known. */
static bool wants_copies(struct input_call *in) {
  enum { MUCH = 16 << 10 };
  size_t bytes = 0;
  if (in->moves & INPUT_WRITES) input_reach(in, add_written, &bytes);
  return bytes > MUCH;
}

static void at_futex(struct thread *thread, uintptr_t futex) {
  (void)thread, (void)futex;
}

static void waited_at_futex(struct thread *thread, uintptr_t futex, bool woken) {
  (void)thread, (void)futex, (void)woken;
}

/* mmap or shmat has mapped the object, NULL: memory without a file. */
static void note_sharing(const struct call *call, long at, struct region_object *object) {
  bool segment = call->nr == __NR_shmat;
  long type = call->args[3] & MAP_TYPE;
  struct mapping mapping;
  bool shared = segment || type == MAP_SHARED || type == MAP_SHARED_VALIDATE;
  if (!shared && !object) return;
  size_t bytes = ALIGN_UP((size_t)call->args[1], PAGE);
  if (segment) bytes = mappings_find((uintptr_t)at, &mapping) ? mapping.end - (uintptr_t)at : 0;
  bool stores = segment || (shared && (os_call2(__NR_fcntl, call->args[4], F_GETFL) & O_ACCMODE) != O_RDONLY);
  uint64_t size = object && !segment ? objects_size((int)call->args[4]) : UINT64_MAX;
  struct shared_kind kind = {.shared = shared, .stores = stores, .size = size};
  shared_mapped((uintptr_t)at, bytes, object, segment ? 0 : (uint64_t)call->args[5], kind);
}

static void mapped(const struct call *call, long at, struct region_object *object) {
  if (call->nr == __NR_mmap || call->nr == __NR_shmat) note_sharing(call, at, object);
  if (call->nr == __NR_mremap) own_code_moved();
  shared_refresh();
}

const struct turns parallel_recording = {
    .locks_output = true,
    .takes_memory = true,
    .found = found,
    .rejoin = rejoin,
    .begin_program = nothing,
    .spawn = permissions_spawn,
    .hold = hold,
    .resume = permissions_unpark_held,
    .begin = begin,
    .end_others = permissions_retire_others,
    .end = end,
    .leave_program = leave_program,
    .come_back = come_back,
    .leave = live_park,
    .take = live_unpark,
    .stop_others = permissions_stop,
    .let_others_go = permissions_go,
    .safepoint = safepoint,
    .hold_memory = hold_memory,
    .take_memory = take_memory,
    .take_all = take_all,
    .meet_changes = shared_take_all,
    .take_output = permissions_take_output,
    .leave_output = permissions_leave_output,
    .signal_may_stop = any_signal_may_stop,
    .stays = stays,
    .wants_copies = wants_copies,
    .woke = nothing,
    .waits_at = at_futex,
    .waited_at = waited_at_futex,
    .before_fork = shared_inherit,
    .forked = own_code_forked,
    .place = own_code_place,
    .mapped = mapped,
    .call_over = shared_leave,
    .stop_came = stops_parked,
    .before_job_signal = parallel_before_job_signal,
    .before_stop = parallel_before_stop,
    .after_stop = parallel_after_stop,
    .before_trace = parallel_before_trace,
    .after_trace = parallel_after_trace,
};

/* -- Replay ---------------------------------------------------------------------------------------------------------------- */

static void replay_found(struct thread *thread) {
  order_adopt(thread->rthread);
}

static void replay_spawn(struct thread *thread, struct rthread *child) {
  (void)thread;
  order_adopt(child);
}

static void replay_hold(struct thread *thread, struct rthread *child) {
  thread->rthread->parallel.released = 0;
  child->parallel.is_known_elsewhere = true;
  atomic_store(&child->parallel.borrows, slot_of(thread->rthread) + 1);
  order_hold(thread, child);
}

static void replay_resume(struct thread *thread, struct rthread *child, bool failed) {
  (void)child;
  if (!failed) serial_resume(thread);
  atomic_store(&thread->rthread->replay.waits_for, 0);
  order_gate(thread);
  order_tick(thread);
  order_gate(thread);
}

static void replay_begin(struct thread *thread, bool copied) {
  (void)copied;
  order_gate(thread);
  replay_foreign(thread);
}

static void replay_end(struct thread *thread, bool group, const struct verify_memory *memory) {
  order_tick(thread);
  order_finish(thread);
  if (group) order_retire_others(thread);
  verify_replay_memory(thread, memory);
  serial_leave(thread->rthread);
}

static void replay_leave_program(struct thread *thread) {
  order_tick(thread);
  uint32_t lender = atomic_exchange(&thread->rthread->parallel.borrows, 0);
  order_tell_only(thread);
  order_retire_others(thread);
  serial_let_go(lender);
}

static void log_ends(struct thread *thread) {
  order_lost(thread);
}

static bool waits_in_call(const struct thread *thread) {
  (void)thread;
  return true;
}

/* The slots of other threads are theirs until the kernel has ended them. */
const struct turns parallel_replaying = {
    .found = replay_found,
    .restored = order_come_back,
    .rejoin = nothing,
    .begin_program = nothing,
    .spawn = replay_spawn,
    .hold = replay_hold,
    .resume = replay_resume,
    .begin = replay_begin,
    .end_others = nothing,
    .end = replay_end,
    .leave_program = replay_leave_program,
    .come_back = nothing,
    .gate = order_gate,
    .tell = order_tell_only,
    .foreign = replay_foreign,
    .log_ends = log_ends,
    .stop = order_stop,
    .waits_in_call = waits_in_call,
};
