/* loader.h: mapping a program and its ELF interpreter where the kernel would (loader.c). */
#ifndef REPRISE_ENGINE_LOADER_H
#define REPRISE_ENGINE_LOADER_H

#include "engine/start/image.h"

struct loaded {
  uintptr_t start;       /* where execution begins: the interpreter's entry, or the program's */
  uintptr_t entry;       /* AT_ENTRY */
  uintptr_t headers;     /* AT_PHDR */
  unsigned header_count; /* AT_PHNUM */
  uintptr_t base;        /* AT_BASE: where the interpreter lies, 0 without one */
  uintptr_t heap;        /* first page after the program */
  size_t data_bytes;     /* size of its data segment, for RLIMIT_DATA */
  bool executable_stack;
};

/* Maps the program (and interpreter, if not NULL) and books the mappings: 0 or -errno, with image->problem set. The
 * address space may be half filled after an error: there is no way back. top is where the address space ends: the stack's
 * end, which differs between machines of one architecture. */
long loader_map(struct image *program, struct image *interpreter, uintptr_t top, struct loaded *loaded);

#endif
