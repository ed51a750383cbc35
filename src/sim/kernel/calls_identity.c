/* calls_identity.c: users, groups, capabilities and limits. There is one user, 0, with all that belongs to it: to become another one is refused, as where no other one is known. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "sim/kernel/calls.h"

call_function call_getuid, call_geteuid, call_getgid, call_getegid, call_setuid, call_setgid, call_setreuid,
    call_setregid, call_setresuid, call_setresgid, call_setfsuid, call_setfsgid, call_getresuid,
    call_getresgid, call_setgroups, call_capget, call_setrlimit, call_riscv_hwprobe;

#define ALWAYS_ZERO(name)                                              \
  int64_t call_##name(struct task *task, const uint64_t argument[6]) { \
    (void)task, (void)argument;                                        \
    return 0;                                                          \
  }
ALWAYS_ZERO(getuid)
ALWAYS_ZERO(geteuid)
ALWAYS_ZERO(getgid)
ALWAYS_ZERO(getegid)
ALWAYS_ZERO(setfsuid)
ALWAYS_ZERO(setfsgid)

/* -1 leaves an identity as it is. */
static int64_t become(const uint64_t argument[6], int count) {
  for (int i = 0; i < count; i++)
    if ((uint32_t)argument[i] && (uint32_t)argument[i] != UINT32_MAX) return -EINVAL;
  return 0;
}

#define BECOME(name, count)                                            \
  int64_t call_##name(struct task *task, const uint64_t argument[6]) { \
    (void)task;                                                        \
    return become(argument, count);                                    \
  }
BECOME(setuid, 1)
BECOME(setgid, 1)
BECOME(setreuid, 2)
BECOME(setregid, 2)
BECOME(setresuid, 3)
BECOME(setresgid, 3)

int64_t call_getresuid(struct task *task, const uint64_t argument[6]) {
  const uint32_t user = 0;
  for (int i = 0; i < 3; i++)
    if (copy_in(task, argument[i], &user, sizeof user)) return -EFAULT;
  return 0;
}

int64_t call_getresgid(struct task *task, const uint64_t argument[6]) {
  return call_getresuid(task, argument);
}

int64_t call_setgroups(struct task *task, const uint64_t argument[6]) {
  (void)task;
  return argument[0] ? -EINVAL : 0;
}

/* Version 3: two words of each of the three sets. */
int64_t call_capget(struct task *task, const uint64_t argument[6]) {
  struct {
    uint32_t version;
    int32_t pid;
  } head;
  uint32_t sets[2][3];
  if (copy_out(task, &head, argument[0], sizeof head)) return -EFAULT;
  if (head.version != 0x20080522) return -EINVAL;
  memset(sets, 0xff, sizeof sets);
  return argument[1] && copy_in(task, argument[1], sets, sizeof sets) ? -EFAULT : 0;
}

/* Nothing is limited: the limits are not looked at. */
int64_t call_setrlimit(struct task *task, const uint64_t argument[6]) {
  struct rlimit limit;
  if (argument[0] >= RLIM_NLIMITS) return -EINVAL;
  if (copy_out(task, &limit, argument[1], sizeof limit)) return -EFAULT;
  return limit.rlim_cur > limit.rlim_max ? -EINVAL : 0;
}

/* -- What the processors are, which are all the same --------------------------------------------------------------------------- */

struct probe {
  int64_t key;
  uint64_t value;
};

/* vendor, architecture, implementation; IMA; F and D, C, V, Zba, Zbb, Zbs; misaligned accesses are fast */
static struct probe probed(int64_t key) {
  static const uint64_t values[] = {0, 0, 0, 1, 0x3f, 3};
  if (key < 0 || (uint64_t)key >= sizeof values / sizeof *values) return (struct probe){-1, 0};
  return (struct probe){key, values[key]};
}

int64_t call_riscv_hwprobe(struct task *task, const uint64_t argument[6]) {
  struct probe probe;
  if (argument[4]) return -EINVAL;
  for (uint64_t n = 0; n < argument[1]; n++) {
    uint64_t at = argument[0] + n * sizeof probe;
    if (copy_out(task, &probe, at, sizeof probe)) return -EFAULT;
    probe = probed(probe.key);
    if (copy_in(task, at, &probe, sizeof probe)) return -EFAULT;
  }
  return 0;
}
