/* mapped.c: files that processes have in memory together: by a name, of POSIX shared memory, without a name; named semaphores; what the file has when it is read, and
   when the mappings have gone; mappings that grow. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { PAGE = 4096, CHILDREN = 4, ROUNDS = 100 };

struct common {
  volatile int next;
  int log[CHILDREN * ROUNDS];
  unsigned char marks[CHILDREN][ROUNDS];
};

static char memory_name[64], lock_name[64];

static void *map(int file, size_t bytes, int protection) {
  void *at = mmap(NULL, bytes, protection, MAP_SHARED, file, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

static void child(int number) {
  int file = shm_open(memory_name, O_RDWR, 0);
  struct common *common = map(file, sizeof *common, PROT_READ | PROT_WRITE);
  sem_t *lock = sem_open(lock_name, 0);
  CHECK(lock != SEM_FAILED);
  for (int i = 0; i < ROUNDS; i++) {
    CHECK(!sem_wait(lock));
    common->log[common->next++] = number;
    CHECK(!sem_post(lock));
    common->marks[number][i] = (unsigned char)(i + number);
  }
  CHECK(!munmap(common, sizeof *common) && !sem_close(lock));
  _exit(number);
}

static void by_name(void) {
  int file = shm_open(memory_name, O_CREAT | O_EXCL | O_RDWR, 0600), count[CHILDREN] = {0}, status, written;
  CHECK(file >= 0 && !ftruncate(file, sizeof(struct common)));
  struct common *common = map(file, sizeof *common, PROT_READ | PROT_WRITE);
  sem_t *lock = sem_open(lock_name, O_CREAT | O_EXCL, 0600, 1);
  CHECK(lock != SEM_FAILED);
  for (int i = 0; i < CHILDREN; i++)
    if (!fork()) child(i);
  for (int i = 0; i < CHILDREN; i++)
    CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) < CHILDREN);
  for (int i = 0; i < common->next; i++) count[common->log[i]]++;
  uint64_t digest = 1;
  for (int i = 0; i < CHILDREN; i++) digest = mix(digest, (uint64_t)count[i]);
  for (int i = 0; i < CHILDREN * ROUNDS; i++) digest = mix(digest, common->marks[i / ROUNDS][i % ROUNDS]);
  CHECK(pread(file, &written, sizeof written, 0) == sizeof written); /* while it is mapped */
  printf("%d written, %d in the file, digest %016lx\n", common->next, written, digest);
  CHECK(!munmap(common, sizeof *common) && !close(file) && !sem_close(lock));
  file = shm_open(memory_name, O_RDONLY, 0);
  const struct common *again = map(file, sizeof *again, PROT_READ);
  printf("again: %d\n", again->next);
  CHECK(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED);
  CHECK(!shm_unlink(memory_name) && !sem_unlink(lock_name));
}

static volatile unsigned *words;

static void *count_up(void *argument) {
  long me = (long)argument;
  for (int i = 0; i < 500; i++) {
    __atomic_fetch_add(&words[i % 64], 1, __ATOMIC_RELAXED);
    words[1024 + me * 16 + i % 16] += (unsigned)i;
  }
  return NULL;
}

static void of_threads(void) {
  char name[] = "/tmp/mapped-XXXXXX", text[8] = {0};
  int file = mkstemp(name);
  CHECK(file >= 0 && write(file, "\5\0\0\0end", 8) == 8 && !ftruncate(file, 2 * PAGE));
  words = map(file, 2 * PAGE, PROT_READ | PROT_WRITE);
  pthread_t thread[4];
  for (long i = 0; i < 4; i++) CHECK(!pthread_create(&thread[i], NULL, count_up, (void *)i));
  for (int i = 0; i < 4; i++) CHECK(!pthread_join(thread[i], NULL));
  uint64_t digest = 1;
  for (int i = 0; i < 2048; i++) digest = mix(digest, words[i]);
  printf("threads: %u, digest %016lx\n", words[0], digest);
  /* Behind what is in memory the file may grow, and so may the mapping. */
  CHECK(pwrite(file, "tail", 4, 2 * PAGE) == 4);
  char *longer = mremap((void *)words, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE);
  CHECK(longer != MAP_FAILED);
  printf("grown: %.4s\n", longer + 2 * PAGE);
  memcpy(longer + 2 * PAGE, "TAIL", 4);
  CHECK(!msync(longer, 3 * PAGE, MS_SYNC) && pread(file, text, 4, 2 * PAGE) == 4);
  printf("written back: %s\n", text);
  memcpy(longer, "done", 4);
  CHECK(!munmap(longer, 3 * PAGE) && pread(file, text, 7, 0) == 7);
  printf("unmapped: %.4s\n", text);
  CHECK(!unlink(name));
}

static void without_name(void) {
  int file = memfd_create("mapped", MFD_CLOEXEC);
  CHECK(file >= 0 && !ftruncate(file, PAGE));
  char *a = map(file, PAGE, PROT_READ | PROT_WRITE), *b = map(file, PAGE, PROT_READ);
  strcpy(a, "two mappings");
  printf("%s\n", b);
  unsigned char resident[1];
  CHECK(!mincore(a, PAGE, resident) && resident[0] & 1);
}

int main(void) {
  char unique[] = "/tmp/reprise-XXXXXX"; /* programs on other simulators have other names */
  CHECK(mkstemp(unique) >= 0);
  snprintf(memory_name, sizeof memory_name, "/memory-%s", unique + 5);
  snprintf(lock_name, sizeof lock_name, "/lock-%s", unique + 5);
  by_name();
  of_threads();
  without_name();
  CHECK(!unlink(unique));
  return 0;
}
