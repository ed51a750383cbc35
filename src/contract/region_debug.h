/* region_debug.h: the part of the region through which a debugger drives a replay (engine/region/debug.c, debug/run.c).
 *
 * One thread of a debugged replay runs at a time. It reports its stops here and waits; all others rest, and have stored their registers here.
 * The debugger changes the state below only while the replay is stopped.
 *
 * A *moment* is a state that every replay of the recording comes to: the turn, which implies the running thread, the position of that thread, and
 * the number of events it has seen. Events may share one position: a signal is taken, a call begins and ends, a program
 * begins. While an event is examined the number is odd; at instructions it is even. */
#ifndef REPRISE_CONTRACT_REGION_DEBUG_H
#define REPRISE_CONTRACT_REGION_DEBUG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "order/chunk.h"

enum {
  DEBUG_REGISTERS = 3072, /* bytes: all registers of a thread, in the order of the target description */
  DEBUG_BREAKS = 4096,
  DEBUG_WATCHES = 64,
  DEBUG_WATCH_BYTES = 4096,       /* of one watchpoint */
  DEBUG_CALLS = 1024,             /* system calls that can be caught */
  DEBUG_CHOSEN = 2 * CHUNK_SLOTS, /* processes */
  DEBUG_TEXT = 512,
};

struct debug_moment {
  uint64_t turn, position;
  uint32_t thread, event;
};

/* Within a turn one thread runs. */
static inline int debug_compare(const struct debug_moment *a, const struct debug_moment *b) {
  if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
  if (a->position != b->position) return a->position < b->position ? -1 : 1;
  return a->event < b->event ? -1 : a->event > b->event;
}

enum debug_state { DEBUG_RUNS, DEBUG_STOPPED };

/* Why the replay may stop at a point. */
enum debug_reason {
  DEBUG_NOTHING,
  DEBUG_BEGINS,    /* the first instruction of all */
  DEBUG_ARRIVED,   /* the goal */
  DEBUG_RESTARTED, /* from a checkpoint */
  DEBUG_INTERRUPT, /* the debugger wants it to stop anywhere */
  /* The others are hits: the debugger has asked for these in advance. */
  DEBUG_BREAK,
  DEBUG_WATCH,
  DEBUG_SIGNAL,
  DEBUG_CALL_BEGINS,
  DEBUG_CALL_ENDS,
  DEBUG_FORKED,
  DEBUG_FREED, /* the child that has borrowed the memory is gone */
  DEBUG_EXECUTED,
  DEBUG_EXITS, /* a process, not the last one */
  DEBUG_ENDS,  /* the recording: of all hits this one can't be ignored */
};

enum debug_goal {
  GOAL_NONE,
  GOAL_MOMENT, /* the first point that is not before the moment */
  GOAL_STEP, /* of the moment's thread: the first instruction at its position or later that is not within the range */
};

enum debug_hits {
  HITS_STOP,
  HITS_IGNORE,
  HITS_NOTE, /* the last one before the goal is kept, and so is the last instruction of a thread */
};

struct debug_stop {
  struct debug_moment moment;
  uint32_t reason;  /* enum debug_reason */
  uint32_t hit;     /* DEBUG_ARRIVED: the hit that is there as well, or DEBUG_NOTHING */
  uint32_t slot;    /* of the thread that the stop is about … */
  uint32_t runner;  /* … and of the thread that has stopped: they differ where a child of vfork begins */
  uint64_t address; /* DEBUG_WATCH: of the watchpoint */
  uint32_t access;  /* … and its kind … */
  uint32_t done;  /* … and whether it was made before the stop, by a call or where a handler was entered */
  int32_t number; /* the signal, the system call, the recorded id of the child or the exit status */
  uint32_t signo; /* DEBUG_EXITS, DEBUG_ENDS: the signal that ended the process, or 0 */
  uint32_t is_vfork;        /* DEBUG_FORKED */
  uint32_t outcome;         /* DEBUG_ENDS: enum outcome, if the replay can't go on … */
  char text[DEBUG_TEXT];    /* … and why */
  uint8_t information[128]; /* DEBUG_SIGNAL: siginfo */
};

enum debug_access { DEBUG_WRITES = 1, DEBUG_READS = 2, DEBUG_ACCESSES = 3 };

struct debug_break {
  uint64_t address;
  int32_t pid; /* recorded id of the process, 0: any */
};

struct debug_watch {
  uint64_t address, bytes;
  int32_t pid;
  uint32_t access; /* enum debug_access */
};

