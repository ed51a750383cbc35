/* files.c: descriptors and pipes of simulated processes. */
#include "sim/kernel/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/kernel/file_locks.h"
#include "sim/kernel/mapped_files.h"
#include "sim/kernel/timers.h"
#include "sim/machine/check.h"

/* -- Descriptors ----------------------------------------------------------------------------------------------------------------------- */

static struct open_file *file_at(const struct process *process, uint64_t descriptor) {
  return descriptor < MAX_FILES ? process->files[descriptor] : NULL;
}

struct open_file *file_get(struct task *task, uint64_t descriptor) {
  struct open_file *file = file_at(task->process, descriptor);
  if (file) file_hold(task, file);
  return file;
}

void file_hold(struct task *task, struct open_file *file) {
  for (uint32_t n = 0; n < task->held_count; n++)
    if (task->held[n] == file) return;
  task->held = realloc(task->held, (task->held_count + 1) * sizeof *task->held);
  CHECK(task->held, "out of memory");
  task->held[task->held_count++] = file;
  file->users++;
}

void files_let_go(struct task *task) {
  for (; task->held_count; task->held_count--) file_release(task->held[task->held_count - 1]);
}

struct open_file *file_new(int host) {
  static uint64_t files;
  struct open_file *file = calloc(1, sizeof *file);
  struct stat about;
  if (!file) return NULL;
  file->number = ++files;
  file->users = 1;
  file->host = host;
  file->on_disk = host > 2 && fstat(host, &about) == 0 && S_ISREG(about.st_mode);
  return file;
}

static void pipe_changed(struct pipe *pipe) {
  pipe->changes++;
  wake_queue(&pipe->can_read, UINT32_MAX, 0);
  wake_queue(&pipe->can_write, UINT32_MAX, 0);
  wake_queue(pipe->pollers, UINT32_MAX, 0);
}

/* One of the two ends is closed; ended: it said so before. */
static void leave_pipe(struct pipe *pipe, bool writer, bool ended) {
  if (!ended) --*(writer ? &pipe->writers : &pipe->readers);
  pipe_changed(pipe);
  if (!--pipe->ends) free(pipe);
}

void file_end_output(struct open_file *file) {
  if (file->output_ended) return;
  file->output_ended = true;
  file->out->writers--;
  pipe_changed(file->out);
}

void file_release(struct open_file *file) {
  if (--file->users) return;
  if (file->pipe) leave_pipe(file->pipe, file->writes, false);
  if (file->out) leave_pipe(file->out, true, file->output_ended);
  if (file->socket) socket_free(file->kernel, file->socket);
  if (file->epoll) epoll_free(file->epoll);
  if (file->timer) timer_free(file->kernel, file->timer);
  if (file->locked) file_locks_release(file->kernel, file);
  free(file->counter);
  if (file->host > 2) close(file->host);
  free(file);
}

static void set_close_on_exec(struct process *process, int descriptor, bool on) {
  uint64_t bit = 1ull << (descriptor % 64), *word = &process->close_on_exec[descriptor / 64];
  *word = on ? *word | bit : *word & ~bit;
}

int64_t file_install(struct process *process, struct open_file *file, int least, bool close_on_exec) {
  for (int i = least; i < MAX_FILES; i++) {
    if (process->files[i]) continue;
    process->files[i] = file;
    set_close_on_exec(process, i, close_on_exec);
    return i;
  }
  file_release(file);
  return -EMFILE;
}

int64_t file_close(struct process *process, uint64_t descriptor) {
  struct open_file *file = file_at(process, descriptor);
  if (!file) return -EBADF;
  process->files[descriptor] = NULL;
  file_locks_close(process, file);
  file_release(file);
  return 0;
}

void files_begin(struct process *process) {
  for (int i = 0; i < 3; i++) process->files[i] = file_new(i);
}

void files_copy(struct process *to, const struct process *from) {
  memcpy(to->files, from->files, sizeof to->files);
  memcpy(to->close_on_exec, from->close_on_exec, sizeof to->close_on_exec);
  for (int i = 0; i < MAX_FILES; i++)
    if (to->files[i]) to->files[i]->users++;
}

void files_close_all(struct process *process, bool on_exec) {
  for (int i = 0; i < MAX_FILES; i++)
    if (process->files[i] && (!on_exec || process->close_on_exec[i / 64] >> (i % 64) & 1))
      file_close(process, (uint64_t)i);
}

/* -- Pipes -------------------------------------------------------------------------------------------------------------------------------- */

static struct pipe *pipe_new(struct kernel *kernel) {
  struct pipe *pipe = calloc(1, sizeof *pipe);
  if (!pipe) return NULL;
  pipe->pollers = &kernel->pollers;
  pipe->readers = pipe->writers = 1;
  pipe->ends = 2;
  return pipe;
}

