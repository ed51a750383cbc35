/* Two threads take turns: calls, signals, and memory that both write, by instructions and by calls. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { ROUNDS = 3 };
static int pipes[2][2];
static int written;

static void on_signal(int signo) {
  written = written * 3 + signo; /* not at the first instruction, where there is a breakpoint */
}

static void *play(void *argument) {
  long own = (long)argument;
  for (int i = 0; i < ROUNDS; i++) {
    if (read(pipes[own][0], &written, sizeof written) != sizeof written) return argument;
    pthread_kill(pthread_self(), SIGUSR1);
    if (write(pipes[!own][1], &written, sizeof written) != sizeof written) return argument;
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  signal(SIGUSR1, on_signal);
  if (pipe(pipes[0]) || pipe(pipes[1])) return 1;
  pthread_create(&thread, NULL, play, (void *)1);
  if (write(pipes[0][1], &written, sizeof written) != sizeof written) return 1;
  play(NULL);
  pthread_join(thread, NULL);
  return 0;
}
