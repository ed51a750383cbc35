/* checkpoints.h: states of a replay that it can be restored to (checkpoints.c).
 *
 * A checkpoint is made of copies: of the processes, which wait as vessels (engine/threads/checkpoint_vessel.c), of the region, of the memory that processes share,
 * and of where in its streams the feed was. A restart copies these once more, so a checkpoint can be restarted any number of times, in any order. */
#ifndef REPRISE_TRAVEL_CHECKPOINTS_H
#define REPRISE_TRAVEL_CHECKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/region.h"

struct manager;
struct feed;
struct checkpoints;
struct recording_reader;
struct recording_error;

/* The thread that had the turn, and how often the turn had changed before; `point` counts places where checkpoints can be made. */
struct checkpoint_moment {
  uint64_t turn, position, point;
  uint32_t thread;
};

/* Callbacks to the user of checkpoints. */
struct checkpoint_user {
  void *context;
  /* A checkpoint was made, and the replay goes on. */
  void (*made)(void *context, uint32_t id);
  /* The replay has halted as wished: it ends now, without having come to the end of the recording. */
  void (*halted)(void *context);
};

/* The manager becomes the reaper of all orphaned processes. NULL without memory. */
struct checkpoints *checkpoints_open(struct manager *manager, struct feed *feed,
                                     const struct checkpoint_user *user);
/* Ends all vessels, and waits until they are gone. */
void checkpoints_close(struct checkpoints *all);

/* Has a checkpoint made, or the replay halted, at the first opportunity from a point on; 0: at once. */
void checkpoint_wish(struct checkpoints *all, enum checkpoint_wish wish, uint64_t point);
/* Restarts one when the run is over (manager_run has returned); then call manager_run again. False: that failed, and the error says why. */
bool checkpoint_restart(struct checkpoints *all, uint32_t id, const char **error);
/* Stores one in the recording, as the image with this number. Loads an image, as a checkpoint with this id. Errors are as in image.h. */
int checkpoint_store(struct checkpoints *all, uint32_t id, struct recording_reader *reader, uint32_t *number,
                     uint64_t *bytes, struct recording_error *error);
int checkpoint_load(struct checkpoints *all, uint32_t number, uint32_t *id, struct recording_error *error);
/* The replay has not begun (replay_driver.from_image): it begins at the image, of which there is a checkpoint then. IMAGE_NONE: nothing is done, and *id is 0. */
int checkpoints_begin_at(struct checkpoints *all, int64_t image, uint32_t *id, struct recording_error *error);
/* The same with the image with which the recording begins, if any, for a replay_driver that makes checkpoints. False: that failed, the feed has the error, and
 * the replay is over. */
bool checkpoints_begin_as_recorded(struct checkpoints *all, uint32_t *id);
/* Microseconds for which it has held up the replay; bytes of memory that only it has, 0 where the kernel does not tell. */
uint64_t checkpoint_cost(const struct checkpoints *all, uint32_t id);
uint64_t checkpoint_bytes(const struct checkpoints *all, uint32_t id);
void checkpoint_drop(struct checkpoints *all, uint32_t id);
/* All checkpoints, oldest first: how many, the id of the n-th, and the moment at which one was made. */
unsigned checkpoint_count(const struct checkpoints *all);
uint32_t checkpoint_nth(const struct checkpoints *all, unsigned n);
struct checkpoint_moment checkpoint_moment(const struct checkpoints *all, uint32_t id);

#endif
