/* stops.c: recorded processes that are stopped.
 *
 * The kernel stops a process on the spot. If the process had the baton or the region's lock, all others would wait for
 * it, even the one that should continue it. So
 *   - our handler takes the default action of the terminal's signals, and the process stops when it has neither. Until then the
 *     signal is pending and blocked, so that SIGCONT undoes it as natively. While our handler runs it is not pending: so SIGCONTs that
 *     are sent within the sphere are counted;
 *   - a thread that sends SIGSTOP within the sphere has both, and keeps them until the target has stopped;
 *   - a thread that stops its own process has the lock, which any thread may take once the process has stopped (LOCK_YIELDS). A thread that
 *     sends a stop or SIGCONT within the sphere waits until that is over.
 * In parallel a process stops itself when all its threads have come to a safepoint or are parked, also when
 * another process of the sphere wants to send it SIGSTOP.
 * A tracer stops single threads. It has the region's lock until that is done; in parallel the tracee parks first, and stays so
 * until the tracer releases it.
 * A thread that was given the baton and has not taken it may be stopped: it is passed over (baton.c). Stops are not logged: they show
 * in the results that other processes get.
 *
 * Known limits. These stop the sphere until SIGCONT: SIGSTOP from outside to a process that runs; a stop by the terminal a moment after the process was
 * continued, before our handler is there again; SIGSTOP to a process of several threads of which one waits for the child of a
 * vfork, because the kernel stops that thread at any time. */
#include "engine/order/stops.h"

#include <linux/fcntl.h>
#include <linux/ptrace.h>

#include "engine/base/lib.h"
#include "engine/base/signal_actions.h"
#include "engine/region/rings.h"
#include "engine/region/sent_signals.h"
#include "engine/region/turns.h"

/* -- The state of a process in /proc ------------------------------------------------------------------------------------- */

/* The number behind a name at the beginning of a line. */
static uint64_t field(const char *text, const char *name) {
  uint64_t value = 0;
  size_t length = strlen(name);
  while (text && strncmp(text, name, length)) text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
  if (!text) return 0;
  for (text += length; *text == '\t' || *text == ' '; text++) continue;
  for (; *text > ' '; text++) value = value << 4 | (uint64_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
  return value;
}

static void look_at_thread(struct stop_look *look, int32_t pid, const char *tid) {
  char path[96], text[4096];
  format(path, sizeof path, "/proc/%d/task/%s/status", pid, tid);
  long fd = os_call4(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return;
  long n = os_call3(__NR_read, fd, text, sizeof text - 1);
  os_call1(__NR_close, fd);
  if (n <= 0) return;
  text[n] = 0;
  const char *state = text;
  while (state && strncmp(state, "State:\t", 7)) state = strchr(state, '\n') ? strchr(state, '\n') + 1 : NULL;
  char letter = 'X';
  if (state) letter = state[7];
  look->threads++;
  look->running += letter == 'R';
  look->stopped += letter == 'T' || letter == 't';
  look->handling += letter == 'R' && field(text, "SigBlk:") & FROM_TERMINAL;
  look->pending |= (field(text, "SigPnd:") | field(text, "ShdPnd:")) & SIGNAL_BIT(SIGSTOP);
}

struct stop_look stop_look(int32_t pid) {
  struct stop_look look = {0};
  char path[64];
  union {
    char bytes[2048];
    uint64_t aligned;
  } entries;
  format(path, sizeof path, "/proc/%d/task", pid);
  long fd = os_call4(__NR_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) return look;
  long n;
  while ((n = os_call3(__NR_getdents64, fd, entries.bytes, sizeof entries.bytes)) > 0) {
    for (long at = 0; at < n;) {
      struct {
        uint64_t inode, offset;
        uint16_t length;
        uint8_t type;
        char name[];
      } const *entry = (const void *)(entries.bytes + at);
      if (entry->name[0] != '.') look_at_thread(&look, pid, entry->name);
      at += entry->length;
    }
  }
  os_call1(__NR_close, fd);
  return look;
}

bool stops_done(int32_t tid) {
  struct stop_look look = stop_look(tid);
  return look.stopped && !look.running;
}

void stops_mark(int32_t pid, enum stop_state state) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid) atomic_store(&slot->stops.state, state);
  }
}

bool stop_waits_for_child(int32_t pid) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid && slot->vforks) return true;
  }
  return false;
}

/* -- Signals of the terminal ------------------------------------------------------------------------------------------------- */

uint64_t stop_open_mask(const struct thread *thread, uint64_t mask) {
  bool all = (mask & ASYNCHRONOUS) == ASYNCHRONOUS;
  return all || thread->record.stop_signal ? mask : mask & ~(FROM_TERMINAL & ~thread->signals.mask);
}

void stop_obey(const struct thread *thread, int signo) {
  struct action standard = {0}, own;
  uint64_t only = SIGNAL_BIT(signo), old;
  os_call4(__NR_rt_sigaction, signo, &standard, &own, sizeof own.mask);
  os_call4(__NR_rt_sigprocmask, SIG_UNBLOCK, &only, &old, sizeof old);
  old = stop_open_mask(thread, old);
  os_call4(__NR_rt_sigprocmask, SIG_SETMASK, &old, 0, sizeof old);
  os_call4(__NR_rt_sigaction, signo, &own, 0, sizeof own.mask);
}

