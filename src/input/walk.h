/* walk.h: functions for the walkers of single calls (messages, sub-tables, structures with pointers).
 *
 * A walker is called in each of the four passes alike. It names memory by walk_in, walk_out and
 * walk_inout; these report it or not, as the pass wants. */
#ifndef REPRISE_INPUT_WALK_H
#define REPRISE_INPUT_WALK_H

#include "input/input.h"

enum pass {
  PASS_OUTGOING, /* before: what is read */
  PASS_REACH,    /* before: what may be read or written */
  PASS_SENT,     /* after: what is read, bulk data cut to the result */
  PASS_INCOMING, /* after: what was written */
};

struct input_walk {
  struct input_call *call;
  enum pass pass;
  long result;
  bool failed; /* the result is an error */
  uint32_t next_note;
  input_visit *visit;
  void *visitor;
  long status; /* what ended the walk, 0 while it goes on */
};

/* The place where a pointer was found, and the address in it. */
struct place {
  uintptr_t address;
  uintptr_t slot;
  uint8_t argument;
};

static inline bool before_call(const struct input_walk *w) {
  return w->pass <= PASS_REACH;
}

/* The memory that argument i points to. */
struct place walk_argument(const struct input_walk *w, unsigned i);
/* The memory that the pointer at offset in the structure at base points to; address 0 when the pointer can't be read. */
struct place walk_pointer(struct input_walk *w, struct place base, size_t offset);
/* The same place, offset bytes on: reached through the same pointer, so only for parts of a piece already reported. */
struct place walk_part(struct place base, size_t offset);

/* Copies of the application's memory: false if it can't be read. */
bool walk_read(struct input_walk *w, void *to, uintptr_t from, size_t bytes);
bool walk_u32(struct input_walk *w, uintptr_t from, uint32_t *value);
bool walk_u64(struct input_walk *w, uintptr_t from, uint64_t *value);
/* A length that the kernel will overwrite: as it was before the call, in every pass. */
bool walk_note(struct input_walk *w, uintptr_t from, uint32_t *value);

/* A number that is found before the call, and is the same in every pass. */
uint32_t walk_remember(struct input_walk *w, uint32_t value);

/* The kernel reads these bytes. */
void walk_in(struct input_walk *w, struct place at, size_t bytes);
/* The kernel reads up to room bytes, and has taken as many as the result says. */
void walk_sent(struct input_walk *w, struct place at, size_t room, size_t taken);
/* The kernel may write room bytes, and has written so many of them, if the call succeeded. */
void walk_out(struct input_walk *w, struct place at, size_t room, size_t written);
void walk_inout(struct input_walk *w, struct place at, size_t bytes);
/* A structure of which only some fields are written; these the walker names itself after the call. */
void walk_inout_fields(struct input_walk *w, struct place at, size_t bytes);
/* The general form: flags of struct input_piece; always: whether or not the call failed. */
void walk_piece(struct input_walk *w, struct place at, unsigned flags, size_t room, size_t bytes,
                bool always);

/* The kernel reads so many bytes, at least, and writes an unknown part: all memory there, up to room bytes, is compared
 * with its content before the call. */
void walk_window(struct input_walk *w, struct place at, size_t bytes, size_t room);

/* A string and its zero, at most limit bytes; its length with the zero, 0 if it can't be read. */
size_t walk_string(struct input_walk *w, struct place at, size_t limit);
/* NULL-terminated array of strings. */
void walk_strings(struct input_walk *w, struct place at);
/* struct iovec[count], of which total bytes were transferred. flags: INPUT_READS or INPUT_WRITES, and more. */
void walk_vector(struct input_walk *w, struct place at, uint64_t count, unsigned flags, size_t total);
/* Argument `address` and the length that argument `length` points to. */
void walk_sockaddr(struct input_walk *w, unsigned address, unsigned length);

/* A pointer to struct sock_fprog: a socket's or a process's filter. (sockopt.c) */
void walk_filter(struct input_walk *w, struct place at);

/* As the size of a command's argument: a string; with INPUT_POINTER: some of it is INPUT_COMPARED. Of a command without any: it is
 * refused outside of a recording, too. */
