/* writer.c: makes a recording and appends to it. See recording.h for the contracts.
 *
 * Safe against death at any instruction: the manifest is replaced by rename, a frame is one write at the end of its stream,
 * and a stream or a recording that was not closed is recognised by its missing end. The writer keeps only the descriptor of
 * the stream written last, because there may be more threads than descriptors; opening a stream costs little beside compressing its
 * frame. The streams of many short threads are written once, and ended then. */
#include "recording/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recording/architecture.h"
#include "recording/error.h"
#include "recording/io.h"
#include "recording/store.h"

enum {
  OWN_LINES_ROOM = 1 << 20, /* what callers must leave of the manifest for the lists of streams */
  RESERVE = 256 << 10,      /* bytes of room on the disk, for the end of a recording */
};

/* -- The manifest -------------------------------------------------------------------------------------------------- */

static int put_own(struct recording_writer *w, const char *key, const char *value,
                   struct recording_error *error) {
  return manifest_put(&w->manifest, key, value, true, RECORDING_MANIFEST_MAX - 256, error);
}

static int put_callers(struct recording_writer *w, const char *key, const char *value, bool replace,
                       struct recording_error *error) {
  static const char *const reserved[] = {"reprise-recording", "architecture", "id", "state",
                                         "created",           "checksum"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (!strcmp(key, reserved[i]) || !strncmp(key, "streams-", 8))
      return recording_fail(error, RECORDING_MISUSE, "manifest", "the key `%.64s' is reserved", key);
  return manifest_put(&w->manifest, key, value, replace, RECORDING_MANIFEST_MAX - OWN_LINES_ROOM, error);
}

int recording_set(struct recording_writer *writer, const char *key, const char *value,
                  struct recording_error *error) {
  return put_callers(writer, key, value, true, error);
}

int recording_add(struct recording_writer *writer, const char *key, const char *value,
                  struct recording_error *error) {
  return put_callers(writer, key, value, false, error);
}

/* A complete new file takes the old one's name, so there is a whole manifest at every moment. */
int recording_save(struct recording_writer *writer, struct recording_error *error) {
  size_t length;
  char *text = manifest_text(&writer->manifest, &length);
  if (!text) return recording_fail_errno(error, writer->path, "writing the manifest");
  int fd =
      openat(writer->directory, "manifest.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool fine = fd >= 0 && write_all(fd, 0, text, length);
  int failed = fine ? 0 : errno;
  if (fd >= 0 && close(fd) && fine) failed = errno;
  free(text);
  if (!failed && renameat(writer->directory, "manifest.new", writer->directory, "manifest")) failed = errno;
  if (!failed) return RECORDING_OK;
  unlinkat(writer->directory, "manifest.new", 0);
  errno = failed;
  return recording_fail_errno(error, writer->path, "writing the manifest");
}

/* -- Creating ------------------------------------------------------------------------------------------------------ */

static int describe(struct recording_writer *w, struct recording_error *error) {
  char text[32];
  int status = put_own(w, "architecture", ARCHITECTURE, error);
  snprintf(text, sizeof text, "%016" PRIx64, w->id);
  if (!status) status = put_own(w, "id", text, error);
  if (!status) status = put_own(w, "state", "recording", error);
  time_t now = time(NULL);
  struct tm utc;
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  if (!status) status = put_own(w, "created", text, error);
  return status ? status : recording_save(w, error);
}

static int make_folder(struct recording_writer *w, const char *name, int *fd, struct recording_error *error) {
  if (!mkdirat(w->directory, name, 0700)) {
    *fd = openat(w->directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (*fd >= 0) return RECORDING_OK;
  }
  return recording_fail_errno(error, w->path, "making a folder in it");
}

/* A file without a name, which is gone with its writer, however that ends. Where room can't be reserved in advance, do without. */
static int take_reserve(struct recording_writer *w, struct recording_error *error) {
  w->reserve = openat(w->directory, "reserve", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (w->reserve < 0) return recording_fail_errno(error, w->path, "making a file in it");
  unlinkat(w->directory, "reserve", 0);
  errno = posix_fallocate(w->reserve, 0, RESERVE);
  if (errno == ENOSPC || errno == EDQUOT) return recording_fail_errno(error, w->path, "taking up room in it");
  return RECORDING_OK;
}

void recording_use_reserve(struct recording_writer *writer) {
  /* Not only closed, because a process that was forked may have it open, too. */
  if (writer->reserve >= 0) (void)!ftruncate(writer->reserve, 0);
}

/* From the kernel; from its device where the call is denied. */
static bool random_bytes(void *to, size_t count) {
  if (getrandom(to, count, 0) == (ssize_t)count) return true;
  int error = errno, fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  bool good = fd >= 0 && read(fd, to, count) == (ssize_t)count;
  if (fd >= 0) close(fd);
  errno = error;
  return good;
}

/* Fills the directory, which was just made. The manifest comes first: from then on this is a recording, which can be
 * listed and removed. */
static int fill(struct recording_writer *w, struct recording_error *error) {
  if (!frame_maker_open(&w->maker)) return recording_fail_errno(error, w->path, "starting to compress");
  if (!random_bytes(&w->id, sizeof w->id))
    return recording_fail_errno(error, w->path, "getting random bytes");
  w->directory = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (w->directory < 0) return recording_fail_errno(error, w->path, "opening it");
  flock(w->directory, LOCK_EX | LOCK_NB); /* where there are no locks, do without */
  int status = describe(w, error);
  if (!status) status = make_folder(w, "streams", &w->streams, error);
  if (!status) status = make_folder(w, "files", &w->files, error);
  return status ? status : take_reserve(w, error);
}

static void remove_unfinished(struct recording_writer *w) {
  static const char *const names[] = {"manifest.new", "manifest"};
  static const char *const folders[] = {"files", "streams"};
  for (int i = 0; i < 2 && w->directory >= 0; i++) {
    unlinkat(w->directory, names[i], 0);
    unlinkat(w->directory, folders[i], AT_REMOVEDIR);
  }
  rmdir(w->path);
}

int recording_create(const char *path, struct recording_writer **out, struct recording_error *error) {
  if (strlen(path) + 64 > RECORDING_PATH_MAX) {
    errno = ENAMETOOLONG;
    return recording_fail_errno(error, path, "making it");
  }
  struct recording_writer *w = calloc(1, sizeof *w);
  if (!w) return recording_fail_errno(error, path, "making it");
  w->directory = w->streams = w->files = w->store = w->reserve = w->latest = -1;
  snprintf(w->path, sizeof w->path, "%s", path);
  int status;
  if (!mkdir(path, 0700)) {
    status = fill(w, error);
    if (status) remove_unfinished(w);
    if (!status) w->store = store_open(path);
  } else if (errno == EEXIST) {
    status = recording_fail(error, RECORDING_EXISTS, path, "exists already");
  } else {
    status = recording_fail_errno(error, path, "can't make the recording");
  }
  if (status)
    recording_abandon(w);
  else
    *out = w;
  return status;
}

const char *recording_writer_path(const struct recording_writer *writer) {
  return writer->path;
}

/* -- Appending ----------------------------------------------------------------------------------------------------- */

static void close_latest(struct recording_writer *w) {
  if (w->latest >= 0) close(w->latest);
  w->latest = -1;
}

/* Its descriptor, open for writing, or -1. */
static int descriptor_of(struct recording_writer *w, struct recording_stream_id id, const char *name,
                         bool is_new) {
  if (w->latest >= 0 && w->latest_id.kind == id.kind && w->latest_id.thread == id.thread) return w->latest;
  close_latest(w);
  w->latest_id = id;
  w->latest = openat(w->streams, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | (is_new ? O_CREAT : 0), 0600);
  return w->latest;
}

/* The stream, made if it is new. *fd is open for writing, and stays so. */
static int open_stream(struct recording_writer *w, struct recording_stream_id id, struct open_stream **stream,
                       int *fd, struct recording_error *error) {
  char name[STREAM_NAME_MAX];
  stream_name(id, name);
  *stream = stream_table_find(&w->open, id);
  bool is_new = !*stream;
  if (is_new && thread_set_has(&w->existing[id.kind], id.thread))
    return recording_fail(error, RECORDING_MISUSE, w->path, "stream %s has ended", name);
  if (is_new && !(*stream = stream_table_add(&w->open, id)))
    return recording_fail_errno(error, w->path, "making a stream");
  *fd = descriptor_of(w, id, name, is_new);
  int status = *fd < 0 ? recording_fail_errno(error, w->path, "opening a stream")
                       : thread_set_add(&w->existing[id.kind], id.thread, error);
  if (status && is_new) stream_table_drop(&w->open, *stream);
  return status;
}

/* Writes the frame that the maker holds. A frame that does not fit leaves nothing behind. */
static int write_frame(struct recording_writer *w, struct open_stream *stream, int fd, size_t size,
                       uint64_t last, struct recording_error *error) {
  if (!write_all(fd, stream->offset, w->maker.bytes, size)) {
    int status = recording_fail_errno(error, w->path, "writing to a stream");
    /* If even this fails the torn frame is recognised, and the next one overwrites it. */
    if (ftruncate(fd, (off_t)stream->offset)) return status;
    return status;
  }
  stream->offset += size;
  stream->sequence++;
  stream->last = last;
  return RECORDING_OK;
}

static struct frame_header header_for(const struct recording_writer *w, const struct open_stream *stream) {
  return (struct frame_header){
      .kind = (uint8_t)stream->id.kind,
      .recording = w->id,
      .thread = stream->id.thread,
      .sequence = stream->sequence,
      .first = stream->last,
      .last = stream->last,
  };
}

int writer_append(struct recording_writer *writer, struct recording_stream_id id, uint64_t first,
                  uint64_t last, const void *bytes, size_t length, struct recording_error *error) {
  struct open_stream *stream;
  int fd;
  int status = open_stream(writer, id, &stream, &fd, error);
  if (status) return status;
  if (first < stream->last)
    return recording_fail(error, RECORDING_MISUSE, writer->path, "position %" PRIu64 " after %" PRIu64, first,
                          stream->last);
  struct frame_header header = header_for(writer, stream);
  header.first = first;
  header.last = last;
  header.raw = (uint32_t)length;
  return write_frame(writer, stream, fd, frame_make(&writer->maker, &header, bytes), last, error);
}

int recording_append(struct recording_writer *writer, struct recording_stream_id id, uint64_t first,
                     uint64_t last, const void *bytes, size_t length, struct recording_error *error) {
  if (!stream_id_valid(id) || id.kind >= RECORDING_FILES || !length || length > RECORDING_FRAME_MAX ||
      first > last)
    return recording_fail(error, RECORDING_MISUSE, writer->path, "no such frame can be written");
  return writer_append(writer, id, first, last, bytes, length, error);
}

/* -- Closing ------------------------------------------------------------------------------------------------------- */

int recording_end(struct recording_writer *writer, struct recording_stream_id id,
                  struct recording_error *error) {
  if (!stream_id_valid(id) || id.kind > RECORDING_FILES)
    return recording_fail(error, RECORDING_MISUSE, writer->path, "no such stream");
  struct open_stream *stream;
  int fd;
  int status = open_stream(writer, id, &stream, &fd, error);
  if (status) return status;
  struct frame_header header = header_for(writer, stream);
  header.flags = FRAME_END;
  status = write_frame(writer, stream, fd, frame_make(&writer->maker, &header, NULL), stream->last, error);
  close_latest(writer);
  if (!status) stream_table_drop(&writer->open, stream);
  return status;
}

/* Lists the streams in the manifest, so that a reader notices a missing one. */
static int list_streams(struct recording_writer *w, struct recording_error *error) {
  for (int kind = KIND_FIRST; kind <= KIND_LAST; kind++) {
    char *text = thread_set_text(&w->existing[kind]);
    if (!text) return recording_fail_errno(error, w->path, "listing its streams");
    char key[STREAM_NAME_MAX + 8] = "streams-";
    stream_name((struct recording_stream_id){(enum recording_kind)kind, RECORDING_SPHERE}, key + 8);
    int status = *text ? put_own(w, key, text, error) : RECORDING_OK;
    free(text);
    if (status) return status;
  }
  return put_own(w, "state", "complete", error);
}

int recording_flush(struct recording_writer *writer, struct recording_error *error) {
  return syncfs(writer->directory) ? recording_fail_errno(error, writer->path, "writing to disk")
                                   : RECORDING_OK;
}

static int close_all(struct recording_writer *w, struct recording_error *error) {
  /* Dropping one may move another into its place, but none to a place before it. */
  for (size_t i = 0; i < w->open.size;) {
    if (!w->open.places[i].id.kind) {
      i++;
      continue;
    }
    int status = recording_end(w, w->open.places[i].id, error);
    if (status) return status;
  }
  int status = list_streams(w, error);
  return status ? status : recording_save(w, error);
}

int recording_complete(struct recording_writer *writer, struct recording_error *error) {
  recording_use_reserve(writer);
  return close_all(writer, error);
}

int recording_close(struct recording_writer *writer, struct recording_error *error) {
  int status = recording_complete(writer, error);
  recording_abandon(writer);
  return status;
}

void recording_abandon(struct recording_writer *writer) {
  int fds[] = {writer->latest,  writer->reserve, writer->store,
               writer->streams, writer->files,   writer->directory};
  for (int i = 0; i < 6; i++)
    if (fds[i] >= 0) close(fds[i]);
  for (int kind = KIND_FIRST; kind <= KIND_LAST; kind++) free(writer->existing[kind].words);
  frame_maker_close(&writer->maker);
  manifest_free(&writer->manifest);
  free(writer->open.places);
  free(writer->kept);
  free(writer);
}
