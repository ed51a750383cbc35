/* replay.c: the manager of a replay: reads the recording's streams into the rings of the engines. */
#include "sphere/replay.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/plain.h"
#include "recording/recording.h"
#include "recording/scratch.h"
#include "recording/stream_id.h"
#include "sphere/ahead.h"
#include "sphere/manager.h"
#include "sphere/places.h"
#include "sphere/processes.h"
#include "sphere/progress.h"
#include "sphere/mapped.h"

enum { DIVERGED = 120, DAMAGED = 121, FAILED = 125 };

/* A stream on its way into a ring. */
struct source {
  struct recording_stream *stream;
  struct recording_frame frame;
  uint32_t at; /* bytes of the frame that are in the ring already */
  bool opened, ended;
};

/* Something of a log that nobody has read, though its thread, or all of them, are gone. */
struct leftover {
  bool found, of_order, of_sphere;
  uint32_t thread;
  uint64_t position; /* how far the log was read */
};

struct feed {
  struct recording_reader *reader;
  struct recording_error error;
  bool failed;
  struct source order, slots[REGION_SLOTS];
  struct source orders[REGION_SLOTS]; /* each thread's own, when they ran at once */
  bool parallel;
  struct mapped mapped;
  struct progress progress;
  uint64_t instructions, total;     /* of threads that have ended, and in the recording */
  struct thread_set threads, files; /* whose stream or content was read, and so checked */
  struct thread_set exits;          /* threads whose input logs end with an exit */
  uint32_t absent;                  /* one more than a thread of the recording that never began, 0: none */
  uint32_t
      cut_short; /* one more than a thread that ended without the exit that its log should have, 0: none */
  struct leftover leftover; /* the first that was found */
};

/* -- Rings ---------------------------------------------------------------------------------------------------------------------- */

/* Nothing in the region can be trusted: what a recording has made of the engine writes there, too. */
static void forged(struct feed *feed, const char *what) {
  if (feed->failed) return;
  feed->failed = true;
  feed->error = (struct recording_error){.kind = RECORDING_DAMAGED};
  snprintf(feed->error.text, sizeof feed->error.text,
           "%s is out of bounds: the recording has damaged the replay", what);
}

static bool open_source(struct feed *feed, struct source *source, struct recording_stream_id id) {
  *source = (struct source){.opened = true};
  if (id.thread > RECORDING_THREAD_MAX && id.thread != RECORDING_SPHERE) {
    forged(feed, "the number of a thread");
    return false;
  }
  if (id.kind == RECORDING_INPUT) thread_set_add(&feed->threads, id.thread, NULL);
  int status = recording_stream_open(feed->reader, id, &source->stream, &feed->error);
  if (status == RECORDING_ABSENT) source->stream = NULL;
  return !status || status == RECORDING_ABSENT;
}

/* Makes sure that there are bytes of a frame; false when the stream is at its end. */
static bool next_bytes(struct feed *feed, struct source *source, struct ring *ring) {
  if (source->at < source->frame.length) return true;
  if (source->ended) return false;
  int status = source->stream ? recording_next(source->stream, &source->frame, &feed->error) : RECORDING_END;
  source->at = 0;
  if (!status) return true;
  source->frame.length = 0;
  source->ended = true;
  bool complete = recording_reader_state(feed->reader) == RECORDING_COMPLETE;
  if (!complete && (status == RECORDING_TRUNCATED || !source->stream))
    atomic_store(&ring->broken, 1);
  else if (status != RECORDING_END)
    feed->failed = true;
  return false;
}

/* What the sphere did not need any more is read all the same: damage must not go unnoticed. */
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
  if (!source->opened && !open_source(feed, source, id))
    feed->failed = true;
  else
    feed_ring(manager, source, ring);
}

/* Whether something of the log is in the ring or behind it. */
static bool is_unread(struct feed *feed, struct source *source, struct ring *ring) {
  return source->opened && (ring->head != ring->tail || next_bytes(feed, source, ring));
}

/* To be asked of a slot before its sources are closed, which reads what is left. */
static void look_for_leftovers(struct feed *feed, uint32_t slot, struct rthread *rthread) {
  bool of_input = is_unread(feed, &feed->slots[slot], &rthread->ring);
  if (feed->leftover.found || (!of_input && !is_unread(feed, &feed->orders[slot], &rthread->order))) return;
  feed->leftover =
      (struct leftover){.found = true,
                        .of_order = !of_input,
                        .thread = rthread->number,
                        .position = of_input ? rthread->codec.position : rthread->order.position};
}

