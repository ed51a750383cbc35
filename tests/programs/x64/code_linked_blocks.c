/* Hot chains of direct jumps whose middle piece is rewritten, unmapped or moved after they have run often. */
#include "emit.h"
#include "trap.h"

enum { PIECES = 6 };

static byte *piece[PIECES];

/* add eax, k; jmp next (the last one: ret), each piece on a page of its own */
static void generate(int i, uint32_t k) {
  byte *p = jit_u32(JIT_EMIT(piece[i], "\x05"), k);
  if (i + 1 < PIECES)
    jit_rel32(JIT_EMIT(p, "\xe9"), piece[i + 1]);
  else
    JIT_EMIT(p, "\xc3");
}

static uint32_t run(void) { /* eax starts at 0: mov eax, 0 lies in front of the first piece */
  return jit_call(piece[0] - 5);
}

int main(void) {
  trap_install();
  byte *area = jit_map((2 * PIECES + 1) * JIT_PAGE);
  for (int i = 0; i < PIECES; i++) piece[i] = area + (2 * i + 1) * JIT_PAGE;
  JIT_EMIT(piece[0] - 5, "\xb8\0\0\0\0");
  for (int i = 0; i < PIECES; i++) generate(i, 1u << i);
  for (int i = 0; i < 1000; i++) CHECK(run() == 63);
  for (uint32_t k = 0; k < 500; k++) {
    int i = (int)(k % PIECES);
    generate(i, 1000 * k); /* one piece of the chain differs from now on */
    CHECK(run() == 63 - (1u << i) + 1000 * k);
    generate(i, 1u << i);
    CHECK(run() == 63);
  }
  CHECK(munmap(piece[3], JIT_PAGE) == 0);
  CHECK(trap_run(piece[0] - 5) == 1);
  printf("middle unmapped: %s, pc %+ld, eax %lld\n", trap_name(trap_seen.signo),
         (long)(trap_seen.pc - (uintptr_t)piece[3]), trap_seen.registers[REG_RAX]);
  CHECK(mmap(piece[3], JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0) == piece[3]);
  generate(3, 80);
  printf("mapped again: %u\n", run());
  CHECK(mprotect(piece[2], JIT_PAGE, PROT_READ) == 0);
  CHECK(trap_run(piece[0] - 5) == 1);
  printf("middle not executable: %s, pc %+ld, eax %lld\n", trap_name(trap_seen.signo),
         (long)(trap_seen.pc - (uintptr_t)piece[2]), trap_seen.registers[REG_RAX]);
  CHECK(mprotect(piece[2], JIT_PAGE, PROT_READ | PROT_EXEC) == 0);
  printf("executable again: %u\n", run());
  return 0;
}
