/* list.c: describes recordings without reading their streams. See recording_describe and recording_list. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/error.h"
#include "recording/io.h"
#include "recording/reader.h"

/* The sizes of a folder's files, not of folders below it. */
static uint64_t folder_bytes(int parent, const char *name) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  uint64_t bytes = 0;
  struct stat info;
  if (!folder && fd >= 0) close(fd);
  for (const struct dirent *entry; folder && (entry = readdir(folder));)
    if (!fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) && S_ISREG(info.st_mode))
      bytes += (uint64_t)info.st_size;
  if (folder) closedir(folder);
  return bytes;
}

static uint64_t all_bytes(const struct recording_reader *r) {
  struct stat info;
  if (r->source == &directory_source)
    return folder_bytes(r->fd, ".") + folder_bytes(r->fd, "streams") + folder_bytes(r->fd, "files");
  return fstat(r->fd, &info) ? 0 : (uint64_t)info.st_size;
}

static int describe(const char *name, const char *path, recording_visit *visit, void *context,
                    struct recording_error *error) {
  struct recording_reader *reader;
  struct recording_info info = {.name = name, .path = path};
  info.status = (enum recording_status)recording_open(path, RECORDING_ANY_ARCHITECTURE, &reader, error);
  if (info.status) return visit(&info, context);
  info.state = reader->state;
  info.packed = reader->source == &pack_source;
  info.bytes = all_bytes(reader);
  info.details = reader;
  int status = visit(&info, context);
  recording_reader_close(reader);
  return status;
}

int recording_describe(const char *path, recording_visit *visit, void *context,
                       struct recording_error *error) {
  struct stat info;
  if (stat(path, &info)) {
    if (errno == ENOENT || errno == ENOTDIR)
      return recording_fail(error, RECORDING_ABSENT, path, "no such recording");
    return recording_fail_errno(error, path, "looking at it");
  }
  const char *slash = strrchr(path, '/');
  return describe(slash && slash[1] ? slash + 1 : path, path, visit, context, error);
}

/* Is this worth a line in the list? Links are not: what they point to has its own. */
static bool looks_like_one(const char *path) {
  struct stat info;
  char manifest[RECORDING_PATH_MAX];
  if (lstat(path, &info)) return false;
  if (S_ISDIR(info.st_mode)) return join_path(manifest, path, "manifest") && !lstat(manifest, &info);
  if (!S_ISREG(info.st_mode)) return false;
  struct recording_reader *reader;
  int status = recording_open(path, RECORDING_ANY_ARCHITECTURE, &reader, NULL);
  if (!status) recording_reader_close(reader);
  return status != RECORDING_NOT_ONE;
}

int recording_list(const char *folder, recording_visit *visit, void *context, struct recording_error *error) {
  char path[RECORDING_PATH_MAX];
  DIR *entries = opendir(folder);
  if (!entries && errno == ENOENT) return RECORDING_OK;
  if (!entries) return recording_fail_errno(error, folder, "listing it");
  int status = RECORDING_OK;
  for (const struct dirent *entry; !status && (entry = readdir(entries));)
    if (entry->d_name[0] != '.' && join_path(path, folder, entry->d_name) && looks_like_one(path))
      status = describe(entry->d_name, path, visit, context, NULL);
  closedir(entries);
  return status;
}
