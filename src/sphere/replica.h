/* replica.h: a replay beside the recording, on other processors, that tells whether the recording can be repeated (replica.c). */
#ifndef REPRISE_SPHERE_REPLICA_H
#define REPRISE_SPHERE_REPLICA_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "contract/engine.h"
#include "sphere/allowance.h"

enum { REPLICA_TEXT = 640 };

struct replica {
  pid_t keeper; /* the process that starts the replay, again if need be; 0: there is none */
  struct replica_board *board;
};

/* Begins to replay the recording at path, of which there is nothing but a manifest yet. To be called before the region is made. False with errno. */
bool replica_begin(struct replica *replica, const char *path, const struct allowance *allowance,
                   const struct engine_config *settings);
/* The recording is complete: waits until the replica has come to its end, or the manager is told to wait no longer, and tells the user unless quiet, or there is a
 * mismatch. text: the line for the manifest. */
void replica_end(struct replica *replica, uint64_t instructions, bool quiet, char text[REPLICA_TEXT]);
/* The recording breaks off, or has not begun. */
void replica_drop(struct replica *replica);

#endif
