/* region.h: the memory that a sphere's processes share with its manager.
 *
 * A memory file, mapped by the manager and, at REGION_BASE, by every engine of the sphere. It holds a slot for each living
 * R-thread, byte rings through which logs flow (to the manager in a recording, from it in a replay), the baton that
 * says which thread's turn it is, and the requests of engines to the manager. It outlives the processes: after
 * a SIGKILL the manager still finds all that was logged before.
 *
 * An R-thread's state lives in its slot so that it survives execve. */
#ifndef REPRISE_CONTRACT_REGION_H
#define REPRISE_CONTRACT_REGION_H

#include <stdatomic.h>
#include <stdint.h>

#include "contract/region_checkpoint.h"
#include "contract/region_debug.h"
#include "input/events.h"
#include "order/chunk.h"
#include "order/directory.h"
#include "order/exception.h"
#include "order/replay.h"

enum { REGION_EXCEPTIONS = 16 }; /* of an instruction, at most */
enum { REGION_MAGIC = 0x52505247, REGION_SLOTS = CHUNK_SLOTS };
_Static_assert(REGION_SLOTS == ORDER_SLOTS, "all order schemes have room for as many threads");

/* Single producer, single consumer. head and tail count bytes for ever; the byte at n lies at n % RING_BYTES. Engines map a ring twice
 * in a row, so that its content is contiguous for them. */
enum { RING_BYTES = 256 << 10, RING_MARK = 64 << 10 /* new bytes for which the doorbell is rung */ };
struct ring {
  _Atomic uint64_t head;     /* bytes produced */
  _Atomic uint64_t tail;     /* bytes consumed */
  _Atomic uint64_t position; /* of the R-thread when it last produced or came by a safepoint */
  _Atomic uint32_t moved;    /* futex: changes whenever the manager has moved its end */
  _Atomic uint32_t waiting;  /* the engine's side sleeps on it */
  _Atomic uint32_t ended;    /* replay: nothing comes after head … */
  _Atomic uint32_t broken;   /* … because the stream breaks off there */
};

/* In region.status. */
#define REGION_STATUS_KNOWN 0x10000u

enum slot_state {
  SLOT_FREE,
  SLOT_LIVE,
  SLOT_ENDED, /* by the engine; the manager frees it when it has closed the stream */
};

enum stop_state {
  STOP_NONE,
  STOP_BEGINS, /* one of its process's threads is just stopping it */
  STOP_LIKELY, /* its process was stopped when a thread last checked */
  STOP_ASKED,  /* in parallel: its process must send itself SIGSTOP */
};

/* For the manager's watchdog (sphere/watchdog.h): a thread that sleeps until another thread acts writes this after each such sleep. A thread
 * that runs, is in a call of the program or waits for the manager does not change it. */
struct region_watch {
  _Atomic uint64_t word;     /* address of the word that it slept at, in its own process */
  _Atomic uint64_t pc;       /* of the program … */
  _Atomic uint64_t position; /* … and the thread's position there */
  _Atomic uint32_t looks;    /* sleeps after which the word was as before */
  _Atomic uint32_t moves;    /* … and those after which it was not */
};

/* Stops of its process by job control or a tracer (engine/order/stops.c). */
struct rthread_stops {
  _Atomic uint32_t state; /* record: enum stop_state */
  /* Record: how often others have continued its process, and how often when it was last sent a stop of the terminal's kind. */
  _Atomic uint32_t continues, stopped_at;
  _Atomic uint32_t
      tracer; /* record in parallel; futex: slot + 1 of its tracer, for as long as it must stay parked */
};

/* Its chunk, while it has the baton (engine/order/baton.c). */
struct rthread_chunk {
  uint64_t start;       /* position where it began */
  uint64_t size;        /* record: how long it may get */
  uint32_t spent;       /* record: calls of it, or work that takes as long */
  uint32_t alone;       /* record: how often it might have ended, and no thread waited */
  uint32_t offered;     /* record: another thread should have the baton before it is full */
  uintptr_t woken_at;   /* record: the futex that the thread was woken at last … */
  uint64_t woken_since; /* … and its position then */
  uint64_t quiet_since; /* position at which a signal was delivered last: no chunk ends there */
  struct chunk_end end; /* replay: where it ends */
};

