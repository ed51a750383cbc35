/* code_folder.c: the folder of the code cache that lasts. See code_folder.h.
 *
 * What lies there is executed. So the folder must be the user's own, and nobody else may write to it. */
#include "sphere/code_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract/stored_code.h"
#include "input/digest.h"

/* The user's folder for caches; it is left alone if it is another user's, as under sudo. */
static bool base_folder(char base[CODE_FOLDER_PATH_MAX]) {
  const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = caches && *caches == '/' ? snprintf(base, CODE_FOLDER_PATH_MAX, "%s", caches)
               : home && *home == '/'   ? snprintf(base, CODE_FOLDER_PATH_MAX, "%s/.cache", home)
                                        : -1;
  return length > 0 && length < CODE_FOLDER_PATH_MAX;
}

int code_folder_path(char path[CODE_FOLDER_PATH_MAX]) {
  const char *own = getenv("REPRISE_CACHE");
  char base[CODE_FOLDER_PATH_MAX];
  int length = -1;
  if (own && *own)
    length = *own == '/' ? snprintf(path, CODE_FOLDER_PATH_MAX, "%s", own) : -1;
  else if (base_folder(base))
    length = snprintf(path, CODE_FOLDER_PATH_MAX, "%s/reprise", base);
  return length > 0 && length < CODE_FOLDER_PATH_MAX ? 0 : -1;
}

static bool is_own(const struct stat *info) {
  return info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

/* Makes the folder where all above it is there, but perhaps the user's folder for caches. */
static int make(const char *path) {
  struct stat info;
  char above[CODE_FOLDER_PATH_MAX];
  snprintf(above, sizeof above, "%s", path);
  char *slash = strrchr(above, '/');
  if (!slash || slash == above) return -1;
  *slash = 0;
  if (mkdir(above, 0700) && errno != EEXIST) return -1;
  if (stat(above, &info)) return -1;
  if (info.st_uid != geteuid()) {
    errno = EPERM;
    return -1;
  }
  return mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

int code_folder_open(void) {
  char path[CODE_FOLDER_PATH_MAX];
  struct stat info;
  if (code_folder_path(path)) {
    errno = ENOENT;
    return -1;
  }
  enum { HOW = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
  int fd = open(path, HOW);
  if (fd < 0 && errno == ENOENT && !make(path)) fd = open(path, HOW);
  if (fd < 0 || (!fstat(fd, &info) && is_own(&info))) return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

/* Blocks are judged where they are used: each has its digest and the instructions that it was made from. */
static bool is_sound(int fd) {
  struct stat info;
  struct lasting_header header;
  if (fstat(fd, &info) || !S_ISREG(info.st_mode) || !is_own(&info) || info.st_size > LASTING_FILE_MAX)
    return false;
  return pread(fd, &header, sizeof header, 0) == sizeof header && header.magic == LASTING_MAGIC &&
         header.bytes == (uint64_t)info.st_size &&
         header.digest == input_digest(header.maker, &header.magic, sizeof header - sizeof header.digest);
}

int code_folder_stored(uint64_t name) {
  char text[32];
  int folder = code_folder_open();
  if (folder < 0) return -ENOENT;
  snprintf(text, sizeof text, "%" PRIx64 LASTING_SUFFIX, name);
  int fd = openat(folder, text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  close(folder);
  if (fd < 0 || is_sound(fd)) return fd < 0 ? -ENOENT : fd;
  close(fd);
  return -ENOENT;
}
