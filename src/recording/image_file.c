/* image_file.c: writes stored checkpoints, and orders that were found afterwards, into a recording that is closed. See recording_image_create in recording.h.
 *
 * An image is a stream like the others, except that no manifest lists it. It is written as streams/image.new (or solved.new) and gets its name when it is
 * complete: a reader finds whole images or none. The writer locks that file, and the next one overwrites what a killed writer has left. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/error.h"
#include "recording/io.h"
#include "recording/reader.h"

struct recording_image {
  struct recording_reader *reader;
  const char *unfinished; /* its name until then */
  int folder, fd;
  struct recording_stream_id id;
  uint32_t sequence; /* of the next frame */
  uint64_t offset;   /* where it begins */
  struct frame_maker maker;
};

static int find_next(struct recording_stream_id id, void *context, struct recording_error *error) {
  uint32_t *next = context;
  (void)error;
  *next = id.thread + 1;
  return RECORDING_OK;
}

/* The file, locked and empty; the lock is on the file of that name, or another writer has renamed its own meanwhile. */
static int open_unfinished(struct recording_image *image, struct recording_error *error) {
  const char *path = image->reader->path;
  static const char busy[] = "an image or an order is being written into it at this moment";
  image->folder = openat(image->reader->fd, "streams", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (image->folder >= 0)
    image->fd = openat(image->folder, image->unfinished, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (image->fd < 0) return recording_fail_errno(error, path, "making an image in it");
  if (flock(image->fd, LOCK_EX | LOCK_NB)) return recording_fail(error, RECORDING_BUSY, path, busy);
  struct stat own, named;
  if (fstat(image->fd, &own) || fstatat(image->folder, image->unfinished, &named, AT_SYMLINK_NOFOLLOW) ||
      own.st_ino != named.st_ino)
    return recording_fail(error, RECORDING_BUSY, path, busy);
  if (ftruncate(image->fd, 0)) return recording_fail_errno(error, path, "making an image in it");
  return RECORDING_OK;
}

static void free_image(struct recording_image *image) {
  if (image->fd >= 0) close(image->fd);
  if (image->folder >= 0) close(image->folder);
  frame_maker_close(&image->maker);
  free(image);
}

static int create(struct recording_reader *reader, struct recording_stream_id id, const char *unfinished,
                  struct recording_image **out, struct recording_error *error) {
  if (reader->source != &directory_source)
    return recording_fail(error, RECORDING_MISUSE, reader->path, "a pack can't be added to");
  struct recording_image *image = calloc(1, sizeof *image);
  if (!image) return recording_fail_errno(error, reader->path, "making an image in it");
  image->reader = reader;
  image->id = id;
  image->unfinished = unfinished;
  image->folder = image->fd = -1;
  int status = frame_maker_open(&image->maker)
                   ? open_unfinished(image, error)
                   : recording_fail_errno(error, reader->path, "making an image in it");
  if (!status && id.kind == RECORDING_IMAGE)
    status = recording_each_image(reader, find_next, &image->id.thread, error);
  if (!status && !stream_id_valid(image->id))
    status = recording_fail(error, RECORDING_MISUSE, reader->path, "it has no number left for an image");
  if (status)
    free_image(image);
  else
    *out = image;
  return status;
}

int recording_image_create(struct recording_reader *reader, struct recording_image **out,
                           struct recording_error *error) {
  return create(reader, (struct recording_stream_id){RECORDING_IMAGE, 0}, "image.new", out, error);
}

int recording_solved_create(struct recording_reader *reader, struct recording_image **out,
                            struct recording_error *error) {
  return create(reader, (struct recording_stream_id){RECORDING_SOLVED, RECORDING_SPHERE}, "solved.new", out,
                error);
}

static int put(struct recording_image *image, uint8_t flags, const void *bytes, size_t length,
               struct recording_error *error) {
  struct frame_header header = {.kind = (uint8_t)image->id.kind,
                                .flags = flags,
                                .recording = image->reader->id,
                                .thread = image->id.thread,
                                .sequence = image->sequence,
                                .raw = (uint32_t)length};
  size_t size = frame_make(&image->maker, &header, bytes);
  if (!write_all(image->fd, image->offset, image->maker.bytes, size))
    return recording_fail_errno(error, image->reader->path, "writing an image");
  image->offset += size;
  image->sequence++;
  return RECORDING_OK;
}

int recording_image_append(struct recording_image *image, const void *bytes, size_t length,
                           struct recording_error *error) {
  if (!length || length > RECORDING_FRAME_MAX)
    return recording_fail(error, RECORDING_MISUSE, image->reader->path, "no such frame can be written");
  return put(image, 0, bytes, length, error);
}

int recording_image_finish(struct recording_image *image, uint32_t *number, uint64_t *bytes,
                           struct recording_error *error) {
  char name[STREAM_NAME_MAX];
  stream_name(image->id, name);
  int status = put(image, FRAME_END, NULL, 0, error);
  /* After a loss of power, too, it is whole or not there. */
  if (!status && (fsync(image->fd) || renameat(image->folder, image->unfinished, image->folder, name)))
    status = recording_fail_errno(error, image->reader->path, "writing an image");
  if (status) {
    recording_image_drop(image);
    return status;
  }
  *number = image->id.thread;
  if (bytes) *bytes = image->offset;
  free_image(image);
  return RECORDING_OK;
}

void recording_image_drop(struct recording_image *image) {
  unlinkat(image->folder, image->unfinished, 0);
  free_image(image);
}

int recording_image_remove(struct recording_reader *reader, uint32_t number, struct recording_error *error) {
  char path[STREAM_NAME_MAX + 8] = "streams/";
  if (reader->source != &directory_source)
    return recording_fail(error, RECORDING_MISUSE, reader->path, "nothing can be taken from a pack");
  stream_name((struct recording_stream_id){RECORDING_IMAGE, number}, path + 8);
  if (!unlinkat(reader->fd, path, 0)) return RECORDING_OK;
  if (errno == ENOENT)
    return recording_fail(error, RECORDING_ABSENT, reader->path, "has no image %u", number);
  return recording_fail_errno(error, reader->path, "removing an image");
}