/* Its input log (engine/region/journal.c, reader.c). */
struct rthread_input {
  struct input_codec codec;
  struct input_event next;   /* replay: decoded, not consumed yet */
  uint32_t next_bytes;       /* its length in the ring, 0: none decoded */
  uint32_t lost;             /* replay: the next event is missing, because the log was cut off */
  uint64_t output_digest;    /* of all events of output in it */
  _Atomic uint32_t exited;   /* it ends with an exit, logged or read */
  _Atomic uint32_t unlogged; /* record: it writes to standard output or error, and has not logged it yet */
};

/* Among threads that run at once. Those of `borrows` also in any replay. */
struct rthread_parallel {
  uint32_t is_known_elsewhere; /* record: directories of other address spaces may name its slot */
  uint32_t parent;             /* record: slot of its parent … */
  struct order_note spawned;   /* … and the order scheme's note for it */
  _Atomic uint32_t borrows;    /* slot + 1 of the parent held until it is gone; 0: none */
  uint32_t released;           /* record: slot + 1 of the child it was held for … */
  struct order_note release;   /* … and the order scheme's note on its release */
  int32_t
      writes_to; /* record: the process whose memory it writes when it is the memory_writer, and which stays parked */
};

/* In a replay one thread at a time of an order that was recorded in parallel (engine/order/serial.h). */
struct rthread_serial {
  _Atomic uint32_t state; /* enum serial_state */
  uint32_t child;         /* the slot of the child it makes */
};

/* In a replay with checkpoints. */
struct rthread_checkpoint {
  _Atomic uint32_t at_rest; /* it waits for its turn, or for nothing any more … */
  _Atomic uint32_t forks;   /* … and is to make the vessel of its process … */
  uint32_t shares_memory;   /* … which others have in their memory */
  int32_t vessel;           /* the id of the last vessel that it has made */
};

/* What a replay must know of the recording; most of it in parallel (engine/order/thread_order.c). */
struct rthread_replay {
  int32_t seen_id;          /* the kernel's id then */
  int32_t child_id;         /* the id that its next child had … */
  uint32_t child_number;    /* … and the R-thread that the child is */
  uint32_t slot;            /* where it lived */
  uint32_t step_known;      /* there is a step that it is at … */
  uint32_t step_passed;     /* … whose waits are over */
  uint32_t exception_count; /* solved: of the instruction at this position of the order log … */
  uint64_t excepted_at;
  struct {
    struct order_exception what;
    uint8_t old[8]; /* … and what was in memory there */
  } exceptions[REGION_EXCEPTIONS];
  uint64_t last_clock;    /* arcs: its clock at the last step passed … */
  uint64_t last_position; /* … and its position there */
  _Atomic uint32_t
      waits_for; /* slot + 1 of the thread that it waits for, 0: it does not wait; or one of replay_waits.h */
  _Atomic uint32_t summoned; /* the manager must bring it to a safepoint */
};

/* A child of vfork logs its own birth, in its parent's input log: the parent may be killed while the kernel holds it. */
enum birth_state {
  BIRTH_BY_PARENT, /* the parent logs it */
  BIRTH_BY_CHILD,  /* the child is going to log it */
  BIRTH_LAST,      /* … and the parent has ended: this is the last event of its log */
  BIRTH_LOGGED,
};

