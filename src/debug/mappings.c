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
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %n", &mapping->start,
               &mapping->end, mapping->access, &mapping->offset, &inode, &at) < 5)
      continue;
    mapping->has_file = inode;
    if (mapping->start >= ENGINE_BASE && mapping->start < ENGINE_END) continue;
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
    symbols_text(symbols, address - mapping->start + mapping->offset, false, place->symbol,
                 sizeof place->symbol);
  symbols_close(symbols);
}

void target_place(const struct session *session, uint32_t slot, uint64_t address, struct code_place *place) {
  static struct mapping mapping;
  char *text = mappings_open(session, slot), *rest = text;
  *place = (struct code_place){.address = address};
  while (mapping_next(session, &rest, &mapping))
    if (mapping.start <= address && address < mapping.end) {
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
