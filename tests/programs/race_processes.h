/* race_processes.h: as race.h, for processes that race on memory they share.
 *
 *   race_NAME [PROCESSES [ROUNDS]] */
#ifndef RACE_PROCESSES_H
#define RACE_PROCESSES_H

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "race.h"

static uint32_t *race_shared_seen; /* each process's part of the signature */

/* Memory that children share. */
static inline void *race_share(size_t bytes) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

static inline void race_child(void (*run)(unsigned me), unsigned me, pthread_barrier_t *start) {
  pthread_barrier_wait(start);
  run(me);
  race_shared_seen[me] = race_seen[me];
  _exit(0);
}

/* Runs run(0) … run(processes - 1) in processes of their own and prints the signature, with more that the caller has seen. */
static inline int race_fork(int argc, char **argv, unsigned rounds, void (*run)(unsigned me),
                            uint32_t (*more)(void)) {
  pthread_barrier_t *start = race_share(sizeof *start);
  pthread_barrierattr_t attributes;
  race_rounds = rounds;
  if (argc > 1) race_threads = (unsigned)atoi(argv[1]);
  if (argc > 2) race_rounds = (unsigned)atoi(argv[2]);
  CHECK(race_threads >= 1 && race_threads <= RACE_THREADS);
  race_shared_seen = race_share(RACE_THREADS * sizeof *race_shared_seen);
  CHECK(!pthread_barrierattr_init(&attributes));
  CHECK(!pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  CHECK(!pthread_barrier_init(start, &attributes, race_threads));
  for (unsigned i = 0; i < race_threads; i++) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) race_child(run, i, start);
  }
  for (unsigned i = 0; i < race_threads; i++) {
    int status;
    CHECK(wait(&status) > 0 && status == 0);
  }
  uint32_t signature = more ? more() : 0;
  for (unsigned i = 0; i < race_threads; i++) signature = race_mix(signature, race_shared_seen[i]);
  printf("signature %08x\n", signature);
  return 0;
}

#endif
