/* run.c: one run of a debugged replay. See run.h. */
#include "debug/run.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "debug/checkpointing.h"
#include "travel/driving.h"

/* -- The region ------------------------------------------------------------------------------------------------------- */

static int receive_region(int control) {
  char byte = 0;
  int fd = -1;
  union {
    char bytes[CMSG_SPACE(sizeof fd)];
    struct cmsghdr header;
  } buffer;
  struct iovec part = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = buffer.bytes, .msg_controllen = sizeof buffer.bytes};
  ssize_t n;
  do { /* what was told of earlier stops is of no interest any more */
    message.msg_controllen = sizeof buffer.bytes;
    n = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  } while ((n < 0 && errno == EINTR) || (n == 1 && byte == KEEPER_STOPPED));
  const struct cmsghdr *header = n == 1 && byte == KEEPER_REGION ? CMSG_FIRSTHDR(&message) : NULL;
  if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&fd, CMSG_DATA(header), sizeof fd);
  if (!n) errno = 0;
  return fd;
}

static bool map_region(struct run *run) {
  int fd = receive_region(run->control);
  if (fd < 0) return false;
  void *at = mmap(NULL, REGION_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  run->region = at == MAP_FAILED ? NULL : at;
  return run->region;
}

bool run_start(struct run *run, const struct keeper_settings *settings) {
  int control[2], out[2], err[2];
  *run = (struct run){0};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control)) return false;
  if (pipe2(out, O_CLOEXEC)) return close(control[0]), close(control[1]), false;
  if (pipe2(err, O_CLOEXEC)) return close(control[0]), close(control[1]), close(out[0]), close(out[1]), false;
  fflush(NULL);
  pid_t self = getpid();
  run->manager = fork();
  if (!run->manager) {
    close(control[0]), close(out[0]), close(err[0]);
    keeper_become(settings, control[1], (int[]){out[1], err[1]}, self);
  }
  close(control[1]), close(out[1]), close(err[1]);
  run->control = control[0];
  run->output[0] = out[0];
  run->output[1] = err[0];
  for (int i = 0; i < 2; i++) fcntl(run->output[i], F_SETFL, O_NONBLOCK);
  if (run->manager > 0 && map_region(run)) return true;
  int error = errno;
  run_end(run, error);
  errno = error;
  return false;
}

void run_resume(struct run *run, uint32_t reason) {
  struct region_debug *debug = &run->region->debug;
  debug->since_reason = reason;
  debug->since = debug->stop.moment;
  atomic_store(&debug->state, DEBUG_RUNS);
  syscall(SYS_futex, &debug->state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* True if there is a region to go on with. */
static bool unmap_and_map(struct run *run) {
  munmap(run->region, REGION_HEADER);
  run->region = NULL;
  return map_region(run);
}

static bool tell_keeper(struct run *run, const struct keeper_wish *wish) {
  struct region *region = run->region;
  if (send(run->control, wish, sizeof *wish, MSG_NOSIGNAL) != sizeof *wish) return false;
  atomic_fetch_add(&region->doorbell, 1);
  syscall(SYS_futex, &region->doorbell, FUTEX_WAKE, 1, NULL, NULL, 0);
  return true;
}

bool run_restart(struct run *run, const struct debug_moment *before) {
  struct keeper_wish wish = {.before = *before};
  return tell_keeper(run, &wish) && unmap_and_map(run);
}

void run_keep(struct run *run) {
  struct keeper_wish wish = {.makes = true};
  struct timespec moment = {0, 1000000};
  enum { PATIENCE = 100 };
  if (!tell_keeper(run, &wish)) return;
  for (int i = 0; i < PATIENCE && !atomic_load(&run->region->checkpoint.wish); i++) nanosleep(&moment, NULL);
}

static void take_output(struct run *run, run_shows *shows, void *context) {
  uint8_t bytes[4096];
  ssize_t n;
  for (int i = 0; i < 2; i++)
    while ((n = read(run->output[i], bytes, sizeof bytes)) > 0) {
      shows(context, i, bytes, (size_t)n);
      run->written[i] += (uint64_t)n;
    }
}

enum { LOOKS = 200 };

static bool has_ended(const struct run *run) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)run->manager, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

static bool is_stopped(const struct run *run) {
  return atomic_load(&run->region->debug.state) == DEBUG_STOPPED;
}

static enum run_news settle(struct run *run, run_shows *shows, void *context) {
  struct timespec moment = {0, 50000};
  for (int i = 0; !driving_settled(run->region) && !has_ended(run); i++)
    if (i < LOOKS)
      sched_yield();
    else
      nanosleep(&moment, NULL);
  take_output(run, shows, context);
  return RUN_STOPPED;
}

/* A step is done sooner than anybody could tell. */
enum run_news run_wait(struct run *run, int client, run_shows *shows, void *context) {
  for (int i = 0; i < LOOKS && !is_stopped(run); i++) sched_yield();
  if (is_stopped(run)) return settle(run, shows, context);
  for (;;) {
    struct pollfd on[] = {{.fd = run->control, .events = POLLIN},
                          {.fd = client, .events = POLLIN},
                          {.fd = run->output[0], .events = POLLIN},
                          {.fd = run->output[1], .events = POLLIN}};
    if (poll(on, 4, -1) < 0 && errno != EINTR) return RUN_OVER;
    take_output(run, shows, context);
    char byte;
    if (on[0].revents) {
      ssize_t n = recv(run->control, &byte, 1, MSG_DONTWAIT);
      if (!n || (n < 0 && errno != EAGAIN && errno != EINTR)) return RUN_OVER;
      if (n == 1 && is_stopped(run)) return settle(run, shows, context);
    }
    if (on[1].revents) return RUN_CLIENT;
    for (int i = 0; i < 2; i++) /* a closed pipe would wake us for ever */
      if (on[2 + i].revents & (POLLHUP | POLLERR) && !(on[2 + i].revents & POLLIN)) {
        close(run->output[i]);
        run->output[i] = -1;
      }
  }
}

void run_end(struct run *run, bool at_once) {
  enum { PATIENCE = 2000 };
  struct timespec pause = {0, 1000000};
  bool ended = run->manager <= 0;
  if (run->manager > 0) close(run->control);
  if (!ended && at_once) kill(run->manager, SIGTERM);
  for (int i = 0; at_once && i < PATIENCE && !ended; i++) {
    ended = waitpid(run->manager, &run->status, WNOHANG) == run->manager;
    if (!ended) nanosleep(&pause, NULL);
  }
  if (!ended && at_once) kill(run->manager, SIGKILL);
  if (!ended) waitpid(run->manager, &run->status, 0);
  for (int i = 0; i < 2; i++)
    if (run->output[i] > 0) close(run->output[i]);
  if (run->region) munmap(run->region, REGION_HEADER);
  int status = run->status;
  *run = (struct run){.status = status};
}
