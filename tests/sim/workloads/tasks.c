/* tasks.c: a tree of tasks, searched from queues that threads steal from each other: irregular, as a ray tracer or a solver is. */
#include <stdatomic.h>

#include "workload.h"

enum { DEPTH = 4096 };
struct task {
  uint64_t state;
  int depth;
};
static struct queue {
  pthread_mutex_t lock;
  long count;
  struct task task[DEPTH];
} queue[MAX_THREADS];
static _Atomic long open_tasks;
static _Atomic uint64_t found;

static void put(long to, struct task task) {
  struct queue *q = &queue[to];
  pthread_mutex_lock(&q->lock);
  if (q->count == DEPTH) abort();
  q->task[q->count++] = task;
  pthread_mutex_unlock(&q->lock);
}

static int take(long from, struct task *task) {
  struct queue *q = &queue[from];
  int got = 0;
  if (!__atomic_load_n(&q->count, __ATOMIC_RELAXED)) return 0;
  pthread_mutex_lock(&q->lock);
  if (q->count) *task = q->task[--q->count], got = 1;
  pthread_mutex_unlock(&q->lock);
  return got;
}

static void solve(long me, struct task task) {
  uint64_t state = task.state;
  for (int i = 0; i < 40; i++) next_random(&state);
  atomic_fetch_add(&found, state >> 40);
  if (task.depth) {
    int children = 1 + (int)(state % 3);
    atomic_fetch_add(&open_tasks, children);
    for (int i = 0; i < children; i++) put(me, (struct task){next_random(&state), task.depth - 1});
  }
  atomic_fetch_sub(&open_tasks, 1);
}

static void work(long me) {
  struct task task;
  while (atomic_load(&open_tasks)) {
    int got = take(me, &task);
    for (long i = 1; !got && i < threads; i++) got = take((me + i) % threads, &task);
    if (got) solve(me, task);
  }
}

int main(int argc, char **argv) {
  read_arguments(argc, argv);
  for (int i = 0; i < MAX_THREADS; i++) pthread_mutex_init(&queue[i].lock, NULL);
  open_tasks = 8 * scale;
  for (long i = 0; i < 8 * scale; i++) put(0, (struct task){(uint64_t)i * 7919 + 1, 5});
  run_all();
  printf("%lu\n", found);
  return 0;
}
