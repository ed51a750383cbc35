/* stream_id.c: names of streams, and sets of them. See stream_id.h. */
#include "recording/stream_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/error.h"

static const char *const kind_names[KIND_COUNT] = {
    [RECORDING_INPUT] = "input", [RECORDING_ORDER] = "order", [RECORDING_EVENTS] = "events",
    [RECORDING_FILES] = "files", [RECORDING_IMAGE] = "image", [RECORDING_SOLVED] = "solved",
};

bool stream_id_valid(struct recording_stream_id id) {
  if (id.kind == RECORDING_IMAGE) return id.thread <= RECORDING_THREAD_MAX;
  if (id.kind == RECORDING_EVENTS || id.kind == RECORDING_FILES || id.kind == RECORDING_SOLVED)
    return id.thread == RECORDING_SPHERE;
  return (id.kind == RECORDING_INPUT || id.kind == RECORDING_ORDER) &&
         (id.thread <= RECORDING_THREAD_MAX || id.thread == RECORDING_SPHERE);
}

void stream_name(struct recording_stream_id id, char out[STREAM_NAME_MAX]) {
  if (id.thread == RECORDING_SPHERE)
    snprintf(out, STREAM_NAME_MAX, "%s", kind_names[id.kind]);
  else
    snprintf(out, STREAM_NAME_MAX, "%s-%u", kind_names[id.kind], id.thread);
}

bool stream_parse(const char *name, struct recording_stream_id *out) {
  for (int kind = KIND_FIRST; kind < KIND_COUNT; kind++) {
    if (!kind_names[kind]) continue;
    size_t length = strlen(kind_names[kind]);
    if (strncmp(name, kind_names[kind], length)) continue;
    struct recording_stream_id id = {(enum recording_kind)kind, RECORDING_SPHERE};
    if (name[length] == '-') id.thread = (uint32_t)strtoul(name + length + 1, NULL, 10);
    char canonical[STREAM_NAME_MAX];
    stream_name(id, canonical);
    if (!stream_id_valid(id) || strcmp(name, canonical)) return false;
    *out = id;
    return true;
  }
  return false;
}

int stream_compare(const void *a, const void *b) {
  const struct recording_stream_id *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* -- Sets ---------------------------------------------------------------------------------------------------------- */

bool thread_set_has(const struct thread_set *set, uint32_t thread) {
  if (thread == RECORDING_SPHERE) return set->sphere;
  return thread / 64 < set->count && set->words[thread / 64] >> thread % 64 & 1;
}

int thread_set_add(struct thread_set *set, uint32_t thread, struct recording_error *error) {
  if (thread == RECORDING_SPHERE) {
    set->sphere = true;
    return RECORDING_OK;
  }
  size_t word = thread / 64;
  if (word >= set->count) {
    size_t count = word + 1 > set->count * 2 ? word + 1 : set->count * 2;
    uint64_t *words = realloc(set->words, count * sizeof *words);
    if (!words) return recording_fail_errno(error, "recording", "keeping account of streams");
    memset(words + set->count, 0, (count - set->count) * sizeof *words);
    set->words = words;
    set->count = count;
  }
  set->words[word] |= 1ull << thread % 64;
  return RECORDING_OK;
}

static void write_range(FILE *to, const char *separator, uint32_t from, uint32_t last) {
  fprintf(to, from == last ? "%s%u" : "%s%u-%u", separator, from, last);
}

char *thread_set_text(const struct thread_set *set) {
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  const char *separator = "";
  uint32_t end = (uint32_t)(set->count * 64);
  for (uint32_t from = 0; from < end; from++) {
    if (!thread_set_has(set, from)) continue;
    uint32_t last = from;
    while (last + 1 < end && thread_set_has(set, last + 1)) last++;
    write_range(to, separator, from, last);
    separator = ",";
    from = last;
  }
  if (set->sphere) fprintf(to, "%ssphere", separator);
  bool failed = ferror(to);
  if (fclose(to) || failed) {
    free(text);
    return NULL;
  }
  return text;
}

/* A number of a range; false for anything but plain digits in bounds. */
static bool parse_thread(const char **text, uint32_t *out) {
  const char *at = *text;
  uint32_t value = 0;
  if (*at < '0' || *at > '9') return false;
  for (; *at >= '0' && *at <= '9'; at++) {
    value = value * 10 + (uint32_t)(*at - '0');
    if (value > RECORDING_THREAD_MAX) return false;
  }
  *text = at;
  *out = value;
  return true;
}

int thread_range_next(const char **text, uint32_t *from, uint32_t *to) {
  const char *at = *text;
  if (!*at) return 0;
  if (!strcmp(at, "sphere")) {
    *from = *to = RECORDING_SPHERE;
    *text = at + strlen(at);
    return 1;
  }
  if (!parse_thread(&at, from)) return -1;
  *to = *from;
  if (*at == '-' && (at++, !parse_thread(&at, to) || *to <= *from)) return -1;
  if (*at == ',' && at[1])
    at++;
  else if (*at)
    return -1;
  *text = at;
  return 1;
}
