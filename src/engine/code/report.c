/* report.c: what the engine says about itself: log lines, counters, and the report of its own crash. */
#include "engine/code/report.h"

#include "engine/base/counters.h"
#include "engine/base/log.h"
#include "engine/base/thread.h"
#include "engine/code/cache.h"

struct counters counters;

void log_line(const char *channel, const char *pattern, ...) {
  char line[1024];
  size_t n = format(line, sizeof line, "reprise[%ld] %s: ", os_call0(__NR_gettid), channel);
  va_list args;
  va_start(args, pattern);
  n += vformat(line + n, sizeof line - n - 1, pattern, args);
  va_end(args);
  n = MIN(n, sizeof line - 2);
  line[n++] = '\n';
  os_call3(__NR_write, 2, line, n);
}

void counters_print(int fd) {
#define X(name, text) \
  print(fd, "%12lu  %s\n", atomic_load_explicit(&counters.name, memory_order_relaxed), text);
  COUNTERS(X)
#undef X
}

void report_engine_state(void) {
  struct thread *thread = arch_self();
  if (!thread) return;
  print(2, "reprise: thread %d, position %lu, application pc %lx\n", thread->tid, arch_position(thread),
        (unsigned long)arch_pc(thread));
  for (unsigned i = 0; i < COUNT_OF(thread->last_blocks); i++) {
    struct block *block = thread->last_blocks[(thread->last_block - i) % COUNT_OF(thread->last_blocks)];
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
