/* lasting_files.h: stored blocks, found by the place of their code (lasting_files.c). For the other files of the lasting cache. */
#ifndef REPRISE_ENGINE_LASTING_FILES_H
#define REPRISE_ENGINE_LASTING_FILES_H

#include "engine/base/mapping_book.h"
#include "engine/code/lasting.h"
#include "engine/code/lasting_format.h"

/* A record that waits to be stored. */
struct lasting_new {
  struct lasting_new *next;
  struct lasting_record record;
};

/* What is known of one file of code. */
struct lasting_file {
  uint64_t content;
  uintptr_t stored; /* where the stored file is mapped … */
  size_t bytes;     /* … and its size; 0: there is none */
  uint32_t slots, records;
  size_t copied;                  /* of its bytes, since its pages were last let go */
  size_t expected;                /* the next record if all goes on as before … */
  unsigned ahead;                 /* … and how many are taken with it */
  struct lasting_new *new, *last; /* translated by this process */
  uint32_t new_count;
  size_t new_bytes;
  struct lasting_file *next;
};
extern struct lasting_file *lasting_files;

/* True while blocks are taken. */
bool lasting_on(void);
/* True if what is translated is collected and stored. Not in a replay: its program is not trusted, what it leaves behind would be executed elsewhere. */
bool lasting_collects(void);
/* True if this process treats repeated instructions as others of its maker do. */
bool lasting_repeats(void);
/* The digest that records of this process start from. */
uint64_t lasting_maker(void);

/* The mapping that has the code at pc, if its blocks may be kept, and the file they are kept with; NULL: they may not. */
struct lasting_file *lasting_file_at(uintptr_t pc, struct mapping *mapping);
/* Copies the record of the block at that place, whole and undamaged; returns where in the stored file it is. 0: there is none. */
size_t lasting_find(struct lasting_file *file, uint32_t place, struct lasting_record *to);
/* The same for the record there; false: there is none. */
bool lasting_read(struct lasting_file *file, size_t at, struct lasting_record *to);

/* The name of the stored file in the folder. */
enum { LASTING_NAME_MAX = 24 };
void lasting_name(char name[LASTING_NAME_MAX], uint64_t content);
/* Maps a stored file at the address, where there is so much room, and checks its header. Its size; 0: there is none, and the header is
 * empty. */
size_t lasting_map(uint64_t content, uintptr_t at, size_t room, struct lasting_header *header);
uint32_t lasting_slot_of(uint32_t place, uint32_t slots);
/* Forgets what is new. */
void lasting_drop_new(void);

#endif
