/* live_vessel.c: vessels of a recorded process, made while it goes on. See region/live.h.
 *
 * The program must not notice: not by a child that it could wait for, not by descriptors that stay open, not by a signal to a process group. So the vessel is made
 * by a helper that shares the memory of the process and ends at once; it closes all descriptors and leaves the session; and when the manager ends, or wants
 * it no more, it ends.
 *
 * The vessel's memory is that of an engine that records. When it is restored from a recording, the engine becomes one that replays: its settings and turns
 * change, code is translated anew, signals come by the log alone. Threads begin at the bottom of their stacks, where the program is; one that waited in a
 * call is in the second half of that call. */
#include "engine/threads/live_vessel.h"

#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/code/cache.h"
#include "engine/code/lasting.h"
#include "engine/memory/layout.h"
#include "engine/region/debug.h"
#include "engine/region/rings.h"
#include "engine/region/turns.h"
#include "engine/signals/signal_state.h"
#include "engine/signals/signals.h"
#include "engine/threads/checkpoint_vessel.h"
#include "engine/threads/threads.h"
#include "engine/turns/turn_tables.h"

enum { PIDFD_OPEN = 434 }; /* the same on all architectures */

/* -- In a replay -------------------------------------------------------------------------------------------------------------- */

static void become_replay(void) {
  config.mode = MODE_REPLAY;
  config.live = false;
  config.checkpoints = config.order == ENGINE_CHUNK || config.serial;
  config.check = CHECK_NONE;
  config_decide();
  turns_choose();
  lasting_begin_again();
}

/* How instructions are counted, and how requests are made, depends on the settings. Requests of the recording are none of the replay's. */
void live_becomes_replay(void) {
  static uint64_t positions[REGION_SLOTS];
  size_t count = 0, n = 0;
  for (struct thread *thread = threads; thread; thread = thread->next) {
    arch_clear_request(thread);
    positions[count++] = arch_position(thread);
  }
  become_replay();
  for (struct thread *thread = threads; thread; thread = thread->next)
    arch_set_position(thread, positions[n++]);
}

/* Signals that had come, and were not delivered, are in the log. */
static void forget_signals(struct thread *thread) {
  struct thread_signals *signals = &thread->signals;
  signals->queued = signals->displaced = (struct queued_signal){0};
  signals->held = 0;
  signals->waiting = signals->disturbed = thread->in_kernel = false;
  thread->record.stop_signal = 0;
  arch_set_signal_queued(thread, false);
  signals_init_thread(thread);
  signals_let_in(thread);
}

/* No point has seen the thread yet. */
static void show_to_debugger(struct thread *thread) {
  struct debug_thread *debug = debug_own(thread);
  struct call call;
  debug->stack = layout_sp();
  if (!thread->in_call) return;
  arch_call(thread, &call);
  debug->call = (int32_t)call.nr + 1;
}

static _Noreturn void go_on(struct thread *thread) {
  forget_signals(thread);
  thread->half_done = thread->in_call;
  thread->loop.path.head = 0;
  if (debugged()) show_to_debugger(thread);
  while (atomic_load(&region->checkpoint.freezes)) region_wait(&region->checkpoint.freezes, 1);
  atomic_store(&thread->rthread->checkpoint.at_rest, 0);
  turns->restored(thread);
  replay_arm(thread);
  arch_start(thread);
}

void live_resumed(void) {
  struct thread *thread = arch_self();
  vessel_arrive(thread);
  go_on(thread);
}

/* -- In the vessel ------------------------------------------------------------------------------------------------------------ */

static void close_all(void) {
  enum { HIGHEST = 1 << 16 };
  if (!os_call3(__NR_close_range, 0, ~0U, 0)) return;
  for (int fd = 0; fd < HIGHEST; fd++) os_call1(__NR_close, fd);
}

static int32_t manager;

static void await_end(struct thread *thread) {
  struct {
    long seconds, nanoseconds;
  } second = {1, 0};
  struct pollfd end = {.fd = (int)os_call2(PIDFD_OPEN, manager, 0), .events = POLLIN};
  (void)thread;
  while (os_call2(__NR_kill, manager, 0) != -ESRCH) {
    long ready = os_call5(__NR_ppoll, &end, 1, end.fd < 0 ? &second : NULL, 0, 0);
    if (ready > 0) break;
  }
  os_call1(__NR_exit_group, 0);
}

static _Noreturn void become_vessel(struct thread *thread) {
  manager = region->manager;
  os_call0(__NR_setsid);
  os_call2(__NR_prctl, PR_SET_PTRACER, manager);
  os_call5(__NR_prctl, PR_SET_NAME, "reprise-vessel", 0, 0, 0);
  close_all();
  region_detach();
  vessel_wait(thread, await_end);
  go_on(thread); /* in a replay */
}

/* -- In the process ----------------------------------------------------------------------------------------------------------- */

/* The helper has this thread's stack until it ends; so it does next to nothing. 0: in the copy. */
__attribute__((noinline)) static long copy_beside(_Atomic int32_t *copy) {
  long helper = os_call5(__NR_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0);
  if (!helper) {
    long made = os_call5(__NR_clone, 0, 0, 0, 0, 0);
    if (!made) return 0;
    atomic_store(copy, (int32_t)made);
    for (;;) os_call1(__NR_exit, 0);
  }
  if (helper > 0) os_call4(__NR_wait4, helper, 0, __WALL, 0);
  return helper < 0 ? helper : atomic_load(copy);
}

long live_make_vessel(struct thread *thread) {
  static _Atomic int32_t copy;
  uint64_t mask;
  os_call4(__NR_rt_sigprocmask, SIG_SETMASK, 0, &mask, sizeof mask);
  kernel_set_mask(ALL_SIGNALS); /* the helper would take a signal to the process group as this thread */
  cache_before_fork();
  process_lock_all(thread);
  atomic_store(&copy, -EAGAIN);
  long made = copy_beside(&copy);
  process_unlock_all(thread, false);
  cache_after_fork(made == 0);
  if (!made) become_vessel(thread);
  kernel_set_mask(mask);
  thread->rthread->checkpoint.vessel = made > 0 ? (int32_t)made : 0;
  return made > 0 ? 0 : made;
}
