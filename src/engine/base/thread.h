/* thread.h: an R-thread, and the content of its slot.
 *
 * Each thread has a slot of THREAD_AREA_STRIDE bytes in the engine's region:
 *
 *   +0         struct thread, its arch_context first: generated code addresses it from the slot's base
 *   +32 KiB    the architecture's notes on instructions that it has examined
 *   +64 KiB    indirect-branch tables, laid out by the architecture
 *   +4 MiB     engine stack (below its top), with an unmapped page under it
 *   +5 MiB     signal stack, likewise
 *   +6 MiB     mark of a recorded thread that waits (region/live.c), mapped when first needed
 *   +8 MiB     working memory of execve (exec.c), mapped while needed
 *   +24 MiB    copies of memory that the kernel uses for a recorded thread (waiting.c), mapped when first needed
 *   +64 MiB    permission map: one byte per 64-byte block of application memory, 2^26 of them
 *
 * Slots are reused after the kernel has ended the thread (it clears `kernel_tid`). */
#ifndef REPRISE_ENGINE_THREAD_H
#define REPRISE_ENGINE_THREAD_H

#include <stdatomic.h>

#include "engine/base/arch.h"
#include "engine/base/check_history.h"
#include "engine/base/config.h"
#include "engine/base/os.h"
#include "engine/base/path.h"

#define SLOT_RECENT 0x8000UL
#define SLOT_TABLES 0x10000UL
#define SLOT_ENGINE_STACK 0x400000UL /* lowest byte */
#define SLOT_ENGINE_STACK_SIZE 0x40000UL
#define SLOT_SIGNAL_STACK 0x500000UL
#define SLOT_SIGNAL_STACK_SIZE 0x20000UL
#define SLOT_MARK 0x600000UL
#define SLOT_MARK_SIZE 0x10000UL
#define SLOT_SCRATCH 0x800000UL
#define SLOT_SCRATCH_SIZE 0x1000000UL
#define SLOT_BOUNCE 0x1800000UL
#define SLOT_BOUNCE_SIZE 0x2000000UL
#define SLOT_PERMISSIONS 0x4000000UL
#define SLOT_PERMISSIONS_SIZE 0x4000000UL

/* Bits of the permission map: of the block alone, and of the block and its successor together. */
enum {
  PERMISSION_READ_PAIR = 1,
  PERMISSION_WRITE_PAIR = 2,
  PERMISSION_READ = 4,
  PERMISSION_WRITE = 8,
  PERMISSION_OPEN =
      64, /* the block is open for the thread (order/open_blocks.h); it has no other bit then that emitted code tests */
  PERMISSION_BLOCKS = 1 << 26, /* a block is known by address bits 6 to 31 */
};

/* A signal taken from the kernel and not yet given to the application. While it is queued every asynchronous signal is
 * blocked in the kernel, so there is at most one. */
struct queued_signal {
  int signo;          /* 0: none */
  bool synchronous;   /* a fault of the instruction at arch_pc */
  bool ended_wait;    /* it ended a wait that had a mask of its own (sigsuspend, ppoll, …) */
  uint64_t wait_mask; /* that mask: the handler starts from it, and returns to the thread's */
  siginfo_t info;
};

enum { HELD_SIGNALS = 6 };

struct thread;
/* Performs a call as without a sphere. */
typedef long perform_call(struct thread *thread, const struct call *);

/* The part that CLONE_SIGHAND shares. */
struct signal_actions;
/* The state of one process besides its memory (a vfork child shares the memory of its parent but not this). */
struct process {
  int pid;
  _Atomic uint32_t users; /* threads that point here */
  struct signal_actions *actions;
  _Atomic uint32_t output_roles[OUTPUT_ROLES]; /* see engine_config */
  bool untraced;          /* record: it has asked to be traced, and was refused (tracing.c) */
  _Atomic uint32_t epoch; /* recording in parallel: the last one at whose end its memory was looked at */
  _Atomic uint32_t ender; /* recording in parallel: slot + 1 of the thread that ends all others, 0: none */
};

/* The application's signals, and the one that it has not been given yet (signals/). */
struct thread_signals {
  struct queued_signal queued;
  struct queued_signal displaced; /* the queued signal before which a fault came */
  uint64_t mask;                  /* the application's signal mask */
  bool waiting;                   /* in a wait with a mask of its own: */
  bool disturbed;                 /* a signal came that the application must not notice */
  int sending;                    /* the signal that the thread is just sending, perhaps to itself */
  uint64_t wait_mask;             /* … which is this */
  uint64_t awaited;               /* the signals that rt_sigtimedwait is waiting for */
  uint64_t held; /* synchronous signals that were sent while the application blocks them … */
  siginfo_t held_info[HELD_SIGNALS]; /* … by their order among the six */
  stack_t altstack;                  /* the application's */
};