struct rthread {
  _Atomic uint32_t state; /* enum slot_state */
  uint32_t number;        /* of the R-thread */
  uint32_t process;       /* its process's number in the sphere */
  int32_t pid, tid;       /* the kernel's, now; 0 until its thread is there */
  uintptr_t context;      /* record: its struct thread, in its own process */
  int32_t former; /* while it executes a program, and was not its process's first thread: its own id */
  struct {
    uint32_t number, process;
    _Atomic uint32_t state; /* enum birth_state */
  } born;                   /* record: its last child, whose slot may be another's by now */
  uint32_t vforks;          /* record: the kernel holds it until a child is gone to another program */
  uint32_t holds;        /* record: slot + 1 of its parent, which waits for it, until its birth is logged */
  _Atomic uint32_t turn; /* futex: 1 when the baton was handed to it */
  _Atomic uint32_t dismissed; /* its process ends, or has gone to another program, without it */
  uint32_t programs;          /* record: that it has gone to since it was born */
  uint64_t memory_checked;    /* record: position of the last digest of memory */
  _Atomic uint32_t epoch;     /* in parallel: the last one to whose end it has come */
  uint64_t ticks;             /* order log positions that the engine's own work for it has taken */
  struct rthread_stops stops;
  struct region_watch watch;
  struct ring ring;
  struct rthread_input input;
  struct rthread_chunk chunk;
  struct rthread_parallel parallel;
  struct rthread_serial serial;
  struct rthread_checkpoint checkpoint;
  struct rthread_replay replay;
  struct { /* its own order log, unless threads run one at a time */
    struct ring ring;
    uint32_t ended; /* it has nothing more … */
    uint64_t end;   /* … from this position of it on */
  } order_log;
  /* Replay in parallel. Large, and most of it is never touched: rthread_make() clears only the parts that must be zero. */
  struct order_step step;     /* that it is at, and … */
  struct order_reader reader; /* … of its order log */
};

/* A lock is the id of the thread that has it, or 0; with this bit when a thread sleeps until it is free. */
#define LOCK_SLEEPERS 0x80000000u
/* … and with this one when the holder's process is going to stop: any thread may take it then. */
#define LOCK_YIELDS 0x40000000u

enum request_kind {
  REQUEST_KEEP_FILE =
      1, /* record: keep the file on descriptor `value` of process `pid`; answer: its number, perhaps with … */
  REQUEST_FILE_CHANGES, /* record: file number `value` is going to be changed */
  REQUEST_OPEN_FILE,    /* replay: open file number `value`; answer: 0, and the file comes over the socket */
  REQUEST_NEW_FILE,     /* replay: make one without a name; the same */
  REQUEST_CODE,         /* replay: open the stored code of that name; the same */
  REQUEST_MEMORY,       /* replay with checkpoints: the same, of `value` bytes, for processes to share */
  REQUEST_CHANNEL,      /* … the end of a channel to a vessel; the same */
  REQUEST_CHECKPOINT,   /* … all vessels are made, and no thread runs */
  REQUEST_HALT,         /* … the replay is where it has to halt; no answer */
};
#define REQUEST_CHANGES (1L << 32) /* in a value: the file is open for writing */
#define REQUEST_EXPOSED (1L << 32) /* … in an answer: a process may have it open for writing */
#define REQUEST_SETTLED (1L << 33) /* … it was last modified a while ago: its time will tell of any change */
enum request_state { REQUEST_NONE, REQUEST_ASKED, REQUEST_ANSWERED };

/* A file that the sphere has mapped (engine/border/objects.h). */
enum { REGION_OBJECTS = 1 << 14, REGION_WRITTEN = 256 };
struct region_object {
  uint64_t device, inode;
  /* Record in parallel: id of the process that has it mapped and takes it for one that does not change, and of the one that has it
   * mapped shared and can write it; -1: several. */
  _Atomic int32_t unordered, stored;
  /* … and of the one that takes only what lies below `reach` for such memory (engine/order/shared.c). */
  _Atomic int32_t partly;
  uint64_t reach;
  uint32_t file; /* its number in the recording */
  bool known;    /* the entry is in use */
  bool copied;   /* record in parallel: children of the writer have it, too (engine/order/own_code.h) */
  bool changes;  /* the manager knows that it changes */
  bool settled;  /* it equals the kept copy as long as it has this size and time of modification: */
  uint64_t size;
  int64_t modified;
  uint32_t modified_fraction;
};

