/* lasting_folder.c: keeps the folder of stored code small. See lasting_folder.h. */
#include "engine/code/lasting_folder.h"

#include <linux/fcntl.h>

#include "contract/stored_code.h"
#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/os.h"

enum { HOUR = 60 * 60, NAME_MAX_HERE = 64 };
#define LASTING_FOLDER_MAX (256L << 20)

struct entry {
  uint64_t inode;
  int64_t next;
  uint16_t bytes;
  uint8_t type;
  char name[];
};

struct survey {
  uint64_t bytes; /* of all files */
  int64_t oldest, newest;
  char name[NAME_MAX_HERE]; /* of the oldest one */
};

static bool is_unfinished(const char *name) {
  return !strncmp(name, LASTING_UNFINISHED, sizeof LASTING_UNFINISHED - 1);
}

/* There may be files that are none of ours. */
static bool is_stored(const char *name) {
  size_t length = strlen(name), suffix = sizeof LASTING_SUFFIX - 1;
  return length > suffix && !strncmp(name + length - suffix, LASTING_SUFFIX, suffix + 1);
}

static void look_at(int folder, const char *name, struct survey *survey) {
  struct statx info;
  if ((!is_stored(name) && !is_unfinished(name)) || strlen(name) >= NAME_MAX_HERE ||
      file_state(folder, name, &info))
    return;
  survey->bytes += info.stx_size;
  survey->newest = MAX(survey->newest, info.stx_mtime.tv_sec);
  /* One that nobody has written to for an hour belongs to a process that was killed. */
  if (is_unfinished(name) && info.stx_mtime.tv_sec < survey->newest - HOUR)
    os_call3(__NR_unlinkat, folder, name, 0);
  else if (info.stx_mtime.tv_sec < survey->oldest)
    survey->oldest = info.stx_mtime.tv_sec, format(survey->name, sizeof survey->name, "%s", name);
}

/* The descriptor of the folder is shared with other processes, and so is its place: it is opened anew. */
static bool look(int folder, struct survey *survey) {
  _Alignas(8) char buffer[4096];
  long fd = os_call4(__NR_openat, folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
  if (fd < 0) return false;
  *survey = (struct survey){.oldest = INT64_MAX, .newest = survey->newest};
  while ((n = os_call3(__NR_getdents64, fd, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < n;) {
      const struct entry *entry = (const struct entry *)(buffer + at);
      look_at(folder, entry->name, survey);
      at += entry->bytes;
    }
  os_call1(__NR_close, fd);
  return n == 0;
}

void lasting_limit_folder(int folder) {
  struct survey survey = {0};
  while (look(folder, &survey) && survey.bytes > LASTING_FOLDER_MAX && survey.oldest != INT64_MAX)
    if (os_call3(__NR_unlinkat, folder, survey.name, 0)) return;
}
