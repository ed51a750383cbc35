/* feed.c: reads the recording's streams into the rings of the engines. See feed.h. */
#include "sphere/feed.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recording/scratch.h"
#include "sphere/code_folder.h"
#include "sphere/processes.h"
#include "sphere/replay.h"

/* -- Rings ---------------------------------------------------------------------------------------------------------------------- */

/* Nothing in the region can be trusted: an engine that a recording has taken over writes there, too. */
static void forged(struct feed *feed, const char *what) {
  if (feed->failed) return;
  feed->failed = true;
  feed->error = (struct recording_error){.kind = RECORDING_DAMAGED};
  snprintf(feed->error.text, sizeof feed->error.text,
           "%s is out of bounds: the recording has damaged the replay", what);
}

bool feed_read_exits(struct feed *feed) {
  const char *list = recording_get(feed->reader, "exits", 0);
  uint32_t from, to;
  uint64_t next = 0; /* the list ascends, so it is not endless */
  feed->killed = recording_get(feed->reader, "killed", 0);
  for (int found; list && (found = thread_range_next(&list, &from, &to)) != 0;) {
    if (found < 0 || from < next || to > RECORDING_THREAD_MAX) return false;
    for (next = from; next <= to; next++)
      if (thread_set_add(&feed->exits, (uint32_t)next, &feed->error)) return false;
  }
  return true;
}

bool feed_open(struct feed *feed, struct source *source, struct recording_stream_id id) {
  *source = (struct source){.opened = true};
  if (id.thread > RECORDING_THREAD_MAX && id.thread != RECORDING_SPHERE) {
    forged(feed, "the number of a thread");
    return false;
  }
  if (id.kind == RECORDING_INPUT) thread_set_add(&feed->threads, id.thread, NULL);
  if (feed->solved && id.kind == RECORDING_ORDER && id.thread != RECORDING_SPHERE) {
    size_t count;
    source->frame.bytes = solved_find(feed->solved, id.thread, &count);
    source->frame.length = (uint32_t)count;
    return true;
  }
  int status = recording_stream_open(feed->reader, id, &source->stream, &feed->error);
  if (status == RECORDING_ABSENT) source->stream = NULL;
  if (status == RECORDING_ABSENT && follow_awaits(feed, source, status)) source->opened = false;
  return !status || status == RECORDING_ABSENT;
}

/* Makes sure that there are bytes of a frame; false when the stream is at its end, or dry. */
static bool next_bytes(struct feed *feed, struct source *source, struct ring *ring) {
  if (source->at < source->frame.length) return true;
  if (source->ended) return false;
  if (source->stream) source->place = recording_place(source->stream);
  int status = source->stream ? recording_next(source->stream, &source->frame, &feed->error) : RECORDING_END;
  source->at = 0;
  source->dry = false;
  if (!status) return true;
  source->frame.length = 0;
  if (follow_awaits(feed, source, status)) return false;
  source->ended = true;
  bool complete = recording_reader_state(feed->reader) == RECORDING_COMPLETE;
  if (!complete && (status == RECORDING_TRUNCATED || !source->stream))
    atomic_store(&ring->broken, 1);
  else if (status != RECORDING_END)
    feed->failed = true;
  return false;
}

/* Reads the rest of the stream, although the sphere needs it no more: damage must not go unnoticed. */
static void close_source(struct feed *feed, struct source *source, struct ring *ring) {
  while (source->stream && !feed->failed && next_bytes(feed, source, ring)) source->at = source->frame.length;
  if (source->stream) recording_stream_close(source->stream);
  *source = (struct source){0};
}

static void copy_in(uint8_t *ring, uint64_t to, const uint8_t *from, size_t count) {
  size_t at = to % RING_BYTES, first = count < RING_BYTES - at ? count : RING_BYTES - at;
  memcpy(ring + at, from, first);
  memcpy(ring, from + first, count - first);
}

static void feed_ring(struct manager *manager, struct source *source, struct ring *ring) {
  struct feed *feed = manager->context;
  bool moved = false;
  if (atomic_load(&ring->ended)) return;
  for (;;) {
    uint64_t head = atomic_load(&ring->head), filled = head - atomic_load(&ring->tail);
    if (filled > RING_BYTES) {
      forged(feed, "a ring of a thread");
      return;
    }
    size_t room = RING_BYTES - (size_t)filled;
    if (!room) break;
    if (!next_bytes(feed, source, ring)) {
      if (source->dry) break;
      atomic_store(&ring->ended, !feed->failed);
      moved = true;
      break;
    }
    size_t count = source->frame.length - source->at < room ? source->frame.length - source->at : room;
    copy_in(manager_ring(manager, ring), head, source->frame.bytes + source->at, count);
    source->at += (uint32_t)count;
    atomic_store(&ring->head, head + count);
    moved = true;
  }
  if (moved) manager_moved(manager, ring);
}

