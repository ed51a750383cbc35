/* stage.c: the two things besides memory that threads take turns at: the output of the sphere, and the address space as a whole. See
 * permissions.h. */
#include "engine/order/baton.h"
#include "engine/order/hand_over.h"
#include "order/directory_steps.h"

/* -- The output ---------------------------------------------------------------------------------------------------------------- */

/* One lock for the whole sphere, and an edge from its last holder: like a block that all threads write, but without
 * requests. A thread that was killed with the lock has it no more. */
static void lock_output(uint32_t me) {
  for (;;) {
    uint32_t holder = 0;
    if (atomic_compare_exchange_strong(&region->output.holder, &holder, me)) return;
    region_wait(&region->output.holder, holder);
    if (atomic_load(&region->output.holder) == holder && !rthread_is_alive(&region->slots[holder - 1])) {
      rthread_check_output(&region->slots[holder - 1]);
      atomic_compare_exchange_strong(&region->output.holder, &holder, 0);
    }
  }
}

void permissions_take_output(struct thread *thread) {
  unsigned me = slot_number(thread);
  uint32_t nobody = 0;
  if (!atomic_compare_exchange_strong(&region->output.holder, &nobody, me + 1)) {
    permissions_park(thread);
    lock_output(me + 1);
    permissions_unpark(thread);
  }
  uint32_t writer = region->output.writer;
  if (writer && writer != me + 1) permissions_follow(thread, writer - 1, region->output.clock);
}

void permissions_leave_output(struct thread *thread) {
  region->output.clock = permissions_clock(thread);
  region->output.writer = slot_number(thread) + 1;
  atomic_store(&region->output.holder, 0);
  region_wake(&region->output.holder, 1);
}

/* -- The stage ---------------------------------------------------------------------------------------------------------------- */

bool permissions_has_stage(const struct thread *thread) {
  const struct directory_slot *slot = self(thread);
  return slot->pins && stage_held[slot_number(thread)] == ORDER_WRITE;
}

void permissions_stop(struct thread *thread) {
  let_go(thread);
  struct directory_claim claim;
  directory_claim_start(&claim);
  directory_claim_add(&claim, STAGE, STAGE + 1, ORDER_WRITE);
  claim_all(thread, &claim);
}

void permissions_go(struct thread *thread) {
  directory_unpin(&directory, slot_number(thread));
  arch_request(thread);
}

/* True if the slot's thread makes no more steps. A thread that waits in the kernel ends there: it will find that out when it
 * comes back. */
static bool is_retired(unsigned slot) {
  struct directory_slot *other = &region->directory[slot];
  uint32_t parked = DIRECTORY_PARKED;
  if (!atomic_compare_exchange_strong(&other->state, &parked, DIRECTORY_HELD)) return false;
  lock_recorder_of(slot);
  if (order_is_alive(&other->recorder)) order.scheme->exit(&order, &other->recorder);
  unlock_recorder(&directory, slot);
  atomic_store(&other->state, DIRECTORY_PARKED);
  return true;
}

static void retire_all_of(struct thread *thread, struct process *process) {
  unsigned me = slot_number(thread);
  if (!permissions_has_stage(thread)) permissions_stop(thread);
  atomic_store(&process->ender, me + 1);
  for (unsigned i = 0; i < REGION_SLOTS; i++) {
    if (i == me || !members[i] || members[i]->process != process) continue;
    while (!is_retired(i)) {
      uint32_t seen = atomic_load(&self(thread)->events);
      struct directory_serve serve;
      directory_serve_start(&serve);
      set_position(thread);
      while (directory_serve_step(&directory, me, &serve) != DIRECTORY_DONE) {
      }
      kick(&directory, i);
      wait_for_events(thread, seen);
    }
  }
}

void permissions_retire_others(struct thread *thread) {
  retire_all_of(thread, thread->process);
}

bool permissions_retire(struct thread *thread, int32_t pid) {
  for (unsigned i = 0; i < atomic_load(&region->directory_slots); i++) {
    if (!members[i] || region->slots[i].pid != pid) continue;
    retire_all_of(thread, members[i]->process);
    return true;
  }
  return false;
}

/* Killed, or about to be, and never to run again. */
static bool has_retired(unsigned slot) {
  return !order_is_alive(&region->directory[slot].recorder) && atomic_load(&members[slot]->process->ender);
}

bool permissions_only_member(void) {
  unsigned count = 0;
  for (unsigned i = 0; i < atomic_load(&region->directory_slots); i++) count += members[i] && !has_retired(i);
  return count <= 1;
}

bool permissions_alone(const struct thread *thread) {
  return !thread->rthread->parallel.is_known_elsewhere && permissions_only_member();
}

/* Neither parked nor in the kernel; or with a lock of the sphere. */
static bool is_busy(const struct thread *thread) {
  uint32_t me = slot_number(thread) + 1;
  if (atomic_load(&region->output.holder) == me || atomic_load(&region->shared.holder) == me) return true;
  return atomic_load(&self(thread)->state) == DIRECTORY_RUNNING && !thread->in_kernel;
}

struct rthread *permissions_running(const struct thread *thread) {
  if (is_busy(thread)) return thread->rthread;
  for (unsigned i = 0; i < atomic_load(&region->directory_slots); i++)
    if (members[i] && members[i]->process == thread->process && is_busy(members[i]))
      return members[i]->rthread;
  return NULL;
}
