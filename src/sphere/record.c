/* record.c: the manager of a recording: takes the engines' logs out of their rings and appends them to the recording. */
#include "sphere/record.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "contract/schemes.h"
#include "recording/recording.h"
#include "recording/stream_id.h"
#include "sphere/core_file.h"
#include "sphere/kept_files.h"
#include "sphere/manager.h"
#include "sphere/processes.h"
#include "sphere/replica.h"

enum { UNSUPPORTED = 122, FAILED = 125 };

/* All that was logged is on its way to the disk after so many milliseconds, with those that the manager sleeps less than 100: a recorder that is killed loses no
 * more. Should there be very many threads, no more than one part in so many of the manager's time goes into this, as long as that keeps the promise. */
enum { FLUSH_MS = 40, FLUSH_MS_MOST = 60, FLUSH_SHARE = 4, FLUSH_BYTES = 1 << 20 };

/* Each thread has files of its own, which take long to make compared to the life of a short process. When a round through those that have ended takes
 * longer than this, births wait until the manager has caught up: the logs of live threads can be replayed only with those of the
 * dead. */
enum { ROUND_MS_MOST = 20 };

/* Bytes of the list of threads that were killed: a program may have any number of them, and their logs are looked at as closely as others without it. */
enum { KILLED_TEXT = 1 << 14 };

struct drain {
  struct recording_writer *writer;
  const struct log_keeper *keeper; /* or NULL: all goes to the writer */
  struct recording_error error;
  bool failed;
  int64_t flush_due;      /* when all rings are to be emptied again, and the order log marked; nanoseconds */
  uint64_t since_flushed; /* bytes */
  uint64_t instructions;  /* of the threads that have ended */
  struct thread_set exited; /* … those of them that were not killed */
  char killed[KILLED_TEXT]; /* the others, as the manifest lists them */
  struct timespec begun;
  struct {
    uint32_t thread;
    uint64_t position;
  } marked; /* in the order log, last */
  struct {
    uint64_t position; /* of the last frame's end */
    bool begun;        /* it has a stream */
  } streams[REGION_RINGS];
  struct keep kept;
  struct replica replica;
  struct {
    int64_t length;      /* nanoseconds, 0: there are none */
    int64_t due, called; /* when the current one ends, and when threads were last called to its end */
  } epoch;
  uint32_t order;                  /* enum engine_order */
  char latest[RECORDING_PATH_MAX]; /* the default place's, when ours is there; or "" */
  uint8_t buffer[RECORDING_FRAME_USUAL];
};

/* How far a recording goes. */
struct extent {
  double seconds;
  uint64_t instructions; /* of all threads */
};

/* -- Rings -------------------------------------------------------------------------------------------------------------------- */

static void copy_out(const uint8_t *ring, uint64_t from, uint8_t *to, size_t count) {
  size_t at = from % RING_BYTES, first = count < RING_BYTES - at ? count : RING_BYTES - at;
  memcpy(to, ring + at, first);
  memcpy(to + first, ring, count - first);
}

static void copy_to_ring(uint8_t *ring, uint64_t to, const uint8_t *from, size_t count) {
  for (size_t i = 0; i < count; i++) ring[(to + i) % RING_BYTES] = from[i];
}

static int store(struct drain *drain, struct recording_stream_id id, uint64_t first, uint64_t last,
                 const void *bytes, size_t count) {
  if (drain->keeper) return drain->keeper->append(id, first, last, bytes, count, &drain->error);
  return recording_append(drain->writer, id, first, last, bytes, count, &drain->error);
}

static int store_end(struct drain *drain, struct recording_stream_id id) {
  return drain->keeper ? drain->keeper->end(id, &drain->error)
                       : recording_end(drain->writer, id, &drain->error);
}

