/* dispatch.c: a hart's turn: the task that it has, in the kernel or in user code, or the next one.
 *
 * Tasks take turns only when there are more of them than harts: a timer runs while the ready queue is not empty. A task that waits at a closed
 * gate is taken off its hart like one that runs; one that waits for the memory system is not, since the line is kept for it. */
#include "sim/kernel/kernel.h"

#include "sim/machine/check.h"
#include "sim/kernel/input_log.h"

uint64_t kernel_now(const struct kernel *kernel) {
  const struct port *running = kernel->machine->running;
  return running ? running->cycle : kernel->machine->cycle;
}

static const struct watcher *watcher_of(const struct port *port) {
  return port->machine->watcher;
}

/* -- On and off a hart ------------------------------------------------------------------------------------------------------------ */

/* A thread keeps its reservation while it is away: whether its store-conditional succeeds depends on what others store, which a replay
   repeats, and not on when it was interrupted. The next store to the line, by whomever, must be seen. */
void thread_park(struct machine *machine, struct thread *thread, uint64_t reservation) {
  thread->reservation = reservation;
  if (reservation == FAST_NONE) return;
  for (uint32_t i = 0; i < machine->port_count; i++)
    port_drop(machine->ports[i], thread->reservation, PORT_STORES);
  thread->next_parked = machine->parked;
  machine->parked = thread;
}

static void park_reservation(struct port *port, struct thread *thread) {
  uint64_t reservation = port->reservation;
  port->reservation = FAST_NONE;
  thread_park(port->machine, thread, reservation);
}

static void take_reservation(struct port *port, struct thread *thread) {
  struct thread **link = &port->machine->parked;
  while (*link && *link != thread) link = &(*link)->next_parked;
  if (*link) *link = thread->next_parked;
  port->reservation = thread->reservation;
}

static void enter(struct hart *hart, struct task *task) {
  struct port *port = &hart->port;
  struct kernel *kernel = kernel_of(task);
  task->state = TASK_RUNNING;
  task->turn++;
  task->started = port->cycle;
  if (hart->last_space != task->process->space) port_drop_all(port, PORT_ALL);
  hart->last_space = task->process->space;
  if (hart->last_task != task) {
    port->cycle += kernel->machine->config.switch_cycles;
    kernel->count.switches++;
  }
  hart->last_task = task;
  hart->registers = task->thread.registers;
  hart->split = task->thread.split;
  hart->split_bytes = task->thread.split_bytes;
  hart->interrupted = task->killed;
  hart->deferred = false;
  port->thread = &task->thread;
  port_set_position(port, task->thread.position);
  hart->entered = task->thread.position;
  take_reservation(port, &task->thread);
  task->thread.port = port;
  hart->kernel_stop = input_next_stop(task);
  if (watcher_of(port) && watcher_of(port)->enter) watcher_of(port)->enter(port);
}

void task_leave(struct task *task, enum leave_reason reason) {
  struct hart *hart = hart_of(task);
  struct port *port = &hart->port;
  if (watcher_of(port) && watcher_of(port)->leave) watcher_of(port)->leave(port, reason);
  task->thread.registers = hart->registers;
  task->thread.position = port->position;
  hart->instructions += port->position - hart->entered;
  task->thread.split = hart->split;
  task->thread.split_bytes = hart->split_bytes;
  if (reason == LEAVE_EXIT) port->reservation = FAST_NONE;
  park_reservation(port, &task->thread);
  port->thread = NULL;
  port->stop = UINT64_MAX;
  task->thread.port = NULL;
  task->state = reason == LEAVE_EXIT ? TASK_DEAD : TASK_BLOCKED;
}

static bool take_next(struct hart *hart) {
  struct kernel *kernel = hart->port.machine->kernel;
  struct task *task = kernel->ready_first;
  if (!task) return false;
  kernel->ready_first = task->next_ready;
  if (!kernel->ready_first) kernel->ready_last = NULL;
  enter(hart, task);
  return true;
}

/* -- Timers --------------------------------------------------------------------------------------------------------------------------- */

static void preempt_at_gate(struct hart *hart) {
  struct port *port = &hart->port;
  struct task *task = task_of(port->thread);
  task->at_gate = true;
  task_leave(task, LEAVE_SLICE);
  port_wake(port, kernel_now(port->machine->kernel));
}

void hart_interrupt(struct hart *hart) {
  struct port *port = &hart->port;
  hart->deferred = false;
  if (!port->thread) return;
  hart->interrupted = true;
  if (port->waiting && hart->at_gate)
    preempt_at_gate(hart);
  else if (port->horizon > port->machine->cycle)
    port->horizon = port->machine->cycle;
}

static void arm_timer(struct hart *hart, uint64_t now);

