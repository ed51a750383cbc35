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
#include <linux/personality.h>

#include "engine/base/lib.h"
#include "engine/base/opening.h"
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

/* The arguments of a call that looks at a path. */
struct path_call {
  int path;
  int folder; /* -1: the working directory */
  int answer; /* the buffer for a file's state, -1: it does not ask for that */
};

static bool looks_at_path(long nr, struct path_call *where) {
  if (!(input_facts(nr) & INPUT_LOOKS)) return false;
  *where =
      (struct path_call){.path = input_path(nr), .folder = -1, .answer = input_argument(nr, INPUT_STATE)};
  if (where->path > 0 && input_descriptors(nr) >> (where->path - 1 + INPUT_FOLDERS) & 1)
    where->folder = where->path - 1;
  return true;
}

/* A call on a file of /proc that shows the engine: answered without the engine. */
static bool proc_call(struct thread *thread, const struct call *call, const struct path_call *where,
                      int directory, char *path, long *result) {
  struct proc_path proc;
  struct input_opening how;
  if (!proc_path_parse(directory, path, &proc)) return false;
  bool opens = call_opens(call, &how);
  if (opens && open_edited(thread, &proc, (long)how.flags, result)) return true;
  if (!files_real_program(directory, path)) return false;
  if (opens && writes_program(&proc, (long)how.flags)) {
    *result = -ETXTBSY;
    return true;
  }
  struct call rewritten = *call;
  rewritten.args[where->path] = (long)path;
  if (where->folder >= 0) rewritten.args[where->folder] = AT_FDCWD;
  *result = syscall_pass_on(thread, &rewritten);
  return true;
}

static bool path_call(struct thread *thread, const struct call *call, long *result) {
  struct path_call where;
  char path[ENGINE_PATH_MAX];
  if (!looks_at_path(call->nr, &where)) return false;
  int folder = where.folder < 0 ? AT_FDCWD : (int)call->args[where.folder];
  long length = files_copy_path(path, (uintptr_t)call->args[where.path]);
  if (length < 0) return false;
  if (length && proc_call(thread, call, &where, folder, path, result)) return true;
  if (listing_hides(folder, path)) {
    *result = -ENOENT;
    return true;
  }
  if (where.answer < 0) return false;
  *result = listing_stat(thread, call, folder, path, call->args[where.answer]);
  return true;
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
