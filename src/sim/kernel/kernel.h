/* kernel.h: the small kernel in the simulator: processes, tasks, waiting.
 *
 * Kernel code runs on the host, at the simulated moment of the trap, as a coroutine of its task: whenever it has to wait (for a line of user
 * memory, for its turn in time, for another task) it yields to the machine and goes on later. Kernel data lives on the host; only copies
 * from and to user memory go through the simulated caches. So order logs hold no kernel instruction. */
#ifndef REPRISE_SIM_KERNEL_H
#define REPRISE_SIM_KERNEL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "sim/machine/hart.h"
#include "sim/machine/machine.h"
#include "sim/machine/space.h"

enum {
  SIGNALS = 64,
  MAX_TASKS = 1024,
  MAX_FILES = 256,
  PATH_BYTES = 4096,
};
#define TRAMPOLINE UINT64_C(0x3ffffff000)
enum { SIGNAL_STACK_LEAST = 1664 };        /* the largest frame that a handler is given */
#define KERNEL_PAGE UINT64_C(0x3fffffe000) /* of each space, for the kernel's own ordered accesses */

/* -- Tasks -------------------------------------------------------------------------------------------------------------------- */

enum task_state {
  TASK_READY,   /* in the queue */
  TASK_RUNNING, /* on a hart */
  TASK_BLOCKED, /* in the kernel, or at a closed gate, until task_ready */
  TASK_DEAD,
};

enum trap { TRAP_NONE, TRAP_CALL, TRAP_SIGNAL, TRAP_FAULT, TRAP_MISALIGNED, TRAP_ILLEGAL, TRAP_BREAK };

struct wait_queue {
  struct task *first, *last;
};

struct signal_info {
  int32_t number, code;
  uint64_t value; /* sender's process and user, or the address of a fault, or of a child and its status */
  uint64_t more;
};

/* Real-time signals of a number that is pending already. */
struct queued_signal {
  struct queued_signal *next; /* in the order in which they came */
  struct signal_info info;
};

struct open_file;

struct task {
  struct thread thread;
  struct process *process;
  struct task *next_ready;   /* in the ready queue */
  struct task *next_waiting; /* in a wait queue … */
  struct wait_queue *queue;  /* … this one */
  struct task *next;         /* of the process */
  enum task_state state;

  /* The coroutine, while the task is in the kernel. */
  bool in_kernel;
  bool at_gate; /* taken off its hart while a gate was closed */
  ucontext_t context;
  void *stack;
  enum trap trap;
  uint64_t fault_address;
  uint64_t started; /* cycle of the present turn on a hart */
  uint32_t turn;    /* which turn; a timer of an earlier one is void */

  /* Waiting. */
  uint64_t wait_key;    /* futex: physical address */
  uint32_t wait_bits;   /* futex: bit set */
  uint32_t wait_number; /* a time-out of an earlier wait is void */
  int wait_result;      /* why the wait ended: 0 or -errno */
  bool interruptible;   /* a signal ends it */

  /* Signals. */
  uint64_t blocked, saved_blocked;
  bool restore_blocked; /* sigsuspend: the saved set comes back after the handler */
  uint64_t pending;     /* bit per signal, for this task alone */
  struct signal_info info[SIGNALS + 1];
  struct queued_signal *queued;
  uint64_t alternate_start, alternate_bytes;
  bool killed;          /* never returns to user code */
  bool killed_by_other; /* … because of what another task did, at any position */

  char name[16]; /* prctl's */

  uint64_t clear_tid; /* set to 0, and its futex woken, at exit */
  uint64_t robust_list;
  struct open_file **held;    /* files of the present call (files.h) … */
  uint32_t held_count;        /* … so many */
  uint32_t disk_kicks;        /* replay: transfers asked for and not begun */
  uint64_t restart_a0;        /* the first argument of the present call, for its restart */
  struct input_cursor *input; /* the log that it writes or follows; NULL outside of recording and replay */
};

struct signal_action {
  uint64_t handler, flags, mask;
};

/* -- Processes ------------------------------------------------------------------------------------------------------------------ */

