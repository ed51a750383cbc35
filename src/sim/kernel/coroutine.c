/* coroutine.c: kernel code that can wait: a host stack per task that is in the kernel, with a page below it that faults. */
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/machine/check.h"
#include "sim/kernel/kernel.h"

enum { STACK_BYTES = 64 << 10, GUARD_BYTES = 4 << 10 };

static void *take_stack(struct kernel *kernel) {
  void *stack = kernel->spare_stacks;
  if (stack) {
    kernel->spare_stacks = *(void **)stack;
    return stack;
  }
  uint8_t *guard =
      mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  CHECK(guard != MAP_FAILED && !mprotect(guard + GUARD_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE),
        "no memory for a kernel stack");
  return guard + GUARD_BYTES;
}

void coroutine_release(struct task *task) {
  struct kernel *kernel = kernel_of(task);
  if (!task->stack) return;
  *(void **)task->stack = kernel->spare_stacks;
  kernel->spare_stacks = task->stack;
  task->stack = NULL;
}

void coroutine_begin(struct task *task, void (*function)(struct task *task)) {
  if (!task->stack) task->stack = take_stack(kernel_of(task));
  getcontext(&task->context);
  task->context.uc_stack.ss_sp = task->stack;
  task->context.uc_stack.ss_size = STACK_BYTES;
  task->context.uc_link = &kernel_of(task)->host;
  /* makecontext passes ints; a pointer to a function with a pointer argument works where pointers fit registers. */
  makecontext(&task->context, (void (*)(void))function, 1, task);
  task->in_kernel = true;
}

void coroutine_resume(struct task *task) {
  struct kernel *kernel = kernel_of(task);
  kernel->current = task;
  swapcontext(&kernel->host, &task->context);
  kernel->current = NULL;
}

void kernel_yield(struct task *task) {
  swapcontext(&task->context, &kernel_of(task)->host);
}
