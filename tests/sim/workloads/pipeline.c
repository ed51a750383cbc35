/* pipeline.c: a pipelined server: each request passes through stages, each with threads and a queue of its own. */
#include "workload.h"

enum { SLOTS = 32 };
struct request {
  uint64_t id, value;
};
static struct stage {
  pthread_mutex_t lock;
  pthread_cond_t not_empty, not_full;
  long head, tail, writers;
  struct request slot[SLOTS];
} stage[MAX_THREADS];
static uint64_t result;
static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static long stages;

static void put(struct stage *s, struct request request) {
  pthread_mutex_lock(&s->lock);
  while (s->tail - s->head == SLOTS) pthread_cond_wait(&s->not_full, &s->lock);
  s->slot[s->tail++ % SLOTS] = request;
  pthread_cond_signal(&s->not_empty);
  pthread_mutex_unlock(&s->lock);
}

static int get(struct stage *s, struct request *request) {
  pthread_mutex_lock(&s->lock);
  while (s->head == s->tail && s->writers) pthread_cond_wait(&s->not_empty, &s->lock);
  int got = s->head < s->tail;
  if (got) *request = s->slot[s->head++ % SLOTS];
  pthread_cond_signal(&s->not_full);
  pthread_mutex_unlock(&s->lock);
  return got;
}

static void close_stage(struct stage *s) {
  pthread_mutex_lock(&s->lock);
  s->writers--;
  pthread_cond_broadcast(&s->not_empty);
  pthread_mutex_unlock(&s->lock);
}

static struct request process(struct request request, long at) {
  for (int i = 0; i < 60; i++) request.value = request.value * 6364136223846793005u + (uint64_t)at;
  return request;
}

static void work(long me) {
  long at = me % stages;
  struct request request;
  if (at == 0) {
    for (uint64_t i = (uint64_t)(me / stages); i < 100u * (uint64_t)scale;
         i += (uint64_t)((threads + stages - 1) / stages))
      put(&stage[1], process((struct request){i, i}, 0));
    close_stage(&stage[1]);
    return;
  }
  while (get(&stage[at], &request)) {
    request = process(request, at);
    if (at + 1 < stages) {
      put(&stage[at + 1], request);
      continue;
    }
    pthread_mutex_lock(&result_lock);
    result += request.value ^ request.id;
    pthread_mutex_unlock(&result_lock);
  }
  if (at + 1 < stages) close_stage(&stage[at + 1]);
}

int main(int argc, char **argv) {
  read_arguments(argc, argv);
  stages = threads < 4 ? 2 : 4;
  if (threads < stages) threads = stages;
  for (long i = 0; i < stages; i++) {
    pthread_mutex_init(&stage[i].lock, NULL);
    pthread_cond_init(&stage[i].not_empty, NULL);
    pthread_cond_init(&stage[i].not_full, NULL);
    for (long t = 0; t < threads; t++) stage[i].writers += i && t % stages == i - 1;
  }
  run_all();
  printf("%016lx\n", result);
  return 0;
}
