/* A terminal's keys: Ctrl-C, Ctrl-\ and Ctrl-Z written to the master signal the foreground group; hang-up
 * at its end. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

static int report[2], ready[2];
static volatile sig_atomic_t ends; /* SIGHUP and SIGCONT, which come together */

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)context;
  unsigned char record[2] = {sig, info->si_code == SI_KERNEL};
  CHECK(write(report[1], record, 2) == 2);
  ends += sig == SIGHUP || sig == SIGCONT;
}

/* The end of the input may be seen before the signals that come with it. */
static void await_ends(void) {
  sigset_t all, none;
  sigfillset(&all), sigemptyset(&none);
  sigprocmask(SIG_BLOCK, &all, NULL);
  while (ends < 2) sigsuspend(&none);
}

static void expect(const char *what) {
  unsigned char record[2];
  CHECK(read(report[0], record, 2) == 2);
  say("%s: SIG%s by the kernel %d\n", what, sigabbrev_np(record[0]), record[1]);
}

int main(void) {
  int master, status;
  CHECK(pipe(report) == 0 && pipe(ready) == 0);
  pid_t child = forkpty(&master, NULL, NULL, NULL);
  CHECK(child >= 0);
  if (child == 0) {
    const int signals[] = {SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGHUP};
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
      handle(signals[i], on_signal, SA_RESTART);
    CHECK(getsid(0) == getpid() && tcgetpgrp(0) == getpgrp() && isatty(0));
    CHECK(write(ready[1], "r", 1) == 1);
    char line[100];
    ssize_t n = read(0, line, sizeof line);
    CHECK(write(ready[1], "l", 1) == 1);
    int good = n == 3 && memcmp(line, "ab\n", 3) == 0;
    (void)!read(0, line, 1);
    await_ends();
    _exit(good ? 7 : 8);
  }
  char byte;
  CHECK(read(ready[0], &byte, 1) == 1);
  CHECK(write(master, "\003", 1) == 1);
  expect("Ctrl-C");
  CHECK(write(master, "\034", 1) == 1);
  expect("Ctrl-backslash");
  CHECK(write(master, "\032", 1) == 1);
  expect("Ctrl-Z");
  struct winsize size = {30, 90, 0, 0};
  CHECK(ioctl(master, TIOCSWINSZ, &size) == 0);
  expect("window size");
  CHECK(write(master, "axx\177\177b\n", 7) == 7 && read(ready[0], &byte, 1) == 1);
  say("an edited line went through %c\n", byte);
  close(master);
  unsigned char records[4]; /* SIGHUP and SIGCONT are sent together */
  CHECK(read(report[0], records, 2) == 2 && read(report[0], records + 2, 2) == 2);
  say("hang-up: SIGHUP %d SIGCONT %d by the kernel %d\n", records[0] == SIGHUP || records[2] == SIGHUP,
      records[0] == SIGCONT || records[2] == SIGCONT, records[1] && records[3]);
  CHECK(waitpid(child, &status, 0) == child);
  say_status("child", status);
  return 0;
}
