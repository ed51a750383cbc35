/* mapped.h: the files of a recording, opened for a replay to map (mapped.c). */
#ifndef REPRISE_SPHERE_MAPPED_H
#define REPRISE_SPHERE_MAPPED_H

#include "recording/recording.h"

enum { MAPPED_OPEN = 256 };

struct ahead;

struct mapped {
  struct ahead *ahead; /* who opens them beforehand, or NULL */
  struct {
    uint32_t number;
    int fd;            /* 0: none */
  } open[MAPPED_OPEN]; /* opened last, round and round */
  unsigned next;
  struct {
    uint32_t number;
    int fd, read_only;
  } * changing; /* memory files with those that change, kept for good */
  size_t changing_count;
};

/* A descriptor of the file, the same each time for one that changes; -errno with the error. writable: it is to be changed. */
int mapped_open(struct mapped *mapped, struct recording_reader *reader, uint32_t number, bool writable,
                struct recording_error *error);

#endif