struct debug_thread {
  _Atomic uint32_t rests;  /* one more than the R-thread's number while it waits for its turn */
  _Atomic uint32_t leaves; /* the same from its end on */
  uint32_t known;          /* the same from its beginning on: the thread that this entry is of */
  int32_t pid, tid;        /* in the recording */
  uint32_t events;         /* so far; odd while one is looked at */
  uint64_t stack;          /* where the stack pointer was when its program began */
  uint32_t executes;       /* it has gone to another program, and not begun there */
  int32_t call;            /* one more than the number of the system call that it is in, 0: none … */
  uint64_t call_turn;      /* … the turn in which the call was last seen … */
  uint32_t forked;         /* … which has made a process … */
  uint32_t is_vfork;       /* … that borrows the memory */
  uint32_t lender;         /* slot + 1 of the parent whose memory it has borrowed; 0 once that was reported */
  struct debug_stop wrote; /* the engine has written watched memory on the thread's behalf */
  char name[16];           /* that it or its parent has given it; empty: that of the program */
  uint64_t position;
  uint8_t registers[DEBUG_REGISTERS];
};

enum diversion_state {
  DIVERSION_NONE,
  DIVERSION_WANTED,  /* a thread is to make one */
  DIVERSION_REFUSED, /* it could not */
  DIVERSION_STOPPED, /* it waits for the debugger */
  DIVERSION_RUNS,
  DIVERSION_WRITES, /* it waits until the debugger has taken its output */
};

/* A *diversion* is a copy of a process where the replay stands, with one thread, which the debugger may change and run (engine/threads/diversion.c,
 * debug/diversion.c). It shares these pages with the debugger, and nothing with the replay. */
enum { DIVERSION_OUTPUT = 2048, DIVERSION_PAGE = 4096 };
struct region_diversion {
  _Alignas(DIVERSION_PAGE) _Atomic uint32_t state; /* futex: enum diversion_state */
  _Atomic uint32_t interrupt;                      /* stop where you are */
  uint32_t slot;                                   /* DIVERSION_WANTED: of the thread that makes it */
  int32_t pid;                                     /* of the copy, the kernel's */
  int32_t error;                                   /* DIVERSION_REFUSED */
  uint32_t steps;                  /* DIVERSION_RUNS: one instruction, and those in this range: */
  uint64_t range_start, range_end; /* … */
  uint32_t reason;                 /* DIVERSION_STOPPED: enum debug_reason … */
  int32_t number;                  /* … and the signal, or the status with which it would end */
  uint32_t waits;                  /* it waits for another thread, which does not run here */
  uint32_t output_count;           /* DIVERSION_WRITES */
  uint8_t output[DIVERSION_OUTPUT];
  uint8_t registers
      [DEBUG_REGISTERS]; /* DIVERSION_STOPPED: of its thread; it goes on with what the debugger leaves here */
};

struct region_debug {
  _Atomic uint32_t state;      /* futex: enum debug_state */
  _Atomic uint32_t stops;      /* so far */
  _Atomic uint32_t interrupt;  /* stop where you are */
  _Atomic uint32_t generation; /* changes with seams and guards */
  uint32_t begun;
  struct debug_stop stop;

  uint32_t goal;              /* enum debug_goal */
  uint32_t hits;              /* enum debug_hits */
  struct debug_moment moment; /* of the goal */
  uint32_t
      stops_at_rest; /* GOAL_MOMENT is where a checkpoint was made: a thread was about to pass the turn on there, which need not be a point */
  uint64_t range_start, range_end; /* of GOAL_STEP: instructions that it does not stop at */
  struct debug_moment since;       /* where the replay was resumed … */
  uint32_t since_reason;  /* … and the reason that the client was told then: it does not hit again there */
  uint32_t note_thread;   /* of HITS_NOTE: the thread whose instructions are noted … */
  uint64_t note_from;     /* … from this position on */
  struct debug_stop last; /* of HITS_NOTE; reason: DEBUG_NOTHING if there was none … */
  struct debug_moment last_instruction; /* … and the last instruction */
  uint32_t has_last_instruction;

  uint64_t passed_signals;                   /* bit n - 1: signal n is not reported */
  uint32_t catches_calls, catches_processes; /* the latter: forks, programs and ends */
  uint64_t caught_calls[DEBUG_CALLS / 64];
  uint32_t break_count, watch_count, chosen_count;
  uint32_t has_chosen;          /* all but the end of the recording concerns these processes only: */
  int32_t chosen[DEBUG_CHOSEN]; /* recorded ids */
  struct debug_break breaks[DEBUG_BREAKS]; /* by address */
  struct debug_watch watches[DEBUG_WATCHES];
  /* Debuggers remove breaks and watches at every stop, and insert them again. The translated code is kept meanwhile: blocks end at every seam, and
   * guarded memory is never permitted. Each present and former break has a seam, and each present and former watch has a guard. */
  uint32_t seam_count, guard_count;
  uint64_t seams[DEBUG_BREAKS]; /* by address */
  struct debug_watch guards[DEBUG_WATCHES];
  struct debug_thread threads[CHUNK_SLOTS]; /* by slot of the region */
  struct region_diversion diversion;
};

#endif
