/* epochs.c: see epochs.h. */
#include "engine/turns/epochs.h"

#include "engine/base/slots.h"
#include "engine/memory/verify.h"
#include "engine/order/thread_order.h"
#include "engine/order/written_memory.h"
#include "engine/region/reader.h"
#include "engine/region/turns.h"

/* True if the thread is the one that looks at memory: the first of its process, if no other process can write there unseen. */
static bool looks_at_memory(struct thread *thread, uint32_t epoch) {
  _Atomic uint32_t *last = &thread->process->epoch;
  uint32_t seen = atomic_load(last);
  return seen != epoch && atomic_compare_exchange_strong(last, &seen, epoch) && process_was_alone() &&
         !memory_was_written(thread->rthread->pid);
}

void epoch_record(struct thread *thread) {
  uint32_t epoch = atomic_load(&region->epochs.last);
  if (!epoch_is_over(thread) || thread->signals.queued.signo || thread->record.stop_signal) return;
  atomic_store(&thread->rthread->epoch, epoch);
  bool alone = looks_at_memory(thread, epoch);
  if (alone) order_alone(thread);
  verify_record_epoch(thread, epoch, alone);
  if (alone) order_tick(thread);
  if (alone) order_together(thread);
}

/* With the order of synchronisation alone, memory may differ for a while, and be the same again: libraries store into a word without synchronisation which they read beside
 * their atomics only, where what they read is recorded. So that is counted; what differs at the end of the process is a divergence. */
static void compare_memory(struct thread *thread, const struct verify_memory *memory) {
  uint64_t digest;
  if (!sync_on())
    verify_replay_memory(thread, memory);
  else if (verify_memory_differs(memory, &digest))
    atomic_fetch_add(&region->epochs.unlike, 1);
  if (memory->known) atomic_fetch_add(&region->epochs.compared, 1);
}

/* What was stopped in the recording waits in the replay, for the tick. */
void epoch_replay(struct thread *thread) {
  const struct input_event *event = replay_peek(thread);
  uint32_t epoch = event->check.epoch;
  bool alone = event->check.alone;
  struct verify_memory memory = verify_replay_registers(thread);
  if (alone) {
    order_alone(thread);
    compare_memory(thread, &memory);
    order_tick(thread);
    turns->gate(thread);
  }
  atomic_store(&thread->rthread->epoch, epoch);
  if (atomic_load(&region->epochs.last) < epoch)
    atomic_store(&region->epochs.last, epoch); /* for threads that are born later */
}
