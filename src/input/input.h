/* input.h: the border of a sphere: the memory that each system call reads from the application and writes into it.
 *
 * One row per system call (rows_*.c) drives recording, replay, checking and dump. A row gives the kind of each
 * argument and, for pointers, how many bytes the kernel reads or writes there. The walkers turn a row and a call
 * into pieces: (address, bytes) that the kernel reads or writes.
 *
 *   record                                      replay
 *   input_begin(&c, nr, args, read, context)    the same
 *   input_outgoing: log a digest of the bytes   input_outgoing: compare the digest
 *   perform the call                            take the result from the log
 *   input_incoming: log the bytes as copy-ins   apply the copy-ins
 *
 * Application memory is read only through the caller's callback, so a bad pointer does no harm: unreadable memory is
 * left out, and the kernel returns the error. Nothing here needs a libc or allocates. */
#ifndef REPRISE_INPUT_INPUT_H
#define REPRISE_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_kind {
  INPUT_NONE,    /* the call has no such argument */
  INPUT_VALUE,   /* a number: compared as it is */
  INPUT_FD,      /* a descriptor */
  INPUT_ADDRESS, /* an address that is not looked through (mmap, brk, a futex word's key) */
  INPUT_IN,      /* pointer to memory that the kernel reads */
  INPUT_OUT,     /* … writes */
  INPUT_INOUT,   /* … reads and writes */
  INPUT_POINTER, /* pointer whose meaning the row's own walker knows (sub-tables, structures with pointers) */
};

/* How replay treats a call. */
enum input_replay {
  INPUT_EMULATE,     /* result and written bytes come from the log; the kernel is not entered */
  INPUT_EXECUTE,     /* must really happen (memory, threads); the result of the recording is imposed */
  INPUT_VIRTUAL,     /* the engine answers from its own state, the same each time; nothing to log */
  INPUT_REFUSE,      /* answered with the row's error, in the recording too, as an old kernel would */
  INPUT_UNSUPPORTED, /* ends the recording with a clear line */
};

/* Facts about a call that hold whatever its arguments: bits of struct input_row.facts. */
enum input_fact {
  REPLAY_BITS = 7,       /* in a row's source the bits of enum input_replay come with the facts */
  INPUT_AT_ONCE = 8,     /* it never waits for another thread */
  INPUT_PLAIN = 16,      /* the engine only keeps its own descriptors from it … */
  INPUT_FILES = 32,      /* … and what /proc and listings tell of the engine */
  INPUT_QUICK = 64,      /* the recorder only logs it: it may go the short way (engine/border/quick.c) … */
  INPUT_FOLLOWED = 128,  /* … and keeps account of which descriptors are standard output and error */
  INPUT_AT_OFFSET = 256, /* it writes to a file at the offset in argument 3 */
  INPUT_ALWAYS = 512,    /* INPUT_REFUSE without a recording, too: the engine itself can't live with it */
  INPUT_LOOKS =
      1024, /* it looks at the file of a path, or opens it, which may be one that shows the engine */
  INPUT_STORES = 2048, /* it writes memory to the file of its first descriptor: derived, in no row's source */
};

/* What some arguments mean, beyond their kind. */
enum input_meaning {
  INPUT_OPEN_FLAGS = 1, /* the flags with which a file is opened */
  INPUT_OPEN_HOW,       /* a structure that begins with them, in 64 bits */
  INPUT_CREATED,        /* the path of a file that is opened to be written from its beginning */
  INPUT_EMPTIED,        /* the path of a file that is cut, and not left open */
  INPUT_STATE,          /* where the state of a file goes */
  INPUT_SIGNAL,         /* a signal that is sent: */
  INPUT_TARGET,         /* … to these processes, as kill(2) names them */
  INPUT_PIDFD,          /* … to the process of this descriptor */
  INPUT_THREAD,         /* … to this thread */
  INPUT_MEANINGS
};

struct input_arg {
  uint8_t kind;  /* enum input_kind */
  uint8_t rule;  /* how many bytes: enum rule of row.h */
  uint8_t with;  /* the argument that the rule refers to */
  uint8_t flags; /* of row.h */
  uint16_t size; /* constant, element size or limit */
  uint8_t means; /* enum input_meaning, or 0 */
};

struct input_walk;

struct input_row {
  const char *name;
  uint16_t nr;
  uint8_t replay;                    /* enum input_replay, unless the command decides: input_replay() */
  uint8_t error;                     /* of INPUT_REFUSE */
  uint16_t facts;                    /* bits of enum input_fact */
  struct input_arg args[6];          /* as many as the call has, then INPUT_NONE */
  void (*walk)(struct input_walk *); /* for the INPUT_POINTER arguments, or NULL */
};

/* Bits of struct input_piece.flags. */
enum {
  INPUT_READS = 1,  /* the kernel reads these bytes */
  INPUT_WRITES = 2, /* the kernel writes them */
  INPUT_PARTIAL =
      4, /* it may leave some of them as they are: a bounce buffer must start as a copy of the application's */
  INPUT_IN_PLACE =
      8, /* the address itself matters to the kernel (futex words, spliced pages): don't bounce */
  INPUT_COMPARED =
      16, /* how much it writes is not known: what differs afterwards. With all three of the first */
};

