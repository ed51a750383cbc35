/* fs- and gs-relative operands: thread-local addresses by hand, ARCH_SET_GS, per thread, bad bases. */
#include <asm/prctl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "check.h"

static __thread uint64_t local = 0x1111;

static uint64_t fs_self(void) {
  uint64_t self;
  __asm__("mov %%fs:0, %0" : "=r"(self));
  return self;
}

static long set_gs(const void *base) {
  return syscall(SYS_arch_prctl, ARCH_SET_GS, base);
}

static void fs_forms(void) {
  int64_t offset = (char *)&local - (char *)(uintptr_t)fs_self();
  uint64_t v, base;
  CHECK(syscall(SYS_arch_prctl, ARCH_GET_FS, &base) == 0 && base == fs_self());
  __asm__ volatile("movq %%fs:(%1), %0" : "=r"(v) : "r"(offset));
  __asm__ volatile("addq $5, %%fs:(%0)\nlock incq %%fs:(%0)\nmovb $0x77, %%fs:2(%0)\nxchgl %%eax, %%fs:4(%0)"
                   :
                   : "r"(offset), "a"(9)
                   : "memory", "cc");
  printf("fs: read %lx, local now %lx\n", v, local);
}

static void gs_forms(uint64_t *block) {
  uint64_t v, index = 2, base;
  CHECK(set_gs(block) == 0);
  CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == (uintptr_t)block);
  __asm__ volatile("movq %%gs:8, %0" : "=r"(v)); /* absolute */
  printf("gs: %lx ", v);
  __asm__ volatile("movq %%gs:(,%1,8), %0" : "=r"(v) : "r"(index));
  printf("%lx ", v);
  __asm__ volatile("addq %1, %%gs:(,%0,8)\nmovq %%gs:(,%0,8), %0" : "+r"(index) : "r"(v) : "memory", "cc");
  printf("%lx ", index);
  __asm__ volatile("movdqu %%gs:0, %%xmm0\nmovdqu %%xmm0, %%gs:32" ::: "xmm0", "memory");
  __asm__ volatile("pushq %%gs:40\npopq %0" : "=r"(v));
  printf("%lx\n", v);
  __asm__ volatile("movl $0, %%gs:48\n.byte 0x65\nlea 48, %0"
                   : "=r"(v)::"memory"); /* lea ignores the segment */
  printf("lea %lu\n", v);
}

static void *in_thread(void *arg) {
  uint64_t block[8] = {0, (uintptr_t)arg}, base, v;
  CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0); /* inherited from the creator */
  CHECK(set_gs(block) == 0);
  for (int i = 0; i < 1000; i++) {
    __asm__ volatile("incq %%gs:8" ::: "memory", "cc");
    if (i % 100 == 0) sched_yield();
  }
  __asm__ volatile("movq %%gs:8, %0" : "=r"(v));
  CHECK(v == block[1]);
  return (void *)v;
}

int main(void) {
  uint64_t block[8] = {1, 0xabc, 0x100, 3, 4, 5, 6, 7};
  uint16_t gs_selector;
  fs_forms();
  gs_forms(block);
  __asm__("mov %%gs, %0" : "=r"(gs_selector));
  printf("selector %x\n", gs_selector);
  pthread_t t[3];
  for (uintptr_t i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, in_thread, (void *)(i * 10000)) == 0);
  for (int i = 0; i < 3; i++) {
    void *v;
    CHECK(pthread_join(t[i], &v) == 0);
    printf("thread %d: %lu\n", i, (unsigned long)(uintptr_t)v);
  }
  uint64_t v;
  __asm__ volatile("movq %%gs:8, %0" : "=r"(v));
  printf("main still sees %lx, local %lx\n", v, local);
  CHECK(set_gs((void *)0xffff800000000000) == -1 && errno == EPERM);
  return 0;
}