static void look_for_exit(struct feed *feed, const struct rthread *rthread) {
  if (thread_set_has(&feed->exits, rthread->number) && !atomic_load(&rthread->exited))
    feed->cut_short = rthread->number + 1;
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
    done += *(const volatile uint64_t *)&slot->codec.position;
    threads++;
  }
  if (feed->parallel || threads < 2)
    snprintf(details, sizeof details, " replayed");
  else
    snprintf(details, sizeof details, " replayed, %u of %u threads waiting", threads - 1, threads);
  progress_tell(&feed->progress, done, feed->total, details);
}

/* Processes that replay may not signal each other. */
static void summon(struct manager *manager, struct rthread *slot) {
  siginfo_t info = {.si_signo = SIGSYS, .si_code = SI_QUEUE, .si_value.sival_ptr = (void *)KICK_VALUE};
  pid_t pid = slot->pid, tid = slot->tid;
  if (pid > 0 && tid > 0 && process_belongs(manager, pid, tid))
    syscall(SYS_rt_tgsigqueueinfo, pid, tid, SIGSYS, &info);
}

static bool serve(struct manager *manager, bool last) {
  struct feed *feed = manager->context;
  if (last || feed->failed) return !feed->failed;
  feed_ring(manager, &feed->order, &manager->region->order);
  for (uint32_t i = 0; i < region_slots(manager->region) && !feed->failed; i++) {
    struct rthread *slot = &manager->region->slots[i];
    uint32_t state = atomic_load(&slot->state);
    if (state == SLOT_ENDED) {
      feed->instructions += slot->codec.position;
      look_for_leftovers(feed, i, slot);
      look_for_exit(feed, slot);
      close_source(feed, &feed->slots[i], &slot->ring);
      close_source(feed, &feed->orders[i], &slot->order);
      manager_free_slot(manager, slot);
    } else if (state == SLOT_LIVE) {
      if (atomic_exchange(&slot->summoned, 0)) summon(manager, slot);
      feed_stream(manager, &feed->slots[i], &slot->ring,
                  (struct recording_stream_id){RECORDING_INPUT, slot->number});
      if (feed->parallel)
        feed_stream(manager, &feed->orders[i], &slot->order,
                    (struct recording_stream_id){RECORDING_ORDER, slot->number});
    }
  }
  if (progress_is_due(&feed->progress)) tell_progress(manager);
  return !feed->failed;
}

/* -- Files ----------------------------------------------------------------------------------------------------------------------- */

static int64_t answer(struct manager *manager, enum request_kind kind, int32_t pid, int64_t value) {
  struct feed *feed = manager->context;
  (void)pid;
  if (kind == REQUEST_NEW_FILE) {
    int made = scratch_file("reprise", 0);
    bool sent = made >= 0 && manager_send_file(manager, made);
    if (made >= 0) close(made);
    return sent ? 0 : -EAGAIN;
  }
  if (kind != REQUEST_OPEN_FILE || value & ~(REQUEST_CHANGES | UINT32_MAX)) return -EINVAL;
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
  if (!open_source(feed, &source, id)) feed->failed = true;
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
static void check_rest(struct manager *manager, struct feed *feed) {
  close_source(feed, &feed->order, &manager->region->order);
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    close_source(feed, &feed->slots[i], &manager->region->slots[i].ring);
    close_source(feed, &feed->orders[i], &manager->region->slots[i].order);
  }
  if (!feed->failed && recording_each_stream(feed->reader, check_stream, feed, &feed->error))
    feed->failed = true;
  if (!feed->failed) check_files(feed);
}

/* -- The whole --------------------------------------------------------------------------------------------------------------------- */

/* How the recorded program ended, where the replay can't show it: the recording ends with the death of the sphere. */
static int recorded_status(const struct recording_reader *reader) {
  const char *text = recording_get(reader, "status", 0);
  int number;
  if (text && sscanf(text, "signal %d", &number) == 1 && number > 0 && number < 65) return number;
  if (text && sscanf(text, "exit %d", &number) == 1) return (number & 0xff) << 8;
  return 9; /* it was cut off with its manager */
}

/* What was mapped where the replay diverged is in the log. */
static void find_place(struct feed *feed, const struct early_end *ending, char *text, size_t size) {
  struct logs *logs;
  struct log_entry entry;
  struct places *places = places_new(feed->reader);
  *text = 0;
  if (places && !logs_open(feed->reader, NULL, NULL, &logs, NULL)) {
    while (!logs_next(logs, &entry, NULL) && places_follow(places, &entry))
      if (entry.thread == ending->thread && entry.position >= ending->position) break;
    logs_close(logs);
    snprintf(text, size, "%s", places_text(places, ending->thread, ending->pc));
  }
  places_free(places);
}

