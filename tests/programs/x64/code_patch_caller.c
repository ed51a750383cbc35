/* A callee rewrites the code of the function it returns to, and of one further up the stack. */
#include "emit.h"

static byte *outer, *inner, *outer_rest, *inner_rest;
static uint32_t round_number;

static void callee(void) {
  jit_u32(inner_rest + 1, round_number);      /* add eax, imm32 after the call in inner */
  jit_u32(outer_rest + 1, round_number * 10); /* and in outer */
}

int main(void) {
  byte *p = jit_map(JIT_PAGE);
  uintptr_t target = (uintptr_t)callee;
  inner = p; /* push rbx; mov rax, callee; call rax; mov eax, 1; add eax, imm32; pop rbx; ret */
  p = JIT_EMIT(p, "\x53\x48\xb8");
  p = jit_bytes(p, (const char *)&target, 8);
  p = JIT_EMIT(p, "\xff\xd0\xb8\x01\0\0\0");
  inner_rest = p;
  p = JIT_EMIT(p, "\x05\0\0\0\0\x5b\xc3");
  outer = p; /* push rbx; call inner; add eax, imm32; pop rbx; ret */
  p = jit_rel32(JIT_EMIT(p, "\x53\xe8"), inner);
  outer_rest = p;
  JIT_EMIT(p, "\x05\0\0\0\0\x5b\xc3");
  for (round_number = 0; round_number < 3000; round_number++) CHECK(jit_call(outer) == 1 + 11 * round_number);
  printf("last %u\n", jit_call(outer));
  return 0;
}
