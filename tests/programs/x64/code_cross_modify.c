/* One thread patches the constant of a function that two others run: they see the old or the new one. */
#include <pthread.h>
#include <stdatomic.h>

#include "jit.h"

enum { READERS = 2, VERSIONS = 120 };

static byte *code;
static atomic_uint published, confirmed[READERS];
static atomic_bool stop;

static void store_version(uint32_t version) {
  uint64_t whole = 0x9090c300000000b8u | (uint64_t)version << 8; /* mov eax, version; ret; nop; nop */
  __atomic_store_n((uint64_t *)(void *)code, whole, __ATOMIC_SEQ_CST);
}

static void *reader(void *arg) {
  long me = (long)arg;
  uint32_t last = 0, calls = 0;
  while (!atomic_load(&stop)) {
    uint32_t floor = atomic_load(&published);
    if (floor != atomic_load(&confirmed[me])) jit_serialize();
    uint32_t got = jit_call(code);
    uint32_t ceiling = atomic_load(&published) + 1; /* the writer stores first and publishes then */
    CHECK(got >= floor && got <= ceiling && got >= last);
    last = got;
    atomic_store(&confirmed[me], floor);
    if (++calls % 64 == 0) sched_yield();
  }
  return NULL;
}

int main(void) {
  pthread_t t[READERS];
  code = jit_map(JIT_PAGE);
  store_version(0);
  for (long i = 0; i < READERS; i++) CHECK(pthread_create(&t[i], NULL, reader, (void *)i) == 0);
  for (uint32_t version = 1; version <= VERSIONS; version++) {
    store_version(version);
    atomic_store(&published, version);
    if (version % 3 == 0) /* two of three changes race with the next */
      for (int i = 0; i < READERS; i++)
        while (atomic_load(&confirmed[i]) < version) sched_yield();
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < READERS; i++) CHECK(pthread_join(t[i], NULL) == 0);
  printf("%d versions, all readers in order\n", VERSIONS);
  return 0;
}
