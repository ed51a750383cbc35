/* report.c: the engine's report of its own crash. */
#include "engine/code/report.h"

#include "engine/base/lib.h"
#include "engine/base/thread.h"
#include "engine/code/cache.h"

void report_engine_state(void) {
  struct thread *thread = arch_self();
  if (!thread) return;
  print(2, "reprise: thread %d, position %lu, application pc %lx\n", thread->tid, arch_position(thread),
        (unsigned long)arch_pc(thread));
  for (unsigned i = 0; i < COUNT_OF(thread->loop.last_blocks); i++) {
    struct block *block =
        thread->loop.last_blocks[(thread->loop.last_block - i) % COUNT_OF(thread->loop.last_blocks)];
    if (block) print(2, "reprise:   entered block %lx, code at %lx\n", block->pc, arch_entry(block));
  }
  arch_print_state(2, thread);
}

void report_engine_fault(int signo, uintptr_t pc, uintptr_t address) {
  struct block *block = cache_block_at(pc);
  print(2, "reprise: internal error: signal %d at engine address %lx (%s), touching %lx\n", signo, pc,
        block ? "code cache" : "engine code", address);
  if (block)
    print(2, "reprise: in the block of application pc %lx, at its byte %lu\n", block->pc, pc - block->code);
  report_engine_state();
  for (;;) os_call1(__NR_exit_group, 125);
}
