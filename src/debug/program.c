/* program.c: what the kernel has told a program when it began: its auxiliary vector, its file, its arguments. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/session.h"

/* The kernel has put it behind arguments and environment. */
char *target_auxv(const struct session *session, uint32_t slot, size_t *bytes) {
  enum { WORDS = 1 << 18, PART = 512 };
  uint64_t at = target_thread(session, slot)->stack + 8, words[PART];
  char *vector = NULL;
  unsigned zeros = 0;
  *bytes = 0;
  for (unsigned read = 0; read < WORDS; read += PART) {
    size_t count = target_read(session, slot, at, words, sizeof words) / 8, i = 0;
    for (; i < count && zeros < 2; i++) zeros += !words[i];
    if (zeros == 2) {
      at += i * 8;
      break;
    }
    if (count < PART) return NULL;
    at += count * 8;
  }
  if (zeros < 2) return NULL;
  enum { ENTRIES = 64, ENTRY = 16 };
  vector = malloc((size_t)ENTRIES * ENTRY);
  size_t read = vector ? target_read(session, slot, at, vector, (size_t)ENTRIES * ENTRY) : 0;
  for (; *bytes + ENTRY <= read; *bytes += ENTRY) {
    uint64_t type;
    memcpy(&type, vector + *bytes, sizeof type);
    if (type != AT_NULL) continue;
    *bytes += ENTRY;
    return vector;
  }
  free(vector);
  return NULL;
}

static uint64_t auxv_value(const struct session *session, uint32_t slot, uint64_t wanted) {
  size_t bytes;
  uint64_t value = 0, entry[2];
  char *vector = target_auxv(session, slot, &bytes);
  for (size_t at = 0; vector && at + sizeof entry <= bytes; at += sizeof entry) {
    memcpy(entry, vector + at, sizeof entry);
    if (entry[0] == wanted) value = entry[1];
  }
  free(vector);
  return value;
}

char *target_program(const struct session *session, uint32_t slot) {
  static struct mapping mapping;
  char *found = NULL, *text = mappings_open(session, slot), *rest = text;
  uint64_t headers = auxv_value(session, slot, AT_PHDR);
  while (!found && mapping_next(session, &rest, &mapping))
    if (mapping.memory.start <= headers && headers < mapping.memory.end && *mapping.path)
      found = strdup(mapping.path);
  free(text);
  const char *first = recording_get(session->reader, "program", 0);
  return found || !first ? found : strdup(first);
}

void target_arguments(const struct session *session, uint32_t slot, char *to, size_t room) {
  uint64_t head[2]; /* how many, and where the first one is; the others follow it */
  bool known =
      target_read(session, slot, target_thread(session, slot)->stack, head, sizeof head) == sizeof head;
  size_t count = known && head[0] ? target_read(session, slot, head[1], to, room - 1) : 0, ends = 0, at = 0;
  for (; at < count && ends < head[0]; at++) {
    ends += !to[at];
    if (!to[at]) to[at] = ' ';
  }
  if (at && ends == head[0]) at--;
  memset(to + at, 0, room - at);
}