struct process {
  struct kernel *kernel;
  uint32_t pid, parent;
  struct sphere *sphere;
  struct space *space;
  struct task *tasks;
  uint32_t live; /* tasks that have not ended */
  struct signal_action actions[SIGNALS + 1];
  uint64_t pending;
  struct signal_info info[SIGNALS + 1];
  struct queued_signal *queued;
  struct open_file *files[MAX_FILES];
  uint64_t close_on_exec[MAX_FILES / 64];
  bool exiting, zombie, reaped;
  int status;                     /* as wait tells it */
  struct wait_queue children;     /* tasks that wait for one to end */
  struct wait_queue vfork_parent; /* tasks that wait until this one executes a program or ends … */
  bool vforked, vfork_over;       /* … which it has done */
  char *path;                     /* of the program */
  int directory;        /* the host's descriptor of the working directory, or AT_FDCWD. Not in a replay */
  char *directory_path; /* as chdir was told: for the paths of programs; NULL: the simulator's */
  uint32_t next_timer;  /* timer_create's name for it */
  struct process *next;
};

struct kernel {
  struct machine *machine;
  struct process *processes;
  struct task *ready_first, *ready_last;
  uint32_t tasks, next_tid;
  ucontext_t host; /* the machine, while a coroutine runs */
  struct task *current;
  void *spare_stacks;
  struct wait_queue futexes[256]; /* hashed by physical address */
  struct wait_queue pollers;      /* tasks that wait for any of several files: woken when any changes */
  struct socket *listeners;
  struct timer *timers; /* timers.h */
  uint32_t next_timer;
  struct segment *segments; /* shared_memory.h */
  struct attachment *attachments;
  uint32_t next_segment;
  struct mapped_file *mapped_files; /* mapped_files.h */
  uint32_t next_mapped_file;
  struct file_lock *file_locks; /* file_locks.h */
  struct wait_queue lock_waiters;
  struct sphere *spheres[64];
  uint32_t sphere_count;
  void (*ending)(struct process *process); /* a process is about to end, memory has been drained; or NULL */
  char *error;                             /* why the simulation can't go on */
  int error_status;
  struct {
    uint64_t instructions, calls, page_faults, switches, interrupts, signals, dma_lines;
  } count;
};

/* A machine with this kernel and a disk. NULL with a line in error. */
struct machine *kernel_machine_new(const struct sim_config *config, const char **error);
void kernel_machine_free(struct machine *machine);
/* Stops the simulation with a line; the first one counts. status: an exit status of the command. */
void kernel_fail(struct kernel *kernel, int status, const char *pattern, ...)
    __attribute__((format(printf, 3, 4)));

/* A program in a sphere of its own. NULL after kernel_fail. */
struct process *kernel_start(struct kernel *kernel, struct sphere *sphere, const char *path, char **argv,
                             char **envp);

/* The functions that harts call (struct supervisor). */
void kernel_hart_turn(struct port *port);
uint64_t kernel_counter(struct hart *hart, uint64_t value);
/* The present cycle. */
uint64_t kernel_now(const struct kernel *kernel);

/* -- Inside -------------------------------------------------------------------------------------------------------------------- */

static inline struct task *task_of(struct thread *thread) {
  return (struct task *)thread;
}
static inline struct kernel *kernel_of(const struct task *task) {
  return task->process->kernel;
}
static inline struct hart *hart_of(const struct task *task) {
  return (struct hart *)task->thread.port;
}
/* The registers while the task is in the kernel, wherever they are. */
struct registers *task_registers(struct task *task);

/* tasks.c */
struct process *process_new(struct kernel *kernel, struct sphere *sphere, struct space *space,
                            uint32_t parent);
struct task *task_new(struct process *process, struct task *creator);
void task_start(struct task *task); /* all set: it may run */
void task_ready(struct task *task, uint64_t cycle);
void task_leave(struct task *task, enum leave_reason reason);
void task_free(struct task *task);
struct process *find_process(struct kernel *kernel, uint32_t pid);
struct task *find_task(struct kernel *kernel, uint32_t tid);

/* dispatch.c: the thread, which is on no hart, has this reservation. */
void thread_park(struct machine *machine, struct thread *thread, uint64_t reservation);
/* dispatch.c: the ready queue has grown: an idle hart takes the task, or the timers see to it. */
void dispatch_work(struct kernel *kernel, uint64_t cycle);

