/* start.c: from the kernel's hand-over to the first instruction of the program.
 *
 * The kernel has started the engine with the program's arguments, environment and an auxiliary vector of its own; the
 * configuration lies on the descriptor after the engine's own file. From there on the engine does what the kernel's ELF
 * loader would have done. */
#include <linux/auxvec.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>

#include "contract/engine_name.h"
#include "engine/base/arena.h"
#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/border/confine.h"
#include "engine/border/sphere.h"
#include "engine/code/cache.h"
#include "engine/code/lasting.h"
#include "engine/memory/layout.h"
#include "engine/memory/limits.h"
#include "engine/memory/mappings.h"
#include "engine/memory/maps.h"
#include "engine/signals/signals.h"
#include "engine/start/exec.h"
#include "engine/start/loader.h"
#include "engine/start/stack.h"
#include "engine/threads/threads.h"
#include "engine/threads/checkpoint_vessel.h"
#include "engine/view/descriptors.h"
#include "engine/view/vdso.h"

void engine_main(uintptr_t *sp);

static void find_config(const struct start_stack *stack) {
  const char *name = (const char *)stack_value(stack, AT_EXECFN);
  engine_fd = name ? handover_descriptor(name) : -1;
  if (engine_fd < 0) die(125, "the engine is started by `reprise run`, not by hand");
  long n = os_call4(__NR_pread64, engine_fd + FD_CONFIG, &config, sizeof config, 0);
  if (n != sizeof config || config.magic != ENGINE_CONFIG_MAGIC)
    die(125, "the engine's configuration is missing or of another version");
  config.program[ENGINE_PATH_MAX - 1] = config.execfn[ENGINE_PATH_MAX - 1] = 0;
  config_decide();
}

/* A program that is executed later is confined by the process that executes it. */
static void confine_first(void) {
  if (!replaying() || !config.first || !config.confined) return;
  long error = confine();
  if (error)
    die(125, "the replay can't be confined here (error %ld): --unconfined replays a recording that you trust",
        -error);
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
    if (!replaying()) os_call2(__NR_kill, os_call0(__NR_getpid), SIGSEGV);
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

/* The bytes of stack that the kernel maps beyond the content that it has put there. */
enum { STACK_AHEAD = 0x21000 };

/* The kernel's mappings besides the engine's file. */
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

/* Without /proc the extent of the vDSO is unknown. In replay it may lie where the program wants to be: it goes,
 * with the pages before it, which are its data. */
static uintptr_t drop_vdso(uintptr_t code) {
  enum { PAGES_BEFORE = 16, PAGES_MOST = 32 };
  unsigned char present;
  if (!code) return 0;
  uintptr_t start = code, end = code;
  for (unsigned i = 0; i < PAGES_BEFORE && !os_call3(__NR_mincore, start - PAGE, PAGE, &present); i++)
    start -= PAGE;
  for (unsigned i = 0; i < PAGES_MOST && !os_call3(__NR_mincore, end, PAGE, &present); i++) end += PAGE;
  os_call2(__NR_munmap, start, end - start);
  return 0;
}

/* The kernel may put the stack anywhere. Replay makes a new one of the recorded size at the recorded address, if it is not there already;
 * the log has its content. */
static void replace_stack(struct given *given, uintptr_t top) {
  size_t bytes = given->stack_end - given->stack_start;
  if (top % PAGE || top < 2 * bytes || mappings_in_engine(top - bytes, bytes))
    sphere_fail(OUTCOME_DAMAGED, "the recording has a senseless stack, which ends at %lx", top);
  os_call2(__NR_munmap, given->stack_start, bytes);
  given->stack_start = top - bytes;
  given->stack_end = top;
  long at = os_call6(__NR_mmap, given->stack_start, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED_NOREPLACE, -1, 0);
  if (at != (long)given->stack_start)
    sphere_fail(OUTCOME_FAILED, "can't make the stack below %lx, as in the recording (got %ld)", top, at);
}

/* Returns the end of the stack. In replay nothing is left of the content that the kernel has put there. */
static uintptr_t take_over_mappings(struct thread *thread, const struct start_stack *stack) {
  struct given given = {.sp = stack->sp};
  uintptr_t vdso = stack_value(stack, AT_SYSINFO_EHDR), end = stack_top(stack), top = end;
  if (maps_visit(own_first_maps, visit_given, &given)) {
    vdso = move_vdso(&given, vdso);
  } else { /* without /proc: the part of the stack that is surely there */
    given.stack_start = ALIGN_DOWN(stack->sp, PAGE);
    given.stack_end = end;
    if (replaying()) {
      given.stack_start -= STACK_AHEAD;
      vdso = drop_vdso(vdso);
    }
  }
  vdso_init(vdso);
  if (in_sphere()) top = sphere_stack_top(thread, end);
  if (replaying() && top != end) replace_stack(&given, top);
  if (replaying() && top == end) memset((void *)stack->sp, 0, end - stack->sp);
  mappings_add_stack(given.stack_start, given.stack_end, PROT_READ | PROT_WRITE);
  return top;
}

/* All of it: the flag goes down to its lower end. */
static void make_stack_executable(uintptr_t top) {
  struct call call = {
      __NR_mprotect,
      {(long)(top - PAGE), PAGE, PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN, 0, 0, 0}};
  long result;
  mappings_call(NULL, &call, &result);
  if (result) fail(result, "its stack can't be made executable");
}

void engine_main(uintptr_t *sp) {
  struct start_stack stack;
  stack_parse(sp, &stack);
  find_config(&stack);
  confine_first();
  if (config.restores) image_restore();
  limits_init();
  arch_init_machine();
  cache_init();
  lasting_init((uint64_t[]){stack_value(&stack, AT_HWCAP), stack_value(&stack, AT_HWCAP2)});
  lasting_own();
  struct thread *thread = thread_first();
  thread->judged = config.judged;
  signals_init(thread);

  const char *problem = NULL;
  uintptr_t place = 0;
  long fd = config.program_fd;
  if (fd < 0 && !replaying()) fd = exec_first(thread, stack.argv, stack.envp, &problem);
  if (fd < 0 && !replaying()) fail(fd, problem);
  if (in_sphere()) {
    if (config.checkpoints || config.live) vessel_init();
    sphere_start(thread);
    signals_let_in(thread);
  }
  uintptr_t top = take_over_mappings(thread, &stack);
  if (replaying()) fd = sphere_next_image(thread, &place);
  struct loaded loaded;
  load(thread, (int)fd, place, top, &loaded);
  descriptor_keep_program((int)fd);
  heap_init(loaded.heap, loaded.data_bytes);
  if (loaded.executable_stack) make_stack_executable(top);
  if (!replaying()) stack_finish(&stack, &loaded, config.execfn);
  if (in_sphere()) stack.sp = sphere_stack(thread, stack.sp, top);
  if (replaying()) layout_announce(&(struct layout){stack.sp, top, loaded.entry, loaded.heap});
  os_call2(__NR_prctl, PR_SET_NAME, config.comm);
  LOG(start, "%s: start %lx, stack %lx, heap %lx", config.program, loaded.start, stack.sp, loaded.heap);
  arch_reset(thread, loaded.start, stack.sp);
  if (in_sphere()) sphere_begin_program(thread);
  arch_start(thread);
}
