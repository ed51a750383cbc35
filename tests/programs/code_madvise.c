/* madvise(MADV_DONTNEED) gives back the file's code under a private change, and zeros in anonymous memory. */
#include "jit.h"
#include "trap.h"

/* 00 00 is add [rax], al, which traps with rax = 0: xor eax, eax; jmp. Elsewhere zeros are no instruction. */
static byte *caller_of(byte *zero) {
#if defined(__x86_64__)
  byte *caller = jit_map(JIT_PAGE);
  jit_u32(jit_bytes(caller, "\x31\xc0\xe9", 3), (uint32_t)(zero - (caller + 7)));
  return caller;
#else
  return zero;
#endif
}

int main(void) {
  trap_install();
  int fd = memfd_create("code", 0);
  byte f[JIT_CONSTANT_SIZE];
  jit_constant(f, 10);
  CHECK(fd >= 0 && ftruncate(fd, JIT_PAGE) == 0 && pwrite(fd, f, sizeof f, 0) == (ssize_t)sizeof f);
  byte *p = mmap(NULL, JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, 0);
  CHECK(p != MAP_FAILED);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 100; i++) {
    CHECK(jit_call(p) == 10);
    jit_constant(p, 1000 + i);
    sum += jit_call(p);
    CHECK(madvise(p, JIT_PAGE, MADV_DONTNEED) == 0);
  }
  printf("sum %u, back to %u\n", sum, jit_call(p));
  byte *zero = jit_map(JIT_PAGE);
  jit_constant(zero, 5);
  CHECK(jit_call(zero) == 5 && madvise(zero, JIT_PAGE, MADV_DONTNEED) == 0);
  CHECK(trap_run(caller_of(zero)) == 1);
  printf("%s at %+ld, address %+ld\n", trap_name(trap_seen.signo), (long)(trap_seen.pc - (uintptr_t)zero),
         (long)(trap_seen.address - (trap_seen.signo == SIGILL ? (uintptr_t)zero : 0)));
  return 0;
}
