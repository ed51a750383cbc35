/* solve.c: see solve.h. Epochs are searched one by one by as many threads as there are processors: nothing that happens in one of them matters to another, since
 * what was in memory when all was closed is known. */
#include "solve/solve.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "order/told.h"
#include "recording/plain.h"
#include "recording/recording.h"
#include "solve/epoch.h"
#include "sphere/progress.h"

enum { UNSOLVED = 1, DAMAGED = 121, FAILED = 125 };

struct solving {
  const char *path;
  const struct solve_options *options;
  struct epoch_sources sources;
  struct epoch_result *results; /* of each epoch */
  _Atomic uint32_t next;        /* epoch to be searched */
  _Atomic uint64_t passed;      /* accesses that have their places */
  _Atomic unsigned busy;        /* threads that search */
  pthread_mutex_t lock;
  pthread_cond_t over; /* one of them is done */
};

static int complain_recording(const struct recording_error *error) {
  fprintf(stderr, "reprise: %s\n", error->text);
  bool own = error->kind == RECORDING_SYSTEM || error->kind == RECORDING_ABSENT ||
             error->kind == RECORDING_MISUSE || error->kind == RECORDING_BUSY;
  return own ? FAILED : DAMAGED;
}

static int complain_path(const char *path, int status, const char *what) {
  fputs("reprise: ", stderr);
  plain_write(stderr, path);
  fprintf(stderr, ": %s\n", what);
  return status;
}

/* -- Searching ------------------------------------------------------------------------------------------------------------------ */

static void pass(void *context, uint32_t accesses) {
  struct solving *s = context;
  atomic_fetch_add(&s->passed, accesses);
}

static void *search(void *context) {
  struct solving *s = context;
  const struct epoch_options options = {.patience = s->options->patience, .passed = pass, .context = s};
  for (uint32_t epoch; (epoch = atomic_fetch_add(&s->next, 1)) < s->sources.heard.epoch_count;)
    epoch_solve(&s->sources, epoch, &options, &s->results[epoch]);
  pthread_mutex_lock(&s->lock);
  atomic_fetch_sub(&s->busy, 1);
  pthread_cond_signal(&s->over);
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static double seconds_since(const struct timespec *then) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) * 1e-9;
}

static void tell_progress(struct solving *s, struct progress *progress, const struct timespec *began) {
  char details[96];
  uint64_t done = atomic_load(&s->passed), total = s->sources.heard.accesses;
  double spent = seconds_since(began);
  if (!progress_is_due(progress)) return;
  snprintf(details, sizeof details, " of %" PRIu64 " accesses have their places, about %.0f s left", total,
           done ? spent * (double)(total - done) / (double)done : 0);
  progress_tell(progress, done, total, details);
}

/* Until all searches are over. */
static void watch(struct solving *s, struct progress *progress) {
  struct timespec began, until;
  clock_gettime(CLOCK_MONOTONIC, &began);
  pthread_mutex_lock(&s->lock);
  while (atomic_load(&s->busy)) {
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&s->over, &s->lock, &until);
    tell_progress(s, progress, &began);
  }
  pthread_mutex_unlock(&s->lock);
}

static int search_all(struct solving *s) {
  unsigned jobs = s->options->jobs < s->sources.heard.epoch_count ? s->options->jobs
                                                                  : (unsigned)s->sources.heard.epoch_count;
  pthread_t *threads = calloc(jobs + 1, sizeof *threads);
  s->results = calloc(s->sources.heard.epoch_count + 1, sizeof *s->results);
  if (!threads || !s->results) {
    free(threads);
    return complain_path(s->path, FAILED, strerror(ENOMEM));
  }
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->over, NULL);
  unsigned begun = 0;
  int error = 0;
  for (; begun < jobs && !error; begun += !error) {
    atomic_fetch_add(&s->busy, 1);
    error = pthread_create(&threads[begun], NULL, search, s);
    if (error) atomic_fetch_sub(&s->busy, 1);
  }
  struct progress progress;
  progress_begin(&progress, true);
  if (begun) watch(s, &progress);
  progress_end(&progress);
  for (unsigned i = 0; i < begun; i++) pthread_join(threads[i], NULL);
  free(threads);
  return begun || !jobs ? 0 : complain_path(s->path, FAILED, strerror(error));
}

