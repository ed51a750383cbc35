/* Every kind of store can change code: byte to vector, locked, string, push, pop, cmpxchg16b. */
/* cflags: -mno-red-zone -mcx16 */
#include "jit.h"

static byte *f; /* 16-aligned; holds mov eax, imm32; ret; its immediate is at f + 1 */
static uint32_t wanted = 1;

static void verify(const char *how) {
  uint32_t got = jit_call(f);
  CHECK(got == wanted);
  printf("%s %u\n", how, got);
  wanted += 0x01010101;
}

static void scalar_stores(void) {
  for (int i = 0; i < 4; i++) __asm__ volatile("movb %b1, %0" : "+m"(f[1 + i]) : "q"(wanted >> (8 * i)));
  verify("byte");
  __asm__ volatile("movw %w1, %0" : "+m"(*(uint16_t *)(void *)(f + 1)) : "r"(wanted));
  __asm__ volatile("movw %w1, %0" : "+m"(*(uint16_t *)(void *)(f + 3)) : "r"(wanted >> 16));
  verify("word");
  __asm__ volatile("addl %1, %0" : "+m"(*(uint32_t *)(void *)(f + 1)) : "r"(0x01010101) : "cc");
  verify("add");
  __asm__ volatile("lock xaddl %1, %0" : "+m"(*(uint32_t *)(void *)(f + 1)) : "r"(0x01010101) : "cc");
  verify("lock xadd");
  uint32_t value = wanted;
  __asm__ volatile("xchgl %1, %0" : "+m"(*(uint32_t *)(void *)(f + 1)), "+r"(value));
  verify("xchg");
  __asm__ volatile("movnti %1, %0\nsfence" : "=m"(*(uint32_t *)(void *)(f + 1)) : "r"(wanted));
  verify("movnti");
}

static void wide_stores(void) {
  byte image[16], *to = f;
  memcpy(image, f, 16);
  memcpy(image + 1, &wanted, 4);
  __asm__ volatile("movdqu %1, %%xmm0\nmovdqa %%xmm0, %0" : "=m"(*(byte(*)[16])f) : "m"(image) : "xmm0");
  verify("vector");
  memcpy(image + 1, &wanted, 4);
  const byte *from = image;
  unsigned long n = 6;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  verify("rep movsb");
  memcpy(image + 1, &wanted, 4);
  unsigned __int128 old, new;
  memcpy(&old, f, 16);
  memcpy(&new, image, 16);
  CHECK(__sync_bool_compare_and_swap((unsigned __int128 *)(void *)f, old, new));
  verify("cmpxchg16b");
}

static void stack_stores(void) {
  uint64_t image;
  memcpy(&image, f, 8);
  image = (image & ~0xffffffff00u) | (uint64_t)wanted << 8;
  __asm__ volatile("mov %%rsp, %%rbx\nlea 8(%0), %%rsp\npush %1\nmov %%rbx, %%rsp" ::"r"(f), "r"(image)
                   : "rbx", "memory");
  verify("push");
  image = (image & ~0xffffffff00u) | (uint64_t)wanted << 8;
  __asm__ volatile("mov %%rsp, %%rbx\nmov %0, %%rsp\npush %1\npopq (%0)\nmov %%rbx, %%rsp" ::"r"(f),
                   "r"(image)
                   : "rbx", "memory");
  verify("pop");
}

int main(void) {
  f = jit_map(JIT_PAGE) + 256;
  jit_constant(f, wanted);
  verify("memcpy");
  scalar_stores();
  wide_stores();
  stack_stores();
  return 0;
}
