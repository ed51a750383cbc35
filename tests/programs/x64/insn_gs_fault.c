/* A fault through a gs-relative operand reports the linear address; a null base faults like any other. */
#include <asm/prctl.h>
#include <sys/syscall.h>

#include "jit.h"
#include "trap.h"

__asm__(
    ".text\n"
    "gs_load: mov $16, %ecx\n"
    "gs_load_at: mov %gs:(%rcx), %rax\n"
    "  ret\n"
    "gs_store: mov $24, %ecx\n"
    "gs_store_at: movl $5, %gs:8(%rcx)\n"
    "  ret\n");
extern char gs_load[], gs_load_at[], gs_store[], gs_store_at[];

static void show(const char *name, const char *code, const char *at, uintptr_t base) {
  CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, base) == 0);
  int trapped = trap_run(code);
  printf("%s: %s", name, trapped ? trap_name(trap_seen.signo) : "ran");
  if (trapped)
    printf(" code %d, pc %+ld, address base%+ld", trap_seen.code, (long)(trap_seen.pc - (uintptr_t)at),
           (long)(trap_seen.address - base));
  puts("");
}

int main(void) {
  trap_install();
  byte *p = jit_map(3 * JIT_PAGE);
  CHECK(munmap(p + JIT_PAGE, JIT_PAGE) == 0 && mprotect(p + 2 * JIT_PAGE, JIT_PAGE, PROT_READ) == 0);
  show("load, mapped", gs_load, gs_load_at, (uintptr_t)p);
  show("load, unmapped", gs_load, gs_load_at, (uintptr_t)p + JIT_PAGE);
  show("store, read-only", gs_store, gs_store_at, (uintptr_t)p + 2 * JIT_PAGE);
  show("load, null base", gs_load, gs_load_at, 0);
  show("store, mapped", gs_store, gs_store_at, (uintptr_t)p);
  printf("stored %d\n", p[32]);
  return 0;
}
