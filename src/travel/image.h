/* image.h: checkpoints stored in a recording (image_write.c, image_read.c, image_load.c).
 *
 * An image is a stream of the recording (docs/format.md) that holds all that a checkpoint is made of: the memory of its vessels, the region, the memory that
 * processes share, and where in its streams the feed was. It is of use to the engine that made it only: vessels are stored with the engine's memory.
 * So it is untrusted as any recording is, and its processes are confined before anything of it is put in place.
 *
 * Errors are as in recording.h; RECORDING_MISUSE means here that the image, or the checkpoint, is sound, and can't be used or stored for the reason told. */
#ifndef REPRISE_TRAVEL_IMAGE_H
#define REPRISE_TRAVEL_IMAGE_H

#include <sys/types.h>

#include "contract/image_plan.h"
#include "recording/recording.h"
#include "travel/checkpoints.h"

struct mapped;
struct mapped_copies;
struct keep;

/* Kinds of frames: the first byte. Then come three zeros, a number (of a process or a file) and the content. */
enum image_frame {
  IMAGE_HEAD = 1,  /* the first frame */
  IMAGE_FEED,      /* the positions of the feed */
  IMAGE_POSITIONS, /* of threads */
  IMAGE_FILES,     /* files that are mapped */
  IMAGE_MAPPINGS,  /* of a process */
  IMAGE_REGION,    /* pieces of the region */
  IMAGE_CONTENT,   /* … of a file */
  IMAGE_MEMORY,    /* … of the memory of a process */
};

enum {
  IMAGE_VERSION = 1,
  IMAGE_PAGE = 4096,
  IMAGE_PREFIX = 8,      /* bytes of a frame before its content */
  IMAGE_HEAD_BYTES = 88, /* of the content of IMAGE_HEAD */
  IMAGE_POSITION_BYTES = 12,
  IMAGE_FILE_BYTES = 16,
  IMAGE_MAPPING_BYTES = 32,
  IMAGE_PIECE_BYTES = 12, /* before the bytes themselves */
  IMAGE_FILES_MOST = 1 << 16,
  IMAGE_MAPPINGS_MOST = 1 << 20,
  IMAGE_PROCESSES_MOST = 4096,
};

enum image_file_kind {
  FILE_OF_RECORDING = 1, /* `number` says which */
  FILE_CHANGES,          /* shared memory, or a file that changes; `number` as in struct mapped_copies */
  FILE_CONTENT,          /* none of the recording's: the pages that are mapped are stored */
};

struct image_head {
  uint8_t engine[16]; /* hash of the engine's file */
  uint64_t machine;   /* digest of the processor's features */
  uint32_t slots;     /* of the region */
  uint32_t processes, files;
  struct checkpoint_moment moment;
  uint32_t event; /* of the moment's thread */
  uint64_t turns_digest;
  uint32_t threads; /* that have begun */
};

/* The position of a thread that lives. */
struct image_position {
  uint32_t thread;
  uint64_t position;
};

/* -- Storing --------------------------------------------------------------------------------------------------------------------- */

/* A checkpoint whose vessels wait at their channels. */
struct image_source {
  struct checkpoint_moment moment;
  int region; /* the copy */
  const uint8_t *feed;
  size_t feed_bytes;
  const struct mapped_copies *shared;
  const struct mapped *mapped; /* which files are which … */
  const struct keep
      *kept; /* … or, of a recording, whose vessels are live ones (engine/threads/live_vessel.c) */
  const pid_t *vessels;
  size_t count;
};

int image_write(const struct image_source *from, struct recording_reader *reader, uint32_t *number,
                uint64_t *bytes, struct recording_error *error);

/* Of this command's engine and of this machine; false: there is no engine. */
bool image_own(uint8_t engine[16], uint64_t *machine);

/* -- Reading --------------------------------------------------------------------------------------------------------------------- */

struct image_file {
  enum image_file_kind kind;
  uint32_t number;
  uint64_t size;
  int fd; /* of FILE_CHANGES and FILE_CONTENT */
};

struct image_process {
  struct image_mapping *mappings;
  uint32_t mapping_count;
  struct image_piece *pieces;
  uint64_t piece_count;
  int pages;           /* a memory file with the bytes of the pieces … */
  uint64_t page_bytes; /* … so many */
};

struct image {
  struct image_head head;
  struct image_position *positions;
  uint32_t position_count;
  uint8_t *feed;
  size_t feed_bytes;
  int region;
  struct image_file *files;
  uint32_t file_room; /* for so many; head.files are known */
  struct image_process *processes;
  uint64_t bytes; /* of all memory so far */
};

enum { IMAGE_NONE = -1 };
/* The image with which a recording begins that a flight recorder has made; IMAGE_NONE: it begins with its program. */
int64_t image_begins(const struct recording_reader *reader);

/* The head and positions alone, for a choice; then all. An image that was opened must be closed. */
int image_look(struct recording_reader *reader, uint32_t number, struct image *out,
               struct recording_error *error);
int image_read(struct recording_reader *reader, uint32_t number, struct image *out,
               struct recording_error *error);
void image_close(struct image *image);
/* RECORDING_OK if this engine on this machine can go on from there. */
int image_fits(const struct image *image, const char *path, uint32_t number, struct recording_error *error);

#endif
