/* Small tasks from queues, one for each thread, as in SPLASH-2's radiosity: a task moves energy between a few patches, each under its
   lock, and may make two smaller ones. A thread with nothing to do steals from the queues of others. The energy a task moves
   depends on the task alone, so the sums do not depend on who does it, and when. */
#include <sched.h>
#include <stdatomic.h>

#include "team.h"

enum { PATCHES = 1024, TOUCHED = 4, ROOTS = 512, DEPTH = 5, QUEUE = 65536, LOOPS = 160 };

struct patch {
  pthread_mutex_t lock;
  uint64_t energy, visits;
};

struct task {
  uint64_t seed;
  int depth;
};

struct queue {
  _Alignas(TEAM_LINE) pthread_mutex_t lock;
  long first, last; /* tasks [first, last), modulo QUEUE */
  struct task *tasks;
};

static struct patch *patches;
static struct queue queues[TEAM_MAX];
_Alignas(TEAM_LINE) static _Atomic long open_tasks;
static long patch_count, roots, rounds;

static void push(struct queue *queue, struct task task) {
  pthread_mutex_lock(&queue->lock);
  if (queue->last - queue->first == QUEUE) {
    fprintf(stderr, "tasks: a queue is full\n");
    exit(1);
  }
  queue->tasks[queue->last++ % QUEUE] = task;
  pthread_mutex_unlock(&queue->lock);
}

/* Its own thread takes the newest task, a thief the oldest. */
static int take(struct queue *queue, int newest, struct task *task) {
  pthread_mutex_lock(&queue->lock);
  int found = queue->last > queue->first;
  if (found) *task = queue->tasks[(newest ? --queue->last : queue->first++) % QUEUE];
  pthread_mutex_unlock(&queue->lock);
  return found;
}

static int find(int me, struct task *task) {
  if (take(&queues[me], 1, task)) return 1;
  for (int other = 1; other < team_threads; other++)
    if (take(&queues[(me + other) % team_threads], 0, task)) return 1;
  return 0;
}

static void perform(int me, struct task task) {
  uint64_t energy = task.seed;
  for (int i = 0; i < LOOPS; i++) energy = team_mix(energy);
  for (int i = 0; i < TOUCHED; i++) {
    struct patch *patch = &patches[team_mix(task.seed + (uint64_t)i) % (uint64_t)patch_count];
    pthread_mutex_lock(&patch->lock);
    patch->energy += energy >> i;
    patch->visits++;
    pthread_mutex_unlock(&patch->lock);
  }
  if (task.depth == 0) return;
  atomic_fetch_add(&open_tasks, 2);
  for (uint64_t i = 0; i < 2; i++)
    push(&queues[me], (struct task){team_mix(task.seed * 2 + i), task.depth - 1});
}

static void work(int me) {
  struct task task;
  for (long round = 0; round < rounds; round++) {
    for (long i = me; i < roots; i += team_threads) {
      atomic_fetch_add(&open_tasks, 1);
      push(&queues[me], (struct task){(uint64_t)(round * roots + i) + 1, DEPTH});
    }
    team_wait();
    while (atomic_load(&open_tasks) > 0) {
      if (!find(me, &task)) {
        sched_yield();
        continue;
      }
      perform(me, task);
      atomic_fetch_sub(&open_tasks, 1);
    }
    team_wait();
  }
}

int main(int argc, char **argv) {
  team_begin(argc, argv);
  rounds = team_amount(72);
  patch_count = PATCHES * team_size;
  roots = ROOTS * team_size;
  patches = team_array((size_t)patch_count, sizeof *patches);
  for (long i = 0; i < patch_count; i++) pthread_mutex_init(&patches[i].lock, NULL);
  for (int i = 0; i < team_threads; i++) {
    pthread_mutex_init(&queues[i].lock, NULL);
    queues[i].tasks = team_array(QUEUE, sizeof *queues[i].tasks);
  }
  team_run(work);
  uint64_t sum = 0;
  for (long i = 0; i < patch_count; i++) sum = sum * 31 + patches[i].energy * 3 + patches[i].visits;
  return kernel_report("tasks", sum);
}
