/* recording.h: a recording on disk, for its writers and its readers. docs/format.md describes the bytes.
 *
 * A recording is a directory with a manifest, streams of frames and the files that the program mapped; or a pack, which is
 * all of that in one file. Both are read through the same functions.
 *
 * Errors. Functions that return a recording_status return RECORDING_OK (0) or put into *error, unless it is NULL, the
 * same status and one line for the user, without a full stop or a line break. Unless a function says
 * otherwise its outputs are untouched then. A reader never trusts the bytes: whatever they are, it returns, uses a bounded
 * amount of memory and tells damaged content from sound content.
 *
 * Threads. A writer, or a reader with all its streams, belongs to one thread at a time; different ones are independent.
 *
 * Signals. A caller that may hit a file size limit ignores SIGXFSZ to get an error instead of its death. */
#ifndef REPRISE_RECORDING_RECORDING_H
#define REPRISE_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  RECORDING_VERSION = 7,
  RECORDING_FRAME_MAX = 1 << 20, /* raw bytes in a frame, at most */
  RECORDING_FRAME_USUAL =
      64 << 10, /* a good size: larger ones hardly compress better and cost readers memory */
  RECORDING_THREAD_MAX = (1 << 24) - 1, /* the highest R-thread */
  RECORDING_PATH_MAX = 4096,            /* every path, with its final NUL */
  RECORDING_MANIFEST_MAX = 4 << 20,     /* bytes in a manifest, at most */
};

/* The name of a core file in a recording's folder, which readers and packs pass over. */
#define RECORDING_CORE "core"

enum recording_status {
  RECORDING_OK,
  RECORDING_END,           /* no more frames: the stream is whole and was closed */
  RECORDING_TRUNCATED,     /* no more frames: the stream breaks off; what was returned until now is sound */
  RECORDING_DAMAGED,       /* bytes are not those that were written, or a part is missing */
  RECORDING_NOT_ONE,       /* this is no recording at all */
  RECORDING_OTHER_VERSION, /* written by another version of the format */
  RECORDING_OTHER_ARCHITECTURE, /* made on a machine with another instruction set */
  RECORDING_ABSENT,             /* there is no such recording, stream or file */
  RECORDING_BUSY,               /* it is being recorded, or read, at this moment */
  RECORDING_EXISTS,             /* something of this name is already there */
  RECORDING_MISUSE,             /* the caller's mistake; nothing was done */
  RECORDING_SYSTEM,             /* a system call failed: error->number has errno */
};

struct recording_error {
  enum recording_status kind;
  int number; /* errno for RECORDING_SYSTEM, else 0 */
  char text[512];
};

/* -- Streams ------------------------------------------------------------------------------------------------------- */

enum recording_kind {
  RECORDING_INPUT = 1,  /* the input of the sphere */
  RECORDING_ORDER = 2,  /* the order of its threads */
  RECORDING_EVENTS = 3, /* threads and processes that began and ended, programs executed */
  RECORDING_FILES = 4,  /* the table of mapped files; written by recording_add_file alone */
  RECORDING_IMAGE =
      6, /* a stored checkpoint, which has a number instead of an R-thread; recording_image_create writes it */
  RECORDING_SOLVED =
      7, /* an order that was found afterwards, of the sphere; recording_solved_create writes it */
};

#define RECORDING_SPHERE UINT32_MAX /* instead of an R-thread: the stream of the whole sphere */

struct recording_stream_id {
  enum recording_kind kind;
  uint32_t thread; /* or RECORDING_SPHERE; EVENTS, FILES and SOLVED are always of the sphere */
};

/* -- Writing ------------------------------------------------------------------------------------------------------- */

struct recording_writer;

/* Makes the directory at path, which must not exist (RECORDING_EXISTS), and a recording without streams in it. The writer
 * holds a lock on it, as an open close-on-exec descriptor, until it is closed or its process dies. */
int recording_create(const char *path, struct recording_writer **out, struct recording_error *error);

/* The same in the default place (recording_home, made if need be), as PROGRAM-N with the next free N, and points the link
 * `latest` at it. Any number of processes may do this at the same time. */
int recording_create_default(const char *program, struct recording_writer **out,
                             struct recording_error *error);

const char *recording_writer_path(const struct recording_writer *writer);

/* A line of the manifest. Keys are lower-case letters, digits and dashes; values any string. set replaces all lines of that
 * key by one, add adds one more. Both only change memory: recording_save writes the manifest, atomically, and so does
 * recording_close. RECORDING_MISUSE for a bad or reserved key and for more than RECORDING_MANIFEST_MAX bytes. */
int recording_set(struct recording_writer *writer, const char *key, const char *value,
                  struct recording_error *error);
int recording_add(struct recording_writer *writer, const char *key, const char *value,
                  struct recording_error *error);
int recording_save(struct recording_writer *writer, struct recording_error *error);

