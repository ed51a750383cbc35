/* threads.c: slots, the list of threads, a thread's first steps.
 *
 * A slot is mapped when it is first taken and never unmapped. A thread that ends gives its tables back to
 * the kernel, leaves the list and queues its slot; the slot is used again once the kernel has cleared its
 * kernel_tid, which it does after the last instruction on the slot's stacks. Threads of a process that
 * shares our memory (vfork) may be killed without running this code; their cleared kernel_tid shows it. */
#include "engine/base/thread.h"

#include <linux/mman.h>
#include <linux/prctl.h>

#include "engine/base/arena.h"
#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/slots.h"
#include "engine/border/sphere.h"
#include "engine/border/thread_words.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/memory/limits.h"
#include "engine/memory/mappings.h"
#include "engine/order/thread_order.h"
#include "engine/order/permissions.h"
#include "engine/signals/signal_state.h"
#include "engine/threads/threads.h"

#define SLOT_MAX ((LARGE_COPIES_BASE - THREAD_AREA_BASE) / THREAD_AREA_STRIDE)
/* The page under the engine stack stays unmapped: an overflow faults instead of eating the tables. */
#define SLOT_TABLES_END (SLOT_ENGINE_STACK - PAGE)

enum { NOT_STARTED = -1 }; /* kernel_tid of a thread that the kernel does not run yet */

/* All under threads_lock. */
static struct {
  size_t mapped;               /* slots below this index have been mapped */
  struct thread *first, *last; /* slots to be used again, oldest first, linked by `next` */
} state;

/* -- Slots ----------------------------------------------------------------------------------------------- */

