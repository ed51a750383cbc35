/* image_read.c: reads stored checkpoints, trusting nothing. See image.h.
 *
 * All that is checked here is that the parts fit together and that their sizes are sensible. What is in the memory of a process is the process's own
 * affair: it is confined. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contract/engine.h"
#include "contract/region.h"
#include "recording/bytes.h"
#include "recording/error.h"
#include "recording/scratch.h"
#include "travel/image.h"

struct reading {
  struct image *image;
  struct recording_stream *stream;
  const char *path;
  uint32_t number;
  uint64_t most; /* bytes of memory that the machine has */
  struct recording_error *error;
};

static int damaged(const struct reading *r, const char *what) {
  return recording_fail(r->error, RECORDING_DAMAGED, r->path, "streams/image-%u is damaged: %s", r->number,
                        what);
}

static int lacks_memory(const struct reading *r) {
  return recording_fail_errno(r->error, r->path, "reading an image");
}

int64_t image_begins(const struct recording_reader *reader) {
  const char *text = recording_get(reader, "begins", 0);
  int64_t number = text ? strtol(text, NULL, 10) : IMAGE_NONE;
  return number >= 0 && number <= RECORDING_THREAD_MAX ? number : IMAGE_NONE;
}

/* -- Parts ------------------------------------------------------------------------------------------------------------------------ */

static int read_head(const struct reading *r, const uint8_t *at, size_t bytes) {
  struct image_head *head = &r->image->head;
  if (bytes != IMAGE_HEAD_BYTES) return damaged(r, "its head has another size");
  if (get32(at) != IMAGE_VERSION)
    return recording_fail(r->error, RECORDING_MISUSE, r->path,
                          "image %u was made by another version of reprise", r->number);
  memcpy(head->engine, at + 8, sizeof head->engine);
  head->slots = get32(at + 4);
  head->machine = get64(at + 24);
  head->processes = get32(at + 32);
  head->threads = get32(at + 36);
  head->moment = (struct checkpoint_moment){
      .turn = get64(at + 40), .position = get64(at + 48), .point = get64(at + 56), .thread = get32(at + 64)};
  head->event = get32(at + 68);
  head->turns_digest = get64(at + 72);
  if (get64(at + 80) || !head->processes || head->processes > IMAGE_PROCESSES_MOST || !head->slots ||
      head->slots > REGION_SLOTS)
    return damaged(r, "its head makes no sense");
  return RECORDING_OK;
}

/* Makes room for count more; the array is never larger than it needs to be. */
static void *grow(void *array, uint64_t have, uint64_t count, size_t size) {
  return realloc(array, (have + count) * size);
}

static int read_positions(const struct reading *r, const uint8_t *at, size_t bytes) {
  struct image *image = r->image;
  uint32_t count = (uint32_t)(bytes / IMAGE_POSITION_BYTES);
  if (bytes % IMAGE_POSITION_BYTES || image->position_count + count > REGION_SLOTS)
    return damaged(r, "it has bad positions");
  struct image_position *all = grow(image->positions, image->position_count, count, sizeof *all);
  if (!all) return lacks_memory(r);
  image->positions = all;
  for (uint32_t i = 0; i < count; i++, at += IMAGE_POSITION_BYTES)
    all[image->position_count++] = (struct image_position){get32(at), get64(at + 4)};
  return RECORDING_OK;
}

static int read_feed(const struct reading *r, const uint8_t *at, size_t bytes) {
  if (r->image->feed) return damaged(r, "it has two feeds");
  r->image->feed = malloc(bytes + 1);
  if (!r->image->feed) return lacks_memory(r);
  memcpy(r->image->feed, at, bytes);
  r->image->feed_bytes = bytes;
  return RECORDING_OK;
}

/* Room for the file of this index. */
static int make_room(const struct reading *r, uint32_t index) {
  struct image *image = r->image;
  if (index >= IMAGE_FILES_MOST) return damaged(r, "it has a file too many");
  if (index < image->file_room) return RECORDING_OK;
  uint32_t wanted = index < 16 ? 32 : 2 * index;
  struct image_file *all = grow(image->files, 0, wanted, sizeof *all);
  if (!all) return lacks_memory(r);
  image->files = all;
  for (; image->file_room < wanted; image->file_room++) all[image->file_room] = (struct image_file){.fd = -1};
  return RECORDING_OK;
}