enum outcome {
  OUTCOME_NONE,
  OUTCOME_UNSUPPORTED, /* the recording met something that can't be recorded */
  OUTCOME_DIVERGED,    /* the replay did not do what the recording did */
  OUTCOME_DAMAGED,     /* the logs can't be read */
  OUTCOME_FAILED,      /* Reprise's own failure */
  OUTCOME_LOG_ENDS,    /* the replay has come to where the recorded sphere was killed */
  OUTCOME_UNWRITABLE,  /* the replay can't show the program's output */
};

/* Why the sphere ended early. The manager prints it, because it still has a standard error when the program has closed its own. It kills
 * all processes as soon as there is an outcome. */
struct early_end {
  _Atomic uint32_t claimed; /* id of the thread that writes the reason */
  uint32_t thread;          /* of OUTCOME_DIVERGED: where it was … */
  uint64_t position, pc;
  char text[1024]; /* … and what it should have done; of others one line, or nothing */
  struct {
    int32_t descriptor, error;
  } unwritable; /* of OUTCOME_UNWRITABLE */
};

/* Of a slot of the recording, for threads that wait in a replay in parallel. A cache line each. */
struct region_news {
  _Alignas(64) _Atomic uint32_t changes; /* futex: it has sent or received what a thread waits for */
  _Atomic uint32_t waiters;              /* on changes, for a beginning or an end */
  _Atomic uint32_t sender;   /* slot + 1 of the sender whose token its thread sleeps for, 0: none */
  _Atomic uint32_t resident; /* one more than the region's slot of its thread, 0: none */
  _Atomic uint64_t wanted;   /* the least clock of the slot that a thread waits for, 0: none */
};

/* Recording in parallel: memory that processes share (engine/order/shared.c). */
enum { SHARED_BLOCKS = 1 << 16 };
struct region_block {
  uint16_t writer, readers[3]; /* slots + 1: the last writer, and the readers since */
};
/* The bytes that stores there have overwritten, as long as the stores do not count yet (engine/order/shared_undo.c). */
enum { UNDO_PIECES = 1024, UNDO_BYTES = 1 << 20 };
struct undo_piece {
  uint32_t object; /* 0: it was taken back */
  uint32_t bytes, at;
  uint64_t offset;
};
struct region_undo {
  _Atomic uint32_t count; /* of pieces … */
  uint32_t abandoned;     /* … the first of which were left by killed threads */
  uint32_t slot;          /* of the thread that has kept the rest … */
  bool hopeless;          /* … and changes more than was kept … */
  uint64_t position;      /* … none of which counts until it is known to have come further */
  struct undo_piece pieces[UNDO_PIECES];
  uint8_t bytes[UNDO_BYTES];
};
struct region_shared {
  _Alignas(
      64) _Atomic uint32_t holder; /* futex: slot + 1 of the thread at such memory now; it guards the rest */
  _Atomic uint32_t waiters;
  _Atomic uint32_t anonymous;   /* objects without a file so far */
  uint16_t changer;             /* slot + 1 of the last thread that changed a file by a call … */
  uint32_t changes;             /* … so often … */
  uint32_t seen[REGION_SLOTS];  /* … of which each slot knows these */
  bool touched[REGION_SLOTS];   /* the slot's threads have touched any of it */
  bool doomed[REGION_SLOTS];    /* its thread is being killed, and touches it no more */
  uint64_t clock[REGION_SLOTS]; /* of each slot when it last did */
  struct region_block blocks[SHARED_BLOCKS];
  struct region_undo undo;
};

/* How an audit (engine/order/audit.h) has checked a call, or why it has not. Counted per call. */
enum region_audit_kind {
  AUDIT_LOOKED,      /* at all memory */
  AUDIT_COPIES,      /* at the copies that the call has worked on, whether or not at memory, too */
  AUDIT_EXECUTED,    /* not: it changes mappings, or makes a thread, in replay as well */
  AUDIT_INHERITING,  /* … it is about a mutex that inherits priority */
  AUDIT_FILTERS,     /* not at memory: the program has filters that would judge the calls of the audit */
  AUDIT_LENT,        /* … another process has it, too */
  AUDIT_PARALLEL,    /* … other threads run */
  AUDIT_TURNS,       /* … other threads have run meanwhile */
  AUDIT_INTERRUPTED, /* … the last time a signal came before the call was made */
  AUDIT_REPEATED,    /* … the same call was looked at very often, or at much memory for it */
  AUDIT_UNREADABLE,  /* … the process may not look at itself, or has too much */
  AUDIT_MEMORY_FILE, /* … it was written through a file that is memory */
  AUDIT_LARGE,       /* of copies: not at one that is larger than what is kept twice */
  AUDIT_KINDS
};

