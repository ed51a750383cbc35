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
#include "engine/descriptors.h"
#include "engine/handover.h"
#include "engine/lib.h"
#include "engine/limits.h"
#include "engine/loader.h"
#include "engine/log.h"
#include "engine/maps.h"
#include "engine/mappings.h"
#include "engine/signals.h"
#include "engine/sphere.h"
#include "engine/stack.h"
#include "engine/vdso.h"

struct engine_config config;
int engine_fd;

void engine_main(uintptr_t *sp);

static void find_config(const struct start_stack *stack) {
  const char *name = (const char *)stack_value(stack, AT_EXECFN);
  engine_fd = name ? handover_descriptor(name) : -1;
  if (engine_fd < 0) die(125, "the engine is started by `reprise run`, not by hand");
  long n = os_call4(__NR_pread64, engine_fd + FD_CONFIG, &config, sizeof config, 0);
  if (n != sizeof config || config.magic != ENGINE_CONFIG_MAGIC)
    die(125, "the engine's configuration is missing or of another version");
  config.program[ENGINE_PATH_MAX - 1] = config.execfn[ENGINE_PATH_MAX - 1] = 0;
}

/* The program can't be started. Told to the user if it is the first; otherwise execve has already succeeded as far as
 * its caller is concerned, and the process ends as the kernel ends one whose loading fails half-way. */
static _Noreturn void fail(long error, const char *problem) {
  if (config.first) {
    if (!problem) problem = error == -EACCES ? "permission denied" : "can't be executed";
    die(error == -ENOENT ? 127 : 126, "%s: %s", config.execfn, problem);
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

/* The interpreter of a program, open. */
static long read_interpreter(struct thread *thread, const char *path, struct image *image) {
  if (!replaying()) return image_read_interpreter(path, image);
  uintptr_t place;
  long result = image_read_as_interpreter(sphere_next_image(thread, &place), image);
  image->place = place;
  return result;
}

/* Maps the open program and its interpreter. */
static void load(struct thread *thread, int fd, uintptr_t place, uintptr_t top, struct loaded *loaded) {
  struct image *program = arena_alloc(sizeof *program), *interpreter = arena_alloc(sizeof *interpreter);
  long result = image_read(fd, program);
  program->place = place;
  if (!result && config.first) result = image_check_complete(program);
  if (result) fail(result, program->problem);
  bool has_interpreter = program->interpreter[0];
  if (has_interpreter) {
    result = read_interpreter(thread, program->interpreter, interpreter);
    if (result) fail(result, interpreter->problem);
  }
  result = loader_map(program, has_interpreter ? interpreter : NULL, top, loaded);
  if (result) fail(result, program->problem);
  if (recording()) {
    sphere_mapped_image(thread, fd, program->place, program->extent);
    if (has_interpreter)
      sphere_mapped_image(thread, interpreter->fd, interpreter->place, interpreter->extent);
  }
  if (has_interpreter) os_call1(__NR_close, interpreter->fd);
  arena_free(program, sizeof *program);
  arena_free(interpreter, sizeof *interpreter);
}

/* What the kernel has mapped besides the engine's file. */
struct given {
  uintptr_t sp;
  uintptr_t stack_start, stack_end;
  struct {
    uintptr_t start, end;
  } vdso[4]; /* its data pages first, then its code: adjacent */
  unsigned vdso_count;
};

static void visit_given(const struct maps_line *line, void *context) {
  struct given *given = context;
  if (!line->header) return;
  if (line->start <= given->sp && given->sp < line->end) {
    given->stack_start = line->start;
    given->stack_end = line->end;
  } else if ((!strcmp(line->name, "[vdso]") || !strncmp(line->name, "[vvar", 5)) &&
             given->vdso_count < COUNT_OF(given->vdso)) {
    given->vdso[given->vdso_count].start = line->start;
    given->vdso[given->vdso_count++].end = line->end;
  }
}

/* Moves the vDSO into the engine's region, so that the program's interpreter lands where it would natively and the engine
 * can still read the clocks. Its parts address each other, so their distances are kept. Returns the new place of code. */
static uintptr_t move_vdso(const struct given *given, uintptr_t code) {
  for (unsigned i = 0; i < given->vdso_count; i++) {
    uintptr_t to = VDSO_BASE + (given->vdso[i].start - given->vdso[0].start);
    size_t bytes = given->vdso[i].end - given->vdso[i].start;
    long at = os_call5(__NR_mremap, given->vdso[i].start, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (os_failed(at)) return 0; /* half of it is of no use */
  }
  return given->vdso_count && code ? code - given->vdso[0].start + VDSO_BASE : 0;
}

static void take_over_mappings(const struct start_stack *stack) {
  struct given given = {.sp = stack->sp};
  uintptr_t vdso = stack_value(stack, AT_SYSINFO_EHDR);
  if (maps_visit("/proc/self/maps", visit_given, &given)) {
    vdso = move_vdso(&given, vdso);
  } else { /* without /proc: the part of the stack that is surely there */
    given.stack_start = ALIGN_DOWN(stack->sp, PAGE);
    given.stack_end = stack_top(stack);
  }
  vdso_init(vdso);
  mappings_add_stack(given.stack_start, given.stack_end, PROT_READ | PROT_WRITE);
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
  limits_init();
  arch_init_machine();
  cache_init();
  struct thread *thread = thread_first();
  signals_init(thread);

  const char *problem = NULL;
  uintptr_t place = 0;
  long fd = config.program_fd;
  if (fd < 0 && !replaying()) fd = exec_first(thread, stack.argv, stack.envp, &problem);
  if (fd < 0 && !replaying()) fail(fd, problem);
  if (in_sphere()) sphere_start(thread);
  if (replaying()) fd = sphere_next_image(thread, &place);
  take_over_mappings(&stack);
  struct loaded loaded;
  load(thread, (int)fd, place, stack_top(&stack), &loaded);
  descriptor_keep_program((int)fd);
  heap_init(loaded.heap, loaded.data_bytes);
  if (loaded.executable_stack) make_stack_executable(&stack);
  uintptr_t top = stack_top(&stack);
  stack_finish(&stack, &loaded, config.execfn);
  if (in_sphere()) sphere_stack(thread, &stack.sp, top);
  os_call2(__NR_prctl, PR_SET_NAME, config.comm);
  LOG(start, "%s: start %lx, stack %lx, heap %lx", config.program, loaded.start, stack.sp, loaded.heap);
  arch_reset(thread, loaded.start, stack.sp);
  if (in_sphere()) sphere_begin_program(thread);
  arch_start(thread);
}
