/* mlock.c: mlockall(2) and munlockall(2) for the application. See mappings.h.
 *
 * The kernel would lock the engine's memory as well, which is large and sparse, and count it. So the engine locks the application's memory
 * mapping by mapping, and later mappings when they are made. Everything here is called under mappings_lock. */
#include <asm/mman.h>
#include <linux/mman.h>
#include <linux/resource.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_tree.h"
#include "engine/memory/mappings.h"

static long future; /* how mappings are made now: 0, MCL_FUTURE, or that and MCL_ONFAULT */

long mlock_flags(void) {
  return future == MCL_FUTURE ? MAP_LOCKED : 0;
}

bool mlock_made(uintptr_t start, size_t length) {
  return !(future & MCL_ONFAULT) || !os_call3(__NR_mlock2, start, length, MLOCK_ONFAULT);
}

bool mlock_attached(uintptr_t start, size_t length) {
  return !future || !os_call3(__NR_mlock2, start, length, future & MCL_ONFAULT ? MLOCK_ONFAULT : 0);
}

void mlock_after_fork(bool child) {
  if (child) future = 0;
}

/* Only the kernel knows which processes RLIMIT_MEMLOCK does not bind: this tries to lock more than the limit. */
static bool limit_allows(size_t bytes) {
  struct rlimit64 limit;
  if (os_call4(__NR_prlimit64, 0, RLIMIT_MEMLOCK, 0, &limit) || bytes <= limit.rlim_cur) return true;
  size_t more = ALIGN_UP((size_t)limit.rlim_cur, PAGE) + PAGE;
  long at = os_call6(__NR_mmap, 0, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_LOCKED,
                     -1, 0);
  if (os_failed(at)) return false;
  os_call2(__NR_munmap, at, more);
  return true;
}

long mlock_all(long flags) {
  if (!flags || flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) || flags == MCL_ONFAULT) return -EINVAL;
  long allowed = os_call2(__NR_mlock, 0, 0); /* whether it may lock anything */
  if (allowed) return allowed;
  if (flags & MCL_CURRENT && !limit_allows(tree_bytes)) return -ENOMEM;
  future = flags & MCL_FUTURE ? flags & (MCL_FUTURE | MCL_ONFAULT) : 0;
  if (!(flags & MCL_CURRENT)) return 0;
  /* As in the kernel, pages that can't be faulted in are no error here. */
  for (const struct mapping *m = tree_from(0); m; m = tree_from(m->end))
    os_call3(__NR_mlock2, m->start, m->end - m->start, flags & MCL_ONFAULT ? MLOCK_ONFAULT : 0);
  return 0;
}

long munlock_all(void) {
  future = 0;
  return os_call0(__NR_munlockall);
}
