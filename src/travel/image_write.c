/* image_write.c: stores a checkpoint in its recording. See image.h.
 *
 * The memory of a vessel is read through /proc. Of its mappings outside the engine, memory without a file and pages that were written since a file was
 * mapped are stored; files of the recording are named. Of the engine, its data, tables and stacks are stored; code is not, neither its own nor
 * the translated: the restored vessel translates anew. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "contract/engine.h"
#include "contract/region.h"
#include "recording/bytes.h"
#include "recording/checksum.h"
#include "recording/error.h"
#include "sphere/installed.h"
#include "sphere/kept_files.h"
#include "sphere/mapped.h"
#include "travel/image.h"

/* -- What it is for --------------------------------------------------------------------------------------------------------------- */

static bool hash_engine(uint8_t out[16]) {
  char path[INSTALLED_PATH_MAX];
  uint8_t buffer[1 << 16];
  struct content_hash hash = {0};
  int fd = installed_find("reprise-engine", "reprise-engine", path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return false;
  ssize_t n;
  off_t at = 0;
  while ((n = pread(fd, buffer, sizeof buffer, at)) > 0) {
    content_hash_add(&hash, buffer, (size_t)n);
    at += n;
  }
  close(fd);
  content_hash_finish(&hash, out);
  return n == 0;
}

/* The kernel tells programs what the processor can do; on x86-64 two of the lines of its description do, and the level of its vectors with them. */
static uint64_t describe_machine(void) {
  uint64_t digest = getauxval(AT_HWCAP) * 0x9e3779b97f4a7c15u ^ getauxval(AT_HWCAP2);
#if defined(__x86_64__)
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen("/proc/cpuinfo", "re");
  while (file && getline(&line, &room, file) > 0)
    if (!strncmp(line, "flags", 5)) {
      digest = digest * 0x9e3779b97f4a7c15u ^ crc32c(line, strlen(line));
      break;
    }
  if (file) fclose(file);
  free(line);
#endif
  return digest;
}

bool image_own(uint8_t engine[16], uint64_t *machine) {
  static struct {
    bool known, fine;
    uint8_t engine[16];
    uint64_t machine;
  } own;
  if (!own.known) {
    own.fine = hash_engine(own.engine);
    own.machine = describe_machine();
    own.known = true;
  }
  memcpy(engine, own.engine, sizeof own.engine);
  *machine = own.machine;
  return own.fine;
}

/* -- Frames ----------------------------------------------------------------------------------------------------------------------- */

struct writer {
  struct recording_image *image;
  const char *path;
  uint8_t *frame; /* RECORDING_FRAME_MAX bytes */
  size_t used;    /* 0: none is begun */
  struct recording_error *error;
};

static int flush(struct writer *w) {
  size_t used = w->used;
  w->used = 0;
  return used > IMAGE_PREFIX ? recording_image_append(w->image, w->frame, used, w->error) : RECORDING_OK;
}

/* Room for so many bytes in a frame of this kind; NULL after a failure, with *status. */
static uint8_t *room(struct writer *w, enum image_frame kind, uint32_t index, size_t bytes, int *status) {
  bool fits = w->used && w->frame[0] == kind && get32(w->frame + 4) == index &&
              w->used + bytes <= RECORDING_FRAME_MAX;
  *status = fits ? RECORDING_OK : flush(w);
  if (*status) return NULL;
  if (!fits) {
    memset(w->frame, 0, IMAGE_PREFIX);
    w->frame[0] = (uint8_t)kind;
    put32(w->frame + 4, index);
    w->used = IMAGE_PREFIX;
  }
  uint8_t *at = w->frame + w->used;
  w->used += bytes;
  return at;
}

static int refuse(const struct writer *w, const char *what) {
  return recording_fail(w->error, RECORDING_MISUSE, w->path, "this checkpoint can't be stored yet: %s", what);
}

/* Bytes of a file or of memory, whole pages: those at `from` of a descriptor, that will be at `to`. */
static int put_piece(struct writer *w, enum image_frame kind, uint32_t index, int fd, uint64_t from,
                     uint64_t to, uint64_t bytes, bool skip_zeros) {
  static const uint8_t zeros[IMAGE_PAGE];
  enum {
    MOST = RECORDING_FRAME_MAX - IMAGE_PREFIX - IMAGE_PIECE_BYTES,
    PIECE = MOST / IMAGE_PAGE * IMAGE_PAGE
  };
  static uint8_t pages[PIECE];
  int status = RECORDING_OK;
  while (bytes && !status) {
    size_t part = bytes < PIECE ? (size_t)bytes : PIECE;
    ssize_t n = pread(fd, pages, part, (off_t)from);
    if (n <= 0) {
      if (!n) errno = EIO;
      return recording_fail_errno(w->error, w->path, "reading the memory of a checkpoint");
    }
    /* The last page of a file need not be whole. */
    part = ((size_t)n + IMAGE_PAGE - 1) / IMAGE_PAGE * IMAGE_PAGE;
    memset(pages + n, 0, part - (size_t)n);
    for (size_t at = 0; at < part && !status;) {
      size_t end;
      while (skip_zeros && at < part && !memcmp(pages + at, zeros, IMAGE_PAGE)) at += IMAGE_PAGE;
      for (end = at; end < part && !(skip_zeros && !memcmp(pages + end, zeros, IMAGE_PAGE));)
        end += IMAGE_PAGE;
      if (end == at) break;
      uint8_t *out = room(w, kind, index, IMAGE_PIECE_BYTES + (end - at), &status);
      if (!out) break;
      put64(out, to + at);
      put32(out + 8, (uint32_t)(end - at));
      memcpy(out + IMAGE_PIECE_BYTES, pages + at, end - at);
      at = end;
    }
    from += part;
    to += part;
    bytes -= part < bytes ? part : bytes;
  }
  return status;
}

/* A memory file, as sparse as it is. */
static int put_file(struct writer *w, enum image_frame kind, uint32_t index, int fd) {
  off_t at = 0, end;
  int status = RECORDING_OK;
  while (!status && (at = lseek(fd, at, SEEK_DATA)) >= 0 && (end = lseek(fd, at, SEEK_HOLE)) > at) {
    uint64_t from = (uint64_t)at / IMAGE_PAGE * IMAGE_PAGE;
    status = put_piece(w, kind, index, fd, from, from, (uint64_t)end - from, true);
    at = end;
  }
  return status;
}

/* -- Mappings --------------------------------------------------------------------------------------------------------------------- */

/* One of a vessel, as /proc/PID/smaps tells it. */
struct line {
  uint64_t start, end, offset, device, inode;
  int protection;
  bool shared, grows_down, refused;
  char name[64];
};

struct files {
  struct image_file_entry {
    enum image_file_kind kind;
    uint32_t number;
    uint64_t device, inode, size;
  } * entry;
  uint32_t count;
};

/* A vessel, while it is stored. */
struct vessel {
  struct writer *writer;
  struct files *files;
  uint32_t index;
  int memory, pagemap;
  uint64_t engine_device, engine_inode;
  const struct image_source *from;
};

static bool parse_header(const char *text, struct line *line) {
  char permissions[5];
  unsigned major, minor;
  int name = 0;
  *line = (struct line){0};
  if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &line->start, &line->end,
             permissions, &line->offset, &major, &minor, &line->inode, &name) < 7)
    return false;
  line->device = makedev(major, minor);
  line->protection = (permissions[0] == 'r' ? PROT_READ : 0) | (permissions[1] == 'w' ? PROT_WRITE : 0) |
                     (permissions[2] == 'x' ? PROT_EXEC : 0);
  line->shared = permissions[3] == 's';
  snprintf(line->name, sizeof line->name, "%.63s", name ? text + name : "");
  line->name[strcspn(line->name, "\n")] = 0;
  return true;
}

