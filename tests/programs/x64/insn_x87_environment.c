/* fnstenv, fldenv, fnsave, frstor: control, status, tags, registers, and the instruction pointer. */
#include <stdint.h>
#include <string.h>

#include "check.h"

struct environment {
  uint32_t control, status, tags, ip, cs_opcode, data, data_selector;
};

struct state {
  struct environment environment;
  unsigned char registers[8][10];
};

extern char fip_code[], fip_divide[], fip_end[];
__asm__(
    ".text\n"
    "fip_code:\n" /* rdi: where to store; the last x87 arithmetic instruction is fip_divide */
    "  fninit\n"
    "  fldpi\n"
    "  fld1\n"
    "fip_divide:\n"
    "  fdivrp\n"
    "  nop\n"
    "  fnstenv (%rdi)\n"
    "  fninit\n"
    "  ret\n"
    "fip_end:\n");

static void show(const char *name, const struct environment *e) {
  printf("%s: control %04x, status %04x, tags %04x\n", name, e->control & 0xffff, e->status & 0xffff,
         e->tags & 0xffff);
}

int main(void) {
  struct environment e;
  struct state s, again;
  double zero = 0;
  __asm__ volatile("fninit\nfnstenv %0" : "=m"(e));
  show("initial", &e);
  __asm__ volatile("fninit\nfld1\nfldz\nfldpi\nfldl %1\nfld1\nfdivp\nfnstenv %0\nfninit"
                   : "=m"(e)
                   : "m"(zero));
  show("after a division by zero", &e);
  __asm__ volatile("fninit\nfld1\nfldl2t\nfnsave %0" : "=m"(s)); /* fnsave initialises, too */
  show("saved", &s.environment);
  for (int i = 0; i < 2; i++) {
    for (int k = 9; k >= 0; k--) printf("%02x", s.registers[i][k]);
    puts("");
  }
  __asm__ volatile("fnstenv %0" : "=m"(e));
  show("reset", &e);
  __asm__ volatile("frstor %1\nfnsave %0" : "=m"(again) : "m"(s));
  show("restored", &again.environment);
  CHECK(memcmp(s.registers, again.registers, sizeof s.registers) == 0);
  e.control = 0x0c7f;
  e.status = 0x3800; /* top of stack 7 */
  e.tags = 0x3fff;
  uint16_t control, status;
  __asm__ volatile("fldenv %2\nfnstcw %0\nfnstsw %1\nfninit" : "=m"(control), "=m"(status) : "m"(e));
  printf("loaded: control %04x, status %04x\n", control, status);
  struct environment f;
  memset(&f, 0, sizeof f);
  ((void (*)(struct environment *))(uintptr_t)fip_code)(&f);
  /* Some processors keep the pointer only when an exception is pending, so zero is an answer, too. */
  uint32_t expected = (uint32_t)(uintptr_t)fip_divide;
  printf("instruction pointer %s\n", f.ip == expected || f.ip == 0 ? "in the program" : "wrong");
  return 0;
}
