/* file_add.c: keeps the files that the program maps with the recording. See recording_add_file in recording.h.
 *
 * A content is stored once, under its hash, and never as a link to the original, which may be written to: in the default place by a link to the
 * same content of another recording (store.h), else as a reflink, where the file system shares the blocks and copies them when either
 * side is written, or as a copy. The hash is taken from what was stored, not from the original, which may change meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recording/checksum.h"
#include "recording/error.h"
#include "recording/file_entry.h"
#include "recording/io.h"
#include "recording/store.h"
#include "recording/writer.h"

static const char incoming[] = "incoming"; /* the name in files/ until the hash is known */

/* -- Known files --------------------------------------------------------------------------------------------------- */

static struct file_identity identity_of(const struct stat *info) {
  struct file_identity identity;
  memset(&identity, 0, sizeof identity); /* compared with its padding */
  identity.device = info->st_dev;
  identity.inode = info->st_ino;
  identity.size = info->st_size;
  identity.modified = info->st_mtim;
  identity.changed = info->st_ctim;
  return identity;
}

static void hash_path(const char *path, uint8_t hash[16]) {
  struct content_hash state = {0};
  content_hash_add(&state, (const uint8_t *)path, strlen(path));
  content_hash_finish(&state, hash);
}

/* The entry of this file, and of this path too if path_hash is not NULL. */
static struct kept_file *find_kept(struct recording_writer *w, const struct file_identity *identity,
                                   const uint8_t *path_hash) {
  for (uint32_t i = 0; i < w->kept_count; i++) {
    struct kept_file *kept = &w->kept[i];
    if (memcmp(&kept->identity, identity, sizeof *identity)) continue;
    if (!path_hash || !memcmp(kept->path_hash, path_hash, 16)) return kept;
  }
  return NULL;
}

/* -- Storing ------------------------------------------------------------------------------------------------------- */

/* Brings the content to files/incoming as a file of its own; false with errno. hash and size are of what is there. */
static bool copy(struct recording_writer *w, int fd, uint8_t hash[16], uint64_t *size) {
  unlinkat(w->files, incoming, 0);
  int to = openat(w->files, incoming, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (to < 0) return false;
  bool shared = !ioctl(to, FICLONE, fd);
  bool fine = content_read(shared ? to : fd, shared ? -1 : to, hash, size);
  int failed = errno;
  fchmod(to, 0400);
  close(to);
  errno = failed;
  return fine;
}

/* The same, by a link to another recording's content if one has it. A sparse file is not read twice, and one that the store knows and that
 * lasts is not read at all. */
static bool store(struct recording_writer *w, int fd, const struct stat *info, bool lasting,
                  struct kept_file *kept) {
  uint8_t *hash = kept->content_hash;
  bool sparse = info->st_blocks < info->st_size / 1024;
  if (w->store < 0 || sparse) return copy(w, fd, hash, &kept->size);
  unlinkat(w->files, incoming, 0);
  if (lasting && store_take_known(w->store, &kept->identity, hash, w->files, incoming)) {
    kept->size = (uint64_t)info->st_size;
    return true;
  }
  if (!content_read(fd, -1, hash, &kept->size) || !store_take(w->store, hash, fd, w->files, incoming)) {
    if (!copy(w, fd, hash, &kept->size)) return false;
    store_give(w->store, hash, w->files, incoming);
  }
  if (lasting) store_note(w->store, &kept->identity, hash, w->files, incoming);
  return true;
}

/* Gives the stored content its name. One that is there already holds the same bytes, unless it was damaged since; a
 * second link to the same file makes rename do nothing, hence the unlink. */
static int name_content(struct recording_writer *w, const uint8_t hash[16]) {
  char name[CONTENT_NAME_MAX];
  content_name(hash, name);
  if (renameat(w->files, incoming, w->files, name)) return -1;
  unlinkat(w->files, incoming, 0);
  return 0;
}

static int keep_content(struct recording_writer *w, int fd, const struct stat *info, bool lasting,
                        struct kept_file *kept, struct recording_error *error) {
  if (store(w, fd, info, lasting, kept) && !name_content(w, kept->content_hash)) return RECORDING_OK;
  int status = recording_fail_errno(error, w->path, "keeping a mapped file");
  unlinkat(w->files, incoming, 0);
  return status;
}

/* -- The table ----------------------------------------------------------------------------------------------------- */

static int add_entry(struct recording_writer *w, const struct kept_file *kept, const struct stat *info,
                     const char *path, struct recording_error *error) {
  if (!(w->kept_count & (w->kept_count - 1))) { /* at each power of two, double */
    size_t room = w->kept_count ? w->kept_count * 2 : 1;
    struct kept_file *larger = realloc(w->kept, room * sizeof *larger);
    if (!larger) return recording_fail_errno(error, w->path, "keeping a mapped file");
    w->kept = larger;
  }
  struct recording_file file = {.number = w->kept_count, .mode = info->st_mode, .size = kept->size};
  memcpy(file.hash, kept->content_hash, 16);
  snprintf(file.path, sizeof file.path, "%s", path);
  uint8_t bytes[FILE_ENTRY_MAX];
  size_t length = file_entry_encode(&file, bytes);
  struct recording_stream_id table = {RECORDING_FILES, RECORDING_SPHERE};
  int status = writer_append(w, table, file.number, file.number, bytes, length, error);
  if (!status) w->kept[w->kept_count++] = *kept;
  return status;
}

/* Clocks of file systems tick slowly: a file written a moment ago can be written again without any time of it changing. */
static bool just_written(const struct file_identity *identity) {
  enum { TICK_MS = 100 };
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t age =
      (now.tv_sec - identity->modified.tv_sec) * 1000 + (now.tv_nsec - identity->modified.tv_nsec) / 1000000;
  return age < TICK_MS;
}

static int add_file(struct recording_writer *writer, int fd, const char *path, bool lasting, uint32_t *number,
                    struct recording_error *error) {
  struct stat info;
  if (fstat(fd, &info)) return recording_fail_errno(error, path, "keeping it with the recording");
  if (!S_ISREG(info.st_mode) || strlen(path) >= RECORDING_PATH_MAX)
    return recording_fail(error, RECORDING_MISUSE, path, "no regular file with a path of ordinary length");
  struct kept_file kept = {.identity = identity_of(&info)};
  hash_path(path, kept.path_hash);
  const struct kept_file *same = find_kept(writer, &kept.identity, kept.path_hash);
  if (same) {
    *number = (uint32_t)(same - writer->kept);
    return RECORDING_OK;
  }
  int status = RECORDING_OK;
  if ((same = find_kept(writer, &kept.identity, NULL))) {
    memcpy(kept.content_hash, same->content_hash, 16);
    kept.size = same->size;
  } else {
    status = keep_content(writer, fd, &info, lasting, &kept, error);
    if (just_written(&kept.identity)) kept.identity.changed.tv_nsec = -1; /* a time that none has */
  }
  if (!status) status = add_entry(writer, &kept, &info, path, error);
  if (!status) *number = writer->kept_count - 1;
  return status;
}

int recording_add_file(struct recording_writer *writer, int fd, const char *path, uint32_t *number,
                       struct recording_error *error) {
  return add_file(writer, fd, path, false, number, error);
}

int recording_add_lasting_file(struct recording_writer *writer, int fd, const char *path, uint32_t *number,
                               struct recording_error *error) {
  return add_file(writer, fd, path, true, number, error);
}

bool recording_same_content(const struct recording_writer *writer, uint32_t number, uint32_t other) {
  return !memcmp(writer->kept[number].content_hash, writer->kept[other].content_hash, 16);
}