bool file_make_pipe(struct kernel *kernel, struct open_file *ends[2]) {
  struct pipe *pipe = pipe_new(kernel);
  ends[0] = file_new(-1);
  ends[1] = file_new(-1);
  if (!pipe || !ends[0] || !ends[1]) {
    free(pipe);
    free(ends[0]);
    free(ends[1]);
    return false;
  }
  ends[0]->pipe = ends[1]->pipe = pipe;
  ends[1]->writes = true;
  return true;
}

bool file_make_pair(struct kernel *kernel, struct open_file *ends[2]) {
  struct pipe *pipes[2] = {pipe_new(kernel), pipe_new(kernel)};
  ends[0] = file_new(-1);
  ends[1] = file_new(-1);
  if (!pipes[0] || !pipes[1] || !ends[0] || !ends[1]) {
    for (int i = 0; i < 2; i++) free(pipes[i]), free(ends[i]);
    return false;
  }
  for (int i = 0; i < 2; i++) {
    ends[i]->pipe = pipes[i];
    ends[i]->out = pipes[!i];
    ends[i]->kernel = kernel;
  }
  return true;
}

struct open_file *file_make_counter(struct kernel *kernel, uint64_t value, bool semaphore) {
  struct open_file *file = file_new(-1);
  if (!file || !(file->counter = calloc(1, sizeof *file->counter))) {
    free(file);
    return NULL;
  }
  file->counter->value = value;
  file->counter->semaphore = semaphore;
  file->kernel = kernel;
  return file;
}

/* -- Readiness ------------------------------------------------------------------------------------------------------------------------------ */

static unsigned can_read(const struct pipe *pipe) {
  return (pipe->count ? POLLIN | POLLRDNORM : 0) | (pipe->writers ? 0 : POLLHUP);
}

static unsigned can_write(const struct pipe *pipe) {
  if (!pipe->readers) return POLLERR | POLLOUT;
  return PIPE_BYTES - pipe->count >= PAGE_BYTES ? POLLOUT | POLLWRNORM : 0;
}

unsigned file_ready(const struct open_file *file) {
  if (file->out) {
    bool closed = !file->pipe->writers;
    return (can_read(file->pipe) & ~(unsigned)POLLHUP) | (closed ? POLLIN | POLLRDHUP : 0) |
           (can_write(file->out) & ~(unsigned)POLLERR) | (closed && !file->out->readers ? POLLHUP : 0);
  }
  if (file->pipe) return file->writes ? can_write(file->pipe) : can_read(file->pipe);
  if (file->counter)
    return (file->counter->value ? POLLIN : 0) |
           (!file->timer && file->counter->value < UINT64_MAX - 1 ? POLLOUT : 0);
  if (file->epoll) return epoll_ready(file->epoll);
  if (file->takes_signals) return signalfd_ready(file);
  if (file->socket) return file->socket->count ? POLLIN : file->socket->listens ? 0 : POLLOUT | POLLHUP;
  return POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;
}

uint64_t file_changes(const struct open_file *file) {
  return (file->pipe ? file->pipe->changes : 0) + (file->out ? file->out->changes : 0) +
         (file->counter ? file->counter->changes : 0) + (file->socket ? file->socket->count : 0);
}

/* -- Moving bytes -------------------------------------------------------------------------------------------------------------------------- */

