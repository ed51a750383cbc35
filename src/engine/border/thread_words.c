/* thread_words.c: see thread_words.h.
 *
 * The engine makes the kernel's writes to application memory at a thread's end (marks its robust mutexes as abandoned, clears its id, wakes the
 * waiter for that) before the kernel, in the kernel's order: these are writes of the thread like any other. */
#include "engine/border/thread_words.h"

#include <linux/futex.h>
#include <linux/utsname.h>

#include "engine/base/lib.h"
#include "engine/base/slots.h"
#include "engine/code/code.h"
#include "engine/order/open_blocks.h"
#include "engine/order/permissions.h"

static void wake_one(uintptr_t word) {
  os_call3(__NR_futex, word, FUTEX_WAKE, 1);
}

/* -- The robust list ------------------------------------------------------------------------------------- */

/* As linux/futex.h has it, with numbers for pointers. */
struct robust_head {
  uintptr_t next;    /* first entry, or the head itself; bit 0: its futex inherits priority */
  long offset;       /* from an entry to its futex word */
  uintptr_t pending; /* entry that is just being taken or released */
};

/* Marks one futex as abandoned if the thread holds it. by: the thread that makes the access. False: stop walking. */
static bool abandon(struct thread *by, const struct thread *thread, uintptr_t word, bool inherits,
                    bool pending) {
  if (word % sizeof(uint32_t)) return false;
  uint32_t found;
  open_expect_closed(word, sizeof found);
  if (permissions_on()) permissions_take_range(by, word, sizeof found, true);
  if (safe_copy(&found, (void *)word, sizeof found)) return false;
  /* The mutex was being released: its next owner may not have been woken yet. */
  if (pending && !inherits && !found) {
    wake_one(word);
    return true;
  }
  while ((found & FUTEX_TID_MASK) == (uint32_t)thread->tid) {
    uint32_t abandoned = (found & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
    long seen = swap_in_app(word, found, abandoned);
    if (seen < 0) return false;
    if ((uint32_t)seen == found) {
      /* The kernel would hand the mutex over by itself, had the waiter waited in the kernel (inheritance.c). */
      if ((!inherits || in_sphere()) && found & FUTEX_WAITERS) wake_one(word);
      break;
    }
    found = (uint32_t)seen;
  }
  return true;
}

static void walk_robust_list(struct thread *by, const struct thread *thread) {
  struct robust_head head;
  uintptr_t at = thread->life.robust_list;
  open_expect_closed(at, sizeof head);
  if (safe_copy(&head, (void *)at, sizeof head)) return;
  uintptr_t pending = head.pending & ~1UL;
  uintptr_t entry = head.next;
  for (int limit = ROBUST_LIST_LIMIT; limit && (entry & ~1UL) != at; limit--) {
    uintptr_t here = entry & ~1UL, next;
    open_expect_closed(here, sizeof next);
    if (permissions_on()) permissions_take_range(by, here, sizeof next, false);
    /* Reads the next entry first: once the futex is given up, another thread may own it and free it. */
    bool readable = safe_copy(&next, (void *)here, sizeof next) == 0;
    if (here != pending && !abandon(by, thread, here + (uintptr_t)head.offset, entry & 1, false)) return;
    if (!readable) return;
    entry = next;
  }
  if (pending) abandon(by, thread, pending + (uintptr_t)head.offset, head.pending & 1, true);
}

void thread_leave_robust_list(struct thread *thread) {
  if (!thread->life.robust_list) return;
  walk_robust_list(thread, thread);
  os_call2(__NR_set_robust_list, 0, sizeof(struct robust_head));
}

void process_leave_robust_lists(struct thread *thread) {
  lock_take(&threads_lock);
  for (struct thread *other = threads; other; other = other->next)
    if (other != thread && other->process == thread->process && other->life.robust_list)
      walk_robust_list(thread, other);
  lock_release(&threads_lock);
}

/* -- The thread's id ------------------------------------------------------------------------------------- */

/* Since 5.4 the kernel wakes a waiter of a robust futex that was being released and is 0. */
static bool kernel_wakes_pending(void) {
  static _Atomic int known; /* 1 it does, -1 it does not */
  if (!known) {
    struct new_utsname name = {.release = "0"};
    os_call1(__NR_uname, &name);
    int version[2] = {0, 0};
    for (int i = 0, part = 0; name.release[i] && part < 2; i++) {
      if (name.release[i] == '.')
        part++;
      else
        version[part] = version[part] * 10 + (name.release[i] - '0');
    }
    known = version[0] > 5 || (version[0] == 5 && version[1] >= 4) ? 1 : -1;
  }
  return known > 0;
}

/* Gives the kernel a list of robust futexes in which this word alone is just being released. */
static bool leave_pending(struct thread *thread, uintptr_t word) {
  struct robust_head *last = (struct robust_head *)thread->life.last_robust_list;
  *last = (struct robust_head){.next = (uintptr_t)last, .pending = word};
  return !os_failed(os_call2(__NR_set_robust_list, last, sizeof *last));
}

/* The kernel clears one word of a thread at its end, normally the engine's. When a process that shares our memory is killed, other threads may
 * wait for the application's word: so the kernel is given that word, and marks the engine's as a futex whose owner has died. Known limit: not
 * for a process that has robust mutexes of its own. */
void thread_entrust_word(struct thread *thread) {
  if (replaying() || !thread->life.separate) return;
  bool can = thread->life.clear_child_tid && !thread->life.robust_list &&
             leave_pending(thread, (uintptr_t)&thread->kernel_tid);
  if (can || thread->life.entrusted)
    os_call1(__NR_set_tid_address, can ? thread->life.clear_child_tid : (uintptr_t)&thread->kernel_tid);
  thread->life.entrusted = can;
}

void store_tid(uintptr_t address, uint32_t tid) {
  if (!address) return;
  uint32_t found = 0;
  if (address % sizeof found) { /* legal, if pointless; nobody can wait on it */
    copy_to_app(address, &tid, sizeof tid);
    return;
  }
  if (safe_copy(&found, (void *)address, sizeof found)) return;
  for (;;) {
    long seen = swap_in_app(address, found, tid);
    if (seen < 0 || (uint32_t)seen == found) return;
    found = (uint32_t)seen;
  }
}

/* Clears the id where the application waits for that. A wake-up from here would let the waiter run while
 * the thread is still there, often enough to be seen (it counts threads, or needs to be the only one). So
 * the kernel wakes it, on its way out: the word is handed over as a futex that was just being released. */
void thread_announce_end(struct thread *thread) {
  uintptr_t word = thread->life.clear_child_tid;
  if (!word) return;
  open_expect_closed(word, sizeof(uint32_t));
  if (permissions_on()) permissions_take_range(thread, word, sizeof(uint32_t), true);
  if (thread->life.entrusted) os_call1(__NR_set_tid_address, &thread->kernel_tid);
  thread->life.entrusted = false;
  bool by_kernel = kernel_wakes_pending() && leave_pending(thread, word);
  store_tid(word, 0);
  if (!by_kernel) wake_one(word);
}

/* True if another process has the memory. When a child of vfork gives it back, and when that is noticed here, is not in order with this process's end; whether a thread of
 * ours waits for that is: others of this process make no more steps. */
static bool is_shared(const struct thread *thread) {
  bool shared = false;
  lock_take(&threads_lock);
  for (const struct thread *other = threads; other && !shared; other = other->next) {
    if (other == thread) continue;
    shared =
        other->process == thread->process ? other->rthread && other->rthread->vforks : !other->life.borrows;
  }
  lock_release(&threads_lock);
  return shared;
}

void process_announce_end(struct thread *thread) {
  if (!is_shared(thread)) return;
  thread_announce_end(thread);
  lock_take(&threads_lock);
  for (struct thread *other = threads; other; other = other->next) {
    if (other == thread || other->process != thread->process || !other->life.clear_child_tid) continue;
    open_expect_closed(other->life.clear_child_tid, sizeof(uint32_t));
    store_tid(other->life.clear_child_tid, 0);
    wake_one(other->life.clear_child_tid);
  }
  lock_release(&threads_lock);
}