static int tell_divergence(struct feed *feed, const struct early_end *ending) {
  char place[256], text[513] = "";
  find_place(feed, ending, place, sizeof place);
  memcpy(text, ending->text, sizeof text - 1);
  plain_text(place);
  plain_text(text);
  fprintf(stderr, "reprise: replay diverged: thread %u at position %lu, %s%spc 0x%lx: %s\n", ending->thread,
          (unsigned long)ending->position, place, *place ? ", " : "", (unsigned long)ending->pc, text);
  return DIVERGED;
}

/* Whether it was somebody outside who ended the replay. */
static bool was_sent(int status) {
  int signo = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return signo == SIGKILL || signo == SIGTERM || signo == SIGINT || signo == SIGHUP || signo == SIGQUIT;
}

/* Looks at all logs whose threads were there until the end, and at the order of the sphere. */
static void look_for_all_leftovers(struct manager *manager, struct feed *feed) {
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    struct rthread *slot = &manager->region->slots[i];
    if (atomic_load(&slot->state) == SLOT_FREE) continue;
    look_for_leftovers(feed, i, slot);
    look_for_exit(feed, slot);
  }
  if (!feed->leftover.found && is_unread(feed, &feed->order, &manager->region->order))
    feed->leftover = (struct leftover){.found = true, .of_order = true, .of_sphere = true};
}

static void tell_leftover(const struct leftover *leftover, const char *what) {
  if (leftover->of_sphere)
    fprintf(stderr, "reprise: %s: all threads ended before the end of the order log\n", what);
  else
    fprintf(stderr, "reprise: %s: thread %u ended at position %lu, before the end of its %s log\n", what,
            leftover->thread, (unsigned long)leftover->position, leftover->of_order ? "order" : "input");
}

/* A thread that never began is no fault where one was killed that may have given birth to it, and could not log that any more. What it did is in
 * the recording, and can't be replayed. */
static bool tell_lost_birth(const struct manager *manager, const struct feed *feed) {
  uint32_t killed = manager->region->killed;
  if (!feed->absent || !killed) return false;
  fprintf(
      stderr,
      "reprise: thread %u was killed before it had logged the birth of thread %u: this is as far as can be "
      "replayed\n",
      killed - 1, feed->absent - 1);
  return true;
}

/* A log that ends without the exit that its thread made is not that of a thread that was killed. */
static bool tell_cut_short(const struct feed *feed) {
  if (feed->cut_short)
    fprintf(stderr, "reprise: the recording is damaged: the input log of thread %u ends before its exit\n",
            feed->cut_short - 1);
  return feed->cut_short;
}

/* A replay that could not go to the end of the recording does not end as if it had: it breaks off. */
static int leave_short(int status) {
  return manager_leave(WIFEXITED(status) ? SIGKILL : status);
}

/* The engines have seen nothing wrong; but one that dies of a fault of its own sees nothing any more. */
static int compare_ends(const struct manager *manager, const struct feed *feed) {
  const char *diverged = "reprise: replay diverged:";
  char is[ENDING_TEXT], was[ENDING_TEXT];
  manager_tell_ending(manager->status, is);
  manager_tell_ending(recorded_status(feed->reader), was);
  if (feed->leftover.found)
    tell_leftover(&feed->leftover, "replay diverged");
  else if (tell_lost_birth(manager, feed))
    return leave_short(manager->status);
  else if (feed->absent)
    fprintf(stderr, "%s thread %u of the recording never began\n", diverged, feed->absent - 1);
  else if (strcmp(is, was))
    fprintf(stderr, "%s the program ended with %s, in the recording with %s\n", diverged, is, was);
  else
    return tell_cut_short(feed) ? DAMAGED : manager_leave(manager->status);
  return DIVERGED;
}

/* Why an unfinished recording ends where it does; `word` is what the engines have to say, or "". */
static void tell_break(const struct recording_reader *reader, const char *word) {
  const char *reason = *word ? word : recording_get(reader, "breaks-off", 0);
  if (!reason)
    reason = recording_reader_state(reader) == RECORDING_LIVE ? "it is still being made"
                                                              : "its recorder was killed";
  fputs("reprise: the recording breaks off here: ", stderr);
  plain_write(stderr, reason);
  fputc('\n', stderr);
}