/* How it was born, and what becomes of its words in memory when it ends (threads/, border/thread_words.c). */
struct thread_life {
  uintptr_t clear_child_tid;     /* application address to clear and wake at exit, or 0 */
  uintptr_t set_child_tid;       /* application address to store the tid to at birth, or 0 */
  uintptr_t robust_list;         /* application's robust list head, or 0 */
  uintptr_t last_robust_list[3]; /* the kernel's at the very end (thread_exit.c) */
  bool separate;                 /* a process of its own in memory that is another's, too … */
  bool entrusted;                /* … whose word the kernel clears if it is killed (thread_exit.c) */
  bool borrows;        /* a child of vfork: the kernel holds its parent until it gives the memory back */
  bool clear_handlers; /* CLONE_CLEAR_SIGHAND: done by the child itself */
};

/* Its part in locks of the region (order/region_lock.c). */
struct thread_region_lock {
  uint32_t id; /* the kernel's id now, in replay too: it owns locks of the region by that; 0: to be asked */
  uint32_t tries; /* of recorders: for such a lock in vain, so far */
  bool inside;    /* has the region's lock, or is about to */
  bool yields;    /* … which others may take if the process stops now */
};

/* While its calls are recorded (border/). */
struct thread_record {
  int stop_signal;             /* stop as soon as no other waits for this thread (stops.c) */
  bool bounce_mapped;          /* SLOT_BOUNCE is there (waiting.c) */
  bool on_copies;              /* its call works on copies of memory (waiting.c) */
  bool keeps_shared;           /* shared memory stays the thread's until the whole call is over */
  bool overwritten;            /* the call has written more than its result tells */
  uintptr_t large_copies;      /* a larger place for copies, while there is one (waiting.c) */
  struct thread *killed_child; /* a child that was killed in this memory (killed_child.c) */
};

/* The dispatcher's (loop/). */
struct thread_loop {
  struct path path;             /* of a hot block, while it is being noted */
  struct block *last_blocks[8]; /* ring of blocks entered from the dispatcher, for crash reports */
  unsigned last_block;
  bool step_next; /* it must take the next instruction's memory, and step over it … */
  bool has_taken; /* … which it has done already: no safepoint before the step */
  uint64_t
      binds_at; /* replay: one more than the position at which the thread binds a call, as the log says; 0: none */
  bool took_value; /* replay: the last atomic has taken what it found from the log (order/sync.h) */
  struct upgrades upgrades;
};

struct thread {
  struct arch_context arch; /* must be first */
  int tid;                  /* the kernel's id; in replay that of the recording */
  uint32_t number;          /* as an R-thread */
  struct rthread *rthread;  /* its slot in the sphere's region, NULL when nothing is recorded or replayed */
  struct process *process;
  struct arch_mark *mark;    /* where it is at rest (region/rest.c, region/live.c) … */
  uint64_t rest_mask;        /* … and the kernel's signal mask there */
  struct thread *next;       /* list of live threads of this address space, under threads_lock */
  _Atomic int kernel_tid;    /* set while the kernel runs the thread; the kernel zeroes it at exit */
  _Atomic uint32_t in_cache; /* 1 while the thread may run in the code cache, 0 in the engine (dispatch.c) */
  _Atomic uint32_t cache_epoch; /* the last flush this thread has seen (cache.c) */
  bool in_kernel;               /* in a call of the application's, which may take long */
  bool in_call;                 /* in any call of the application's, which is not over for that */
  bool judged;                  /* filters of the program's may answer its calls (view/sandbox.c) */
  bool half_done;               /* replay: the first half of its call was made before the replay began */
  struct thread_signals signals;
  struct thread_life life;
  struct thread_region_lock region_lock;
  struct thread_record record;
  struct thread_loop loop;
  struct {
    uintptr_t low, high;
  } private_stack; /* order/private_stack.h */
};

_Static_assert(sizeof(struct thread) <= SLOT_RECENT, "a thread lies before what it remembers");

extern struct lock threads_lock;
extern struct thread *threads;       /* all live threads of this address space */
extern _Atomic bool threads_several; /* it has had more than one at a time */

/* Makes another thread of this process leave the cache at its next safepoint, by a signal: unlike arch_request it can't be
 * lost, but costs more, and a wait in the kernel may end early. */
void thread_kick(struct thread *thread);
void kick_thread(int pid, int tid); /* the same for a thread of any process of the sphere */
bool is_kick(const siginfo_t *info);

#endif
