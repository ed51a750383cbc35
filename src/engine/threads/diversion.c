/* diversion.c: a copy of a process, made where the replay stands, that the debugger may change.
 *
 * A debugger calls functions of the program, and writes memory and registers. All that happens in a *diversion*: a fork of the process, made by a
 * thread that has stopped or rests, and thrown away when the replay goes on. So the replay never changes. The copy shares nothing with it: memory that
 * processes share is made private, the region too but for the part that the debugger drives the diversion through. It reads no logs, and runs as a
 * program that is not recorded does, with one thread. Its system calls stay inside (loop/diversion_points.c). It ends with the thread that made it. */
#include "engine/threads/diversion.h"

#include <linux/mman.h>
#include <linux/prctl.h>

#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/code/cache.h"
#include "engine/memory/maps.h"
#include "engine/region/debug.h"
#include "engine/region/rings.h"
#include "engine/signals/signal_state.h"
#include "engine/threads/checkpoint_vessel.h"
#include "engine/threads/threads.h"

static _Noreturn void give_up(void) {
  for (;;) os_call1(__NR_exit_group, 1);
}

/* Pages behind the end of the file can't be read, and stay so much zeros. */
static void make_private(const struct maps_line *line, void *context) {
  (void)context;
  if (!line->header || (line->start >= ENGINE_BASE && line->start < ENGINE_END)) return;
  struct maps_file file = maps_file(line);
  if (!file.shared) return;
  size_t bytes = line->end - line->start;
  long copy = os_call6(__NR_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (os_failed(copy)) give_up();
  if (!(file.protection & PROT_READ)) os_call3(__NR_mprotect, line->start, bytes, PROT_READ);
  for (size_t at = 0; at < bytes; at += PAGE) safe_copy((char *)copy + at, (char *)line->start + at, PAGE);
  long moved = os_call3(__NR_mprotect, copy, bytes, file.protection);
  if (!moved) moved = os_call5(__NR_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, line->start);
  if (os_failed(moved)) give_up();
}

/* The thread may have been in a system call, or about to take a signal: none of that goes on here. */
static void forget_all_pending(struct thread *thread) {
  thread->signals.queued = thread->signals.displaced = (struct queued_signal){0};
  arch_set_signal_queued(thread, false);
  arch_clear_request(thread);
  thread->in_call = thread->in_kernel = thread->signals.waiting = false;
  thread->loop.step_next = thread->loop.has_taken = false;
  thread->loop.path.head = 0;
  thread->signals.held = 0;
}

static _Noreturn void become_diversion(struct thread *thread, long replay) {
  os_call2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (os_call2(__NR_kill, replay, 0)) give_up(); /* it has ended before we asked for that signal */
  region_divert();
  if (!maps_visit(own_first_maps, make_private, NULL)) give_up();
  threads_forget_others(thread);
  is_diversion = true;
  config.mode = MODE_RUN;
  config.check = CHECK_NONE;
  thread->rthread = NULL;
  forget_all_pending(thread);
  arch_set_position(thread, 0);
  kernel_set_mask(thread->signals.mask & ASYNCHRONOUS);
  cache_empty();
  arch_start(thread);
}

/* The copy tells when it is there. */
void diversion_make(struct thread *thread) {
  struct region_diversion *diversion = &region->debug.diversion;
  atomic_store(&diversion->state, DIVERSION_RUNS);
  long self = os_call0(__NR_getpid), pid = vessel_copy_process(thread);
  if (!pid) become_diversion(thread, self);
  if (!os_failed(pid)) {
    diversion->pid = (int32_t)pid;
    return;
  }
  diversion->error = (int32_t)-pid;
  atomic_store(&diversion->state, DIVERSION_REFUSED);
  region_wake(&diversion->state, INT32_MAX);
}
