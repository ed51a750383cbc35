/* code_files.h: the files that code is mapped from, and whether somebody may write to them (code_files.c). */
#ifndef REPRISE_ENGINE_CODE_FILES_H
#define REPRISE_ENGINE_CODE_FILES_H

#include "engine/base/thread.h"

/* A file by its identity; never freed, so mappings point to it. */
struct code_file {
  uint64_t device, inode;
  _Atomic bool written; /* open for writing: its mapped code is compared whenever it is entered */
  struct code_file *next;
};

/* The file behind a descriptor that is mapped to be executed, under mappings_lock. NULL: it has none. */
struct code_file *code_files_mapped(int fd);
/* A file was opened for writing: if it is one of code, drops what was translated from it; false if it is not. */
bool code_files_opened(int fd);
/* After a system call: looks whether it opened one. */
void code_files_after_call(const struct call *call, long result);

#endif
