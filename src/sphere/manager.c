/* manager.c: the part of the manager that recording and replay share: the region, the program's life, the loop. See
 * manager.h. */
#include "sphere/manager.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recording/plain.h"
#include "recording/scratch.h"
#include "sphere/mapped.h"
#include "sphere/processes.h"
#include "sphere/watchdog.h"

/* -- Futexes ------------------------------------------------------------------------------------------------------------- */

/* The manager looks at the rings this often, even if no engine rings the doorbell: recording relies on it (record.c). */
enum { SLEEP_MS = 20 };

static void sleep_on(_Atomic uint32_t *word, uint32_t seen) {
  struct timespec patience = {0, SLEEP_MS * 1000000L};
  syscall(SYS_futex, word, FUTEX_WAIT, seen, &patience, NULL, 0);
}

static void wake_all(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

void manager_moved(struct manager *manager, struct ring *ring) {
  (void)manager;
  atomic_fetch_add(&ring->moved, 1);
  if (atomic_load(&ring->waiting)) wake_all(&ring->moved);
}

void manager_free_slot(struct manager *manager, struct rthread *slot) {
  atomic_store(&slot->state, SLOT_FREE);
  atomic_fetch_add(&manager->region->order.moved, 1);
  wake_all(&manager->region->order.moved);
}

void manager_hold_births(struct manager *manager, bool held) {
  struct region *region = manager->region;
  if (atomic_exchange(&region->births_held, held) == held || held) return;
  atomic_fetch_add(&region->order.moved, 1);
  wake_all(&region->order.moved);
}

/* The engines' lock of the region (engine/region/rings.c), if it is free at this moment: the manager never waits for a holder that could be dead. */

bool manager_try_lock(struct manager *manager) {
  uint32_t seen = 0;
  return atomic_compare_exchange_strong(&manager->region->lock, &seen, (uint32_t)getpid());
}

void manager_unlock(struct manager *manager) {
  _Atomic uint32_t *lock = &manager->region->lock;
  if (atomic_exchange(lock, 0) & LOCK_SLEEPERS) syscall(SYS_futex, lock, FUTEX_WAKE, 1, NULL, NULL, 0);
}

uint8_t *manager_ring(struct manager *manager, const struct ring *ring) {
  return (uint8_t *)manager->region + REGION_RING(region_ring_index(manager->region, ring));
}

/* -- Orders ---------------------------------------------------------------------------------------------------------------- */

static const char *const orders[] = {
    [ENGINE_CHUNK] = "chunk",   [ENGINE_DAG] = "dag",   [ENGINE_TOKENS] = "tokens",
    [ENGINE_SCALAR] = "scalar", [ENGINE_ARCS] = "arcs", [ENGINE_SYNC] = "sync"};

static const char *const values[] = {[VALUES_OFF] = "off", [VALUES_AUTO] = "auto", [VALUES_ALL] = "all"};

static int find_name(const char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(names[i], name)) return (int)i;
  return -1;
}

const char *manager_order_name(uint32_t order) {
  return orders[order];
}

int manager_order_named(const char *name) {
  return find_name(orders, sizeof orders / sizeof *orders, name);
}

const char *manager_values_name(uint32_t which) {
  return values[which];
}

int manager_values_named(const char *name) {
  return find_name(values, sizeof values / sizeof *values, name);
}

/* -- Start ----------------------------------------------------------------------------------------------------------------- */

/* Little of the region is ever used; this much must be there. */
enum { REGION_LEAST = 40 << 20 };

/* So few threads at a time are no use. */
enum { SLOTS_LEAST = 64 };

/* As many as have room for their rings in half of the file system. */
static uint32_t slots_in(uint64_t room) {
  uint32_t slots = REGION_SLOTS;
  while (slots > SLOTS_LEAST && (uint64_t)slots * 2 * RING_BYTES > room / 2) slots /= 2;
  return slots;
}

static void *map_region(int fd, int view, uint32_t slots) {
  if (ftruncate(fd, (off_t)REGION_BYTES(slots))) return MAP_FAILED;
  return mmap(NULL, REGION_BYTES(slots), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, view, 0);
}

/* The region's file, for fewer threads where a limit on files or addresses, or a small file system, leaves no room for all. Its lock
 * is shared by all who inherit the descriptor, so it is free when they are dead; the manager maps another open file of it. */
