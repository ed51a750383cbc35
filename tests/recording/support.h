/* support.h: what the tests of src/recording share (support.c). */
#ifndef TESTS_RECORDING_SUPPORT_H
#define TESTS_RECORDING_SUPPORT_H

#include <stdio.h>

#include "recording/recording.h"

/* Counts a check and prints the one that fails; true if it held. */
#define CHECK(condition, ...) check(condition, __FILE__, __LINE__, #condition, " " __VA_ARGS__)
bool check(bool held, const char *file, int line, const char *condition, const char *pattern, ...)
    __attribute__((format(printf, 5, 6)));

/* "N passed, N failed"; the exit status. */
int verdict(void);

/* A new folder, the current one from now on, removed by verdict(). */
void enter_scratch(void);

#define INPUT(thread) ((struct recording_stream_id){RECORDING_INPUT, thread})
#define ORDER(thread) ((struct recording_stream_id){RECORDING_ORDER, thread})
#define EVENTS ((struct recording_stream_id){RECORDING_EVENTS, RECORDING_SPHERE})
#define TABLE ((struct recording_stream_id){RECORDING_FILES, RECORDING_SPHERE})

/* Bytes that depend on the seed alone; easy ones compress well, hard ones do not. */
void fill_easy(uint8_t *bytes, size_t length, unsigned seed);
void fill_hard(uint8_t *bytes, size_t length, unsigned seed);

/* A small recording with every kind of part, closed if close is true. Fails the test if it can't be made. */
void make_small(const char *path, bool close);

/* Everything that can be read of a recording, as text: manifest, frames, files. Allocated. *error is that of the first thing that
 * could not be read, after which the text ends; all zero if there was none. */
char *read_everything(const char *path, struct recording_error *error);

/* Whole files. */
uint8_t *slurp(const char *path, size_t *length);
void spill(const char *path, const void *bytes, size_t length);

/* Is this one line that a user can read? */
bool is_clear(const struct recording_error *error);

/* Runs a shell command that must succeed. */
void shell(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

#endif
