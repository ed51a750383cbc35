/* follow.c: see follow.h. The manager of the recording stores its logs every few milliseconds, each frame whole, but for one that did not fit, which is written once
 * more: so bytes that are no sound frame may become one, as long as the recording is being made. */
#include "sphere/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "sphere/feed.h"
#include "sphere/manager.h"

enum { PAUSE_MS = 5 }; /* between two looks at sources that are dry */

static int64_t read_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What the manifest says, and whether the recording is still being made. Whatever is read after this, and is not sound, is damage if it is not. */
static void refresh(struct feed *feed) {
  if (recording_refresh(feed->reader, &feed->error) || !feed_read_exits(feed)) feed->failed = true;
  feed->follow.live = recording_reader_state(feed->reader) == RECORDING_LIVE;
}

void follow_begin(struct feed *feed) {
  feed->follow.begun = true;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  feed->follow.live = recording_reader_state(feed->reader) == RECORDING_LIVE;
}

/* A process's state as /proc has it, 'X' if there is none any more; *status: of a dead one, as wait(2) gives it. */
static char state_of(pid_t pid, int *status) {
  char path[64], text[1024] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *file = fopen(path, "re");
  size_t count = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[count] = 0;
  const char *name_end = strrchr(text, ')'), *last = strrchr(text, ' ');
  *status = last ? (int)strtol(last, NULL, 10) : 0;
  return (char)(name_end && name_end[1] ? name_end[2] : 'X');
}

/* The replay is about to be ended, because a thread of it has found something. A confined program tells by which signal it ends, so processes that are dead of
 * one were killed from outside, and what the others have found may be due to that. The parent of the first one is this process, which soon knows its end. */
static void look_for_killed(const struct manager *manager, struct follow *follow) {
  int status;
  char first = state_of(manager->program, &status);
  follow->ends = true;
  follow->first_is_dead = first == 'X' || first == 'Z';
  for (uint32_t i = 0; i < region_slots(manager->region) && !follow->killed; i++) {
    const struct rthread *slot = &manager->region->slots[i];
    if (atomic_load(&slot->state) != SLOT_FREE && slot->pid > 0)
      follow->killed = state_of(slot->pid, &status) == 'Z' && WIFSIGNALED(status);
  }
}

/* Takes the ends of processes that have lost their parents. */
static void reap_orphans(const struct manager *manager, struct follow *follow) {
  for (;;) {
    siginfo_t info = {.si_pid = 0};
    int status;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid) return;
    if (info.si_pid == manager->program || info.si_pid == manager->guard) return;
    if (waitpid(info.si_pid, &status, 0) < 0) return;
    follow->killed |= WIFSIGNALED(status) && !follow->ends && !atomic_load(&manager->region->finished);
  }
}

void follow_watch(const struct manager *manager) {
  struct feed *feed = manager->context;
  struct follow *follow = &feed->follow;
  if (!follow->begun) return;
  reap_orphans(manager, follow);
  if (!follow->ends && atomic_load(&manager->region->outcome)) look_for_killed(manager, follow);
}

/* The manager kills a replay only after it has looked. */
bool follow_was_killed(const struct manager *manager) {
  const struct feed *feed = manager->context;
  const struct follow *follow = &feed->follow;
  const struct region *region = manager->region;
  bool unfounded = !atomic_load(&region->outcome) && !atomic_load(&region->signo);
  bool before = follow->first_is_dead || (atomic_load(&region->outcome) && !follow->ends);
  return follow->killed || atomic_load(&region->found_dead) ||
         ((unfounded || before) && WIFSIGNALED(manager->status));
}

void follow_look(struct manager *manager) {
  struct feed *feed = manager->context;
  struct follow *follow = &feed->follow;
  manager->awaits_log = follow->live && follow->dry;
  if (!follow->live) return;
  int64_t now = read_clock();
  follow->looks = now - follow->last >= (int64_t)PAUSE_MS * 1000000;
  if (!follow->looks) return;
  follow->last = now;
  if (follow->dry) refresh(feed);
  follow->dry = false;
}

bool follow_awaits(struct feed *feed, struct source *source, int status) {
  bool may_come = status == RECORDING_TRUNCATED || status == RECORDING_DAMAGED || status == RECORDING_ABSENT;
  if (!feed->follow.live || !may_come) return false;
  if (source->stream) recording_return(source->stream, &source->place);
  source->dry = feed->follow.dry = true;
  return true;
}

bool follow_file(struct feed *feed, uint32_t number, bool changes) {
  if (!feed->follow.live) return true;
  refresh(feed);
  feed->follow.again |=
      changes && thread_set_has(&feed->files, number) && !mapped_changes(&feed->mapped, number);
  return !feed->follow.again && !feed->failed;
}

void follow_settle(struct manager *manager) {
  struct feed *feed = manager->context;
  struct timespec pause = {0, PAUSE_MS * 1000000L};
  while (feed->follow.live && !feed->failed && !manager_was_told()) {
    nanosleep(&pause, NULL);
    refresh(feed);
  }
}
