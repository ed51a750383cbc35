/* reader.c: opens a recording and its streams. See recording.h. */
#include "recording/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/architecture.h"
#include "recording/error.h"
#include "recording/io.h"

/* -- Opening ------------------------------------------------------------------------------------------------------- */

static int load_manifest(struct recording_reader *r, struct recording_error *error) {
  struct extent extent;
  int status = r->source->find_manifest(r, &extent, error);
  if (status == RECORDING_ABSENT)
    return recording_fail(error, RECORDING_NOT_ONE, r->path, "not a recording: it has no manifest");
  if (status) return status;
  char *text = NULL, place[RECORDING_PATH_MAX + 16];
  snprintf(place, sizeof place, "%s/manifest", r->path);
  if (extent.length > RECORDING_MANIFEST_MAX) {
    status = recording_fail(error, RECORDING_DAMAGED, place, "damaged: larger than any manifest");
  } else if (!(text = malloc(extent.length + 1))) {
    status = recording_fail_errno(error, place, "reading it");
  } else {
    ssize_t n = read_upto(extent.fd, extent.start, text, extent.length);
    status = n < 0 ? recording_fail_errno(error, place, "reading it")
                   : manifest_parse(&r->manifest, text, (size_t)n, place, error);
  }
  free(text);
  extent_release(&extent);
  return status;
}

/* "0123456789abcdef" */
static bool parse_id(const char *text, uint64_t *id) {
  char canonical[17];
  if (!text) return false;
  *id = strtoull(text, NULL, 16);
  snprintf(canonical, sizeof canonical, "%016" PRIx64, *id);
  return !strcmp(text, canonical);
}

static int understand(struct recording_reader *r, unsigned flags, struct recording_error *error) {
  const char *architecture = recording_get(r, "architecture", 0), *state = recording_get(r, "state", 0);
  if (!architecture || !state || !parse_id(recording_get(r, "id", 0), &r->id))
    return recording_fail(error, RECORDING_DAMAGED, r->path, "damaged: its manifest lacks a line");
  if (!(flags & RECORDING_ANY_ARCHITECTURE) && strcmp(architecture, ARCHITECTURE))
    return recording_fail(error, RECORDING_OTHER_ARCHITECTURE, r->path,
                          "recorded on %.32s; this machine is " ARCHITECTURE, architecture);
  if (!strcmp(state, "complete")) {
    r->state = RECORDING_COMPLETE;
  } else if (!strcmp(state, "recording")) {
    if (r->state != RECORDING_LIVE) r->state = RECORDING_UNFINISHED;
  } else {
    return recording_fail(error, RECORDING_DAMAGED, r->path, "damaged: its manifest has no known state");
  }
  return RECORDING_OK;
}