/* Huge pages of a file system of their own, sealed memory, tags. Protection keys are found by their call (engine/border/replayer.c). */
static void parse_flags(const char *text, struct line *line) {
  line->grows_down = strstr(text, " gd") != NULL;
  line->refused = strstr(text, " ht") || strstr(text, " sl") || strstr(text, " mt");
}

static bool in_engine_image(const struct line *line) {
  return line->start >= ENGINE_BASE && line->end <= CODE_CACHE_BASE;
}

static bool is_left_out(const struct line *line) {
  bool code = line->start >= CODE_CACHE_BASE && line->end <= CODE_CACHE_BASE + CODE_CACHE_MAX;
  bool written = line->start >= CODE_WRITTEN_BASE && line->end <= CODE_WRITTEN_BASE + CODE_CACHE_MAX;
  bool kernel = !strncmp(line->name, "[vdso]", 6) || !strncmp(line->name, "[vvar", 5) || line->start >> 48;
  bool fixed = in_engine_image(line) && !(line->protection & PROT_WRITE);
  return code || written || kernel || fixed;
}

static int add_file(struct vessel *v, const struct line *line, enum image_file_kind kind, uint32_t number,
                    uint64_t size, uint32_t *index) {
  struct files *files = v->files;
  struct image_file_entry *larger = NULL;
  if (files->count < IMAGE_FILES_MOST) larger = realloc(files->entry, (files->count + 1) * sizeof *larger);
  if (!larger) return refuse(v->writer, "it has too many files");
  files->entry = larger;
  larger[files->count] = (struct image_file_entry){kind, number, line->device, line->inode, size};
  *index = files->count++;
  return RECORDING_OK;
}