static int read_files(const struct reading *r, const uint8_t *at, size_t bytes) {
  struct image *image = r->image;
  uint32_t count = (uint32_t)(bytes / IMAGE_FILE_BYTES);
  if (bytes % IMAGE_FILE_BYTES || !count) return damaged(r, "it has bad files");
  int status = make_room(r, image->head.files + count - 1);
  if (status) return status;
  for (uint32_t i = 0; i < count; i++, at += IMAGE_FILE_BYTES) {
    uint32_t kind = get32(at);
    struct image_file *file = &image->files[image->head.files++];
    file->kind = (enum image_file_kind)kind;
    file->number = get32(at + 4);
    file->size = get64(at + 8);
    bool has_content = kind == FILE_CHANGES || kind == FILE_CONTENT;
    if ((!has_content && kind != FILE_OF_RECORDING) || (!has_content && file->fd >= 0) || file->size >> 47)
      return damaged(r, "it has bad files");
    if (!has_content) continue;
    if (file->fd < 0) file->fd = scratch_file("reprise-image", file->size);
    if (file->fd < 0 || ftruncate(file->fd, (off_t)file->size)) return lacks_memory(r);
  }
  return RECORDING_OK;
}

/* Nothing of the application's lies in the engine's part, and nothing replaces what a new process has there. */
static bool is_sensible(const struct image_mapping *mapping) {
  bool aligned = !((mapping->start | mapping->end | mapping->offset) % IMAGE_PAGE);
  bool ordered = mapping->start && mapping->start < mapping->end && mapping->end <= 1ull << 48;
  bool known = mapping->protection <= (PROT_READ | PROT_WRITE | PROT_EXEC) &&
               mapping->flags <= (IMAGE_SHARED | IMAGE_GROWS_DOWN);
  bool below = mapping->end <= ENGINE_BASE, above = mapping->start >= ENGINE_END;
  bool inside = mapping->start >= CODE_CACHE_BASE && mapping->end <= ENGINE_END;
  bool plan = mapping->start < REGION_BASE && mapping->end > IMAGE_PLAN_BASE;
  return aligned && ordered && known && (below || above || (inside && !plan)) && mapping->offset < 1ull << 47;
}

static int read_mappings(const struct reading *r, uint32_t index, const uint8_t *at, size_t bytes) {
  if (index >= r->image->head.processes) return damaged(r, "it has a process too many");
  struct image_process *process = &r->image->processes[index];
  uint32_t count = (uint32_t)(bytes / IMAGE_MAPPING_BYTES);
  if (bytes % IMAGE_MAPPING_BYTES || process->mapping_count + count > IMAGE_MAPPINGS_MOST)
    return damaged(r, "it has bad mappings");
  struct image_mapping *all = grow(process->mappings, process->mapping_count, count, sizeof *all);
  if (!all) return lacks_memory(r);
  process->mappings = all;
  for (uint32_t i = 0; i < count; i++, at += IMAGE_MAPPING_BYTES) {
    struct image_mapping *mapping = &all[process->mapping_count++];
    *mapping = (struct image_mapping){.start = get64(at),
                                      .end = get64(at + 8),
                                      .offset = get64(at + 16),
                                      .file = get32(at + 24),
                                      .protection = at[28],
                                      .flags = at[29]};
    if (get16(at + 30) || !is_sensible(mapping)) return damaged(r, "it has bad mappings");
  }
  return RECORDING_OK;
}

/* -- Memory ----------------------------------------------------------------------------------------------------------------------- */

/* One piece of a frame: *at goes on behind it. */
static int next_piece(const struct reading *r, const uint8_t **at, const uint8_t *end, uint64_t *to,
                      uint32_t *bytes) {
  if ((size_t)(end - *at) < IMAGE_PIECE_BYTES) return damaged(r, "a part of its memory is cut off");
  *to = get64(*at);
  *bytes = get32(*at + 8);
  *at += IMAGE_PIECE_BYTES;
  if (!*bytes || *bytes % IMAGE_PAGE || *to % IMAGE_PAGE || *to >> 48 || *bytes > (size_t)(end - *at))
    return damaged(r, "a part of its memory lies nowhere");
  r->image->bytes += *bytes;
  if (r->image->bytes > r->most)
    return recording_fail(r->error, RECORDING_MISUSE, r->path,
                          "image %u needs more memory than this machine has", r->number);
  return RECORDING_OK;
}

