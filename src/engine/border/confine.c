/* confine.c: a replay is confined before its first event is read.
 *
 * A recording is untrusted input, and its program runs in the engine's own address space: suppose that it takes the engine over. Then
 * it can make only the calls that the kernel still allows this process: map and change its own memory, make threads and processes
 * as confined as itself, wait, write to standard output and error, and end. It opens no file, makes none, connects to nothing,
 * signals no process. The files of the recording come from the manager, open, over a socket (rings.c).
 *
 * A filter of system calls (seccomp) confines the process. Where the kernel has landlock, it imposes the same a second time: no file may be
 * opened but those below, no socket bound or connected, no process outside signalled.
 *
 * A filter sees numbers, not the memory behind pointers. The few names that are needed in replay (a process's own maps, the engine that an
 * execve executes) are compared by address. They lie in the engine's read-only memory, and the filter refuses every call
 * that would map, unmap, move or protect anything there. */
#include "engine/border/confine.h"

#include <linux/audit.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/signal.h>

#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/view/descriptors.h"
#include "input/newer.h"

/* -- Rules ------------------------------------------------------------------------------------------------------------------- */

/* Conditions on an argument. Arguments that the kernel takes as an int are compared in their low half. */
enum test_kind {
  TEST_NONE,
  TEST_IS,          /* it is the value */
  TEST_ISNT,        /* it is not */
  TEST_MORE,        /* it is greater, without a sign */
  TEST_CLEAR,       /* none of the bits of the value is set */
  TEST_NOT_ALL,     /* not all of them are */
  TEST_BYTE,        /* its lowest byte is the value */
  TEST_POINTER,     /* all of its 64 bits are the value */
  TEST_ENGINE_IS,   /* it is the engine's descriptor of that kind (descriptors.h) */
  TEST_ENGINE_ISNT, /* it is not */
  TEST_AWAY, /* it is the start, and argument `length` the length, of memory outside the engine's image */
};

struct test {
  uint8_t kind, argument, length;
  uint64_t value;
};

enum { TESTS_MOST = 5 };

/* A call that is let through if all tests hold. A call may have several rules. */
struct rule {
  int nr;
  struct test tests[TESTS_MOST];
};

/* clang-format off */
#define IS(argument, value) {TEST_IS, argument, 0, (uint32_t)(value)}
#define ISNT(argument, value) {TEST_ISNT, argument, 0, (uint32_t)(value)}
#define MORE(argument, value) {TEST_MORE, argument, 0, (uint32_t)(value)}
#define CLEAR(argument, value) {TEST_CLEAR, argument, 0, (uint32_t)(value)}
#define NOT_ALL(argument, value) {TEST_NOT_ALL, argument, 0, (uint32_t)(value)}
#define BYTE(argument, value) {TEST_BYTE, argument, 0, value}
#define POINTER(argument, array) {TEST_POINTER, argument, 0, (uintptr_t)(array)}
#define ENGINE_IS(argument, which) {TEST_ENGINE_IS, argument, 0, which}
#define ENGINE_ISNT(argument, which) {TEST_ENGINE_ISNT, argument, 0, which}
#define AWAY(argument, length) {TEST_AWAY, argument, length, 0}
/* clang-format on */

/* Calls that concern only the process itself, whatever their arguments. They come first: for these the kernel caches the answer, and
 * does not run the filter. */
static const int harmless[] = {
    __NR_futex,           __NR_sched_yield, __NR_rt_sigprocmask,  __NR_rt_sigreturn,    __NR_rt_sigaction,
    __NR_sigaltstack,     __NR_getpid,      __NR_gettid,          __NR_membarrier,      __NR_exit,
    __NR_exit_group,      __NR_ppoll,       __NR_clock_getres,    __NR_clock_gettime,   __NR_gettimeofday,
    __NR_restart_syscall, __NR_mincore,     __NR_set_robust_list, __NR_set_tid_address, __NR_uname,
    __NR_pkey_alloc,      __NR_pkey_free,   __NR_memfd_create,    __NR_fstat,           __NR_personality,
#ifdef __NR_arch_prctl
    __NR_arch_prctl,
#endif
};