static bool take_back(int signo) {
  uint64_t only = SIGNAL_BIT(signo), at_once[2] = {0};
  return os_call4(__NR_rt_sigtimedwait, &only, 0, at_once, sizeof only) == signo;
}

void stop_pass_to(const struct thread *thread, const struct rthread *other, int signo) {
  uint64_t mask;
  if (take_back(signo)) os_call3(__NR_tgkill, other->pid, other->tid, signo);
  os_call4(__NR_rt_sigprocmask, SIG_BLOCK, 0, &mask, sizeof mask);
  mask &= ~stop_open_mask(thread, mask);
  os_call4(__NR_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, sizeof mask);
}

/* True if a process of the sphere has sent the stop, and it was undone since. */
static bool is_undone(const struct thread *thread, const siginfo_t *info) {
  const struct rthread *own = thread->rthread;
  bool sent = info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE;
  return sent && process_of(info->si_pid) &&
         atomic_load(&own->stops.continues) != atomic_load(&own->stops.stopped_at);
}

void stops_arrived(struct thread *thread, int signo, const siginfo_t *info, uint64_t *mask) {
  thread->signals.disturbed = true;
  os_call3(__NR_tgkill, os_call0(__NR_getpid), os_call0(__NR_gettid), signo);
  /* A SIGCONT from now on undoes the pending signal. */
  if (is_undone(thread, info)) {
    take_back(signo);
    return;
  }
  /* If no other thread can wait for the baton, a stopped thread may keep it. */
  if (atomic_load(&region->live) <= 1) {
    stop_obey(thread, signo);
    return;
  }
  thread->record.stop_signal = signo;
  arch_request(thread);
  turns->stop_came(thread);
  if (thread->record.stop_signal) *mask |= SIGNAL_BIT(signo);
}

/* -- Calls ----------------------------------------------------------------------------------------------------------------------- */

static struct rthread *tracee_of(const struct call *call) {
  for (uint32_t i = 0; call->nr == __NR_ptrace && i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->tid == (int32_t)call->args[1]) return slot;
  }
  return NULL;
}

bool call_stops_tracee(const struct call *call) {
  return call->nr == __NR_ptrace && (call->args[0] == PTRACE_ATTACH || call->args[0] == PTRACE_INTERRUPT);
}

bool call_continues_tracee(const struct call *call) {
  return call->nr == __NR_ptrace && call->args[0] == PTRACE_CONT && !call->args[3];
}

enum stops_kind stops_kind(const struct thread *thread, const struct call *call) {
  int32_t to = 0, own = thread->rthread->pid;
  if (tracee_of(call)) return STOPS_TRACED;
  int signo = call_sends(call, &to);
  if (signo == SIGCONT || (signo > 0 && stops_handled(signo))) return STOPS_CATCHABLE;
  if (signo != SIGSTOP || atomic_load(&region->live) <= 1) return STOPS_NONE;
  bool itself = to != -1 && signal_reaches(to, own);
  return itself ? STOPS_ITSELF : STOPS_OTHERS;
}

/* The kernel may have given the signal to another thread; this thread runs on until that one has taken it. From then on no thread returns from a
 * call before the process is continued, not even from the call that checks. */
static void await_own_stop(int32_t pid) {
  while (stop_look(pid).pending) os_call0(__NR_sched_yield);
}

/* Before a stop of the terminal's kind, or SIGCONT, is sent to the process. */
static void note_sent(int32_t pid, int signo) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE || slot->pid != pid) continue;
    if (signo == SIGCONT)
      atomic_fetch_add(&slot->stops.continues, 1);
    else
      atomic_store(&slot->stops.stopped_at, atomic_load(&slot->stops.continues));
  }
}

static void before_catchable(int32_t pid, void *signo) {
  turns->before_job_signal(pid);
  note_sent(pid, *(int *)signo);
}

void stops_before(struct thread *thread, const struct call *call, enum stops_kind kind) {
  int32_t to = 0;
  if (kind == STOPS_NONE) return;
  if (kind == STOPS_TRACED) {
    turns->before_trace(thread, call, tracee_of(call));
    return;
  }
  int signo = call_sends(call, &to);
  if (kind == STOPS_CATCHABLE) {
    call_reaches_others(thread, to, before_catchable, &signo);
    if (signal_reaches(to, thread->rthread->pid)) note_sent(thread->rthread->pid, signo);
    return;
  }
  turns->before_stop(thread, to, kind == STOPS_ITSELF);
}

void stops_after(struct thread *thread, const struct call *call, enum stops_kind kind, long result) {
  int32_t to = 0;
  if (kind == STOPS_TRACED) turns->after_trace(call, tracee_of(call), result);
  if (kind != STOPS_ITSELF && kind != STOPS_OTHERS) return;
  if (kind == STOPS_ITSELF && !result) await_own_stop(thread->rthread->pid);
  call_sends(call, &to);
  turns->after_stop(thread, to, kind == STOPS_ITSELF);
}
