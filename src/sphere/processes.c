/* processes.c: see processes.h. An id may be another process's by the time a signal is sent to it. So we open the process first, then
 * check that a thread of it belongs to the sphere, and send the signal to the descriptor. */
#include "sphere/processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sphere/manager.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

int process_open(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

void process_send(int descriptor, pid_t pid, int signo) {
  if (descriptor < 0)
    kill(pid, signo);
  else
    syscall(SYS_pidfd_send_signal, descriptor, signo, NULL, 0);
}

/* Only the sphere's processes have the region's file on this descriptor. One that has given up its privileges while it was recorded, or does not want to be looked at, can't be asked
 * whether it does; in a replay none has. */
static bool has_region(const struct manager *manager, pid_t pid, pid_t tid) {
  char path[96];
  struct stat own, found;
  snprintf(path, sizeof path, "/proc/%d/task/%d/fd/%d", pid, tid, manager->region->descriptor);
  if (!stat(path, &found))
    return !fstat(manager->lock, &own) && own.st_dev == found.st_dev && own.st_ino == found.st_ino;
  if (errno == EACCES) return !manager->is_replay;
  return access("/proc/self", F_OK) != 0; /* without /proc there is nobody to ask */
}

bool process_sleeps(pid_t tid) {
  char path[64], text[64] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", tid);
  FILE *file = fopen(path, "re");
  size_t count = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[count] = 0;
  const char *name_end = strrchr(text, ')');
  return name_end && (!strncmp(name_end, ") S", 3) || !strncmp(name_end, ") D", 3));
}

bool process_belongs(const struct manager *manager, pid_t pid, pid_t tid) {
  if (pid == getpid() || pid == manager->self || pid == manager->guard) return false;
  return has_region(manager, pid, tid) ||
         has_region(manager, pid, pid); /* while it goes to another program */
}

void process_summon(const struct manager *manager, const struct rthread *slot) {
  siginfo_t info = {.si_signo = SIGSYS, .si_code = SI_QUEUE, .si_value.sival_ptr = (void *)KICK_VALUE};
  pid_t pid = slot->pid, tid = slot->tid;
  if (pid > 0 && tid > 0 && process_belongs(manager, pid, tid))
    syscall(SYS_rt_tgsigqueueinfo, pid, tid, SIGSYS, &info);
}

static void signal_one(const struct manager *manager, pid_t pid, pid_t tid, int signo) {
  int descriptor = process_open(pid);
  if (descriptor < 0 && errno == ESRCH) return;
  if (process_belongs(manager, pid, tid)) process_send(descriptor, pid, signo);
  if (descriptor >= 0) close(descriptor);
}

void processes_signal(const struct manager *manager, int signo) {
  const struct rthread *slots = manager->region->slots;
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    pid_t pid = slots[i].pid, tid = slots[i].tid;
    bool again = false; /* for SIGKILL it does not matter, and one of its threads may just be at its end */
    for (uint32_t j = 0; signo != SIGKILL && j < i; j++)
      again |= slots[j].state == SLOT_LIVE && slots[j].pid == pid;
    if (slots[i].state == SLOT_LIVE && pid > 0 && tid > 0 && !again) signal_one(manager, pid, tid, signo);
  }
}
