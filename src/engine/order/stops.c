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
#include "engine/order/baton.h"
#include "engine/order/permissions.h"
#include "engine/order/region_lock.h"
#include "engine/region/rings.h"

/* -- The state of a process in /proc ------------------------------------------------------------------------------------- */

struct look {
  unsigned threads;
  unsigned running;  /* … that may be in the engine or the program this moment */
  unsigned stopped;  /* if there is one, no other comes back from the kernel */
  unsigned handling; /* running with stops blocked: perhaps in the handler of one */
  bool pending;      /* SIGSTOP is */
};

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

static void look_at_thread(struct look *look, int32_t pid, const char *tid) {
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

static struct look look_at(int32_t pid) {
  struct look look = {0};
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
  struct look look = look_at(tid);
  return look.stopped && !look.running;
}

void stops_mark(int32_t pid, enum stop_state state) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid) atomic_store(&slot->stops, state);
  }
}

/* -- Signals of the terminal ------------------------------------------------------------------------------------------------- */

/* A thread without a waiting stop signal unblocks the stop signals that the program does not block. If everything is blocked, the code that
 * blocked it restores the program's mask in the end. */
static uint64_t open_to_stops(const struct thread *thread, uint64_t mask) {
  bool all = (mask & ASYNCHRONOUS) == ASYNCHRONOUS;
  return all || thread->stop_signal ? mask : mask & ~(FROM_TERMINAL & ~thread->mask);
}

/* Stops the process by the pending signal, so that its parent learns which signal it was; returns when the process is continued, at once if
 * SIGCONT came first. */
static void stop(const struct thread *thread, int signo) {
  struct action standard = {0}, own;
  uint64_t only = SIGNAL_BIT(signo), old;
  os_call4(__NR_rt_sigaction, signo, &standard, &own, sizeof own.mask);
  os_call4(__NR_rt_sigprocmask, SIG_UNBLOCK, &only, &old, sizeof old);
  old = open_to_stops(thread, old);
  os_call4(__NR_rt_sigprocmask, SIG_SETMASK, &old, 0, sizeof old);
  os_call4(__NR_rt_sigaction, signo, &own, 0, sizeof own.mask);
}

static bool take_back(int signo) {
  uint64_t only = SIGNAL_BIT(signo), at_once[2] = {0};
  return os_call4(__NR_rt_sigtimedwait, &only, 0, at_once, sizeof only) == signo;
}

/* Passes the signal to another thread of the process, which has to obey it. */
static void pass_to(const struct thread *thread, const struct rthread *other, int signo) {
  uint64_t mask;
  if (take_back(signo)) os_call3(__NR_tgkill, other->pid, other->tid, signo);
  os_call4(__NR_rt_sigprocmask, SIG_BLOCK, 0, &mask, sizeof mask);
  mask &= ~open_to_stops(thread, mask);
  os_call4(__NR_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, sizeof mask);
}

/* -- In parallel: no thread may be stopped in the middle of what others wait for ------------------------------------------------- */

static struct rthread *first_of(int32_t pid) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid) return slot;
  }
  return NULL;
}

/* No other process waits for this one now. A stop requested by another process is made once: the first slot's word decides, the words of
 * the other slots only say that it should be checked. */
static void obey(struct thread *thread) {
  struct rthread *own = thread->rthread, *first = first_of(own->pid);
  int signo = thread->stop_signal;
  uint32_t asked = STOP_ASKED, begun = STOP_BEGINS;
  thread->stop_signal = 0;
  if (own != first) atomic_store(&own->stops, STOP_NONE);
  if (signo) stop(thread, signo);
  if (signo || !first || !atomic_compare_exchange_strong(&first->stops, &asked, STOP_BEGINS)) return;
  /* To this thread, so that it is not past here before the process has stopped. */
  os_call3(__NR_tgkill, own->pid, own->tid, SIGSTOP);
  atomic_compare_exchange_strong(&first->stops, &begun, STOP_NONE);
}

void stops_at_safepoint(struct thread *thread) {
  permissions_stop(thread);
  obey(thread);
  permissions_go(thread);
}

/* Obeys if all other threads are parked as well. Otherwise a running thread does, at its next safepoint. */
void stops_parked(struct thread *thread) {
  struct rthread *running = permissions_running(thread);
  int signo = thread->stop_signal;
  if (!running) obey(thread);
  if (!running || running == thread->rthread) return;
  thread->stop_signal = 0;
  if (signo) {
    pass_to(thread, running, signo);
    return;
  }
  struct rthread *first = first_of(running->pid);
  if (!first || atomic_load(&first->stops) != STOP_ASKED) return;
  if (running != first) atomic_store(&running->stops, STOP_ASKED);
  kick_thread(running->pid, running->tid);
}

