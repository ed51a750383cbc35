/* thread.h: simulated threads and the spheres that they belong to, for all parts of the simulator. */
#ifndef REPRISE_SIM_THREAD_H
#define REPRISE_SIM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct archive_cut;
struct process;
struct task;
struct port;

enum { VECTOR_BITS = 128, VECTOR_BYTES = VECTOR_BITS / 8 };

/* Those of the V extension. */
struct vector_registers {
  uint8_t v[32 * VECTOR_BYTES];
  uint64_t type;          /* vtype */
  uint32_t length, start; /* vl, vstart */
  uint32_t control;       /* vcsr */
  uint16_t field;         /* so many fields of the segment at `start` have been accessed */
  uint16_t used;          /* an instruction has named them */
};

/* The state that an instruction can change besides memory. */
struct registers {
  uint64_t x[32];
  uint64_t f[32]; /* single precision is NaN-boxed */
  uint64_t pc;
  uint32_t fcsr;
  struct vector_registers vector;
};

enum sphere_mode { SPHERE_PLAIN, SPHERE_RECORD, SPHERE_REPLAY };

struct sphere {
  uint32_t number;       /* in the machine */
  enum sphere_mode mode; /* what is done with it */
  uint32_t threads;      /* R-threads so far; the device's pseudo-thread is one of them if there is DMA */
  void *order;           /* the watcher's */
  struct task *device;   /* the disk's pseudo-task, once it has worked for the sphere */
  void *input;           /* the kernel's input log */
  void *checkpoints;     /* its checkpoints (checkpoint.h), or NULL */
  uint64_t instructions; /* of threads that have ended */
  uint64_t register_digest, memory_digest; /* of how it ended, so far */
  const struct archive_cut
      *breaks_off; /* replay: of each thread, how far the recording has it; NULL: to its end */
};

struct thread {
  uint32_t number; /* R-thread: 0, 1, 2 … in its sphere, in order of creation, never reused */
  uint32_t tid;    /* in the simulated kernel */
  struct sphere *sphere;
  struct process *process; /* NULL: the pseudo-thread of a device */
  struct port *port;       /* where it runs now, or NULL */
  uint64_t position;       /* while it is on no port … */
  uint64_t reservation;    /* … and this, see struct port */
  struct thread *next_parked;
  bool split; /* see struct hart */
  uint64_t split_bytes;
  struct registers registers;
  void *order;       /* the watcher's */
  struct task *task; /* the kernel's part: state, signals, the system call that it is in */
};

/* Ends a wait at a gate or for an access, whether the thread is on a port or not. */
void thread_wake(struct thread *thread, uint64_t cycle);

#endif