static void feed_stream(struct manager *manager, struct source *source, struct ring *ring,
                        struct recording_stream_id id) {
  struct feed *feed = manager->context;
  if (source->dry && feed->follow.live && !feed->follow.looks) return;
  if (!source->opened && !feed_open(feed, source, id))
    feed->failed = true;
  else if (source->opened)
    feed_ring(manager, source, ring);
}

/* A thread that has ended in the replay, and perhaps not yet in the recording that is followed. */
static bool is_followed(struct feed *feed, uint32_t slot, struct rthread *rthread) {
  struct source *sources[] = {&feed->slots[slot], &feed->orders[slot]};
  struct ring *rings[] = {&rthread->ring, &rthread->order_log.ring};
  for (int i = 0; feed->follow.live && i < (feed->parallel ? 2 : 1); i++)
    if (!sources[i]->ended &&
        (!sources[i]->opened || (!next_bytes(feed, sources[i], rings[i]) && sources[i]->dry)))
      return true;
  return false;
}

/* -- Serving ------------------------------------------------------------------------------------------------------------------------- */

/* True if a part of the log is still in the ring, or not yet in it. */
static bool is_unread(struct feed *feed, struct source *source, struct ring *ring) {
  return source->opened && (ring->head != ring->tail || next_bytes(feed, source, ring));
}

/* To be called before the slot's sources are closed, which reads the rest of them. */
static void look_for_leftovers(struct feed *feed, uint32_t slot, struct rthread *rthread) {
  bool of_input = is_unread(feed, &feed->slots[slot], &rthread->ring);
  if (feed->leftover.found || (!of_input && !is_unread(feed, &feed->orders[slot], &rthread->order_log.ring)))
    return;
  feed->leftover = (struct leftover){
      .found = true,
      .of_order = !of_input,
      .thread = rthread->number,
      .position = of_input ? rthread->input.codec.position : rthread->order_log.ring.position};
}

/* The length of the log of a thread that was killed; `other` if it is not listed. */
static uint64_t length_when_killed(const struct feed *feed, uint32_t number, uint64_t other) {
  for (const char *at = feed->killed; at; at = strchr(at, ',')) {
    char *end;
    if (*at == ',') at++;
    unsigned long listed = strtoul(at, &end, 10);
    if (listed == number && *end == ':') return strtoull(end + 1, NULL, 10);
  }
  return other;
}

/* After look_for_leftovers: all of the log is in the ring, or was. */
static void look_for_end(struct feed *feed, const struct source *source, const struct rthread *rthread) {
  uint64_t length = atomic_load(&rthread->ring.head);
  if (feed->follow.live) return; /* which threads were killed is not known yet */
  bool complete = thread_set_has(&feed->exits, rthread->number)
                      ? atomic_load(&rthread->input.exited)
                      : !source->opened || feed->leftover.found ||
                            length_when_killed(feed, rthread->number, length) == length;
  if (!complete) feed->cut_short = rthread->number + 1;
}

/* Of the recorded instructions. All threads but one wait, unless they run in parallel. */
static void tell_progress(struct manager *manager) {
  struct feed *feed = manager->context;
  char details[64];
  uint64_t done = feed->instructions;
  unsigned threads = 0;
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    const struct rthread *slot = &manager->region->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE) continue;
    done += *(const volatile uint64_t *)&slot->input.codec.position;
    threads++;
  }
  if (feed->parallel || threads < 2)
    snprintf(details, sizeof details, " replayed");
  else
    snprintf(details, sizeof details, " replayed, %u of %u threads waiting", threads - 1, threads);
  progress_tell(&feed->progress, done, feed->total, details);
}

/* A debugger wants the thread that runs to stop. */
static void obey_debugger(struct manager *manager) {
  struct region *region = manager->region;
  uint32_t holder = atomic_load(&region->holder);
  if (atomic_load(&region->debug.interrupt) && holder && holder <= region_slots(region))
    process_summon(manager, &region->slots[holder - 1]);
}

