/* address_spaces.h: the mappings of files in each process, from the events of a recording (address_spaces.c). */
#ifndef REPRISE_INSPECT_ADDRESS_SPACES_H
#define REPRISE_INSPECT_ADDRESS_SPACES_H

#include "inspect/logs.h"

struct spaces;

/* The place of an address in a file. */
struct file_place {
  uint32_t file;   /* its number in the recording */
  uint64_t offset; /* in the file; or, if it was mapped as a program, from its first address on */
  bool image;
};

struct spaces *spaces_new(void); /* NULL without memory */
void spaces_free(struct spaces *spaces);

/* To be called with every entry, in order. False without memory. */
bool spaces_follow(struct spaces *spaces, const struct log_entry *entry);
/* The process that a thread belongs to. */
uint32_t spaces_process(const struct spaces *spaces, uint32_t thread);
/* The place in the file that the thread's process has mapped at the address; false if there is none. */
bool spaces_find(const struct spaces *spaces, uint32_t thread, uint64_t address, struct file_place *out);

#endif
