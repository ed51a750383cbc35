// pthread_cancel and pthread_exit unwind C++ frames: destructors run, catch (...) sees them and rethrows.
#include <cxxabi.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdio>

#include "check.h"

static std::atomic<int> destroyed, caught;
static sem_t ready, never;

struct Guard {
  ~Guard() { destroyed++; }
};

__attribute__((noinline)) static void dive(int depth, bool leave) {
  Guard guard;
  if (depth > 0) {
    dive(depth - 1, leave);
    CHECK(destroyed >= 0);
    return;
  }
  if (leave) pthread_exit(reinterpret_cast<void *>(55));
  sem_post(&ready);
  sem_wait(&never);
}

static void *body(void *leave) {
  try {
    dive(20, leave != nullptr);
  } catch (const abi::__forced_unwind &) {
    caught++;
    throw;  // must go on
  }
  return nullptr;
}

int main() {
  CHECK(sem_init(&ready, 0, 0) == 0 && sem_init(&never, 0, 0) == 0);
  for (int i = 0; i < 10; i++) {
    pthread_t t;
    void *result;
    CHECK(pthread_create(&t, nullptr, body, nullptr) == 0);
    CHECK(sem_wait(&ready) == 0 && pthread_cancel(t) == 0 && pthread_join(t, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(pthread_create(&t, nullptr, body, &ready) == 0 && pthread_join(t, &result) == 0);
    CHECK(result == reinterpret_cast<void *>(55));
  }
  std::printf("destroyed %d, caught %d\n", destroyed.load(), caught.load());
  return 0;
}