static bool waits_for_child(int32_t pid) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid && slot->vforks) return true;
  }
  return false;
}

/* Requests a stop, and waits until the process has stopped, has been continued since, or is gone. */
static void ask_to_stop(int32_t pid, void *nothing) {
  (void)nothing;
  struct rthread *first = first_of(pid);
  bool asked = false;
  while (first && first->pid == pid && rthread_is_alive(first)) {
    uint32_t none = STOP_NONE;
    if (stops_done(pid) || waits_for_child(pid)) break;
    if (asked && atomic_load(&first->stops) == STOP_NONE) break;
    if (!asked && atomic_compare_exchange_strong(&first->stops, &none, STOP_ASKED)) {
      asked = true;
      kick_thread(first->pid, first->tid);
    }
    region_give_way();
  }
  /* If another stop came first, the process must not stop once more when it is continued. */
  uint32_t unheard = STOP_ASKED;
  if (asked) atomic_compare_exchange_strong(&first->stops, &unheard, STOP_NONE);
}

/* True if a process of the sphere has sent the stop, and it was undone since. */
static bool is_undone(const struct thread *thread, const siginfo_t *info) {
  const struct rthread *own = thread->rthread;
  bool sent = info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE;
  return sent && process_of(info->si_pid) && atomic_load(&own->continues) != atomic_load(&own->stopped_at);
}

void stops_arrived(struct thread *thread, int signo, const siginfo_t *info, uint64_t *mask) {
  thread->disturbed = true;
  os_call3(__NR_tgkill, os_call0(__NR_getpid), os_call0(__NR_gettid), signo);
  /* A SIGCONT from now on undoes the pending signal. */
  if (is_undone(thread, info)) {
    take_back(signo);
    return;
  }
  /* If no other thread can wait for the baton, a stopped thread may keep it. */
  if (atomic_load(&region->live) <= 1) {
    stop(thread, signo);
    return;
  }
  thread->stop_signal = signo;
  arch_request(thread);
  if (in_parallel()) {
    stops_parked(thread);
  } else if (!thread->in_region) {
    region_lock();
    region_unlock();
  }
  if (thread->stop_signal) *mask |= SIGNAL_BIT(signo);
}

void stops_kicked(struct thread *thread, uint64_t *mask) {
  if (!stops_wanted(thread)) return;
  stops_parked(thread);
  *mask = open_to_stops(thread, *mask);
}

void stops_serve(struct thread *thread) {
  int signo = thread->stop_signal;
  uint32_t slot = atomic_load(&region->holder);
  struct rthread *holder = slot ? &region->slots[slot - 1] : NULL;
  bool runs = holder && holder->pid == thread->rthread->pid && !atomic_load(&holder->turn);
  if (runs && holder == thread->rthread) return; /* at its next safepoint */
  thread->stop_signal = 0;
  if (!runs) {
    stops_mark(thread->rthread->pid, STOP_BEGINS);
    region_yield();
    stop(thread, signo);
    return;
  }
  pass_to(thread, holder, signo);
}

/* -- Signals that calls send ------------------------------------------------------------------------------------------------- */

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

int call_sends_itself(const struct thread *thread, const struct call *call) {
  const long *a = call->args;
  switch (call->nr) {
    case __NR_kill:
    case __NR_rt_sigqueueinfo:
      return (int)a[0] <= 0 || (int)a[0] == thread->process->pid ? (int)a[1] : 0;
    case __NR_tkill:
      return (int)a[0] == thread->tid ? (int)a[1] : 0;
    case __NR_tgkill:
    case __NR_rt_tgsigqueueinfo:
      return (int)a[1] == thread->tid ? (int)a[2] : 0;
    default:
      return 0;
  }
}

int call_sends(const struct call *call, int32_t *to) {
  const long *a = call->args;
  switch (call->nr) {
    case __NR_kill:
    case __NR_rt_sigqueueinfo:
      *to = (int32_t)a[0];
      return (int)a[1];
    case __NR_tkill:
      *to = process_of((int32_t)a[0]);
      if (!*to) *to = (int32_t)a[0];
      return (int)a[1];
    case __NR_tgkill:
    case __NR_rt_tgsigqueueinfo:
      *to = (int32_t)a[0];
      return (int)a[2];
    case __NR_pidfd_send_signal:
      *to = process_of_descriptor((int)a[0]);
      return *to ? (int)a[1] : 0;
    default:
      return 0;
  }
}

