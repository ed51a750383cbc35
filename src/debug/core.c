/* core.c: writes a core file of a process where the replay stands. See core.h.
 *
 * It has what the kernel would put into one, and all memory besides, mapped files too: they are as they were when they were recorded. Pages of zeros are holes; where memory without a file
 * ends in such pages, they are left to the reader. The ELF header is written last: what was not finished is no core file. */
#include "debug/core.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/description.h"

/* The headers of an executable or library, which tell what of it is code: that of a debugged program is mapped without the right to execute it. */
struct loaded {
  bool is_recorded;
  uint32_t file, count;
  Elf64_Phdr headers[64];
};

struct writer {
  const struct session *session;
  uint32_t slot;
  int fd, error;
  Elf64_Phdr *headers; /* that of the notes first, then one for each mapping */
  bool *has_file;      /* the same of the mappings */
  size_t count, room;
  struct loaded image;      /* that was mapped last */
  FILE *places, *names;     /* of mapped files, for NT_FILE … */
  uint64_t file_count;      /* … */
  const Elf64_Phdr *writes; /* the header of the memory that is being written … */
  uint64_t end;             /* … and the end of its last page that does not hold zeros */
};

int core_first(const struct session *session, int32_t pid) {
  const struct debug_stop *stop = &session->stop;
  const struct region *region = session->run.region;
  bool is_over = stop->reason == DEBUG_ENDS && !stop->signo;
  int first = -1;
  if (!pid && !is_over) return (int)stop->slot;
  if (pid && target_thread(session, stop->slot)->pid == pid && target_find(session, pid, 0) >= 0)
    return (int)stop->slot;
  for (int slot = -1; (slot = target_next(session, (uint32_t)(slot + 1))) >= 0;) {
    bool fits = !pid || target_thread(session, (uint32_t)slot)->pid == pid;
    if (fits && (first < 0 || region->slots[slot].number < region->slots[first].number)) first = slot;
  }
  return first;
}

static bool put(struct writer *w, uint64_t offset, const void *bytes, size_t count) {
  const char *from = bytes;
  while (count && !w->error) {
    ssize_t n = pwrite(w->fd, from, count, (off_t)offset);
    if (n < 0 && errno != EINTR) w->error = errno;
    if (n <= 0) continue;
    from += n;
    count -= (size_t)n;
    offset += (size_t)n;
  }
  return !w->error;
}

/* -- What is mapped ---------------------------------------------------------------------------------------------------------- */

/* NULL without memory. */
static Elf64_Phdr *add_header(struct writer *w, bool has_file) {
  if (w->count == w->room) {
    size_t room = w->room ? 2 * w->room : 64;
    Elf64_Phdr *headers = realloc(w->headers, room * sizeof *headers);
    if (headers) w->headers = headers;
    bool *files = realloc(w->has_file, room * sizeof *files);
    if (files) w->has_file = files;
    if (!headers || !files) return NULL;
    w->room = room;
  }
  w->has_file[w->count] = has_file;
  w->headers[w->count] = (Elf64_Phdr){0};
  return &w->headers[w->count++];
}

static void look_for_image(struct writer *w, const struct mapping *mapping) {
  Elf64_Ehdr header;
  struct loaded *image = &w->image;
  if (!mapping->is_recorded || mapping->offset) return;
  *image = (struct loaded){.is_recorded = true, .file = mapping->file};
  if (target_read(w->session, w->slot, mapping->memory.start, &header, sizeof header) != sizeof header ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_phentsize != sizeof *image->headers ||
      header.e_phnum > sizeof image->headers / sizeof *image->headers ||
      header.e_phoff > mapping->memory.end - mapping->memory.start)
    return;
  size_t bytes = header.e_phnum * sizeof *image->headers;
  if (target_read(w->session, w->slot, mapping->memory.start + header.e_phoff, image->headers, bytes) ==
      bytes)
    image->count = header.e_phnum;
}

