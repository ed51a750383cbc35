/* object_table.c: see object_table.h. */
#include "engine/region/object_table.h"

#include "engine/base/file_state.h"

struct region_object *object_place(uint64_t device, uint64_t inode) {
  uint64_t at = (device * 31 + inode) * 0x9e3779b97f4a7c15 >> 32;
  for (;; at++) {
    struct region_object *object = &region->objects[at % REGION_OBJECTS];
    if (!object->known || (object->device == device && object->inode == inode)) return object;
  }
}

uint64_t object_device(const struct statx *info) {
  return (uint64_t)info->stx_dev_major << 32 | info->stx_dev_minor;
}

struct region_object *object_find(int fd, const char *path, struct statx *info) {
  if (file_state(fd, path, info)) return NULL;
  struct region_object *object = object_place(object_device(info), info->stx_ino);
  return object->known ? object : NULL;
}

struct region_object *objects_find(int fd) {
  struct statx info;
  return object_find(fd, "", &info);
}

uint64_t objects_size(int fd) {
  struct statx info;
  return !file_state(fd, "", &info) ? info.stx_size : UINT64_MAX;
}
