/* files.c: keeps the engine out of the application's sight. See files.h.
 *
 * /proc/…/exe of a process under the engine names the engine's file; its real program is held open on FD_PROGRAM, and
 * /proc/…/fd/<that> behaves in every respect as the link should, so paths are rewritten and the kernel does the rest. maps,
 * smaps, auxv and status are answered with edited copies, made when they are opened; fd and fdinfo lack the engine's
 * descriptors (listing.c).
 *
 * Known limits. An open maps file does not change any more; its descriptor names a memory file. Writing to
 * one's own code through /proc/self/mem is noticed from pwrite, not from lseek and write. */
#include "engine/view/files.h"

#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/personality.h>

#include "engine/base/lib.h"
#include "engine/memory/mappings.h"
#include "engine/signals/kernel_call.h"
#include "engine/view/descriptors.h"
#include "engine/view/edited.h"
#include "engine/view/listing.h"
#include "engine/view/proc_path.h"

/* -- Paths ---------------------------------------------------------------------------------------------------------- */

long files_copy_path(char path[ENGINE_PATH_MAX], uintptr_t from) {
  for (size_t n = 0; n < ENGINE_PATH_MAX;) {
    size_t part = MIN(MIN(64 - (from + n) % 64, 64), ENGINE_PATH_MAX - n);
    if (safe_copy(path + n, (void *)(from + n), part)) return -EFAULT;
    for (size_t end = n + part; n < end; n++)
      if (!path[n]) return (long)n;
  }
  return -ENAMETOOLONG;
}

bool files_real_program(int directory, char *path) {
  struct proc_path proc;
  if (!proc_path_parse(directory, path, &proc) || proc.file != PROC_EXE) return false;
  if (!proc.own && !proc_runs_engine(proc.folder)) return false;
  format(path, ENGINE_PATH_MAX, "%s/fd/%d", proc.folder,
         proc.own ? descriptor_of_program : engine_fd + FD_PROGRAM);
  return true;
}

static bool open_edited(struct thread *thread, const struct proc_path *proc, long flags, long *result) {
  if ((flags & O_ACCMODE) != O_RDONLY || flags & (O_PATH | O_DIRECTORY)) return false;
  if (!proc->own && !proc_runs_engine(proc->folder)) return false;
  char path[PROC_FOLDER_MAX + 8];
  switch (proc->file) {
    case PROC_MAPS:
    case PROC_SMAPS:
      format(path, sizeof path, "%s/%s", proc->folder, proc->file == PROC_MAPS ? "maps" : "smaps");
      *result = edited_maps(path, proc->own, (int)flags);
      return true;
    case PROC_AUXV:
      if (!proc->own) return false;
      *result = edited_auxv((int)flags);
      return true;
    case PROC_STATUS:
      if (!proc->own) return false;
      format(path, sizeof path, "%s/status", proc->folder);
      *result = edited_status(path, thread, proc->thread, (int)flags);
      return true;
    default:
      return false;
  }
}

/* The kernel refuses to open the file of a running program for writing. */
static bool writes_program(const struct proc_path *proc, long flags) {
  return proc->file == PROC_EXE && ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC) && !(flags & O_PATH);
}

/* The arguments of a call that are its path, its directory (or -1: the working directory), its flags if it opens, and the buffer for
 * a file's state if it asks for that. */
struct path_call {
  long nr;
  signed char path, directory, flags, answer;
};

enum { NONE = -1, IN_STRUCTURE = -2 };

static const struct path_call path_calls[] = {
    {__NR_openat, 1, 0, 2, NONE},         {__NR_openat2, 1, 0, IN_STRUCTURE, NONE},
    {__NR_newfstatat, 1, 0, NONE, 2},     {__NR_statx, 1, 0, NONE, 4},
    {__NR_faccessat, 1, 0, NONE, NONE},   {__NR_faccessat2, 1, 0, NONE, NONE},
    {__NR_readlinkat, 1, 0, NONE, NONE},
#ifdef __NR_open
    {__NR_open, 0, NONE, 1, NONE},        {__NR_stat, 0, NONE, NONE, 1},
    {__NR_lstat, 0, NONE, NONE, 1},       {__NR_access, 0, NONE, NONE, NONE},
    {__NR_readlink, 0, NONE, NONE, NONE},
#endif
};