/* Appends what is in a ring up to there, in frames of the usual size; a smaller rest only if all is wanted. */
static bool drain_ring(struct manager *manager, struct ring *ring, uint64_t end,
                       struct recording_stream_id id, bool all) {
  struct drain *drain = manager->context;
  uint32_t index = region_ring_index(manager->region, ring);
  for (;;) {
    uint64_t tail = atomic_load(&ring->tail), available = end - tail;
    if (available > RING_BYTES)
      return true; /* no ring holds so much: somebody has written there who should not */
    /* Written before the bytes, so it is not below the position of any of them. */
    uint64_t last = atomic_load(&ring->position);
    size_t count = available < sizeof drain->buffer ? (size_t)available : sizeof drain->buffer;
    if (!count || (count < sizeof drain->buffer && !all)) return true;
    copy_out(manager_ring(manager, ring), tail, drain->buffer, count);
    uint64_t first = drain->streams[index].position;
    if (last < first) last = first;
    if (store(drain, id, first, last, drain->buffer, count)) return false;
    drain->streams[index].position = last;
    drain->streams[index].begun = true;
    drain->since_flushed += count;
    atomic_store(&ring->tail, tail + count);
    manager_moved(manager, ring);
  }
}

static bool drain_stream(struct manager *manager, struct ring *ring, uint64_t end,
                         struct recording_stream_id id, bool all, bool ended) {
  struct drain *drain = manager->context;
  uint32_t index = region_ring_index(manager->region, ring);
  if (!drain_ring(manager, ring, end, id, all)) return false;
  if (!ended) return true;
  if (drain->streams[index].begun && store_end(drain, id)) return false;
  memset(&drain->streams[index], 0, sizeof drain->streams[index]);
  return true;
}

static bool is_frame(const struct ring *ring, uint64_t end) {
  return end - atomic_load(&ring->tail) >= RECORDING_FRAME_USUAL;
}

/* How long the log of a killed thread is, which has no end that could be missed. */
static void note_killed(struct drain *drain, const struct rthread *slot) {
  size_t used = strlen(drain->killed);
  char text[48];
  int length = snprintf(text, sizeof text, "%s%u:%" PRIu64, used ? "," : "", slot->number,
                        atomic_load(&slot->ring.head));
  if (used + (size_t)length < sizeof drain->killed) memcpy(drain->killed + used, text, (size_t)length + 1);
}

/* The manifest tells whose log ends with an exit: one that does not would else look like that of a thread that was killed. */
static bool note_exit(struct drain *drain, const struct rthread *slot) {
  if (slot->number > RECORDING_THREAD_MAX) return true;
  if (atomic_load(&slot->input.exited)) return !thread_set_add(&drain->exited, slot->number, &drain->error);
  if (atomic_load(&slot->ring.head))
    note_killed(drain, slot); /* else its birth has failed, and the number is given again */
  return true;
}

static bool list_exits(struct manager *manager) {
  struct drain *drain = manager->context;
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    const struct rthread *slot = &manager->region->slots[i];
    if (atomic_load(&slot->state) != SLOT_FREE && !note_exit(drain, slot)) return false;
  }
  char *text = thread_set_text(&drain->exited);
  bool listed = text && (!*text || !recording_set(drain->writer, "exits", text, &drain->error));
  free(text);
  /* A keeper's recording has the later part of the logs. */
  if (listed && *drain->killed && !drain->keeper)
    listed = !recording_set(drain->writer, "killed", drain->killed, &drain->error);
  return listed;
}

/* A thread's order is not stored before all its input up to there, should the manager be killed in between: otherwise the thread would run
 * on in replay where a signal, say, is lost. */
static bool drain_slot(struct manager *manager, uint32_t i, bool all) {
  struct rthread *slot = &manager->region->slots[i];
  uint32_t state = atomic_load(&slot->state);
  bool ended = state == SLOT_ENDED;
  uint64_t ordered = atomic_load(&slot->order_log.ring.head);
  struct recording_stream_id input = {RECORDING_INPUT, slot->number}, order = {RECORDING_ORDER, slot->number};
  if (state == SLOT_FREE) return true;
  all = all || ended || is_frame(&slot->order_log.ring, ordered);
  if (!drain_stream(manager, &slot->ring, atomic_load(&slot->ring.head), input, all, ended)) return false;
  if (!drain_stream(manager, &slot->order_log.ring, ordered, order, all, ended)) return false;
  if (ended) {
    struct drain *drain = manager->context;
    drain->instructions += atomic_load(&slot->ring.position);
    if (!note_exit(drain, slot)) return false;
    manager_free_slot(manager, slot);
  }
  return true;
}

