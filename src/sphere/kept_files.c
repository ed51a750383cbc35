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
#include "recording/error.h"
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

/* The processes that have the file open for writing: a lease is granted only if there are none. */
enum writers { NO_WRITERS, WRITERS, FOREIGN_WRITERS, UNKNOWN_WRITERS };
static enum writers writers_of(int fd, const struct stat *info) {
  if (!fcntl(fd, F_SETLEASE, F_RDLCK)) {
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return NO_WRITERS;
  }
  if (errno == EAGAIN) return WRITERS;
  /* We may not ask. */
  bool foreign = info->st_uid != geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
  return foreign ? FOREIGN_WRITERS : UNKNOWN_WRITERS;
}

/* True if a process may write to the file. One that only other users may write is not open for writing in the sphere. */
static bool exposed(enum writers writers) {
  return writers == WRITERS || writers == UNKNOWN_WRITERS;
}

static bool is_elf(int fd) {
  char start[4];
  return pread(fd, start, sizeof start, 0) == sizeof start && !memcmp(start, "\177ELF", sizeof start);
}

/* File systems of this machine, which give each change a time of its own, by a clock of this machine. */
static bool keeps_times(int fd) {
  struct statfs info;
  if (fstatfs(fd, &info)) return false;
  switch (info.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
      return true;
    default:
      return false;
  }
}

/* True if every later change of the content will change the times of the file. Stores through a mapping need not, as long as it exists: so no
 * process may have the file open for writing. Where that is unknown, a file of code counts as one that nobody writes in such a way. */
static bool is_lasting(int fd, const struct stat *info, enum writers writers) {
  enum { SETTLED_S = 2 }; /* longer than a tick of a file system's clock */
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec - info->st_ctim.tv_sec <= SETTLED_S || now.tv_sec - info->st_mtim.tv_sec <= SETTLED_S)
    return false;
  return keeps_times(fd) && (writers == NO_WRITERS || (writers == FOREIGN_WRITERS && is_elf(fd)));
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

static int add(struct recording_writer *writer, int fd, const char *path, bool lasting, uint32_t *number,
               struct recording_error *error) {
  int status = lasting ? recording_add_lasting_file(writer, fd, path, number, error)
                       : recording_add_file(writer, fd, path, number, error);
  return status ? -EIO : 0;
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
  int status = add(writer, fd, path, false, &number, error);
  if (status) return status;
  note(object, info);
  if (recording_same_content(writer, object->number, number)) return 0;
  warn(path);
  object->number = number;
  return 0;
}

static int64_t keep_new(struct keep *keep, struct recording_writer *writer, int fd, const char *path,
                        const struct stat *info, bool lasting, struct kept_object **object,
                        struct recording_error *error) {
  uint32_t number;
  int status = add(writer, fd, path, lasting, &number, error);
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
  enum writers writers = writers_of(own, &info);
  bool known = object, others = exposed(writers), lasting = is_lasting(own, &info, writers);
  int64_t status = known ? keep_again(object, writer, own, path, &info, error)
                         : keep_new(keep, writer, own, path, &info, lasting, &object, error);
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

/* The name by which a descriptor of ours was opened. */
static void read_path(int fd, char *path, size_t room) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, room - 1);
  path[n < 0 ? 0 : n] = 0;
}

uint32_t keep_number(const struct keep *keep, uint64_t device, uint64_t inode) {
  for (size_t i = 0; i < keep->count; i++)
    if (keep->objects[i].device == device && keep->objects[i].inode == inode) return keep->objects[i].number;
  return UINT32_MAX;
}

static const struct kept_object *find_number(const struct keep *keep, uint32_t number) {
  for (size_t i = 0; i < keep->count; i++)
    if (keep->objects[i].number == number) return &keep->objects[i];
  return NULL;
}

int keep_again_in(const struct keep *keep, struct recording_writer *writer, struct recording_error *error) {
  int status = RECORDING_OK;
  for (uint32_t number = 0; !status && number < keep->count; number++) {
    const struct kept_object *object = find_number(keep, number);
    char path[RECORDING_PATH_MAX];
    uint32_t got;
    if (object) read_path(object->fd, path, sizeof path);
    if (!object || (!(status = recording_add_file(writer, object->fd, path, &got, error)) && got != number))
      status = recording_fail(error, RECORDING_MISUSE, recording_writer_path(writer),
                              "a mapped file was changed by another program, which is not supported yet");
  }
  return status;
}

bool keep_has_changes(const struct keep *keep) {
  for (size_t i = 0; i < keep->count; i++)
    if (keep->objects[i].changes) return true;
  return false;
}

void keep_end(struct keep *keep, struct recording_writer *writer) {
  for (size_t i = 0; i < keep->count; i++) {
    struct kept_object *object = &keep->objects[i];
    char path[RECORDING_PATH_MAX];
    struct stat info;
    uint32_t number;
    read_path(object->fd, path, sizeof path);
    bool same = object->changes || fstat(object->fd, &info) || looks_the_same(object, &info);
    if (!same && !add(writer, object->fd, path, false, &number, NULL) &&
        !recording_same_content(writer, object->number, number))
      warn(path);
    close(object->fd);
  }
  free(keep->objects);
}
