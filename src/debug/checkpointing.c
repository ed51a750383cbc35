/* checkpointing.c: the manager of a debugged replay. It makes checkpoints while the replay runs, and restores them when the debugger asks for it. */
#include "debug/checkpointing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sphere/feed.h"
#include "sphere/manager.h"
#include "sphere/replay.h"
#include "travel/checkpoints.h"
#include "travel/checkpoint_policy.h"
#include "travel/stored.h"

enum { MILLISECOND = 1000000 };

/* The emulators of the tests fail where a process that they have forked makes threads again. */
#if defined(REPRISE_EMULATED)
enum { CAN_RESTORE = 0 };
#else
enum { CAN_RESTORE = 1 };
#endif

static struct {
  int control;
  int apart; /* see struct keeper_settings */
  struct checkpoints *checkpoints;
  struct manager *manager;
  uint32_t told;        /* stops that the debugger knows of */
  uint32_t next;        /* checkpoint that the replay is to go back to, 0: none */
  struct policy policy; /* when checkpoints are made … */
  int64_t last;         /* … or, where that is fixed, when the last one was */
  struct stored stored; /* images in the recording */
  uint32_t loaded;      /* the checkpoint that was made of one last, 0: none */
} keeper;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 * MILLISECOND + time.tv_nsec;
}

/* -- Messages to the debugger ---------------------------------------------------------------------------------------------- */

