/* Works for a while, by several threads and a child; then one thread takes away what another one uses: it crashes some time after. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CAUSE = 1000 /* round */, PAUSE = 1000000 };

static long cells[16];
static struct {
  long *cell;
  long rounds;
} shared = {cells, 0};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void rest(void) {
  struct timespec pause = {0, PAUSE};
  nanosleep(&pause, NULL);
}

static void take_away(long round) {
  shared.cell = NULL;
  shared.rounds = round;
}

static void *culprit(void *unused) {
  (void)unused;
  for (long round = 0; round <= CAUSE; round++) {
    pthread_mutex_lock(&mutex);
    if (round == CAUSE) take_away(round);
    pthread_mutex_unlock(&mutex);
    rest();
  }
  return NULL;
}

static void use(long round) {
  long *cell = shared.cell;
  *cell += round;
}

int main(void) {
  pthread_t thread;
  int channel[2];
  char byte;
  if (pipe(channel)) return 1;
  pid_t child = fork();
  if (!child) {
    close(channel[1]);
    while (read(channel[0], &byte, 1) > 0) cells[1] += byte;
    _exit(0);
  }
  close(channel[0]);
  if (pthread_create(&thread, NULL, culprit, NULL)) return 1;
  for (long round = 0;; round++) {
    printf("round %ld\n", round);
    fflush(stdout);
    if (write(channel[1], "x", 1) != 1) return 1;
    pthread_mutex_lock(&mutex);
    use(round);
    pthread_mutex_unlock(&mutex);
    rest();
  }
}
