/* copying.h: what the tools share that make another recording of one. They end with a line at the first failure. */
#ifndef REPRISE_TESTS_COPYING_H
#define REPRISE_TESTS_COPYING_H

#include <stdio.h>
#include <stdlib.h>

#include "recording/recording.h"

static struct recording_error error;
static struct recording_writer *writer;
static struct recording_reader *reader;

static inline void must(int status) {
  if (!status) return;
  fprintf(stderr, "%s\n", error.text);
  exit(1);
}

static inline void copy_key(const char *key) {
  const char *value;
  for (size_t i = 0; (value = recording_get(reader, key, i)); i++)
    must(recording_add(writer, key, value, &error));
}

/* What a recording says of its beginning. */
static inline void copy_keys(void) {
  static const char *const keys[] = {"program",         "argument",        "directory",   "order",
                                     "signals-ignored", "signals-blocked", "stack-limit", "epoch"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) copy_key(keys[k]);
}

#endif
