/* feed.h: the manager's side of a replay's logs and files: streams of the recording on their way into the rings (feed.c). */
#ifndef REPRISE_SPHERE_FEED_H
#define REPRISE_SPHERE_FEED_H

#include "recording/recording.h"
#include "recording/stream_id.h"
#include "sphere/manager.h"
#include "sphere/follow.h"
#include "sphere/mapped.h"
#include "sphere/progress.h"
#include "sphere/solved.h"

/* A stream on its way into a ring. */
struct source {
  struct recording_stream *stream;
  struct recording_frame frame;
  struct recording_place place; /* where the frame begins */
  uint32_t at;                  /* bytes of the frame that are in the ring already */
  bool opened, ended;
  bool dry; /* of a recording that is being made: there is nothing more yet */
};

/* A part of a log that no thread has read, though its thread, or all threads, have ended. */
struct leftover {
  bool found, of_order, of_sphere;
  uint32_t thread;
  uint64_t position; /* how far the log was read */
};

/* The callbacks of a replay with checkpoints (travel/checkpoints.h), else NULL. */
struct feed_helper {
  void *context;
  void (*look)(void *context); /* whenever the rings are looked at */
  int64_t (*answer)(void *context, enum request_kind kind,
                    int64_t value); /* requests from REQUEST_MEMORY on */
};

struct feed {
  struct recording_reader *reader;
  struct recording_error error;
  bool failed;
  bool
      halted; /* the replay ended where its driver wanted it to: the rest of the recording is not looked at */
  struct source order, slots[REGION_SLOTS];
  struct source orders[REGION_SLOTS]; /* each thread's own, when they ran at once */
  bool parallel;
  struct follow follow;
  bool tells;            /* what the threads tell comes through the ring of the sphere's order */
  struct solved *solved; /* the order logs to be used instead of the recorded ones, or NULL */
  struct mapped mapped;
  struct feed_helper helper;
  const struct replay_watcher *watcher; /* may be NULL */
  struct progress progress;
  uint64_t instructions, total;     /* of threads that have ended, and in the recording */
  struct thread_set threads, files; /* those whose stream or content was read, and so checked */
  struct thread_set exits;          /* threads whose input logs end with an exit */
  const char
      *killed;     /* threads that were killed, with the lengths of their logs, as in the manifest; or NULL */
  uint32_t absent; /* one more than a thread of the recording that never began, 0: none */
  uint32_t
      cut_short; /* one more than a thread whose log lacks the exit that it should have, or is not as long as it was, 0: none */
  struct leftover leftover; /* the first that was found */
};

/* The positions of all sources, kept to restore them later. */
struct feed_state;
struct feed_state *feed_keep(const struct manager *manager, const struct feed *feed);
struct feed_state *feed_at_beginning(void); /* no stream was read yet */
void feed_forget(struct feed_state *state);
/* Restores the state. The rings of the manager's region must be as they were when it was kept. */
bool feed_go_back(struct manager *manager, struct feed *feed, const struct feed_state *state);

/* The state as an image has it: allocated, NULL without memory; and back: NULL also if the bytes are none. */
uint8_t *feed_encode(const struct feed_state *state, size_t *bytes);
struct feed_state *feed_decode(const uint8_t *from, size_t bytes);

/* Reads from the manifest which threads' logs end with an exit; false: it has a bad list. The exits of a recording that breaks off are not known. */
bool feed_read_exits(struct feed *feed);
bool feed_open(struct feed *feed, struct source *source, struct recording_stream_id id);
/* The functions of struct manager; its context is the feed. */
bool feed_serve(struct manager *manager, bool last);
int64_t feed_answer(struct manager *manager, enum request_kind kind, int32_t pid, int64_t value);
/* Looks for unread parts in the logs of threads that lived until the end, and in the order log of the sphere. */
void feed_look_for_leftovers(struct manager *manager, struct feed *feed);
/* The replay has come to its end: so must the recording, undamaged. */
void feed_check_rest(struct manager *manager, struct feed *feed);

#endif