/* The file that is mapped; for one that is not known yet, an entry is made. */
static int find_file(struct vessel *v, const struct line *line, uint32_t *index) {
  const struct mapped_copies *shared = v->from->shared;
  if (line->device == v->engine_device && line->inode == v->engine_inode)
    return *index = IMAGE_ENGINE, RECORDING_OK;
  for (size_t i = 0; i < shared->count; i++)
    if (shared->copy[i].inode == line->inode) return *index = (uint32_t)i, RECORDING_OK; /* they come first */
  if (line->shared && line->protection & PROT_WRITE) return refuse(v->writer, "memory is shared with others");
  struct files *files = v->files;
  for (uint32_t i = (uint32_t)shared->count; i < files->count; i++)
    if (files->entry[i].device == line->device && files->entry[i].inode == line->inode)
      return *index = i, RECORDING_OK;
  const struct image_source *from = v->from;
  uint32_t number = from->kept ? keep_number(from->kept, line->device, line->inode)
                               : mapped_number(from->mapped, line->device, line->inode);
  if (number != UINT32_MAX) return add_file(v, line, FILE_OF_RECORDING, number, 0, index);
  return add_file(v, line, FILE_CONTENT, 0, 0, index);
}

static int put_mapping(struct vessel *v, const struct line *line, uint32_t file) {
  int status;
  uint8_t *at = room(v->writer, IMAGE_MAPPINGS, v->index, IMAGE_MAPPING_BYTES, &status);
  if (!at) return status;
  int protection = line->protection;
  bool of_engine = line->start >= ENGINE_BASE && line->end <= ENGINE_END;
  if (v->from->kept && !of_engine)
    protection &= ~PROT_EXEC; /* in a replay only the engine's code is executed */
  put64(at, line->start);
  put64(at + 8, line->end);
  put64(at + 16, file == IMAGE_ANONYMOUS ? 0 : line->offset);
  put32(at + 24, file);
  at[28] = (uint8_t)protection;
  at[29] = (uint8_t)((line->shared ? IMAGE_SHARED : 0) | (line->grows_down ? IMAGE_GROWS_DOWN : 0));
  put16(at + 30, 0);
  return RECORDING_OK;
}

