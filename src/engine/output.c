/* output.c: shows the standard output and error of the recorded program again in replay.
 *
 * No descriptor of the recording is open in replay, so which numbers meant standard output and error is followed through
 * the calls that copy and close descriptors. Bytes that never came from the program's memory (sendfile, splice) are not
 * shown. In a recording in parallel the numbers are followed, too: calls that write there are put in order. */
#include <linux/close_range.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include <linux/uio.h>

#include "engine/lib.h"
#include "engine/sphere.h"

static uint8_t role_of(struct thread *thread, long fd) {
  return fd >= 0 && fd < OUTPUT_ROLES ? thread->process->output_roles[fd] : 0;
}

static void set_role(struct thread *thread, long fd, uint8_t role) {
  if (fd >= 0 && fd < OUTPUT_ROLES) thread->process->output_roles[fd] = role;
}

static void show(int fd, const char *from, size_t count) {
  while (count) {
    long n = os_call3(__NR_write, fd, from, count);
    if (n == -EAGAIN) {
      struct pollfd wait = {.fd = fd, .events = POLLOUT};
      os_call5(__NR_ppoll, &wait, 1, 0, 0, 0);
    } else if (n != -EINTR) {
      if (n <= 0) return;
      from += n;
      count -= (size_t)n;
    }
  }
}

static void show_vector(int fd, uintptr_t vector, long parts, size_t count) {
  for (long i = 0; i < parts && count; i++) {
    struct iovec part;
    if (safe_copy(&part, (const struct iovec *)vector + i, sizeof part)) return;
    size_t bytes = MIN(part.iov_len, count);
    show(fd, part.iov_base, bytes);
    count -= bytes;
  }
}

static void close_range(struct thread *thread, long first, unsigned long last) {
  for (long fd = first; fd < OUTPUT_ROLES && (unsigned long)fd <= last; fd++) set_role(thread, fd, 0);
}

bool output_writes(struct thread *thread, const struct call *call) {
  switch (call->nr) {
    case __NR_write:
    case __NR_pwrite64:
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
      return role_of(thread, (int)call->args[0]);
    default:
      return false;
  }
}

void output_call(struct thread *thread, const struct call *call, long result) {
  const long *a = call->args;
  if (result < 0 && call->nr != __NR_close) return;
  switch (call->nr) {
    case __NR_write:
    case __NR_pwrite64:
      if (replaying() && role_of(thread, (int)a[0]))
        show(role_of(thread, (int)a[0]), (const char *)a[1], (size_t)result);
      break;
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
      if (replaying() && role_of(thread, (int)a[0]))
        show_vector(role_of(thread, (int)a[0]), (uintptr_t)a[1], a[2], (size_t)result);
      break;
    case __NR_dup:
#ifdef __NR_dup2
    case __NR_dup2:
#endif
    case __NR_dup3:
      set_role(thread, result, role_of(thread, (int)a[0]));
      break;
    case __NR_fcntl:
      if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC) set_role(thread, result, role_of(thread, (int)a[0]));
      break;
    case __NR_close:
      set_role(thread, (int)a[0], 0);
      break;
    case __NR_close_range:
      if (!(a[2] & CLOSE_RANGE_CLOEXEC)) close_range(thread, (unsigned)a[0], (unsigned)a[1]);
      break;
    default:
      break;
  }
}
