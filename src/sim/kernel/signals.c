/* signals.c: signals are sent, held back, delivered: on the way back to user code, so always at a position.
 *
 * The frame is the one of riscv64 Linux: siginfo (128 bytes), then ucontext. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/input_log.h"
#include "sim/kernel/kernel.h"
#include "sim/machine/check.h"
#include "sim/machine/vector.h"

enum { RA = 1, SP = 2, A0 = 10, A1 = 11, A2 = 12 };
enum {
  FLAG_SIGINFO = 4,
  FLAG_ONSTACK = 0x08000000,
  FLAG_RESTART = 0x10000000,
  FLAG_NODEFER = 0x40000000,
  FLAG_RESETHAND = 0x80000000u
};
enum { FIRST_REAL_TIME = 32 };
enum { STACK_ON = 1, STACK_OFF = 2 };
#define UNBLOCKABLE (bit(SIGKILL) | bit(SIGSTOP))

struct frame {
  struct {
    int32_t number, error, code, pad;
    uint64_t value, more;
    uint8_t rest[96];
  } info;
  uint64_t uc_flags, uc_link;
  struct {
    uint64_t start;
    int32_t flags, pad;
    uint64_t bytes;
  } stack;
  uint64_t mask;
  uint8_t unused[120], align[8];
  uint64_t pc, x[31]; /* x1 … x31 */
  uint64_t f[32];
  uint32_t fcsr;
  uint8_t quad[256]; /* room for the state of the Q extension */
  uint32_t reserved;
  uint32_t more, more_bytes; /* what follows: vector_state, or nothing */
};

/* Follows the frame of a thread that has used vectors. */
struct vector_state {
  uint64_t start, length, type, control, register_bytes, registers; /* the last: where they are */
  uint8_t v[32 * VECTOR_BYTES];
  uint32_t more, more_bytes; /* nothing follows */
  uint64_t pad;
};
enum { VECTOR_MAGIC = 0x53465457, HEADER_BYTES = 8 };
enum { VECTOR_STATE_BYTES = HEADER_BYTES + offsetof(struct vector_state, more) };
struct whole_frame {
  struct frame frame;
  struct vector_state vector;
};
_Static_assert(sizeof(struct frame) % 16 == 0 && sizeof(struct whole_frame) == SIGNAL_STACK_LEAST,
               "as Linux has it");

static uint64_t bit(int number) {
  return 1ull << (number - 1);
}

/* -- Sending -------------------------------------------------------------------------------------------------------------------------- */