size_t record_last_chunk(const struct manager *manager, uint8_t buffer[CHUNK_END_LARGEST]) {
  const struct region *region = manager->region;
  if (!region->open_chunk || region->open_chunk > REGION_SLOTS) return 0;
  const struct rthread *slot = &region->slots[region->open_chunk - 1];
  struct chunk_end end = region->open_end;
  if (region->holder == region->open_chunk && slot->number == region->open_number)
    end = (struct chunk_end){.length = slot->ring.position - slot->chunk.start, .reason = CHUNK_DEAD};
  end.next = CHUNK_NOBODY;
  return chunk_encode(&end, buffer);
}

/* The sphere was killed in the middle of a chunk: how far it came, as far as is known. */
static bool note_last_chunk(struct manager *manager) {
  struct drain *drain = manager->context;
  uint8_t buffer[CHUNK_END_LARGEST];
  size_t count = record_last_chunk(manager, buffer);
  struct recording_stream_id id = {RECORDING_ORDER, RECORDING_SPHERE};
  return !count || !store(drain, id, drain->streams[0].position, drain->streams[0].position, buffer, count);
}

/* Leaves a mark in the order log how far the running chunk has come, should the manager be killed before it ends. Input
 * beyond the mark may be of other chunks, and can't be replayed. Only now and then, if the lock is free. */
static void mark_progress(struct manager *manager) {
  struct drain *drain = manager->context;
  struct region *region = manager->region;
  if (!manager_try_lock(manager)) return;
  uint32_t holder = atomic_load(&region->holder);
  if (holder && holder <= REGION_SLOTS && holder == region->open_chunk &&
      region->slots[holder - 1].number == region->open_number) {
    const struct rthread *slot = &region->slots[holder - 1];
    uint64_t position = atomic_load(&slot->ring.position);
    struct chunk_end mark = {
        .length = position - slot->chunk.start, .next = slot->number, .reason = CHUNK_DEAD};
    uint8_t buffer[CHUNK_END_LARGEST];
    size_t count = chunk_encode(&mark, buffer);
    uint64_t head = atomic_load(&region->order.head);
    bool known = drain->marked.thread == slot->number && drain->marked.position == position;
    if (!known && RING_BYTES - (head - atomic_load(&region->order.tail)) >= count) {
      copy_to_ring(manager_ring(manager, &region->order), head, buffer, count);
      atomic_store(&region->order.head, head + count);
      drain->marked.thread = slot->number;
      drain->marked.position = position;
    }
  }
  manager_unlock(manager);
}

static struct manager *closing;

static void append_order(const struct order *order, unsigned slot, const uint8_t *bytes, size_t count) {
  (void)order;
  struct drain *drain = closing->context;
  struct rthread *rthread = &closing->region->slots[slot];
  uint32_t index = region_ring_index(closing->region, &rthread->order_log.ring);
  uint64_t first = drain->streams[index].position, last = closing->region->directory[slot].recorder.position;
  struct recording_stream_id id = {RECORDING_ORDER, rthread->number};
  if (last < first) last = first;
  drain->streams[index].position = last;
  drain->failed |= store(drain, id, first, last, bytes, count) != 0;
}

/* Threads that were killed: their last episodes end where they were seen last. */
static void close_orders(struct manager *manager) {
  struct drain *drain = manager->context;
  struct region *region = manager->region;
  struct order order = {.scheme = engine_scheme(drain->order), .log = append_order};
  if (!order.scheme) return;
  closing = manager;
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct order_recorder *recorder = &region->directory[i].recorder;
    const struct rthread *rthread = &region->slots[i];
    if (rthread->state != SLOT_LIVE || !order_is_alive(recorder)) continue;
    uint64_t position = rthread->ring.position + rthread->ticks;
    bool logged = recorder->log_start && rthread->order_log.ring.head >= recorder->log_start;
    order_recover(order.scheme, recorder, logged);
    if (recorder->position < position) recorder->position = position;
    order.scheme->exit(&order, recorder);
  }
}

static int64_t read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool flush_is_due(const struct drain *drain) {
  return read_clock(CLOCK_MONOTONIC) >= drain->flush_due || drain->since_flushed >= FLUSH_BYTES;
}

/* Live threads, which have their files already, come first; then those that have ended. A thread born meanwhile is left to the next round, or a program that forks
 * faster than files are made would keep the manager from ever coming back to the first process. A round that is not to take all
 * ends when it is time for one that is. */
