/* trap.c: from user code into the kernel and back. */
#include <errno.h>
#include <string.h>

#include "sim/kernel/input_log.h"
#include "sim/kernel/kernel.h"
#include "sim/machine/vector.h"

enum { A0 = 10, A7 = 17 };

static void end_call(struct task *task, int64_t result, bool no_result) {
  const struct watcher *watcher = kernel_of(task)->machine->watcher;
  if (task->killed) return;
  if (!no_result) {
    task_registers(task)->x[A0] = (uint64_t)result;
    task_registers(task)->pc += 4;
  }
  if (watcher && watcher->called) watcher->called(task->thread.port);
}

static void do_call(struct task *task) {
  struct kernel *kernel = kernel_of(task);
  struct port *port = task->thread.port;
  const struct watcher *watcher = kernel->machine->watcher;
  uint64_t arguments[6], number = task_registers(task)->x[A7];
  bool no_result = false;
  kernel->count.calls++;
  vector_discard(&task_registers(task)->vector);
  port->cycle += kernel->machine->config.call_cycles;
  memcpy(arguments, &task_registers(task)->x[A0], sizeof arguments);
  if (watcher && watcher->call) watcher->call(port);
  /* The instruction itself has happened: what waits before one of the kernel's accesses must not wait before the call. */
  port->position++;
  task->restart_a0 = arguments[0];
  input_call(task, number);
  int64_t result = system_call(task, number, arguments, &no_result);
  end_call(task, result, no_result);
}

/* A load that stops before the fault has happened, with a position of its own. */
static void trim(struct task *task) {
  vector_trim(hart_of(task));
  kernel_turn(task);
}

static void do_fault(struct task *task) {
  struct hart *hart = hart_of(task);
  unsigned permission = hart->fault_kind == ACCESS_FETCH                                   ? PAGE_EXECUTE
                        : hart->fault_kind == ACCESS_LOAD || hart->fault_kind == ACCESS_LR ? PAGE_READ
                                                                                           : PAGE_WRITE;
  struct space *space = task->process->space;
  kernel_of(task)->count.page_faults++;
  if (space_touch(space, hart->fault_address, permission)) return;
  if (hart->trims) {
    trim(task);
    return;
  }
  vector_show_fault(hart);
  struct signal_info info = {SIGSEGV,
                             space_is_mapped(space, hart->fault_address, 1) ? SEGV_ACCERR : SEGV_MAPERR,
                             hart->fault_address, 0};
  signal_force(task, &info);
}

static void force(struct task *task, int number, int code, uint64_t address) {
  struct signal_info info = {number, code, address, 0};
  signal_force(task, &info);
}

static void handle(struct task *task) {
  uint64_t pc = task_registers(task)->pc;
  switch (task->trap) {
    case TRAP_CALL:
      do_call(task);
      break;
    case TRAP_FAULT:
      do_fault(task);
      break;
    case TRAP_MISALIGNED:
      force(task, SIGBUS, BUS_ADRALN, hart_of(task)->fault_address);
      break;
    case TRAP_ILLEGAL:
      force(task, SIGILL, ILL_ILLOPC, pc);
      break;
    case TRAP_BREAK:
      force(task, SIGTRAP, TRAP_BRKPT, pc);
      break;
    default:
      break;
  }
}

static void back_to_user(struct task *task) {
  signals_deliver(task, task->trap == TRAP_CALL);
  if (task->killed) task_exit(task);
  hart_of(task)->kernel_stop = input_next_stop(task);
  task->in_kernel = false;
}

/* The kernel's side of a trap: the whole of the coroutine. */
static void kernel_main(struct task *task) {
  kernel_fence(task);
  handle(task);
  back_to_user(task);
}

/* The rest of a call that a checkpoint found waiting. */
static void rest_of_call(struct task *task) {
  task->restart_a0 = task_registers(task)->x[A0];
  end_call(task, call_follow(task), false);
  back_to_user(task);
}

void kernel_go_on(struct task *task) {
  task->trap = TRAP_CALL;
  coroutine_begin(task, rest_of_call);
}

void kernel_trap(struct task *task, enum trap trap) {
  task->trap = trap;
  coroutine_begin(task, kernel_main);
}

uint64_t kernel_counter(struct hart *hart, uint64_t value) {
  struct task *task = task_of(hart->port.thread);
  input_counter(task, &value);
  hart->kernel_stop = input_next_stop(task);
  return value;
}