static int64_t pipe_read(struct task *task, struct open_file *file, uint8_t *bytes, uint64_t count,
                         bool stay) {
  struct pipe *pipe = file->pipe;
  if (file->writes) return -EBADF;
  while (!pipe->count) {
    if (!pipe->writers) return 0;
    if (file->nonblocking) return -EAGAIN;
    if (wait_on(task, &pipe->can_read, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  if (count > pipe->count) count = pipe->count;
  for (uint64_t i = 0; i < count; i++) bytes[i] = pipe->bytes[(pipe->first + i) % PIPE_BYTES];
  if (stay) return (int64_t)count;
  pipe->first = (pipe->first + (uint32_t)count) % PIPE_BYTES;
  pipe->count -= (uint32_t)count;
  pipe_changed(pipe);
  return (int64_t)count;
}

static int64_t pipe_write(struct task *task, struct open_file *file, const uint8_t *bytes, uint64_t count) {
  struct pipe *pipe = file->out ? file->out : file->pipe;
  uint64_t done = 0;
  struct signal_info info = {SIGPIPE, SI_USER, task->process->pid, 0};
  if (!file->writes && !file->out) return -EBADF;
  while (done < count) {
    if (!pipe->readers || file->output_ended) {
      signal_send_task(task, &info);
      return -EPIPE;
    }
    uint64_t room = PIPE_BYTES - pipe->count, part = count - done < room ? count - done : room;
    /* A write of up to a page is made at once or not at all. */
    if (!room || (count <= PAGE_BYTES && room < count)) {
      if (file->nonblocking) return done ? (int64_t)done : -EAGAIN;
      if (wait_on(task, &pipe->can_write, UINT64_MAX, true) == -EINTR) return done ? (int64_t)done : -RESTART;
      continue;
    }
    for (uint64_t i = 0; i < part; i++)
      pipe->bytes[(pipe->first + pipe->count + i) % PIPE_BYTES] = bytes[done + i];
    pipe->count += (uint32_t)part;
    done += part;
    pipe_changed(pipe);
  }
  return (int64_t)done;
}

static void counter_changed(struct open_file *file) {
  file->counter->changes++;
  wake_queue(&file->counter->can_read, UINT32_MAX, 0);
  wake_queue(&file->counter->can_write, UINT32_MAX, 0);
  wake_queue(&file->kernel->pollers, UINT32_MAX, 0);
}

void file_raise(struct open_file *file) {
  file->counter->value++;
  counter_changed(file);
}

static int64_t counter_read(struct task *task, struct open_file *file, void *bytes, uint64_t count) {
  struct counter *counter = file->counter;
  if (count < sizeof counter->value) return -EINVAL;
  while (!counter->value) {
    if (file->nonblocking) return -EAGAIN;
    if (wait_on(task, &counter->can_read, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  uint64_t value = counter->semaphore ? 1 : counter->value;
  counter->value -= value;
  memcpy(bytes, &value, sizeof value);
  counter_changed(file);
  return sizeof value;
}

static int64_t counter_write(struct task *task, struct open_file *file, const void *bytes, uint64_t count) {
  struct counter *counter = file->counter;
  uint64_t value;
  if (count < sizeof value) return -EINVAL;
  memcpy(&value, bytes, sizeof value);
  if (value == UINT64_MAX) return -EINVAL;
  while (counter->value > UINT64_MAX - 1 - value) {
    if (file->nonblocking) return -EAGAIN;
    if (wait_on(task, &counter->can_write, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  counter->value += value;
  counter_changed(file);
  return sizeof value;
}

/* -- Reading and writing ------------------------------------------------------------------------------------------------------------------- */

int64_t file_read(struct task *task, struct open_file *file, void *bytes, uint64_t count) {
  if (file->pipe) return pipe_read(task, file, bytes, count, false);
  if (file->counter) return counter_read(task, file, bytes, count);
  if (file->takes_signals) return signalfd_read(task, file, bytes, count);
  if (file_is_own(file)) return file->socket ? -ENOTCONN : -EINVAL;
  mapped_file_flush(kernel_of(task), file);
  ssize_t n = read(file->host, bytes, count);
  return n < 0 ? -errno : n;
}

int64_t file_peek(struct task *task, struct open_file *file, void *bytes, uint64_t count) {
  return pipe_read(task, file, bytes, count, true);
}

int64_t file_write(struct task *task, struct open_file *file, const void *bytes, uint64_t count) {
  if (file->pipe) return pipe_write(task, file, bytes, count);
  if (file->timer) return -EINVAL;
  if (file->counter) return counter_write(task, file, bytes, count);
  if (file_is_own(file)) return file->socket ? -ENOTCONN : -EINVAL;
  int64_t result = file_check_write(task, file, bytes, count, FILE_POSITION);
  if (result) return result;
  ssize_t n = write(file->host, bytes, count);
  return n < 0 ? -errno : n;
}

int64_t file_check_write(struct task *task, const struct open_file *file, const void *bytes, uint64_t count,
                         uint64_t offset) {
  struct kernel *kernel = kernel_of(task);
  if (!kernel->mapped_files || !file->on_disk) return 0;
  if (offset == FILE_POSITION) {
    struct stat about;
    bool appends = fcntl(file->host, F_GETFL) & O_APPEND && !fstat(file->host, &about);
    off_t at = appends ? about.st_size : lseek(file->host, 0, SEEK_CUR);
    offset = at < 0 ? 0 : (uint64_t)at;
  }
  if (mapped_file_may_write(kernel, file, bytes, count, offset)) return 0;
  kernel_fail(
      kernel, 122,
      "%s: a write to a part of a file that is mapped as shared is not supported by the simulator's kernel",
      task->process->path);
  return -EIO;
}

int64_t file_read_at(struct task *task, struct open_file *file, void *bytes, uint64_t count,
                     uint64_t offset) {
  if (file_is_own(file)) return -ESPIPE;
  mapped_file_flush(kernel_of(task), file);
  ssize_t n = pread(file->host, bytes, count, (off_t)offset);
  return n < 0 ? -errno : n;
}

int64_t file_write_at(struct task *task, struct open_file *file, const void *bytes, uint64_t count,
                      uint64_t offset) {
  if (offset == FILE_POSITION) return file_write(task, file, bytes, count);
  if (file_is_own(file)) return -ESPIPE;
  int64_t result = file_check_write(task, file, bytes, count, offset);
  if (result) return result;
  ssize_t n = pwrite(file->host, bytes, count, (off_t)offset);
  return n < 0 ? -errno : n;
}
