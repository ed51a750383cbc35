/* descriptors.c: keeps the engine's descriptors out of the application's reach. See descriptors.h.
 *
 * The table of system calls (input/) says which arguments are descriptors. A reserved one is replaced by a number that is never
 * open, so that the kernel gives the error that it gives for any other. /proc, which lists them, is listing.c's business.
 *
 * Known limits. dup2 onto one of the reserved numbers fails with EBADF. Reserved numbers inside the arrays and messages of
 * poll, select and sendmsg are not looked for: only a program that guesses numbers it has never opened would put them there. */
#include "engine/view/descriptors.h"

#include <linux/close_range.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/resource.h>

#include "engine/base/lib.h"
#include "engine/signals/kernel_call.h"
#include "input/input.h"

enum { NOT_OPEN = 0x7fffffff }; /* above any limit on descriptors */

int descriptor_of_program = -1;

void descriptor_keep_program(int fd) {
  descriptor_of_program = engine_fd + FD_PROGRAM;
  if (!descriptor_reserve(fd, FD_PROGRAM)) return;
  descriptor_of_program = fd;
  os_call3(__NR_fcntl, fd, F_SETFD, FD_CLOEXEC);
}

void descriptor_keeps_no_program(void) {
  descriptor_of_program = engine_fd + FD_PROGRAM;
}

long descriptor_reserve(int fd, int which) {
  int target = engine_fd + which;
  if (fd == target) return os_call3(__NR_fcntl, fd, F_SETFD, which == FD_PROGRAM ? FD_CLOEXEC : 0);
  int flags = which == FD_PROGRAM ? O_CLOEXEC : 0;
  long result = os_call3(__NR_dup3, fd, target, flags);
  struct rlimit64 limit, higher;
  if (result == -EBADF && !os_call4(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, &limit)) {
    /* The number is beyond the limit: raise the limit for a moment. */
    higher = (struct rlimit64){(uint64_t)target + 1, MAX(limit.rlim_max, (uint64_t)target + 1)};
    if (!os_call4(__NR_prlimit64, 0, RLIMIT_NOFILE, &higher, 0)) {
      result = os_call3(__NR_dup3, fd, target, flags);
      os_call4(__NR_prlimit64, 0, RLIMIT_NOFILE, &limit, 0);
    }
  }
  if (result < 0) return result;
  os_call1(__NR_close, fd);
  return 0;
}

/* -- Calls on reserved descriptors ----------------------------------------------------------------------------------- */

/* True if argument n, a folder, does not matter: the path behind it is absolute. */
static bool folder_unused(const struct call *call, int n) {
  char first;
  return !safe_copy(&first, (const void *)call->args[n + 1], 1) && first == '/';
}

static bool argument_matters(const struct call *call, int n, unsigned folders) {
  if (call->nr == __NR_mmap) return !(call->args[3] & MAP_ANONYMOUS);
  if (folders >> n & 1) return !folder_unused(call, n);
  return input_is_descriptor(call->nr, call->args, (unsigned)n);
}

/* Copies the call with NOT_OPEN in place of each reserved descriptor; false if it names none. */
static bool names_reserved(const struct call *call, struct call *changed) {
  unsigned which = input_descriptors(call->nr);
  unsigned descriptors = which & INPUT_DESCRIPTORS, folders = which >> INPUT_FOLDERS;
  bool any = false;
  for (int n = 0; descriptors >> n; n++) {
    if (!(descriptors >> n & 1) || !descriptor_reserved(call->args[n]) || !argument_matters(call, n, folders))
      continue;
    if (!any) *changed = *call;
    changed->args[n] = NOT_OPEN;
    any = true;
  }
  return any;
}

/* -- close_range ------------------------------------------------------------------------------------------------------ */

/* close_range without the reserved descriptors in the middle. */
static long close_range_around(const struct call *call) {
  unsigned first = (unsigned)call->args[0], last = (unsigned)call->args[1];
  unsigned flags = (unsigned)call->args[2];
  unsigned ours = (unsigned)engine_fd, after = ours + descriptor_count();
  if (first > last || last < ours || first >= after) return os_call3(__NR_close_range, first, last, flags);
  long result = 0;
  if (first < ours) {
    result = os_call3(__NR_close_range, first, ours - 1, flags);
    flags &= ~(unsigned)CLOSE_RANGE_UNSHARE; /* done */
  }
  if (!result && (last >= after || flags & CLOSE_RANGE_UNSHARE)) {
    /* An empty range does not exist: one that begins where ours ends has to do for the flags alone. */
    result = os_call3(__NR_close_range, after, MAX(last, after), flags);
    flags &= ~(unsigned)CLOSE_RANGE_UNSHARE;
  }
  for (unsigned fd = MAX(first, ours); !result && fd < after && fd <= last; fd++)
    if (!descriptor_reserved((long)fd)) result = os_call3(__NR_close_range, fd, fd, flags);
  return result;
}

bool descriptors_call(struct thread *thread, const struct call *call, long *result,
                      bool (*execute)(struct thread *, const struct call *, long *)) {
  struct call changed;
  if (call->nr == __NR_close_range) {
    *result = close_range_around(call);
    return true;
  }
  if (!names_reserved(call, &changed)) return false;
  if (!execute(thread, &changed, result)) *result = syscall_pass_on(thread, &changed);
  return true;
}