/* Pieces of a file: at their places in it. `size` is the most that it may have. */
static int read_content(const struct reading *r, int fd, uint64_t size, const uint8_t *at,
                        const uint8_t *end) {
  uint64_t to;
  uint32_t bytes;
  while (at < end) {
    int status = next_piece(r, &at, end, &to, &bytes);
    if (status) return status;
    if (to + bytes > size) return damaged(r, "a part of a file lies behind its end");
    if (pwrite(fd, at, bytes, (off_t)to) != (ssize_t)bytes) return lacks_memory(r);
    at += bytes;
  }
  return RECORDING_OK;
}

static int read_region(const struct reading *r, const uint8_t *at, const uint8_t *end) {
  uint64_t size = REGION_BYTES(r->image->head.slots);
  if (r->image->region < 0) {
    r->image->region = scratch_file("reprise-checkpoint", size);
    if (r->image->region < 0 || ftruncate(r->image->region, (off_t)size)) return lacks_memory(r);
  }
  return read_content(r, r->image->region, size, at, end);
}

/* The sizes of files come at the end: a file is cut to its size then. */
static int read_file(const struct reading *r, uint32_t index, const uint8_t *at, const uint8_t *end) {
  int status = make_room(r, index);
  if (status) return status;
  struct image_file *file = &r->image->files[index];
  if (file->fd < 0) file->fd = scratch_file("reprise-image", 0);
  if (file->fd < 0) return lacks_memory(r);
  return read_content(r, file->fd, 1ull << 47, at, end);
}

static int read_memory(const struct reading *r, uint32_t index, const uint8_t *at, const uint8_t *end) {
  if (index >= r->image->head.processes) return damaged(r, "it has a process too many");
  struct image_process *process = &r->image->processes[index];
  uint64_t to;
  uint32_t bytes;
  if (process->pages < 0) process->pages = scratch_file("reprise-pages", 0);
  if (process->pages < 0) return lacks_memory(r);
  while (at < end) {
    int status = next_piece(r, &at, end, &to, &bytes);
    if (status) return status;
    struct image_piece *last = process->piece_count ? &process->pieces[process->piece_count - 1] : NULL;
    if (pwrite(process->pages, at, bytes, (off_t)process->page_bytes) != (ssize_t)bytes)
      return lacks_memory(r);
    if (last && last->address + last->bytes == to) {
      last->bytes += bytes;
    } else {
      uint64_t have = process->piece_count;
      if (!(have & (have - 1))) {
        struct image_piece *all = grow(process->pieces, have, have ? have : 1, sizeof *all);
        if (!all) return lacks_memory(r);
        process->pieces = all;
      }
      process->pieces[process->piece_count++] = (struct image_piece){to, bytes, process->page_bytes};
    }
    process->page_bytes += bytes;
    at += bytes;
  }
  return RECORDING_OK;
}

/* -- The whole -------------------------------------------------------------------------------------------------------------------- */

static int read_frame(const struct reading *r, const struct recording_frame *frame) {
  const uint8_t *at = frame->bytes + IMAGE_PREFIX, *end = frame->bytes + frame->length;
  uint32_t index = get32(frame->bytes + 4);
  enum image_frame kind = (enum image_frame)frame->bytes[0];
  if (index && kind != IMAGE_MAPPINGS && kind != IMAGE_CONTENT && kind != IMAGE_MEMORY)
    return damaged(r, "it has a frame with a number");
  switch (kind) {
    case IMAGE_FEED:
      return read_feed(r, at, (size_t)(end - at));
    case IMAGE_POSITIONS:
      return read_positions(r, at, (size_t)(end - at));
    case IMAGE_FILES:
      return read_files(r, at, (size_t)(end - at));
    case IMAGE_MAPPINGS:
      return read_mappings(r, index, at, (size_t)(end - at));
    case IMAGE_REGION:
      return read_region(r, at, end);
    case IMAGE_CONTENT:
      return read_file(r, index, at, end);
    case IMAGE_MEMORY:
      return read_memory(r, index, at, end);
    default:
      return damaged(r, "it has a frame of no known kind");
  }
}

static int check_mappings(const struct reading *r, const struct image_process *process) {
  for (uint32_t i = 0; i < process->mapping_count; i++) {
    uint32_t file = process->mappings[i].file;
    if (file != IMAGE_ANONYMOUS && file != IMAGE_ENGINE && file >= r->image->head.files)
      return damaged(r, "it maps a file that it does not have");
  }
  return process->mapping_count && process->pages >= 0 ? RECORDING_OK : damaged(r, "it lacks a process");
}