/* Calls visit for each line that is stored. */
typedef int visit_line(struct vessel *v, const struct line *line);

static int each_line(struct vessel *v, visit_line *visit) {
  char path[64], *text = NULL;
  size_t space = 0;
  struct line line = {0};
  int status = RECORDING_OK;
  snprintf(path, sizeof path, "/proc/%d/smaps", (int)v->from->vessels[v->index]);
  FILE *file = fopen(path, "re");
  if (!file)
    return recording_fail_errno(v->writer->error, v->writer->path, "looking at the memory of a checkpoint");
  while (!status && getline(&text, &space, file) > 0) {
    if (text[0] >= 'A' && text[0] <= 'Z') {
      if (strncmp(text, "VmFlags:", 8)) continue;
      parse_flags(text, &line);
      if (line.end && !is_left_out(&line)) status = visit(v, &line);
      line.end = 0;
    } else if (!parse_header(text, &line)) {
      status = refuse(v->writer, "the kernel tells of memory in an unknown way");
    }
  }
  free(text);
  fclose(file);
  return status;
}

/* -- Pages ------------------------------------------------------------------------------------------------------------------------ */

/* Runs of pages of a mapping: those that are in memory and no file's, or, if `of_file`, all others. */
static int each_run(struct vessel *v, const struct line *line, bool of_file,
                    int (*visit)(struct vessel *, const struct line *, uint64_t, uint64_t)) {
  enum { ENTRIES = 4096 };
  static uint64_t entries[ENTRIES];
  const uint64_t there = 3ull << 62 /* in memory, or swapped out */, files = 1ull << 61;
  uint64_t begun = 0;
  int status = RECORDING_OK;
  for (uint64_t at = line->start; at < line->end && !status;) {
    uint64_t left = (line->end - at) / IMAGE_PAGE;
    size_t count = left < ENTRIES ? (size_t)left : ENTRIES;
    ssize_t n =
        pread(v->pagemap, entries, count * sizeof *entries, (off_t)(at / IMAGE_PAGE * sizeof *entries));
    if (n != (ssize_t)(count * sizeof *entries))
      return recording_fail_errno(v->writer->error, v->writer->path, "looking at the memory of a checkpoint");
    for (size_t i = 0; i < count && !status; i++, at += IMAGE_PAGE) {
      bool own = entries[i] & there && !(entries[i] & files);
      if (own != of_file && !begun) begun = at;
      if (own != of_file || !begun) continue;
      status = visit(v, line, begun, at);
      begun = 0;
    }
  }
  return status || !begun ? status : visit(v, line, begun, line->end);
}

static int put_memory(struct vessel *v, const struct line *line, uint64_t from, uint64_t end) {
  return put_piece(v->writer, IMAGE_MEMORY, v->index, v->memory, from, from, end - from, !line->inode);
}

/* Beyond the end of the file nothing can be read. Its size is known by that. */
static int put_content(struct vessel *v, const struct line *line, uint64_t from, uint64_t end) {
  uint8_t byte;
  uint32_t index;
  int status = find_file(v, line, &index);
  struct image_file_entry *entry = &v->files->entry[index];
  for (uint64_t at = from; !status && at < end; at += IMAGE_PAGE) {
    if (pread(v->memory, &byte, 1, (off_t)at) != 1) break;
    uint64_t offset = at - line->start + line->offset;
    status = put_piece(v->writer, IMAGE_CONTENT, index, v->memory, at, offset, IMAGE_PAGE, false);
    if (entry->size < offset + IMAGE_PAGE) entry->size = offset + IMAGE_PAGE;
  }
  return status;
}

static int store_mapping(struct vessel *v, const struct line *line) {
  uint32_t file = IMAGE_ANONYMOUS;
  if (line->refused)
    return refuse(v->writer, "memory of a kind that no image has (huge pages, seals or tags)");
  if (in_engine_image(line)) return RECORDING_OK;
  int status = line->inode ? find_file(v, line, &file) : RECORDING_OK;
  return status ? status : put_mapping(v, line, file);
}