static bool drain_slots(struct manager *manager, bool all) {
  struct region *region = manager->region;
  uint32_t born = region->threads, slots = region_slots(region);
  int64_t patience = read_clock(CLOCK_MONOTONIC) + (int64_t)ROUND_MS_MOST * 1000000;
  for (uint32_t i = 0; i < slots; i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && !drain_slot(manager, i, all)) return false;
  for (uint32_t i = 0; i < slots; i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) != SLOT_ENDED || slot->number >= born) continue;
    if (!drain_slot(manager, i, all)) return false;
    if (read_clock(CLOCK_MONOTONIC) > patience) manager_hold_births(manager, true);
    if (!all && flush_is_due(manager->context)) return true;
  }
  manager_hold_births(manager, read_clock(CLOCK_MONOTONIC) > patience);
  return true;
}

static bool drain_order(struct manager *manager, uint64_t end, bool all) {
  struct recording_stream_id id = {RECORDING_ORDER, RECORDING_SPHERE};
  return drain_ring(manager, &manager->region->order, end, id, all);
}

/* The disk is full and the sphere has been ended. Logs can be replayed only as far as their order is known, so the
 * reserve is first for the order, the rest for as much input as fits. The failure that is reported stays the first one. */
static void break_off(struct manager *manager) {
  struct drain *drain = manager->context;
  struct region *region = manager->region;
  struct recording_error first = drain->error;
  recording_use_reserve(drain->writer);
  bool fine = drain_order(manager, region->order.head, true) && note_last_chunk(manager);
  for (uint32_t i = 0; fine && i < region_slots(region); i++) {
    struct rthread *slot = &region->slots[i];
    struct recording_stream_id id = {RECORDING_ORDER, slot->number};
    if (atomic_load(&slot->state) != SLOT_FREE)
      fine = drain_ring(manager, &slot->order_log.ring, slot->order_log.ring.head, id, true);
  }
  if (fine) close_orders(manager);
  if (fine) drain_slots(manager, true);
  drain->failed = true;
  drain->error = first;
}

/* begun: when this one did; spent: nanoseconds of processor time that it took. */
static void plan_flush(struct drain *drain, int64_t begun, int64_t spent) {
  int64_t least = (int64_t)FLUSH_MS * 1000000, most = (int64_t)FLUSH_MS_MOST * 1000000;
  int64_t fair = spent * FLUSH_SHARE, pause = fair > least ? fair : least;
  drain->flush_due = begun + (pause < most ? pause : most);
  drain->since_flushed = 0;
}

/* Ends an epoch when it is time (engine/turns/epochs.h), and calls the threads that compute and have not come to its end. One that sleeps in the kernel comes by itself, later. */
static void look_at_epochs(struct manager *manager) {
  enum { CALLED_NS = 5000000 };
  struct drain *drain = manager->context;
  struct region *region = manager->region;
  int64_t now = read_clock(CLOCK_MONOTONIC);
  if (!drain->epoch.length || now - drain->epoch.called < CALLED_NS) return;
  drain->epoch.called = now;
  if (!drain->epoch.due) drain->epoch.due = now + drain->epoch.length;
  if (now >= drain->epoch.due) {
    atomic_fetch_add(&region->epochs.last, 1);
    drain->epoch.due = now + drain->epoch.length;
  }
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    bool behind = atomic_load(&slot->state) == SLOT_LIVE &&
                  atomic_load(&slot->epoch) != atomic_load(&region->epochs.last);
    if (behind && atomic_load(&region->directory[i].state) != DIRECTORY_PARKED && !process_sleeps(slot->tid))
      process_summon(manager, slot);
  }
}

static bool serve(struct manager *manager, bool last) {
  struct drain *drain = manager->context;
  if (drain->failed && last) break_off(manager);
  if (drain->failed) return false;
  int64_t begun = read_clock(CLOCK_MONOTONIC), spent = read_clock(CLOCK_THREAD_CPUTIME_ID);
  bool flush = last || flush_is_due(drain);
  if (flush && !last) mark_progress(manager);
  uint64_t ordered = atomic_load(&manager->region->order.head);
  bool all = flush || is_frame(&manager->region->order, ordered);
  drain->failed = !drain_slots(manager, all) || !drain_order(manager, ordered, all);
  if (flush) plan_flush(drain, begun, read_clock(CLOCK_THREAD_CPUTIME_ID) - spent);
  if (!drain->failed && !flush && flush_is_due(drain)) return serve(manager, last);
  if (last && !drain->failed) drain->failed = !note_last_chunk(manager);
  if (last && !drain->failed) close_orders(manager);
  if (!last && drain->keeper) drain->keeper->look();
  if (!last && !drain->failed) look_at_epochs(manager);
  return !drain->failed;
}

