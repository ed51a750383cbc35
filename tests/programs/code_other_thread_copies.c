/* One thread copies over half of a page again and again while another runs code in the other half. */
#include <pthread.h>
#include <stdatomic.h>

#include "jit.h"

static byte *page;
static atomic_bool stop;
static atomic_uint turn; /* even: the copier may write, odd: the runner may run what was written */

#if defined(__x86_64__)
/* xor eax, eax; mov ecx, 200; 1: add eax, ecx; dec ecx; jnz 1b; ret */
static const byte sum[] = {0x31, 0xc0, 0xb9, 200, 0, 0, 0, 0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0xc3};

static void fill(byte *at, size_t bytes) {
  memset(at, 0x90, bytes); /* nop */
}
#else
/* mov w0, 0; mov w1, 200; 1: add w0, w0, w1; subs w1, w1, 1; b.ne 1b; ret */
static const uint32_t sum[] = {0x52800000, 0x52801901, 0x0b010000, 0x71000421, 0x54ffffc1, 0xd65f03c0};

static void fill(byte *at, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 4) jit_u32(at + i, 0xd503201f); /* nop */
}
#endif

static void *copier(void *arg) {
  byte image[JIT_PAGE / 2];
  for (uint32_t round = 0; round < 150; round++) {
    while (atomic_load(&turn) != 2 * round) sched_yield();
    fill(image, sizeof image);
    jit_constant(image + round % 1000 * JIT_ALIGN, round);
    memcpy(page + JIT_PAGE / 2, image, sizeof image);
    jit_announce(page + JIT_PAGE / 2, page + JIT_PAGE);
    atomic_store(&turn, 2 * round + 1);
  }
  atomic_store(&stop, 1);
  return arg;
}

int main(void) {
  page = jit_map(JIT_PAGE);
  jit_announce(page, jit_bytes(page, sum, sizeof sum));
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
