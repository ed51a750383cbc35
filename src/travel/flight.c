/* flight.c: keeps the last part of a recording in memory. See flight.h.
 *
 * The log is cut into segments. Each but the very first begins with a checkpoint: vessels of the program's processes, and a copy of the region. A checkpoint is made
 * every third of the window; segments that are not needed for the window any more are dropped, and their vessels with them. So the window is
 * between one and four thirds of what was wished for, and memory is bounded. When the program ends in a way that is of interest, the oldest checkpoint
 * is stored as an image, and the logs behind it: an ordinary recording that begins there (`begins` in its manifest). */
#include "travel/flight.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recording/error.h"
#include "recording/scratch.h"
#include "sphere/core_file.h"
#include "sphere/feed.h"
#include "sphere/kept_files.h"
#include "sphere/manager.h"
#include "sphere/processes.h"
#include "travel/flight_dump.h"
#include "travel/flight_front.h"

enum { PARTS = 3 /* of a window, to each a checkpoint */, BLOCK_BYTES = 1 << 18 };

static struct {
  struct flight_options wanted;
  struct manager *manager;
  struct recording_writer *writer;
  const struct keep *kept;
  struct segment *oldest, *newest;
  uint64_t bytes;         /* of all segments */
  uint64_t asked;         /* when a checkpoint was last wished for, or made; microseconds */
  uint32_t told;          /* enum checkpoint_refusal that the user knows of */
  bool triggered;         /* the part up to the next checkpoint is to be stored */
  uint32_t triggers;      /* of the program, that were seen so far */
  bool is_large;          /* the program has more memory than was wished for … */
  uint64_t measured;      /* … when that was last measured */
  unsigned dumps;         /* made so far */
  struct segment *passed; /* old segments whose checkpoints are being stored */
} state;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* -- Segments ---------------------------------------------------------------------------------------------------------------------- */

static int lacks_memory(struct recording_error *error) {
  return recording_fail_errno(error, recording_writer_path(state.writer), "keeping the log in memory");
}

static struct segment *begin_segment(void) {
  struct segment *segment = calloc(1, sizeof *segment);
  if (!segment) return NULL;
  segment->begun = now();
  if (state.newest) state.newest->ended = segment->begun;
  segment->region = -1;
  if (state.newest)
    state.newest->next = segment;
  else
    state.oldest = segment;
  return state.newest = segment;
}

static void end_vessels(struct segment *segment) {
  for (size_t i = 0; i < segment->count; i++) {
    if (segment->descriptors[i] < 0) continue;
    process_send(segment->descriptors[i], segment->vessels[i], SIGKILL);
    close(segment->descriptors[i]);
    waitpid(segment->vessels[i], NULL, WNOHANG | __WALL); /* if we are the reaper of orphans */
  }
  free(segment->vessels);
  free(segment->descriptors);
  segment->count = 0;
  segment->vessels = NULL;
  segment->descriptors = NULL;
  if (segment->region >= 0) close(segment->region);
  segment->region = -1;
}

