/* Address-size, redundant, repeated and ignored prefixes, REX in odd company, instructions of 15 bytes. */
/* cflags: -mno-red-zone */
#include "jit.h"

static byte *code;
static uint64_t *low; /* mapped below 4 GiB, so that 32-bit addresses reach it */

static void run(const char *name, const char *bytes, size_t n) {
  uint64_t rax = 0x1122334455667788, rcx = 0x100000003, rdx = (uintptr_t)low, rsi = (uintptr_t)low;
  for (int i = 0; i < 8; i++) low[i] = 0x0101010101010101u * (unsigned)(i + 1);
  *jit_bytes(code, bytes, n) = 0xc3;
  __asm__ volatile("call *%4"
                   : "+a"(rax), "+c"(rcx), "+d"(rdx), "+S"(rsi)
                   : "r"(code)
                   : "rdi", "r8", "memory", "cc");
  printf("%s: %lx %lx %+ld %+ld, %lx %lx\n", name, rax, rcx, (long)(rdx - (uintptr_t)low),
         (long)(rsi - (uintptr_t)low), low[0], low[3]);
}

#define RUN(name, bytes) run(name, bytes, sizeof(bytes) - 1)

int main(void) {
  code = jit_map(JIT_PAGE);
  low = mmap(NULL, JIT_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  CHECK(low != MAP_FAILED);
  RUN("mov rax, [edx]", "\x67\x48\x8b\x02");
  RUN("mov rax, [edx+ecx*8], ecx without its high half", "\x67\x48\x8b\x04\xca");
  RUN("lea rax, [edx+ecx] truncates", "\x67\x48\x8d\x04\x0a\x48\x29\xd0");
  RUN("lea eax, [rdx+rcx]", "\x8d\x04\x0a\x29\xd0");
  RUN("lodsq with esi", "\x67\x48\xad");
  RUN("66 repeated", "\x66\x66\x66\x66\xb8\x34\x12");
  RUN("66 and REX.W: REX.W wins", "\x66\x48\xb8\x11\x22\x33\x44\x55\x66\x77\x08");
  RUN("REX before another prefix is ignored", "\x48\x66\x89\xc8");
  RUN("two REX, the last counts", "\x41\x48\x89\xc8");
  RUN("segment overrides on a register move", "\x2e\x3e\x26\x36\x48\x89\xc8");
  RUN("ds override on memory", "\x3e\x48\x8b\x02");
  RUN("cs, ss, es override on memory", "\x2e\x36\x26\x48\x8b\x42\x08");
  RUN("rep on mov", "\xf3\x48\x89\xc8");
  RUN("rep nop", "\xf3\x90");
  RUN("rex nop exchanges r8", "\x49\x89\xc8\x49\x90");
  RUN("hinted branch", "\x31\xc0\x3e\x74\x02\x0f\x0b");
  RUN("rep ret in the middle", "\x31\xff\x74\x02\x0f\x0b\xf3\xc3");
  RUN("bnd jump", "\xf2\xeb\x02\x0f\x0b");
  RUN("15 bytes of nop", "\x66\x66\x66\x66\x66\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00");
  RUN("15 bytes of add", "\x3e\x3e\x3e\x48\x81\x84\x22\x18\x00\x00\x00\x78\x56\x34\x12");
  RUN("15 bytes of mov imm64", "\x2e\x2e\x2e\x2e\x2e\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08");
  return 0;
}
