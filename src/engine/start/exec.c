/* exec.c: execve inside the sphere.
 *
 * The new program must run under the engine too, so the engine executes itself with the new argument vector and leaves
 * the configuration, which names the program to load. All errors are found before that: the kernel is asked to check
 * the call (AT_EXECVE_CHECK, where it has it), the file is opened, "#!" lines are followed, ELF headers read. So errors
 * are returned as natively and the caller loses nothing.
 *
 * Set-user-ID programs and files with capabilities run without the privilege: it is the engine's file that the kernel
 * executes. Formats registered with binfmt_misc are not known here.
 *
 * The working memory lies in the thread's slot. After a successful exec of a vfork child it stays behind in the parent's
 * address space until the slot is used again. */
#include "engine/start/exec.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "contract/engine_name.h"
#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/border/sphere.h"
#include "engine/border/thread_words.h"
#include "engine/code/lasting.h"
#include "engine/memory/mappings.h"
#include "engine/signals/signals.h"
#include "engine/start/image.h"
#include "engine/start/script.h"
#include "engine/view/descriptors.h"
#include "engine/view/files.h"

#ifndef AT_EXECVE_CHECK
#define AT_EXECVE_CHECK 0x10000
#endif

enum { SCRIPT_DEPTH = 5, PREFIX_MAX = 2 * SCRIPT_DEPTH + 2, POINTERS_MAX = 0x600000 / sizeof(char *) };

struct work {
  struct engine_config config;
  char path[ENGINE_PATH_MAX]; /* the file to open next */
  struct script_line lines[SCRIPT_DEPTH + 1];
  const char *prefix[PREFIX_MAX]; /* what scripts put in place of argv[0] */
  unsigned prefix_count;
  struct image image, interpreter;
  const char *problem;
  const char *argv[POINTERS_MAX + PREFIX_MAX + 1];
};
_Static_assert(sizeof(struct work) <= SLOT_SCRATCH_SIZE, "must fit in the slot");

static struct work *work_begin(struct thread *thread) {
  long at = os_call6(__NR_mmap, (uintptr_t)thread + SLOT_SCRATCH, sizeof(struct work), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) return NULL;
  struct work *work = (struct work *)at;
  work->config = config;
  work->config.judged = thread->judged;
  return work;
}

static void work_end(struct work *work) {
  os_call2(__NR_munmap, work, sizeof *work);
}

/* -- Scripts ---------------------------------------------------------------------------------------------------------- */

/* Puts interpreter, argument and the script's own name in front of the arguments. */
static void add_prefix(struct work *work, const struct script_line *line, const char *script) {
  unsigned added = line->argument ? 2 : 1;
  unsigned kept = work->prefix_count ? work->prefix_count - 1 : 0; /* all but the old argv[0] */
  memmove(work->prefix + added + 1, work->prefix + 1, kept * sizeof *work->prefix);
  work->prefix[0] = line->interpreter;
  if (line->argument) work->prefix[1] = line->argument;
  work->prefix[added] = script;
  work->prefix_count = added + 1 + kept;
}

/* Follows "#!" from the open file fd to a file that is none. Returns its descriptor; fd is closed unless it is that. */
static long follow_scripts(struct work *work, long fd, bool script_reachable) {
  const char *script = work->config.execfn;
  for (unsigned depth = 0;; depth++) {
    struct script_line *line = &work->lines[depth];
    memset(line->text, 0, sizeof line->text);
    long n = os_call4(__NR_pread64, fd, line->text, sizeof line->text, 0);
    long kind = n < 0 ? n : script_cut(line);
    if (kind == 0) return fd;
    os_call1(__NR_close, fd);
    if (kind < 0) {
      work->problem = "a script whose first line names no interpreter";
      return kind;
    }
    if (!script_reachable) return -ENOENT;
    format(work->path, sizeof work->path, "%s", line->interpreter);
    files_real_program(AT_FDCWD, work->path);
    fd = image_open(AT_FDCWD, work->path, 0);
    if (fd < 0) {
      work->problem = fd == -ENOENT ? "a script whose interpreter is missing"
                                    : "a script whose interpreter is not executable";
      return fd;
    }
    if (depth == SCRIPT_DEPTH) { /* as the kernel: it opens the interpreter before it counts */
      os_call1(__NR_close, fd);
      work->problem = "too many scripts that interpret each other";
      return -ELOOP;
    }
    add_prefix(work, line, script);
    script = line->interpreter;
  }
}

