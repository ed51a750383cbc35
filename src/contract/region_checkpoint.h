/* region_checkpoint.h: the part of the region through which the manager requests checkpoints and restarts them (engine/threads/checkpoint_vessel.c,
 * travel/checkpoints.c).
 *
 * A checkpoint is a copy of every process of a replay, which waits (a *vessel*), and of the region. All threads but the one with the turn rest while it
 * is made. A restart makes a process of each vessel (a *runner*), with a region of its own. */
#ifndef REPRISE_CONTRACT_REGION_CHECKPOINT_H
#define REPRISE_CONTRACT_REGION_CHECKPOINT_H

#include <stdatomic.h>
#include <stdint.h>

enum checkpoint_wish {
  CHECKPOINT_NONE,
  CHECKPOINT_MAKE,
  CHECKPOINT_HALT, /* stop, and wait to be killed: the output is whole, nothing is under way */
};

/* Why no checkpoint can be made here. */
enum checkpoint_refusal {
  CHECKPOINT_POSSIBLE,
  CHECKPOINT_BORROWED, /* for now: processes share their memory (vfork, CLONE_VM) */
  CHECKPOINT_UNFORKED, /* for ever: memory that forks do not copy (MADV_DONTFORK, MADV_WIPEONFORK) */
  CHECKPOINT_LATE,     /* for now: a thread does not come to rest */
  CHECKPOINT_SHARED,   /* record, for ever: processes may share memory, or a file that is mapped changes */
  CHECKPOINT_UNSTORED, /* record, for ever: the program has a state that only the kernel has */
};

struct region_checkpoint {
  _Atomic uint32_t
      wish; /* enum checkpoint_wish; the manager sets it, and takes it back when it is fulfilled … */
  _Atomic uint64_t at_point; /* … from this point on */
  _Atomic uint64_t points;   /* that the threads have come to: places where a checkpoint could be made */
  _Atomic uint32_t refusal;  /* enum checkpoint_refusal */
  _Atomic uint32_t freezes;  /* futex: 1 while threads at rest must stay so */
  _Atomic uint32_t missing;  /* futex: threads of the checkpoint that a restart has not made yet */
  _Atomic uint32_t maker;    /* record in parallel: id of the thread that makes it, 0: none */
  uint32_t processes;        /* of the checkpoint */
  uint32_t made;             /* record: so many were made … */
  uint64_t longest;          /* … and the longest of them has stopped the program for so many nanoseconds */
  _Atomic uint32_t
      triggers;        /* record: so often something has happened for which the last part is to be stored */
  uint32_t matched[3]; /* record: bytes of the text to be found with which standard output and error end */
  _Atomic uint32_t
      unstored; /* one more than a system call whose effect on the kernel can't be stored, 0: none was made */
  struct {
    uint64_t turn, position;
    uint32_t thread;
  } moment;                    /* at which it is made, and the thread that has the turn */
  _Atomic uint64_t written[3]; /* bytes of standard output and error so far … */
  uint64_t shown[3];           /* … and how many of them earlier runs have shown already */
};

/* The message to a vessel, with descriptors beside it: the region, the socket for files, then the objects. */
enum { VESSEL_OBJECTS = 200 };
struct vessel_message {
  uint32_t objects;
  struct {
    uint64_t inode; /* of the memory file that is mapped; device numbers are the same for all of them */
  } object[VESSEL_OBJECTS];
};

#endif
