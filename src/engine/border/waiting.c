/* waiting.c: a call that may wait works on copies of the application's memory (input/bounce.h), which lie in the thread's slot.
 * So the kernel never accesses memory out of turn while other threads run. */
#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/code/code.h"
#include "engine/order/audit.h"
#include "engine/order/permissions.h"
#include "input/bounce.h"

static struct bounce *bounce_of(struct thread *thread) {
  return (struct bounce *)((uintptr_t)thread + SLOT_BOUNCE);
}

static void map_area(struct thread *thread) {
  if (thread->record.bounce_mapped) return;
  long at = os_call6(__NR_mmap, bounce_of(thread), SLOT_BOUNCE_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) sphere_fail(OUTCOME_FAILED, "no memory for copies of what the kernel writes");
  thread->record.bounce_mapped = true;
}

/* Places for copies that are too large for the slot, until the call is over. */
enum { LARGE_PLACES = (ENGINE_END - LARGE_COPIES_BASE) / LARGE_COPIES_STRIDE };
static _Atomic bool large_used[LARGE_PLACES];

static uintptr_t take_place(void) {
  for (unsigned i = 0; i < LARGE_PLACES; i++)
    if (!atomic_exchange(&large_used[i], true)) return LARGE_COPIES_BASE + i * LARGE_COPIES_STRIDE;
  return 0;
}

static char *map_large(struct thread *thread, size_t room) {
  uintptr_t at = room > LARGE_COPIES_STRIDE ? 0 : take_place();
  if (!at)
    sphere_fail(OUTCOME_UNSUPPORTED, "a system call that moves %lu bytes at once can't be recorded",
                (unsigned long)room);
  thread->record.large_copies = at;
  long result = os_call6(__NR_mmap, at, room, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(result)) sphere_fail(OUTCOME_FAILED, "no memory for copies of what the kernel writes");
  return (char *)at;
}

void waiting_begin(struct thread *thread, struct input_call *call, struct call *bounced) {
  map_area(thread);
  struct bounce *bounce = bounce_of(thread);
  if (bounce_enter(bounce, call, (char *)bounce + PAGE, SLOT_BOUNCE_SIZE - PAGE)) {
    size_t room = ALIGN_UP(bounce_room(call), PAGE);
    long result = bounce_enter(bounce, call, map_large(thread, room), room);
    CHECK(result == 0);
  }
  memcpy(bounced->args, bounce->args, sizeof bounced->args);
  thread->record.on_copies = true;
}

void waiting_again(struct thread *thread, struct call *bounced) {
  if (thread->record.on_copies) memcpy(bounced->args, bounce_of(thread)->args, sizeof bounced->args);
}

void waiting_over(struct thread *thread) {
  thread->record.on_copies = false;
  if (!thread->record.large_copies) return;
  os_call2(__NR_munmap, thread->record.large_copies, LARGE_COPIES_STRIDE);
  atomic_store(&large_used[(thread->record.large_copies - LARGE_COPIES_BASE) / LARGE_COPIES_STRIDE], false);
  thread->record.large_copies = 0;
}

static long copy_in(void *visitor, const struct bounce_write *write) {
  (void)visitor;
  return write->from ? copy_to_app(write->to, write->from, write->bytes) : 0;
}

static long log_in(void *visitor, const struct bounce_write *write) {
  record_copy_in(visitor, write->to, write->from ? (const void *)write->from : (const void *)write->to,
                 write->bytes);
  return 0;
}

static long take(void *visitor, const struct bounce_write *write) {
  permissions_take_range(visitor, write->to, write->bytes, true);
  return 0;
}

void waiting_audit(struct thread *thread, const struct call *call, struct input_call *in, long result) {
  audit_memory(thread, call, in, result, bounce_of(thread), false);
  /* Bytes that the call has written behind its result stay in the copy. */
  if (!thread->record.overwritten) audit_copies(call, bounce_of(thread), result);
  thread->record.overwritten = false;
}

void waiting_hold(struct thread *thread, long result) {
  uint32_t lost;
  do {
    lost = permissions_lost(thread);
    bounce_leave(bounce_of(thread), result, take, thread);
  } while (permissions_lost(thread) != lost);
}

long waiting_end(struct thread *thread, long result) {
  return bounce_leave(bounce_of(thread), result, copy_in, NULL) ? -EFAULT : result;
}

void waiting_log(struct thread *thread, long result) {
  bounce_leave(bounce_of(thread), result, log_in, thread);
}
