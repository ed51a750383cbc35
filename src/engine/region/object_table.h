/* object_table.h: the files and segments of shared memory that the sphere's processes have mapped: a hash table of the region, by device and inode
 * (object_table.c). */
#ifndef REPRISE_ENGINE_OBJECT_TABLE_H
#define REPRISE_ENGINE_OBJECT_TABLE_H

#include <linux/stat.h>

#include "engine/region/rings.h"

/* The object's place in the table: its own, or a free one. */
struct region_object *object_place(uint64_t device, uint64_t inode);
uint64_t object_device(const struct statx *info);
/* The object of a file, NULL if it has none; the file's state goes to *info. */
struct region_object *object_find(int fd, const char *path, struct statx *info);
/* The object of a descriptor's file, if the file was mapped; else NULL. */
struct region_object *objects_find(int fd);
uint64_t objects_size(int fd);

#endif