struct region {
  uint32_t magic;
  int32_t manager;           /* its process id */
  int32_t descriptor;        /* of this file, in all of the sphere's processes */
  _Atomic uint32_t doorbell; /* futex: the manager sleeps on it */
  _Atomic uint32_t manager_sleeps;
  _Atomic uint32_t outcome;  /* enum outcome: why the sphere ended early */
  _Atomic uint32_t finished; /* replay: the first process ends with the last chunk of all */
  _Atomic uint32_t signo;    /* replay: the first process ends by this signal, 0: by itself */
  _Atomic uint32_t status;   /* replay: it ends by itself, with this status, and REGION_STATUS_KNOWN */

  struct early_end ending; /* left before the outcome is set */

  _Atomic uint32_t lock;     /* futex lock of all below up to the requests */
  _Atomic uint32_t holder;   /* slot + 1 of the thread that has the baton, 0: none */
  uint32_t open_chunk;       /* slot + 1 of the thread whose chunk is not closed in the order log yet */
  struct chunk_end open_end; /* record: where and how it ended, if it is not the holder's */
  uint32_t open_number;      /* the R-thread of open_chunk, whose slot may be another's by now */
  uint32_t threads;          /* created so far */
  _Atomic uint32_t processes;
  _Atomic uint32_t live;       /* slots in use */
  _Atomic uint32_t slots_used; /* one more than the highest that was ever in use */
  uint32_t slots_most;         /* slots for which the file has room */
  bool in_file_system; /* the file is in a file system that others may fill: there is no memfd_create */
  uint32_t slots_open; /* slots that new threads are put into: more only when so many live at a time */
  _Atomic uint32_t births_held; /* record: the manager is behind with the logs of those that have ended */
  _Atomic bool full;            /* record: a thread was refused, and the user knows */
  _Atomic int64_t check_budget; /* record: nanoseconds that the ends of processes may still be looked at */
  struct {
    _Atomic uint32_t last;     /* in parallel: the last that has ended, or is to end now */
    _Atomic uint32_t compared; /* replay: how often memory was compared at an end … */
    _Atomic uint32_t unlike;   /* … and was not the same, without being a divergence */
  } epochs;
  struct chunk_scheduler scheduler;
  _Atomic bool found_dead; /* replay: a thread had the baton when it was killed */
  uint32_t killed;   /* replay: one more than the R-thread that was killed last without a word, 0: none */
  uint32_t starving; /* record: slot + 1 of the thread that was woken and found nothing, 0: none */
  int32_t leaving_process; /* record: a thread of it is at its end … */
  uintptr_t leaving_word;  /* … and gone when this word of its memory is zero */

  /* Record: memory of processes that others have written, which no thread of them has logged yet (engine/border/memory_files.c). */
  _Atomic uint32_t memory_writer; /* in parallel; futex: slot + 1 of the writing thread, 0: none */
  _Atomic uint32_t written_count;
  struct region_written {
    _Atomic int32_t pid; /* -pid: a thread of it is just logging that; 0: it has */
    uint64_t address, bytes;
  } written[REGION_WRITTEN];

  bool exposed;      /* record: an object may be open for writing */
  bool memory_files; /* record: a process's memory may be open for writing */
  bool shares;       /* record: a process can write memory that another process may have, too */
  uint32_t object_count;
  struct region_object objects[REGION_OBJECTS]; /* record: a hash table */