bool feed_serve(struct manager *manager, bool last) {
  struct feed *feed = manager->context;
  follow_watch(manager);
  if (feed->watcher) feed->watcher->looks(manager, feed->watcher->context);
  if (feed->watcher) obey_debugger(manager);
  if (last || feed->failed) return !feed->failed;
  if (feed->helper.look) feed->helper.look(feed->helper.context);
  follow_look(manager);
  if (!feed->tells)
    feed_stream(manager, &feed->order, &manager->region->order,
                (struct recording_stream_id){RECORDING_ORDER, RECORDING_SPHERE});
  for (uint32_t i = 0; i < region_slots(manager->region) && !feed->failed; i++) {
    struct rthread *slot = &manager->region->slots[i];
    uint32_t state = atomic_load(&slot->state);
    if (state == SLOT_ENDED && !is_followed(feed, i, slot)) {
      feed->instructions += slot->input.codec.position;
      look_for_leftovers(feed, i, slot);
      look_for_end(feed, &feed->slots[i], slot);
      close_source(feed, &feed->slots[i], &slot->ring);
      close_source(feed, &feed->orders[i], &slot->order_log.ring);
      manager_free_slot(manager, slot);
    } else if (state == SLOT_LIVE) {
      if (atomic_exchange(&slot->replay.summoned, 0)) process_summon(manager, slot);
      feed_stream(manager, &feed->slots[i], &slot->ring,
                  (struct recording_stream_id){RECORDING_INPUT, slot->number});
      if (feed->parallel)
        feed_stream(manager, &feed->orders[i], &slot->order_log.ring,
                    (struct recording_stream_id){RECORDING_ORDER, slot->number});
    }
  }
  if (progress_is_due(&feed->progress)) tell_progress(manager);
  return !feed->failed;
}

/* -- Files ----------------------------------------------------------------------------------------------------------------------- */

/* Sends a file that was opened for the process. */
static int64_t pass_on(const struct manager *manager, int fd) {
  bool sent = fd >= 0 && manager_send_file(manager, fd);
  if (fd >= 0) close(fd);
  return sent ? 0 : -EAGAIN;
}

int64_t feed_answer(struct manager *manager, enum request_kind kind, int32_t pid, int64_t value) {
  struct feed *feed = manager->context;
  (void)pid;
  if (feed->helper.answer && kind >= REQUEST_MEMORY)
    return feed->helper.answer(feed->helper.context, kind, value);
  if (kind == REQUEST_NEW_FILE) return pass_on(manager, scratch_file("reprise", 0));
  if (kind == REQUEST_CODE) return pass_on(manager, code_folder_stored((uint64_t)value));
  if (kind != REQUEST_OPEN_FILE || value & ~(REQUEST_CHANGES | UINT32_MAX)) return -EINVAL;
  if (!follow_file(feed, (uint32_t)value, value & REQUEST_CHANGES)) return -EAGAIN;
  int fd = mapped_open(&feed->mapped, feed->reader, (uint32_t)value, value & REQUEST_CHANGES, &feed->error);
  feed->failed |= fd < 0;
  if (fd < 0) return fd;
  thread_set_add(&feed->files, (uint32_t)value, NULL);
  return manager_send_file(manager, fd) ? 0 : -EAGAIN;
}

/* -- What was not read ------------------------------------------------------------------------------------------------------------- */

static int check_stream(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct feed *feed = context;
  static struct source source;
  static struct ring nowhere;
  (void)error;
  bool of_thread =
      id.kind == RECORDING_INPUT || (id.kind == RECORDING_ORDER && id.thread != RECORDING_SPHERE);
  if (!of_thread || thread_set_has(&feed->threads, id.thread)) return 0;
  if (!feed_open(feed, &source, id)) feed->failed = true;
  if (!feed->failed && next_bytes(feed, &source, &nowhere)) feed->absent = id.thread + 1;
  if (!feed->failed) close_source(feed, &source, &nowhere);
  return feed->failed;
}

static void check_files(struct feed *feed) {
  static struct recording_file file;
  int status = 0, fd;
  for (uint32_t number = 0; !status; number++) {
    status = recording_find_file(feed->reader, number, &file, &feed->error);
    if (status || thread_set_has(&feed->files, number)) continue;
    status = recording_open_file(feed->reader, &file, &fd, &feed->error);
    if (!status) close(fd);
  }
  bool complete = recording_reader_state(feed->reader) == RECORDING_COMPLETE;
  if (status != RECORDING_ABSENT && (complete || status != RECORDING_TRUNCATED)) feed->failed = true;
}

/* The replay has come to its end: so must the recording, undamaged. */
void feed_check_rest(struct manager *manager, struct feed *feed) {
  close_source(feed, &feed->order, &manager->region->order);
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    close_source(feed, &feed->slots[i], &manager->region->slots[i].ring);
    close_source(feed, &feed->orders[i], &manager->region->slots[i].order_log.ring);
  }
  if (!feed->failed && recording_each_stream(feed->reader, check_stream, feed, &feed->error))
    feed->failed = true;
  if (!feed->failed) check_files(feed);
}

/* Looks at all logs whose threads were there until the end, and at the order of the sphere. */
void feed_look_for_leftovers(struct manager *manager, struct feed *feed) {
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    struct rthread *slot = &manager->region->slots[i];
    if (atomic_load(&slot->state) == SLOT_FREE) continue;
    look_for_leftovers(feed, i, slot);
    look_for_end(feed, &feed->slots[i], slot);
  }
  if (!feed->leftover.found && is_unread(feed, &feed->order, &manager->region->order))
    feed->leftover = (struct leftover){.found = true, .of_order = true, .of_sphere = true};
}
