/* answer.c: prints a number that is part of an instruction: tests change it in the file. */
#include <stdio.h>

__attribute__((noinline)) static unsigned answer(void) {
  unsigned number;
#if defined(__x86_64__)
  __asm__ volatile("mov $0x5ca1ab1e, %0" : "=r"(number));
#else
  __asm__ volatile("ldr %w0, 1f; b 2f; 1: .word 0x5ca1ab1e; 2:" : "=r"(number));
#endif
  return number;
}

int main(void) {
  printf("%x\n", answer());
  return 0;
}
