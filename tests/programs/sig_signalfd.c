/* signalfd: records with sender, code and value in order; non-blocking, several per read, changed mask,
 * poll. */
#include "sys_helpers.h"
#include <poll.h>
#include <sys/signalfd.h>

static void show(struct signalfd_siginfo *s) {
  say("  signo %u code %d value %d own pid %d own uid %d\n", s->ssi_signo, s->ssi_code,
      s->ssi_code == SI_QUEUE ? s->ssi_int : 0, s->ssi_pid == (unsigned)getpid(), s->ssi_uid == getuid());
}

int main(void) {
  sigset_t set;
  struct signalfd_siginfo records[4];
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1), sigaddset(&set, SIGRTMIN);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(fd >= 0);
  say("empty: %s\n", outcome(read(fd, records, sizeof records)));
  struct pollfd poll_one = {fd, POLLIN, 0};
  say("poll %d\n", poll(&poll_one, 1, 0));
  kill(getpid(), SIGUSR1), raise(SIGUSR1);
  for (int i = 0; i < 5; i++) CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 100 + i}) == 0);
  say("poll %d", poll(&poll_one, 1, 0));
  say(" revents %x\n", (unsigned)poll_one.revents);
  say("too short: %s\n", outcome(read(fd, records, 10)));
  for (ssize_t n; (n = read(fd, records, sizeof records)) > 0;) {
    say("read %zd records\n", n / (ssize_t)sizeof records[0]);
    for (int i = 0; i < n / (ssize_t)sizeof records[0]; i++) show(&records[i]);
  }
  say("then: %s\n", strerrorname_np(errno));
  sigaddset(&set, SIGUSR2);
  mask_one(SIG_BLOCK, SIGUSR2);
  CHECK(signalfd(fd, &set, 0) == fd);
  pid_t parent = getpid(), child = fork();
  if (child == 0) _exit(kill(parent, SIGUSR2) != 0);
  CHECK(poll(&poll_one, 1, -1) == 1 && read(fd, records, sizeof records[0]) == sizeof records[0]);
  say("from a child: signo %u its pid %d\n", records[0].ssi_signo, records[0].ssi_pid == (unsigned)child);
  CHECK(reap(child) == 0);
  say("bad flags: %s\n", outcome(signalfd(-1, &set, 77)));
  return 0;
}
