/* kept_files.c: keeps the files that a recorded sphere maps, and checks that they do not change.
 *
 * A file has one number for as long as its content is the one that was kept. The manager holds each open, so that no other
 * file can get its device and inode. Later changes by the sphere itself are in its logs (engine/border/objects.h):
 * the file is then marked in the manifest, for replay to make a copy that can change. Changes by other programs
 * are not logged, so the manager detects them: by time of modification and size, and by content where these are not enough. */
#include "sphere/kept_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "contract/region.h"
#include "recording/plain.h"

struct kept_object {
  int fd; /* held open */
  dev_t device;
  ino_t inode;
  uint32_t number;
  struct timespec modified;
  off_t size;
  bool fresh;   /* modified just before it was kept: its times may not show what follows */
  bool changes; /* by the sphere: nothing to watch */
};

void keep_begin(void) {
  signal(SIGIO, SIG_IGN); /* of the leases that only ask */
}

/* -- One file --------------------------------------------------------------------------------------------------------- */

/* Clocks of file systems tick slowly: a file written a moment ago can be written again at the same time. */
static bool just_modified(const struct stat *info) {
  enum { TICK_MS = 100 };
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (now.tv_sec - info->st_mtim.tv_sec) * 1000 + (now.tv_nsec - info->st_mtim.tv_nsec) / 1000000 <
         TICK_MS;
}

static void note(struct kept_object *object, const struct stat *info) {
  object->modified = info->st_mtim;
  object->size = info->st_size;
  object->fresh = just_modified(info);
}

static bool looks_the_same(const struct kept_object *object, const struct stat *info) {
  return !object->fresh && object->size == info->st_size && object->modified.tv_sec == info->st_mtim.tv_sec &&
         object->modified.tv_nsec == info->st_mtim.tv_nsec;
}

/* True if a process may have the file open for writing: a lease is granted only if none has. */
static bool exposed(int fd, const struct stat *info) {
  if (!fcntl(fd, F_SETLEASE, F_RDLCK)) {
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
  }
  if (errno == EAGAIN) return true;
  /* We may not ask. A file that only other users may write is not open for writing in the sphere. */
  return info->st_uid == geteuid() || info->st_mode & (S_IWGRP | S_IWOTH);
}

/* Files whose content is made up while it is read. */
static bool is_made_up(int fd) {
  struct statfs info;
  return !fstatfs(fd, &info) && (info.f_type == PROC_SUPER_MAGIC || info.f_type == SYSFS_MAGIC);
}

static int open_descriptor(int32_t pid, int fd, char *path, size_t room, struct stat *info) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, fd);
  int own = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (own < 0) return -errno;
  ssize_t n = readlink(link, path, room - 1);
  path[n < 0 ? 0 : n] = 0;
  if (!fstat(own, info) && S_ISREG(info->st_mode) && !is_made_up(own)) return own;
  close(own);
  return -ENODEV;
}

static int add(struct recording_writer *writer, int fd, const char *path, uint32_t *number,
               struct recording_error *error) {
  return recording_add_file(writer, fd, path, number, error) ? -EIO : 0;
}

/* -- All of them -------------------------------------------------------------------------------------------------------- */

static struct kept_object *find(struct keep *keep, const struct stat *info) {
  for (size_t i = 0; i < keep->count; i++)
    if (keep->objects[i].device == info->st_dev && keep->objects[i].inode == info->st_ino)
      return &keep->objects[i];
  return NULL;
}

static struct kept_object *append(struct keep *keep, int fd, const struct stat *info, uint32_t number) {
  if (!(keep->count & (keep->count - 1))) { /* at each power of two, double */
    size_t room = keep->count ? keep->count * 2 : 1;
    struct kept_object *larger = realloc(keep->objects, room * sizeof *larger);
    if (!larger) return NULL;
    keep->objects = larger;
  }
  struct kept_object *object = &keep->objects[keep->count++];
  *object = (struct kept_object){.fd = fd, .device = info->st_dev, .inode = info->st_ino, .number = number};
  note(object, info);
  return object;
}

static int64_t mark(struct kept_object *object, struct recording_writer *writer,
                    struct recording_error *error) {
  char text[16];
  if (object->changes) return 0;
  snprintf(text, sizeof text, "%u", object->number);
  if (recording_add(writer, "changing-file", text, error) || recording_save(writer, error)) return -EIO;
  object->changes = true;
  return 0;
}

static void warn(const char *path) {
  fputs("reprise: ", stderr);
  plain_write(stderr, path);
  fputs(" was changed by another program while it was mapped: the replay may differ\n", stderr);
}

/* One that is known: whether it still has the content that was kept. */
static int64_t keep_again(struct kept_object *object, struct recording_writer *writer, int fd,
                          const char *path, const struct stat *info, struct recording_error *error) {
  uint32_t number;
  if (object->changes || looks_the_same(object, info)) return 0;
  int status = add(writer, fd, path, &number, error);
  if (status) return status;
  note(object, info);
  if (recording_same_content(writer, object->number, number)) return 0;
  warn(path);
  object->number = number;
  return 0;
}

static int64_t keep_new(struct keep *keep, struct recording_writer *writer, int fd, const char *path,
                        const struct stat *info, struct kept_object **object, struct recording_error *error) {
  uint32_t number;
  int status = add(writer, fd, path, &number, error);
  if (!status && !(*object = append(keep, fd, info, number))) status = -ENOMEM;
  return status;
}

int64_t keep_file(struct keep *keep, struct recording_writer *writer, int32_t pid, int fd, bool changes,
                  struct recording_error *error) {
  char path[RECORDING_PATH_MAX];
  struct stat info = {0};
  int own = open_descriptor(pid, fd, path, sizeof path, &info);
  if (own == -EMFILE || own == -ENFILE || own == -ENOMEM) {
    *error = (struct recording_error){.kind = RECORDING_SYSTEM, .number = -own};
    snprintf(error->text, sizeof error->text, "can't open a mapped file to keep it: %s", strerror(-own));
    return -EIO;
  }
  if (own < 0) return own;
  struct kept_object *object = find(keep, &info);
  bool known = object, others = exposed(own, &info);
  int64_t status = known ? keep_again(object, writer, own, path, &info, error)
                         : keep_new(keep, writer, own, path, &info, &object, error);
  if (!status && changes) status = mark(object, writer, error);
  if (known || !object) close(own);
  if (status) return status;
  return object->number | (others ? REQUEST_EXPOSED : 0) | (object->fresh ? 0 : REQUEST_SETTLED);
}

int64_t keep_changes(struct keep *keep, struct recording_writer *writer, uint32_t number,
                     struct recording_error *error) {
  for (size_t i = 0; i < keep->count; i++)
    if (keep->objects[i].number == number) return mark(&keep->objects[i], writer, error);
  return -ENOENT;
}

void keep_end(struct keep *keep, struct recording_writer *writer) {
  for (size_t i = 0; i < keep->count; i++) {
    struct kept_object *object = &keep->objects[i];
    char link[64], path[RECORDING_PATH_MAX];
    struct stat info;
    uint32_t number;
    snprintf(link, sizeof link, "/proc/self/fd/%d", object->fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = 0;
    bool same = object->changes || fstat(object->fd, &info) || looks_the_same(object, &info);
    if (!same && !add(writer, object->fd, path, &number, NULL) &&
        !recording_same_content(writer, object->number, number))
      warn(path);
    close(object->fd);
  }
  free(keep->objects);
}
