/* mapping_book.h: the engine's book of the application's mappings (mapping_book.c).
 *
 * An ordered set of ranges with their protection. It answers whether an address may be executed and tells which code
 * can change behind our back. Every system call that changes mappings goes through it (memory/mappings.h). */
#ifndef REPRISE_ENGINE_MAPPING_BOOK_H
#define REPRISE_ENGINE_MAPPING_BOOK_H

#include "engine/base/thread.h"

struct mapping {
  uintptr_t start, end;
  uint32_t prot;          /* PROT_* as the application sees them (with what READ_IMPLIES_EXEC adds) */
  uint32_t segment;       /* which shmat made it, 0 if none … */
  uintptr_t segment_at;   /* … and where the segment begins, or would begin */
  bool shared;            /* MAP_SHARED: its bytes may change through another mapping */
  struct code_file *file; /* what it was mapped from to be executed, or NULL (code_files.h) … */
  uintptr_t file_base;    /* … whose offset is the address minus this */
  uint32_t object;        /* number + 1 of what it shares with other mappings (shared.h), 0: nothing … */
  uintptr_t object_base;  /* … whose offset is the address and this */
  bool ordered;           /* … and by which its memory is known while recording in parallel */
  bool grows;             /* a stack: the kernel extends it downwards by itself */
};

/* Held while the kernel and the book are changed together. It comes after cache_lock, under which translation looks
 * mappings up. */
extern struct lock mappings_lock;
/* A call of the program changes them. */
extern _Atomic bool mappings_unsettled;
/* Counts the changes of mappings that may be executed. */
extern _Atomic uint32_t mappings_code_changes;
/* personality(READ_IMPLIES_EXEC) is in force: readable memory is executable. */
extern bool mappings_read_implies_exec;
/* The protection that the kernel gets instead of the program's: the engine must be able to read the code that it translates. In replay the program's
 * memory is never executable for the processor, which the program can't see. */
long mappings_kernel_prot(long prot);

void mappings_add(uintptr_t start, uintptr_t end, uint32_t prot, bool shared);
/* The initial stack, as far as it is mapped by now. */
void mappings_add_stack(uintptr_t start, uintptr_t end, uint32_t prot);
void mappings_remove(uintptr_t start, uintptr_t end);
/* The mapping that holds address, copied to *out; false if there is none. */
bool mappings_find(uintptr_t address, struct mapping *out);
/* A stack grows without a system call: when address lies where the kernel would extend one to, so does the book. Under
 * mappings_lock. */
void mappings_follow_growth(uintptr_t address);
/* The first one that ends after address; false if there is none. */
bool mappings_next(uintptr_t address, struct mapping *out);
/* The part of a call's range that may be mapped: some programs give senseless sizes, far beyond the memory that is mapped there. */
size_t mappings_present(uintptr_t address, size_t bytes);
/* Sets the object of the mappings in a range, from that offset on. */
void mappings_name(uintptr_t start, uintptr_t end, uint32_t object, uint64_t offset, bool ordered);
/* True if [start, start + length) overlaps the engine's region. */
bool mappings_in_engine(uintptr_t start, uintptr_t length);

#endif