static long open_flags(const struct call *call, const struct path_call *where) {
  if (where->flags >= 0) return call->args[(int)where->flags];
  struct open_how how;
  if (safe_copy(&how, (void *)call->args[2], sizeof how)) return -1;
  return (long)how.flags;
}

/* A call on a file of /proc that shows the engine: answered without the engine. */
static bool proc_call(struct thread *thread, const struct call *call, const struct path_call *where,
                      int directory, char *path, long *result) {
  struct proc_path proc;
  if (!proc_path_parse(directory, path, &proc)) return false;
  bool opens = where->flags != NONE;
  if (opens && open_edited(thread, &proc, open_flags(call, where), result)) return true;
  if (!files_real_program(directory, path)) return false;
  if (opens && writes_program(&proc, open_flags(call, where))) {
    *result = -ETXTBSY;
    return true;
  }
  struct call rewritten = *call;
  rewritten.args[(int)where->path] = (long)path;
  if (where->directory >= 0) rewritten.args[(int)where->directory] = AT_FDCWD;
  *result = syscall_pass_on(thread, &rewritten);
  return true;
}

static bool path_call(struct thread *thread, const struct call *call, long *result) {
  for (size_t i = 0; i < COUNT_OF(path_calls); i++) {
    const struct path_call *where = &path_calls[i];
    if (where->nr != call->nr) continue;
    char path[ENGINE_PATH_MAX];
    int directory = where->directory < 0 ? AT_FDCWD : (int)call->args[(int)where->directory];
    long length = files_copy_path(path, (uintptr_t)call->args[(int)where->path]);
    if (length < 0) return false;
    if (length && proc_call(thread, call, where, directory, path, result)) return true;
    if (listing_hides(directory, path)) {
      *result = -ENOENT;
      return true;
    }
    if (where->answer == NONE) return false;
    *result = listing_stat(thread, call, directory, path, call->args[(int)where->answer]);
    return true;
  }
  return false;
}

/* -- Personality ---------------------------------------------------------------------------------------------------- */

#define PERSONALITY_ASKED 0xffffffffU /* an argument that changes nothing */

void files_note_personality(const struct call *call) {
  unsigned wanted = (unsigned)call->args[0];
  if (wanted != PERSONALITY_ASKED) mappings_read_implies_exec = wanted & READ_IMPLIES_EXEC;
}

/* If the launcher, not the program, has turned randomisation off, the program sees it as on, and it stays off. */
static long change_personality(const struct call *call) {
  unsigned wanted = (unsigned)call->args[0];
  unsigned hidden = config.hide_no_randomize ? ADDR_NO_RANDOMIZE : 0;
  long old = os_call1(__NR_personality, wanted == PERSONALITY_ASKED ? wanted : wanted | hidden);
  if (os_failed(old)) return old;
  if (wanted != PERSONALITY_ASKED && wanted & ADDR_NO_RANDOMIZE) config.hide_no_randomize = 0;
  files_note_personality(call);
  return old & ~(long)hidden;
}

bool files_call(struct thread *thread, const struct call *call, long *result) {
  switch (call->nr) {
    case __NR_personality:
      *result = change_personality(call);
      return true;
    case __NR_getdents64:
#ifdef __NR_getdents
    case __NR_getdents:
#endif
      *result = listing_read(thread, call);
      return true;
    case __NR_fstat:
      *result = listing_stat(thread, call, (int)call->args[0], "", call->args[1]);
      return true;
    default:
      return path_call(thread, call, result);
  }
}