static void send_region(int fd) {
  char byte = KEEPER_REGION;
  union {
    char bytes[CMSG_SPACE(sizeof fd)];
    struct cmsghdr header;
  } control = {.header = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
  if (sendmsg(keeper.control, &message, MSG_NOSIGNAL) != 1) _exit(125);
}

/* Opened once more: locks belong to open files (sphere/manager.c). */
static void tell_started(struct manager *manager, void *context) {
  char path[64];
  (void)context;
  snprintf(path, sizeof path, "/proc/self/fd/%d", manager->lock);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  send_region(fd < 0 ? manager->lock : fd);
  if (fd >= 0) close(fd);
}

static void tell_stops(struct manager *manager) {
  uint32_t stops = atomic_load(&manager->region->debug.stops);
  if (stops == keeper.told) return;
  keeper.told = stops;
  char byte = KEEPER_STOPPED;
  send(keeper.control, &byte, 1, MSG_NOSIGNAL);
}

/* -- Checkpoints ----------------------------------------------------------------------------------------------------------- */

static void made(void *context, uint32_t id) {
  (void)context;
  policy_made(&keeper.policy, id);
  keeper.last = now();
}

/* Where no time is to pass, the wish is there before the replay goes on, so a checkpoint is made wherever that can be. */
static bool is_due(const struct region_debug *debug, bool runs) {
  if (!keeper.apart) return debug->begun;
  return runs && now() - keeper.last >= (int64_t)keeper.apart * MILLISECOND;
}

/* None before the first stop, from which on the debugger drives the replay. */
static void wish_if_due(struct manager *manager) {
  const struct region_debug *debug = &manager->region->debug;
  bool runs = debug->begun && atomic_load(&debug->state) == DEBUG_RUNS;
  policy_stop(&keeper.policy, !runs);
  if (!CAN_RESTORE) return;
  if (keeper.apart < 0)
    policy_look(&keeper.policy);
  else if (is_due(debug, runs))
    checkpoint_wish(keeper.checkpoints, CHECKPOINT_MAKE, 0);
}

/* The latest checkpoint before the moment, which may have events besides its position. */
static uint32_t latest_before(const struct debug_moment *moment) {
  uint32_t found = 0;
  for (unsigned n = 0; n < checkpoint_count(keeper.checkpoints); n++) {
    uint32_t id = checkpoint_nth(keeper.checkpoints, n);
    struct checkpoint_moment at = checkpoint_moment(keeper.checkpoints, id);
    bool before = at.turn < moment->turn || (at.turn == moment->turn && at.position < moment->position);
    struct checkpoint_moment best = checkpoint_moment(keeper.checkpoints, found);
    bool later = !found || at.turn > best.turn || (at.turn == best.turn && at.position > best.position);
    if (before && later) found = id;
  }
  return found;
}

/* The same, if an image in the recording is later: a checkpoint is made of it, in the place of the last such one. */
static uint32_t load_if_later(const struct debug_moment *moment, uint32_t found) {
  struct debug_moment before = {.turn = moment->turn, .position = moment->position};
  const struct stored_image *image = stored_before(&keeper.stored, &before);
  struct checkpoint_moment best = checkpoint_moment(keeper.checkpoints, found);
  uint32_t id;
  if (!image || (found && (image->moment.turn < best.turn ||
                           (image->moment.turn == best.turn && image->moment.position <= best.position))))
    return found;
  if (checkpoint_load(keeper.checkpoints, image->number, &id, NULL)) return found;
  if (keeper.loaded) checkpoint_drop(keeper.checkpoints, keeper.loaded);
  keeper.loaded = id;
  return id;
}

static void obey(struct manager *manager) {
  struct keeper_wish wish;
  if (recv(keeper.control, &wish, sizeof wish, MSG_DONTWAIT) != sizeof wish) return;
  if (wish.makes) {
    if (CAN_RESTORE) checkpoint_wish(keeper.checkpoints, CHECKPOINT_MAKE, 0);
    return;
  }
  keeper.next = load_if_later(&wish.before, latest_before(&wish.before));
  char byte = KEEPER_NOTHING;
  if (keeper.next)
    manager->ends = true;
  else
    send(keeper.control, &byte, 1, MSG_NOSIGNAL);
}

static void look(struct manager *manager, void *context) {
  (void)context;
  tell_stops(manager);
  obey(manager);
  wish_if_due(manager);
}

/* -- Runs ------------------------------------------------------------------------------------------------------------------ */

static void prepare(struct manager *manager, struct feed *feed) {
  const struct checkpoint_user user = {.made = made};
  keeper.checkpoints = checkpoints_open(manager, feed, &user);
  if (!keeper.checkpoints) _exit(125);
  policy_open(&keeper.policy, keeper.checkpoints);
  stored_open(&keeper.stored, feed->reader);
}

/* A run that has ended can be gone back from as well. */
static bool run(struct manager *manager, struct feed *feed) {
  const char *error;
  uint32_t first;
  bool begun = checkpoints_begin_as_recorded(keeper.checkpoints, &first);
  if (first && begun) tell_started(manager, NULL);
  while (begun) {
    manager_run(manager);
    if (!keeper.next || feed->failed || manager_was_told()) break;
    if (!checkpoint_restart(keeper.checkpoints, keeper.next, &error)) break;
    policy_restarted(&keeper.policy, keeper.next);
    keeper.next = 0;
    keeper.told = 0; /* a stop too many is told, rather than one too few */
    tell_started(manager, NULL);
  }
  policy_close(&keeper.policy);
  stored_close(&keeper.stored);
  checkpoints_close(keeper.checkpoints);
  return true;
}

void keeper_become(const struct keeper_settings *from, int control, const int output[2], pid_t debugger) {
  static struct engine_config settings;
  static const struct replay_watcher watcher = {.started = tell_started, .looks = look};
  static const struct replay_driver driver = {.prepare = prepare, .run = run};
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* its guard then ends the rest */
  if (getppid() != debugger) _exit(125);
  /* The manager's own messages go where the debugger's go. */
  int own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
      null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  FILE *messages = own >= 0 ? fdopen(own, "w") : NULL;
  if (!messages || null < 0) _exit(125);
  setvbuf(messages, NULL, _IONBF, 0);
  stderr = messages;
  dup2(null, STDIN_FILENO);
  dup2(output[0], STDOUT_FILENO);
  dup2(output[1], STDERR_FILENO);
  keeper.control = control;
  keeper.apart = from->apart;
  settings = *from->engine;
  settings.debugged = true;
  struct replay_options options = {
      .confined = from->confined, .serial = true, .driver = &driver, .watcher = &watcher};
  _exit(replay(from->path, &options, &settings));
}
