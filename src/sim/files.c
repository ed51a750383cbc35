/* files.c: descriptors and pipes of simulated processes. */
#include "sim/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Descriptors ----------------------------------------------------------------------------------------------------------------------- */

struct open_file *file_get(struct process *process, uint64_t descriptor) {
  return descriptor < MAX_FILES ? process->files[descriptor] : NULL;
}

struct open_file *file_new(int host) {
  struct open_file *file = calloc(1, sizeof *file);
  struct stat about;
  if (!file) return NULL;
  file->users = 1;
  file->host = host;
  file->on_disk = host > 2 && fstat(host, &about) == 0 && S_ISREG(about.st_mode);
  return file;
}

void file_release(struct open_file *file) {
  if (--file->users) return;
  struct pipe *pipe = file->pipe;
  if (pipe) {
    --*(file->writes ? &pipe->writers : &pipe->readers);
    wake_queue(&pipe->can_read, UINT32_MAX, 0);
    wake_queue(&pipe->can_write, UINT32_MAX, 0);
    if (!pipe->writers && !pipe->readers) free(pipe);
  } else if (file->host > 2) {
    close(file->host);
  }
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
  struct open_file *file = file_get(process, descriptor);
  if (!file) return -EBADF;
  process->files[descriptor] = NULL;
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

bool file_make_pipe(struct open_file *ends[2]) {
  struct pipe *pipe = calloc(1, sizeof *pipe);
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
  pipe->readers = pipe->writers = 1;
  return true;
}

static int64_t pipe_read(struct task *task, struct open_file *file, uint8_t *bytes, uint64_t count) {
  struct pipe *pipe = file->pipe;
  if (file->writes) return -EBADF;
  while (!pipe->count) {
    if (!pipe->writers) return 0;
    if (file->nonblocking) return -EAGAIN;
    if (wait_on(task, &pipe->can_read, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  if (count > pipe->count) count = pipe->count;
  for (uint64_t i = 0; i < count; i++) bytes[i] = pipe->bytes[(pipe->first + i) % PIPE_BYTES];
  pipe->first = (pipe->first + (uint32_t)count) % PIPE_BYTES;
  pipe->count -= (uint32_t)count;
  wake_queue(&pipe->can_write, UINT32_MAX, 0);
  return (int64_t)count;
}

static int64_t pipe_write(struct task *task, struct open_file *file, const uint8_t *bytes, uint64_t count) {
  struct pipe *pipe = file->pipe;
  uint64_t done = 0;
  struct signal_info info = {SIGPIPE, SI_USER, task->process->pid, 0};
  if (!file->writes) return -EBADF;
  while (done < count) {
    if (!pipe->readers) {
      signal_send_task(task, &info);
      return -EPIPE;
    }
    uint64_t room = PIPE_BYTES - pipe->count, part = count - done < room ? count - done : room;
    /* What fits in a page is written at once or not at all. */
    if (!room || (count <= PAGE_BYTES && room < count)) {
      if (file->nonblocking) return done ? (int64_t)done : -EAGAIN;
      if (wait_on(task, &pipe->can_write, UINT64_MAX, true) == -EINTR) return done ? (int64_t)done : -RESTART;
      continue;
    }
    for (uint64_t i = 0; i < part; i++)
      pipe->bytes[(pipe->first + pipe->count + i) % PIPE_BYTES] = bytes[done + i];
    pipe->count += (uint32_t)part;
    done += part;
    wake_queue(&pipe->can_read, UINT32_MAX, 0);
  }
  return (int64_t)done;
}

/* -- Reading and writing ------------------------------------------------------------------------------------------------------------------- */

int64_t file_read(struct task *task, struct open_file *file, void *bytes, uint64_t count) {
  if (file->pipe) return pipe_read(task, file, bytes, count);
  ssize_t n = read(file->host, bytes, count);
  return n < 0 ? -errno : n;
}

int64_t file_write(struct task *task, struct open_file *file, const void *bytes, uint64_t count) {
  if (file->pipe) return pipe_write(task, file, bytes, count);
  ssize_t n = write(file->host, bytes, count);
  return n < 0 ? -errno : n;
}

int64_t file_pread(struct process *process, int descriptor, void *bytes, uint64_t count, uint64_t offset) {
  struct open_file *file = file_get(process, (uint64_t)descriptor);
  if (!file) return -EBADF;
  if (file->pipe) return -ESPIPE;
  ssize_t n = pread(file->host, bytes, count, (off_t)offset);
  return n < 0 ? -errno : n;
}
