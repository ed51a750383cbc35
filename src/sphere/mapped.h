/* mapped.h: the files of a recording, opened for a replay to map (mapped.c). */
#ifndef REPRISE_SPHERE_MAPPED_H
#define REPRISE_SPHERE_MAPPED_H

#include "recording/recording.h"

enum { MAPPED_OPEN = 256 };

struct ahead;

struct mapped {
  struct ahead *ahead; /* the thread that opens them beforehand, or NULL */
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
  struct mapped_known {
    uint64_t device, inode;
    uint32_t number;
  } * known; /* files that were opened: which is which */
  size_t known_count;
};

/* A descriptor of the file, the same each time for one that changes; -errno with the error. writable: it is to be changed. */
int mapped_open(struct mapped *mapped, struct recording_reader *reader, uint32_t number, bool writable,
                struct recording_error *error);
/* True if the file was opened as one that changes. */
bool mapped_changes(const struct mapped *mapped, uint32_t number);
/* The number of the file that is mapped from there, as /proc tells device and inode; UINT32_MAX: it is none of the recording's that is always the same. */
uint32_t mapped_number(const struct mapped *mapped, uint64_t device, uint64_t inode);
/* Memory without a file that processes share, as a memory file of its own: a descriptor, kept for good; -errno. */
int mapped_memory(struct mapped *mapped, uint64_t bytes);

/* Copies of all files that change. */
struct mapped_copies {
  size_t count;
  struct {
    uint32_t number;
    uint64_t inode; /* of the file that was copied */
    int fd;
  } copy[];
};
/* NULL: there is no room for them. */
struct mapped_copies *mapped_keep(const struct mapped *mapped);
void mapped_forget(struct mapped_copies *copies);
/* Restores all files that change from their copies; false: there is no room for that. */
bool mapped_go_back(struct mapped *mapped, const struct mapped_copies *copies);
/* Copies the content of one memory file to another, holes left out. */
bool mapped_copy(int from, int to);
/* … only the first bytes, and perhaps a few more. */
bool mapped_copy_part(int from, int to, uint64_t bytes);

#endif
