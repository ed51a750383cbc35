/* ahead.h: the files of a recording, opened and checked before a replay asks for them (ahead.c). */
#ifndef REPRISE_SPHERE_AHEAD_H
#define REPRISE_SPHERE_AHEAD_H

#include <stdint.h>

/* Begins with the recording's first file, on a thread of its own. NULL where that can't be had. */
struct ahead *ahead_begin(const char *path);
/* A descriptor of the file, from now on the caller's; -1 if the thread has not reached the file, or found it damaged. */
int ahead_take(struct ahead *ahead, uint32_t number, uint64_t *size);
void ahead_end(struct ahead *ahead);

#endif