/* True if the offset in the mapped file is that of code. *end: the next offset where that changes, if it comes before *end. */
static bool is_code(const struct writer *w, const struct mapping *mapping, uint64_t offset, uint64_t *end) {
  const struct loaded *image = &w->image;
  if (!mapping->is_recorded || mapping->access[1] == 'w') return false;
  if (!image->is_recorded || mapping->file != image->file) return false;
  for (uint32_t i = 0; i < image->count; i++) {
    const Elf64_Phdr *part = &image->headers[i];
    uint64_t from = part->p_offset & -(uint64_t)MEMORY_PAGE,
             to = (part->p_offset + part->p_filesz + MEMORY_PAGE - 1) & -(uint64_t)MEMORY_PAGE;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    if (offset < from && from < *end) *end = from;
    if (offset < from || offset >= to) continue;
    if (to < *end) *end = to;
    return true;
  }
  return false;
}

static void name_file(struct writer *w, const struct mapping *mapping, const struct memory *memory,
                      uint64_t offset) {
  const uint64_t place[] = {memory->start, memory->end, offset / MEMORY_PAGE};
  if (!mapping->is_recorded) return;
  w->file_count++;
  fwrite(place, sizeof place, 1, w->places);
  fwrite(mapping->path, strlen(mapping->path) + 1, 1, w->names);
}

static void take_memory(struct writer *w, const struct mapping *mapping, const struct memory *memory,
                        bool executable) {
  Elf64_Phdr *header = add_header(w, memory->has_file);
  if (!header) {
    w->error = ENOMEM;
    return;
  }
  *header = (Elf64_Phdr){.p_type = PT_LOAD,
                         .p_vaddr = memory->start,
                         .p_memsz = memory->end - memory->start,
                         .p_align = MEMORY_PAGE};
  if (mapping->access[0] == 'r') header->p_flags |= PF_R;
  if (mapping->access[1] == 'w') header->p_flags |= PF_W;
  if (executable) header->p_flags |= PF_X;
  name_file(w, mapping, memory, mapping->offset + memory->start - mapping->memory.start);
}

/* Without the right to execute it, code is mapped together with what lies beside it. */
static void take_mapping(struct writer *w, const struct mapping *mapping) {
  struct memory part = mapping->memory;
  uint64_t apart = mapping->offset - part.start; /* of offsets from addresses */
  look_for_image(w, mapping);
  for (; part.start < mapping->memory.end && !w->error; part.start = part.end) {
    uint64_t end = mapping->memory.end + apart;
    bool code = is_code(w, mapping, part.start + apart, &end);
    part.end = end - apart;
    take_memory(w, mapping, &part, code || mapping->access[2] == 'x');
  }
}

/* The header of the notes comes before those of the mappings. */
static void take_mappings(struct writer *w) {
  static struct mapping mapping;
  char *text = mappings_open(w->session, w->slot), *rest = text;
  if (!text || !add_header(w, false)) w->error = errno ? errno : ENOMEM;
  while (!w->error && mapping_next(w->session, &rest, &mapping))
    if (!mapping_is_of_kernel(&mapping)) take_mapping(w, &mapping);
  free(text);
  if (!w->error && w->count >= PN_XNUM) w->error = EOVERFLOW;
}

/* -- Notes ------------------------------------------------------------------------------------------------------------------- */

/* The content of NT_FILE. */
static char *join_files(const struct writer *w, const char *places, size_t place_bytes, const char *names,
                        size_t name_bytes, size_t *bytes) {
  const uint64_t head[] = {w->file_count, MEMORY_PAGE};
  char *made = malloc(sizeof head + place_bytes + name_bytes);
  if (!made) return NULL;
  *bytes = sizeof head + place_bytes + name_bytes;
  memcpy(made, head, sizeof head);
  if (place_bytes) memcpy(made + sizeof head, places, place_bytes);
  if (name_bytes) memcpy(made + sizeof head + place_bytes, names, name_bytes);
  return made;
}