static bool default_is_ignored(int number) {
  return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT ||
         number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static bool is_ignored(const struct process *process, int number) {
  uint64_t handler = process->actions[number].handler;
  return handler == 1 || (handler == 0 && default_is_ignored(number));
}

bool signal_is_pending(const struct task *task) {
  return (task->pending | task->process->pending) & ~task->blocked;
}

/* One that is pending already is not sent again, but for a real-time signal. */
static void add_pending(uint64_t *pending, struct signal_info *infos, struct queued_signal **queue,
                        const struct signal_info *info) {
  if (*pending & bit(info->number) && info->number < FIRST_REAL_TIME) return;
  if (!(*pending & bit(info->number))) {
    *pending |= bit(info->number);
    infos[info->number] = *info;
    return;
  }
  while (*queue) queue = &(*queue)->next;
  *queue = malloc(sizeof **queue);
  CHECK(*queue, "out of memory");
  **queue = (struct queued_signal){NULL, *info};
}

static void take_queued(uint64_t *pending, struct signal_info *infos, struct queued_signal **queue,
                        int number) {
  while (*queue && (*queue)->info.number != number) queue = &(*queue)->next;
  struct queued_signal *found = *queue;
  if (!found) return;
  infos[number] = found->info;
  *pending |= bit(number);
  *queue = found->next;
  free(found);
}

int signal_take(struct task *task, uint64_t ready, struct signal_info *info) {
  struct process *process = task->process;
  int number = __builtin_ctzll(ready) + 1;
  bool own = task->pending & bit(number);
  uint64_t *pending = own ? &task->pending : &process->pending;
  struct signal_info *infos = own ? task->info : process->info;
  *info = infos[number];
  *pending &= ~bit(number);
  take_queued(pending, infos, own ? &task->queued : &process->queued, number);
  return number;
}

void signals_forget(struct queued_signal **queue) {
  while (*queue) {
    struct queued_signal *first = *queue;
    *queue = first->next;
    free(first);
  }
}

/* A task that could take it now is made to look. */
static bool poke(struct task *task) {
  if (!signal_is_pending(task) || task->state == TASK_DEAD) return false;
  if (task->state == TASK_BLOCKED && task->interruptible) wake_one(task, -EINTR);
  if (task->thread.port && task != kernel_of(task)->current) hart_interrupt(hart_of(task));
  return true;
}

void signal_send_task(struct task *task, const struct signal_info *info) {
  if (is_ignored(task->process, info->number) && !(task->blocked & bit(info->number))) return;
  add_pending(&task->pending, task->info, &task->queued, info);
  poke(task);
  wake_queue(&kernel_of(task)->pollers, UINT32_MAX, 0); /* signalfd */
}

static bool is_blocked_somewhere(const struct process *process, int number) {
  const struct task *task = process->tasks;
  while (task && !(task->blocked & bit(number))) task = task->next;
  return task;
}

void signal_send_process(struct process *process, const struct signal_info *info) {
  if (is_ignored(process, info->number) && !is_blocked_somewhere(process, info->number)) return;
  add_pending(&process->pending, process->info, &process->queued, info);
  wake_queue(&process->kernel->pollers, UINT32_MAX, 0);
  for (struct task *task = process->tasks; task; task = task->next)
    if (poke(task)) return;
}

/* -- Delivering ----------------------------------------------------------------------------------------------------------------------- */

static void terminate(struct task *task, int number) {
  process_exit(task->process, number);
  task->killed = true;
}

static uint64_t frame_place(const struct task *task, const struct signal_action *action, uint64_t sp,
                            size_t bytes) {
  bool on_alternate = task->alternate_bytes && sp - task->alternate_start <= task->alternate_bytes;
  if (action->flags & FLAG_ONSTACK && task->alternate_bytes && !on_alternate)
    sp = task->alternate_start + task->alternate_bytes;
  return (sp - bytes) & ~15ull;
}

static void fill_frame(struct frame *frame, const struct task *task, const struct registers *r,
                       const struct signal_info *info) {
  memset(frame, 0, sizeof *frame);
  frame->info.number = info->number;
  frame->info.code = info->code;
  frame->info.value = info->value;
  frame->info.more = info->more;
  frame->stack.start = task->alternate_start;
  frame->stack.bytes = task->alternate_bytes;
  frame->stack.flags = task->alternate_bytes ? 0 : STACK_OFF;
  frame->mask = task->restore_blocked ? task->saved_blocked : task->blocked;
  frame->pc = r->pc;
  memcpy(frame->x, &r->x[1], sizeof frame->x);
  memcpy(frame->f, r->f, sizeof frame->f);
  frame->fcsr = r->fcsr;
}

/* at: where the frame is. */
static void fill_vectors(struct whole_frame *whole, const struct vector_registers *from, uint64_t at) {
  whole->frame.more = VECTOR_MAGIC;
  whole->frame.more_bytes = VECTOR_STATE_BYTES;
  whole->vector = (struct vector_state){
      .start = from->start,
      .length = from->length,
      .type = from->type,
      .control = from->control,
      .register_bytes = VECTOR_BYTES,
      .registers = at + offsetof(struct whole_frame, vector.v),
  };
  memcpy(whole->vector.v, from->v, sizeof from->v);
}

static void run_handler(struct task *task, const struct signal_info *info) {
  struct signal_action action = task->process->actions[info->number];
  struct registers *r = task_registers(task);
  struct whole_frame whole;
  size_t bytes = r->vector.used ? sizeof whole : sizeof whole.frame;
  uint64_t sp = frame_place(task, &action, r->x[SP], bytes);
  hart_drop_half(hart_of(task));
  fill_frame(&whole.frame, task, r, info);
  if (r->vector.used) fill_vectors(&whole, &r->vector, sp);
  task->restore_blocked = false;
  if (copy_in(task, sp, &whole, bytes)) {
    terminate(task, SIGSEGV);
    return;
  }
  task->blocked |= action.mask | (action.flags & FLAG_NODEFER ? 0 : bit(info->number));
  task->blocked &= ~UNBLOCKABLE;
  if (action.flags & FLAG_RESETHAND) task->process->actions[info->number].handler = 0;
  r = task_registers(task);
  task->thread.port->reservation = FAST_NONE;
  r->pc = action.handler;
  r->x[RA] = TRAMPOLINE;
  r->x[SP] = sp;
  r->x[A0] = (uint64_t)info->number;
  r->x[A1] = sp;
  r->x[A2] = sp + sizeof whole.frame.info;
}

/* An interrupted call ends with EINTR or begins again. */
static void settle_call(struct task *task, const struct signal_action *action) {
  struct registers *r = task_registers(task);
  if ((int64_t)r->x[A0] != -RESTART) return;
  if (action && action->handler > 1 && !(action->flags & FLAG_RESTART)) {
    r->x[A0] = (uint64_t)-EINTR;
    return;
  }
  r->x[A0] = task->restart_a0;
  r->pc -= 4;
}

static void deliver(struct task *task, const struct signal_info *info) {
  const struct signal_action *action = &task->process->actions[info->number];
  kernel_of(task)->count.signals++;
  if (action->handler == 0)
    terminate(task, info->number);
  else
    run_handler(task, info);
}

/* The next signal to deliver, taken off the pending ones; false if there is none. */
static bool take_pending(struct task *task, struct signal_info *info) {
  for (;;) {
    uint64_t ready = (task->pending | task->process->pending) & ~task->blocked;
    if (!ready) return false;
    int number = signal_take(task, ready, info);
    if (!is_ignored(task->process, number)) return true;
  }
}

static bool next_signal(struct task *task, struct signal_info *info) {
  if (input_replays(task)) {
    if (!input_killed_due(task)) return input_signal_due(task, info);
    task->killed = true;
    return false;
  }
  if (!take_pending(task, info)) return false;
  if (input_records(task)) input_signal(task, info);
  return true;
}

void signals_deliver(struct task *task, bool after_call) {
  struct signal_info info;
  while (!task->killed && next_signal(task, &info)) {
    kernel_turn(task);
    if (after_call) settle_call(task, &task->process->actions[info.number]);
    after_call = false;
    deliver(task, &info);
  }
  if (after_call && !task->killed) settle_call(task, NULL);
  if (task->restore_blocked) task->blocked = task->saved_blocked;
  task->restore_blocked = false;
}

void signal_mask_for_call(struct task *task, uint64_t mask) {
  task->saved_blocked = task->blocked;
  task->blocked = mask & ~UNBLOCKABLE;
  task->restore_blocked = true;
  input_mask(task, mask);
}

void signal_mask_after_call(struct task *task, int64_t result) {
  if (!task->restore_blocked || result == -EINTR) return;
  task->blocked = task->saved_blocked;
  task->restore_blocked = false;
}

/* The same in recording and replay: the fault is not input. */
void signal_force(struct task *task, const struct signal_info *info) {
  kernel_turn(task);
  struct signal_action *action = &task->process->actions[info->number];
  if (action->handler == 1 || task->blocked & bit(info->number)) action->handler = 0;
  deliver(task, info);
}

/* What the frame has behind it. False: nothing that belongs there. */
static bool return_vectors(struct task *task, const struct frame *frame, uint64_t at) {
  struct vector_state from;
  if (frame->reserved) return false;
  if (!frame->more) return !frame->more_bytes;
  if (frame->more != VECTOR_MAGIC || frame->more_bytes != VECTOR_STATE_BYTES) return false;
  if (!task_registers(task)->vector.used || copy_out(task, &from, at, sizeof from)) return false;
  if (copy_out(task, from.v, from.registers, sizeof from.v)) return false;
  struct vector_registers *to = &task_registers(task)->vector;
  vector_set(to, from.type, from.length);
  vector_write_csr(to, VECTOR_START, from.start);
  vector_write_csr(to, VECTOR_CONTROL, from.control);
  memcpy(to->v, from.v, sizeof from.v);
  return !from.more && !from.more_bytes;
}

bool signal_return(struct task *task) {
  struct frame frame;
  uint64_t at = task_registers(task)->x[SP];
  if (copy_out(task, &frame, at, sizeof frame)) return false;
  if (!return_vectors(task, &frame, at + sizeof frame)) return false;
  struct registers *r = task_registers(task);
  r->pc = frame.pc;
  memcpy(&r->x[1], frame.x, sizeof frame.x);
  memcpy(r->f, frame.f, sizeof frame.f);
  r->fcsr = frame.fcsr & 0xff;
  task->blocked = frame.mask & ~UNBLOCKABLE;
  task->thread.port->reservation = FAST_NONE;
  return true;
}
