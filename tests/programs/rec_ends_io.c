/* Threads that are born and end, files that are written and read again, sockets and programs that are executed, for as many rounds as the first argument says; the
 * second one says how the process ends. With arguments it prints what it has read, round by round. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { ROUNDS_USUALLY = 20, SPAWNS_APART = 16, BYTES = 3000 };

extern char **environ;
static volatile uint64_t shared = 1;
static volatile int *volatile nothing;

static uint64_t mix(uint64_t sum, const unsigned char *bytes, ssize_t count) {
  for (ssize_t i = 0; i < count; i++) sum = sum * 31 + bytes[i];
  return sum;
}

/* Answers what comes, after a moment. */
static void *serve(void *argument) {
  int end = (int)(intptr_t)argument;
  unsigned char bytes[256];
  ssize_t count;
  while ((count = read(end, bytes, sizeof bytes)) > 0) {
    for (int i = 0; i < 20000; i++) shared = shared * 3 + bytes[0];
    CHECK(write(end, bytes, (size_t)count) == count);
  }
  return NULL;
}

static void *live_shortly(void *argument) {
  struct timespec pause = {0, 500000};
  for (int i = 0; i < 30000; i++) shared = shared * 5 + (uintptr_t)argument;
  if ((uintptr_t)argument % 4 == 0) nanosleep(&pause, NULL);
  return NULL;
}

static uint64_t use_file(int chance, int file, long round, uint64_t sum) {
  unsigned char bytes[BYTES];
  CHECK(read(chance, bytes, 64) == 64);
  for (size_t i = 64; i < sizeof bytes; i++) bytes[i] = (unsigned char)(bytes[i - 64] * 7 + i);
  CHECK(pwrite(file, bytes, sizeof bytes, round % 64 * BYTES) == BYTES);
  memset(bytes, 0, sizeof bytes);
  ssize_t count = pread(file, bytes, sizeof bytes, (round * 7 % 64) * BYTES);
  return mix(sum, bytes, count);
}

static uint64_t ask(int end, uint64_t sum) {
  unsigned char bytes[64];
  struct pollfd ready = {.fd = end, .events = POLLIN};
  memcpy(bytes, &sum, sizeof sum);
  CHECK(write(end, bytes, 8 + sum % 50) > 0);
  if (poll(&ready, 1, 20) <= 0) return sum;
  return mix(sum, bytes, read(end, bytes, sizeof bytes));
}

static uint64_t execute(uint64_t sum) {
  char *arguments[] = {"sh", "-c", "read a </proc/uptime; echo $a", NULL};
  unsigned char bytes[64];
  int channel[2], status;
  pid_t child;
  posix_spawn_file_actions_t actions;
  CHECK(pipe2(channel, O_CLOEXEC) == 0);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel[1], 1);
  CHECK(posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(channel[1]);
  ssize_t count = read(channel[0], bytes, sizeof bytes);
  close(channel[0]);
  CHECK(waitpid(child, &status, 0) == child);
  return mix(sum, bytes, count) + (unsigned)status;
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : ROUNDS_USUALLY;
  const char *how = argc > 2 ? argv[2] : "";
  char name[] = "/tmp/rec_ends_io-XXXXXX";
  pthread_t server, passing;
  int ends[2];
  uint64_t sum = 0;
  int chance = open("/dev/urandom", O_RDONLY), file = mkstemp(name);
  CHECK(chance >= 0 && file >= 0 && unlink(name) == 0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_create(&server, NULL, serve, (void *)(intptr_t)ends[1]);
  for (long i = 0; i < rounds; i++) {
    pthread_create(&passing, NULL, live_shortly, (void *)i);
    sum = ask(ends[0], use_file(chance, file, i, sum));
    if (i % SPAWNS_APART == SPAWNS_APART - 1) sum = execute(sum);
    pthread_join(passing, NULL);
    if (argc > 1) printf("%ld %lx %lx\n", i, (unsigned long)sum, (unsigned long)shared), fflush(stdout);
  }
  if (!strcmp(how, "segv")) *nothing = 1;
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  close(ends[0]);
  pthread_join(server, NULL);
  puts("all has ended");
  return !strcmp(how, "exit") ? 3 : 0;
}
