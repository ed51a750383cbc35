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
#include <linux/stat.h>

#include "engine/base/arena.h"
#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/mapping_tree.h"
#include "engine/base/opening.h"
#include "engine/code/code.h"
#include "engine/code/lasting.h"

static struct code_file *files; /* under mappings_lock */

static bool identify(int fd, struct code_file *file, uint64_t *size) {
  struct statx info;
  if (file_state(fd, "", &info)) return false;
  file->device = (uint64_t)info.stx_dev_major << 32 | info.stx_dev_minor;
  file->inode = info.stx_ino;
  *size = S_ISREG(info.stx_mode) ? info.stx_size : 0;
  return true;
}

static struct code_file *find(const struct code_file *wanted) {
  struct code_file *file = files;
  while (file && (file->device != wanted->device || file->inode != wanted->inode)) file = file->next;
  return file;
}

struct code_file *code_files_mapped(int fd) {
  struct code_file identity;
  uint64_t size;
  if (!identify(fd, &identity, &size)) return NULL;
  struct code_file *file = find(&identity);
  if (!file) {
    file = arena_alloc(sizeof *file);
    file->device = identity.device;
    file->inode = identity.inode;
    file->content = size ? lasting_content(fd, size) : 0;
    file->next = files;
    files = file;
  }
  if ((os_call2(__NR_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY) file->written = true;
  return file;
}

/* -- Files opened for writing ------------------------------------------------------------------------------------- */

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
  uint64_t size;
  if (!identify(fd, &identity, &size)) return false;
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
  struct input_opening how;
  if (result >= 0 && call_opens(call, &how) && how.descriptor && opens_to_write(&how))
    code_files_opened((int)result);
}