/* As any command whose output can't be written: who has closed a pipe has read enough. */
static int tell_unwritable(const struct early_end *ending) {
  if (ending->unwritable.error == EPIPE) return manager_leave(SIGPIPE);
  fprintf(stderr, "reprise: standard %s: %s\n",
          ending->unwritable.descriptor == STDOUT_FILENO ? "output" : "error",
          strerror(ending->unwritable.error));
  return FAILED;
}

/* A confined process sends no signals, not even to itself: it tells by which it should have ended. */
static void take_signal(struct manager *manager) {
  uint32_t signo = atomic_load(&manager->region->signo);
  if (WIFEXITED(manager->status) && signo > 0 && signo < 65) manager->status = (int)signo;
}

/* The order says that the sphere was killed here. In a recording that was closed nothing follows then: it would make no sense; unless the engines
 * have told what can't be replayed. */
static int end_as_killed(const struct manager *manager, const struct feed *feed, bool complete) {
  int status = recorded_status(feed->reader);
  if (!complete) return manager_leave(status);
  if (*manager->region->ending.text) return leave_short(status);
  if (feed->leftover.found)
    tell_leftover(&feed->leftover, "the recording is damaged");
  else if (feed->parallel && WIFEXITED(status))
    fputs("reprise: the recording is damaged: its first process ends by itself, and its log ends before\n",
          stderr);
  else if (tell_lost_birth(manager, feed))
    return leave_short(status);
  else if (!feed->absent && !tell_cut_short(feed))
    return manager_leave(status);
  else if (feed->absent)
    fprintf(stderr, "reprise: the recording is damaged: the order log ends before thread %u begins\n",
            feed->absent - 1);
  return DAMAGED;
}

static int finish(struct manager *manager, struct feed *feed) {
  if (manager_was_told()) return manager_leave(manager_was_told());
  take_signal(manager);
  uint32_t outcome = atomic_load(&manager->region->outcome);
  bool complete = recording_reader_state(feed->reader) == RECORDING_COMPLETE;
  /* Whether a core was dumped besides depends on where it runs. */
  bool as_recorded = !outcome && (manager->status & ~WCOREFLAG) == recorded_status(feed->reader);
  bool at_end = as_recorded || atomic_load(&manager->region->finished) || outcome == OUTCOME_LOG_ENDS;
  bool by_itself = !outcome && complete && (as_recorded || !was_sent(manager->status));
  if ((at_end || by_itself) && !feed->failed) look_for_all_leftovers(manager, feed);
  if (at_end && !feed->failed) check_rest(manager, feed);
  if (feed->failed) {
    fprintf(stderr, "reprise: %s\n", feed->error.text);
    return feed->error.kind == RECORDING_SYSTEM ? FAILED : DAMAGED;
  }
  bool breaks_off = !complete && (!outcome || outcome == OUTCOME_LOG_ENDS);
  if (breaks_off)
    tell_break(feed->reader, manager->region->ending.text);
  else if (outcome != OUTCOME_DIVERGED)
    manager_tell_reason(manager);
  switch (outcome) {
    case OUTCOME_NONE:
      return by_itself ? compare_ends(manager, feed) : manager_leave(manager->status);
    case OUTCOME_DIVERGED:
      return tell_divergence(feed, &manager->region->ending);
    case OUTCOME_DAMAGED:
      return DAMAGED;
    case OUTCOME_UNWRITABLE:
      return tell_unwritable(&manager->region->ending);
    case OUTCOME_LOG_ENDS:
      return end_as_killed(manager, feed, complete);
    default:
      return FAILED;
  }
}

static unsigned long number_of(const struct recording_reader *reader, const char *key, int base,
                               unsigned long absent) {
  const char *text = recording_get(reader, key, 0);
  return text ? strtoul(text, NULL, base) : absent;
}

/* What the program inherited when it was recorded. False if no program could have begun with it: of its arguments the kernel puts so many
 * bytes on every stack. */
static bool inherit(const struct recording_reader *reader, struct engine_config *settings) {
  enum { STACK_LEAST = 1 << 12 };
  struct rlimit limit;
  settings->ignored = number_of(reader, "signals-ignored", 16, 0);
  settings->mask = number_of(reader, "signals-blocked", 16, 0);
  if (getrlimit(RLIMIT_STACK, &limit)) return true;
  limit.rlim_cur = number_of(reader, "stack-limit", 10, limit.rlim_cur);
  if (limit.rlim_cur < STACK_LEAST) return false;
  if (limit.rlim_cur <= limit.rlim_max) setrlimit(RLIMIT_STACK, &limit);
  return true;
}

