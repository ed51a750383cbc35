/* The signal lines of /proc/self/status: pending, blocked, ignored and caught are the program's own. */
#include "sys_helpers.h"

static void nothing(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
}

static unsigned long line(const char *name) {
  char text[256];
  unsigned long value = 0;
  FILE *status = fopen("/proc/self/status", "r");
  CHECK(status);
  while (fgets(text, sizeof text, status))
    if (strncmp(text, name, strlen(name)) == 0) CHECK(sscanf(text + strlen(name), ":%lx", &value) == 1);
  fclose(status);
  return value;
}

int main(void) {
  for (int sig = 1; sig <= 64; sig++) signal(sig, SIG_DFL);
  say("at start: caught %lx ignored %lx blocked %lx\n", line("SigCgt"), line("SigIgn"), line("SigBlk"));
  handle(SIGUSR1, nothing, 0);
  handle(SIGRTMAX, nothing, 0);
  signal(SIGPIPE, SIG_IGN);
  mask_one(SIG_BLOCK, SIGTERM);
  raise(SIGTERM);
  say("then: caught %lx ignored %lx blocked %lx pending %lx\n", line("SigCgt"), line("SigIgn"),
      line("SigBlk"), line("SigPnd"));
  signal(SIGTERM, SIG_IGN);
  say("after SIG_IGN: pending %lx\n", line("SigPnd"));
  return 0;
}