enum { STRING_SIZE = 0xffff, COMPARED_SIZE = 0xfffe, ALWAYS_REFUSED = 0xfffd };

/* A command of a multiplexed call, in its sub-table. */
struct input_command {
  uint32_t command;
  uint8_t replay; /* enum input_replay */
  uint8_t error;
  uint8_t kind; /* enum input_kind, of the argument that the command governs */
  uint16_t size;
  const char *name;
  void (*walk)(struct input_walk *, struct place); /* for INPUT_POINTER */
};
/* Reports the memory that the command's argument points to, as its kind and size say. command may be NULL. */
void walk_command(struct input_walk *w, const struct input_command *command, unsigned argument);

/* The walkers of the rows. (messages.c, sockopt.c, futex.c, structures.c, tree.c, ipc.c, prctl.c, …) */
void walk_sendmsg(struct input_walk *w);
void walk_recvmsg(struct input_walk *w);
void walk_sendmmsg(struct input_walk *w);
void walk_recvmmsg(struct input_walk *w);
void walk_getname(struct input_walk *w);
void walk_recvfrom(struct input_walk *w);
void walk_sendto(struct input_walk *w);
void walk_setsockopt(struct input_walk *w);
void walk_getsockopt(struct input_walk *w);
void walk_ioctl(struct input_walk *w);
void walk_fcntl(struct input_walk *w);
void walk_prctl(struct input_walk *w);
void walk_arch_prctl(struct input_walk *w);
void walk_futex(struct input_walk *w);
void walk_futex_waitv(struct input_walk *w);
void walk_futex_requeue(struct input_walk *w);
void walk_keyctl(struct input_walk *w);
void walk_seccomp(struct input_walk *w);
void walk_quotactl(struct input_walk *w);
void walk_quotactl_fd(struct input_walk *w);
void walk_poll(struct input_walk *w);
void walk_pselect6(struct input_walk *w);
void walk_epoll_ctl(struct input_walk *w);
void walk_waitid(struct input_walk *w);
void walk_execve(struct input_walk *w);
void walk_execveat(struct input_walk *w);
void walk_clone(struct input_walk *w);
void walk_clone3(struct input_walk *w);
void walk_vmsplice(struct input_walk *w);
void walk_process_vm(struct input_walk *w);
void walk_msgsnd(struct input_walk *w);
void walk_msgrcv(struct input_walk *w);
void walk_msgctl(struct input_walk *w);
void walk_shmctl(struct input_walk *w);
void walk_semctl(struct input_walk *w);
void walk_mq_notify(struct input_walk *w);
void walk_sched_setattr(struct input_walk *w);
void walk_capget(struct input_walk *w);
void walk_capset(struct input_walk *w);
void walk_name_to_handle(struct input_walk *w);
void walk_open_by_handle(struct input_walk *w);
void walk_fsconfig(struct input_walk *w);
void walk_syslog(struct input_walk *w);
void walk_sysfs(struct input_walk *w);
void walk_reboot(struct input_walk *w);
void walk_landlock_rule(struct input_walk *w);
void walk_kexec(struct input_walk *w);
void walk_lsm(struct input_walk *w);
void walk_xattrat(struct input_walk *w);
void walk_statmount(struct input_walk *w);
void walk_listmount(struct input_walk *w);
void walk_ptrace(struct input_walk *w);

/* The sub-tables, NULL for a command that is not in them. */
const struct input_command *ioctl_command(uint32_t command);
const struct input_command *fcntl_command(uint32_t command);
const struct input_command *prctl_command(uint32_t command);
const struct input_command *arch_prctl_command(uint32_t command);
const struct input_command *keyctl_command(uint32_t command);
const struct input_command *quota_command(uint32_t command);
const struct input_command *sockopt_command(int level, int option);
const struct input_command *ptrace_command(uint32_t command);
/* Fills in what the table knows of a call: its row and what follows from that. */
void input_classify(struct input_call *call);
const struct input_command *input_find_command(const struct input_command *table, size_t count,
                                               uint32_t command);

#endif
