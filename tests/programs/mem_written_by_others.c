/* Two processes of several threads write each other's memory, by process_vm_writev and /proc/PID/mem, while the threads there compute, wait in calls
 * and look at what comes: each has to find every word that was sent, in the order in which it was sent. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { ROUNDS = 12, WORDS = 2000 };

/* At the same address in both. */
static volatile unsigned long *box, *answer;
static volatile int over;
static volatile unsigned long sum;

static void *compute(void *unused) {
  for (unsigned long i = 0; !over; i++) sum += i * box[i % WORDS];
  return unused;
}

static void *block(void *descriptor) {
  char byte;
  CHECK(read(*(int *)descriptor, &byte, 1) == 0);
  return NULL;
}

/* Waits for each round's words and answers with their sum. */
static void watch(void) {
  for (unsigned long round = 1; round <= ROUNDS; round++) {
    unsigned long total = 0;
    while (box[WORDS] != round) {
      if (round % 2) sched_yield();
    }
    for (int i = 0; i < WORDS; i++) total += box[i];
    answer[1] = total;
    __atomic_store_n(&answer[0], round, __ATOMIC_RELEASE);
  }
}

static void send_words(pid_t pid, int memory, unsigned long round) {
  unsigned long words[WORDS];
  for (int i = 0; i < WORDS; i++) words[i] = round * 1000 + (unsigned long)i;
  struct iovec here[2] = {{words, 80}, {words + 10, sizeof words - 80}};
  struct iovec there = {(void *)box, sizeof words};
  if (round % 3)
    CHECK(process_vm_writev(pid, here, 2, &there, 1, 0) == sizeof words);
  else
    CHECK(pwrite(memory, words, sizeof words, (off_t)(uintptr_t)box) == sizeof words);
  there = (struct iovec){(void *)&box[WORDS], 8};
  here[0] = (struct iovec){&round, 8};
  CHECK(process_vm_writev(pid, here, 1, &there, 1, 0) == 8);
}

static unsigned long receive(pid_t pid, unsigned long round) {
  unsigned long got[2] = {0};
  struct iovec here = {got, sizeof got}, there = {(void *)answer, sizeof got};
  while (got[0] != round) CHECK(process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof got);
  return got[1];
}

int main(void) {
  int gate[2], status;
  size_t bytes = (WORDS + 1) * sizeof *box;
  char path[64];
  box = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  answer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(box != MAP_FAILED && answer != MAP_FAILED && pipe(gate) == 0);
  pid_t pid = fork();
  if (!pid) {
    pthread_t threads[2];
    close(gate[1]);
    CHECK(pthread_create(&threads[0], NULL, compute, NULL) == 0);
    CHECK(pthread_create(&threads[1], NULL, block, &gate[0]) == 0);
    watch();
    over = 1;
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    _exit(3);
  }
  snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
  int memory = open(path, O_RDWR);
  CHECK(memory >= 0);
  unsigned long total = 0;
  for (unsigned long round = 1; round <= ROUNDS; round++) {
    send_words(pid, memory, round);
    total += receive(pid, round);
  }
  close(gate[1]);
  CHECK(waitpid(pid, &status, 0) == pid);
  say("%lu\n", total);
  say_status("the other", status);
  return 0;
}
