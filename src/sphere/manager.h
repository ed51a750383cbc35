/* manager.h: the manager of a sphere: the process that starts the program and serves its rings (manager.c). */
#ifndef REPRISE_SPHERE_MANAGER_H
#define REPRISE_SPHERE_MANAGER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "contract/region.h"
#include "sphere/allowance.h"
#include "sphere/launch.h"

struct manager {
  struct allowance allowance; /* to be taken before all else */
  struct region *region;
  int lock;         /* its own open file of the region: it can be locked only when the sphere is dead */
  pid_t self;       /* its own id */
  bool is_replay;   /* signals to the manager end it */
  bool verifies;    /* replay: see struct replay_options */
  pid_t program;    /* the first process … */
  int descriptor;   /* … opened (processes.h) */
  int status;       /* of the program, as wait(2) gives it */
  atomic_bool over; /* all processes of the sphere are dead */
  bool adopted;     /* the program is no child of the manager: it goes on from a checkpoint */
  bool awaits_log;  /* replay: threads may wait for a log that is still being written */
  bool ends;        /* the run is to end, whatever it does */
  pthread_t watcher;
  pid_t guard;    /* ends the sphere if the manager is killed */
  int guard_pipe; /* a byte in it: the manager ends by itself */
  int files;      /* replay: the socket over which files go to the sphere */
  const struct engine_config *settings;
  void *context; /* of the functions below */
  /* Serves the rings as far as there is anything to do; false: give up, and end the sphere. last: all are dead. */
  bool (*serve)(struct manager *manager, bool last);
  /* Answers a request: a number or -errno. */
  int64_t (*answer)(struct manager *manager, enum request_kind kind, int32_t pid, int64_t value);
};

/* The names of the orders, by enum engine_order; and back: -1 if there is none of that name. */
const char *manager_order_name(uint32_t order);
int manager_order_named(const char *name);
/* The same for enum engine_values. */
const char *manager_values_name(uint32_t which);
int manager_values_named(const char *name);

/* Makes the region and starts the program in it: 0, or -1 with the problem. */
int manager_start(struct manager *manager, struct engine_config *settings, char **argv, char **envp,
                  uint64_t seed, bool chaos, uint64_t chunk, struct launch_problem *problem);
/* Only makes the region, for a replay that begins with a stored checkpoint; and starts a process of such a checkpoint (contract/image_plan.h), which has the
 * socket as its channel: its id, or -1. */
int manager_open(struct manager *manager, struct engine_config *settings, struct launch_problem *problem);
pid_t manager_launch(struct manager *manager, int socket);
/* The same with a program that goes on from a checkpoint. The run before is over; `region` is a copy of its region, of which a new one is made. Then the
 * processes are given what they share with the manager, and then the manager takes them for its own. False with errno. */
bool manager_reopen(struct manager *manager, int region, struct launch_shared *shared);
bool manager_adopt(struct manager *manager, struct launch_shared *shared);
/* In a child of the manager that outlives it: it holds nothing that others wait for. */
void manager_leave_to_parent(struct manager *manager);
/* Serves until all of the sphere is dead. */
void manager_run(struct manager *manager);
/* The signal by which the manager was told to end the sphere, or 0. */
int manager_was_told(void);
/* From now on, what it is told counts. */
void manager_listen(void);
/* Closes descriptor first and all above it, also where close_range is denied or there is no such call. */
void manager_close_from(int first);
/* How the program ended, in words as the manifest has them. */
enum { ENDING_TEXT = 32 };
void manager_tell_ending(int status, char text[ENDING_TEXT]);
/* Tells why the sphere ended early, where word was left. */
void manager_tell_reason(const struct manager *manager);
/* Ends the calling process as the program ended. */
int manager_leave(int status);

/* Replay: sends the file to the process that has asked. */
bool manager_send_file(const struct manager *manager, int fd);

/* The bytes of a ring. To be called after its head or tail was moved. */
uint8_t *manager_ring(struct manager *manager, const struct ring *ring);
void manager_moved(struct manager *manager, struct ring *ring);
/* The region's lock, if it is free. */
bool manager_try_lock(struct manager *manager);
void manager_unlock(struct manager *manager);
/* Frees a slot whose stream has been handled, for another thread. */
void manager_free_slot(struct manager *manager, struct rthread *slot);
/* held: births of threads wait from now on, until this is called again. */
void manager_hold_births(struct manager *manager, bool held);

#endif
