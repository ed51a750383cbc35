/* ptrace.c: the requests of ptrace that only stop and look, as leak checkers do at a program's end.
 *
 * A tracer sees the application's registers of a thread of the sphere (engine/border/tracing.c), logged like any other input. Requests
 * that would change the tracee, or have it report to its tracer from inside the engine, are refused as where tracing is forbidden. */
#include <linux/elf.h>
#include <linux/ptrace.h>

#include "input/row.h"
#if defined(__x86_64__)
#include <asm/ptrace-abi.h>
#endif

enum { WORD = 8, REGISTERS = 216, FLOATING = 512 };

/* struct iovec: the kernel writes as much as there is and says so in its length. */
static void register_set(struct input_walk *w, struct place vector) {
  uint32_t room;
  if (!walk_note(w, vector.address + WORD, &room)) return;
  walk_inout(w, vector, (size_t)2 * WORD);
  uint64_t written = room;
  if (w->pass == PASS_INCOMING) walk_u64(w, vector.address + WORD, &written);
  walk_out(w, walk_pointer(w, vector, 0), room, (size_t)written < room ? (size_t)written : room);
}

#define WITHOUT_MEMORY(name) \
  { PTRACE_##name, INPUT_EMULATE, 0, INPUT_VALUE, 0, "PTRACE_" #name, NULL }
#define READS(name, bytes) \
  { PTRACE_##name, INPUT_EMULATE, 0, INPUT_OUT, bytes, "PTRACE_" #name, NULL }
static const struct input_command commands[] = {
    WITHOUT_MEMORY(ATTACH),
    WITHOUT_MEMORY(SEIZE),
    WITHOUT_MEMORY(INTERRUPT),
    WITHOUT_MEMORY(DETACH),
    WITHOUT_MEMORY(CONT),
    READS(PEEKTEXT, WORD),
    READS(PEEKDATA, WORD),
    READS(PEEKUSR, WORD),
#if defined(__x86_64__)
    READS(GETREGS, REGISTERS),
    READS(GETFPREGS, FLOATING),
#endif
    {PTRACE_GETREGSET, INPUT_EMULATE, 0, INPUT_POINTER, 0, "PTRACE_GETREGSET", register_set},
};

const struct input_command *ptrace_command(uint32_t command) {
  return input_find_command(commands, sizeof commands / sizeof *commands, command);
}

void walk_ptrace(struct input_walk *w) {
  walk_command(w, ptrace_command((uint32_t)w->call->args[0]), 3);
}
