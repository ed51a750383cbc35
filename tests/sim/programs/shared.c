/* shared.c: System V shared memory: between a process and its children, by key and by inheritance, until it is removed; a race on it. */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { PAGE = 4096, KEY = 4711, CHILDREN = 4, ROUNDS = 500 };

struct common {
  atomic_int turn, count;
  uint64_t digest;
};

static void child(int number) {
  int id = shmget(KEY, sizeof(struct common), 0);
  CHECK(id >= 0);
  struct common *common = shmat(id, NULL, 0);
  CHECK(common != (void *)-1);
  for (int i = 0; i < ROUNDS; i++) atomic_fetch_add(&common->count, number);
  while (atomic_load(&common->turn) != number) sched_yield();
  common->digest = mix(common->digest, (uint64_t)number);
  atomic_fetch_add(&common->turn, 1);
  CHECK(!shmdt(common));
  _exit(0);
}

static void by_key(void) {
  int id = shmget(KEY, sizeof(struct common), IPC_CREAT | IPC_EXCL | 0600), status;
  CHECK(id >= 0 && shmget(KEY, 1, IPC_CREAT | IPC_EXCL | 0600) == -1 && errno == EEXIST);
  CHECK(shmget(KEY, 1 << 20, 0) == -1 && errno == EINVAL);
  struct common *common = shmat(id, NULL, 0);
  CHECK(common->count == 0 && common->digest == 0);
  for (int i = 0; i < CHILDREN; i++)
    if (!fork()) child(i);
  for (int i = 0; i < CHILDREN; i++) CHECK(wait(&status) > 0 && status == 0);
  printf("count %d, digest %016lx\n", common->count, common->digest);
  struct shmid_ds ds;
  CHECK(!shmctl(id, IPC_STAT, &ds) && ds.shm_segsz == sizeof *common && ds.shm_nattch == 1);
  CHECK(!shmctl(id, IPC_RMID, NULL) && shmget(KEY, 1, 0) == -1 && errno == ENOENT);
  CHECK(common->turn == CHILDREN && !shmdt(common) && shmctl(id, IPC_STAT, &ds) == -1);
}

static void inherited(void) {
  int id = shmget(IPC_PRIVATE, 3 * PAGE, 0600), status;
  char *a = shmat(id, NULL, 0), *b = shmat(id, NULL, SHM_RDONLY);
  CHECK(a != b);
  a[PAGE] = 'x';
  CHECK(b[PAGE] == 'x' && !shmctl(id, IPC_RMID, NULL));
  if (!fork()) {
    a[2 * PAGE] = 'y';
    _exit(0);
  }
  CHECK(wait(&status) > 0 && status == 0 && b[2 * PAGE] == 'y');
  CHECK(!madvise(a, PAGE * 3, MADV_DONTNEED) && a[PAGE] == 'x');
  CHECK(!shmdt(a) && b[PAGE] == 'x' && !shmdt(b) && shmdt(b) == -1 && errno == EINVAL);
  CHECK(shmat(id, NULL, 0) == (void *)-1);
  char *at = (char *)0x1500000000;
  id = shmget(IPC_PRIVATE, PAGE, 0600);
  CHECK(shmat(id, at + 5, 0) == (void *)-1 && shmat(id, at + 5, SHM_RND) == at && !shmdt(at));
  CHECK(!shmctl(id, IPC_RMID, NULL));
  puts("inherited");
}

/* A process ends while another goes on writing to what they share. */
static void survived(void) {
  atomic_int *count = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int id = shmget(IPC_PRIVATE, PAGE, 0600);
  atomic_int *other = shmat(id, NULL, 0);
  CHECK(!shmctl(id, IPC_RMID, NULL));
  if (!fork()) {
    for (int i = 0; i < 40 * ROUNDS; i++) {
      atomic_fetch_add(count, 1);
      atomic_fetch_add(other, 2);
    }
    _exit(0);
  }
  while (!*count) sched_yield();
}

int main(void) {
  by_key();
  inherited();
  fflush(stdout);
  survived();
  return 0;
}