/* The arguments with the scripts' in front, as a new vector. The strings stay where they are. */
static long build_argv(struct work *work, uintptr_t argv) {
  unsigned n = 0;
  for (; n < work->prefix_count; n++) work->argv[n] = work->prefix[n];
  bool skipped = false;
  for (size_t i = 0; argv; i++) {
    const char *argument;
    if (safe_copy(&argument, (const char **)argv + i, sizeof argument)) return -EFAULT;
    if (!argument) break;
    if (!skipped) {
      skipped = true;
      continue;
    }
    if (n == POINTERS_MAX + PREFIX_MAX) return -E2BIG;
    work->argv[n++] = argument;
  }
  work->argv[n] = NULL;
  return 0;
}

/* -- The new program ------------------------------------------------------------------------------------------------- */

/* True if a program with fixed addresses wants those of the engine: most likely it is the engine. */
static bool wants_engine_region(const struct image *image) {
  if (image->header.e_type != ET_EXEC) return false;
  for (unsigned i = 0; i < image->header.e_phnum; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type == PT_LOAD && mappings_in_engine(s->p_vaddr, s->p_memsz)) return true;
  }
  return false;
}

/* 0 if an open ELF file can be run, its interpreter included. */
static long check_program(struct work *work, int fd) {
  long result = image_read(fd, &work->image);
  work->problem = work->image.problem;
  if (!result && wants_engine_region(&work->image)) return -ENOMEM;
  if (result || !work->image.interpreter[0]) return result;
  result = image_read_interpreter(work->image.interpreter, &work->interpreter);
  work->problem = work->interpreter.problem;
  if (!result) os_call1(__NR_close, work->interpreter.fd);
  return result;
}

/* Leaves the configuration where the new engine looks for it. A confined process can't make a file where there are no memory files. */
static long leave_config(struct work *work) {
  long fd = scratch_file("reprise");
  if (fd < 0 && config.confined) fd = region_ask_file(REQUEST_NEW_FILE, 0);
  if (fd < 0) return fd;
  long n = os_call4(__NR_pwrite64, fd, &work->config, sizeof work->config, 0);
  if (n == sizeof work->config && descriptor_reserve((int)fd, FD_CONFIG) == 0) return 0;
  os_call1(__NR_close, fd);
  if (n != sizeof work->config) return -ENOMEM;
  /* The limit on descriptors has been lowered below ours: use the old file. */
  n = os_call4(__NR_pwrite64, engine_fd + FD_CONFIG, &work->config, sizeof work->config, 0);
  return n == sizeof work->config ? 0 : -ENOMEM;
}

/* Executes the engine as the launcher does: by a name as long as the program's own, or, where there is no /proc, or the
 * process is confined, by descriptor. A
 * signal that has been taken already must not be lost. */
static long execute_engine(struct thread *thread, const struct work *work, uintptr_t argv, uintptr_t envp) {
  char name[ENGINE_PATH_MAX];
  handover_name(name, sizeof name, engine_fd, strlen(work->config.execfn));
  struct call by_name = {__NR_execve, {(long)name, (long)argv, (long)envp}};
  long result = config.confined ? -ENOENT : arch_blocking_call(thread, &by_name);
  if (result != -ENOENT) return result;
  struct call by_number = {__NR_execveat, {engine_fd, (long)no_name, (long)argv, (long)envp, AT_EMPTY_PATH}};
  return arch_blocking_call(thread, &by_number);
}

/* Point of no return for a program that has passed all checks; -errno if the kernel refuses all the same. */
static long enter(struct thread *thread, struct work *work, int fd, uintptr_t argv, uintptr_t envp) {
  work->config.program_fd = fd;
  format(work->config.program, sizeof work->config.program, "%s", work->path);
  if (in_sphere() && thread->rthread) {
    thread_leave_robust_list(thread);
    sphere_before_exec(thread, &work->config);
  }
  long result = leave_config(work);
  if (result && in_sphere() && thread->rthread) sphere_exec_failed(thread);
  if (result) return result;
  lasting_save();
  LOG(start, "execute %s as %s", work->config.program, work->config.execfn);
  if (fd >= 0) os_call3(__NR_fcntl, fd, F_SETFD, 0);
  signals_before_exec(thread);
  result = execute_engine(thread, work, argv, envp);
  signals_exec_failed(thread);
  if (in_sphere() && thread->rthread) sphere_exec_failed(thread);
  return result;
}

static void set_comm(struct engine_config *to, const char *path) {
  const char *slash = strrchr(path, '/');
  memset(to->comm, 0, sizeof to->comm);
  const char *name = slash ? slash + 1 : path;
  memcpy(to->comm, name, MIN(strlen(name), sizeof to->comm - 1));
}