static int check(const struct reading *r) {
  const struct image *image = r->image;
  int status = RECORDING_OK;
  if (!image->feed || image->region < 0) return damaged(r, "a part is missing");
  for (uint32_t i = image->head.files; i < image->file_room; i++)
    if (image->files[i].fd >= 0) return damaged(r, "it has a file too many");
  for (uint32_t i = 0; i < image->head.processes && !status; i++)
    status = check_mappings(r, &image->processes[i]);
  return status;
}

/* The next frame, with its prefix: 0; RECORDING_END behind the last. */
static int next_frame(const struct reading *r, struct recording_frame *frame) {
  int status = recording_next(r->stream, frame, r->error);
  if (status == RECORDING_TRUNCATED) {
    if (r->error) r->error->kind = RECORDING_DAMAGED; /* an image is whole, or it is none */
    return RECORDING_DAMAGED;
  }
  if (status) return status;
  if (frame->length < IMAGE_PREFIX || frame->bytes[1] || frame->bytes[2] || frame->bytes[3])
    return damaged(r, "it has a frame without a kind");
  return RECORDING_OK;
}

static int open_image(struct reading *r, struct recording_reader *reader, uint32_t number, struct image *out,
                      struct recording_error *error) {
  struct recording_stream_id id = {RECORDING_IMAGE, number};
  struct recording_frame frame;
  *out = (struct image){.region = -1};
  *r =
      (struct reading){.image = out, .path = recording_reader_path(reader), .number = number, .error = error};
  r->most = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  int status = recording_stream_open(reader, id, &r->stream, error);
  if (status) return status;
  status = next_frame(r, &frame);
  if (status == RECORDING_END) status = damaged(r, "it is empty");
  if (!status && frame.bytes[0] != IMAGE_HEAD) status = damaged(r, "it has no head");
  return status ? status : read_head(r, frame.bytes + IMAGE_PREFIX, frame.length - IMAGE_PREFIX);
}

int image_look(struct recording_reader *reader, uint32_t number, struct image *out,
               struct recording_error *error) {
  struct reading r;
  struct recording_frame frame;
  int status = open_image(&r, reader, number, out, error);
  while (!status && !(status = next_frame(&r, &frame)) && frame.bytes[0] == IMAGE_POSITIONS)
    status = read_positions(&r, frame.bytes + IMAGE_PREFIX, frame.length - IMAGE_PREFIX);
  recording_stream_close(r.stream);
  if (status) image_close(out);
  return status;
}

static int make_tables(const struct reading *r) {
  struct image *image = r->image;
  image->processes = calloc(image->head.processes, sizeof *image->processes);
  if (!image->processes) return lacks_memory(r);
  for (uint32_t i = 0; i < image->head.processes; i++) image->processes[i].pages = -1;
  return RECORDING_OK;
}

int image_read(struct recording_reader *reader, uint32_t number, struct image *out,
               struct recording_error *error) {
  struct reading r;
  struct recording_frame frame;
  int status = open_image(&r, reader, number, out, error);
  if (!status) status = image_fits(out, r.path, number, error);
  if (!status) status = make_tables(&r);
  while (!status && !(status = next_frame(&r, &frame))) status = read_frame(&r, &frame);
  if (status == RECORDING_END) status = check(&r);
  recording_stream_close(r.stream);
  if (status) image_close(out);
  return status;
}

int image_fits(const struct image *image, const char *path, uint32_t number, struct recording_error *error) {
  uint8_t engine[16];
  uint64_t machine;
  if (!image_own(engine, &machine))
    return recording_fail(error, RECORDING_MISUSE, path, "the engine (reprise-engine) is missing");
  if (memcmp(engine, image->head.engine, sizeof engine))
    return recording_fail(error, RECORDING_MISUSE, path, "image %u was made by another build of reprise",
                          number);
  if (machine != image->head.machine)
    return recording_fail(error, RECORDING_MISUSE, path,
                          "image %u was made on a processor with other features than this one", number);
  return RECORDING_OK;
}

void image_close(struct image *image) {
  for (uint32_t i = 0; i < image->file_room; i++)
    if (image->files[i].fd >= 0) close(image->files[i].fd);
  for (uint32_t i = 0; image->processes && i < image->head.processes; i++) {
    if (image->processes[i].pages >= 0) close(image->processes[i].pages);
    free(image->processes[i].mappings);
    free(image->processes[i].pieces);
  }
  if (image->region >= 0) close(image->region);
  free(image->files);
  free(image->processes);
  free(image->positions);
  free(image->feed);
  *image = (struct image){.region = -1};
}