/* A run of application bytes that the kernel reads or writes. The pointer that leads to it is an argument of the call,
 * or a word in memory that an earlier piece of the same walk contains: so a call is bounced by copying piece after
 * piece and storing each copy's address where the pointer was. */
struct input_piece {
  uintptr_t address;
  size_t bytes;
  uintptr_t slot;   /* application address of the pointer, 0 if it is the argument */
  uint8_t argument; /* the argument it hangs on */
  uint8_t flags;
};

/* Returns 0 to go on, anything else to end the walk with that value. */
typedef long input_visit(void *visitor, const struct input_piece *piece);
/* Copies from the application: 0 or -EFAULT. */
typedef long input_read(void *context, void *to, uintptr_t from, size_t bytes);

enum { INPUT_NOTES = 1024 };

/* A call between its entry and its exit. The notes hold lengths that the kernel overwrites (socket address lengths):
 * input_outgoing and input_reach take them, input_incoming needs them. */
struct input_call {
  long nr;
  long args[6];
  const struct input_row *row; /* its row, or NULL … */
  uint8_t replay;              /* … how replay treats it, enum input_replay … */
  uint8_t error;               /* … the error of INPUT_REFUSE … */
  uint8_t moves;               /* … which ways memory may be moved at all: INPUT_READS, INPUT_WRITES … */
  bool compares; /* … and whether any of it is INPUT_COMPARED, which is exact on copies only */
  int pid;       /* of the calling process: process_vm_writev into oneself; 0 if that is not of interest */
  uint32_t
      semaphores; /* semctl(GETALL, SETALL) only: how many the set has, which IPC_STAT tells while recording */
  bool addressed; /* input_outgoing has found an address in the argument of an ioctl that is in no table */
  input_read *read;
  void *context;
  uint32_t note_count;
  uint32_t notes[INPUT_NOTES];
};

void input_begin(struct input_call *call, long nr, const long args[6], input_read *read, void *context);

/* The row of a system call, or NULL for a number that no kernel known here has. */
const struct input_row *input_row(long nr);
/* One more than the highest number that has a row. */
long input_limit(void);
/* The facts of a call; 0 for a number that has no row. */
unsigned input_facts(long nr);
/* The error with which this call is answered outside of a recording, too; 0: it is not. */
int input_never(long nr, const long args[6]);
/* Which arguments are descriptors. Bit n: argument n is one, at least for some commands. Bit n + INPUT_FOLDERS: it is the folder of the
 * path in argument n + 1, and does not matter if that is absolute. */
enum { INPUT_DESCRIPTORS = 0x3f, INPUT_FOLDERS = 8 };
unsigned input_descriptors(long nr);
/* The descriptor whose file the call changes, as the number of its argument; -1: none (but some commands of ioctl do). */
int input_changed(long nr);
/* The argument of the call that means this; -1: none does. */
int input_argument(long nr, enum input_meaning meaning);
/* The first path among the arguments, -1: there is none. */
int input_path(long nr);
/* True if such an argument is a descriptor in this very call. */
bool input_is_descriptor(long nr, const long args[6], unsigned argument);
/* How a call opens a file. */
struct input_opening {
  int folder;      /* where the path begins: a descriptor, or AT_FDCWD */
  uintptr_t path;  /* 0: the file is not named by one */
  uint64_t flags;  /* of open(2) */
  bool certain;    /* … are an argument: those in memory may be changed by other threads */
  bool descriptor; /* the call results in one */
};
/* False for a call that opens none, or whose flags can't be read. */
bool input_opens(long nr, const long args[6], input_read *read, void *context, struct input_opening *how);
/* How replay treats this very call: as the row says, or its command (prctl, fcntl, ioctl, …).
 * *error is set for INPUT_REFUSE. A number without a row is refused with ENOSYS. */
enum input_replay input_replay(const struct input_call *call, int *error);
/* The name of the command of a multiplexed call ("F_GETLK", "TCGETS", …), or NULL. For dump. */
const char *input_command(const struct input_call *call);

/* Each walk returns 0, or the value that ended it. Pieces come parents first. */

/* Before the call: all memory that it may read, with all data that it would send. Futex words are not reported: they race. */
long input_outgoing(struct input_call *call, input_visit *visit, void *visitor);
/* The same, with bulk data cut to the number of bytes that the result says: a short write sends no more. */
long input_sent(struct input_call *call, long result, input_visit *visit, void *visitor);
/* Before the call: all memory that it may read or write, at its largest. For bouncing. */
long input_reach(struct input_call *call, input_visit *visit, void *visitor);
/* True if the call, with that result, has moved no more bytes than there was room for. */
bool input_result_fits(const struct input_call *call, long result);
/* For a call that is `addressed`: true if the result says that the kernel did not look at its argument. Otherwise the bytes it has written are not known. */
bool input_ioctl_failed(long result);
/* After the call: the memory that it has written. With -EINTR and other errors too: some calls write then. The callback must see
 * the memory that the kernel wrote to (the bounce buffers, if there are any). */
long input_incoming(struct input_call *call, long result, input_visit *visit, void *visitor);

#endif