/* -- What was found --------------------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static uint64_t median_time(const struct solving *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->sources.heard.epoch_count; i++) count += s->results[i].time_count;
  uint64_t *times = malloc((count + 1) * sizeof *times), median = 0;
  if (!times) return 0;
  count = 0;
  for (size_t i = 0; i < s->sources.heard.epoch_count; i++)
    for (size_t k = 0; k < s->results[i].time_count; k++) times[count++] = s->results[i].times[k];
  qsort(times, count, sizeof *times, by_number);
  if (count) median = times[count / 2];
  free(times);
  return median;
}

static void tell_exception(const struct solving *s, const struct excepted *excepted) {
  const struct order_exception *what = &excepted->what;
  printf("  thread %" PRIu32 " at position %" PRIu64 ": the %s of %u byte%s at 0x%" PRIx64
         " was made out of turn\n",
         orders_number(&s->sources.orders, excepted->thread), excepted->position,
         what->writes ? "update" : "read", what->count, what->count == 1 ? "" : "s", what->address);
}

static void tell_slice(uint32_t epoch, uint32_t slice, const struct epoch_result *result, const char *what) {
  uint64_t first = (uint64_t)slice * STRETCH + 1, last = first + STRETCH - 1;
  printf("epoch %" PRIu32 ", slice %" PRIu32 " (accesses %" PRIu64 " to %" PRIu64 "): %s\n", epoch, slice,
         first, last < result->accesses ? last : result->accesses, what);
}

/* Returns in how many slices there are exceptions. */
static size_t tell_exceptions(const struct solving *s, uint32_t epoch) {
  const struct epoch_result *result = &s->results[epoch];
  size_t slices = 0, count = result->facts.exception_count;
  for (size_t i = 0; i < count; i++) {
    if (!i || result->excepted[i] != result->excepted[i - 1]) {
      slices++;
      tell_slice(epoch, result->excepted[i], result,
                 result->has_none && slices == 1 ? "no sequentially consistent order explains the values"
                                                 : "no sequentially consistent order was found");
    }
    tell_exception(s, &result->facts.exceptions[i]);
  }
  return slices;
}

/* The status of what stops everything; 0: nothing does. */
static int find_failure(const struct solving *s) {
  for (size_t i = 0; i < s->sources.heard.epoch_count; i++) switch (s->results[i].verdict) {
      case EPOCH_NO_MEMORY:
        return complain_path(s->path, FAILED, strerror(ENOMEM));
      case EPOCH_DAMAGED:
        return complain_path(s->path, DAMAGED, "damaged: its values and its order make no sense together");
      case EPOCH_TOO_LARGE:
        return complain_path(
            s->path, FAILED,
            "so many accesses, or more than 64 threads, between two closings are not supported yet");
      default:
        break;
    }
  return 0;
}

static int tell_all(const struct solving *s) {
  size_t slices = 0, epochs = 0, unsolved = 0, edges = 0, exceptions = 0, excepted = 0;
  for (size_t i = 0; i < s->sources.heard.epoch_count; i++) {
    const struct epoch_result *result = &s->results[i];
    slices += result->time_count;
    epochs += result->accesses != 0;
    edges += result->facts.edge_count;
    exceptions += result->facts.exception_count;
    unsolved += result->verdict != EPOCH_SOLVED;
    if (result->verdict != EPOCH_SOLVED)
      tell_slice((uint32_t)i, result->furthest / STRETCH, result, "no order was found");
    else
      excepted += tell_exceptions(s, (uint32_t)i);
  }
  printf("%zu accesses in %zu epoch%s and %zu slice%s, %.3f ms for a slice (median)\n",
         s->sources.heard.accesses, epochs, epochs == 1 ? "" : "s", slices, slices == 1 ? "" : "s",
         (double)median_time(s) / 1e6);
  if (unsolved) {
    printf("%zu epoch%s without an order: the recording is replayed by its values alone\n", unsolved,
           unsolved == 1 ? "" : "s");
    return UNSOLVED;
  }
  printf("solved, with %zu constraint%s", edges, edges == 1 ? "" : "s");
  if (exceptions)
    printf(" and %zu access%s out of turn, in %zu slice%s", exceptions, exceptions == 1 ? "" : "es", excepted,
           excepted == 1 ? "" : "s");
  putchar('\n');
  return 0;
}