/* Appends one frame: 1 to RECORDING_FRAME_MAX bytes that belong to the positions first to last, which never run backwards
 * within a stream. The first frame makes the stream. When this returns the frame survives the death of
 * every process; when it fails (a full disk, say) the stream ends with the frame before, as if this call had not
 * been made, and it may be tried again. */
int recording_append(struct recording_writer *writer, struct recording_stream_id id, uint64_t first,
                     uint64_t last, const void *bytes, size_t length, struct recording_error *error);

/* Closes one stream for good (its thread has ended) and forgets it, so that memory grows with the threads that
 * live, not with those that have lived. A stream without frames comes into being with this. */
int recording_end(struct recording_writer *writer, struct recording_stream_id id,
                  struct recording_error *error);

/* Keeps the file behind fd, as it is now, with the recording; path is the name it was opened by. The same file under the same
 * path gives the same number again, as long as it has not changed. Numbers count from 0. The content is a
 * reflink or a copy; recordings of the default place share one copy. */
int recording_add_file(struct recording_writer *writer, int fd, const char *path, uint32_t *number,
                       struct recording_error *error);

/* The same for a file whose content can't change without a change of its inode, size or times: if an earlier recording in the default place has kept
 * the file, it need not be read again. */
int recording_add_lasting_file(struct recording_writer *writer, int fd, const char *path, uint32_t *number,
                               struct recording_error *error);
/* True if two files, by the numbers that recording_add_file has returned, have the same content. */
bool recording_same_content(const struct recording_writer *writer, uint32_t number, uint32_t other);

/* Frees the room that was reserved in advance, so that a little more can be appended when the disk is full. */
void recording_use_reserve(struct recording_writer *writer);

/* Waits until all written data are on the disk, so that they survive the loss of power too. */
int recording_flush(struct recording_writer *writer, struct recording_error *error);

/* Closes all streams and writes the manifest: the recording is complete, for readers too. Lines may be added to the manifest as long as there is the writer, which
 * has to be abandoned. */
int recording_complete(struct recording_writer *writer, struct recording_error *error);

/* Closes all streams, writes the manifest and frees the writer, whatever it returns. After a failure the recording is one that was
 * not closed, as after the death of its writer: readable to the last complete frame of each stream. */
int recording_close(struct recording_writer *writer, struct recording_error *error);

/* Frees the writer and leaves the recording as it is. For a process that has inherited a writer by fork. */
void recording_abandon(struct recording_writer *writer);

/* -- Reading ------------------------------------------------------------------------------------------------------- */

struct recording_reader;
struct recording_stream;

enum recording_flags {
  RECORDING_ANY_ARCHITECTURE = 1, /* do not refuse recordings of another architecture */
};

enum recording_state {
  RECORDING_COMPLETE,   /* closed by its writer */
  RECORDING_UNFINISHED, /* its writer died, or could not close it */
  RECORDING_LIVE,       /* its writer is at work */
};

/* Opens a directory or a pack. */
int recording_open(const char *path, unsigned flags, struct recording_reader **out,
                   struct recording_error *error);
void recording_reader_close(struct recording_reader *reader); /* its streams must be closed before */

/* Reads the manifest again, and looks whether the writer is still at work; values that recording_get returned are gone. After a failure all is as it was. */
int recording_refresh(struct recording_reader *reader, struct recording_error *error);

const char *recording_reader_path(const struct recording_reader *reader);
enum recording_state recording_reader_state(const struct recording_reader *reader);

/* The value of the index-th line of the manifest with that key, or NULL. Lives as long as the reader. */
const char *recording_get(const struct recording_reader *reader, const char *key, size_t index);

/* Calls visit for every stream, by kind and thread, until it returns other than 0, and returns that. */
typedef int recording_visit_stream(struct recording_stream_id id, void *context,
                                   struct recording_error *error);
int recording_each_stream(struct recording_reader *reader, recording_visit_stream *visit, void *context,
                          struct recording_error *error);

/* The same for every stored checkpoint, by its number, and for the order that was found afterwards, if there is one. These are in no list: they come and go. */
int recording_each_image(struct recording_reader *reader, recording_visit_stream *visit, void *context,
                         struct recording_error *error);
int recording_each_solved(struct recording_reader *reader, recording_visit_stream *visit, void *context,
                          struct recording_error *error);

struct recording_frame {
  uint64_t first, last; /* positions */
  const uint8_t *bytes; /* as appended; valid until the next call for this stream */
  uint32_t length;
  uint32_t stored; /* bytes that it takes on the disk */
};

/* Opens a stream at its beginning. RECORDING_ABSENT when the recording has none, which is no damage: a stream that should
 * be there and is not gives RECORDING_DAMAGED. An open stream holds no descriptor. */
int recording_stream_open(struct recording_reader *reader, struct recording_stream_id id,
                          struct recording_stream **out, struct recording_error *error);
void recording_stream_close(struct recording_stream *stream);

/* The next frame. RECORDING_END, RECORDING_TRUNCATED ("truncated at byte N", where the last complete frame ends) and every failure
 * but RECORDING_SYSTEM stay until recording_rewind. */