static int store_pages(struct vessel *v, const struct line *line) {
  uint32_t file = IMAGE_ANONYMOUS;
  if (in_engine_image(line)) return each_run(v, line, false, put_memory);
  int status = line->inode ? find_file(v, line, &file) : RECORDING_OK;
  if (status || file == IMAGE_ENGINE)
    return status; /* tables of addresses in the cache, which is not stored */
  if (!line->shared) status = each_run(v, line, false, put_memory);
  bool content = file != IMAGE_ANONYMOUS && v->files->entry[file].kind == FILE_CONTENT;
  return status || !content ? status : each_run(v, line, true, put_content);
}

/* The engine's own file is the one at the engine's base. */
static int note_engine(struct vessel *v, const char *path) {
  struct line line;
  char *text = NULL;
  size_t space = 0;
  FILE *file = fopen(path, "re");
  while (file && getline(&text, &space, file) > 0)
    if (parse_header(text, &line) && line.start == ENGINE_BASE) {
      v->engine_device = line.device;
      v->engine_inode = line.inode;
    }
  if (file) fclose(file);
  free(text);
  return v->engine_inode ? RECORDING_OK : refuse(v->writer, "its engine is not to be found");
}

static int each_vessel(struct writer *w, struct files *files, const struct image_source *from,
                       visit_line *visit) {
  int status = RECORDING_OK;
  for (size_t i = 0; i < from->count && !status; i++) {
    struct vessel v = {.writer = w, .files = files, .index = (uint32_t)i, .from = from};
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)from->vessels[i]);
    status = note_engine(&v, path);
    snprintf(path, sizeof path, "/proc/%d/mem", (int)from->vessels[i]);
    v.memory = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/pagemap", (int)from->vessels[i]);
    v.pagemap = open(path, O_RDONLY | O_CLOEXEC);
    if (!status && (v.memory < 0 || v.pagemap < 0))
      status = recording_fail_errno(w->error, w->path, "opening the memory of a checkpoint");
    if (!status) status = each_line(&v, visit);
    if (v.memory >= 0) close(v.memory);
    if (v.pagemap >= 0) close(v.pagemap);
  }
  return status;
}

/* -- The whole -------------------------------------------------------------------------------------------------------------------- */

/* How far each thread has come. */
static int put_positions(struct writer *w, const struct image_source *from, const struct region *region) {
  int status = RECORDING_OK;
  for (uint32_t i = 0; i < region_slots(region) && !status; i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE) continue;
    uint8_t *at = room(w, IMAGE_POSITIONS, 0, IMAGE_POSITION_BYTES, &status);
    if (!at) break;
    put32(at, slot->number);
    bool runs = slot->number == from->moment.thread;
    put64(at + 4, runs ? from->moment.position : region->debug.threads[i].position);
  }
  return status;
}

static uint32_t event_of(const struct region *region, uint32_t thread) {
  for (uint32_t i = 0; i < region_slots(region); i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && region->slots[i].number == thread)
      return region->debug.threads[i].events;
  return 0;
}

static int put_head(struct writer *w, const struct image_source *from, const struct region *region) {
  int status;
  uint8_t *at = room(w, IMAGE_HEAD, 0, IMAGE_HEAD_BYTES, &status);
  uint64_t machine;
  if (!at) return status;
  memset(at, 0, IMAGE_HEAD_BYTES);
  put32(at, IMAGE_VERSION);
  put32(at + 4, region->slots_most);
  if (!image_own(at + 8, &machine)) return refuse(w, "the engine is missing");
  put64(at + 24, machine);
  put32(at + 32, (uint32_t)from->count);
  put32(at + 36, region->threads);
  put64(at + 40, from->moment.turn);
  put64(at + 48, from->moment.position);
  put64(at + 56, from->moment.point);
  put32(at + 64, from->moment.thread);
  put32(at + 68, event_of(region, from->moment.thread));
  put64(at + 72, region->turns_digest);
  return flush(w);
}

