/* turns.h: how the threads of a sphere take turns, as recorder and replayer see it.
 *
 * There are two ways: one thread runs at a time and hands on the baton (turns/turns_baton.c, order `chunk`), or all run at once, and the order of their
 * accesses to memory is recorded (turns/turns_parallel.c, all other orders). Each has a table of what is done at the border of the sphere, one for a
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
      locks_output; /* recording: who writes to standard output or error has a lock for that, and keeps its turn */
  bool takes_memory; /* recording: memory is taken before it is touched */

  /* -- Programs, threads and processes -- */
  void (*found)(struct thread *thread);         /* the first turn of all */
  void (*rejoin)(struct thread *thread);        /* the turn of a program that execve has started */
  void (*begin_program)(struct thread *thread); /* … which is about to run */
  void (*spawn)(struct thread *thread, struct rthread *child); /* a child is about to be made */
  /* The kernel is going to hold the thread until its child is gone to another program, or dead; and has done so, or no child came. */
  void (*hold)(struct thread *thread, struct rthread *child);
  void (*resume)(struct thread *thread, struct rthread *child, bool failed);
  /* A new thread waits for its first turn. copied: it is a process with memory of its own. */
  void (*begin)(struct thread *thread, bool copied);
  /* The kernel is going to end the other threads of the process, at its end or for an execve. */
  void (*end_others)(struct thread *thread);
  /* The thread gives up its last turn, in a replay after its memory was compared. group: with its process. */
  void (*end)(struct thread *thread, bool group, const struct verify_memory *memory);
  /* An execve succeeds next; it did not. */
  void (*leave_program)(struct thread *thread);
  void (*come_back)(struct thread *thread);

  /* -- Recording -- */
  void (*leave)(struct thread *thread); /* before a wait in the kernel, others go on; and behind it */
  void (*take)(struct thread *thread);
  void (*stop_others)(struct thread *thread); /* none of the address space runs until they are let go */
  void (*let_others_go)(struct thread *thread);
  void (*safepoint)(struct thread *thread);
  /* The thread's call is about to read (and write) its memory; or the engine to do so for the thread. */
  void (*hold_memory)(struct thread *thread, struct input_call *in, bool writes);
  void (*take_memory)(struct thread *thread, uintptr_t address, size_t bytes, bool write);
  /* With the others stopped: what they share with other processes is the thread's, too, for the rest of the call. target: the object that
   * the call changes, or NULL. */
  void (*take_all)(struct thread *thread, struct region_object *target);
  void (*meet_changes)(struct thread *thread); /* … for the moment, to come behind all changes of it */
  void (*take_output)(struct thread *thread);
  void (*leave_output)(struct thread *thread);
  /* Whether a signal to itself may stop the thread where that must not be. */
  bool (*signal_may_stop)(const struct thread *thread, int signo);
  /* Whether the thread keeps its turn in the call; whether the call should work on copies of its memory all the same. */
  bool (*stays)(const struct thread *thread, const struct call *call, struct input_call *in);
  bool (*wants_copies)(struct input_call *in);
  void (*woke)(struct thread *thread); /* it has woken others at a futex */
  void (*waits_at)(struct thread *thread, uintptr_t futex);
  void (*waited_at)(struct thread *thread, uintptr_t futex, bool woken);
  void (*before_fork)(void);
  void (*forked)(uint32_t process);
  uintptr_t (*place)(const struct call *call); /* where an mmap should go, 0: anywhere */
  /* A call has changed mappings; object: what it has mapped, or NULL. */
  void (*mapped)(const struct call *call, long at, struct region_object *object);
  void (*call_over)(struct thread *thread);

  /* -- Replay -- */
  void (*gate)(struct thread *thread);    /* does what the order log has for the thread's position */
  void (*tell)(struct thread *thread);    /* … but does not wait */
  void (*foreign)(struct thread *thread); /* what other processes have written to its memory */
  void (*log_ends)(struct thread *thread);
  uint64_t (*stop)(const struct thread *thread);      /* the position at which it has to come by */
  bool (*waits_in_call)(const struct thread *thread); /* others run before the call is over */
};

/* That of this sphere (turns/turn_tables.h), chosen when a process joins it. */
extern const struct turns *turns;

#endif
