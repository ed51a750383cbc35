/* Semaphores between threads and between processes, with try, timed and value queries. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

static sem_t ping, pong;
static int rally;

static void *player(void *arg) {
  (void)arg;
  for (int i = 0; i < 5000; i++) {
    CHECK(sem_wait(&ping) == 0);
    rally++;
    CHECK(sem_post(&pong) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t t;
  int value;
  CHECK(sem_init(&ping, 0, 0) == 0 && sem_init(&pong, 0, 3) == 0);
  CHECK(sem_trywait(&ping) == -1 && errno == EAGAIN);
  CHECK(sem_timedwait(&ping, &(struct timespec){1, 0}) == -1 && errno == ETIMEDOUT);
  for (int i = 0; i < 3; i++) CHECK(sem_wait(&pong) == 0);
  CHECK(sem_getvalue(&pong, &value) == 0 && value == 0);
  CHECK(pthread_create(&t, NULL, player, NULL) == 0);
  for (int i = 0; i < 5000; i++) {
    CHECK(sem_post(&ping) == 0 && sem_wait(&pong) == 0);
    CHECK(rally == i + 1);
  }
  CHECK(pthread_join(t, NULL) == 0);
  printf("rally %d\n", rally);

  struct {
    sem_t down, up;
    int total;
  } *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(s != MAP_FAILED && sem_init(&s->down, 1, 0) == 0 && sem_init(&s->up, 1, 0) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  for (int i = 0; i < 1000; i++) {
    if (child != 0) CHECK(sem_post(&s->down) == 0 && sem_wait(&s->up) == 0);
    if (child == 0) CHECK(sem_wait(&s->down) == 0);
    s->total += child == 0 ? 1 : s->total;
    s->total &= 0xffff;
    if (child == 0) CHECK(sem_post(&s->up) == 0);
  }
  if (child == 0) _exit(0);
  CHECK(waitpid(child, NULL, 0) == child);
  printf("processes: %d\n", s->total);
  return 0;
}
