/* System V shared memory: attach, share over fork, attach twice, read-only, remove while attached, counts,
 * errors. */
#include "sys_helpers.h"
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

static const char *name(void *p) {
  return p == (void *)-1 ? strerrorname_np(errno) : "ok";
}

int main(void) {
  struct shmid_ds info;
  int id = shmget(IPC_PRIVATE, 10000, 0600);
  CHECK(id >= 0);
  char *a = shmat(id, NULL, 0), *b = shmat(id, NULL, SHM_RDONLY);
  CHECK(a != (void *)-1 && b != (void *)-1 && a != b);
  strcpy(a + 9000, "shared");
  say("seen in the other attachment: %s\n", b + 9000);
  CHECK(shmctl(id, IPC_STAT, &info) == 0);
  say("size %zu attached %lu creator %d\n", info.shm_segsz, info.shm_nattch, info.shm_cpid == getpid());
  CHECK(shmctl(id, IPC_RMID, NULL) == 0);
  pid_t child = fork();
  if (child == 0) {
    strcpy(a, "from the child");
    CHECK(shmctl(id, IPC_STAT, &info) == 0);
    _exit((int)info.shm_nattch);
  }
  say_status("attached with the child", reap(child));
  say("%s\n", b);
  say("detach %s", outcome(shmdt(b)));
  say(", again %s\n", outcome(shmdt(b)));
  char *place = mmap(NULL, 16384, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say("onto a mapping: %s\n", name(shmat(id, place, 0)));
  say("replacing it: %d\n", shmat(id, place, SHM_REMAP) == place);
  say("there too: %s\n", place);
  say("uneven: %s", name(shmat(id, place + 100, 0)));
  say(", rounded: %d\n", shmat(id, place + 100, SHM_RND | SHM_REMAP) == place);
  CHECK(shmdt(place) == 0 && shmdt(a) == 0);
  while (shmdt(place) == 0) continue;
  say("gone after the last: %s\n", name(shmat(id, NULL, 0)));
  say("too large: %s\n", outcome(shmget(IPC_PRIVATE, (size_t)-1, 0600)));
  return 0;
}
