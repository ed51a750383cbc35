/* Libraries loaded while threads run: dlopen, dlsym, per-thread dlerror and dlclose from many threads. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "check.h"

static pthread_barrier_t barrier;

static void *use(void *arg) {
  long me = (long)arg;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 20; i++) {
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
    void *resolver = dlopen("libanl.so.1", RTLD_LAZY);
    CHECK(library);
    CHECK(dlsym(library, "_Unwind_Backtrace"));
    CHECK(dlsym(library, "no_such_symbol") == NULL && dlerror() != NULL); /* dlerror's text is per thread */
    errno = (int)me; /* libc's own thread-local variable, through its GOT entry */
    CHECK(dlerror() == NULL);
    CHECK(errno == (int)me);
    CHECK(dlclose(library) == 0);
    if (resolver) CHECK(dlclose(resolver) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t t[4];
  CHECK(pthread_barrier_init(&barrier, NULL, 4) == 0);
  for (long i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, use, (void *)(i + 1)) == 0);
  for (int i = 0; i < 4; i++) CHECK(pthread_join(t[i], NULL) == 0);
  void *self = dlopen(NULL, RTLD_NOW);
  CHECK(self && dlsym(self, "pthread_create") != NULL);
  puts("loaded and unloaded 80 times");
  return 0;
}