static bool are_solved(const struct solving *s) {
  for (size_t i = 0; i < s->sources.heard.epoch_count; i++)
    if (s->results[i].verdict != EPOCH_SOLVED) return false;
  return true;
}

/* What was found of all epochs; false without memory. */
static bool gather(const struct solving *s, struct order_facts *all) {
  for (size_t i = 0; i < s->sources.heard.epoch_count; i++) {
    all->edge_count += s->results[i].facts.edge_count;
    all->exception_count += s->results[i].facts.exception_count;
  }
  all->edges = malloc((all->edge_count + 1) * sizeof *all->edges);
  all->exceptions = malloc((all->exception_count + 1) * sizeof *all->exceptions);
  if (!all->edges || !all->exceptions) return false;
  struct order_edge *edge = all->edges;
  struct excepted *exception = all->exceptions;
  for (size_t i = 0; i < s->sources.heard.epoch_count; i++) {
    const struct order_facts *facts = &s->results[i].facts;
    for (size_t k = 0; k < facts->edge_count; k++) *edge++ = facts->edges[k];
    for (size_t k = 0; k < facts->exception_count; k++) *exception++ = facts->exceptions[k];
  }
  return true;
}

static int write_facts(struct solving *s, struct recording_reader *reader, const struct order_facts *facts) {
  struct recording_error error;
  struct recording_image *image;
  uint32_t number;
  int status = recording_solved_create(reader, &image, &error);
  if (status) return complain_recording(&error);
  status = orders_write(&s->sources.orders, facts, image, &error);
  if (status)
    recording_image_drop(image);
  else
    status = recording_image_finish(image, &number, NULL, &error);
  return status ? complain_recording(&error) : 0;
}

static int store(struct solving *s, struct recording_reader *reader) {
  struct order_facts facts = {0};
  int status =
      gather(s, &facts) ? write_facts(s, reader, &facts) : complain_path(s->path, FAILED, strerror(ENOMEM));
  free(facts.edges);
  free(facts.exceptions);
  return status;
}

/* -- The whole ---------------------------------------------------------------------------------------------------------------------- */

/* What can't be solved is told before the long replay. */
static int check(struct recording_reader *reader, const char *path) {
  struct recording_error error;
  struct recording_image *image;
  const char *order = recording_get(reader, "order", 0), *values = recording_get(reader, "values", 0);
  if (!order || recording_get(reader, "substrate", 0) || !values)
    return complain_path(path, FAILED, "recorded without --values: its order is known");
  if (strcmp(order, "dag"))
    return complain_path(path, DAMAGED, "damaged: such values are not recorded in this order");
  if (recording_reader_state(reader) != RECORDING_COMPLETE)
    return complain_path(path, FAILED, "an unfinished recording, which can't be solved yet");
  int status = recording_solved_create(reader, &image, &error);
  if (status) return complain_recording(&error);
  recording_image_drop(image);
  return 0;
}

static int solve_opened(struct solving *s, struct recording_reader *reader,
                        const struct engine_config *settings) {
  struct recording_error error;
  int status = check(reader, s->path);
  if (!status) status = hear(s->path, settings, s->options->confined, &s->sources.heard);
  if (status) return status;
  if (orders_read(reader, &s->sources.orders, &error)) return complain_recording(&error);
  if (times_read(reader, &s->sources.times, &error)) return complain_recording(&error);
  status = search_all(s);
  if (!status) status = find_failure(s);
  if (!status && are_solved(s)) status = store(s, reader);
  return status ? status : tell_all(s);
}

int solve(const char *path, const struct engine_config *settings, const struct solve_options *options) {
  static struct solving s;
  struct recording_reader *reader;
  struct recording_error error;
  s = (struct solving){.path = path, .options = options};
  if (recording_open(path, 0, &reader, &error)) return complain_recording(&error);
  int status = solve_opened(&s, reader, settings);
  for (size_t i = 0; s.results && i < s.sources.heard.epoch_count; i++) epoch_forget(&s.results[i]);
  free(s.results);
  hear_forget(&s.sources.heard);
  orders_drop(&s.sources.orders);
  times_drop(&s.sources.times);
  recording_reader_close(reader);
  return status;
}
