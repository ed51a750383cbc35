/* Threads that race, wait, read and sleep, for as many rounds as the first argument says; the second one says how the process ends. With arguments it prints what
 * the races come to, round by round. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { RACERS = 3, STEPS = 20000, ROUNDS_USUALLY = 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static volatile uint64_t shared;
static volatile int over;
static uint64_t turns;
static double sum = 1;
static int channel[2];
static volatile int *volatile nothing;

static void *race(void *argument) {
  uint64_t own = (uintptr_t)argument;
  double part = (double)own;
  while (!over) {
    for (int i = 0; i < STEPS; i++) {
      shared = shared * 3 + own;
      own ^= shared >> 7;
      part = part * 1.0000001 + (double)(own & 7);
    }
    pthread_mutex_lock(&mutex);
    turns++;
    sum += part;
    pthread_cond_signal(&progress);
    pthread_mutex_unlock(&mutex);
    if ((own & 3) == 0) usleep(100);
  }
  return NULL;
}

static void *read_all(void *unused) {
  unsigned char bytes[64];
  (void)unused;
  while (read(channel[0], bytes, sizeof bytes) > 0) shared += bytes[0];
  return NULL;
}

static void *sleep_often(void *unused) {
  struct timespec pause = {0, 3000000};
  (void)unused;
  while (!over) {
    nanosleep(&pause, NULL);
    poll(NULL, 0, 2);
    shared++;
  }
  return NULL;
}

static void await_progress(void) {
  struct timespec limit;
  pthread_mutex_lock(&mutex);
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_nsec += 5000000;
  if (limit.tv_nsec >= 1000000000) limit.tv_nsec -= 1000000000, limit.tv_sec++;
  pthread_cond_timedwait(&progress, &mutex, &limit);
  pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : ROUNDS_USUALLY;
  const char *how = argc > 2 ? argv[2] : "";
  pthread_t racers[RACERS], reader, sleeper;
  CHECK(pipe(channel) == 0);
  int chance = open("/dev/urandom", O_RDONLY);
  CHECK(chance >= 0);
  for (long i = 0; i < RACERS; i++) pthread_create(&racers[i], NULL, race, (void *)(i + 1));
  pthread_create(&reader, NULL, read_all, NULL);
  pthread_create(&sleeper, NULL, sleep_often, NULL);
  for (long i = 0; i < rounds; i++) {
    unsigned char bytes[16];
    CHECK(read(chance, bytes, sizeof bytes) == sizeof bytes);
    CHECK(write(channel[1], bytes, sizeof bytes) == sizeof bytes);
    await_progress();
    if (argc > 1)
      printf("%ld %lx %lu %a\n", i, (unsigned long)shared, (unsigned long)turns, sum), fflush(stdout);
  }
  if (!strcmp(how, "segv")) *nothing = 1;
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  over = 1;
  for (int i = 0; i < RACERS; i++) pthread_join(racers[i], NULL);
  close(channel[1]);
  pthread_join(reader, NULL);
  pthread_join(sleeper, NULL);
  puts("all threads have ended");
  return !strcmp(how, "exit") ? 3 : 0;
}
