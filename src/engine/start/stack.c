/* stack.c: turns the stack that the kernel built for the engine into the program's. See stack.h.
 *
 *   sp ->  argc, argv[], 0, envp[], 0, auxv[]
 *          random bytes, platform name,
 *          argument strings, environment strings  stay: /proc/self/cmdline and environ show these
 *          "/proc/self/fd/////N"                  the name of the engine, overwritten with the program's
 *
 * When the program's name does not fit there (engine_name.h), everything up to auxv[] is moved down and the name is put into
 * the gap.
 *
 * Two kinds of entries are hidden: the vDSO, so that time goes through system calls, and rseq, which the engine does not
 * offer. */
#include "engine/start/stack.h"

#include <linux/auxvec.h>

#include "engine/base/arch.h"
#include "engine/base/lib.h"
#include "engine/memory/layout.h"

#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#define AT_RSEQ_ALIGN 28
#endif

void stack_parse(uintptr_t *sp, struct start_stack *stack) {
  stack->sp = (uintptr_t)sp;
  stack->argc = sp[0];
  stack->argv = (char **)(sp + 1);
  stack->envp = stack->argv + stack->argc + 1;
  char **end = stack->envp;
  while (*end) end++;
  stack->auxv = (struct auxv_entry *)(end + 1);
  stack->auxv_count = 1;
  while (stack->auxv[stack->auxv_count - 1].type != AT_NULL) stack->auxv_count++;
}

uint64_t stack_value(const struct start_stack *stack, uint64_t type) {
  for (size_t i = 0; i < stack->auxv_count; i++)
    if (stack->auxv[i].type == type) return stack->auxv[i].value;
  return 0;
}

uintptr_t stack_top(const struct start_stack *stack) {
  /* AT_EXECFN is the topmost string; eight zero bytes end the stack. */
  const char *name = (const char *)stack_value(stack, AT_EXECFN);
  CHECK(name);
  return ALIGN_UP((uintptr_t)name + strlen(name) + 1 + 8, PAGE);
}

static void set_entry(struct auxv_entry *entry, const struct loaded *loaded, uintptr_t execfn) {
  switch (entry->type) {
    case AT_PHDR:
      entry->value = loaded->headers;
      break;
    case AT_PHNUM:
      entry->value = loaded->header_count;
      break;
    case AT_PHENT:
      entry->value = sizeof(Elf64_Phdr);
      break;
    case AT_BASE:
      entry->value = loaded->base;
      break;
    case AT_ENTRY:
      entry->value = loaded->entry;
      break;
    case AT_EXECFN:
      entry->value = execfn;
      break;
    case AT_SYSINFO_EHDR:
    case AT_RSEQ_FEATURE_SIZE:
    case AT_RSEQ_ALIGN:
      *entry = (struct auxv_entry){AT_IGNORE, 0};
      break;
    default:
      entry->value = arch_offered(entry->type, entry->value);
      break;
  }
}

/* Writes the name over the engine's, ending where that ended. Its address, or 0 if it does not fit. */
static uintptr_t name_on_top(const struct start_stack *stack, const char *execfn) {
  char *old = (char *)stack_value(stack, AT_EXECFN);
  if (!old) return 0;
  size_t old_length = strlen(old), length = strlen(execfn);
  if (length > old_length) return 0;
  memset(old, 0, old_length);
  return (uintptr_t)memcpy(old + old_length - length, execfn, length + 1);
}

static uintptr_t name_in_gap(struct start_stack *stack, const char *execfn) {
  size_t name_bytes = strlen(execfn) + 1;
  uintptr_t vectors_end = (uintptr_t)(stack->auxv + stack->auxv_count);
  uintptr_t sp = ALIGN_DOWN(stack->sp - name_bytes, 16);
  memmove((void *)sp, (void *)stack->sp, vectors_end - stack->sp);
  memset((void *)(vectors_end - (stack->sp - sp)), 0, stack->sp - sp);
  stack_parse((uintptr_t *)sp, stack);
  return (uintptr_t)memcpy((void *)(vectors_end - name_bytes), execfn, name_bytes);
}

void stack_finish(struct start_stack *stack, const struct loaded *loaded, const char *execfn) {
  uintptr_t top = stack_top(stack), name = name_on_top(stack, execfn);
  if (!name) name = name_in_gap(stack, execfn);
  for (size_t i = 0; i < stack->auxv_count; i++) set_entry(&stack->auxv[i], loaded, name);
  struct layout layout = {stack->sp, top, loaded->entry, loaded->heap};
  layout_keep(&layout, stack->auxv, stack->auxv_count * sizeof *stack->auxv);
}