static bool map_part(struct thread *slot, uintptr_t offset, size_t size) {
  long at = os_call6(__NR_mmap, (uintptr_t)slot + offset, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return !os_failed(at);
}

static bool map_slot(struct thread *slot) {
  return map_part(slot, 0, SLOT_TABLES_END) && map_part(slot, SLOT_ENGINE_STACK, SLOT_ENGINE_STACK_SIZE) &&
         map_part(slot, SLOT_SIGNAL_STACK, SLOT_SIGNAL_STACK_SIZE) &&
         (config.check == CHECK_NONE || map_part(slot, SLOT_PERMISSIONS, SLOT_PERMISSIONS_SIZE));
}

void slot_give_back(struct thread *thread) {
  uintptr_t slot = (uintptr_t)thread;
  os_call3(__NR_madvise, slot + SLOT_TABLES, SLOT_TABLES_END - SLOT_TABLES, MADV_DONTNEED);
  if (config.check != CHECK_NONE && !permissions_on()) /* there the thread still needs them */
    os_call3(__NR_madvise, slot + SLOT_PERMISSIONS, SLOT_PERMISSIONS_SIZE, MADV_DONTNEED);
  os_call2(__NR_munmap, slot + SLOT_SCRATCH, SLOT_SCRATCH_SIZE); /* left behind by an execve after vfork */
}

static void queue_slot(struct thread *slot) {
  slot->next = NULL;
  if (state.last)
    state.last->next = slot;
  else
    state.first = slot;
  state.last = slot;
}

/* The kernel lets go of threads in about the order in which they end, so the oldest is the one to look at. */
static struct thread *reuse_slot(void) {
  struct thread *slot = state.first;
  if (!slot || !slot_is_left(slot)) return NULL;
  state.first = slot->next;
  if (!state.first) state.last = NULL;
  return slot;
}

struct thread *slot_take(void) {
  threads_reap();
  lock_take(&threads_lock);
  struct thread *slot = reuse_slot();
  if (!slot && state.mapped < SLOT_MAX && map_slot(slot_at(state.mapped))) slot = slot_at(state.mapped++);
  lock_release(&threads_lock);
  if (!slot) return NULL;
  memset(slot, 0, sizeof *slot);
  slot->kernel_tid = NOT_STARTED;
  return slot;
}

/* -- The list -------------------------------------------------------------------------------------------- */

void thread_enlist(struct thread *thread) {
  lock_take(&threads_lock);
  thread->next = threads;
  if (threads) atomic_store(&threads_several, true); /* before the second one begins */
  threads = thread;
  lock_release(&threads_lock);
}

static void delist(struct thread **link) {
  struct thread *thread = *link;
  *link = thread->next;
  queue_slot(thread);
}

void thread_delist(struct thread *thread) {
  lock_take(&threads_lock);
  struct thread **link = &threads;
  while (*link != thread) link = &(*link)->next;
  delist(link);
  lock_release(&threads_lock);
}

static bool leave_process(struct process *process) {
  if (atomic_fetch_sub(&process->users, 1) > 1) return false;
  sharing.processes--;
  return true;
}

void process_free(struct process *process) {
  signals_drop_actions(process->actions);
  arena_free(process, sizeof *process);
}

static void drop_process(struct process *process) {
  if (leave_process(process)) process_free(process);
}

static void take_locks_from(const struct thread *dead) {
  lock_left_by(&cache_lock, dead);
  lock_left_by(&mappings_lock, dead);
  lock_left_by(&dead->process->actions->lock, dead);
  arena_left_by(dead);
}

void threads_reap(void) {
  if (process_is_alone()) return;
  lock_take(&threads_lock);
  for (struct thread **link = &threads; *link;) {
    struct thread *thread = *link;
    if (!slot_is_left(thread)) {
      link = &thread->next;
      continue;
    }
    LOG(threads, "%d is gone", thread->tid);
    take_locks_from(thread);
    if (permissions_on()) permissions_gone(thread);
    slot_give_back(thread);
    delist(link);
    drop_process(thread->process);
  }
  lock_release(&threads_lock);
}

void threads_forget_ended(void) {
  for (struct thread *slot = state.first; slot; slot = slot->next) slot->kernel_tid = 0;
}

void threads_forget_others(struct thread *thread) {
  state.first = state.last = NULL;
  for (size_t i = 0; i < state.mapped; i++) {
    struct thread *other = slot_at(i);
    if (other == thread) continue;
    other->kernel_tid = 0;
    slot_give_back(other);
    queue_slot(other);
  }
  threads = thread;
  thread->next = NULL;
  thread->process->users = 1;
  sharing.processes = 1;
  atomic_store(&sharing.lent, false);
}

/* -- Processes that share the address space -------------------------------------------------------------- */

struct process *process_make(int pid, struct signal_actions *actions) {
  struct process *process = arena_alloc(sizeof *process);
  process->pid = pid;
  process->users = 1;
  process->actions = actions;
  lock_take(&threads_lock);
  sharing.processes++;
  lock_release(&threads_lock);
  return process;
}

bool process_leave(struct process *process) {
  lock_take(&threads_lock);
  bool last = leave_process(process);
  lock_release(&threads_lock);
  return last;
}

void process_drop(struct process *process) {
  lock_take(&threads_lock);
  drop_process(process);
  lock_release(&threads_lock);
}

/* -- First steps ----------------------------------------------------------------------------------------- */

struct thread *thread_first(void) {
  struct thread *thread = slot_take();
  if (thread) {
    thread->process = process_make((int)os_call0(__NR_getpid), NULL);
    arch_set_self(thread);
    thread->tid = (int)os_call1(__NR_set_tid_address, &thread->kernel_tid);
    thread->kernel_tid = thread->tid;
    thread_enlist(thread);
    return thread;
  }
  fail_to_map("the memory of a thread", -ENOMEM);
}

void thread_prepare(struct thread *thread) {
  thread->tid = (int)os_call0(__NR_gettid);
  thread->kernel_tid = thread->tid;
  if (!thread->process->pid)
    thread->process->pid = replaying() ? thread->rthread->replay.seen_id : (int)os_call0(__NR_getpid);
  signals_init_thread(thread);
  if (thread->life.clear_handlers) signals_clear_handlers(thread);
  if (in_sphere()) sphere_child(thread, thread->rthread);
  if (in_sphere() && thread->life.set_child_tid)
    order_write(thread, thread->life.set_child_tid, sizeof(uint32_t));
  store_tid(thread->life.set_child_tid, (uint32_t)thread->tid);
  if (in_sphere() && thread->life.set_child_tid) order_tick(thread);
  thread_entrust_word(thread);
  LOG(threads, "begins at %lx, stack %lx", arch_pc(thread), arch_sp(thread));
  signals_let_in(thread);
}

/* -- System calls ---------------------------------------------------------------------------------------- */

/* The kernel keeps the list too: it serves the process-shared mutexes of a process that is killed. */
static long call_set_robust_list(struct thread *thread, const struct call *call) {
  long result = arch_blocking_call(thread, call);
  if (result == 0) thread->life.robust_list = (uintptr_t)call->args[0];
  if (result == 0) thread_entrust_word(thread);
  return result;
}

/* The kernel has the engine's own word: it only says whether the command exists; the address comes from the thread. */
static long call_get_tid_address(struct thread *thread, const struct call *call) {
  uintptr_t unused;
  long known = os_call2(__NR_prctl, PR_GET_TID_ADDRESS, &unused);
  return known ? known
               : copy_to_app((uintptr_t)call->args[1], &thread->life.clear_child_tid, sizeof(uintptr_t));
}

bool threads_call(struct thread *thread, const struct call *call, long *result) {
  switch (call->nr) {
    case __NR_exit:
      /* A signal for the whole process may be queued here: its handler runs before the thread ends. */
      *result = CALL_INTERRUPTED;
      if (signals_hold_off(thread)) thread_exit(thread, (int)call->args[0]);
      return true;
    case __NR_exit_group:
      process_exit(thread, (int)call->args[0]);
    case __NR_set_tid_address:
      thread->life.clear_child_tid = (uintptr_t)call->args[0];
      thread_entrust_word(thread);
      *result = thread->tid;
      return true;
    case __NR_prctl:
      if (call->args[0] != PR_GET_TID_ADDRESS) return false;
      *result = call_get_tid_address(thread, call);
      return true;
    case __NR_set_robust_list:
      *result = call_set_robust_list(thread, call);
      return true;
    default:
      return clone_call(thread, call, result) || trace_call(thread, call, result) ||
             tracing_call(thread, call, result);
  }
}
