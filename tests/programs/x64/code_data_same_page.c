/* Generated code whose variables lie on its own page, and write to it 100,000 times while it runs. */
#include "emit.h"

/* 1: add qword [rip+counter], 3; mov eax, edi; mov [rip+copy], eax; dec edi; jnz 1b;
   mov eax, [rip+counter]; ret */
enum { COUNTER = 512, COPY = 2048 };

static void generate(byte *page) {
  byte *p = page;
  p = JIT_EMIT(p, "\x48\x83\x05");
  p = jit_u32(p, (uint32_t)(page + COUNTER - (p + 5)));
  p = JIT_EMIT(p, "\x03\x89\xf8\x89\x05");
  p = jit_rel32(p, page + COPY);
  p = JIT_EMIT(p, "\xff\xcf\x0f\x85");
  p = jit_rel32(p, page);
  p = JIT_EMIT(p, "\x8b\x05");
  p = jit_rel32(p, page + COUNTER);
  JIT_EMIT(p, "\xc3");
}

int main(void) {
  byte *page = jit_map(JIT_PAGE);
  generate(page);
  uint32_t got = ((uint32_t(*)(uint32_t))(uintptr_t)page)(50000); /* two writes a round */
  uint32_t copy;
  memcpy(&copy, page + COPY, 4);
  printf("counter %u, copy %u\n", got, copy);
  for (uint32_t i = 0; i < 2000; i++) { /* ordinary compiled code writes beside the code, too */
    memcpy(page + COUNTER, &(uint64_t){i}, 8);
    page[COPY + 8 + i % 100]++;
    CHECK(((uint32_t(*)(uint32_t))(uintptr_t)page)(2) == i + 6);
  }
  printf("%d %d\n", page[COPY + 8], page[COPY + 107]);
  return 0;
}
