/* lasting_format.h: the files of the lasting cache (docs/format.md).
 *
 * A file has the blocks of one file of code, made by one engine in one mode. It is written once, under another name, and then gets its own: nobody
 * ever changes it. All numbers have the byte order of the machine. */
#ifndef REPRISE_ENGINE_LASTING_FORMAT_H
#define REPRISE_ENGINE_LASTING_FORMAT_H

#include <stdint.h>

#include "contract/stored_code.h"
#include "engine/code/cache.h"
#include "engine/code/lasting_marks.h"

/* In the slot that its place leads to, or one of the next. Nothing relies on these: a record tells what it is. */
struct lasting_slot {
  uint32_t place;  /* of the block's first instruction in the file of code */
  uint32_t record; /* where its record is, in words of eight bytes; 0: none */
};

/* One block. What follows: ranges, exits, map, places, code, source; padded to whole words. */
struct lasting_record {
  uint64_t digest;   /* of the rest of the record, with the maker as its seed */
  uint64_t file;     /* as in the header */
  uint64_t fixed_at; /* the only address at which the block can be, 0: anywhere */
  uint32_t place;
  uint32_t bytes; /* of the record */
  uint32_t code_bytes;
  uint32_t entry_bytes; /* of the code: the checking entry before the block */
  uint32_t body_bytes;
  uint32_t killed; /* where in the code */
  uint16_t source_bytes;
  uint16_t instructions;
  uint16_t ranges, exits, map, places;
  uint8_t entry;     /* enum entry_kind of the checking entry */
  uint8_t alignment; /* of the code, as it was made: its address modulo ARCH_CODE_ALIGNMENT */
  uint8_t flags_unused;
  uint8_t hot_counted; /* it counts how often it is entered */
  uint8_t entry_at;    /* where in the code the checking entry is entered */
  uint8_t
      repeats; /* good where the engine counts repeated instructions as this maker does: lasting_files.h */
  uint8_t unused[6];
};

/* Bytes of the program that the block was made from. */
struct lasting_range {
  int32_t start; /* away from the block's pc */
  uint32_t bytes;
};

struct lasting_exit {
  int32_t target; /* away from the block's pc; of a check, from the beginning of the code */
  uint16_t patch; /* where in the code, plus one; 0: it has none */
  uint8_t kind;
  uint8_t instructions;
  uint64_t detail;
};

_Static_assert(sizeof(struct lasting_record) == 72, "no padding");
_Static_assert(sizeof(struct lasting_place) == 4, "no padding");
_Static_assert(sizeof(struct lasting_exit) == 16, "no padding");
_Static_assert(sizeof(struct insn_map) == 8, "no padding");

/* No record is larger. */
enum { LASTING_RECORD_MAX = 32768, LASTING_RANGES = 32 };

#endif