enum { STANDARD_OUTPUT = 1, STANDARD_ERROR = 2 };
enum {
  SEPARATES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
              CLONE_NEWNET | CLONE_PIDFD,
  WRITTEN_AND_EXECUTED = PROT_WRITE | PROT_EXEC,
  OPEN_TO_READ = O_RDONLY | O_CLOEXEC,
};
/* PAGEMAP_SCAN of Linux 6.7. */
#define SCAN_PAGES 0xc0606610u
/* Newer than some headers. */
enum { SVE_LENGTH = 50, TAGGED_ADDRESSES = 55, ENABLED_KEYS = 60, SME_LENGTH = 63 };

static const struct rule rules[] = {
    /* Memory: never in the place of the engine's own code, never to be written and executed at once. */
    {__NR_mmap, {AWAY(0, 1), NOT_ALL(2, WRITTEN_AND_EXECUTED), MORE(4, STANDARD_ERROR)}},
    {__NR_munmap, {AWAY(0, 1)}},
    {__NR_mprotect, {AWAY(0, 1), NOT_ALL(2, WRITTEN_AND_EXECUTED)}},
    {__NR_pkey_mprotect, {AWAY(0, 1), NOT_ALL(2, WRITTEN_AND_EXECUTED)}},
    {__NR_mremap, {AWAY(0, 1), AWAY(4, 2)}},
    {__NR_madvise, {AWAY(0, 1), ISNT(2, MADV_HWPOISON), ISNT(2, MADV_SOFT_OFFLINE)}},
    {__NR_mseal, {AWAY(0, 1)}},
    /* Threads and processes, in this process's namespaces, whose end raises no signal but SIGCHLD. */
    {__NR_clone, {CLEAR(0, SEPARATES), BYTE(0, 0)}},
    {__NR_clone, {CLEAR(0, SEPARATES), BYTE(0, SIGCHLD)}},
    {__NR_execveat, {ENGINE_IS(0, FD_ENGINE), POINTER(1, no_name), IS(4, AT_EMPTY_PATH)}},
    /* Tests that a process exists; sends no signal. */
    {__NR_kill, {IS(1, 0)}},
    {__NR_tkill, {IS(1, 0)}},
    {__NR_sched_getaffinity, {IS(0, 0)}},
    {__NR_prlimit64, {IS(0, 0)}},
    {__NR_prctl, {IS(0, PR_SET_NAME)}},
    {__NR_prctl, {IS(0, PR_SET_PDEATHSIG), IS(1, SIGKILL)}},
    {__NR_prctl, {IS(0, PR_SET_MM)}},
    {__NR_prctl, {IS(0, PR_SET_TSC)}},
    {__NR_prctl, {IS(0, PR_GET_TID_ADDRESS)}},
    {__NR_prctl, {IS(0, SVE_LENGTH)}},
    {__NR_prctl, {IS(0, TAGGED_ADDRESSES)}},
    {__NR_prctl, {IS(0, ENABLED_KEYS)}},
    {__NR_prctl, {IS(0, SME_LENGTH)}},
    /* Output. */
    {__NR_write, {IS(0, STANDARD_OUTPUT)}},
    {__NR_write, {IS(0, STANDARD_ERROR)}},
    {__NR_pwrite64, {ISNT(0, 0)}},
    {__NR_lseek, {IS(0, STANDARD_OUTPUT)}},
    {__NR_lseek, {IS(0, STANDARD_ERROR)}},
    {__NR_fcntl, {IS(1, F_GETFL)}},
    {__NR_fcntl, {IS(1, F_GETFD)}},
    {__NR_fcntl, {IS(1, F_SETFD)}},
    /* The files of the recording, which come over the socket, and those that tell about the process itself. */
    {__NR_recvmsg, {ENGINE_IS(0, FD_SOCKET)}},
    {__NR_pread64, {MORE(0, STANDARD_ERROR)}},
    {__NR_read, {MORE(0, STANDARD_ERROR), ENGINE_ISNT(0, FD_SOCKET)}},
    {__NR_ftruncate, {MORE(0, STANDARD_ERROR), ENGINE_ISNT(0, FD_REGION)}},
    {__NR_close,
     {MORE(0, STANDARD_ERROR), ENGINE_ISNT(0, FD_ENGINE), ENGINE_ISNT(0, FD_REGION),
      ENGINE_ISNT(0, FD_SOCKET)}},
    {__NR_dup3, {MORE(0, STANDARD_ERROR), ENGINE_ISNT(0, FD_REGION), ENGINE_IS(1, FD_CONFIG)}},
    {__NR_dup3, {MORE(0, STANDARD_ERROR), ENGINE_ISNT(0, FD_REGION), ENGINE_IS(1, FD_PROGRAM)}},
    {__NR_statx, {POINTER(1, no_name), IS(2, AT_EMPTY_PATH)}},
    {__NR_newfstatat, {POINTER(1, no_name), IS(3, AT_EMPTY_PATH)}},
    {__NR_openat, {IS(0, AT_FDCWD), POINTER(1, own_maps), IS(2, OPEN_TO_READ)}},
    {__NR_openat, {IS(0, AT_FDCWD), POINTER(1, own_first_maps), IS(2, OPEN_TO_READ)}},
    {__NR_openat, {IS(0, AT_FDCWD), POINTER(1, own_pagemap), IS(2, OPEN_TO_READ)}},
    {__NR_ioctl, {MORE(0, STANDARD_ERROR), IS(1, SCAN_PAGES)}},
};