/* -- Files ------------------------------------------------------------------------------------------------------------------------ */

/* The thread that asks has the baton, and waits: all logs are taken up to this moment. */
static int64_t take_checkpoint(struct manager *manager, int64_t made) {
  struct drain *drain = manager->context;
  uint64_t ordered = atomic_load(&manager->region->order.head);
  atomic_store(&manager->region->checkpoint.wish, CHECKPOINT_NONE);
  if (!drain_slots(manager, true) || !drain_order(manager, ordered, true)) return -EIO;
  return drain->keeper->checkpoint(made);
}

static int64_t answer(struct manager *manager, enum request_kind kind, int32_t pid, int64_t value) {
  struct drain *drain = manager->context;
  int64_t result = -EINVAL;
  if (kind == REQUEST_KEEP_FILE)
    result = keep_file(&drain->kept, drain->writer, pid, (int)value, value & REQUEST_CHANGES, &drain->error);
  else if (kind == REQUEST_FILE_CHANGES)
    result = keep_changes(&drain->kept, drain->writer, (uint32_t)value, &drain->error);
  else if (kind == REQUEST_CHECKPOINT && drain->keeper)
    result = take_checkpoint(manager, value);
  if (result == -EIO) drain->failed = true;
  return result;
}

/* -- The whole ---------------------------------------------------------------------------------------------------------------------- */

static int describe(struct recording_writer *writer, const struct record_options *options,
                    const struct engine_config *settings, char **argv, struct recording_error *error) {
  char text[RECORDING_PATH_MAX];
  int status = recording_set(writer, "program", settings->program, error);
  for (; *argv && !status; argv++) status = recording_add(writer, "argument", *argv, error);
  if (!status && getcwd(text, sizeof text)) status = recording_set(writer, "directory", text, error);
  if (!status) status = recording_set(writer, "order", manager_order_name(settings->order), error);
  if (!status && options->values)
    status = recording_set(writer, "values", manager_values_name(options->values), error);
  snprintf(text, sizeof text, "%lu", (unsigned long)options->seed);
  if (!status && options->chaos) status = recording_set(writer, "chaos", text, error);
  snprintf(text, sizeof text, "%" PRIu32, options->epoch);
  if (!status && options->epoch) status = recording_set(writer, "epoch", text, error);
  return status ? status : recording_save(writer, error);
}

/* Stores all that the program inherits besides its arguments, and can see. */
static int describe_inherited(struct recording_writer *writer, const struct allowance *own,
                              struct recording_error *error) {
  char text[64];
  unsigned long ignored = 0, blocked = 0;
  sigset_t mask;
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  sigprocmask(SIG_BLOCK, NULL, &mask);
  for (int signo = 1; signo <= 64; signo++) {
    uintptr_t action[8] = {
        0}; /* as the kernel has it, the handler first: the C library hides two signals, which may be ignored, too */
    syscall(SYS_rt_sigaction, signo, NULL, action, sizeof(uint64_t));
    if (signo == SIGXFSZ) action[0] = (uintptr_t)own->too_large.sa_handler;
    if (action[0] == (uintptr_t)SIG_IGN) ignored |= 1UL << (signo - 1);
    if (sigismember(&mask, signo) == 1) blocked |= 1UL << (signo - 1);
  }
  getrlimit(RLIMIT_STACK, &limit);
  snprintf(text, sizeof text, "%lx", ignored);
  int status = recording_set(writer, "signals-ignored", text, error);
  snprintf(text, sizeof text, "%lx", blocked);
  if (!status) status = recording_set(writer, "signals-blocked", text, error);
  snprintf(text, sizeof text, "%lu", (unsigned long)limit.rlim_cur);
  return status ? status : recording_set(writer, "stack-limit", text, error);
}

static int complain(const struct recording_error *error) {
  fprintf(stderr, "reprise: %s\n", error->text);
  return FAILED;
}

/* Removes the recording; `latest` points again where it did before. */
static void remove_again(const struct drain *drain, const char *path) {
  recording_remove(path, NULL);
  if (drain->latest[0]) recording_set_latest(drain->latest);
}