/* coroutine.c: only from inside of one. */
void kernel_yield(struct task *task);
void coroutine_begin(struct task *task, void (*function)(struct task *task));
void coroutine_resume(struct task *task);
void coroutine_release(struct task *task); /* its stack is not needed any more */

/* waits.c: to be called by the task itself; the result is wait_result. timeout: a cycle, or UINT64_MAX. */
int wait_on(struct task *task, struct wait_queue *queue, uint64_t timeout, bool interruptible);
void wake_one(struct task *task, int result);
void wait_forget(struct task *task);                         /* it waits in no queue any more */
void wait_move(struct task *task, struct wait_queue *queue); /* to another queue, still waiting */
uint32_t wake_queue(struct wait_queue *queue, uint32_t count, int result);

/* copy.c: user memory, line by line, through the memory system. 0 or -EFAULT. */
void kernel_fence(struct task *task);
/* The task goes no further; what its position lets others do is done. */
void kernel_stand_still(struct task *task);
int copy_in(struct task *task, uint64_t to, const void *from, uint64_t bytes); /* into the sphere */
int copy_out(struct task *task, void *to, uint64_t from, uint64_t bytes);      /* out of it */
void kernel_turn(struct task *task); /* before a change of what the threads of a process have in common */
int64_t copy_string(struct task *task, char *to, uint64_t from,
                    uint64_t room); /* its length, or -EFAULT, -ENAMETOOLONG */

/* trap.c */
void kernel_trap(struct task *task, enum trap trap);
void kernel_go_on(struct task *task); /* replay: with the call that its registers are those of */

/* calls.c */
bool call_is_followed(uint64_t number); /* in replay: it is not made again */
int64_t call_follow(struct task *task);
int64_t system_call(struct task *task, uint64_t number, const uint64_t argument[6], bool *no_result);

/* signals.c */
void signal_send_task(struct task *task, const struct signal_info *info);
void signal_send_process(struct process *process, const struct signal_info *info);
bool signal_is_pending(const struct task *task);
/* The lowest of the pending signals in the set, which has one. Its number. */
int signal_take(struct task *task, uint64_t ready, struct signal_info *info);
void signals_forget(struct queued_signal **queue);
/* Before going back to user code: delivers what is pending. call_result: a call that ended, to be restarted perhaps. */
void signals_deliver(struct task *task, bool after_call);
/* A call that waits with a mask of its own: it comes into force, and the old one comes back, at once or, if a signal ended the call, behind the handler. */
void signal_mask_for_call(struct task *task, uint64_t mask);
void signal_mask_after_call(struct task *task, int64_t result);
void signal_force(struct task *task,
                  const struct signal_info *info); /* of a fault: can't be blocked or ignored */
bool signal_return(struct task *task);

/* exit.c */
void task_exit(struct task *task) __attribute__((noreturn)); /* the coroutine does not come back */
void process_exit(struct process *process,
                  int status);             /* all of its tasks are to end; the caller too, soon */
void process_end_vfork(struct task *task); /* does not use its parent's memory any more */
void process_kill_others(struct process *process, const struct task *survivor);

/* digest.c: digests that a replay must reach as well: registers and position of each thread, memory of each process at their ends. */
uint64_t digest_thread(const struct thread *thread); /* registers and position */
void digest_task(struct task *task);
void digest_space(struct process *process);

/* image.c: loads a program, read from a file and known to itself by a path, into an empty space. NULL or a line that says what is wrong with it. */
const char *image_load(struct space *space, const char *file, const char *path, char **argv, char **envp,
                       const uint8_t random[16], struct registers *registers);

/* futex.c */
int64_t futex_call(struct task *task, const uint64_t argument[6]);
int64_t futex_wake(struct task *task, uint64_t address, uint32_t count, uint32_t bits);

/* files.c */
void files_begin(struct process *process);
void files_copy(struct process *to, const struct process *from);
void files_close_all(struct process *process, bool on_exec);

enum { RESTART = 512 }; /* -RESTART: a call that a signal interrupted and that can begin again */

#endif
