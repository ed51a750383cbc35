/* proc_path.c: recognises /proc/…/exe, maps, smaps, auxv and status. See proc_path.h.
 *
 * This runs for every path that the application opens, so the common case is decided by the last few characters. */
#include "engine/view/proc_path.h"

#include <linux/fcntl.h>
#include <linux/stat.h>

#include "engine/base/config.h"
#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/os.h"

static const struct {
  const char *name;
  enum proc_file file;
} names[] = {{"exe", PROC_EXE},
             {"maps", PROC_MAPS},
             {"smaps", PROC_SMAPS},
             {"auxv", PROC_AUXV},
             {"status", PROC_STATUS}};

static bool last_name(const char *path, enum proc_file *file) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    if (strcmp(name, names[i].name)) continue;
    *file = names[i].file;
    return true;
  }
  return false;
}

/* The absolute path in out, false if it does not fit or can't be known. */
static bool make_absolute(int directory, const char *path, char *out, size_t size) {
  if (path[0] == '/') return format(out, size, "%s", path) < size;
  char link[32] = "/proc/self/cwd";
  if (directory != AT_FDCWD) format(link, sizeof link, "/proc/self/fd/%d", directory);
  long n = os_call4(__NR_readlinkat, AT_FDCWD, link, out, size - 1);
  if (n <= 0) return false;
  return format(out + n, size - (size_t)n, "/%s", path) < size - (size_t)n;
}

/* Removes "//", "/./" and "/../" in place. */
static void simplify(char *path) {
  char *to = path;
  for (const char *from = path; *from;) {
    while (*from == '/') from++;
    const char *end = from;
    while (*end && *end != '/') end++;
    size_t length = (size_t)(end - from);
    if (length == 2 && from[0] == '.' && from[1] == '.') {
      while (to > path && *--to != '/') continue;
    } else if (length && !(length == 1 && from[0] == '.')) {
      *to++ = '/';
      memmove(to, from, length);
      to += length;
    }
    from = end;
  }
  *to = 0;
}

/* If path begins with "/number", skips it and returns the number, otherwise -1. */
static long take_number(const char **path) {
  const char *p = *path;
  if (*p++ != '/' || *p < '0' || *p > '9') return -1;
  long n = 0;
  for (; *p >= '0' && *p <= '9'; p++) n = n < 0x7ffffff ? n * 10 + (*p - '0') : n;
  *path = p;
  return n;
}

static bool take_word(const char **path, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*path, word, length) || ((*path)[length] && (*path)[length] != '/')) return false;
  *path += length;
  return true;
}

/* True if the file lies directly in a process's or a thread's folder. */
static bool in_process_folder(const char *path, struct proc_path *out) {
  long self = os_call0(__NR_getpid), process = self, thread;
  if (!take_word(&path, "/proc")) return false;
  if (take_word(&path, "/thread-self")) {
    thread = 0;
  } else {
    if (!take_word(&path, "/self")) process = take_number(&path);
    thread = take_word(&path, "/task") ? take_number(&path) : process;
    if (process < 0 || thread < 0) return false;
  }
  out->own = process == self;
  out->thread = (int)thread;
  return *path == '/' && !strchr(path + 1, '/');
}

bool proc_path_parse(int directory, const char *path, struct proc_path *out) {
  if (!last_name(path, &out->file)) return false;
  char whole[ENGINE_PATH_MAX];
  if (!make_absolute(directory, path, whole, sizeof whole)) return false;
  simplify(whole);
  if (!in_process_folder(whole, out)) return false;
  *strrchr(whole, '/') = 0;
  return format(out->folder, sizeof out->folder, "%s", whole) < sizeof out->folder;
}

bool proc_runs_engine(const char *folder) {
  char link[PROC_FOLDER_MAX + 8];
  struct statx engine, other;
  format(link, sizeof link, "%s/exe", folder);
  return !file_state(engine_fd, "", &engine) && !file_state(AT_FDCWD, link, &other) &&
         engine.stx_ino == other.stx_ino && engine.stx_dev_major == other.stx_dev_major &&
         engine.stx_dev_minor == other.stx_dev_minor;
}
