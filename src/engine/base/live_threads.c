/* live_threads.c: the threads of this address space and the processes that share it, as all of the engine sees them. See thread.h and
 * slots.h. */
#include "engine/base/lib.h"
#include "engine/base/slots.h"

struct lock threads_lock;
struct thread *threads;
_Atomic bool threads_several;
struct sharing sharing;

bool process_is_alone(void) {
  return atomic_load(&sharing.processes) <= 1;
}

bool process_was_alone(void) {
  return process_is_alone() && !atomic_load(&sharing.lent);
}

void process_lend_memory(void) {
  atomic_store(&sharing.lent, true);
}

void kick_thread(int pid, int tid) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = SIGSYS;
  info.si_code = SI_QUEUE;
  info.si_ptr = (void *)KICK_VALUE;
  os_call4(__NR_rt_tgsigqueueinfo, pid, tid, SIGSYS, &info);
}

bool is_kick(const siginfo_t *info) {
  return info->si_signo == SIGSYS && info->si_code == SI_QUEUE && (uintptr_t)info->si_ptr == KICK_VALUE;
}

void thread_kick(struct thread *thread) {
  kick_thread(thread->process->pid, thread->tid);
}
