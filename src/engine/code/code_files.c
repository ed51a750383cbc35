/* code_files.c: code that changes through its file.
 *
 * A page that is mapped from a file and never written in memory follows the file: write(2) to it changes the
 * code, and no protection of ours notices. So from the moment a file of code is open for writing its blocks check
 * themselves, as those of shared mappings do. Nothing has to be done at each write, nor when a file is opened for
 * reading.
 *
 * Known limits. A file that another process writes, one that was opened for writing before it was mapped through a
 * second descriptor, and one whose mapping became executable only later (mprotect), are not noticed. */
#include "engine/code/code_files.h"

#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>

#include "engine/base/arena.h"
#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/mapping_tree.h"
#include "engine/code/code.h"

static struct code_file *files; /* under mappings_lock */

static bool identify(int fd, struct code_file *file) {
  struct statx info;
  if (file_state(fd, "", &info)) return false;
  file->device = (uint64_t)info.stx_dev_major << 32 | info.stx_dev_minor;
  file->inode = info.stx_ino;
  return true;
}

static struct code_file *find(const struct code_file *wanted) {
  struct code_file *file = files;
  while (file && (file->device != wanted->device || file->inode != wanted->inode)) file = file->next;
  return file;
}

struct code_file *code_files_mapped(int fd) {
  struct code_file identity;
  if (!identify(fd, &identity)) return NULL;
  struct code_file *file = find(&identity);
  if (!file) {
    file = arena_alloc(sizeof *file);
    file->device = identity.device;
    file->inode = identity.inode;
    file->next = files;
    files = file;
  }
  if ((os_call2(__NR_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY) file->written = true;
  return file;
}

/* -- Files opened for writing ------------------------------------------------------------------------------------- */

static bool opens_for_writing(const struct call *call) {
  struct open_how how = {0};
  switch (call->nr) {
#ifdef __NR_open
    case __NR_open:
      how.flags = (uint64_t)call->args[1];
      break;
    case __NR_creat:
      return true;
#endif
    case __NR_openat:
      how.flags = (uint64_t)call->args[2];
      break;
    case __NR_openat2:
      safe_copy(&how.flags, (void *)call->args[2], sizeof how.flags);
      break;
    default:
      return false;
  }
  return (how.flags & O_ACCMODE) != O_RDONLY && !(how.flags & O_PATH);
}

/* The first mapping at or after address that has code of the file; false if there is none. */
static bool next_mapping(const struct code_file *file, uintptr_t address, struct mapping *found) {
  lock_take(&mappings_lock);
  const struct mapping *m = tree_from(address);
  while (m && m->file != file) m = tree_from(m->end);
  if (m) *found = *m;
  lock_release(&mappings_lock);
  return m;
}

bool code_files_opened(int fd) {
  struct code_file identity;
  if (!identify(fd, &identity)) return false;
  lock_take(&mappings_lock);
  struct code_file *file = find(&identity);
  lock_release(&mappings_lock);
  if (!file || file->written) return false;
  file->written = true;
  struct mapping mapping = {0};
  while (next_mapping(file, mapping.end, &mapping)) code_overwritten(mapping.start, mapping.end);
  return true;
}

void code_files_after_call(const struct call *call, long result) {
  if (result >= 0 && opens_for_writing(call)) code_files_opened((int)result);
}