/* A writer's lock tells that it is alive; the reader's own keeps the recording from being removed meanwhile. */
static void look_for_writer(struct recording_reader *r) {
  bool locked = flock(r->fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
  r->state = locked ? RECORDING_LIVE : RECORDING_UNFINISHED;
}

static int open_source(struct recording_reader *r, struct recording_error *error) {
  struct stat info;
  r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (r->fd < 0 && errno == ENOENT)
    return recording_fail(error, RECORDING_ABSENT, r->path, "no such recording");
  if (r->fd < 0 || fstat(r->fd, &info)) return recording_fail_errno(error, r->path, "opening it");
  if (S_ISDIR(info.st_mode)) {
    r->source = &directory_source;
    look_for_writer(r);
    return RECORDING_OK;
  }
  if (!S_ISREG(info.st_mode)) return recording_fail(error, RECORDING_NOT_ONE, r->path, "not a recording");
  r->source = &pack_source;
  return pack_recognize(r, (uint64_t)info.st_size, error);
}

int recording_open(const char *path, unsigned flags, struct recording_reader **out,
                   struct recording_error *error) {
  struct recording_reader *r = calloc(1, sizeof *r);
  if (!r) return recording_fail_errno(error, path, "opening it");
  r->fd = -1;
  r->state = RECORDING_UNFINISHED;
  r->decompressor = ZSTD_createDCtx();
  r->payload = malloc(RECORDING_FRAME_MAX);
  int status;
  if (!r->decompressor || !r->payload) {
    status = recording_fail_errno(error, path, "opening it");
  } else if ((size_t)snprintf(r->path, sizeof r->path, "%s", path) >= sizeof r->path) {
    errno = ENAMETOOLONG;
    status = recording_fail_errno(error, path, "opening it");
  } else {
    status = open_source(r, error);
  }
  if (!status) status = load_manifest(r, error);
  if (!status) status = understand(r, flags, error);
  if (status)
    recording_reader_close(r);
  else
    *out = r;
  return status;
}

int recording_refresh(struct recording_reader *reader, struct recording_error *error) {
  struct manifest manifest = reader->manifest;
  enum recording_state state = reader->state;
  if (reader->source != &directory_source) return RECORDING_OK;
  reader->manifest = (struct manifest){0};
  look_for_writer(reader); /* first: what it leaves is whole */
  int status = load_manifest(reader, error);
  if (!status) status = understand(reader, RECORDING_ANY_ARCHITECTURE, error);
  manifest_free(status ? &reader->manifest : &manifest);
  if (!status) return RECORDING_OK;
  reader->manifest = manifest;
  reader->state = state;
  return status;
}

void recording_reader_close(struct recording_reader *reader) {
  recording_stream_close(reader->files);
  if (reader->fd >= 0) close(reader->fd);
  manifest_free(&reader->manifest);
  ZSTD_freeDCtx(reader->decompressor);
  free(reader->payload);
  free(reader);
}

/* -- Facts from the manifest --------------------------------------------------------------------------------------- */

const char *recording_reader_path(const struct recording_reader *reader) {
  return reader->path;
}

enum recording_state recording_reader_state(const struct recording_reader *reader) {
  return reader->state;
}

const char *recording_get(const struct recording_reader *reader, const char *key, size_t index) {
  return manifest_get(&reader->manifest, key, index);
}

/* The list of a kind's streams, "" for none. */
static const char *listed_streams(const struct recording_reader *r, int kind) {
  char key[STREAM_NAME_MAX + 8] = "streams-";
  stream_name((struct recording_stream_id){(enum recording_kind)kind, RECORDING_SPHERE}, key + 8);
  const char *list = recording_get(r, key, 0);
  return list ? list : "";
}

/* 1: it is; 0: it is not; -1: that is no list. */
static int is_listed(const struct recording_reader *r, struct recording_stream_id id) {
  const char *list = listed_streams(r, (int)id.kind);
  uint32_t from, to;
  int found;
  while ((found = thread_range_next(&list, &from, &to)) == 1)
    if (from <= id.thread && id.thread <= to) return 1;
  return found;
}

/* -- Streams ------------------------------------------------------------------------------------------------------- */

static int bad_list(const struct recording_reader *r, struct recording_error *error) {
  return recording_fail(error, RECORDING_DAMAGED, r->path, "damaged: its manifest has a bad list of streams");
}

static int each_listed(struct recording_reader *r, int kind, recording_visit_stream *visit, void *context,
                       struct recording_error *error) {
  const char *list = listed_streams(r, kind);
  uint32_t from, to;
  uint64_t next = 0; /* lists ascend, so none is endless */
  for (int found; (found = thread_range_next(&list, &from, &to)) != 0;) {
    if (found < 0 || from < next) return bad_list(r, error);
    next = (uint64_t)to + 1;
    for (uint64_t thread = from; thread < next; thread++) {
      struct recording_stream_id id = {(enum recording_kind)kind, (uint32_t)thread};
      int status = stream_id_valid(id) ? visit(id, context, error) : bad_list(r, error);
      if (status) return status;
    }
  }
  return RECORDING_OK;
}

/* A visitor of some of the streams that are there: of one kind, or (0) of those that a manifest lists. */
struct chosen {
  int kind;
  recording_visit_stream *visit;
  void *context;
};

static int visit_chosen(struct recording_stream_id id, void *context, struct recording_error *error) {
  const struct chosen *chosen = context;
  bool wanted = chosen->kind ? (int)id.kind == chosen->kind : (int)id.kind <= KIND_LAST;
  return wanted ? chosen->visit(id, chosen->context, error) : RECORDING_OK;
}

int recording_each_image(struct recording_reader *reader, recording_visit_stream *visit, void *context,
                         struct recording_error *error) {
  struct chosen chosen = {RECORDING_IMAGE, visit, context};
  return reader->source->each_stream(reader, visit_chosen, &chosen, error);
}

int recording_each_solved(struct recording_reader *reader, recording_visit_stream *visit, void *context,
                          struct recording_error *error) {
  struct chosen chosen = {RECORDING_SOLVED, visit, context};
  return reader->source->each_stream(reader, visit_chosen, &chosen, error);
}

int recording_each_stream(struct recording_reader *reader, recording_visit_stream *visit, void *context,
                          struct recording_error *error) {
  struct chosen chosen = {0, visit, context};
  if (reader->state != RECORDING_COMPLETE)
    return reader->source->each_stream(reader, visit_chosen, &chosen, error);
  int status = RECORDING_OK;
  for (int kind = KIND_FIRST; !status && kind <= KIND_LAST; kind++)
    status = each_listed(reader, kind, visit, context, error);
  return status;
}

int recording_stream_open(struct recording_reader *reader, struct recording_stream_id id,
                          struct recording_stream **out, struct recording_error *error) {
  if (!stream_id_valid(id)) return recording_fail(error, RECORDING_MISUSE, reader->path, "no such stream");
  char name[8 + STREAM_NAME_MAX] = "streams/";
  stream_name(id, name + 8);
  bool complete = reader->state == RECORDING_COMPLETE && (int)id.kind <= KIND_LAST;
  int listed = complete ? is_listed(reader, id) : 1;
  if (listed < 0) return bad_list(reader, error);
  if (!listed) return recording_fail(error, RECORDING_ABSENT, reader->path, "has no %s", name);
  struct extent extent;
  int status = reader->source->find_stream(reader, id, &extent, error);
  if (status == RECORDING_ABSENT && complete)
    return recording_fail(error, RECORDING_DAMAGED, reader->path, "damaged: %s is missing", name);
  if (status) return status;
  *out = stream_new(reader, (uint8_t)id.kind, id.thread, name, extent);
  return *out ? RECORDING_OK : recording_fail_errno(error, reader->path, "opening a stream");
}