static bool reaches(int32_t to, int32_t pid) {
  if (to > 0) return to == pid;
  return to == -1 || os_call1(__NR_getpgid, pid) == (to ? -to : os_call1(__NR_getpgid, 0));
}

/* The thread that the signal is for, 0: any of its process. */
static int32_t thread_meant(const struct call *call) {
  switch (call->nr) {
    case __NR_tkill:
      return (int32_t)call->args[0];
    case __NR_tgkill:
    case __NR_rt_tgsigqueueinfo:
      return (int32_t)call->args[1];
    default:
      return 0;
  }
}

static bool somebody_takes(const struct process *process, int32_t tid, int signo) {
  bool found = false;
  lock_take(&threads_lock);
  for (const struct thread *t = threads; t && !found; t = t->next) {
    uint64_t blocked = t->waiting ? t->wait_mask : t->mask;
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
  bool itself = call->nr == __NR_pidfd_send_signal ? to == thread->rthread->pid
                                                   : to != -1 && reaches(to, thread->rthread->pid);
  return itself && somebody_takes(thread->process, thread_meant(call), signo) ? signo : 0;
}

/* -- Tracing ----------------------------------------------------------------------------------------------------------------- */

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

static bool lets_tracee_go(const struct call *call, long result) {
  return call_continues_tracee(call) ? result == -EPERM : call->args[0] == PTRACE_DETACH && result >= 0;
}

static void let_go_of(struct rthread *tracee) {
  atomic_store(&tracee->tracer, 0);
  region_wake(&tracee->tracer, 1);
}

/* Slot + 1 of the thread that writes the memory of its process, 0: none does. */
static uint32_t writer_of(const struct rthread *own) {
  uint32_t writer = atomic_load(&region->memory_writer);
  return writer && region->slots[writer - 1].writes_to == own->pid ? writer : 0;
}

bool stops_is_held(const struct rthread *rthread) {
  return atomic_load(&rthread->tracer) || writer_of(rthread);
}

/* Waits for a change of the word, for a while; a killed holder is removed from it. */
static void await_holder(_Atomic uint32_t *word, uint32_t holder) {
  region_wait(word, holder);
  if (!rthread_is_alive(&region->slots[holder - 1])) atomic_compare_exchange_strong(word, &holder, 0);
}

void stops_stay(struct thread *thread) {
  struct rthread *own = thread->rthread;
  uint32_t holder;
  while ((holder = atomic_load(&own->tracer))) await_holder(&own->tracer, holder);
  while ((holder = writer_of(own))) await_holder(&region->memory_writer, holder);
}

/* Other threads, the tracee among them, may request the tracer's blocks: so the tracer is parked meanwhile, too. */
static void await_parked(struct thread *thread, struct rthread *tracee) {
  atomic_store(&tracee->tracer, slot_of(thread->rthread) + 1);
  permissions_park(thread);
  while (!permissions_is_parked(tracee) && rthread_is_alive(tracee)) region_give_way();
  permissions_unpark(thread);
}

static bool is_live_of(const struct rthread *slot, int32_t pid) {
  return atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid;
}

void stops_begin_writing(struct thread *thread, int32_t pid) {
  uint32_t own = slot_of(thread->rthread) + 1, other = 0;
  thread->rthread->writes_to = pid;
  permissions_park(thread);
  while (!atomic_compare_exchange_strong(&region->memory_writer, &other, own)) {
    if (other) await_holder(&region->memory_writer, other);
    other = 0;
  }
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    while (is_live_of(slot, pid) && !permissions_is_parked(slot) && rthread_is_alive(slot)) region_give_way();
  }
  permissions_unpark(thread);
}

void stops_end_writing(void) {
  atomic_store(&region->memory_writer, 0);
  region_wake(&region->memory_writer, INT32_MAX);
}

static void trace_before(struct thread *thread, const struct call *call) {
  struct rthread *tracee = tracee_of(call);
  if (!call_stops_tracee(call)) return;
  if (!in_parallel())
    region_lock();
  else if (tracee)
    await_parked(thread, tracee);
}

static void trace_after(const struct call *call, long result) {
  struct rthread *tracee = tracee_of(call);
  bool stops = call_stops_tracee(call);
  if (in_parallel()) {
    bool goes = stops ? result < 0 : lets_tracee_go(call, result);
    if (tracee && goes) let_go_of(tracee);
  } else if (stops) {
    if (result >= 0) task_await_trap((int32_t)call->args[1]);
    region_unlock();
  }
}

/* -- Calls ----------------------------------------------------------------------------------------------------------------------- */

