/* turns.h: how the threads of a sphere take turns, as recorder and replayer see it.
 *
 * There are two ways: one thread runs at a time and hands on the baton (turns/turns_baton.c, order `chunk`), or all run at once, and the order of their
 * accesses to memory is recorded (turns/turns_parallel.c, all other orders). Each has a table of operations at the border of the sphere, one for a
 * recording and one for a replay. */
#ifndef REPRISE_ENGINE_TURNS_H
#define REPRISE_ENGINE_TURNS_H

#include "engine/region/rings.h"
#include "input/input.h"

struct verify_memory;

struct turns {
  bool
      alone; /* one thread of the sphere runs at a time, in the order in which they were born and have taken turns */
  bool
      locks_output; /* recording: a thread that writes to standard output or error locks it and keeps its turn */
  bool takes_memory; /* recording: memory is taken before it is touched */

  /* -- Programs, threads and processes -- */
  void (*found)(struct thread *thread);         /* the first turn of all */
  void (*restored)(struct thread *thread);      /* replay: the same, where it begins at a checkpoint */
  void (*rejoin)(struct thread *thread);        /* the turn of a program that execve has started */
  void (*begin_program)(struct thread *thread); /* … which is about to run */
  void (*spawn)(struct thread *thread, struct rthread *child); /* a child is about to be made */
  /* The kernel will hold the thread until its child is gone to another program, or dead; and has done so, or no child came. */
  void (*hold)(struct thread *thread, struct rthread *child);
  void (*resume)(struct thread *thread, struct rthread *child, bool failed);
  /* A new thread waits for its first turn. copied: it is a process with memory of its own. */
  void (*begin)(struct thread *thread, bool copied);
  /* The kernel is going to end the other threads of the process, at its end or for an execve. */
  void (*end_others)(struct thread *thread);
  /* The thread gives up its last turn, in a replay after its memory was compared. group: with its process. */
  void (*end)(struct thread *thread, bool group, const struct verify_memory *memory);
  /* An execve is about to succeed; it has failed after all. */
  void (*leave_program)(struct thread *thread);
  void (*come_back)(struct thread *thread);

  /* -- Recording -- */
  void (*leave)(struct thread *thread); /* before a wait in the kernel, others go on; and after it */
  void (*take)(struct thread *thread);
  void (*stop_others)(struct thread *thread); /* none of the address space runs until let_others_go */
  void (*let_others_go)(struct thread *thread);
  void (*safepoint)(struct thread *thread);
  /* The thread's call is about to read (and write) its memory; or the engine to do so for the thread. */
  void (*hold_memory)(struct thread *thread, struct input_call *in, bool writes);
  void (*take_memory)(struct thread *thread, uintptr_t address, size_t bytes, bool write);
  /* With the others stopped: takes all memory shared with other processes, too, for the rest of the call. target: the object that
   * the call changes, or NULL. */
  void (*take_all)(struct thread *thread, struct region_object *target);
  void (*meet_changes)(struct thread *thread); /* … only for a moment, to be ordered after all its changes */
  void (*take_output)(struct thread *thread);
  void (*leave_output)(struct thread *thread);
  /* True if a signal to itself may stop the thread where it must not stop. */
  bool (*signal_may_stop)(const struct thread *thread, int signo);
  /* True if the thread keeps its turn in the call; true if the call should work on copies of its memory all the same. */
  bool (*stays)(const struct thread *thread, const struct call *call, struct input_call *in);
  bool (*wants_copies)(struct input_call *in);
  void (*woke)(struct thread *thread); /* it has woken others at a futex */
  void (*waits_at)(struct thread *thread, uintptr_t futex);
  void (*waited_at)(struct thread *thread, uintptr_t futex, bool woken);
  void (*before_fork)(void);
  void (*forked)(uint32_t process);
  uintptr_t (*place)(const struct call *call); /* where an mmap should go, 0: anywhere */
  /* A call has changed mappings; object: the mapped object, or NULL. */
  void (*mapped)(const struct call *call, long at, struct region_object *object);
  void (*call_over)(struct thread *thread);

  /* -- Recording: stops by job control and by tracers (order/stops.c) -- */
  void (*stop_came)(
      struct thread *thread); /* in the kernel's handler: a stop signal that waits to be obeyed */
  void (*before_job_signal)(
      int32_t pid); /* another process is about to be sent SIGCONT, or a stop that it may catch */
  /* SIGSTOP is sent (to: as kill(2) names it), to the caller's process as well if `itself`. */
  void (*before_stop)(struct thread *thread, int32_t to, bool itself);
  void (*after_stop)(struct thread *thread, int32_t to, bool itself);
  /* A tracer stops a thread of the sphere, or lets it go. tracee: NULL if it is gone. */
  void (*before_trace)(struct thread *thread, const struct call *call, struct rthread *tracee);
  void (*after_trace)(const struct call *call, struct rthread *tracee, long result);

  /* -- Replay -- */
  void (*gate)(struct thread *thread);    /* performs the order log's steps at the thread's position */
  void (*tell)(struct thread *thread);    /* … but does not wait */
  void (*foreign)(struct thread *thread); /* applies writes of other processes to its memory */
  void (*log_ends)(struct thread *thread);
  uint64_t (*stop)(const struct thread *thread);      /* the position at which it has to call the gate */
  bool (*waits_in_call)(const struct thread *thread); /* others run before the call is over */
};

/* The table of this sphere (turns/turn_tables.h), chosen when a process joins it. */
extern const struct turns *turns;

#endif
