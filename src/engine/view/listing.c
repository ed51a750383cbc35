/* listing.c: takes the engine's descriptors out of /proc/…/fd and fdinfo. See listing.h.
 *
 * Recognising such a folder takes some calls, so only candidates are tested: an entry whose name
 * is a reserved number, a folder with the unusual mode of /proc/…/fd. Ordinary folders cost nothing. */
#include "engine/view/listing.h"

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "engine/base/lib.h"
#include "engine/signals/kernel_call.h"
#include "engine/view/descriptors.h"
#include "engine/view/proc_path.h"

/* -- Which folder ------------------------------------------------------------------------------------------------------ */

/* True if an open folder lists the descriptors of a process under the engine: as fd, or (with or_fdinfo) as fdinfo. */
static bool lists_descriptors(int fd, bool or_fdinfo) {
  char link[32], target[PROC_FOLDER_MAX];
  format(link, sizeof link, "/proc/self/fd/%d", fd);
  long n = os_call4(__NR_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
  if (n <= 0) return false;
  target[n] = 0;
  char *name = strrchr(target, '/');
  if (strncmp(target, "/proc/", 6) || !name) return false;
  if (strcmp(name, "/fd") && !(or_fdinfo && !strcmp(name, "/fdinfo"))) return false;
  *name = 0;
  return proc_runs_engine(target);
}

/* The same by name. */
static bool path_lists_descriptors(int directory, const char *path, bool or_fdinfo) {
  long fd = os_call4(__NR_openat, directory, path, O_PATH | O_CLOEXEC, 0);
  if (fd < 0) return false;
  bool result = lists_descriptors((int)fd, or_fdinfo);
  os_call1(__NR_close, fd);
  return result;
}

static bool is_reserved_number(const char *name) {
  long n = 0;
  if (!*name) return false;
  for (; *name; name++) {
    if (*name < '0' || *name > '9' || n > 0x7ffffff) return false;
    n = n * 10 + (*name - '0');
  }
  return descriptor_reserved(n);
}

bool listing_hides(int directory, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!is_reserved_number(slash ? slash + 1 : path)) return false;
  char folder[ENGINE_PATH_MAX] = ".";
  if (slash) format(folder, MIN(sizeof folder, (size_t)(slash - path) + 2), "%s", path); /* with its slash */
  return path_lists_descriptors(directory, folder, true);
}

/* -- Reading it -------------------------------------------------------------------------------------------------------- */

/* The beginning of an entry, the same for both calls; the name follows, for getdents64 after one byte more. */
struct directory_entry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  char name[1 + 16]; /* all but a long name's end */
} __attribute__((packed));

/* Takes our numbers out of the entries that the kernel has just written; returns the number of bytes left. Another thread may unmap
 * the buffer, so it is read with care. */
static long remove_entries(struct thread *thread, const struct call *call, long bytes) {
  size_t skip = call->nr == __NR_getdents64 ? 1 : 0;
  char *buffer = (char *)call->args[1];
  for (long at = 0; at < bytes;) {
    struct directory_entry entry = {0};
    size_t size = MIN(sizeof entry - 1, (size_t)(bytes - at));
    if (safe_copy(&entry, buffer + at, size) || !entry.length) break;
    long next = at + entry.length;
    if (is_reserved_number(entry.name + skip) && lists_descriptors((int)call->args[0], true)) {
      if (safe_copy(buffer + at, buffer + next, (size_t)(bytes - next))) break;
      bytes -= entry.length;
      thread->record.overwritten = true;
      next = at;
    }
    at = next;
  }
  return bytes;
}

long listing_read(struct thread *thread, const struct call *call) {
  long bytes, left;
  do { /* a buffer of which nothing is left must not look like the end of the folder */
    left = bytes = syscall_pass_on(thread, call);
    if (bytes > 0) left = remove_entries(thread, call, bytes);
  } while (left == 0 && bytes > 0);
  return left;
}

/* -- Its size, which is the number of open descriptors --------------------------------------------------------------------- */

enum { FOLDER_MODE = S_IFDIR | 0500 };

static uint64_t without_reserved(uint64_t size) {
  return size > descriptors_open() ? size - descriptors_open() : size;
}

static bool is_folder(int directory, const char *path) {
  return path[0] ? path_lists_descriptors(directory, path, false) : lists_descriptors(directory, false);
}

static void correct_stat(uintptr_t at, int directory, const char *path) {
  struct stat answer;
  if (safe_copy(&answer, (void *)at, sizeof answer)) return;
  if (answer.st_mode != FOLDER_MODE || !answer.st_size || !is_folder(directory, path)) return;
  uint64_t size = without_reserved((uint64_t)answer.st_size);
  safe_copy((void *)(at + offsetof(struct stat, st_size)), &size, sizeof size);
}

static void correct_statx(uintptr_t at, int directory, const char *path) {
  struct statx answer;
  if (safe_copy(&answer, (void *)at, sizeof answer)) return;
  if (answer.stx_mode != FOLDER_MODE || !answer.stx_size || !is_folder(directory, path)) return;
  uint64_t size = without_reserved(answer.stx_size);
  safe_copy((void *)(at + offsetof(struct statx, stx_size)), &size, sizeof size);
}

long listing_stat(struct thread *thread, const struct call *call, int directory, const char *path,
                  long answer) {
  long result = syscall_pass_on(thread, call);
  const char *slash = strrchr(path, '/');
  if (result || (path[0] && strcmp(slash ? slash + 1 : path, "fd"))) return result;
  if (call->nr == __NR_statx)
    correct_statx((uintptr_t)answer, directory, path);
  else
    correct_stat((uintptr_t)answer, directory, path);
  return result;
}
