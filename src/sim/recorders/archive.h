/* archive.h: a simulated sphere's recording on disk, in the project's format (docs/format.md): input and order streams of each thread, the programs that
 * ran, cuts, and in the manifest the digests that a replay is compared with.
 *
 * It is written while the simulation runs. Now and then there is a **cut**: all logs go to the disk, then a record of how far every thread has come.
 * If the recorder is killed, or gives up, the recording is good up to the last cut. */
#ifndef REPRISE_SIM_ARCHIVE_H
#define REPRISE_SIM_ARCHIVE_H

#include "recording/recording.h"
#include "sim/kernel/input_log.h"

/* How far a thread had come. */
struct archive_cut {
  bool ended;
  uint64_t position;
  uint64_t digest; /* of its registers there; 0: not known */
  uint64_t input_bytes, order_bytes;
};

/* -- Writing ------------------------------------------------------------------------------------------------------------------------------ */

struct archive_writer;

/* path: folder to be made; NULL: in the default place. board: of an operating system, not of a program. */
int archive_begin(const char *path, bool board, const char *scheme, char **argv, struct archive_writer **out,
                  struct recording_error *error);
const char *archive_path(const struct archive_writer *writer);
/* More of a thread's input or order log. */
int archive_append(struct archive_writer *writer, enum recording_kind kind, uint32_t thread,
                   const uint8_t *bytes, size_t count, struct recording_error *error);
/* The programs that the sphere has executed, but for those that are there already. */
int archive_programs(struct archive_writer *writer, const struct input_log *input,
                     struct recording_error *error);
/* A file that the recording needs: number 0, 1, 2 … */
int archive_add_file(struct archive_writer *writer, const char *path, struct recording_error *error);
/* Bytes are filled in: as many as have been appended. */
int archive_cut(struct archive_writer *writer, struct archive_cut *cuts, uint32_t threads,
                struct recording_error *error);

/* How the sphere ended. */
struct archive_end {
  uint32_t threads;
  uint64_t instructions;
  uint64_t register_digest, memory_digest;
  const uint8_t *checkpoint; /* its image, or NULL */
  size_t checkpoint_bytes;
};
/* The recording is complete. Frees the writer, whatever it returns. */
int archive_finish(struct archive_writer *writer, const struct archive_end *end,
                   struct recording_error *error);
/* Leaves the recording as it is. */
void archive_abandon(struct archive_writer *writer);

/* -- Reading ---------------------------------------------------------------------------------------------------------------------------- */

struct archive_reader {
  struct recording_reader *recording;
  char **argv; /* the recorded program's, ends with NULL */
  const char *scheme;
  uint32_t threads;
  uint64_t register_digest, memory_digest;
  struct archive_cut *cuts; /* of each thread, if the recording breaks off; NULL: it is complete */
};

/* The name that a checkpoint's image has among the programs. */
#define ARCHIVE_CHECKPOINT "checkpoint"

int archive_open(const char *path, bool board, struct archive_reader *reader, struct recording_error *error);
/* A descriptor of file number 0, 1, 2 … */
int archive_open_file(struct archive_reader *reader, uint32_t number, int *descriptor,
                      struct recording_error *error);
/* Calls back for each piece of a board's input and order logs, in order. */
int archive_read_board(struct archive_reader *reader,
                       void (*piece)(void *context, enum recording_kind kind, uint32_t thread,
                                     const uint8_t *bytes, size_t count),
                       void *context, struct recording_error *error);
void archive_close(struct archive_reader *reader);
/* Fills an empty log, and calls back for each piece of an order log, in order. */
int archive_read(struct archive_reader *reader, struct input_log *input,
                 void (*order)(void *context, uint32_t thread, const uint8_t *bytes, size_t count),
                 void *context, struct recording_error *error);

#endif
