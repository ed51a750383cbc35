/* A switch of 512 cases and a computed-goto interpreter: indirect jumps with very many targets. */
#include <stdint.h>

#include "check.h"

/* The barrier keeps the compiler from folding the cases into arithmetic or a table of values. */
#define C1(n)                       \
  case (n):                         \
    x = x * 3 + (n)*7u + 1;         \
    __asm__ volatile("" : "+r"(x)); \
    break;
#define C4(n) C1(n) C1((n) + 1) C1((n) + 2) C1((n) + 3)
#define C16(n) C4(n) C4((n) + 4) C4((n) + 8) C4((n) + 12)
#define C64(n) C16(n) C16((n) + 16) C16((n) + 32) C16((n) + 48)
#define C256(n) C64(n) C64((n) + 64) C64((n) + 128) C64((n) + 192)

static __attribute__((noinline)) uint32_t dispatch(uint32_t x, unsigned key) {
  switch (key) {
    C256(0)
    C256(256)
    default:
      x ^= key;
      break;
  }
  return x;
}

static uint64_t interpret(const unsigned char *code) {
  static const void *const label[] = {&&push, &&add, &&mul, &&loop, &&swap, &&halt};
  uint64_t stack[16], *sp = stack, counter = 3000;
  const unsigned char *pc = code;
#define NEXT goto *label[*pc++]
  NEXT;
push:
  *sp++ = *pc++;
  NEXT;
add:
  sp--;
  sp[-1] += sp[0] + 1;
  NEXT;
mul:
  sp--;
  sp[-1] = sp[-1] * 31 + sp[0];
  NEXT;
swap : {
  uint64_t t = sp[-1];
  sp[-1] = sp[-2];
  sp[-2] = t;
  NEXT;
}
loop:
  if (--counter) pc = code + 2; /* keeps the accumulator below */
  NEXT;
halt:
  return sp[-1];
}

int main(void) {
  uint32_t x = 1, key = 0;
  for (int i = 0; i < 200000; i++) {
    x = dispatch(x, key);
    key = (key * 5 + 3) % 520;
  }
  printf("switch %08x\n", x);
  static const unsigned char program[] = {0, 9, 0, 5, 1, 0, 7, 4, 0, 3, 2, 1, 3, 5};
  printf("interpreter %016lx\n", (unsigned long)interpret(program));
  return 0;
}