enum stops_kind stops_kind(const struct thread *thread, const struct call *call) {
  int32_t to = 0, own = thread->rthread->pid;
  if (tracee_of(call)) return STOPS_TRACED;
  int signo = call_sends(call, &to);
  if (signo == SIGCONT || (signo > 0 && stops_handled(signo))) return STOPS_CATCHABLE;
  if (signo != SIGSTOP || atomic_load(&region->live) <= 1) return STOPS_NONE;
  bool itself = to != -1 && reaches(to, own);
  return itself ? STOPS_ITSELF : STOPS_OTHERS;
}

/* -- SIGSTOP and SIGCONT within the sphere ------------------------------------------------------------------------------------ */

/* Waits until SIGSTOP has had its effect: it has stopped the process, or was undone from outside, or can't stop it yet. */
static void await_stop(int32_t pid, void *nothing) {
  (void)nothing;
  for (bool undone = false;;) {
    struct look look = look_at(pid);
    if (!look.running && (look.stopped || waits_for_child(pid))) {
      stops_mark(pid, STOP_LIKELY);
      return;
    }
    if (!look.stopped && undone) return;
    undone = !look.pending;
    os_call0(__NR_sched_yield);
  }
}

/* The kernel may have given the signal to another thread; this thread runs on until that one has taken it. From then on no thread returns from a
 * call before the process is continued, not even from the call that checks. */
static void await_own_stop(int32_t pid) {
  while (look_at(pid).pending) os_call0(__NR_sched_yield);
}

static bool begins_to_stop(int32_t pid) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid && slot->stops == STOP_BEGINS) return true;
  }
  return false;
}

/* Waits until a stop that has begun is complete, so that SIGCONT finds it; or over, so that the next stop finds our handler. */
static void await_handlers(int32_t pid) {
  for (;;) {
    struct look look = look_at(pid);
    if (!look.handling && (!look.threads || look.stopped || !begins_to_stop(pid))) return;
    os_call0(__NR_sched_yield);
  }
}

void call_reaches_others(const struct thread *thread, int32_t to, void (*act)(int32_t pid, void *context),
                         void *context) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE || slot->pid <= 0 || slot->pid == thread->rthread->pid)
      continue;
    if (slot == first_of(slot->pid) && reaches(to, slot->pid)) act(slot->pid, context);
  }
}

/* Before a stop of the terminal's kind, or SIGCONT, is sent to the process. */
static void note_sent(int32_t pid, int signo) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE || slot->pid != pid) continue;
    if (signo == SIGCONT)
      atomic_fetch_add(&slot->continues, 1);
    else
      atomic_store(&slot->stopped_at, atomic_load(&slot->continues));
  }
}

static void before_catchable(int32_t pid, void *signo) {
  if (!in_parallel()) await_handlers(pid);
  note_sent(pid, *(int *)signo);
}

static void stop_other(int32_t pid, void *nothing) {
  if (os_call2(__NR_kill, pid, SIGSTOP) == 0) await_stop(pid, nothing);
}

void stops_before(struct thread *thread, const struct call *call, enum stops_kind kind) {
  int32_t to = 0;
  if (kind == STOPS_NONE) return;
  if (kind == STOPS_TRACED) {
    trace_before(thread, call);
    return;
  }
  int signo = call_sends(call, &to);
  if (kind == STOPS_CATCHABLE) {
    call_reaches_others(thread, to, before_catchable, &signo);
    if (reaches(to, thread->rthread->pid)) note_sent(thread->rthread->pid, signo);
    return;
  }
  if (in_parallel()) {
    call_reaches_others(thread, to, ask_to_stop, NULL);
    if (kind == STOPS_ITSELF) permissions_stop(thread);
    return;
  }
  region_lock();
  if (to <= 0) call_reaches_others(thread, to, stop_other, NULL);
  if (kind == STOPS_OTHERS) return;
  stops_mark(thread->rthread->pid, STOP_BEGINS);
  baton_leave(thread, CHUNK_CALL);
  region_yield();
}

void stops_after(struct thread *thread, const struct call *call, enum stops_kind kind, long result) {
  int32_t to = 0;
  if (kind == STOPS_TRACED) trace_after(call, result);
  if (kind == STOPS_ITSELF && !result) await_own_stop(thread->rthread->pid);
  if (kind == STOPS_ITSELF && in_parallel()) permissions_go(thread);
  if (kind == STOPS_NONE || kind == STOPS_CATCHABLE || kind == STOPS_TRACED || in_parallel()) return;
  call_sends(call, &to);
  if (kind == STOPS_OTHERS) call_reaches_others(thread, to, await_stop, NULL);
  region_unlock();
  if (kind == STOPS_ITSELF) baton_take(thread);
}
