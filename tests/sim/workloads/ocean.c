/* ocean.c: a red-black relaxation on a grid, in bands of rows: neighbours share the rows at their borders; a common sum under a lock. */
#include "workload.h"

enum { SIDE = 130 };
static double grid[SIDE][SIDE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long changes;

static void relax(long first, long last, long colour, long *mine) {
  for (long i = first; i < last; i++)
    for (long j = 1 + (i + colour) % 2; j < SIDE - 1; j += 2) {
      double new = (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) / 4;
      *mine += new != grid[i][j];
      grid[i][j] = new;
    }
}

static void work(long me) {
  long rows = SIDE - 2, first = 1 + rows * me / threads, last = 1 + rows * (me + 1) / threads;
  for (long step = 0; step < 2 * scale; step++) {
    long mine = 0;
    relax(first, last, 0, &mine);
    pthread_barrier_wait(&all);
    relax(first, last, 1, &mine);
    pthread_mutex_lock(&lock);
    changes += mine;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&all);
  }
}

int main(int argc, char **argv) {
  double sum = 0;
  read_arguments(argc, argv);
  for (int i = 0; i < SIDE; i++) grid[i][0] = i, grid[0][i] = SIDE - i, grid[i][SIDE - 1] = i % 7;
  run_all();
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) sum += grid[i][j];
  printf("%.9f %ld\n", sum, changes);
  return 0;
}
