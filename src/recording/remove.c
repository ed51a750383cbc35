/* remove.c: removes recordings, and nothing else. See recording_remove in recording.h.
 *
 * It checks everything first: it removes something only if each name is one that a recording has, and the manifest begins like one. The
 * manifest goes last, so that a removal that was interrupted can be repeated. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/error.h"
#include "recording/file_entry.h"
#include "recording/io.h"
#include "recording/manifest.h"
#include "recording/pack_format.h"
#include "recording/store.h"
#include "recording/stream_id.h"

typedef bool name_test(const char *name);

static bool is_stream(const char *name) {
  struct recording_stream_id id;
  return stream_parse(name, &id) || !strcmp(name, "image.new") || !strcmp(name, "solved.new");
}

static bool is_content(const char *name) {
  uint8_t hash[16];
  return content_parse(name, hash) || !strcmp(name, "incoming") || !strcmp(name, "linked");
}

static bool is_part(const char *name) {
  static const char *const parts[] = {"manifest", "manifest.new", "streams",
                                      "files",    "trigger",      RECORDING_CORE};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strcmp(name, parts[i])) return true;
  return false;
}

/* -- Folders ------------------------------------------------------------------------------------------------------- */

/* A folder of the recording; RECORDING_OK with NULL if it has none. */
static int open_folder(int parent, const char *name, const char *path, DIR **out,
                       struct recording_error *error) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  *out = fd < 0 ? NULL : fdopendir(fd);
  if (*out || (fd < 0 && errno == ENOENT)) return RECORDING_OK;
  int status = recording_fail_errno(error, path, "opening a folder in it");
  if (fd >= 0) close(fd);
  return status;
}

static bool is_dots(const char *name) {
  return !strcmp(name, ".") || !strcmp(name, "..");
}

/* All names in the folder pass the test, and but for the folders of a recording they are no folders. */
static int check_folder(int parent, const char *name, name_test *belongs, const char *path,
                        struct recording_error *error) {
  DIR *folder;
  struct stat info;
  int status = open_folder(parent, name, path, &folder, error);
  if (status || !folder) return status;
  for (const struct dirent *entry; !status && (entry = readdir(folder));) {
    if (is_dots(entry->d_name)) continue;
    bool fine = belongs(entry->d_name) && !fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW);
    if (fine && S_ISDIR(info.st_mode)) fine = belongs == is_part && strncmp(entry->d_name, "manifest", 8);
    if (!fine)
      status = recording_fail(error, RECORDING_NOT_ONE, path,
                              "not removed: it holds `%.100s', which no recording does", entry->d_name);
  }
  closedir(folder);
  return status;
}

static int empty_folder(int parent, const char *name, name_test *belongs, const char *path,
                        struct recording_error *error) {
  DIR *folder;
  int status = open_folder(parent, name, path, &folder, error);
  if (status || !folder) return status;
  for (const struct dirent *entry; !status && (entry = readdir(folder));)
    if (belongs(entry->d_name) && unlinkat(dirfd(folder), entry->d_name, 0))
      status = recording_fail_errno(error, path, "removing a file in it");
  closedir(folder);
  if (!status && unlinkat(parent, name, AT_REMOVEDIR))
    status = recording_fail_errno(error, path, "removing a folder in it");
  return status;
}

/* -- The recording ------------------------------------------------------------------------------------------------- */

static int check_manifest(int fd, const char *path, struct recording_error *error) {
  char start[64];
  uint64_t length;
  int manifest = open_regular(fd, "manifest", &length);
  ssize_t n = manifest < 0 ? 0 : read_upto(manifest, 0, start, sizeof start);
  if (manifest >= 0) close(manifest);
  if (n > 0 && manifest_recognize(start, (size_t)n)) return RECORDING_OK;
  return recording_fail(error, RECORDING_NOT_ONE, path, "not removed: not a recording");
}

static int remove_directory(int fd, const char *path, struct recording_error *error) {
  if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
    return recording_fail(error, RECORDING_BUSY, path,
                          "not removed: it is being recorded or read at this moment");
  int status = check_manifest(fd, path, error);
  if (!status) status = check_folder(fd, ".", is_part, path, error);
  if (!status) status = check_folder(fd, "streams", is_stream, path, error);
  if (!status) status = check_folder(fd, "files", is_content, path, error);
  if (!status) status = empty_folder(fd, "streams", is_stream, path, error);
  if (!status) status = empty_folder(fd, "files", is_content, path, error);
  if (status) return status;
  unlinkat(fd, "manifest.new", 0);
  unlinkat(fd, "trigger", 0);
  unlinkat(fd, RECORDING_CORE, 0);
  if (unlinkat(fd, "manifest", 0) || rmdir(path)) return recording_fail_errno(error, path, "removing it");
  return RECORDING_OK;
}

static int remove_pack(int fd, const char *path, struct recording_error *error) {
  uint8_t start[sizeof pack_magic];
  if (read_upto(fd, 0, start, sizeof start) != (ssize_t)sizeof start ||
      memcmp(start, pack_magic, sizeof start))
    return recording_fail(error, RECORDING_NOT_ONE, path, "not removed: not a recording");
  return unlink(path) ? recording_fail_errno(error, path, "removing it") : RECORDING_OK;
}

static void drop_latest(char *path) {
  char target[NAME_MAX + 2], link[RECORDING_PATH_MAX];
  char *name = strrchr(path, '/');
  *name++ = '\0';
  if (!join_path(link, path, "latest")) return;
  ssize_t n = readlink(link, target, sizeof target - 1);
  if (n < 0) return;
  target[n] = '\0';
  if (!strcmp(target, name)) unlink(link);
}

int recording_remove(const char *path, struct recording_error *error) {
  struct stat info;
  char *real = realpath(path, NULL); /* of `latest' the recording goes, not only the link */
  int fd = real ? open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
  int status;
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
    status = recording_fail(error, RECORDING_ABSENT, path, "no such recording");
  else if (fd < 0 || fstat(fd, &info))
    status = recording_fail_errno(error, path, "opening it");
  else
    status = S_ISDIR(info.st_mode) ? remove_directory(fd, real, error) : remove_pack(fd, real, error);
  if (!status) store_sweep(real, info.st_uid);
  if (!status) drop_latest(real);
  if (fd >= 0) close(fd);
  free(real);
  return status;
}
