/* mappings.c: what a process has mapped where the replay stands, with the names that files had in the recording, and what code that is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/description.h"
#include "debug/framing.h"
#include "debug/session.h"
#include "inspect/symbols.h"

/* What is mapped is a file of the recording, named by the hash of its content. */
static bool find_mapped(const struct session *session, const char *path, struct recording_file *file) {
  uint8_t hash[sizeof file->hash];
  const char *name = strrchr(path, '/') + 1,
             *unpacked = "memfd:"; /* what a pack holds is unpacked into memory */
  if (!strncmp(name, unpacked, strlen(unpacked))) name += strlen(unpacked);
  if (packet_bytes(name, hash, sizeof hash) != sizeof hash) return false;
  for (uint32_t i = 0; !recording_find_file(session->reader, i, file, NULL); i++)
    if (!memcmp(file->hash, hash, sizeof hash)) return true;
  return false;
}

char *mappings_open(const struct session *session, uint32_t slot) {
  size_t count;
  char *text = target_proc_file(session, slot, "maps", &count);
  if (text && count) text[count - 1] = 0;
  if (text && !count) *text = 0;
  return text;
}

bool mapping_next(const struct session *session, char **text, struct mapping *mapping) {
  static struct recording_file file;
  while (*text && **text) {
    char *line = *text, *end = strchr(line, '\n');
    if (end) *end = 0;
    *text = end ? end + 1 : NULL;
    int at = 0;
    uint64_t inode;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %n", &mapping->memory.start,
               &mapping->memory.end, mapping->access, &mapping->offset, &inode, &at) < 5)
      continue;
    mapping->memory.has_file = inode;
    if (mapping->memory.start >= ENGINE_BASE && mapping->memory.start < ENGINE_END) continue;
    const char *path = at ? line + at : "";
    mapping->is_recorded = *path == '/' && find_mapped(session, path, &file);
    mapping->file = mapping->is_recorded ? file.number : 0;
    snprintf(mapping->path, sizeof mapping->path, "%s",
             mapping->is_recorded ? file.path
             : *path == '['       ? path
                                  : "");
    return true;
  }
  return false;
}

bool mapping_is_of_kernel(const struct mapping *mapping) {
  return !strncmp(mapping->path, "[v", 2); /* [vdso], [vvar], [vsyscall] */
}

/* -- Content --------------------------------------------------------------------------------------------------------------- */

enum { BATCH = 512 }; /* pages */

static bool is_zero(const uint8_t *page) {
  return !page[0] && !memcmp(page, page + 1, MEMORY_PAGE - 1);
}

static bool visit_pages(const struct session *session, uint32_t slot, uint64_t address, size_t pages,
                        page_visitor *visit, void *context) {
  static uint8_t bytes[BATCH * MEMORY_PAGE];
  size_t count = target_read(session, slot, address, bytes, pages * MEMORY_PAGE) / MEMORY_PAGE;
  bool goes_on = true;
  for (size_t i = 0; i < count && goes_on; i++)
    if (!is_zero(bytes + i * MEMORY_PAGE))
      goes_on = visit(context, address + i * MEMORY_PAGE, bytes + i * MEMORY_PAGE);
  return goes_on;
}

/* Memory without a file may be huge and never have been touched: such pages are left out. */
bool memory_visit(const struct session *session, uint32_t slot, const struct memory *memory,
                  page_visitor *visit, void *context) {
  const uint64_t there = 3UL << 62; /* in memory, or swapped out */
  int pagemap = memory->has_file ? -1 : target_open(session, slot, "pagemap");
  bool goes_on = true;
  for (uint64_t at = memory->start; at < memory->end && goes_on; at += (uint64_t)BATCH * MEMORY_PAGE) {
    uint64_t entries[BATCH], left = (memory->end - at) / MEMORY_PAGE;
    size_t pages = left < BATCH ? (size_t)left : BATCH, bytes = pages * sizeof *entries;
    bool known = pagemap >= 0 && pread(pagemap, entries, bytes,
                                       (off_t)(at / MEMORY_PAGE * sizeof *entries)) == (ssize_t)bytes;
    if (!known) goes_on = visit_pages(session, slot, at, pages, visit, context);
    for (size_t i = 0, run; known && i < pages && goes_on; i += run + 1) {
      for (run = 0; i + run < pages && entries[i + run] & there;) run++;
      if (run) goes_on = visit_pages(session, slot, at + i * MEMORY_PAGE, run, visit, context);
    }
  }
  if (pagemap >= 0) close(pagemap);
  return goes_on;
}

/* -- Code ------------------------------------------------------------------------------------------------------------------ */

uint64_t target_pc(const struct session *session, uint32_t slot) {
  size_t offset, bytes;
  uint64_t pc = 0;
  if (description_register(description_program_counter(), &offset, &bytes))
    memcpy(&pc, target_registers(session, slot) + offset, sizeof pc);
  return pc;
}

static void describe(const struct session *session, const struct mapping *mapping, uint64_t address,
                     struct code_place *place) {
  static struct recording_file file;
  const char *slash = strrchr(mapping->path, '/');
  int fd;
  snprintf(place->file, sizeof place->file, "%.255s", slash ? slash + 1 : mapping->path);
  if (!mapping->is_recorded || recording_find_file(session->reader, mapping->file, &file, NULL) ||
      recording_open_file(session->reader, &file, &fd, NULL))
    return;
  struct symbols *symbols = symbols_open(fd, file.path);
  close(fd);
  if (symbols)
    symbols_text(symbols, address - mapping->memory.start + mapping->offset, false, place->symbol,
                 sizeof place->symbol);
  symbols_close(symbols);
}

void target_place(const struct session *session, uint32_t slot, uint64_t address, struct code_place *place) {
  static struct mapping mapping;
  char *text = mappings_open(session, slot), *rest = text;
  *place = (struct code_place){.address = address};
  while (mapping_next(session, &rest, &mapping))
    if (mapping.memory.start <= address && address < mapping.memory.end) {
      describe(session, &mapping, address, place);
      break;
    }
  free(text);
}

void code_place_print(const struct code_place *place, FILE *out) {
  fprintf(out, "0x%" PRIx64, place->address);
  if (*place->symbol) fprintf(out, " %s", place->symbol);
  if (*place->file) fprintf(out, " in %s", place->file);
}
