/* One thread copies over half of a page again and again while another runs code in the other half. */
#include <pthread.h>
#include <stdatomic.h>

#include "jit.h"

static byte *page;
static atomic_bool stop;
static atomic_uint turn; /* even: the copier may write, odd: the runner may run what was written */

static void *copier(void *arg) {
  byte image[JIT_PAGE / 2];
  for (uint32_t round = 0; round < 150; round++) {
    while (atomic_load(&turn) != 2 * round) sched_yield();
    memset(image, 0x90, sizeof image);
    jit_constant(image + round % 1000, round);
    memcpy(page + JIT_PAGE / 2, image, sizeof image);
    atomic_store(&turn, 2 * round + 1);
  }
  atomic_store(&stop, 1);
  return arg;
}

int main(void) {
  page = jit_map(JIT_PAGE);
  /* xor eax, eax; mov ecx, 200; 1: add eax, ecx; dec ecx; jnz 1b; ret */
  JIT_EMIT(page, "\x31\xc0\xb9\xc8\0\0\0\x01\xc8\xff\xc9\x75\xfa\xc3");
  pthread_t t;
  CHECK(pthread_create(&t, NULL, copier, NULL) == 0);
  uint32_t fresh = 0;
  while (!atomic_load(&stop) || atomic_load(&turn) % 2 == 1) {
    CHECK(jit_call(page) == 20100); /* runs on while its page is being written */
    uint32_t now = atomic_load(&turn);
    if (now % 2 == 0) {
      sched_yield();
      continue;
    }
    jit_serialize();
    CHECK(jit_call(page + JIT_PAGE / 2) == now / 2);
    fresh++;
    atomic_store(&turn, now + 1);
  }
  CHECK(pthread_join(t, NULL) == 0);
  printf("%u fresh copies ran\n", fresh);
  return 0;
}