/* Only of a replay in which one thread ran at a time. */
static void tell_turns(const struct region *region) {
  fprintf(stderr, "reprise: %lu turns, digest %016lx\n", (unsigned long)atomic_load(&region->turns),
          (unsigned long)region->turns_digest);
}

/* Of a recording that breaks off nobody knows. */
static bool read_exits(struct feed *feed) {
  const char *list = recording_get(feed->reader, "exits", 0);
  uint32_t from, to;
  uint64_t next = 0; /* the list ascends, so it is not endless */
  for (int found; list && (found = thread_range_next(&list, &from, &to)) != 0;) {
    if (found < 0 || from < next || to > RECORDING_THREAD_MAX) return false;
    for (next = from; next <= to; next++)
      if (thread_set_add(&feed->exits, (uint32_t)next, &feed->error)) return false;
  }
  return true;
}

int replay(const char *path, const struct replay_options *options, struct engine_config *settings) {
  static struct feed feed;
  static struct manager manager;
  struct launch_problem problem;
  allowance_take(&manager.allowance);
  if (recording_open(path, 0, &feed.reader, &feed.error)) {
    fprintf(stderr, "reprise: %s\n", feed.error.text);
    return feed.error.kind == RECORDING_SYSTEM || feed.error.kind == RECORDING_ABSENT ? FAILED : DAMAGED;
  }
  const char *order = recording_get(feed.reader, "order", 0),
             *program = recording_get(feed.reader, "program", 0);
  if (!order && recording_reader_state(feed.reader) != RECORDING_COMPLETE) { /* it had not begun */
    tell_break(feed.reader, "");
    return manager_leave(SIGKILL);
  }
  int scheme = order ? manager_order_named(order) : -1;
  if (scheme < 0) {
    fputs("reprise: ", stderr);
    plain_write(stderr, path);
    if (recording_get(feed.reader, "substrate", 0)) {
      fputs(": recorded on the simulated machine: `reprise sim replay` repeats it\n", stderr);
    } else {
      fputs(": recorded with the order ", stderr);
      plain_write(stderr, order ? order : "?");
      fputs(", which this version can't replay\n", stderr);
    }
    return DAMAGED;
  }
  struct recording_stream_id id = {RECORDING_ORDER, RECORDING_SPHERE};
  if (!open_source(&feed, &feed.order, id)) {
    fprintf(stderr, "reprise: %s\n", feed.error.text);
    return DAMAGED;
  }
  snprintf(settings->program, sizeof settings->program, "%s", program ? program : "?");
  plain_text(settings->program); /* it is for messages alone */
  snprintf(settings->execfn, sizeof settings->execfn, "%s", settings->program);
  if (!inherit(feed.reader, settings)) {
    fprintf(stderr, "reprise: %s/manifest: damaged: no program begins with the stack-limit %s\n", path,
            recording_get(feed.reader, "stack-limit", 0));
    return DAMAGED;
  }
  if (!read_exits(&feed)) {
    fprintf(stderr, "reprise: %s/manifest: damaged: it has a bad list of exits\n", path);
    return DAMAGED;
  }
  settings->order = (uint32_t)scheme;
  feed.parallel = scheme != ENGINE_CHUNK;
  settings->mode = MODE_REPLAY;
  settings->first = 1;
  settings->program_fd = -1;
  settings->quiet = options->quiet;
  settings->confined = options->confined;
  settings->serial = options->serial && feed.parallel;
  settings->whole = recording_reader_state(feed.reader) == RECORDING_COMPLETE;
  settings->output_roles[0] = OUTPUT_ROLE(STDOUT_FILENO, STDOUT_FILENO);
  settings->output_roles[1] = OUTPUT_ROLE(STDERR_FILENO, STDERR_FILENO);
  manager.context = &feed;
  manager.serve = serve;
  manager.answer = answer;
  manager.is_replay = true;
  char *argv[] = {settings->program, NULL}, *none[] = {NULL};
  if (manager_start(&manager, settings, argv, none, 0, false, CHUNK_SIZE, &problem)) {
    fprintf(stderr, "reprise: %s\n", problem.text);
    return problem.status;
  }
  feed.mapped.ahead = ahead_begin(path);
  progress_begin(&feed.progress, options->quiet);
  feed.total = number_of(feed.reader, "instructions", 10, 0);
  feed.progress.wanted &= feed.total != 0;
  manager_run(&manager);
  progress_end(&feed.progress);
  ahead_end(feed.mapped.ahead);
  if (options->turns && (options->serial || !feed.parallel)) tell_turns(manager.region);
  return finish(&manager, &feed);
}
