/* flight_front.c: see flight_front.h.
 *
 * What a flight recorder keeps is in the memory of one process. So that is not the process which the user has started, and may kill: that one only passes signals
 * on, and ends as the recorder ends. When it is killed, the recorder ends the program and stores what it has. */
#include "travel/flight_front.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sphere/manager.h"

static pid_t front;
static volatile sig_atomic_t recorder;
static _Atomic bool *is_over; /* the recorder has done its work; shared with it */

/* The terminal's signals reach the recorder as well. */
static void pass_on(int signo, siginfo_t *info, void *context) {
  int failed = errno;
  (void)context;
  if (info->si_code > 0 && signo == SIGSEGV) signal(signo, SIG_DFL); /* our own, then */
  if (info->si_code <= 0 && recorder) kill(recorder, signo);
  errno = failed;
}

/* Those that a recorder passes on to the program. */
static void take_signals(struct sigaction *old, bool restore) {
  static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGUSR1,   SIGUSR2,
                                SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGVTALRM, SIGSEGV};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction own = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(signals[i], restore ? &old[i] : &own, restore ? NULL : &old[i]);
  }
}

bool flight_front(int *status) {
  enum { SIGNALS_MOST = 16 };
  struct sigaction old[SIGNALS_MOST];
  int ended;
  sigset_t all, mask;
  is_over = mmap(NULL, sizeof *is_over, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (is_over == MAP_FAILED) return true;
  fflush(NULL);
  front = getpid();
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  take_signals(old, false);
  pid_t child = fork();
  if (child <= 0) {
    take_signals(old, true);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (child < 0) front = 0;
    if (!child) prctl(PR_SET_NAME, "reprise-flight");
    return true;
  }
  recorder = child;
  sigprocmask(SIG_SETMASK, &mask, NULL);
  while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  recorder = 0;
  take_signals(old, true);
  if (!atomic_load(is_over) && WIFSIGNALED(ended))
    fprintf(stderr, "reprise: the flight recorder was killed, and what it kept is lost\n");
  *status = manager_leave(ended);
  return false;
}

bool flight_front_is_gone(void) {
  return front && getppid() != front;
}

void flight_front_may_go(void) {
  if (front) atomic_store(is_over, true);
}