/* Besides, in a replay with checkpoints: a vessel waits at its channel instead of the socket, and lets go of the region; a runner is given others. */
static const struct rule checkpoint_rules[] = {
    {__NR_dup3, {MORE(0, STANDARD_ERROR), ENGINE_ISNT(0, FD_REGION), ENGINE_IS(1, FD_REGION)}},
    {__NR_dup3, {MORE(0, STANDARD_ERROR), ENGINE_ISNT(0, FD_REGION), ENGINE_IS(1, FD_SOCKET)}},
};

/* -- The filter ---------------------------------------------------------------------------------------------------------------- */

enum { FILTER_MOST = 1024, ANSWER = SECCOMP_RET_ERRNO | EPERM };

struct filter {
  struct sock_filter code[FILTER_MOST];
  unsigned short count;
  /* Jumps of the rule that is being written to the place where the next one begins. */
  unsigned short misses[64], miss_count;
};

static void add(struct filter *filter, uint16_t code, uint32_t value) {
  CHECK(filter->count < FILTER_MOST);
  filter->code[filter->count++] = (struct sock_filter){.code = code, .k = value};
}

static void load(struct filter *filter, unsigned offset) {
  add(filter, BPF_LD | BPF_W | BPF_ABS, offset);
}

static unsigned low_half(unsigned argument) {
  return (unsigned)offsetof(struct seccomp_data, args) + 8 * argument; /* both machines are little-endian */
}
static unsigned high_half(unsigned argument) {
  return low_half(argument) + 4;
}

/* Compares; the rule goes on if the answer is `wanted`, and does not hold otherwise. */
static void require(struct filter *filter, uint16_t comparison, uint32_t value, bool wanted) {
  CHECK(filter->miss_count < COUNT_OF(filter->misses));
  filter->misses[filter->miss_count++] = filter->count;
  add(filter, (uint16_t)(BPF_JMP | BPF_K | comparison), value);
  filter->code[filter->count - 1].jt = !wanted;
  filter->code[filter->count - 1].jf = wanted;
}

/* A rule that does not hold jumps here, where the next one begins. A conditional jump reaches at most 255 instructions. */
static void end_rule(struct filter *filter) {
  for (unsigned i = 0; i < filter->miss_count; i++) {
    struct sock_filter *jump = &filter->code[filter->misses[i]];
    unsigned distance = filter->count - filter->misses[i] - 1u;
    CHECK(distance < 256);
    if (jump->jt) jump->jt = (uint8_t)distance;
    if (jump->jf) jump->jf = (uint8_t)distance;
  }
  filter->miss_count = 0;
}