static void forget_log(struct segment *segment) {
  state.bytes -= segment->bytes;
  for (struct block *block = segment->first, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  segment->first = segment->last = NULL;
  segment->bytes = 0;
}

/* Vessels that are being stored are needed until that is done. */
static void drop_oldest(void) {
  struct segment *segment = state.oldest;
  state.oldest = segment->next;
  if (!state.oldest) state.newest = NULL;
  forget_log(segment);
  if (segment->reader) {
    segment->next = state.passed;
    state.passed = segment;
    return;
  }
  end_vessels(segment);
  free(segment);
}

/* Room for so many bytes at the end of the newest segment. */
static uint8_t *take_room(size_t bytes) {
  struct segment *segment = state.newest;
  struct block *block = segment->last;
  if (!block || block->room - block->used < bytes) {
    size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    block = malloc(sizeof *block + room);
    if (!block) return NULL;
    *block = (struct block){.room = room};
    if (segment->last)
      segment->last->next = block;
    else
      segment->first = block;
    segment->last = block;
  }
  uint8_t *at = block->bytes + block->used;
  block->used += bytes;
  segment->bytes += bytes;
  state.bytes += bytes;
  return at;
}

static int keep_entry(const struct entry *entry, const void *bytes, struct recording_error *error) {
  if (state.newest && state.newest->lost) return RECORDING_OK;
  uint8_t *at = state.newest ? take_room(sizeof *entry + entry->length) : NULL;
  if (!at) return lacks_memory(error);
  memcpy(at, entry, sizeof *entry);
  if (entry->length) memcpy(at + sizeof *entry, bytes, entry->length);
  return RECORDING_OK;
}

static int append(struct recording_stream_id id, uint64_t first, uint64_t last, const void *bytes,
                  size_t length, struct recording_error *error) {
  const struct entry entry = {.id = id, .length = (uint32_t)length, .first = first, .last = last};
  return keep_entry(&entry, bytes, error);
}

static int end(struct recording_stream_id id, struct recording_error *error) {
  const struct entry entry = {.id = id, .ends = true};
  return keep_entry(&entry, NULL, error);
}

/* -- Checkpoints ------------------------------------------------------------------------------------------------------------------- */

static void begin(struct manager *manager, struct recording_writer *writer, const struct keep *kept) {
  state.manager = manager;
  state.writer = writer;
  state.kept = kept;
  state.asked = now();
  char text[32];
  snprintf(text, sizeof text, "%.3f", (double)state.wanted.window / 1e6);
  if (!recording_set(writer, "flight", text, NULL)) recording_save(writer, NULL);
  if (begin_segment()) state.newest->from_start = true;
}

/* A process that stores a part has ended: it has told what was wrong. */
static bool is_read(struct segment *segment, bool waits) {
  if (segment->reader && waitpid(segment->reader, NULL, waits ? 0 : WNOHANG) != 0) segment->reader = 0;
  return !segment->reader;
}

static void look_after_readers(bool waits) {
  for (struct segment *segment = state.oldest; segment; segment = segment->next) is_read(segment, waits);
  for (struct segment **link = &state.passed, *segment; (segment = *link);) {
    if (!is_read(segment, waits)) {
      link = &segment->next;
      continue;
    }
    *link = segment->next;
    end_vessels(segment);
    free(segment);
  }
}

/* Segments that lie before the window, or for which there is no room. Where no checkpoint can be made, the only one may be lost: nothing can be stored then
 * until there is one. */
static void drop_old(void) {
  while (state.oldest->next && now() - state.oldest->next->begun >= state.wanted.window) drop_oldest();
  while (state.oldest->next && (state.bytes > state.wanted.bytes || state.oldest->lost)) drop_oldest();
  if (state.bytes <= state.wanted.bytes) return;
  forget_log(state.oldest);
  if (!state.oldest->reader) end_vessels(state.oldest);
  state.oldest->lost = true;
}

static void tell_refusal(uint32_t refusal) {
  static const char *const reasons[] = {
      [CHECKPOINT_UNFORKED] = "the program has memory that forks do not copy",
      [CHECKPOINT_SHARED] = "the program can write memory, or a mapped file, that others see",
      [CHECKPOINT_UNSTORED] = "the program has set a state that only the kernel has",
  };
  if (refusal >= sizeof reasons / sizeof *reasons || !reasons[refusal] || state.told == refusal) return;
  state.told = refusal;
  fprintf(stderr, "reprise: no checkpoint can be made now: %s, which is not supported yet\n",
          reasons[refusal]);
}

/* -- Parts stored while the program goes on ----------------------------------------------------------------------------------------- */

/* `reprise trigger` has left a file in the recording. */
static bool was_triggered(void) {
  char path[RECORDING_PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/" FLIGHT_TRIGGER, recording_writer_path(state.writer));
  return (size_t)length < sizeof path && !unlink(path);
}

/* Its own call, a signal or its output. */
static bool has_triggered(void) {
  uint32_t now = atomic_load(&state.manager->region->checkpoint.triggers), before = state.triggers;
  state.triggers = now;
  return now != before;
}

/* Bytes of memory that the process has, shared ones too. */
static uint64_t memory_of(int32_t pid) {
  char path[64];
  uint64_t pages = 0;
  snprintf(path, sizeof path, "/proc/%d/statm", pid);
  FILE *file = fopen(path, "re");
  if (file && fscanf(file, "%*u %" SCNu64, &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t memory_of_all(void) {
  const struct region *region = state.manager->region;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < region_slots(region); i++) {
    bool counted = false;
    for (uint32_t j = 0; j < i && !counted; j++)
      counted =
          atomic_load(&region->slots[j].state) == SLOT_LIVE && region->slots[j].pid == region->slots[i].pid;
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && !counted)
      bytes += memory_of(region->slots[i].pid);
  }
  return bytes;
}

/* Once, until it is clearly below the limit again. */
static bool has_grown(void) {
  enum { APART = 100000 /* microseconds */, CLEARLY = 10 /* the tenth part */ };
  uint64_t limit = state.wanted.memory, at = now();
  if (!limit || at - state.measured < APART) return false;
  state.measured = at;
  uint64_t bytes = memory_of_all();
  bool was = state.is_large;
  state.is_large = bytes > (was ? limit - limit / CLEARLY : limit);
  return state.is_large && !was;
}

static void name_dump(unsigned number, char path[RECORDING_PATH_MAX]) {
  /* A longer path can't be made. */
  if (snprintf(path, RECORDING_PATH_MAX, "%s-%u", recording_writer_path(state.writer), number) >=
      RECORDING_PATH_MAX)
    *path = 0;
}

/* Of a part that was stored. */
static void write_core(const char *path, unsigned number) {
  char core[RECORDING_PATH_MAX];
  bool has_core = core_file_write(path, state.wanted.core, number, core);
  fprintf(stderr, "reprise: the last part is stored in %s%s%s\n", path,
          has_core ? ", with the core file " : "", has_core ? core : "");
}

static _Noreturn void store_and_end(const struct segment *last, const struct order_end *end) {
  struct recording_error error;
  char path[RECORDING_PATH_MAX];
  manager_leave_to_parent(state.manager);
  name_dump(state.dumps, path);
  int status = flight_store_beside(path, state.writer, state.kept, state.oldest, last, "exit 0", end, &error);
  if (status)
    fprintf(stderr, "reprise: %s\n", error.text);
  else
    write_core(path, state.dumps);
  _exit(status != RECORDING_OK);
}

static void remove_part(unsigned number) {
  char path[RECORDING_PATH_MAX], core[RECORDING_PATH_MAX];
  const char *wanted = state.wanted.core;
  name_dump(number, path);
  recording_remove(path, NULL);
  if (wanted && *wanted && core_file_name(path, wanted, number, core)) unlink(core);
}

/* Up to the last segment, which is left out, or all there is (NULL). By a process of its own, so that the program need not wait. Of older ones only so many are kept. */
static void store_part(const struct segment *last, const struct order_end *end) {
  if (state.oldest->reader) return; /* the next one, when that is done */
  state.triggered = false;
  if (state.oldest->lost || state.oldest == last) {
    fprintf(stderr,
            "reprise: nothing is stored: the logs before this moment had no room (--flight=TIME,SIZE)\n");
    return;
  }
  state.dumps++;
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) store_and_end(last, end);
  if (pid > 0) state.oldest->reader = pid;
  if (state.dumps > state.wanted.keep) remove_part(state.dumps - state.wanted.keep);
}

/* The newest segment begins with the checkpoint at which the part ends, between two chunks: as if all threads had been killed there. In parallel their own logs end
 * there. */
static void store_at_checkpoint(void) {
  const struct chunk_end killed = {.next = CHUNK_NOBODY, .reason = CHUNK_DEAD};
  struct order_end end;
  end.count = chunk_encode(&killed, end.bytes);
  store_part(state.newest, &end);
}

static bool is_empty(const struct ring *ring) {
  return atomic_load(&ring->head) == atomic_load(&ring->tail);
}

static bool rings_are_empty(const struct region *region) {
  bool empty = is_empty(&region->order);
  for (uint32_t i = 0; i < region_slots(region) && empty; i++)
    if (atomic_load(&region->slots[i].state) != SLOT_FREE) empty = is_empty(&region->slots[i].ring);
  return empty;
}

/* True if no thread runs, and all that they have logged is here: so is everything that a replay needs to come to where they are. A thread that goes on meanwhile
 * logs what its call has returned, or who has the baton now: then a ring is not empty any more. */
static bool is_idle(struct order_end *end) {
  const struct region *region = state.manager->region;
  if (!rings_are_empty(region)) return false;
  uint32_t holder = atomic_load(&region->holder);
  bool waits = !holder || (holder <= region_slots(region) && process_sleeps(region->slots[holder - 1].tid));
  end->count = record_last_chunk(state.manager, end->bytes);
  return waits && atomic_load(&region->request_state) == REQUEST_NONE && rings_are_empty(region);
}

/* A program in which all threads wait comes to no place where a checkpoint is made; and none is needed. */
static void serve_idle(void) {
  struct order_end end;
  bool chunks = !state.manager->region->directory_slots;
  if (!state.triggered || !chunks || !is_idle(&end)) return;
  state.newest->ended = now();
  store_part(NULL, &end);
}

static void look(void) {
  struct region_checkpoint *wanted = &state.manager->region->checkpoint;
  uint64_t apart = state.wanted.window / PARTS, room = state.wanted.bytes / (PARTS + 1);
  if (!state.newest) return;
  if (flight_front_is_gone()) state.manager->ends = true;
  look_after_readers(false);
  drop_old();
  state.triggered |= was_triggered();
  state.triggered |= has_triggered();
  state.triggered |= has_grown();
  bool due = (state.triggered && !state.oldest->reader) || now() - state.asked >= apart ||
             state.newest->bytes >= room;
  if (!due) return;
  if (atomic_load(&wanted->wish)) {
    tell_refusal(atomic_load(&wanted->refusal));
    serve_idle();
    return;
  }
  if (keep_has_changes(state.kept)) {
    tell_refusal(CHECKPOINT_SHARED);
    return;
  }
  atomic_store(&wanted->wish, CHECKPOINT_MAKE);
}

/* -- The region of a checkpoint ------------------------------------------------------------------------------------------------------ */

/* A ring that holds nothing. */
static void empty(struct ring *ring) {
  atomic_store(&ring->head, atomic_load(&ring->tail));
  atomic_store(&ring->waiting, 0);
  atomic_store(&ring->ended, 0);
  atomic_store(&ring->broken, 0);
}

/* In parallel: the slot's threads have completed all episodes that the log before this moment has, and it is at the beginning of the next one. */
static void settle_order(struct region *copy, uint32_t i) {
  const struct order_recorder *recorder = &copy->directory[i].recorder;
  struct rthread *slot = &copy->slots[i];
  bool lives = order_is_alive(recorder);
  atomic_store(&copy->board.slot[i].clock, recorder->logged);
  atomic_store(&copy->board.slot[i].ended, order_ends(recorder));
  atomic_store(&copy->board.slot[i].begun, order_ends(recorder) + lives);
  if (!lives) return;
  order_reader_reset(&slot->reader);
  slot->reader.begun = true;
  slot->reader.slot = (uint16_t)i;
  slot->reader.position = recorder->start;
  slot->reader.clock = recorder->logged;
  slot->replay.slot = i;
  slot->replay.last_clock = recorder->logged;
  slot->replay.last_position = recorder->start;
  slot->replay.step_known = slot->replay.step_passed = 0;
  slot->order_log.ended = 0;
  atomic_store(&copy->news[i].resident, i + 1);
}

static void settle_orders(struct region *copy) {
  uint32_t slots = atomic_load(&copy->directory_slots);
  for (uint32_t i = 0; i < slots; i++) settle_order(copy, i);
  atomic_store(&copy->board.slots, slots);
  atomic_store(&copy->output.holder, 0);
}

/* A thread that a replay goes on from: it waits for its turn. */
static void settle(struct region *copy, uint32_t i) {
  struct rthread *slot = &copy->slots[i];
  bool runs = slot->number == copy->checkpoint.moment.thread;
  copy->debug.threads[i].position = slot->ring.position;
  atomic_store(&slot->turn, runs);
  atomic_store(&slot->checkpoint.at_rest, !runs);
  atomic_store(&slot->checkpoint.forks, 0);
  atomic_store(&slot->stops.state, STOP_NONE);
  atomic_store(&slot->replay.waits_for, 0);
  atomic_store(&slot->input.unlogged, 0);
  slot->checkpoint.vessel = 0;
  slot->chunk.end = (struct chunk_end){0};
  slot->input.next_bytes = slot->input.lost = 0;
  empty(&slot->ring);
  empty(&slot->order_log.ring);
  if (runs) atomic_store(&copy->holder, i + 1);
}

/* The region as a replay finds it that begins here: no thread moves before all are there. */
static void prepare_region(struct region *copy) {
  uint32_t live = 0;
  for (uint32_t i = 0; i < region_slots(copy); i++) {
    if (atomic_load(&copy->slots[i].state) != SLOT_LIVE) {
      atomic_store(&copy->slots[i].state, SLOT_FREE);
      continue;
    }
    settle(copy, i);
    live++;
  }
  settle_orders(copy);
  empty(&copy->order);
  atomic_store(&copy->live, live);
  atomic_store(&copy->lock, 0);
  atomic_store(&copy->request_lock, 0);
  atomic_store(&copy->request_state, REQUEST_NONE);
  atomic_store(&copy->manager_sleeps, 0);
  atomic_store(&copy->births_held, 0);
  atomic_store(&copy->outcome, OUTCOME_NONE);
  copy->ending = (struct early_end){0};
  copy->killed = 0;
  atomic_store(&copy->checkpoint.wish, CHECKPOINT_NONE);
  atomic_store(&copy->checkpoint.refusal, CHECKPOINT_POSSIBLE);
  atomic_store(&copy->checkpoint.maker, 0);
  atomic_store(&copy->checkpoint.freezes, 1);
  atomic_store(&copy->checkpoint.missing, live);
}

/* Without the rings, which are empty. */
static int copy_region(void) {
  const struct manager *manager = state.manager;
  int fd = scratch_file("reprise-checkpoint", REGION_HEADER);
  if (fd < 0 || ftruncate(fd, (off_t)REGION_BYTES(manager->region->slots_most)) ||
      !mapped_copy_part(manager->lock, fd, REGION_HEADER))
    return fd >= 0 ? (close(fd), -1) : -1;
  struct region *copy = mmap(NULL, REGION_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (copy == MAP_FAILED) return close(fd), -1;
  prepare_region(copy);
  munmap(copy, REGION_HEADER);
  return fd;
}

/* The threads that made vessels have left their ids. */
static bool take_vessels(struct segment *segment) {
  struct region *region = state.manager->region;
  size_t most = region->checkpoint.processes;
  segment->vessels = calloc(most + 1, sizeof *segment->vessels);
  segment->descriptors = calloc(most + 1, sizeof *segment->descriptors);
  if (!segment->vessels || !segment->descriptors) return false;
  for (uint32_t i = 0; i < region_slots(region) && segment->count < most; i++) {
    if (atomic_load(&region->slots[i].state) != SLOT_LIVE || !region->slots[i].checkpoint.vessel) continue;
    segment->vessels[segment->count] = region->slots[i].checkpoint.vessel;
    segment->descriptors[segment->count++] = process_open(region->slots[i].checkpoint.vessel);
    region->slots[i].checkpoint.vessel = 0;
  }
  return segment->count == most;
}

/* One that can't be made is tried again when it is due. */
static int64_t checkpoint(int64_t made) {
  const struct region_checkpoint *from = &state.manager->region->checkpoint;
  state.asked = now();
  if (made) {
    struct segment none = {.region = -1};
    take_vessels(&none);
    end_vessels(&none);
    return 0;
  }
  struct segment *segment = begin_segment();
  if (!segment) return -ENOMEM;
  segment->moment =
      (struct checkpoint_moment){.position = from->moment.position, .thread = from->moment.thread};
  segment->region = copy_region();
  if (!take_vessels(segment) || segment->region < 0) return -ENOMEM;
  state.told = 0;
  if (state.triggered) store_at_checkpoint();
  drop_old();
  return 0;
}

/* -- Dumps ------------------------------------------------------------------------------------------------------------------------- */

static bool is_of_interest(int status) {
  const struct flight_options *wanted = &state.wanted;
  if (status == STATUS_NONE) return true;
  if (WIFSIGNALED(status)) return wanted->on_signal;
  uint32_t code = (uint32_t)WEXITSTATUS(status);
  return wanted->on_status && code >= wanted->least && code <= wanted->most;
}

static void note_checkpoints(void) {
  const struct region_checkpoint *made = &state.manager->region->checkpoint;
  char text[64];
  snprintf(text, sizeof text, "%u, longest stop %.3f ms", made->made, (double)made->longest / 1e6);
  recording_set(state.writer, "checkpoints", text, NULL);
}

/* The disk is full: what there is stays in memory until there is room, in a recording of its own, or until the user gives it up. */
static int store_elsewhere(int status, bool *stored, struct recording_error *error) {
  char path[RECORDING_PATH_MAX], ending[ENDING_TEXT];
  int result = RECORDING_SYSTEM;
  manager_tell_ending(status, ending);
  name_dump(++state.dumps, path);
  fprintf(
      stderr,
      "reprise: %s; the last part stays in memory until there is room for it, in %s (SIGTERM gives it up)\n",
      error->text, path);
  while (result && !manager_was_told()) {
    sleep(1);
    result = flight_store_beside(path, state.writer, state.kept, state.oldest, NULL, ending, NULL, error);
  }
  if (result) return result;
  write_core(path, state.dumps);
  *stored = false; /* not where it was to be */
  return RECORDING_OK;
}

static bool is_full(const struct recording_error *error) {
  return error->kind == RECORDING_SYSTEM && (error->number == ENOSPC || error->number == EDQUOT);
}

static int close_all(int status, bool *stored, struct recording_error *error) {
  int result = RECORDING_OK;
  bool killed = flight_front_is_gone();
  *stored = killed || is_of_interest(status);
  if (!state.oldest) return lacks_memory(error);
  if (*stored && state.oldest->lost)
    return recording_fail(error, RECORDING_MISUSE, recording_writer_path(state.writer),
                          "the logs since the last checkpoint had no room (--flight=TIME,SIZE)");
  state.newest->ended = now();
  look_after_readers(true);
  note_checkpoints();
  if (*stored) result = flight_store(state.writer, state.kept, state.oldest, NULL, error);
  if (result && is_full(error) && status != STATUS_NONE) result = store_elsewhere(status, stored, error);
  while (state.oldest) drop_oldest();
  flight_front_may_go();
  if (killed && *stored && !result)
    fprintf(stderr, "reprise: the recorder was killed; the last part is stored in %s\n",
            recording_writer_path(state.writer));
  return result;
}

const struct log_keeper *flight_keeper(const struct flight_options *options) {
  static const struct log_keeper keeper = {.begin = begin,
                                           .append = append,
                                           .end = end,
                                           .look = look,
                                           .checkpoint = checkpoint,
                                           .close = close_all};
  state.wanted = *options;
  return &keeper;
}
