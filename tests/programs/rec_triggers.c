/* Works for a while, and then does what a flight recorder can be triggered by, as the first argument says: its own call, a text in two pieces, a signal, or
 * much memory. With an argument it goes on until its standard input ends. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { TRIGGER_CALL = 0x52505254, ROUNDS = 60, ROUNDS_ALONE = 3, MUCH = 96 << 20 };

static volatile sig_atomic_t taken;

static void take(int signo) {
  taken = signo;
}

static void work(int rounds) {
  struct timespec pause = {0, 2000000};
  for (int i = 0; i < rounds; i++) {
    printf("round %d\n", i);
    fflush(stdout);
    nanosleep(&pause, NULL);
  }
}

static void call(void) {
  errno = 0;
  int result = prctl(TRIGGER_CALL, 0, 0, 0, 0);
  printf("call: %d %s\n", result, strerror(errno));
}

static void text(void) {
  CHECK(write(1, "some wosome wo", 14) == 14 && write(1, "rds, and more\n", 14) == 14);
}

static void signals(void) {
  CHECK(signal(SIGUSR1, take) != SIG_ERR && !raise(SIGUSR1));
  printf("took %d\n", taken == SIGUSR1);
}

static void memory(void) {
  volatile char *much = malloc(MUCH);
  CHECK(much);
  for (int i = 0; i < MUCH; i += 4096) much[i] = 1;
  printf("has %d MB\n", MUCH >> 20);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  char byte;
  work(argc > 1 ? ROUNDS : ROUNDS_ALONE);
  if (!*how || !strcmp(how, "call")) call();
  if (!*how || !strcmp(how, "text")) text();
  if (!*how || !strcmp(how, "signals")) signals();
  if (!strcmp(how, "memory")) memory();
  fflush(stdout);
  while (argc > 1 && read(0, &byte, 1) > 0) continue;
  puts("done");
  return 0;
}
