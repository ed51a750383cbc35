/* Whether a function cares for the flags that it is called with changes between calls: whoever calls it has to notice, too. */
#include <stdbool.h>

#include "emit.h"

int main(void) {
  byte *code = jit_map(2 * JIT_PAGE), *function = code + JIT_PAGE;
  /* cmp edi, esi; lea rdx, [1f]; jmp rdx; 1: nop; call function; ret */
  JIT_EMIT(code, "\x39\xf7\x48\x8d\x15\x02\0\0\0\xff\xe2\x90\xe8\0\0\0\0\xc3");
  uint32_t displacement = (uint32_t)(function - (code + 17));
  memcpy(code + 13, &displacement, sizeof displacement);
  /* nop; nop; setc al; movzx eax, al; ret */
  JIT_EMIT(function, "\x90\x90\x0f\x92\xc0\x0f\xb6\xc0\xc3");
  uint32_t (*call)(uint32_t, uint32_t) = (uint32_t(*)(uint32_t, uint32_t))(uintptr_t)code;
  for (int round = 0; round < 40; round++) {
    bool cares = round % 2;
    memcpy(function, cares ? "\x90\x90" : "\x85\xff", 2); /* test edi, edi: overwrites them */
    for (uint32_t i = 0; i < 600; i++) CHECK(call(i % 20, 10) == (cares && i % 20 < 10));
  }
  puts("the function found the flags that it was called with");
  return 0;
}
