/* replay.h: replaying a recording (replay.c). */
#ifndef REPRISE_SPHERE_REPLAY_H
#define REPRISE_SPHERE_REPLAY_H

#include <stdbool.h>

#include "sphere/launch.h"

/* An emulator of the tests has no filters of system calls. */
#if defined(REPRISE_EMULATED)
enum { CAN_CONFINE = 0 };
#else
enum { CAN_CONFINE = 1 };
#endif

struct manager;
struct feed;
/* Makes checkpoints, and goes back to them. Where the recording begins at a checkpoint (`begins` in its manifest) run() restores that first. */
struct replay_driver {
  /* Before the first process begins. */
  void (*prepare)(struct manager *manager, struct feed *feed);
  /* Serves the manager, in one or more runs, until the replay is over. False: that failed, and the driver has said why. */
  bool (*run)(struct manager *manager, struct feed *feed);
  bool from_image; /* run() restores a checkpoint that is stored in the recording, and begins there */
};

/* Callbacks of a replay while it runs: one when the program has been started, the other whenever the manager looks at the rings. */
struct replay_watcher {
  void (*started)(struct manager *manager, void *context);
  void (*looks)(struct manager *manager, void *context);
  void *context;
};

struct replay_options {
  bool quiet;    /* output is not shown */
  bool confined; /* the replayed program can do nothing outside (engine/border/confine.c) */
  bool serial;   /* one thread at a time, whatever the order of the recording (engine/order/serial.h) */
  const struct replay_driver *driver; /* of a replay with checkpoints, which is serial; or NULL */
  bool verifies; /* the status is 0 if the replay did what the recording did, however the program ended */
  bool turns;    /* how often the turn changed is told, with a digest of the sequence */
  const struct replay_watcher *watcher; /* may be NULL */
  bool
      tells; /* accesses to open memory are told, to the watcher, in the ring of the sphere's order (order/told.h) */
  bool follows; /* the recording may still be in the making: waits for the rest of it */
  bool solved;  /* in the order that was found afterwards (solved.h) */
};

/* Replays the recording at path and returns the exit status; a program that died of a signal takes the caller with it. */
int replay(const char *path, const struct replay_options *options, struct engine_config *settings);

#endif
