/* calls_tasks.c: system calls about threads and processes. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/files.h"
#include "sim/kernel/input_log.h"
#include "sim/kernel/mapped_files.h"
#include "sim/kernel/shared_memory.h"
#include "sim/kernel/timers.h"

call_function call_clone, call_execve, call_exit, call_exit_group, call_wait4, call_waitid,
    call_set_tid_address, call_set_robust_list, call_futex, call_getpid, call_getppid, call_gettid,
    call_sched_yield, call_sched_setaffinity, call_sched_getaffinity, call_membarrier, call_prctl;

enum { SP = 2, TP = 4, A0 = 10 };

/* -- Making ------------------------------------------------------------------------------------------------------------------------------ */

struct page_list {
  uint64_t *vaddr;
  unsigned *flags;
  uint64_t count;
};

static void note_page(void *context, uint64_t vaddr, uint64_t entry) {
  struct page_list *list = context;
  if (entry & PAGE_SHARED) return;
  list->vaddr[list->count] = vaddr;
  list->flags[list->count++] = entry & (PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
}

/* The child's memory is what this thread reads, in order with what other threads write meanwhile. */
static bool copy_pages(struct task *task, struct space *child) {
  struct space *space = task->process->space;
  struct page_list list = {calloc(space->pages + 1, sizeof *list.vaddr),
                           calloc(space->pages + 1, sizeof *list.flags), 0};
  bool good = list.vaddr && list.flags;
  if (good) space_each_page(space, note_page, &list);
  for (uint64_t i = 0; good && i < list.count; i++) {
    uint8_t *bytes = space_add_page(child, list.vaddr[i], list.flags[i]);
    uint8_t page[PAGE_BYTES];
    good = bytes != NULL;
    if (good && list.flags[i] & PAGE_READ && !copy_out(task, page, list.vaddr[i], PAGE_BYTES))
      memcpy(bytes, page, PAGE_BYTES);
  }
  free(list.vaddr);
  free(list.flags);
  return good;
}

static struct process *fork_process(struct task *task, bool same_space) {
  struct process *parent = task->process;
  kernel_turn(task);
  struct space *space = same_space ? parent->space : space_fork(parent->space);
  if (!space) return NULL;
  if (!same_space && !copy_pages(task, space)) {
    space_release(space);
    return NULL;
  }
  if (same_space)
    space->users++;
  else
    shared_memory_fork(parent->kernel, parent->space, space);
  struct process *process = process_new(parent->kernel, parent->sphere, space, parent->pid);
  memcpy(process->actions, parent->actions, sizeof process->actions);
  files_copy(process, parent);
  process->path = strdup(parent->path);
  if (parent->directory != AT_FDCWD) process->directory = fcntl(parent->directory, F_DUPFD_CLOEXEC, 3);
  if (parent->directory_path) process->directory_path = strdup(parent->directory_path);
  return process;
}

static void number_child(struct task *parent, struct task *child) {
  struct kernel *kernel = kernel_of(parent);
  struct sphere *sphere = parent->thread.sphere;
  child->thread.number = sphere->threads;
  child->thread.tid = kernel->next_tid;
  input_child(parent, &child->thread.number, &child->thread.tid);
  if (!input_has_room(parent, child->thread.number)) return;
  if (child->thread.number >= sphere->threads) sphere->threads = child->thread.number + 1;
  if (child->thread.tid >= kernel->next_tid) kernel->next_tid = child->thread.tid + 1;
}

static void set_up_child(struct task *parent, struct task *child, const uint64_t argument[6]) {
  child->thread.registers = *task_registers(parent);
  struct registers *r = &child->thread.registers;
  r->pc += 4;
  r->x[A0] = 0;
  r->vector = (struct vector_registers){0};
  if (argument[1]) r->x[SP] = argument[1];
  if (argument[0] & CLONE_SETTLS) r->x[TP] = argument[3];
  if (argument[0] & CLONE_CHILD_CLEARTID) child->clear_tid = argument[4];
}

/* Writes of thread numbers: the child's own word is written here too, in a memory that it alone has if it is a process. */
static void store_tids(struct task *parent, struct task *child, const uint64_t argument[6]) {
  uint32_t tid = child->thread.tid;
  if (argument[0] & CLONE_PARENT_SETTID) copy_in(parent, argument[2], &tid, sizeof tid);
  if (!(argument[0] & CLONE_CHILD_SETTID)) return;
  if (child->process->space == parent->process->space)
    copy_in(parent, argument[4], &tid, sizeof tid);
  else
    space_write(child->process->space, argument[4], &tid, sizeof tid);
}

/* The child's last access to the common memory and the parent's first are to the same word: so the order log has what only the kernel
   knows, and a replay need not wait here. What the parent does next (give the child's stack back) depends on it. */
static void wait_for_vfork(struct task *task, struct process *child) {
  uint32_t pid;
  while (!child->vfork_over && !input_replays(task)) wait_on(task, &child->vfork_parent, UINT64_MAX, false);
  copy_out(task, &pid, KERNEL_PAGE, sizeof pid);
}

int64_t call_clone(struct task *task, const uint64_t argument[6]) {
  uint64_t flags = argument[0];
  struct process *process = task->process;
  const struct watcher *watcher = kernel_of(task)->machine->watcher;
  if (!(flags & CLONE_THREAD) && !(process = fork_process(task, flags & CLONE_VM))) return -ENOMEM;
  struct task *child = task_new(process, task);
  number_child(task, child);
  if (kernel_of(task)->error) return -EAGAIN;
  if (!(flags & CLONE_THREAD)) process->pid = child->thread.tid;
  set_up_child(task, child, argument);
  store_tids(task, child, argument);
  uint32_t tid = child->thread.tid;
  if (watcher && watcher->born) watcher->born(kernel_of(task)->machine, &task->thread, &child->thread);
  if (process != task->process) process->vforked = flags & CLONE_VFORK && flags & CLONE_VM;
  task_start(child);
  if (process->vforked && process != task->process) wait_for_vfork(task, process);
  return tid;
}

/* -- execve ------------------------------------------------------------------------------------------------------------------------------- */

static void free_strings(char **strings) {
  for (uint64_t i = 0; strings && strings[i]; i++) free(strings[i]);
  free(strings);
}

/* An array of strings out of user memory; NULL if there is something wrong with it. */
static const uint64_t longest_string = UINT64_C(32) * PATH_BYTES;
static char **read_strings(struct task *task, uint64_t address) {
  char **strings = calloc(1, sizeof *strings), *text = malloc(longest_string);
  uint64_t at;
  for (uint64_t i = 0; strings && text; i++) {
    char **more = realloc(strings, (i + 2) * sizeof *strings);
    if (!more) break;
    strings = more;
    strings[i] = strings[i + 1] = NULL;
    if (copy_out(task, &at, address + i * 8, 8)) break;
    if (!at) {
      free(text);
      return strings;
    }
    if (copy_string(task, text, at, longest_string) < 0 || !(strings[i] = strdup(text))) break;
  }
  free(text);
  free_strings(strings);
  return NULL;
}

static void wait_until_alone(struct task *task) {
  process_kill_others(task->process, task);
  while (task->process->live > 1) {
    task->thread.port->cycle += 100;
    task->thread.port->horizon = 0;
    kernel_yield(task);
  }
}

static int64_t replace_program(struct task *task, const char *path, char **argv, char **envp) {
  struct process *process = task->process;
  struct space *space = space_new(process->space->machine);
  struct registers registers;
  uint8_t random[16];
  for (int i = 0; i < 16; i++) random[i] = (uint8_t)(i * 37 + 11);
  if (!space) return -ENOMEM;
  char file[PATH_BYTES];
  if (!input_log_find_image(process->sphere, path, file) ||
      image_load(space, file, path, argv, envp, random, &registers)) {
    space_release(space);
    return -ENOEXEC;
  }
  if (process->sphere->mode != SPHERE_REPLAY) wait_until_alone(task);
  process_end_vfork(task);
  shared_memory_leave(process->kernel, process->space);
  space_release(process->space);
  process->space = space;
  mapped_files_settle(process->kernel);
  hart_of(task)->last_space = space;
  port_drop_all(task->thread.port, PORT_ALL);
  *task_registers(task) = registers;
  timers_free(process, false);
  files_close_all(process, true);
  for (int i = 1; i <= SIGNALS; i++)
    if (process->actions[i].handler > 1) process->actions[i] = (struct signal_action){0};
  task->clear_tid = task->alternate_bytes = task->robust_list = 0;
  free(process->path);
  process->path = strdup(path);
  return 0;
}

int64_t call_execve(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int64_t result = copy_string(task, path, argument[0], sizeof path);
  if (result < 0) return result;
  char **argv = read_strings(task, argument[1]), **envp = argv ? read_strings(task, argument[2]) : NULL;
  char *full = directory_join(task->process, path);
  result = argv && envp && full ? replace_program(task, full, argv, envp) : -EFAULT;
  free(full);
  free_strings(argv);
  free_strings(envp);
  return result;
}

/* -- Ending ------------------------------------------------------------------------------------------------------------------------------- */

int64_t call_exit(struct task *task, const uint64_t argument[6]) {
  if (task->process->live == 1 && !task->process->exiting)
    task->process->status = (int)(argument[0] & 255) << 8;
  task_exit(task);
}

int64_t call_exit_group(struct task *task, const uint64_t argument[6]) {
  process_exit(task->process, (int)(argument[0] & 255) << 8);
  task->killed = true;
  return 0;
}

static struct process *find_child(const struct process *parent, int64_t pid, bool *any) {
  *any = false;
  for (struct process *p = parent->kernel->processes; p; p = p->next) {
    if (p->parent != parent->pid || p->reaped || (pid > 0 && p->pid != (uint32_t)pid)) continue;
    *any = true;
    if (p->zombie) return p;
  }
  return NULL;
}

int64_t call_wait4(struct task *task, const uint64_t argument[6]) {
  int64_t pid = (int32_t)argument[0];
  bool any;
  struct process *child;
  while (!(child = find_child(task->process, pid, &any))) {
    if (!any) return -ECHILD;
    if (argument[2] & WNOHANG) return 0;
    if (wait_on(task, &task->process->children, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  child->reaped = true;
  int32_t status = child->status;
  if (argument[1] && copy_in(task, argument[1], &status, sizeof status)) return -EFAULT;
  return child->pid;
}

/* siginfo_t of a child, as far as it is filled in. */
struct target_child {
  int32_t number, error, code, pad, pid, user, status, more[25];
};

int64_t call_waitid(struct task *task, const uint64_t argument[6]) {
  int64_t pid = argument[0] == P_PID ? (int32_t)argument[1] : -1;
  bool any;
  struct process *child;
  if (argument[0] != P_PID && argument[0] != P_ALL) return -EINVAL;
  if (!(argument[3] & WEXITED)) return -EINVAL;
  struct target_child info = {0};
  while (!(child = find_child(task->process, pid, &any))) {
    if (!any) return -ECHILD;
    if (argument[3] & WNOHANG)
      return argument[2] && copy_in(task, argument[2], &info, sizeof info) ? -EFAULT : 0;
    if (wait_on(task, &task->process->children, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  if (!(argument[3] & WNOWAIT)) child->reaped = true;
  bool killed = child->status & 127;
  info = (struct target_child){.number = SIGCHLD,
                               .code = killed ? CLD_KILLED : CLD_EXITED,
                               .pid = (int32_t)child->pid,
                               .status = killed ? child->status & 127 : child->status >> 8 & 255};
  return argument[2] && copy_in(task, argument[2], &info, sizeof info) ? -EFAULT : 0;
}

/* -- The rest -------------------------------------------------------------------------------------------------------------------------------- */

int64_t call_set_tid_address(struct task *task, const uint64_t argument[6]) {
  task->clear_tid = argument[0];
  return task->thread.tid;
}

int64_t call_set_robust_list(struct task *task, const uint64_t argument[6]) {
  task->robust_list = argument[0];
  return 0;
}

int64_t call_futex(struct task *task, const uint64_t argument[6]) {
  return futex_call(task, argument);
}

#define SIMPLE(name, value)                                            \
  int64_t call_##name(struct task *task, const uint64_t argument[6]) { \
    (void)task, (void)argument;                                        \
    return value;                                                      \
  }
SIMPLE(getpid, task->process->pid)
SIMPLE(getppid, task->process->parent)
SIMPLE(gettid, task->thread.tid)
SIMPLE(sched_setaffinity, 0)
SIMPLE(membarrier, argument[0] ? -EINVAL : 0) /* query: no commands */

int64_t call_prctl(struct task *task, const uint64_t argument[6]) {
  char name[sizeof task->name] = {0};
  switch ((int)argument[0]) {
    case PR_SET_NAME: {
      int64_t length = copy_string(task, name, argument[1], sizeof name - 1);
      if (length < 0 && length != -ENAMETOOLONG) return length;
      memcpy(task->name, name, sizeof name);
      return 0;
    }
    case PR_GET_NAME:
      return copy_in(task, argument[1], task->name, sizeof task->name) ? -EFAULT : 0;
    case PR_SET_PDEATHSIG:
    case PR_SET_DUMPABLE:
    case PR_SET_TIMERSLACK:
    case PR_SET_NO_NEW_PRIVS:
      return 0;
    case PR_GET_DUMPABLE:
      return 1;
    default:
      return -EINVAL;
  }
}

int64_t call_sched_yield(struct task *task, const uint64_t argument[6]) {
  (void)argument;
  if (kernel_of(task)->ready_first) {
    task_leave(task, LEAVE_BLOCKED);
    task_ready(task, kernel_now(kernel_of(task)));
    kernel_yield(task);
  }
  return 0;
}

int64_t call_sched_getaffinity(struct task *task, const uint64_t argument[6]) {
  uint32_t harts = kernel_of(task)->machine->config.harts;
  uint64_t mask = harts >= 64 ? ~0ull : (1ull << harts) - 1;
  if (argument[1] < 8) return -EINVAL;
  return copy_in(task, argument[2], &mask, sizeof mask) ? -EFAULT : 8;
}