/* How far the recording goes: for its manifest, and for the user. */
static void measure(struct manager *manager, struct drain *drain, struct extent *extent) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  extent->seconds =
      (double)(now.tv_sec - drain->begun.tv_sec) + (double)(now.tv_nsec - drain->begun.tv_nsec) / 1e9;
  extent->instructions = drain->instructions;
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    const struct rthread *slot = &manager->region->slots[i];
    if (atomic_load(&slot->state) != SLOT_FREE) extent->instructions += atomic_load(&slot->ring.position);
  }
}

/* Stores the counts of an audit (engine/order/audit.h), its blind spots included. */
static void note_audit(struct manager *manager, struct drain *drain) {
  static const char *const names[AUDIT_KINDS] = {
      [AUDIT_LOOKED] = "memory",
      [AUDIT_COPIES] = "copies",
      [AUDIT_EXECUTED] = "executed",
      [AUDIT_INHERITING] = "inheriting",
      [AUDIT_FILTERS] = "filters",
      [AUDIT_LENT] = "lent",
      [AUDIT_PARALLEL] = "parallel",
      [AUDIT_TURNS] = "turns",
      [AUDIT_INTERRUPTED] = "interrupted",
      [AUDIT_REPEATED] = "repeated",
      [AUDIT_UNREADABLE] = "unreadable",
      [AUDIT_MEMORY_FILE] = "memory-file",
      [AUDIT_LARGE] = "large",
  };
  for (unsigned kind = 0; kind < AUDIT_KINDS; kind++) {
    char text[ENDING_TEXT];
    uint64_t calls = atomic_load(&manager->region->audit[kind]);
    snprintf(text, sizeof text, "%" PRIu64 " %s", calls, names[kind]);
    if (calls) recording_add(drain->writer, "audit", text, NULL);
  }
}

static void note_extent(struct drain *drain, const struct extent *extent) {
  char text[ENDING_TEXT];
  snprintf(text, sizeof text, "%.3f", extent->seconds);
  recording_set(drain->writer, "duration", text, NULL);
  snprintf(text, sizeof text, "%" PRIu64, extent->instructions);
  recording_set(drain->writer, "instructions", text, NULL);
}

/* The recording can't go on: what there is stays, and says why it breaks off. On a full disk the manifest stays as it was. */
static int leave_unfinished(struct drain *drain, const struct extent *extent, const char *reason,
                            int status) {
  replica_drop(&drain->replica);
  if (!*reason) reason = "the recorder failed";
  recording_use_reserve(drain->writer);
  note_extent(drain, extent);
  if (!recording_set(drain->writer, "breaks-off", reason, NULL)) recording_save(drain->writer, NULL);
  fprintf(stderr, "reprise: %s; recorded until then, %.3f s and %" PRIu64 " instructions, in %s\n", reason,
          extent->seconds, extent->instructions, recording_writer_path(drain->writer));
  recording_abandon(drain->writer);
  return status;
}

/* If standard error is a terminal, a user reads it and wants to know. */
static void tell_place(const char *path, const char *core) {
  if (!isatty(STDERR_FILENO)) return;
  fprintf(stderr, "reprise: recorded in %s%s%s\n", path, core ? ", with the core file " : "",
          core ? core : "");
}

/* What the keeper has stored of the logs is the recording. The failure that is reported stays the first one. */
static bool take_over(struct drain *drain, int status) {
  struct recording_error error;
  bool wanted = true;
  if (drain->failed) status = STATUS_NONE;
  if (drain->keeper->close(status, &wanted, &error) && !drain->failed) {
    drain->failed = true;
    drain->error = error;
  }
  return wanted;
}

/* What becomes of the replica is for the manifest, too. If that can't be written once more, the user has read it. */
static int close_recording(struct drain *drain, const struct extent *extent, bool empty, bool quiet) {
  char text[REPLICA_TEXT];
  int status = recording_complete(drain->writer, &drain->error);
  if (!status && !empty && drain->replica.keeper) {
    replica_end(&drain->replica, extent->instructions, quiet, text);
    recording_set(drain->writer, "replica", text, NULL);
    recording_save(drain->writer, NULL);
  }
  replica_drop(&drain->replica);
  recording_abandon(drain->writer);
  return status;
}

