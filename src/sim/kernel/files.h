/* files.h: open files of simulated processes: the host's files, and pipes, sockets, counters (eventfd, timerfd) and sets of files (epoll) of the simulator's own. */
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

/* An eventfd or timerfd. */
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
  uint64_t number; /* no other file has ever had it */
  int host;        /* descriptor, or -1 for the simulator's own files */
  struct pipe *pipe;
  struct pipe *out;      /* of a connected socket, whose `pipe` is what comes in */
  struct socket *socket; /* also of a connected one: its addresses */
  struct counter *counter;
  struct timer *timer; /* of a timerfd: raises its counter */
  struct epoll *epoll;
  uint64_t signals; /* of a signalfd: a bit for each */
  bool takes_signals;
  struct kernel *kernel; /* of a socket, counter or epoll */
  bool writes;           /* which end of the pipe */
  bool output_ended;
  bool nonblocking;
  bool locked;  /* by flock, at some time */
  bool on_disk; /* a regular file: read by the disk's DMA */
};

/* The file at a descriptor of the task's, or NULL. It is there until the task's call is over, even if another thread closes the descriptor while the call waits,
   as every access to user memory may. */
struct open_file *file_get(struct task *task, uint64_t descriptor);
void file_hold(struct task *task, struct open_file *file);
/* The call is over. */
void files_let_go(struct task *task);
/* The lowest free descriptor from `least` on gets the file; -EMFILE. Takes the reference over. */
int64_t file_install(struct process *process, struct open_file *file, int least, bool close_on_exec);
struct open_file *file_new(int host);
void file_release(struct open_file *file);
int64_t file_close(struct process *process, uint64_t descriptor);

/* They wait if need be. Bytes or -errno. */
int64_t file_read(struct task *task, struct open_file *file, void *bytes, uint64_t count);
int64_t file_write(struct task *task, struct open_file *file, const void *bytes, uint64_t count);
/* Of a connected socket: the bytes stay there. */
int64_t file_peek(struct task *task, struct open_file *file, void *bytes, uint64_t count);
#define FILE_POSITION UINT64_MAX /* where the file is */
int64_t file_read_at(struct task *task, struct open_file *file, void *bytes, uint64_t count, uint64_t offset);
int64_t file_write_at(struct task *task, struct open_file *file, const void *bytes, uint64_t count,
                      uint64_t offset);
/* The host's file is about to get the bytes: 0, or -errno if memory that is mapped would have to get them, too. */
int64_t file_check_write(struct task *task, const struct open_file *file, const void *bytes, uint64_t count,
                         uint64_t offset);
bool file_make_pipe(struct kernel *kernel, struct open_file *ends[2]);
/* Two sockets connected with each other. */
bool file_make_pair(struct kernel *kernel, struct open_file *ends[2]);
/* Nothing more will be written to the socket. */
void file_end_output(struct open_file *file);
struct open_file *file_make_counter(struct kernel *kernel, uint64_t value, bool semaphore);
/* Its counter has one more. */
void file_raise(struct open_file *file);
/* The operations that are possible now without waiting: POLLIN and so on. */
unsigned file_ready(const struct open_file *file);
uint64_t file_changes(const struct open_file *file);
/* It is the simulator's own: it has no position, and no host file behind it. */
/* It is the simulator's standard output or error: a replay shows what goes there, too. */
static inline bool file_is_shown(const struct open_file *file) {
  return file->host == 1 || file->host == 2;
}
static inline bool file_is_own(const struct open_file *file) {
  return file->host < 0;
}

/* calls_files.c: the path of an …at call, and the host's descriptor of the directory from which it goes. 0 or -errno. */
int64_t file_path(struct task *task, const uint64_t argument[6], int *host, char path[PATH_BYTES]);

/* calls_names.c: files that say something about the machine or the process: below /proc and /sys, where the host's are not seen. The host's descriptor of one,
   or -1 with errno. */
bool file_is_of_machine(const char *path);
int file_of_machine(const struct task *task, const char *path);
/* The process's working directory is this one now, of which it takes the descriptor over; how programs that it executes are named there (free it). */
void directory_enter(struct process *process, int host);
char *directory_join(const struct process *process, const char *path);

/* calls_signals.c */
int64_t signalfd_read(struct task *task, struct open_file *file, void *bytes, uint64_t count);
unsigned signalfd_ready(const struct open_file *file);

/* calls_poll.c, calls_sockets.c */
void epoll_free(struct epoll *epoll);
unsigned epoll_ready(const struct epoll *epoll);
void socket_free(struct kernel *kernel, struct socket *socket);

#endif
