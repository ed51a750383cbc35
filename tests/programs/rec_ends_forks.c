/* Processes that compute, write to a pipe, sleep, are born and waited for, for as many rounds as the first argument says; the second one says how the first process
 * ends. With arguments it prints what it has read, now and then. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { WORKERS = 2, ROUNDS_USUALLY = 40, BIRTHS_APART = 20 };

static volatile uint64_t state = 1;
static volatile int *volatile nothing;

static void compute(long steps) {
  for (long i = 0; i < steps; i++) state = state * 6364136223846793005u + 1442695040888963407u;
}

static void *compute_beside(void *unused) {
  (void)unused;
  while (!nothing) {
    compute(200000);
    usleep(50);
  }
  return NULL;
}

/* The second one has two threads. */
static _Noreturn void work(const int channel[2], int id) {
  struct timespec pause = {0, 2000000};
  pthread_t beside;
  int to = channel[1];
  close(channel[0]); /* the end of the first process is theirs */
  if (id) pthread_create(&beside, NULL, compute_beside, NULL);
  for (unsigned n = 0;; n++) {
    char line[64];
    compute(300000 + id * 1000);
    int length = snprintf(line, sizeof line, "%d %u %lx\n", id, n, (unsigned long)state);
    if (write(to, line, (size_t)length) != length) _exit(1);
    if (n % 16 == 15) nanosleep(&pause, NULL);
  }
}

static uint64_t read_some(int from, uint64_t sum) {
  unsigned char bytes[256];
  struct pollfd ready = {.fd = from, .events = POLLIN};
  if (poll(&ready, 1, 5) <= 0) return sum;
  ssize_t count = read(from, bytes, sizeof bytes);
  for (ssize_t i = 0; i < count; i++) sum = sum * 31 + bytes[i];
  return sum;
}

/* Every now and then a child is born, and waited for ten rounds later: it is the only one that ends. */
static uint64_t bear_and_await(long round, uint64_t sum) {
  int status;
  if (round % BIRTHS_APART == 0 && !fork()) {
    compute(100000);
    _exit((int)(round & 63));
  }
  if (round % BIRTHS_APART != BIRTHS_APART / 2) return sum;
  CHECK(waitpid(-1, &status, 0) > 0);
  return sum + (unsigned)WEXITSTATUS(status);
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : ROUNDS_USUALLY;
  const char *how = argc > 2 ? argv[2] : "";
  pid_t workers[WORKERS];
  uint64_t sum = 0;
  int channel[2];
  CHECK(pipe(channel) == 0);
  for (int i = 0; i < WORKERS; i++)
    if (!(workers[i] = fork())) work(channel, i);
  for (long i = 0; i < rounds; i++) {
    sum = bear_and_await(i, read_some(channel[0], sum));
    if (argc > 1 && i % 20 == 0) printf("%ld %lx\n", i, (unsigned long)sum), fflush(stdout);
  }
  for (int i = 0; i < WORKERS; i++) kill(workers[i], SIGKILL);
  if (!strcmp(how, "segv")) *nothing = 1;
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  while (wait(NULL) > 0) continue;
  puts("all processes have ended");
  return !strcmp(how, "exit") ? 3 : 0;
}
