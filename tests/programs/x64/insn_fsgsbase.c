/* rdgsbase, wrgsbase and rdfsbase agree with arch_prctl, where the kernel allows them. */
/* cflags: -mfsgsbase */
#include <asm/prctl.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "check.h"

static void *check_bases(void *arg) {
  uint64_t block[4] = {0, (uintptr_t)arg, 0, 0}, self, v, base;
  __asm__("mov %%fs:0, %0" : "=r"(self));
  CHECK(_readfsbase_u64() == self && _readfsbase_u32() == (uint32_t)self);
  _writegsbase_u64((uintptr_t)block);
  for (int i = 0; i < 20; i++) {
    CHECK(_readgsbase_u64() == (uintptr_t)block);
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == (uintptr_t)block);
    __asm__ volatile("incq %%gs:8\nmovq %%gs:8, %0" : "=r"(v)::"memory", "cc");
    sched_yield();
  }
  _writefsbase_u64(self); /* unchanged, and still usable */
  _writegsbase_u32(0x12345678);
  CHECK(_readgsbase_u64() == 0x12345678);
  return (void *)v;
}

int main(void) {
  if (!(getauxval(AT_HWCAP2) & 2)) {
    puts("skipped: no fsgsbase");
    return 0;
  }
  pthread_t t[3];
  for (uintptr_t i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, check_bases, (void *)(i * 1000)) == 0);
  for (int i = 0; i < 3; i++) {
    void *v;
    CHECK(pthread_join(t[i], &v) == 0);
    printf("thread %d: %lu\n", i, (unsigned long)(uintptr_t)v);
  }
  printf("main: %lu\n", (unsigned long)(uintptr_t)check_bases((void *)7));
  return 0;
}
