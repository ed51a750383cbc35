/* file_state.c: asks for the state of files, and makes files without a name. See file_state.h.
 *
 * A filter of a container, or an old kernel, may lack statx or memfd_create. Older calls do the same there. */
#include "engine/base/file_state.h"

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/memfd.h>

#include "engine/base/lib.h"
#include "engine/base/os.h"

const char own_maps[] = "/proc/thread-self/maps", own_first_maps[] = "/proc/self/maps",
           own_pagemap[] = "/proc/thread-self/pagemap", no_name[] = "";

static bool call_is_denied(long result) {
  return result == -ENOSYS || result == -EPERM || result == -EACCES;
}

static unsigned major_of(uint64_t device) {
  return (unsigned)(device >> 8 & 0xfff) | (unsigned)(device >> 32 & ~0xfffUL);
}

static unsigned minor_of(uint64_t device) {
  return (unsigned)(device & 0xff) | (unsigned)(device >> 12 & ~0xffUL);
}

long file_state(int directory, const char *path, struct statx *info) {
  long flags = path[0] ? 0 : AT_EMPTY_PATH;
  if (!path[0]) path = no_name;
  long result = os_call5(__NR_statx, directory, path, flags, STATX_BASIC_STATS, info);
  if (!call_is_denied(result)) return result;
  struct stat older;
  result = os_call4(__NR_newfstatat, directory, path, &older, flags);
  if (result) return result;
  *info = (struct statx){
      .stx_mode = (uint16_t)older.st_mode,
      .stx_size = (uint64_t)older.st_size,
      .stx_ino = older.st_ino,
      .stx_mtime = {.tv_sec = (int64_t)older.st_mtime, .tv_nsec = (uint32_t)older.st_mtime_nsec},
      .stx_dev_major = major_of(older.st_dev),
      .stx_dev_minor = minor_of(older.st_dev),
      .stx_rdev_major = major_of(older.st_rdev),
      .stx_rdev_minor = minor_of(older.st_rdev)};
  return 0;
}

long scratch_file(const char *name) {
  static const char *const folders[] = {"/dev/shm", "/tmp", "/var/tmp"};
  long fd = os_call2(__NR_memfd_create, name, MFD_CLOEXEC);
  for (size_t i = 0; fd < 0 && call_is_denied(fd) && i < COUNT_OF(folders); i++) {
    long file = os_call4(__NR_openat, AT_FDCWD, folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) fd = file;
  }
  return fd;
}