  _Atomic uint32_t request_lock;  /* of the requester */
  _Atomic uint32_t request_state; /* futex */
  uint32_t request_kind;
  int32_t request_pid;
  int64_t request_value;
  int64_t request_answer; /* or -errno */
  uint32_t
      request_serial; /* replay: comes with the file, so that a killed requester's is not taken for another */

  _Atomic uint32_t telling; /* a replay that tells: lock of the ring of `order`, which has what is told … */
  uint32_t told_programs;   /* … by so many programs */
  struct ring order;
  struct rthread slots[REGION_SLOTS];
  /* Recording in parallel: the state of the hand-over of memory, and the order scheme's recorder of the threads that have
   * lived in each slot. */
  _Atomic uint32_t directory_slots; /* one more than the highest slot ever used */
  struct directory_slot directory[REGION_SLOTS];
  struct {
    _Atomic uint32_t holder; /* futex: slot + 1 of the thread that writes to standard output or error */
    uint32_t writer;         /* slot + 1 of the last that did … */
    uint64_t clock;          /* … and its clock then */
    struct region_output_file {
      uint64_t device, inode;
      bool known;
    } files[2]; /* record: what they are (output_names.c) */
  } output;
  struct region_shared shared;
  /* Replay in parallel: how far the threads of each slot of the recording have come. */
  struct order_board board;
  struct region_news news[REGION_SLOTS];
  _Atomic uint32_t sleepers;    /* threads that wait for others and let them have the processor */
  _Atomic uint32_t retirements; /* futex: threads that have come to the ends of their logs */
  /* Replay of one thread at a time: how often the turn has changed, and a digest of its threads and their positions. */
  _Atomic uint64_t turns;
  uint64_t turns_digest;
  _Atomic uint32_t turns_over; /* serial: no thread can have the next one */
  _Atomic uint32_t came_back;  /* serial: threads that have come back from a checkpoint of the recording */
  struct region_checkpoint checkpoint;
  _Atomic uint64_t looked; /* when a waiting thread last checked the others, in milliseconds */
  _Atomic uint64_t audit
      [AUDIT_KINDS]; /* of the engine that looks for kernel output without a row (engine/order/audit.h), otherwise 0 */
  struct region_debug debug; /* replay: of a debugger */
};

/* The turn goes to a thread that is at this position of its log. */
static inline void region_count_turn(struct region *region, uint32_t number, uint64_t position) {
  region->turns_digest = (region->turns_digest ^ number) * 0x9e3779b97f4a7c15;
  region->turns_digest = (region->turns_digest ^ position ^ region->turns_digest >> 29) * 0x9e3779b97f4a7c15;
  atomic_store_explicit(&region->turns, atomic_load_explicit(&region->turns, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

/* The message when the region's file system has no more room for it. */
#define REGION_IS_FULL "the file system that holds the logs on their way is full (memfd_create is denied)"

/* Slots from this one on have never been used. Loops over all slots must stop before them, or the kernel would have to
 * make memory for them. */
static inline uint32_t region_slots(const struct region *region) {
  uint32_t used = atomic_load_explicit(&region->slots_used, memory_order_acquire);
  return used < REGION_SLOTS ? used
                             : REGION_SLOTS; /* a process which shares it may have put anything there */
}

/* Where things lie in the file; ring 0 is the order log's, then come two per slot: its input log's and its order log's. A file that may not be as large as it
 * should has room for fewer slots. */
#define REGION_HEADER ((sizeof(struct region) + 0xffffUL) & ~0xffffUL)
#define REGION_RING(i) (REGION_HEADER + (uint64_t)(i)*RING_BYTES)
enum { REGION_RINGS = 2 * REGION_SLOTS + 1 };
#define REGION_BYTES(slots) REGION_RING(2 * (uint64_t)(slots) + 1)
/* The index of the structure's ring. */
static inline uint32_t region_ring_index(const struct region *region, const struct ring *ring) {
  if (ring == &region->order) return 0;
  uint32_t slot = (uint32_t)(((uintptr_t)ring - (uintptr_t)region->slots) / sizeof(struct rthread));
  return ring == &region->slots[slot].ring ? 1 + 2 * slot : 2 + 2 * slot;
}

#endif