static void write_notes(struct writer *w, const char *files, size_t file_bytes) {
  char *notes = NULL;
  size_t bytes = 0;
  FILE *out = w->headers ? open_memstream(&notes, &bytes) : NULL;
  if (!out) {
    w->error = ENOMEM;
    return;
  }
  core_put_notes(w->session, w->slot, files, file_bytes, out);
  if (fclose(out)) w->error = ENOMEM;
  w->headers[0] = (Elf64_Phdr){.p_type = PT_NOTE,
                               .p_offset = sizeof(Elf64_Ehdr) + w->count * sizeof *w->headers,
                               .p_filesz = bytes,
                               .p_align = 4};
  put(w, w->headers[0].p_offset, notes, bytes);
  free(notes);
}

/* Both streams are closed. */
static void describe(struct writer *w) {
  char *places = NULL, *names = NULL, *files = NULL;
  size_t place_bytes = 0, name_bytes = 0, bytes = 0;
  w->places = open_memstream(&places, &place_bytes);
  w->names = open_memstream(&names, &name_bytes);
  if (w->places && w->names)
    take_mappings(w);
  else
    w->error = ENOMEM;
  if ((w->places && fclose(w->places)) || (w->names && fclose(w->names))) w->error = ENOMEM;
  if (!w->error && !(files = join_files(w, places, place_bytes, names, name_bytes, &bytes)))
    w->error = ENOMEM;
  if (!w->error) write_notes(w, files, bytes);
  free(files);
  free(places);
  free(names);
}

/* -- Memory ------------------------------------------------------------------------------------------------------------------ */

static bool write_page(void *context, uint64_t address, const uint8_t *page) {
  struct writer *w = context;
  w->end = address + MEMORY_PAGE;
  return put(w, w->writes->p_offset + address - w->writes->p_vaddr, page, MEMORY_PAGE);
}

/* Returns where the next one goes. */
static uint64_t write_memory(struct writer *w, size_t i, uint64_t offset) {
  Elf64_Phdr *header = &w->headers[i];
  const struct memory memory = {header->p_vaddr, header->p_vaddr + header->p_memsz, w->has_file[i]};
  header->p_offset = offset;
  w->writes = header;
  w->end = header->p_vaddr;
  memory_visit(w->session, w->slot, &memory, write_page, w);
  header->p_filesz = memory.has_file ? header->p_memsz : w->end - header->p_vaddr;
  return offset + header->p_filesz;
}

/* The last mapping may end in a hole. */
static void set_length(struct writer *w, uint64_t length) {
  if (!w->error && ftruncate(w->fd, (off_t)length) && errno != EINVAL) w->error = errno;
}

static void write_headers(struct writer *w) {
  Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_CORE,
                       .e_machine = (Elf64_Half)description_elf_machine(),
                       .e_version = EV_CURRENT,
                       .e_phoff = sizeof header,
                       .e_ehsize = sizeof header,
                       .e_phentsize = sizeof *w->headers,
                       .e_phnum = (Elf64_Half)w->count};
  put(w, sizeof header, w->headers, w->count * sizeof *w->headers);
  put(w, 0, &header, sizeof header);
}

int core_write(const struct session *session, uint32_t first, int fd) {
  struct writer w = {.session = session, .slot = first, .fd = fd};
  describe(&w);
  uint64_t offset = w.error ? 0 : w.headers[0].p_offset + w.headers[0].p_filesz;
  offset = (offset + MEMORY_PAGE - 1) & -(uint64_t)MEMORY_PAGE;
  for (size_t i = 1; i < w.count && !w.error; i++) offset = write_memory(&w, i, offset);
  set_length(&w, offset);
  if (!w.error) write_headers(&w);
  free(w.headers);
  free(w.has_file);
  return w.error;
}
