/* limits.c: the limits on address space and data. See limits.h.
 *
 * The limits live in the configuration, so that execve hands them on; fork copies them with the memory. Known limit: a change
 * by prlimit(2) from another process changes the kernel's limits. */
#include "engine/memory/limits.h"

#include <linux/capability.h>
#include <linux/resource.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_tree.h"
#include "engine/code/code.h"

static const int resources[] = {RLIMIT_DATA, RLIMIT_AS};
enum { DATA, ADDRESS_SPACE };

static int index_of(long resource) {
  for (unsigned i = 0; i < COUNT_OF(resources); i++)
    if (resources[i] == (int)resource) return (int)i;
  return -1;
}

/* Keeps the application's limit here, and raises the kernel's as far as allowed. */
static void take_over(int i) {
  struct rlimit64 limit = {RLIM64_INFINITY, RLIM64_INFINITY}; /* if nobody tells */
  os_call4(__NR_prlimit64, 0, resources[i], 0, &limit);
  if (!config.limits_known) {
    config.limits[i].soft = limit.rlim_cur;
    config.limits[i].hard = limit.rlim_max;
  }
  if (limit.rlim_cur == RLIM64_INFINITY) return;
  const struct rlimit64 none = {RLIM64_INFINITY, RLIM64_INFINITY};
  if (!os_call4(__NR_prlimit64, 0, resources[i], &none, 0)) return;
  limit.rlim_cur = limit.rlim_max;
  os_call4(__NR_prlimit64, 0, resources[i], &limit, 0);
}

void limits_init(void) {
  for (unsigned i = 0; i < COUNT_OF(resources); i++) take_over((int)i);
  config.limits_known = 1;
}

static bool may_raise(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  return !os_call2(__NR_capget, &header, sets) && sets[0].effective & 1u << CAP_SYS_RESOURCE;
}

static long set(int i, uintptr_t from) {
  struct rlimit64 wanted;
  if (safe_copy(&wanted, (void *)from, sizeof wanted)) return -EFAULT;
  if (wanted.rlim_cur > wanted.rlim_max) return -EINVAL;
  if (wanted.rlim_max > config.limits[i].hard && !may_raise()) return -EPERM;
  config.limits[i].soft = wanted.rlim_cur;
  config.limits[i].hard = wanted.rlim_max;
  return 0;
}

/* prlimit64: reads the old limits before it sets the new ones. */
static long get_and_set(int i, uintptr_t from, uintptr_t to) {
  struct rlimit64 old = {config.limits[i].soft, config.limits[i].hard};
  long result = from ? set(i, from) : 0;
  return !result && to ? copy_to_app(to, &old, sizeof old) : result;
}

bool limits_call(struct thread *thread, const struct call *call, long *result) {
  long process = 0, resource = call->args[0];
  uintptr_t from = 0, to = 0;
  switch (call->nr) {
#ifdef __NR_getrlimit
    case __NR_getrlimit:
      to = (uintptr_t)call->args[1];
      break;
    case __NR_setrlimit:
      from = (uintptr_t)call->args[1];
      break;
#endif
    case __NR_prlimit64:
      process = (int)call->args[0];
      resource = call->args[1];
      from = (uintptr_t)call->args[2];
      to = (uintptr_t)call->args[3];
      break;
    default:
      return false;
  }
  int i = index_of(resource);
  if (i < 0 || (process && process != thread->process->pid)) return false;
  lock_take(&mappings_lock);
  *result = !from && !to && call->nr != __NR_prlimit64 ? -EFAULT : get_and_set(i, from, to);
  lock_release(&mappings_lock);
  return true;
}

/* In replay the recorded results decide. */
bool limits_allow(size_t bytes, size_t data) {
  if (replaying()) return true;
  return (!bytes || tree_bytes + bytes <= config.limits[ADDRESS_SPACE].soft) &&
         (!data || tree_data_bytes + data <= config.limits[DATA].soft);
}

uint64_t limits_data(void) {
  if (replaying()) return UINT64_MAX;
  return config.limits[DATA].soft;
}
