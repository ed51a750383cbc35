/* address_spaces.h: what a process had mapped where, as the events of a recording tell it (address_spaces.c). */
#ifndef REPRISE_INSPECT_ADDRESS_SPACES_H
#define REPRISE_INSPECT_ADDRESS_SPACES_H

#include "inspect/logs.h"

struct spaces;

/* Where in a file an address lies. */
struct file_place {
  uint32_t file;   /* its number in the recording */
  uint64_t offset; /* in the file; or, if it was mapped as a program, from its first address on */
  bool image;
};

struct spaces *spaces_new(void); /* NULL without memory */
void spaces_free(struct spaces *spaces);

/* Takes note of an entry, each in its turn. False without memory. */
bool spaces_follow(struct spaces *spaces, const struct log_entry *entry);
/* The process that a thread belongs to. */
uint32_t spaces_process(const struct spaces *spaces, uint32_t thread);
/* What the thread's process has mapped from a file at the address; false if nothing. */
bool spaces_find(const struct spaces *spaces, uint32_t thread, uint64_t address, struct file_place *out);

#endif
