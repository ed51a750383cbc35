/* Protection keys: SEGV_PKUERR with the key, restored rights after the handler; or the errno where there
 * are none. */
#include "sys_helpers.h"
#include <sys/mman.h>

static char *page;
static int key;

static void on_fault(int sig, siginfo_t *info, void *context) {
  say("SIG%s code %d at +%ld key ours %d error %llx\n", sigabbrev_np(sig), info->si_code,
      (long)((char *)info->si_addr - page), info->si_pkey == (unsigned)key, REG(context, REG_ERR));
  CHECK(pkey_mprotect(page, 4096, PROT_READ | PROT_WRITE, 0) == 0);
}

int main(void) {
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  key = pkey_alloc(0, 0);
  if (key < 0) {
    say("no keys: %s\n", strerrorname_np(errno));
    return 0;
  }
  handle(SIGSEGV, on_fault, 0);
  CHECK(pkey_mprotect(page, 4096, PROT_READ | PROT_WRITE, key) == 0);
  page[0] = 1;
  CHECK(pkey_set(key, PKEY_DISABLE_WRITE) == 0);
  say("readable %d\n", page[0]);
  *(volatile char *)(page + 5) = 2;
  say("written %d, rights still %d\n", page[5], pkey_get(key));
  CHECK(pkey_mprotect(page, 4096, PROT_READ | PROT_WRITE, key) == 0 &&
        pkey_set(key, PKEY_DISABLE_ACCESS) == 0);
  say("value %d\n", *(volatile char *)(page + 5));
  say("free %s again %s\n", outcome(pkey_free(key)), outcome(pkey_free(15)));
  return 0;
}
