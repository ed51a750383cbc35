/* stack.h: the stack that the kernel built for the program (stack.c). */
#ifndef REPRISE_ENGINE_STACK_H
#define REPRISE_ENGINE_STACK_H

#include "engine/start/loader.h"

struct auxv_entry {
  uint64_t type, value;
};

struct start_stack {
  uintptr_t sp; /* where argc lies */
  uintptr_t argc;
  char **argv, **envp;
  struct auxv_entry *auxv;
  size_t auxv_count; /* with the terminating AT_NULL */
};

void stack_parse(uintptr_t *sp, struct start_stack *stack);
/* The value of an entry, or 0. */
uint64_t stack_value(const struct start_stack *stack, uint64_t type);
/* The first byte above the stack. */
uintptr_t stack_top(const struct start_stack *stack);
/* Makes the auxiliary vector and the name of the file those of the loaded program. May move stack->sp. */
void stack_finish(struct start_stack *stack, const struct loaded *loaded, const char *execfn);

#endif