/* Jumps over the next instructions if the comparison holds. */
static void skip_if(struct filter *filter, uint16_t comparison, uint32_t value, uint8_t count) {
  add(filter, (uint16_t)(BPF_JMP | BPF_K | comparison), value);
  filter->code[filter->count - 1].jt = count;
}

/* The image is [base, base + IMAGE_BYTES), where base is a multiple of 2^32: see engine.h. With start and length in halves:
 *     start.high > base.high                     it lies behind, holds
 *     start.high == base.high                    holds if start.low >= IMAGE_BYTES
 *     else end = start + length (with a carry); holds if end <= base */
static void add_away(struct filter *filter, const struct test *test) {
  const uint32_t base = ENGINE_BASE >> 32;
  enum { IMAGE_BYTES = CODE_CACHE_BASE - ENGINE_BASE, LENGTH_HIGH = 0, END_LOW = 1 };
  _Static_assert(!(ENGINE_BASE & 0xffffffff), "the image begins where the high half of an address changes");
  load(filter, high_half(test->argument));
  skip_if(filter, BPF_JGT, base, 24);
  unsigned from = filter->count;
  add(filter, BPF_JMP | BPF_K | BPF_JEQ, base);
  filter->code[filter->count - 1].jf = 3;
  load(filter, low_half(test->argument));
  require(filter, BPF_JGE, IMAGE_BYTES, true);
  add(filter, BPF_JMP | BPF_JA, 20);
  load(filter, high_half(test->length));
  require(filter, BPF_JGE, 1 << 16, false); /* longer than any address space */
  add(filter, BPF_ST, LENGTH_HIGH);
  load(filter, low_half(test->length));
  add(filter, BPF_MISC | BPF_TAX, 0);
  load(filter, low_half(test->argument));
  add(filter, BPF_ALU | BPF_ADD | BPF_X, 0);
  add(filter, BPF_ST, END_LOW);
  add(filter, BPF_JMP | BPF_JGE | BPF_X, 0); /* no carry */
  filter->code[filter->count - 1].jt = 3;
  add(filter, BPF_LD | BPF_MEM, LENGTH_HIGH);
  add(filter, BPF_ALU | BPF_ADD | BPF_K, 1); /* NOLINT(misc-redundant-expression): both happen to be 0 */
  add(filter, BPF_ST, LENGTH_HIGH);
  add(filter, BPF_LD | BPF_MEM, LENGTH_HIGH);
  add(filter, BPF_MISC | BPF_TAX, 0);
  load(filter, high_half(test->argument));
  add(filter, BPF_ALU | BPF_ADD | BPF_X, 0);
  require(filter, BPF_JGT, base, false);
  add(filter, BPF_JMP | BPF_K | BPF_JEQ, base);
  filter->code[filter->count - 1].jf = 2;
  add(filter, BPF_LD | BPF_MEM, END_LOW);
  require(filter, BPF_JEQ, 0, true);
  CHECK(filter->count - from == 24);
}

static void add_test(struct filter *filter, const struct test *test) {
  if (test->kind == TEST_AWAY) {
    add_away(filter, test);
    return;
  }
  uint32_t value = (uint32_t)test->value;
  load(filter, low_half(test->argument));
  switch (test->kind) {
    case TEST_ENGINE_IS:
    case TEST_ENGINE_ISNT:
      require(filter, BPF_JEQ, (uint32_t)engine_fd + value, test->kind == TEST_ENGINE_IS);
      break;
    case TEST_IS:
    case TEST_ISNT:
      require(filter, BPF_JEQ, value, test->kind == TEST_IS);
      break;
    case TEST_MORE:
      require(filter, BPF_JGT, value, true);
      break;
    case TEST_CLEAR:
      require(filter, BPF_JSET, value, false);
      break;
    case TEST_NOT_ALL:
      add(filter, BPF_ALU | BPF_AND | BPF_K, value);
      require(filter, BPF_JEQ, value, false);
      break;
    case TEST_BYTE:
      add(filter, BPF_ALU | BPF_AND | BPF_K, 0xff);
      require(filter, BPF_JEQ, value, true);
      break;
    default: /* TEST_POINTER */
      require(filter, BPF_JEQ, value, true);
      load(filter, high_half(test->argument));
      require(filter, BPF_JEQ, (uint32_t)(test->value >> 32), true);
      break;
  }
}

