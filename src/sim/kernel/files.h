/* files.h: open files of simulated processes: the host's files, and pipes, sockets, counters (eventfd) and sets of files (epoll) of the simulator's own. */
#ifndef REPRISE_SIM_FILES_H
#define REPRISE_SIM_FILES_H

#include "sim/kernel/kernel.h"

enum { PIPE_BYTES = 65536 };

struct pipe {
  uint8_t bytes[PIPE_BYTES]; /* round and round */
  uint32_t first, count;
  uint32_t readers, writers;
  uint32_t ends;    /* that have not been closed */
  uint64_t changes; /* how often something came or went, for edges */
  struct wait_queue can_read, can_write;
  struct wait_queue *pollers; /* the kernel's */
};

/* An eventfd. */
struct counter {
  uint64_t value, changes;
  bool semaphore;
  struct wait_queue can_read, can_write;
};

struct epoll;

/* A stream socket that is not connected yet. */
struct socket {
  uint32_t family, length; /* of the address */
  uint8_t address[112];
  bool bound, listens;
  struct sphere *sphere;
  struct open_file *waiting[64]; /* connections that are not accepted yet */
  uint32_t first, count;
  struct wait_queue can_accept;
  struct socket *next; /* of those that listen */
};

struct open_file {
  uint32_t users;
  int host; /* descriptor, or -1 for the simulator's own files */
  struct pipe *pipe;
  struct pipe *out;      /* of a connected socket, whose `pipe` is what comes in */
  struct socket *socket; /* also of a connected one: its addresses */
  struct counter *counter;
  struct epoll *epoll;
  struct kernel *kernel; /* of a socket, counter or epoll */
  bool writes;           /* which end of the pipe */
  bool output_ended;
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
bool file_make_pipe(struct kernel *kernel, struct open_file *ends[2]);
/* Two sockets connected with each other. */
bool file_make_pair(struct kernel *kernel, struct open_file *ends[2]);
/* Nothing more will be written to the socket. */
void file_end_output(struct open_file *file);
struct open_file *file_make_counter(struct kernel *kernel, uint64_t value, bool semaphore);
/* The operations that are possible now without waiting: POLLIN and so on. */
unsigned file_ready(const struct open_file *file);
uint64_t file_changes(const struct open_file *file);
/* It is the simulator's own: it has no position, and no host file behind it. */
static inline bool file_is_own(const struct open_file *file) {
  return file->host < 0;
}

/* calls_poll.c, calls_sockets.c */
void epoll_free(struct epoll *epoll);
unsigned epoll_ready(const struct epoll *epoll);
void socket_free(struct kernel *kernel, struct socket *socket);

#endif
