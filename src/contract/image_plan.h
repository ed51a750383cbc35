/* image_plan.h: how the manager gives a new process the memory of a vessel that was stored in a recording (engine/threads/image_restore.c,
 * travel/image_load.c).
 *
 * The process is an engine with `restores` in its configuration. Over its channel come messages with descriptors: first the plan and the file with
 * the contents of pages, then the files that are mapped, in batches. The process becomes the vessel, and waits at the channel as one. */
#ifndef REPRISE_CONTRACT_IMAGE_PLAN_H
#define REPRISE_CONTRACT_IMAGE_PLAN_H

#include <stdint.h>

enum { IMAGE_PLAN_MAGIC = 0x52505249, IMAGE_BATCH = 200 };

/* What a mapping is of, instead of a file's number. */
enum { IMAGE_ANONYMOUS = 0xffffffff, IMAGE_ENGINE = 0xfffffffe };

enum image_flags {
  IMAGE_SHARED = 1,     /* MAP_SHARED */
  IMAGE_GROWS_DOWN = 2, /* a stack */
};

struct image_mapping {
  uint64_t start, end;
  uint64_t offset; /* in the file */
  uint32_t file;   /* its number, or one of those above */
  uint8_t protection, flags;
  uint16_t unused;
};

/* Bytes of memory, in the file with the contents of pages. */
struct image_piece {
  uint64_t address, bytes, offset;
};

/* The plan is a file: this, the mappings, the pieces. A mapping of its own, at IMAGE_PLAN_BASE, is gone when the vessel is made. */
struct image_plan {
  uint32_t magic;
  uint32_t files, mappings;
  uint8_t quiet, confined, debugged,
      whole; /* for the configuration of the vessel: as the manager has them now */
  uint64_t pieces;
  uint32_t log_channels, serial;
};

/* With the first message come the plan and the pages; with each other one `count` files from number `first` on. */
struct image_message {
  uint32_t first, count;
};

#endif