int recording_next(struct recording_stream *stream, struct recording_frame *frame,
                   struct recording_error *error);

/* Skips to the first frame, from here on, whose last position is not below this one, reading headers only. */
int recording_seek(struct recording_stream *stream, uint64_t position, struct recording_error *error);

void recording_rewind(struct recording_stream *stream);

/* Where the next frame of a stream begins, to come back to. */
struct recording_place {
  uint64_t offset, last;
  uint32_t sequence;
};
struct recording_place recording_place(const struct recording_stream *stream);
void recording_return(struct recording_stream *stream, const struct recording_place *place);

/* Reads every frame of every stream and every file; returns the first error, or RECORDING_OK. Streams that break off
 * are an error in a complete recording only. */
int recording_verify(struct recording_reader *reader, struct recording_error *error);

/* -- Stored checkpoints -------------------------------------------------------------------------------------------- */

struct recording_image;

/* Begins an image of a recording that is a directory; RECORDING_MISUSE for a pack, RECORDING_BUSY while another is written. It is no part of the
 * recording before it is finished: nothing of one that is dropped, or whose writer is killed, is ever read. */
int recording_image_create(struct recording_reader *reader, struct recording_image **out,
                           struct recording_error *error);
/* Appends one frame of 1 to RECORDING_FRAME_MAX bytes. */
int recording_image_append(struct recording_image *image, const void *bytes, size_t length,
                           struct recording_error *error);
/* Both free the image. The number is one that no other image has; bytes, unless NULL: what it takes on disk. */
int recording_image_finish(struct recording_image *image, uint32_t *number, uint64_t *bytes,
                           struct recording_error *error);
void recording_image_drop(struct recording_image *image);
/* The same for an order that was found afterwards: there is one at most, so a finished one takes the place of a former one. Its number means nothing. */
int recording_solved_create(struct recording_reader *reader, struct recording_image **out,
                            struct recording_error *error);
/* Removes one; RECORDING_ABSENT when there is none of that number. */
int recording_image_remove(struct recording_reader *reader, uint32_t number, struct recording_error *error);

/* -- Mapped files -------------------------------------------------------------------------------------------------- */

struct recording_file {
  uint32_t number;
  uint32_t mode;                 /* st_mode of the original */
  uint64_t size;                 /* bytes */
  uint8_t hash[16];              /* of the content; its name in the recording */
  char path[RECORDING_PATH_MAX]; /* where it was when it was recorded */
};

/* RECORDING_ABSENT when there is no file of that number. */
int recording_find_file(struct recording_reader *reader, uint32_t number, struct recording_file *out,
                        struct recording_error *error);

/* A descriptor, for reading and mapping, of the content, after it was checked against its hash. A pack's content is unpacked
 * into a memory file. */
int recording_open_file(struct recording_reader *reader, const struct recording_file *file, int *fd,
                        struct recording_error *error);

/* -- Places -------------------------------------------------------------------------------------------------------- */

/* $REPRISE_DIR, else $XDG_DATA_HOME/reprise, else ~/.local/share/reprise. path has RECORDING_PATH_MAX bytes. */
int recording_home(char *path, struct recording_error *error);

/* The target of the link `latest`, a name in the default place, RECORDING_PATH_MAX bytes; false: there is none. The second function points the link
 * there, if there is such a recording: for a caller that gives up a recording which it has made. */
bool recording_get_latest(char *name);
void recording_set_latest(const char *name);

/* Resolves a user's name for a recording: a path if it holds a slash; else a recording of the default place, or of the current
 * folder; NULL is the latest one. RECORDING_ABSENT when nothing is there. */
int recording_resolve(const char *name, char *path, struct recording_error *error);

struct recording_info {
  const char *name; /* in its folder */
  const char *path;
  enum recording_status
      status; /* RECORDING_OK, or why it can't be read; then only the fields above are valid */
  enum recording_state state;
  bool packed;
  uint64_t bytes;                         /* of everything in it */
  const struct recording_reader *details; /* for recording_get */
};

/* Describes one recording, or every one in a folder, in no order, until visit returns other than 0; returns that. A folder that
 * does not exist has none. Only manifests are read. */
typedef int recording_visit(const struct recording_info *info, void *context);
int recording_describe(const char *path, recording_visit *visit, void *context,
                       struct recording_error *error);
int recording_list(const char *folder, recording_visit *visit, void *context, struct recording_error *error);

/* Removes a recording, even a damaged one; the link `latest` beside it goes too if it pointed there. RECORDING_NOT_ONE when the folder has
 * anything that no recording has: nothing was removed then. RECORDING_BUSY while it is recorded or read. */
int recording_remove(const char *path, struct recording_error *error);

/* Writes everything, checked on the way, to a new file at path (RECORDING_EXISTS). Nothing stays behind after a failure. */
int recording_pack(struct recording_reader *reader, const char *path, struct recording_error *error);

#endif
