/* files.h: open files of simulated processes: the host's files, and pipes of the simulator's own. */
#ifndef REPRISE_SIM_FILES_H
#define REPRISE_SIM_FILES_H

#include "sim/kernel.h"

enum { PIPE_BYTES = 65536 };

struct pipe {
  uint8_t bytes[PIPE_BYTES]; /* round and round */
  uint32_t first, count;
  uint32_t readers, writers;
  struct wait_queue can_read, can_write;
};

struct open_file {
  uint32_t users;
  int host; /* descriptor, or -1 for a pipe */
  struct pipe *pipe;
  bool writes; /* which end of the pipe */
  bool nonblocking;
  bool on_disk; /* a regular file: read by the disk's DMA */
};

struct open_file *file_get(struct process *process, uint64_t descriptor);
/* The lowest free descriptor from `least` on gets the file; -EMFILE. Takes the reference over. */
int64_t file_install(struct process *process, struct open_file *file, int least, bool close_on_exec);
struct open_file *file_new(int host);
void file_release(struct open_file *file);
int64_t file_close(struct process *process, uint64_t descriptor);
int64_t file_pread(struct process *process, int descriptor, void *bytes, uint64_t count, uint64_t offset);

/* They wait if need be. Bytes or -errno. */
int64_t file_read(struct task *task, struct open_file *file, void *bytes, uint64_t count);
int64_t file_write(struct task *task, struct open_file *file, const void *bytes, uint64_t count);
bool file_make_pipe(struct open_file *ends[2]);

#endif
