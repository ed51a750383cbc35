/* unstored.c: state that the kernel keeps for a thread or process, and that a copy of its memory lacks: protection keys, seals, the length of vectors, …
 * A checkpoint of it can't be stored; one of memory that forks do not copy can't even be made. */
#include <linux/mman.h>
#include <linux/resource.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "input/newer.h"

/* The kernel enforces the limit on the stack's growth, in replay too. */
bool call_sets_stack_limit(const struct call *call) {
#ifdef __NR_setrlimit
  if (call->nr == __NR_setrlimit) return call->args[0] == RLIMIT_STACK;
#endif
  return call->nr == __NR_prlimit64 && !call->args[0] && call->args[1] == RLIMIT_STACK && call->args[2] &&
         !call->args[3];
}

static void note(const struct call *call) {
  atomic_store(&region->checkpoint.unstored, (uint32_t)call->nr + 1);
}

void unstored_note(const struct call *call, long result) {
  if (os_failed(result)) return;
  if (call_sets_stack_limit(call)) note(call);
  switch (call->nr) {
    case __NR_madvise:
      if (call->args[2] == MADV_DONTFORK || call->args[2] == MADV_WIPEONFORK)
        atomic_store(&region->checkpoint.refusal, CHECKPOINT_UNFORKED);
      break;
    case __NR_pkey_alloc:
    case __NR_mseal:
#ifdef __NR_arch_prctl
    case __NR_arch_prctl:
#endif
    case __NR_prctl:
      if (!arch_keeps_setting(call)) note(call);
      break;
    default:
      break;
  }
}