/* Names the program as the kernel does: by the path given, or by descriptor when it is relative to one. */
static void set_names(struct work *work, int directory, long fd) {
  if (directory == AT_FDCWD || work->path[0] == '/') {
    format(work->config.execfn, sizeof work->config.execfn, "%s", work->path);
    set_comm(&work->config, work->path);
    return;
  }
  char *name = work->config.execfn;
  format(name, sizeof work->config.execfn, "/dev/fd/%d%s%s", directory, work->path[0] ? "/" : "", work->path);
  set_comm(&work->config, name);
  if (work->path[0]) return;
  char link[32], target[ENGINE_PATH_MAX] = {0};
  format(link, sizeof link, "/proc/self/fd/%ld", fd);
  if (os_call4(__NR_readlinkat, AT_FDCWD, link, target, sizeof target - 1) > 0)
    set_comm(&work->config, target);
}

/* -- execve and execveat ----------------------------------------------------------------------------------------------- */

struct request {
  int directory;
  uintptr_t path, argv, envp;
  int flags;
};

static bool kernel_checks(void) {
  static int known; /* 1 it does, -1 it does not */
  if (!known) {
    const char *const none[] = {"", NULL};
    known = os_call5(__NR_execveat, engine_fd, "", none, none, AT_EMPTY_PATH | AT_EXECVE_CHECK) == 0 ? 1 : -1;
  }
  return known > 0;
}

static bool closes_on_exec(int fd) {
  return fd >= 0 && (os_call2(__NR_fcntl, fd, F_GETFD) & FD_CLOEXEC);
}

static long execute(struct thread *thread, struct work *work, const struct request *r) {
  if (replaying()) { /* the log has the files to load, and the stack */
    work->config.first = 0;
    return enter(thread, work, -1, r->argv, r->envp);
  }
  long result = files_copy_path(work->path, r->path);
  if (result < 0) return result;
  if (r->flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) return -EINVAL;
  if (kernel_checks()) {
    result = os_call5(__NR_execveat, r->directory, work->path, r->argv, r->envp, r->flags | AT_EXECVE_CHECK);
    if (result) return result;
  }
  set_names(work, r->directory, r->directory);
  bool reachable = r->directory == AT_FDCWD || work->path[0] == '/' || !closes_on_exec(r->directory);
  files_real_program(r->directory, work->path);
  long fd = image_open(r->directory, work->path, r->flags);
  if (fd >= 0) fd = follow_scripts(work, fd, reachable);
  if (fd < 0) return fd;
  result = check_program(work, (int)fd);
  uintptr_t argv = r->argv;
  if (!result && work->prefix_count) {
    result = build_argv(work, argv);
    argv = (uintptr_t)work->argv;
  }
  if (!result) {
    work->config.first = 0;
    result = enter(thread, work, (int)fd, argv, r->envp);
  }
  os_call1(__NR_close, fd);
  return result;
}

bool exec_call(struct thread *thread, const struct call *call, long *result) {
  const long *a = call->args;
  struct request request;
  if (call->nr == __NR_execve)
    request = (struct request){AT_FDCWD, (uintptr_t)a[0], (uintptr_t)a[1], (uintptr_t)a[2], 0};
  else if (call->nr == __NR_execveat)
    request = (struct request){(int)a[0], (uintptr_t)a[1], (uintptr_t)a[2], (uintptr_t)a[3], (int)a[4]};
  else
    return false;
  if (request.flags & AT_EXECVE_CHECK) { /* the application only asks */
    *result = os_call5(__NR_execveat, a[0], a[1], a[2], a[3], a[4]);
    return true;
  }
  struct work *work = work_begin(thread);
  *result = work ? execute(thread, work, &request) : -ENOMEM;
  if (work) work_end(work);
  return true;
}

long exec_first(struct thread *thread, char **argv, char **envp, const char **problem) {
  format(config.execfn, sizeof config.execfn, "%s", config.program);
  struct work *work = work_begin(thread);
  if (!work) return -ENOMEM;
  memcpy(work->path, config.program, sizeof work->path);
  set_names(work, AT_FDCWD, -1);
  long fd = image_open(AT_FDCWD, work->path, 0);
  if (fd >= 0) fd = follow_scripts(work, fd, true);
  if (fd >= 0 && work->prefix_count) {
    long result = check_program(work, (int)fd);
    if (!result) result = build_argv(work, (uintptr_t)argv);
    if (!result) result = enter(thread, work, (int)fd, (uintptr_t)work->argv, (uintptr_t)envp);
    fd = result;
  }
  memcpy(config.comm, work->config.comm, sizeof config.comm);
  memcpy(config.execfn, work->config.execfn, sizeof config.execfn);
  *problem = work->problem;
  work_end(work);
  return fd;
}
