/* archive.h: a simulated sphere's recording on disk, in the project's format (docs/format.md): input and order streams of each thread, the programs that
   ran, and in the manifest what a replay is compared with. */
#ifndef REPRISE_SIM_ARCHIVE_H
#define REPRISE_SIM_ARCHIVE_H

#include "recording/recording.h"
#include "sim/input_log.h"

struct archive {
  const char *path;   /* folder to be made; NULL: the default place */
  const char *scheme; /* of the order logs */
  char **argv;
  uint32_t threads;
  uint64_t register_digest, memory_digest;
  struct input_log *input;
  const uint8_t *checkpoint; /* its image, or NULL */
  size_t checkpoint_bytes;
  /* The order log of a thread. */
  const uint8_t *(*order)(void *context, uint32_t thread, size_t *count);
  void *context;
};

/* All of it, when the sphere has ended. The folder's name goes to out. */
int archive_save(const struct archive *archive, char out[RECORDING_PATH_MAX], struct recording_error *error);

/* -- Reading ---------------------------------------------------------------------------------------------------------------------------- */

struct archive_reader {
  struct recording_reader *recording;
  char **argv; /* the recorded program's, ends with NULL */
  const char *scheme;
  uint32_t threads;
  uint64_t register_digest, memory_digest;
};

/* The name that a checkpoint's image has among the programs. */
#define ARCHIVE_CHECKPOINT "checkpoint"

int archive_open(const char *path, struct archive_reader *reader, struct recording_error *error);
void archive_close(struct archive_reader *reader);
/* Fills an empty log, and calls back for each piece of an order log, in order. */
int archive_read(struct archive_reader *reader, struct input_log *input,
                 void (*order)(void *context, uint32_t thread, const uint8_t *bytes, size_t count),
                 void *context, struct recording_error *error);

#endif
