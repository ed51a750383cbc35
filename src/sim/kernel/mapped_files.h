/* mapped_files.h: files of the host that processes of a sphere have in their memory together (MAP_SHARED). */
#ifndef REPRISE_SIM_MAPPED_FILES_H
#define REPRISE_SIM_MAPPED_FILES_H

#include "sim/kernel/files.h"

/* The range of the task's space, which is mapped already, becomes the file's from this offset on. 0 or -errno. */
int64_t mapped_file_attach(struct task *task, uint64_t at, uint64_t bytes, uint64_t descriptor,
                           uint64_t offset, unsigned flags);
/* A range that is mapped already goes on with the file that the physical page is of, behind that page. */
int64_t mapped_file_extend(struct task *task, uint64_t last, uint64_t at, uint64_t bytes, unsigned flags);
/* The host's file has what was stored to its pages. */
void mapped_file_flush(struct kernel *kernel, const struct open_file *open);
void mapped_files_flush(struct kernel *kernel);
/* Mappings have gone: the host's files have what was stored to pages that no process has any more. */
void mapped_files_settle(struct kernel *kernel);
/* The host's file is about to get these bytes: false if memory has the place with other ones. */
bool mapped_file_may_write(struct kernel *kernel, const struct open_file *file, const void *bytes,
                           uint64_t count, uint64_t offset);
bool mapped_files_have_page(const struct kernel *kernel, uint64_t page);
/* The sphere has had such a mapping. */
bool mapped_files_are_used(const struct kernel *kernel, const struct sphere *sphere);
void mapped_files_end(struct kernel *kernel);

#endif
