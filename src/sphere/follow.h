/* follow.h: a replay of a recording that is being made (follow.c). Its streams end where nothing more was written yet, and what is known at the end of a recording
 * alone is not there: the replay waits for it. */
#ifndef REPRISE_SPHERE_FOLLOW_H
#define REPRISE_SPHERE_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

struct feed;
struct manager;
struct source;

struct follow {
  bool begun;  /* this is such a replay */
  bool live;   /* the recording is being made, as far as is known */
  bool looks;  /* dry sources are looked at in this round */
  bool dry;    /* there was one in the last round */
  bool ends;   /* a thread of the replay has found something … */
  bool killed; /* … and a process had been killed; the first one was dead, of whatever */
  bool first_is_dead;
  bool again; /* what was done is of no use: a file that was mapped as one that stays the same has changed */
  int64_t last; /* when dry sources were looked at; nanoseconds */
};

void follow_begin(struct feed *feed);
/* Whenever the manager serves: looks whether processes of the replay were killed. */
void follow_watch(const struct manager *manager);
/* Before a round through all sources. */
void follow_look(struct manager *manager);
/* True if a source from which nothing more can be read, with this status, may go on later. */
bool follow_awaits(struct feed *feed, struct source *source, int status);
/* Before a file is opened, which the process wants to change: what the manifest says of it is as new as the log. False: begin again. */
bool follow_file(struct feed *feed, uint32_t number, bool changes);
/* The replay is over: true if a process of it was killed from outside. */
bool follow_was_killed(const struct manager *manager);
/* The replay is over, and seems to have gone as it should: waits until the recording is over. */
void follow_settle(struct manager *manager);

#endif
