/* sent_signals.c: the signals that system calls send, and whom they reach in the sphere. See sent_signals.h. */
#include "engine/region/sent_signals.h"

#include <linux/fcntl.h>

#include "engine/base/lib.h"
#include "engine/base/signal_actions.h"
#include "engine/region/rings.h"
#include "input/input.h"

struct rthread *process_first(int32_t pid) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid) return slot;
  }
  return NULL;
}

int32_t process_of(int32_t id) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && (slot->tid == id || slot->pid == id)) return slot->pid;
  }
  return 0;
}

/* 0: it is none, or of a dead process. */
static int32_t process_of_descriptor(int fd) {
  char path[64], text[512];
  format(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  long info = os_call4(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (info < 0) return 0;
  long n = os_call3(__NR_read, info, text, sizeof text - 1);
  os_call1(__NR_close, info);
  text[n > 0 ? n : 0] = 0;
  const char *at = text;
  while (at && strncmp(at, "Pid:\t", 5)) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
  int32_t pid = 0;
  if (at)
    for (at += 5; *at >= '0' && *at <= '9'; at++) pid = pid * 10 + (*at - '0');
  return pid;
}

/* An argument that is a number of 32 bits; `otherwise` if the call has none of that meaning. */
static int32_t number_of(const struct call *call, enum input_meaning meaning, int32_t otherwise) {
  int argument = input_argument(call->nr, meaning);
  return argument < 0 ? otherwise : (int32_t)call->args[argument];
}

int call_sends_itself(const struct thread *thread, const struct call *call) {
  int signo = number_of(call, INPUT_SIGNAL, 0);
  if (!signo || input_argument(call->nr, INPUT_PIDFD) >= 0) return 0;
  if (input_argument(call->nr, INPUT_THREAD) >= 0)
    return number_of(call, INPUT_THREAD, 0) == thread->tid ? signo : 0;
  int32_t to = number_of(call, INPUT_TARGET, 0);
  return to <= 0 || to == thread->process->pid ? signo : 0;
}

int call_sends(const struct call *call, int32_t *to) {
  if (input_argument(call->nr, INPUT_SIGNAL) < 0) return 0;
  int signo = number_of(call, INPUT_SIGNAL, 0);
  if (input_argument(call->nr, INPUT_PIDFD) >= 0) {
    *to = process_of_descriptor(number_of(call, INPUT_PIDFD, -1));
    return *to ? signo : 0;
  }
  *to = number_of(call, INPUT_TARGET, 0);
  if (input_argument(call->nr, INPUT_TARGET) >= 0) return signo;
  int32_t thread = number_of(call, INPUT_THREAD, 0);
  *to = process_of(thread);
  if (!*to) *to = thread;
  return signo;
}

bool signal_reaches(int32_t to, int32_t pid) {
  if (to > 0) return to == pid;
  return to == -1 || os_call1(__NR_getpgid, pid) == (to ? -to : os_call1(__NR_getpgid, 0));
}

static bool somebody_takes(const struct process *process, int32_t tid, int signo) {
  bool found = false;
  lock_take(&threads_lock);
  for (const struct thread *t = threads; t && !found; t = t->next) {
    uint64_t blocked = t->signals.waiting ? t->signals.wait_mask : t->signals.mask;
    found = t->process == process && (!tid || t->tid == tid) && !(blocked & SIGNAL_BIT(signo));
  }
  lock_release(&threads_lock);
  return found;
}

int call_is_fatal(const struct thread *thread, const struct call *call) {
  int32_t to = 0;
  int signo = call_sends(call, &to);
  if (signo < 1 || signo > SIGNAL_COUNT || (UNBLOCKABLE | HARMLESS) & SIGNAL_BIT(signo)) return 0;
  if (signals_is_handled(thread, signo)) return 0;
  bool itself = input_argument(call->nr, INPUT_PIDFD) >= 0
                    ? to == thread->rthread->pid
                    : to != -1 && signal_reaches(to, thread->rthread->pid);
  return itself && somebody_takes(thread->process, number_of(call, INPUT_THREAD, 0), signo) ? signo : 0;
}

void call_reaches_others(const struct thread *thread, int32_t to, void (*act)(int32_t pid, void *context),
                         void *context) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE || slot->pid <= 0 || slot->pid == thread->rthread->pid)
      continue;
    if (slot == process_first(slot->pid) && signal_reaches(to, slot->pid)) act(slot->pid, context);
  }
}
