/* SIGSEGV for each kind of bad access: si_code, si_addr relative to the mapping, and what the processor
 * tells of it. */
#include "sys_helpers.h"
#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf back;
static char *base;

/* What else the processor tells. */
static const char *processors_own(void *context) {
#if defined(__x86_64__)
  static char text[64];
  snprintf(text, sizeof text, " error %llx trap %lld", REG(context, REG_ERR), REG(context, REG_TRAPNO));
  return text;
#else
  (void)context;
  return "";
#endif
}

static void on_fault(int sig, siginfo_t *info, void *context) {
  say("SIG%s code %d at base+%ld write %d%s\n", sigabbrev_np(sig), info->si_code,
      (long)((char *)info->si_addr - base), fault_was_write(context), processors_own(context));
  siglongjmp(back, 1);
}

static void read_at(char *p) {
  (void)*(volatile char *)p;
}
static void read_8(char *p) {
  (void)*(volatile long *)p;
}
static void write_at(char *p) {
  *(volatile char *)p = 1;
}
static void write_8(char *p) {
  *(volatile long *)p = 1;
}
static void run_at(char *p) {
  ((void (*)(void))p)();
}
static void add_at(char *p) {
  __atomic_fetch_add((int *)p, 1, __ATOMIC_SEQ_CST);
}

static void try(const char *what, void (*access)(char *), char *p) {
  say("%s: ", what);
  if (sigsetjmp(back, 1) == 0) {
    access(p);
    say("no fault\n");
  }
}

int main(void) {
  base = mmap(NULL, 4 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(base != MAP_FAILED && munmap(base + 2 * 4096, 4096) == 0);
  CHECK(mprotect(base + 4096, 4096, PROT_NONE) == 0);
  handle(SIGSEGV, on_fault, 0);
  try("read of readable", read_at, base);
  try("write of readable", write_at, base + 17);
  try("atomic add to readable", add_at, base + 20);
  try("run of readable", run_at, base + 64);
  try("read of none", read_at, base + 4096 + 5);
  try("write of none", write_at, base + 4096);
  try("run of none", run_at, base + 4096 + 32);
  try("read of unmapped", read_at, base + 2 * 4096 + 1);
  try("write of unmapped", write_at, base + 2 * 4096 + 4095);
  try("run of unmapped", run_at, base + 2 * 4096);
  try("read into the page after", read_8, base + 4096 - 3);
  try("write over two pages", write_8, base + 3 * 4096 - 1);
  base = NULL;
  try("read of null", read_at, base);
  try("write near null", write_at, base + 40);
  try("call of null", run_at, base);
  return 0;
}
