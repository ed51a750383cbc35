/* abort: a handler runs once, blocking and ignoring do not help, the end is SIGABRT; atexit functions do
 * not run. */
#include "sys_helpers.h"

static void on_abort(int sig, siginfo_t *info, void *context) {
  (void)context;
  say("handler: SIG%s code %d own pid %d\n", sigabbrev_np(sig), info->si_code, info->si_pid == getpid());
}
static void at_exit(void) {
  say("atexit ran\n");
}

static void in_child(const char *what, void (*prepare)(void)) {
  pid_t child = fork();
  if (child == 0) {
    prepare();
    abort();
  }
  say_status(what, reap(child));
}
static void with_handler(void) {
  handle(SIGABRT, on_abort, 0);
}
static void ignored(void) {
  signal(SIGABRT, SIG_IGN);
}
static void blocked(void) {
  mask_one(SIG_BLOCK, SIGABRT);
}

int main(void) {
  no_core();
  atexit(at_exit);
  in_child("with a handler", with_handler);
  in_child("ignored", ignored);
  in_child("blocked", blocked);
  abort();
}
