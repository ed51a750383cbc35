/* directory.c: a recording that is a directory, as a source for its reader. See reader.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/error.h"
#include "recording/file_entry.h"
#include "recording/io.h"
#include "recording/reader.h"

/* "no such file" is for the caller to judge; a link or a pipe in a file's place is damage. */
static int find(struct recording_reader *r, const char *folder, const char *name, struct extent *out,
                struct recording_error *error) {
  char path[64];
  snprintf(path, sizeof path, "%s%s", folder, name);
  out->fd = open_regular(r->fd, path, &out->length);
  out->start = 0;
  out->own = true;
  if (out->fd >= 0) return RECORDING_OK;
  if (errno == ENOENT) return recording_fail(error, RECORDING_ABSENT, r->path, "has no %s", path);
  if (errno == EINVAL || errno == ELOOP || errno == ENOTDIR)
    return recording_fail(error, RECORDING_DAMAGED, r->path, "damaged: %s is no regular file", path);
  return recording_fail_errno(error, r->path, "opening a file in it");
}

static int find_manifest(struct recording_reader *r, struct extent *out, struct recording_error *error) {
  return find(r, "", "manifest", out, error);
}

static int find_stream(struct recording_reader *r, struct recording_stream_id id, struct extent *out,
                       struct recording_error *error) {
  char name[STREAM_NAME_MAX];
  stream_name(id, name);
  return find(r, "streams/", name, out, error);
}

static int find_content(struct recording_reader *r, const uint8_t hash[16], struct extent *out,
                        struct recording_error *error) {
  char name[CONTENT_NAME_MAX];
  content_name(hash, name);
  return find(r, "files/", name, out, error);
}

/* Appends to an allocated array; false without memory. */
static bool collect(struct recording_stream_id **ids, size_t *count, struct recording_stream_id id) {
  if (!(*count & (*count - 1))) {
    struct recording_stream_id *larger = realloc(*ids, (*count ? *count * 2 : 1) * sizeof id);
    if (!larger) return false;
    *ids = larger;
  }
  (*ids)[(*count)++] = id;
  return true;
}

static int each_stream(struct recording_reader *r, recording_visit_stream *visit, void *context,
                       struct recording_error *error) {
  int fd = openat(r->fd, "streams", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (!folder) {
    int failed = errno;
    if (fd >= 0) close(fd);
    errno = failed;
    if (errno == ENOENT) return RECORDING_OK; /* its writer died before its first stream */
    return recording_fail_errno(error, r->path, "opening its streams");
  }
  struct recording_stream_id id, *ids = NULL;
  size_t count = 0;
  int status = RECORDING_OK;
  for (const struct dirent *entry; !status && (entry = readdir(folder));)
    if (stream_parse(entry->d_name, &id) && !collect(&ids, &count, id))
      status = recording_fail_errno(error, r->path, "listing its streams");
  closedir(folder);
  if (count) qsort(ids, count, sizeof *ids, stream_compare);
  for (size_t i = 0; !status && i < count; i++) status = visit(ids[i], context, error);
  free(ids);
  return status;
}

const struct source directory_source = {find_manifest, find_stream, find_content, each_stream};