static int finish(struct manager *manager, struct drain *drain, const struct record_options *options) {
  char text[ENDING_TEXT], path[RECORDING_PATH_MAX], core[RECORDING_PATH_MAX];
  uint32_t outcome = manager->region->outcome;
  struct extent extent;
  snprintf(path, sizeof path, "%s", recording_writer_path(drain->writer));
  int status = manager->status;
  bool empty = !manager->region->threads; /* nothing that could be replayed */
  measure(manager, drain, &extent);
  bool wanted = !empty;
  if (drain->keeper && !empty) wanted = take_over(drain, outcome ? STATUS_NONE : status);
  if (drain->failed) return leave_unfinished(drain, &extent, drain->error.text, FAILED);
  keep_end(&drain->kept, drain->writer);
  if (outcome && !empty)
    return leave_unfinished(drain, &extent, manager->region->ending.text,
                            outcome == OUTCOME_UNSUPPORTED ? UNSUPPORTED : FAILED);
  manager_tell_ending(status, text);
  recording_set(drain->writer, "status", text, NULL);
  note_extent(drain, &extent);
  note_audit(manager, drain);
  if (!list_exits(manager)) return leave_unfinished(drain, &extent, drain->error.text, FAILED);
  if (close_recording(drain, &extent, empty, options->quiet)) return complain(&drain->error);
  if (!wanted) remove_again(drain, path);
  if (outcome) manager_tell_reason(manager);
  if (outcome) return outcome == OUTCOME_UNSUPPORTED ? UNSUPPORTED : FAILED;
  bool has_core =
      wanted && (drain->keeper || WIFSIGNALED(status)) && core_file_write(path, options->core, 0, core);
  if (wanted && !options->quiet) tell_place(path, has_core ? core : NULL);
  return manager_leave(status);
}

/* There is nothing in it yet. */
static void discard(struct drain *drain) {
  char path[RECORDING_PATH_MAX];
  snprintf(path, sizeof path, "%s", recording_writer_path(drain->writer));
  replica_drop(&drain->replica);
  recording_abandon(drain->writer);
  remove_again(drain, path);
}

int record(const struct record_options *options, struct engine_config *settings, char **argv) {
  static struct drain drain;
  static struct manager manager;
  struct launch_problem problem;
  settings->order = options->order;
  const char *name = strrchr(settings->program, '/');
  allowance_take(&manager.allowance);
  if (!options->output) recording_get_latest(drain.latest);
  int status = options->output ? recording_create(options->output, &drain.writer, &drain.error)
                               : recording_create_default(name ? name + 1 : settings->program, &drain.writer,
                                                          &drain.error);
  if (!status) status = describe_inherited(drain.writer, &manager.allowance, &drain.error);
  if (!status) status = describe(drain.writer, options, settings, argv, &drain.error);
  if (status && drain.writer) discard(&drain);
  if (status) return complain(&drain.error);
  if (options->replica &&
      !replica_begin(&drain.replica, recording_writer_path(drain.writer), &manager.allowance, settings)) {
    fprintf(stderr, "reprise: can't start the replica: %s\n", strerror(errno));
    discard(&drain);
    return FAILED;
  }
  clock_gettime(CLOCK_MONOTONIC, &drain.begun);
  manager.context = &drain;
  manager.serve = serve;
  manager.answer = answer;
  drain.order = settings->order;
  drain.keeper = options->keeper;
  drain.epoch.length = (int64_t)options->epoch * 1000000;
  settings->live = options->keeper != NULL;
  settings->mode = MODE_RECORD;
  settings->max_episode = options->max_episode;
  settings->without = options->without;
  settings->values = options->values;
  if (settings->order != ENGINE_CHUNK && settings->order != ENGINE_SYNC) settings->check = CHECK_ALL;
  settings->output_roles[0] = OUTPUT_ROLE(STDOUT_FILENO, STDOUT_FILENO);
  settings->output_roles[1] = OUTPUT_ROLE(STDERR_FILENO, STDERR_FILENO);
  settings->check_memory = options->check_memory;
  if (manager_start(&manager, settings, argv, environ, options->seed, options->chaos, options->chunk,
                    &problem)) {
    fprintf(stderr, "reprise: %s\n", problem.text);
    discard(&drain);
    return problem.status;
  }
  keep_begin();
  if (drain.keeper) drain.keeper->begin(&manager, drain.writer, &drain.kept);
  manager_run(&manager);
  return finish(&manager, &drain, options);
}
