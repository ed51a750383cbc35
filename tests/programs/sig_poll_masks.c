/* ppoll, pselect, epoll_pwait take the mask for the wait only; a ready descriptor wins over a pending
 * signal. */
#include "sys_helpers.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static int ends[2], set;
static volatile int handled;
static sigset_t none;

static void count(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  handled++;
}
static long by_ppoll(void) {
  return ppoll(&(struct pollfd){ends[0], POLLIN, 0}, 1, NULL, &none);
}
static long by_pselect(void) {
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(ends[0], &reads);
  return pselect(ends[0] + 1, &reads, NULL, NULL, NULL, &none);
}
static long by_epoll(void) {
  return epoll_pwait(set, &(struct epoll_event){0}, 1, -1, &none);
}

static void run(const char *name, long (*wait)(void)) {
  handled = 0;
  CHECK(raise(SIGUSR1) == 0);
  long result = wait();
  say("%s with a pending signal: %ld %s handled %d blocked after %d\n", name, result, outcome(result),
      handled, is_blocked(SIGUSR1));
  CHECK(raise(SIGUSR1) == 0 && write(ends[1], "x", 1) == 1);
  result = wait();
  say("%s with both: %ld %s handled %d pending %d\n", name, result, outcome(result), handled,
      is_pending(SIGUSR1));
  CHECK(read(ends[0], &(char){0}, 1) == 1);
  result = wait();
  say("%s with the signal left: %ld %s handled %d pending %d\n", name, result, outcome(result), handled,
      is_pending(SIGUSR1));
}

int main(void) {
  sigemptyset(&none);
  CHECK(pipe(ends) == 0 && (set = epoll_create1(0)) >= 0);
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &(struct epoll_event){.events = EPOLLIN}) == 0);
  handle(SIGUSR1, count, 0);
  mask_one(SIG_BLOCK, SIGUSR1);
  run("ppoll", by_ppoll);
  run("pselect", by_pselect);
  run("epoll_pwait", by_epoll);
  return 0;
}