static void add_rule(struct filter *filter, const struct rule *rule) {
  load(filter, offsetof(struct seccomp_data, nr));
  require(filter, BPF_JEQ, (uint32_t)rule->nr, true);
  for (unsigned t = 0; t < TESTS_MOST && rule->tests[t].kind != TEST_NONE; t++)
    add_test(filter, &rule->tests[t]);
  add(filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  end_rule(filter);
}

static void write_filter(struct filter *filter) {
  load(filter, offsetof(struct seccomp_data, arch));
  skip_if(filter, BPF_JEQ, ARCH_AUDIT, 1);
  add(filter, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS); /* another machine's numbers */
  load(filter, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < COUNT_OF(harmless); i++) {
    require(filter, BPF_JEQ, (uint32_t)harmless[i], true);
    add(filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    end_rule(filter);
  }
  for (size_t i = 0; i < COUNT_OF(rules); i++) add_rule(filter, &rules[i]);
  for (size_t i = 0; config.checkpoints && i < COUNT_OF(checkpoint_rules); i++)
    add_rule(filter, &checkpoint_rules[i]);
  add(filter, BPF_RET | BPF_K, ANSWER);
}

/* Older kernels restrict speculation for a process with a filter, which guards its secrets from itself: there are none. */
static long install_filter(void) {
  static struct filter filter;
  write_filter(&filter);
  struct sock_fprog program = {filter.count, filter.code};
  long result = os_call3(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
  if (result == -EINVAL) result = os_call3(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
  if (result == -ENOSYS) result = os_call3(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  return result;
}

/* -- Landlock ------------------------------------------------------------------------------------------------------------------ */

/* The kernel's structures, as of the newest version known here; an older kernel takes the beginning. */
struct ruleset {
  uint64_t files, network, scope;
};
struct __attribute__((packed)) below {
  uint64_t allowed;
  int32_t folder;
};
enum { ASK_VERSION = 1, PATH_BELOW = 1, MAY_EXECUTE = 1 << 0, MAY_READ_FILE = 1 << 2 };

static const struct {
  uint64_t files, network, scope;
  size_t bytes;
} versions[] = {
    {0, 0, 0, 0},       {0x1fff, 0, 0, 8},  {0x3fff, 0, 0, 8},  {0x7fff, 0, 0, 8},
    {0x7fff, 3, 0, 16}, {0xffff, 3, 0, 16}, {0xffff, 3, 3, 24},
};

static void permit(long set, long folder, uint64_t allowed) {
  struct below below = {allowed, (int32_t)folder};
  if (folder >= 0) os_call4(__NR_landlock_add_rule, set, PATH_BELOW, &below, 0);
}

/* In addition to the filter: a kernel without landlock, or with an older version of it, is no error. */
static void install_landlock(void) {
  long version = os_call3(__NR_landlock_create_ruleset, 0, 0, ASK_VERSION);
  if (version <= 0) return;
  version = MIN(version, (long)COUNT_OF(versions) - 1);
  struct ruleset all = {versions[version].files, versions[version].network, versions[version].scope};
  long set = os_call3(__NR_landlock_create_ruleset, &all, versions[version].bytes, 0);
  if (set < 0) return;
  long proc = os_call4(__NR_openat, AT_FDCWD, "/proc", O_PATH | O_CLOEXEC, 0);
  permit(set, proc, MAY_READ_FILE);
  permit(set, engine_fd, MAY_READ_FILE | MAY_EXECUTE);
  os_call2(__NR_landlock_restrict_self, set, 0);
  if (proc >= 0) os_call1(__NR_close, proc);
  os_call1(__NR_close, set);
}

long confine(void) {
  long result = os_call5(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (result) return result;
  install_landlock();
  return install_filter();
}
