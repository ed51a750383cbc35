/* output_names.c: standard output and error under other names.
 *
 * A program may open them again (/dev/stderr, /proc/self/fd/1, the terminal by its name), or get them from another process over a socket.
 * Replay must show its writes there as well, but the paths of the recording mean nothing then: so the
 * recorder tests whether a new descriptor is of the same file, pipe, socket or terminal, and logs that it is.
 *
 * Known limits. A file that is both standard output and standard error counts as standard output. A file that was opened again is written
 * at an offset of its own; replay shows the bytes written there behind all that it has shown. */
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/opening.h"
#include "engine/border/sphere.h"

/* S_IFMT and S_IFCHR, which the kernel's header leaves to a C library. */
enum { FILE_TYPE = 0170000, CHARACTER_DEVICE = 0020000 };

static bool identify(int fd, struct statx *info) {
  return !file_state(fd, "", info);
}

static uint64_t device_of(const struct statx *info) {
  return (uint64_t)info->stx_dev_major << 32 | info->stx_dev_minor;
}

/* The only devices are terminals: a write to /dev/null shows nowhere. */
static bool can_be_named(int fd, const struct statx *info) {
  enum { GET_MODES = 0x5401 }; /* TCGETS */
  uint8_t modes[64];
  return (info->stx_mode & FILE_TYPE) != CHARACTER_DEVICE || !os_call3(__NR_ioctl, fd, GET_MODES, modes);
}

void output_identify(void) {
  for (int fd = 1; fd <= 2; fd++) {
    struct statx info;
    struct region_output_file *file = &region->output.files[fd - 1];
    if (!identify(fd, &info) || !can_be_named(fd, &info)) continue;
    *file = (struct region_output_file){.device = device_of(&info), .inode = info.stx_ino, .known = true};
  }
}

static uint32_t named_by(int fd) {
  struct statx info;
  long flags = os_call2(__NR_fcntl, fd, F_GETFL);
  if (flags < 0 || flags & O_PATH || (flags & O_ACCMODE) == O_RDONLY || !identify(fd, &info)) return 0;
  for (uint32_t i = 0; i < COUNT_OF(region->output.files); i++) {
    const struct region_output_file *file = &region->output.files[i];
    if (file->known && file->inode == info.stx_ino && file->device == device_of(&info)) return i + 1;
  }
  return 0;
}

static void look_at(struct thread *thread, const struct call *call, int fd) {
  uint32_t role = named_by(fd);
  if (!role) return;
  bool closes = os_call2(__NR_fcntl, fd, F_GETFD) & FD_CLOEXEC;
  struct input_event event = {
      .kind = EVENT_OUTPUT,
      .output = {.descriptor = role, .named = true, .closes = closes, .count = (uint32_t)fd}};
  event.output.digest = output_digest(thread, &event);
  record_event(thread, &event);
  output_named(thread, call, &event);
}

/* The descriptors that came with a message: all of those that one control message holds. */
static void look_at_message(struct thread *thread, const struct call *call, uintptr_t at) {
  enum { SOCKET_LEVEL = 1, RIGHTS = 1, MOST = 64 };
  struct {
    uint64_t name, name_length, vector, vector_count;
    uintptr_t control;
    size_t control_length;
  } message;
  struct {
    size_t length;
    int32_t level, type;
  } head;
  if (safe_copy(&message, (const void *)at, sizeof message)) return;
  for (unsigned i = 0; i < MOST && message.control_length >= sizeof head; i++) {
    if (safe_copy(&head, (const void *)message.control, sizeof head)) return;
    if (head.length < sizeof head || head.length > message.control_length) return;
    size_t count = (head.length - sizeof head) / sizeof(int);
    for (size_t n = 0; head.level == SOCKET_LEVEL && head.type == RIGHTS && n < count; n++) {
      int fd;
      if (!safe_copy(&fd, (const int *)(message.control + sizeof head) + n, sizeof fd))
        look_at(thread, call, fd);
    }
    size_t step = MIN(ALIGN_UP(head.length, sizeof(size_t)), message.control_length);
    message.control += step;
    message.control_length -= step;
  }
}

bool output_opens(const struct call *call) {
  struct input_opening how;
  return call_opens(call, &how) && how.descriptor;
}

/* Most files are opened only for reading, which the call's flags say: then the descriptor need not be tested. */
static bool opens_output(const struct call *call) {
  struct input_opening how;
  if (!call_opens(call, &how) || !how.descriptor) return false;
  return !how.certain || (how.flags & O_ACCMODE) != O_RDONLY;
}

void output_find_names(struct thread *thread, const struct call *call, long result) {
  enum { MESSAGE = 64 }; /* bytes of a mmsghdr */
  if (opens_output(call) || call->nr == __NR_pidfd_getfd) look_at(thread, call, (int)result);
  if (call->nr == __NR_recvmsg) look_at_message(thread, call, (uintptr_t)call->args[1]);
  for (long i = 0; call->nr == __NR_recvmmsg && i < result; i++)
    look_at_message(thread, call, (uintptr_t)call->args[1] + (uintptr_t)i * MESSAGE);
}
