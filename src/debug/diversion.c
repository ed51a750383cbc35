/* diversion.c: the debugger's side of diversions (engine/threads/diversion.c).
 *
 * A thread of the replay, which has stopped, makes a copy of its process. The debugger writes the copy's memory and registers, lets it run, and reads from it
 * what it otherwise reads from the replay; and kills it before the replay goes on. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "debug/description.h"
#include "debug/session.h"

static struct region_diversion *shared(const struct session *session) {
  return &session->run.region->debug.diversion;
}

static void wake(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Sleeps for a while, as long as the state is this one. */
static void await_change(const struct session *session, uint32_t state) {
  struct timespec moment = {0, 5000000};
  syscall(SYS_futex, &shared(session)->state, FUTEX_WAIT, state, &moment, NULL, 0);
}

/* -- Beginning and end ----------------------------------------------------------------------------------------------------- */

static bool is_gone(pid_t pid) {
  return pid > 0 && kill(pid, 0) && errno == ESRCH;
}

/* A thread that is in the kernel until its child has left its memory makes no copy. */
static bool await_copy(struct session *session) {
  enum { PATIENCE_MS = 5000, LOOK_MS = 5 };
  for (int i = 0; i < PATIENCE_MS / LOOK_MS; i++) {
    uint32_t state = atomic_load(&shared(session)->state);
    if (state == DIVERSION_STOPPED) return true;
    if (state == DIVERSION_REFUSED || is_gone(shared(session)->pid)) break;
    await_change(session, state);
  }
  return false;
}

static struct diverted_thread *find_other(const struct session *session, uint32_t slot) {
  for (size_t i = 0; i < session->diversion.other_count; i++)
    if (session->diversion.others[i].slot == slot) return &session->diversion.others[i];
  return NULL;
}

/* A thread that has not run in the diversion has the registers that it has in the replay. */
static struct diverted_thread *add_other(struct session *session, uint32_t slot) {
  size_t count = session->diversion.other_count;
  struct diverted_thread *larger = realloc(session->diversion.others, (count + 1) * sizeof *larger);
  if (!larger) return NULL;
  session->diversion.others = larger;
  session->diversion.other_count = count + 1;
  larger[count].slot = slot;
  memcpy(larger[count].registers, target_thread(session, slot)->registers, DEBUG_REGISTERS);
  return &larger[count];
}

/* The copy takes the registers of another thread, and those that it had are kept in their place. */
static bool choose(struct session *session, uint32_t slot) {
  if (slot == session->diversion.running) return true;
  struct diverted_thread *other = find_other(session, slot);
  if (!other) other = add_other(session, slot);
  if (!other) return false;
  struct diverted_thread wanted = *other;
  other->slot = session->diversion.running;
  memcpy(other->registers, shared(session)->registers, DEBUG_REGISTERS);
  memcpy(shared(session)->registers, wanted.registers, DEBUG_REGISTERS);
  session->diversion.running = slot;
  return true;
}

/* The client is about to change the registers of this thread. */
static void note_before(struct session *session, uint32_t slot) {
  session->diversion.slot = slot;
  memcpy(session->diversion.before, diversion_registers(session, slot), DEBUG_REGISTERS);
}

static const char *make(struct session *session, uint32_t slot) {
  struct region_debug *debug = &session->run.region->debug;
  if (session->run.region->slots[slot].vforks) return "no diversion of a process that has lent its memory";
  debug->diversion.slot = slot;
  debug->diversion.pid = 0;
  atomic_store(&debug->diversion.state, DIVERSION_WANTED);
  wake(slot == session->stop.runner ? &debug->state : &session->run.region->slots[slot].turn);
  bool made = await_copy(session);
  if (made && shared(session)->pid > 0) {
    session->diversion.pid = shared(session)->pid;
    session->diversion.process = target_thread(session, slot)->pid;
    session->diversion.running = slot;
    /* What the client has seen, and will restore: flags that the program is about to overwrite are shown as zero in a replay, and nowhere else (x64/superblock.c). */
    memcpy(shared(session)->registers, target_thread(session, slot)->registers, DEBUG_REGISTERS);
    note_before(session, slot);
    return NULL;
  }
  if (shared(session)->pid > 0) kill(shared(session)->pid, SIGKILL);
  atomic_store(&debug->diversion.state, DIVERSION_NONE);
  return "no diversion could be made here";
}

