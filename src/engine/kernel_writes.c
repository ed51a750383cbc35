/* kernel_writes.c: where the kernel writes when it transfers data for the application.
 *
 * Only the calls that move data whose loss would show, because a second try would find it gone. All other
 * calls that write memory simply fail on a watched page and are performed again (syscalls.c). */
#include <linux/uio.h>

#include "engine/code.h"
#include "engine/lib.h"
#include "input/input.h"

enum shape {
  BUFFER,   /* argument: pointer; the next one: its size */
  VECTOR,   /* argument: array of iovec; the next one: how many */
  MESSAGE,  /* argument: struct msghdr */
  MESSAGES, /* argument: array of struct mmsghdr; the next one: how many */
};

static const struct {
  int nr;
  int argument;
  enum shape shape;
} transfers[] = {
    {__NR_read, 1, BUFFER},
    {__NR_pread64, 1, BUFFER},
    {__NR_recvfrom, 1, BUFFER},
    {__NR_getrandom, 0, BUFFER},
    {__NR_readv, 1, VECTOR},
    {__NR_preadv, 1, VECTOR},
    {__NR_preadv2, 1, VECTOR},
    {__NR_vmsplice, 1, VECTOR},
    {__NR_process_vm_readv, 1, VECTOR},
    {__NR_process_vm_writev, 3, VECTOR},
    {__NR_recvmsg, 1, MESSAGE},
    {__NR_recvmmsg, 1, MESSAGES},
};

/* As the kernel lays them out. */
struct message {
  uintptr_t name;
  int name_size;
  uintptr_t vector;
  size_t count;
  uintptr_t control;
  size_t control_size;
  unsigned flags;
};
struct message_and_size {
  struct message message;
  unsigned size;
};

static void release_vector(uintptr_t vector, size_t count) {
  struct iovec part;
  for (size_t i = 0; i < count && i < UIO_MAXIOV; i++) {
    if (safe_copy(&part, (const struct iovec *)vector + i, sizeof part)) return;
    codewatch_release((uintptr_t)part.iov_base, (uintptr_t)part.iov_base + part.iov_len);
  }
}

static void release_message(uintptr_t address) {
  struct message message;
  if (safe_copy(&message, (const void *)address, sizeof message)) return;
  codewatch_release(message.control, message.control + message.control_size);
  release_vector(message.vector, message.count);
}

static void release_shape(enum shape shape, uintptr_t pointer, size_t count) {
  switch (shape) {
    case BUFFER:
      codewatch_release(pointer, pointer + count);
      break;
    case VECTOR:
      release_vector(pointer, count);
      break;
    case MESSAGE:
      release_message(pointer);
      break;
    case MESSAGES:
      for (size_t i = 0; i < count && i < UIO_MAXIOV; i++)
        release_message(pointer + i * sizeof(struct message_and_size));
      break;
  }
}

/* A file that is somebody's memory is written at an address, whatever the protection there. Which files
 * are is not known: an ordinary one costs a look at a table, and a needless translation if it happens to
 * have code at that offset. */
void codewatch_after_call(const struct call *call, long result) {
  if (result > 0 && input_facts(call->nr) & INPUT_AT_OFFSET)
    code_overwritten((uintptr_t)call->args[3], (uintptr_t)call->args[3] + (uintptr_t)result);
}

void codewatch_before_call(const struct call *call) {
  for (size_t i = 0; i < COUNT_OF(transfers); i++) {
    if (transfers[i].nr != call->nr) continue;
    int argument = transfers[i].argument;
    release_shape(transfers[i].shape, (uintptr_t)call->args[argument], (size_t)call->args[argument + 1]);
    return;
  }
}
