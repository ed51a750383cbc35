/* code_files.h: the files that code is mapped from, and whether they are open for writing (code_files.c). */
#ifndef REPRISE_ENGINE_CODE_FILES_H
#define REPRISE_ENGINE_CODE_FILES_H

#include "engine/base/thread.h"

/* A file by its identity; never freed, so mappings point to it. */
struct code_file {
  uint64_t device, inode;
  uint64_t content;     /* when it was first mapped: lasting_content */
  _Atomic bool written; /* open for writing: its mapped code is compared whenever it is entered */
  struct code_file *next;
};

/* The file behind a descriptor that is mapped to be executed, under mappings_lock. NULL: it has none. */
struct code_file *code_files_mapped(int fd);
/* A file was opened for writing: if code is mapped from it, drops the translations of that code; false if none is. */
bool code_files_opened(int fd);
/* After a system call: calls code_files_opened if it opened a file. */
void code_files_after_call(const struct call *call, long result);

#endif