const char *diversion_begin(struct session *session, uint32_t slot, bool registers) {
  if (!session->diversion.pid) {
    const char *error = make(session, slot);
    if (error) return error;
  }
  if (session->diversion.process != target_thread(session, slot)->pid)
    return "the diversion is of another process: it ends when the replay goes on";
  if (!registers || slot == session->diversion.slot) return NULL;
  if (diversion_is_away(session))
    return "the diversion is of another thread: it ends when the replay goes on";
  if (!choose(session, slot)) return "there is no memory";
  note_before(session, slot);
  return NULL;
}

/* The process that it was made by takes no notice of its end: no zombie stays (engine/threads/processes.c). */
void diversion_end(struct session *session) {
  if (!session->diversion.pid) return;
  kill(session->diversion.pid, SIGKILL);
  if (session->run.region) atomic_store(&shared(session)->state, DIVERSION_NONE);
  free(session->diversion.others);
  memset(&session->diversion, 0, sizeof session->diversion);
}

/* -- State ------------------------------------------------------------------------------------------------------------------- */

bool diversion_has(const struct session *session, uint32_t slot) {
  return session->diversion.pid && target_thread(session, slot)->pid == session->diversion.process;
}

uint8_t *diversion_registers(const struct session *session, uint32_t slot) {
  if (!session->diversion.pid) return NULL;
  if (slot == session->diversion.running) return shared(session)->registers;
  struct diverted_thread *other = find_other(session, slot);
  return other ? other->registers : NULL;
}

size_t diversion_write(struct session *session, uint64_t address, const void *from, size_t bytes) {
  char path[64];
  size_t done = 0, most = target_allowed(address, bytes);
  snprintf(path, sizeof path, "/proc/%d/mem", session->diversion.pid);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  while (fd >= 0 && done < most) {
    ssize_t n = pwrite(fd, (const char *)from + done, most - done, (off_t)(address + done));
    if (n <= 0) break;
    done += (size_t)n;
  }
  if (fd >= 0) close(fd);
  session->diversion.is_written |= done;
  return done;
}

bool diversion_is_away(const struct session *session) {
  const uint8_t *registers = diversion_registers(session, session->diversion.slot);
  return registers && memcmp(registers, session->diversion.before, description_bytes()) != 0;
}

/* -- Running ----------------------------------------------------------------------------------------------------------------- */

/* By the same signal as the manager summons threads with. */
void session_interrupt(struct session *session) {
  if (!session->diversion.pid) {
    atomic_store(&session->run.region->debug.interrupt, 1);
    return;
  }
  pid_t pid = session->diversion.pid;
  siginfo_t info = {.si_signo = SIGSYS, .si_code = SI_QUEUE, .si_value.sival_ptr = (void *)KICK_VALUE};
  atomic_store(&shared(session)->interrupt, 1);
  syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGSYS, &info);
}

static bool client_has_news(const struct session *session) {
  struct pollfd on = {.fd = session->client, .events = POLLIN};
  return session->client >= 0 && poll(&on, 1, 0) > 0;
}

static void go_on(const struct session *session) {
  atomic_store(&shared(session)->state, DIVERSION_RUNS);
  wake(&shared(session)->state);
}

static void take_output(struct session *session) {
  uint32_t count = shared(session)->output_count;
  if (count > DIVERSION_OUTPUT) count = DIVERSION_OUTPUT;
  if (session->shows) session->shows(session->context, 0, shared(session)->output, count);
  go_on(session);
}

enum travel diversion_run(struct session *session, uint32_t slot, bool steps, uint64_t range_start,
                          uint64_t range_end) {
  struct region_diversion *diversion = shared(session);
  if (!choose(session, slot)) return TRAVEL_FAILED;
  diversion->steps = steps;
  diversion->range_start = range_start;
  diversion->range_end = range_end;
  session->diversion.is_written = false;
  go_on(session);
  for (;;) {
    uint32_t state = atomic_load(&diversion->state);
    if (state == DIVERSION_STOPPED) return diversion->reason == DEBUG_ENDS ? TRAVEL_OVER : TRAVEL_STOPPED;
    if (is_gone(session->diversion.pid)) return TRAVEL_FAILED;
    if (state == DIVERSION_WRITES) take_output(session);
    if (client_has_news(session) && !session->attend(session)) {
      session->gone = true;
      return TRAVEL_GONE;
    }
    if (state == DIVERSION_RUNS) await_change(session, state);
  }
}