static int put_feed(struct writer *w, const struct image_source *from) {
  int status;
  if (from->feed_bytes > RECORDING_FRAME_MAX - IMAGE_PREFIX) return refuse(w, "it has too many threads");
  uint8_t *at = room(w, IMAGE_FEED, 0, from->feed_bytes, &status);
  if (at) memcpy(at, from->feed, from->feed_bytes);
  return status;
}

static int put_files(struct writer *w, const struct files *files) {
  int status = RECORDING_OK;
  for (uint32_t i = 0; i < files->count && !status; i++) {
    uint8_t *at = room(w, IMAGE_FILES, 0, IMAGE_FILE_BYTES, &status);
    if (!at) break;
    put32(at, (uint32_t)files->entry[i].kind);
    put32(at + 4, files->entry[i].number);
    put64(at + 8, files->entry[i].size);
  }
  return status;
}

/* The files that change are the first of all files. */
static int note_shared(struct writer *w, struct files *files, const struct mapped_copies *shared) {
  struct stat info;
  files->entry = calloc(shared->count + 1, sizeof *files->entry);
  if (!files->entry) return recording_fail_errno(w->error, w->path, "storing a checkpoint");
  for (size_t i = 0; i < shared->count; i++) {
    if (fstat(shared->copy[i].fd, &info))
      return recording_fail_errno(w->error, w->path, "storing a checkpoint");
    files->entry[files->count++] = (struct image_file_entry){
        .kind = FILE_CHANGES, .number = shared->copy[i].number, .size = (uint64_t)info.st_size};
  }
  return RECORDING_OK;
}

static int put_all(struct writer *w, struct files *files, const struct image_source *from,
                   const struct region *region) {
  uint32_t unstored = atomic_load(&region->checkpoint.unstored);
  if (unstored)
    return refuse(w,
                  "the program has set a state of the processor or of its memory that only the kernel has");
  int status = put_head(w, from, region);
  if (!status) status = put_positions(w, from, region);
  if (!status) status = put_feed(w, from);
  if (!status) status = put_file(w, IMAGE_REGION, 0, from->region);
  if (!status) status = note_shared(w, files, from->shared);
  if (!status) status = each_vessel(w, files, from, store_mapping);
  for (uint32_t i = 0; i < from->shared->count && !status; i++)
    status = put_file(w, IMAGE_CONTENT, i, from->shared->copy[i].fd);
  if (!status) status = each_vessel(w, files, from, store_pages);
  if (!status) status = put_files(w, files); /* whose sizes are known now */
  return status ? status : flush(w);
}

int image_write(const struct image_source *from, struct recording_reader *reader, uint32_t *number,
                uint64_t *bytes, struct recording_error *error) {
  struct writer w = {.path = recording_reader_path(reader), .error = error};
  struct files files = {0};
  if (sysconf(_SC_PAGESIZE) != IMAGE_PAGE) return refuse(&w, "this machine has pages of another size");
  const struct region *region = mmap(NULL, REGION_HEADER, PROT_READ, MAP_SHARED, from->region, 0);
  w.frame = malloc(RECORDING_FRAME_MAX);
  int status = region == MAP_FAILED || !w.frame ? recording_fail_errno(error, w.path, "storing a checkpoint")
                                                : recording_image_create(reader, &w.image, error);
  if (!status) {
    status = put_all(&w, &files, from, region);
    if (status)
      recording_image_drop(w.image);
    else
      status = recording_image_finish(w.image, number, bytes, error);
  }
  if (region != MAP_FAILED) munmap((void *)region, REGION_HEADER);
  free(w.frame);
  free(files.entry);
  return status;
}
