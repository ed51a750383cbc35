/* Coroutines made by makecontext that one thread suspends and another resumes. */
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

#include "check.h"

enum { COROUTINES = 6, STEPS = 300, WORKERS = 3 };

struct coroutine {
  ucontext_t context, *resumer;
  unsigned long state;
  int step, busy;
};

static struct coroutine coroutine[COROUTINES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void body(int index) {
  struct coroutine *c = &coroutine[index];
  unsigned long local = (unsigned long)index + 1; /* lives on the coroutine's own stack */
  for (c->step = 0; c->step < STEPS; c->step++) {
    local = local * 6364136223846793005ul + 1442695040888963407ul;
    c->state ^= local >> 20;
    swapcontext(&c->context, c->resumer);
  }
  c->step = -1;
  swapcontext(&c->context, c->resumer);
}

static struct coroutine *take(void) {
  struct coroutine *found = NULL;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < COROUTINES && !found; i++) {
    struct coroutine *c = &coroutine[(i + rand() % COROUTINES) % COROUTINES];
    if (!c->busy && c->step >= 0) found = c, c->busy = 1;
  }
  pthread_mutex_unlock(&mutex);
  return found;
}

static void *worker(void *arg) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    int all = finished == COROUTINES;
    pthread_mutex_unlock(&mutex);
    if (all) return arg;
    struct coroutine *c = take();
    if (!c) {
      sched_yield();
      continue;
    }
    ucontext_t here;
    c->resumer = &here;
    swapcontext(&here, &c->context);
    pthread_mutex_lock(&mutex);
    c->busy = 0;
    finished += c->step < 0;
    pthread_mutex_unlock(&mutex);
  }
}

static void prepare(int i) {
  CHECK(getcontext(&coroutine[i].context) == 0);
  coroutine[i].context.uc_stack.ss_sp = malloc(64 << 10);
  coroutine[i].context.uc_stack.ss_size = 64 << 10;
  makecontext(&coroutine[i].context, (void (*)(void))body, 1, i);
}

int main(void) {
  for (int i = 0; i < COROUTINES; i++) prepare(i);
  pthread_t t[WORKERS];
  for (int i = 0; i < WORKERS; i++) CHECK(pthread_create(&t[i], NULL, worker, NULL) == 0);
  for (int i = 0; i < WORKERS; i++) CHECK(pthread_join(t[i], NULL) == 0);
  for (int i = 0; i < COROUTINES; i++) printf("coroutine %d: %016lx\n", i, coroutine[i].state);
  return 0;
}