static int make_region(struct manager *manager) {
  int fd = scratch_file("reprise-region", REGION_BYTES(REGION_SLOTS));
  if (fd < 0) return -1;
  uint64_t room = scratch_room(fd);
  if (room < REGION_LEAST) {
    errno = ENOSPC;
    return -1;
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  manager->lock = open(path, O_RDWR | O_CLOEXEC);
  if (manager->lock < 0 || flock(fd, LOCK_SH)) return -1;
  uint32_t slots = slots_in(room);
  void *at = map_region(fd, manager->lock, slots);
  while (at == MAP_FAILED && slots > SLOTS_LEAST && (errno == EFBIG || errno == ENOMEM))
    at = map_region(fd, manager->lock, slots /= 2);
  if (at == MAP_FAILED) return -1;
  manager->region = at;
  manager->region->slots_most = slots;
  manager->region->in_file_system = room != UINT64_MAX;
  manager->region->magic = REGION_MAGIC;
  manager->self = manager->region->manager = getpid();
  return fd;
}

static bool is_space_limited(void) {
  struct rlimit limit;
  return !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

static const char *why_no_region(int error) {
  if (error == EFBIG) return "File too large: the limit on the size of files (ulimit -f) is below its size";
  if (error == ENOMEM && is_space_limited())
    return "the limit on address space (ulimit -v) is below its size";
  if (error == ENOENT && access("/proc/self", F_OK)) return "/proc is not mounted";
  if (error == ENOSPC) return "memfd_create is denied, and none of /dev/shm, /tmp and /var/tmp has room";
  if (error == EPERM || error == EACCES || error == ENOSYS)
    return "memfd_create is denied, and none of /dev/shm, /tmp and /var/tmp can be written";
  return strerror(error);
}

/* The manager's end sends. It never waits for a process that does not receive. */
static bool make_socket(struct manager *manager, struct launch_shared *shared) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return false;
  manager->files = ends[0];
  shared->socket = ends[1];
  return true;
}

bool manager_send_file(const struct manager *manager, int fd) {
  uint32_t serial = manager->region->request_serial;
  union {
    char bytes[CMSG_SPACE(sizeof fd)];
    struct cmsghdr header;
  } control = {.header = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
  struct iovec part = {&serial, sizeof serial};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
  return sendmsg(manager->files, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof serial;
}

/* -- Signals to the manager -------------------------------------------------------------------------------------------------- */

static const int left_to_program[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGUSR1, SIGSEGV,
                                      SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGVTALRM};
enum { LEFT = sizeof left_to_program / sizeof *left_to_program };

/* For the handler. */
static struct {
  volatile sig_atomic_t is_replay;
  volatile sig_atomic_t pid, descriptor; /* of the program; pid is 0 when it is dead */
  volatile sig_atomic_t ignored;         /* bit n: the n-th of the signals was, when the manager began */
  volatile sig_atomic_t signo, times;    /* the signal that is to end the sphere, and how often it came */
} told;

static bool was_ignored(int signo) {
  for (int i = 0; i < LEFT; i++)
    if (left_to_program[i] == signo) return told.ignored >> i & 1;
  return false;
}

static bool ends_sphere(int signo) {
  if (told.is_replay) return !was_ignored(signo);
  if (told.pid || was_ignored(signo)) return false;
  return signo == SIGHUP || signo == SIGINT || signo == SIGQUIT || signo == SIGTERM;
}

/* A signal sent to the recorder is meant for the program. The terminal's signals have reached the program as well. When the program has ended, and
 * has left processes behind, the signal is for these. A replay takes no signals but those of the log: it ends. */
static void pass_on(int signo, siginfo_t *info, void *context) {
  (void)context;
  bool sent = info->si_code <= 0, own = info->si_pid == getpid();
  int failed = errno;
  if (own && signo == SIGPIPE) return; /* our messages have no reader */
  if (!sent && (signo == SIGSEGV || signo == SIGABRT)) {
    signal(signo, SIG_DFL); /* our own, then */
  } else if (ends_sphere(signo)) {
    told.signo = signo;
    told.times = told.times + 1;
  } else if (sent && !own && told.pid) {
    process_send(told.descriptor, told.pid, signo);
  }
  errno = failed;
}

int manager_was_told(void) {
  return told.signo;
}

void manager_listen(void) {
  told.signo = told.times = 0;
}

/* The region is a file where there is no memfd_create, and its file system is full. The guard ends the sphere. */
static void lose_region(int signo) {
  static const char text[] = "reprise: " REGION_IS_FULL "\n";
  (void)signo;
  ssize_t told_all = write(STDERR_FILENO, text, sizeof text - 1);
  (void)told_all;
  _exit(125);
}

/* The manager stays until the program is dead. Processes that it starts have the actions that it found. */
static void set_signals(bool restore) {
  static struct sigaction old[LEFT + 1];
  for (int i = 0; i < LEFT; i++) {
    struct sigaction own = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(left_to_program[i], restore ? &old[i] : &own, restore ? NULL : &old[i]);
    if (!restore && old[i].sa_handler == SIG_IGN) told.ignored = told.ignored | 1 << i;
  }
  struct sigaction lost = {.sa_handler = lose_region};
  sigaction(SIGBUS, restore ? &old[LEFT] : &lost, restore ? NULL : &old[LEFT]);
}

/* -- The end of the sphere ---------------------------------------------------------------------------------------------------- */

/* Those that are left of a sphere that has come to its end. */
static void kill_all(struct manager *manager) {
  processes_signal(manager, SIGKILL);
}

/* The same until none is left: one may just have been born. lock: a descriptor of the region's file. */
static void end_all(struct manager *manager, int lock) {
  struct timespec pause = {0, 1000000};
  for (kill_all(manager); flock(lock, LOCK_EX | LOCK_NB); kill_all(manager)) nanosleep(&pause, NULL);
}

/* The first process may not be in the region yet. */
static void kill_program(struct manager *manager) {
  if (told.pid) process_send(manager->descriptor, manager->program, SIGKILL);
}

/* The manager was told to end the sphere. Processes that a recorded program has left behind are asked to end; those that have not after
 * a moment, or when the manager is told again, are killed. */
static void obey(struct manager *manager) {
  enum { PATIENCE_S = 1 };
  static struct timespec asked;
  struct timespec now;
  if (!told.times) return;
  clock_gettime(CLOCK_MONOTONIC, &now);
  bool first = !asked.tv_sec;
  if (first) asked = now;
  if (manager->is_replay || told.times > 1 || now.tv_sec - asked.tv_sec > PATIENCE_S) {
    kill_program(manager);
    kill_all(manager);
  } else if (first) {
    processes_signal(manager, SIGTERM);
  }
}

void manager_close_from(int first) {
  enum { HIGHEST_DESCRIPTOR = 65536 }; /* that a program is likely to have been given */
  struct rlimit limit;
  if (!close_range((unsigned)first, ~0U, 0)) return;
  int end = getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max > HIGHEST_DESCRIPTOR ? HIGHEST_DESCRIPTOR
                                                                                    : (int)limit.rlim_max;
  for (int fd = first; fd < end; fd++) close(fd);
}

/* The guard outlives the manager for a moment: if the manager is killed, no process takes the logs any more, and the guard ends the sphere.
 * It learns of the death by the end of a pipe that only the manager can write to, and holds nothing else open. It has a deputy that does the same, in case
 * the guard is killed together with the manager, which then can't post another. */
static void stand_guard(struct manager *manager, int pipe) {
  char byte;
  prctl(PR_SET_NAME, "reprise-guard");
  for (int signo = 1; signo < SIGRTMAX; signo++) signal(signo, SIG_IGN);
  if (dup3(manager->lock, 0, 0) < 0 || dup3(pipe, 1, 0) < 0) _exit(1);
  manager_close_from(2);
  manager->lock = 0;
  pid_t deputy = fork();
  /* A byte for each: the manager goes as it should. */
  if (read(1, &byte, 1) != 1) end_all(manager, 0);
  if (deputy > 0) waitpid(deputy, NULL, 0);
  _exit(0);
}

static bool post_guard(struct manager *manager) {
  int ends[2];
  manager->guard = -1;
  if (pipe2(ends, O_CLOEXEC)) return false;
  manager->guard = fork();
  if (!manager->guard) {
    close(ends[1]);
    stand_guard(manager, ends[0]);
  }
  close(ends[0]);
  manager->guard_pipe = ends[1];
  return manager->guard > 0;
}

static void tell_guards(struct manager *manager) {
  (void)!write(manager->guard_pipe, "gd", 2);
  close(manager->guard_pipe);
}

/* Posts another if it was killed. */
static void check_guard(struct manager *manager) {
  if (manager->guard < 0 || waitpid(manager->guard, NULL, WNOHANG) != manager->guard) return;
  tell_guards(manager); /* the deputy */
  post_guard(manager);
}

static void relieve_guard(struct manager *manager) {
  if (manager->guard < 0) return;
  tell_guards(manager);
  while (waitpid(manager->guard, NULL, 0) < 0 && errno == EINTR) {
  }
}

/* True if no thread of the first process is left. */
static bool first_is_gone(const struct region *region) {
  for (uint32_t i = 0; i < region_slots(region); i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && !region->slots[i].process) return false;
  return true;
}

/* Processes that go on from a checkpoint are not the manager's children, and tell it in the region how they end. */
static void watch_adopted(struct manager *manager) {
  const struct region *region = manager->region;
  struct timespec pause = {0, 1000000};
  while (flock(manager->lock, LOCK_EX | LOCK_NB)) {
    if (atomic_load(&region->finished) && first_is_gone(region)) kill_all(manager);
    nanosleep(&pause, NULL);
  }
  uint32_t status = atomic_load(&region->status);
  manager->status = status & REGION_STATUS_KNOWN ? (int)(status & 0xff00) : SIGKILL;
}

static void *watch(void *argument) {
  struct manager *manager = argument;
  siginfo_t info;
  if (manager->adopted) {
    watch_adopted(manager);
    atomic_store(&manager->over, true);
    atomic_fetch_add(&manager->region->doorbell, 1);
    wake_all(&manager->region->doorbell);
    return NULL;
  }
  while (waitid(P_PID, (id_t)manager->program, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  told.pid = 0; /* from now on its id may be another's */
  while (waitpid(manager->program, &manager->status, 0) < 0 && errno == EINTR) {
  }
  if (atomic_load(&manager->region->finished)) end_all(manager, manager->lock);
  while (flock(manager->lock, LOCK_EX) && errno == EINTR) {
  }
  atomic_store(&manager->over, true);
  atomic_fetch_add(&manager->region->doorbell, 1);
  wake_all(&manager->region->doorbell);
  return NULL;
}

/* The manager takes its turns on the processors as others do, but takes none away in the middle from a thread of the program, for which
 * all the others may be waiting. */
static void step_back(void) {
  struct sched_param none = {0};
  if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &none);
}

/* Makes the region, and takes the signals. */
static int open_sphere(struct manager *manager, const struct engine_config *settings,
                       struct launch_shared *shared, struct launch_problem *problem) {
  if (launch_check_ends(problem)) return -1;
  *shared = (struct launch_shared){make_region(manager), -1};
  if (shared->region < 0) {
    *problem = (struct launch_problem){.status = 125};
    snprintf(problem->text, sizeof problem->text, "can't make the memory to be shared with the program: %s",
             why_no_region(errno));
    return -1;
  }
  if (settings->mode == MODE_REPLAY && !make_socket(manager, shared)) {
    *problem = (struct launch_problem){.status = 125};
    snprintf(problem->text, sizeof problem->text, "can't make a socket: %s", strerror(errno));
    return -1;
  }
  manager->settings = settings;
  told.is_replay = manager->is_replay;
  set_signals(false);
  fflush(NULL);
  return 0;
}

static const char *why_no_process(int error) {
  return error == ENOMEM && is_space_limited() ? "the limit on address space (ulimit -v) is too low"
                                               : strerror(error);
}

/* In a child of the manager. */
static _Noreturn void become_program(struct manager *manager, struct engine_config *settings, char **argv,
                                     char **envp, const struct launch_shared *shared) {
  struct launch_problem problem;
  set_signals(true);
  if (manager->is_replay) signal(SIGPIPE, SIG_IGN); /* the engine tells of output that nobody reads */
  allowance_return(&manager->allowance);
  launch(settings, argv, envp, shared, &problem);
  fprintf(stderr, "reprise: %s\n", problem.text);
  _exit(problem.status);
}

int manager_start(struct manager *manager, struct engine_config *settings, char **argv, char **envp,
                  uint64_t seed, bool chaos, uint64_t chunk, struct launch_problem *problem) {
  struct launch_shared shared;
  if (open_sphere(manager, settings, &shared, problem)) return -1;
  chunk_init(&manager->region->scheduler, seed, chaos, chunk);
  bool guarded = post_guard(manager);
  manager->program = guarded ? fork() : -1;
  if (manager->program == 0) become_program(manager, settings, argv, envp, &shared);
  manager->descriptor = manager->program > 0 ? process_open(manager->program) : -1;
  told.descriptor = manager->descriptor;
  told.pid = manager->program > 0 ? manager->program : 0;
  step_back();
  close(shared.region);
  if (shared.socket >= 0) close(shared.socket);
  if (manager->program < 0 || pthread_create(&manager->watcher, NULL, watch, manager)) {
    *problem = (struct launch_problem){.status = 125};
    snprintf(problem->text, sizeof problem->text, "can't start a process: %s", why_no_process(errno));
    if (manager->program > 0) kill(manager->program, SIGKILL); /* nobody else waits for it */
    if (guarded) relieve_guard(manager);
    return -1;
  }
  return 0;
}

void manager_leave_to_parent(struct manager *manager) {
  close(manager->guard_pipe);
  close(manager->lock);
  told.pid = 0; /* signals are for the parent */
}

/* -- From images --------------------------------------------------------------------------------------------------------------- */

int manager_open(struct manager *manager, struct engine_config *settings, struct launch_problem *problem) {
  struct launch_shared shared;
  if (open_sphere(manager, settings, &shared, problem)) return -1;
  manager->descriptor = told.descriptor = -1;
  manager->guard = -1;
  step_back();
  close(shared.region);
  close(shared.socket);
  return 0;
}

pid_t manager_launch(struct manager *manager, int socket) {
  static struct engine_config settings;
  char *argv[] = {settings.program, NULL}, *none[] = {NULL};
  settings = *manager->settings;
  settings.restores = true;
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) become_program(manager, &settings, argv, none, &(struct launch_shared){-1, socket});
  return pid;
}

/* -- Once more ---------------------------------------------------------------------------------------------------------------- */

bool manager_reopen(struct manager *manager, int region, struct launch_shared *shared) {
  uint32_t slots = manager->region->slots_most;
  munmap(manager->region, REGION_BYTES(slots));
  close(manager->lock);
  close(manager->files);
  *shared = (struct launch_shared){make_region(manager), -1};
  if (shared->region < 0 || manager->region->slots_most != slots) return false;
  if (!mapped_copy(region, shared->region) || !make_socket(manager, shared)) return false;
  manager->adopted = true;
  manager->ends = false;
  manager->status = 0;
  atomic_store(&manager->over, false);
  return true;
}

bool manager_adopt(struct manager *manager, struct launch_shared *shared) {
  bool guarded = post_guard(manager);
  close(shared->region);
  close(shared->socket);
  return guarded && !pthread_create(&manager->watcher, NULL, watch, manager);
}

/* -- Run --------------------------------------------------------------------------------------------------------------------- */

static void serve_request(struct manager *manager) {
  struct region *region = manager->region;
  if (atomic_load(&region->request_state) != REQUEST_ASKED) return;
  region->request_answer =
      manager->answer(manager, region->request_kind, region->request_pid, region->request_value);
  atomic_store(&region->request_state, REQUEST_ANSWERED);
  wake_all(&region->request_state);
}

void manager_run(struct manager *manager) {
  struct region *region = manager->region;
  for (;;) {
    bool over = atomic_load(&manager->over);
    uint32_t seen = atomic_load(&region->doorbell), outcome = atomic_load(&region->outcome);
    serve_request(manager);
    bool fine = manager->serve(manager, over);
    if (over) break;
    watchdog_look(manager);
    if (!fine || manager->ends || outcome) kill_all(manager);
    obey(manager);
    check_guard(manager);
    atomic_store(&region->manager_sleeps, 1);
    if (atomic_load(&region->doorbell) == seen) sleep_on(&region->doorbell, seen);
    atomic_store(&region->manager_sleeps, 0);
  }
  pthread_join(manager->watcher, NULL);
  relieve_guard(manager);
}

void manager_tell_ending(int status, char text[ENDING_TEXT]) {
  snprintf(text, ENDING_TEXT, WIFSIGNALED(status) ? "signal %d" : "exit %d",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void manager_tell_reason(const struct manager *manager) {
  char text[sizeof manager->region->ending.text + 1] = "";
  memcpy(text, manager->region->ending.text, sizeof text - 1);
  plain_text(text);
  if (*text) fprintf(stderr, "reprise: %s\n", text);
}

int manager_leave(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none); /* the program has left its own */
  signal(WTERMSIG(status), SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, WTERMSIG(status));
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  kill(getpid(), WTERMSIG(status));
  return 128 + WTERMSIG(status);
}