static void timer_rings(struct machine *machine, void *object, uint64_t turn) {
  struct hart *hart = object;
  struct task *task = hart->port.thread ? task_of(hart->port.thread) : NULL;
  hart->timer_armed = false;
  if (!machine->kernel->ready_first || !task || hart->deferred) return;
  if (task->turn != turn) {
    arm_timer(hart, machine->cycle);
    return;
  }
  machine->kernel->count.interrupts++;
  input_interrupt(task);
  hart_interrupt(hart);
}

static void arm_timer(struct hart *hart, uint64_t now) {
  struct machine *machine = hart->port.machine;
  if (hart->timer_armed || hart->interrupted || hart->deferred || !hart->port.thread) return;
  struct task *task = task_of(hart->port.thread);
  uint64_t due = task->started + machine->config.slice_cycles;
  hart->timer_armed = true;
  machine_at(machine, due > now ? due : now, timer_rings, hart, task->turn);
}

void dispatch_work(struct kernel *kernel, uint64_t cycle) {
  struct machine *machine = kernel->machine;
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    struct hart *hart = &machine->harts[i];
    if (!hart->idle) continue;
    hart->idle = false;
    port_wake(&hart->port, cycle);
    return;
  }
  for (uint32_t i = 0; i < machine->config.harts; i++) arm_timer(&machine->harts[i], cycle);
}

/* The interrupt that hart->interrupted stands for. */
static void take_interrupt(struct hart *hart, struct task *task) {
  struct port *port = &hart->port;
  struct kernel *kernel = kernel_of(task);
  const struct watcher *watcher = watcher_of(port);
  struct access fence = {.kind = ACCESS_FENCE};
  if (kernel->machine->config.tso && port->machine->system->access(port, &fence) == ACCESS_WAIT) {
    port->waiting = true; /* its stores come first */
    return;
  }
  if (watcher && watcher->interrupt && !watcher->interrupt(port)) {
    hart->interrupted = false;
    hart->deferred = true; /* the watcher asks again */
    return;
  }
  hart->interrupted = false;
  if (task->killed || (!input_replays(task) && signal_is_pending(task))) {
    kernel_trap(task, TRAP_SIGNAL);
    return;
  }
  if (!kernel->ready_first) return;
  task_leave(task, LEAVE_SLICE);
  task_ready(task, port->cycle);
}

/* -- The turn --------------------------------------------------------------------------------------------------------------------------- */

/* At a stop that the watcher or the kernel requested. */
static void at_stop(struct hart *hart, struct task *task) {
  struct port *port = &hart->port;
  if (port->position >= port->stop && !watcher_of(port)->gate(port)) {
    port->waiting = hart->at_gate = true;
    return;
  }
  bool due = port->position >= hart->kernel_stop && port->position < port->stop;
  if (due && hart_at_border(port, BORDER_INTERRUPT)) kernel_trap(task, TRAP_SIGNAL);
}

static void trap(struct hart *hart, struct task *task, enum trap trap) {
  if (hart_at_border(&hart->port, trap == TRAP_FAULT ? BORDER_FAULT : BORDER_TRAP)) kernel_trap(task, trap);
}

static void run_user(struct hart *hart, struct task *task) {
  switch (hart_interpret(hart)) {
    case HART_HORIZON:
    case HART_WAIT:
      return;
    case HART_STOP:
      at_stop(hart, task);
      return;
    case HART_CALL:
      trap(hart, task, TRAP_CALL);
      return;
    case HART_FAULT:
      trap(hart, task, TRAP_FAULT);
      return;
    case HART_MISALIGNED:
      trap(hart, task, TRAP_MISALIGNED);
      return;
    case HART_ILLEGAL:
      trap(hart, task, TRAP_ILLEGAL);
      return;
    case HART_BREAK:
      trap(hart, task, TRAP_BREAK);
      return;
  }
}

static void run_kernel(struct task *task) {
  coroutine_resume(task);
  if (task->state == TASK_DEAD)
    task_free(task);
  else if (!task->in_kernel)
    coroutine_release(task);
}

void kernel_hart_turn(struct port *port) {
  struct hart *hart = (struct hart *)port;
  struct kernel *kernel = port->machine->kernel;
  hart->at_gate = false;
  while (!kernel->error) {
    if (!port->thread && !take_next(hart)) {
      hart->idle = port->waiting = true;
      return;
    }
    if (kernel->ready_first) arm_timer(hart, port->cycle);
    if (port->waiting || port->cycle >= port->horizon) return;
    struct task *task = task_of(port->thread);
    if (task->in_kernel)
      run_kernel(task);
    else if (hart->interrupted && !hart_is_between(hart))
      take_interrupt(hart, task);
    else
      run_user(hart, task);
  }
}
