/* Undefined, privileged and trapping instructions: signal, code, address and the exact pc of each. */
#include "jit.h"
#include "trap.h"

static const struct {
  const char *name, *bytes;
  size_t length;
} probe[] = {
#define PROBE(name, bytes) \
  { name, bytes, sizeof(bytes) - 1 }
    PROBE("ud2", "\x0f\x0b"),
    PROBE("ud1", "\x0f\xb9\xc0"),
    PROBE("ud0", "\x0f\xff\xc0"),
    PROBE("push es", "\x06"),
    PROBE("aaa", "\x37"),
    PROBE("bound or evex, bad", "\x62\xc0\x00\x00\x00\x00"),
    PROBE("salc", "\xd6"),
    PROBE("lock mov", "\xf0\x89\x00"),
    PROBE("lock add register", "\xf0\x01\xc0"),
    PROBE("mov cs, ax", "\x8e\xc8"),
    PROBE("far jump register", "\xff\xe8"),
    PROBE("lea register", "\x8d\xc0"),
    PROBE("hlt", "\xf4"),
    PROBE("cli", "\xfa"),
    PROBE("in al, dx", "\xec"),
    PROBE("out 0x80", "\xe6\x80"),
    PROBE("mov rax, cr0", "\x0f\x20\xc0"),
    PROBE("mov rax, dr7", "\x0f\x21\xf8"),
    PROBE("wrmsr", "\x0f\x30"),
    PROBE("rdmsr", "\x0f\x32"),
    PROBE("lgdt", "\x0f\x01\x10"),
    PROBE("invlpg", "\x0f\x01\x38"),
    PROBE("clts", "\x0f\x06"),
    PROBE("wbinvd", "\x0f\x09"),
    PROBE("sysret", "\x48\x0f\x07"),
    PROBE("int3", "\xcc"),
    PROBE("int 3, two bytes", "\xcd\x03"),
    PROBE("int1", "\xf1"),
    PROBE("int 4", "\xcd\x04"),
    PROBE("int 13", "\xcd\x0d"),
    PROBE("int 0x81", "\xcd\x81"),
    PROBE("sixteen bytes", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"),
    PROBE("divide by zero", "\x31\xc9\xf7\xf1"),
    PROBE("null store", "\x31\xc9\x89\x01"),
    PROBE("misaligned movaps", "\x0f\x28\x44\x24\x01"),
    PROBE("non-canonical load", "\x48\xb9\0\0\0\0\0\0\0\x80\x8b\x01"),
};

int main(void) {
  trap_install();
  byte *page = jit_map(JIT_PAGE), *at = page + 100;
  for (unsigned i = 0; i < sizeof probe / sizeof probe[0]; i++) {
    memset(page, 0x90, JIT_PAGE);
    *jit_bytes(at, probe[i].bytes, probe[i].length) = 0xc3;
    int trapped = trap_run(page); /* a run of nops before, in the same block */
    CHECK(trapped);
    uintptr_t address = trap_seen.address;
    printf("%s: %s code %d, pc %+ld, ", probe[i].name, trap_name(trap_seen.signo), trap_seen.code,
           (long)(trap_seen.pc - (uintptr_t)at));
    if (address >= (uintptr_t)page && address < (uintptr_t)page + JIT_PAGE)
      printf("address %+ld, ", (long)(address - (uintptr_t)at));
    else
      printf("address %lx, ", (unsigned long)address);
    printf("trap %lld\n", trap_seen.registers[REG_TRAPNO]);
  }
  return 0;
}
