/* start.c: from the kernel's hand-over to the first instruction of the program.
 *
 * The kernel has started the engine with the program's arguments, environment and an auxiliary vector of its own; the
 * configuration lies on the descriptor after the engine's own file. From there on the engine does what the kernel's ELF
 * loader would have done. */
#include <linux/auxvec.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>

#include "engine/arena.h"
#include "engine/cache.h"
#include "engine/dispatch.h"
#include "engine/exec.h"
#include "engine/files.h"
#include "engine/lib.h"
#include "engine/loader.h"
#include "engine/log.h"
#include "engine/maps.h"
#include "engine/mappings.h"
#include "engine/signals.h"
#include "engine/stack.h"

struct engine_config config;
int engine_fd;

void engine_main(uintptr_t *sp);

static void find_config(const struct start_stack *stack) {
  const char *name = (const char *)stack_value(stack, AT_EXECFN);
  static const char prefix[] = "/dev/fd/";
  if (!name || strncmp(name, prefix, sizeof prefix - 1)) die(125, "the engine is started by `reprise run`, not by hand");
  for (const char *digit = name + sizeof prefix - 1; *digit; digit++) engine_fd = engine_fd * 10 + (*digit - '0');
  long n = os_call4(__NR_pread64, engine_fd + FD_CONFIG, &config, sizeof config, 0);
  if (n != sizeof config || config.magic != ENGINE_CONFIG_MAGIC)
    die(125, "the engine's configuration is missing or of another version");
  config.program[ENGINE_PATH_MAX - 1] = config.execfn[ENGINE_PATH_MAX - 1] = 0;
}

/* The program can't be started. Told to the user if it is the first; otherwise execve has already succeeded as far as
 * its caller is concerned, and the process ends as the kernel ends one whose loading fails half-way. */
static _Noreturn void fail(long error, const char *problem) {
  if (config.first) {
    if (problem) die(126, "%s: %s", config.program, problem);
    die(error == -ENOENT ? 127 : 126, "%s: %s", config.program,
        error == -ENOENT ? "no such file" : error == -EACCES ? "permission denied" : "can't be executed");
  }
  LOG(start, "%s: error %ld: %s", config.program, error, problem ? problem : "");
  struct {
    uintptr_t handler, flags, restorer, mask;
  } standard = {0, 0, 0, 0};
  os_call4(__NR_rt_sigaction, SIGSEGV, &standard, 0, 8);
  for (;;) {
    os_call2(__NR_kill, os_call0(__NR_getpid), SIGSEGV);
    os_call1(__NR_exit_group, 128 + SIGSEGV);
  }
}

/* Maps the open program and its interpreter. */
static void load(int fd, struct loaded *loaded) {
  struct image *program = arena_alloc(sizeof *program), *interpreter = arena_alloc(sizeof *interpreter);
  long result = image_read(fd, program);
  if (result) fail(result, program->problem);
  bool has_interpreter = program->interpreter[0];
  if (has_interpreter) {
    result = image_read_interpreter(program->interpreter, interpreter);
    if (result) fail(result, interpreter->problem);
  }
  result = loader_map(program, has_interpreter ? interpreter : NULL, loaded);
  if (result) fail(result, program->problem);
  if (has_interpreter) os_call1(__NR_close, interpreter->fd);
  arena_free(program, sizeof *program);
  arena_free(interpreter, sizeof *interpreter);
}

/* What the kernel mapped for the engine besides its file: the stack becomes the program's, the vDSO goes, so that the
 * interpreter lands where it would natively. */
static void visit_start_mapping(const struct maps_line *line, void *context) {
  struct start_stack *stack = context;
  if (line->start <= stack->sp && stack->sp < line->end) {
    mappings_add_stack(line->start, line->end, PROT_READ | PROT_WRITE);
  } else if (!strcmp(line->name, "[vdso]") || !strncmp(line->name, "[vvar", 5)) {
    os_call2(__NR_munmap, line->start, line->end - line->start);
  }
}

static void take_over_mappings(struct start_stack *stack) {
  if (maps_visit("/proc/self/maps", visit_start_mapping, stack)) return;
  /* Without /proc: the part of the stack that is surely there. */
  mappings_add_stack(ALIGN_DOWN(stack->sp, PAGE), stack_top(stack), PROT_READ | PROT_WRITE);
}

static void make_stack_executable(const struct start_stack *stack) {
  uintptr_t page = ALIGN_DOWN(stack->sp, PAGE);
  struct call call = {__NR_mprotect,
                      {(long)page, (long)(stack_top(stack) - page),
                       PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN, 0, 0, 0}};
  long result;
  mappings_call(NULL, &call, &result);
  if (result) fail(result, "its stack can't be made executable");
}

void engine_main(uintptr_t *sp) {
  struct start_stack stack;
  stack_parse(sp, &stack);
  find_config(&stack);
  arch_init_machine();
  cache_init();
  struct thread *thread = thread_first();
  signals_init(thread);

  const char *problem = NULL;
  long fd = config.program_fd >= 0 ? config.program_fd : exec_first(thread, stack.argv, stack.envp, &problem);
  if (fd < 0) fail(fd, problem);
  take_over_mappings(&stack);
  struct loaded loaded;
  load((int)fd, &loaded);
  if (files_reserve((int)fd, FD_PROGRAM)) os_call3(__NR_fcntl, fd, F_SETFD, FD_CLOEXEC);
  heap_init(loaded.heap, loaded.data_bytes);
  if (loaded.executable_stack) make_stack_executable(&stack);
  stack_finish(&stack, &loaded, config.execfn);
  os_call2(__NR_prctl, PR_SET_NAME, config.comm);
  LOG(start, "%s: start %lx, stack %lx, heap %lx", config.program, loaded.start, stack.sp, loaded.heap);
  arch_reset(thread, loaded.start, stack.sp);
  arch_start(thread);
}
