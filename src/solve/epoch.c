/* epoch.c: see epoch.h. */
#include "solve/epoch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "order/told.h"
#include "solve/grow.h"

/* A thread with accesses in the epoch. */
struct part {
  const struct heard_thread *heard;
  const struct heard_access *accesses;
  uint32_t log; /* its place in struct orders */
  uint32_t first, count;
};

struct epoch {
  const struct heard *heard;
  const struct heard_epoch *words;
  const struct orders *orders;
  const struct epoch_options *options;
  struct epoch_result *result;
  struct part parts[SEARCH_THREADS];
  uint32_t counts[SEARCH_THREADS];
  unsigned part_count;
  struct search_slice slice;
  struct search_access *accesses;
  uint64_t *addresses, *initial, *final; /* of the locations, by address */
  struct search_constraint *edges;
  size_t edge_count, edge_room;
  uint32_t *order;
  size_t time_room;
  struct timespec since;
  bool times; /* slices are timed */
  uint32_t passed;
};

static bool end(struct epoch *e, enum epoch_verdict verdict) {
  e->result->verdict = verdict;
  return false;
}

/* -- The slice ---------------------------------------------------------------------------------------------------------------- */

static bool find_parts(struct epoch *e, uint32_t number) {
  uint64_t size = 0;
  for (size_t i = 0; i < e->heard->thread_count; i++) {
    const struct heard_thread *thread = &e->heard->threads[i];
    for (size_t k = 0; k < thread->span_count; k++) {
      const struct heard_span *span = &thread->spans[k];
      if (span->epoch != number || !span->count) continue;
      if (e->part_count == SEARCH_THREADS || size + span->count > INT32_MAX) return end(e, EPOCH_TOO_LARGE);
      struct part *part = &e->parts[e->part_count];
      *part = (struct part){thread, thread->accesses + span->first, orders_find(e->orders, thread->number),
                            (uint32_t)size, (uint32_t)span->count};
      if (part->log == UINT32_MAX) return end(e, EPOCH_DAMAGED);
      e->counts[e->part_count++] = part->count;
      size += span->count;
    }
  }
  e->result->accesses = (uint32_t)size;
  return true;
}

static uint64_t word_of(uint64_t address) {
  return address & ~(uint64_t)(TOLD_WORD - 1);
}

static int by_number(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static bool find_locations(struct epoch *e) {
  uint32_t size = e->result->accesses, count = 0;
  e->addresses = malloc((size + 1) * sizeof *e->addresses);
  if (!e->addresses) return end(e, EPOCH_NO_MEMORY);
  for (unsigned t = 0; t < e->part_count; t++)
    for (uint32_t i = 0; i < e->parts[t].count; i++)
      e->addresses[e->parts[t].first + i] = word_of(e->parts[t].accesses[i].address);
  qsort(e->addresses, size, sizeof *e->addresses, by_number);
  for (uint32_t i = 0; i < size; i++)
    if (!count || e->addresses[count - 1] != e->addresses[i]) e->addresses[count++] = e->addresses[i];
  e->initial = malloc(count * sizeof *e->initial);
  e->final = malloc(count * sizeof *e->final);
  if (!e->initial || !e->final) return end(e, EPOCH_NO_MEMORY);
  bool whole = true;
  for (uint32_t i = 0; i < count; i++) {
    if (!heard_find(&e->words->found, e->addresses[i], &e->initial[i])) return end(e, EPOCH_DAMAGED);
    whole &= heard_find(&e->words->left, e->addresses[i], &e->final[i]);
  }
  e->slice.locations = count;
  e->slice.initial = e->initial;
  e->slice.final = whole ? e->final : NULL;
  return true;
}

static uint32_t location_of(const struct epoch *e, uint64_t address) {
  uint64_t word = word_of(address);
  const uint64_t *found = bsearch(&word, e->addresses, e->slice.locations, sizeof *e->addresses, by_number);
  return (uint32_t)(found - e->addresses);
}

static uint8_t kind_of(const struct heard_access *access) {
  if (access->kind == TOLD_READ) return SEARCH_READ;
  return access->kind == TOLD_WRITE ? SEARCH_WRITE : SEARCH_EXCHANGE;
}

/* Nothing is known of the time of an access. That of a thread with more of them is taken to go faster. */
static uint64_t guess_time(uint32_t index, uint32_t count) {
  return ((uint64_t)index << 32) / count;
}

static bool fill_accesses(struct epoch *e) {
  e->accesses = malloc((e->result->accesses + 1) * sizeof *e->accesses);
  if (!e->accesses) return end(e, EPOCH_NO_MEMORY);
  for (unsigned t = 0; t < e->part_count; t++) {
    const struct part *part = &e->parts[t];
    for (uint32_t i = 0; i < part->count; i++) {
      const struct heard_access *access = &part->accesses[i];
      unsigned shift = 8 * (unsigned)(access->address % TOLD_WORD);
      uint64_t mask = UINT64_MAX >> (64 - 8 * access->count);
      e->accesses[part->first + i] =
          (struct search_access){.location = location_of(e, access->address),
                                 .kind = kind_of(access),
                                 .mask = mask << shift,
                                 .read = access->read << shift,
                                 .written = access->written << shift,
                                 .began = guess_time(i, part->count),
                                 .ended = UINT64_MAX,
                                 .joined = i + 1 < part->count && access->position == access[1].position};
    }
  }
  return true;
}

/* -- What the order logs say ------------------------------------------------------------------------------------------------------ */

/* Accesses of the part at lower positions. */
static uint32_t count_before(const struct part *part, uint64_t position) {
  uint32_t low = 0, high = part->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (part->accesses[middle].position < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool find_edges_to(struct epoch *e, const struct part *part) {
  uint32_t before[SEARCH_THREADS] = {0};
  const uint64_t *last = NULL;
  size_t at = 0;
  for (uint32_t i = 0; i < part->count; i++) {
    const uint64_t *known = orders_known(e->orders, part->log, part->accesses[i].position, &at);
    if (known == last) continue;
    last = known;
    for (unsigned t = 0; t < e->part_count; t++) {
      const struct part *other = &e->parts[t];
      uint32_t count = other == part ? 0 : count_before(other, known[other->log]);
      if (count <= before[t]) continue;
      before[t] = count;
      if (!GROW(e->edges, e->edge_count, e->edge_room)) return end(e, EPOCH_NO_MEMORY);
      e->edges[e->edge_count++] = (struct search_constraint){other->first + count - 1, part->first + i};
    }
  }
  return true;
}

static bool find_edges(struct epoch *e) {
  for (unsigned t = 0; t < e->part_count; t++)
    if (!find_edges_to(e, &e->parts[t])) return false;
  if (e->edge_count > UINT32_MAX) return end(e, EPOCH_TOO_LARGE);
  e->slice.edges = e->edges;
  e->slice.edge_count = (uint32_t)e->edge_count;
  return true;
}

/* -- The search ------------------------------------------------------------------------------------------------------------------- */

static void pass(void *context, uint32_t accesses, uint64_t states) {
  struct epoch *e = context;
  struct timespec now;
  (void)states;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  int64_t time = (now.tv_sec - e->since.tv_sec) * 1000000000 + now.tv_nsec - e->since.tv_nsec;
  e->since = now;
  if (!e->times) return;
  if (GROW(e->result->times, e->result->time_count, e->time_room))
    e->result->times[e->result->time_count++] = (uint64_t)time;
  if (e->options->passed) e->options->passed(e->options->context, accesses - e->passed);
  e->passed = accesses;
}

static const struct part *part_of(const struct epoch *e, uint32_t access) {
  unsigned t = 0;
  while (access - e->parts[t].first >= e->parts[t].count) t++;
  return &e->parts[t];
}

static bool keep_order(struct epoch *e) {
  uint32_t size = e->result->accesses, room = 2 * size + 64;
  struct search_constraint *constraints = NULL;
  for (;;) {
    constraints = malloc(room * sizeof *constraints);
    uint32_t count = constraints ? search_constraints(&e->slice, e->order, constraints, room) : UINT32_MAX;
    if (count == UINT32_MAX) return free(constraints), end(e, EPOCH_NO_MEMORY);
    if (count <= room) {
      e->result->edge_count = count;
      break;
    }
    free(constraints);
    room = count;
  }
  e->result->edges = malloc((e->result->edge_count + 1) * sizeof *e->result->edges);
  for (size_t i = 0; e->result->edges && i < e->result->edge_count; i++) {
    const struct part *before = part_of(e, constraints[i].before), *after = part_of(e, constraints[i].after);
    e->result->edges[i] =
        (struct order_edge){.thread = after->log,
                            .other = before->log,
                            .position = after->accesses[constraints[i].after - after->first].position,
                            .until = before->accesses[constraints[i].before - before->first].position + 1};
  }
  free(constraints);
  return e->result->edges || end(e, EPOCH_NO_MEMORY);
}

/* Which accesses must have been made out of turn. */
static void explain(struct epoch *e) {
  uint32_t overtook[SEARCH_WINDOW];
  struct search_answer answer = {.order = e->order, .overtook = overtook};
  unsigned most = e->options->reordered < SEARCH_WINDOW ? e->options->reordered : SEARCH_WINDOW;
  const struct search_options options = {.states = e->options->states, .reordered = most, .stretch = STRETCH};
  if (!most || search_explain(&e->slice, &options, &answer) != SEARCH_FOUND) return;
  e->result->overtook = malloc((answer.overtaking + 1) * sizeof *e->result->overtook);
  if (!e->result->overtook) return;
  e->result->is_explained = true;
  e->result->overtaking = answer.overtaking;
  for (unsigned i = 0; i < answer.overtaking; i++) {
    const struct part *part = part_of(e, overtook[i]);
    e->result->overtook[i] =
        (struct epoch_access){part->heard->number, part->accesses[overtook[i] - part->first]};
  }
}

static void search(struct epoch *e) {
  const struct search_options options = {
      .states = e->options->states, .stretch = STRETCH, .passed = pass, .context = e};
  struct search_answer answer = {.order = e->order};
  e->times = true;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &e->since);
  enum search_result result = search_solve(&e->slice, &options, &answer);
  if (e->result->accesses > e->passed) pass(e, e->result->accesses, answer.states);
  e->result->furthest = answer.furthest;
  switch (result) {
    case SEARCH_FOUND:
      e->result->verdict = EPOCH_SOLVED;
      keep_order(e);
      return;
    case SEARCH_NO_MEMORY:
      e->result->verdict = EPOCH_NO_MEMORY;
      return;
    case SEARCH_SENSELESS:
      e->result->verdict = EPOCH_DAMAGED;
      return;
    default:
      e->result->verdict = result == SEARCH_NONE ? EPOCH_HAS_NONE : EPOCH_GIVEN_UP;
      explain(e);
  }
}

void epoch_solve(const struct heard *heard, uint32_t number, const struct orders *orders,
                 const struct epoch_options *options, struct epoch_result *result) {
  struct epoch e = {.heard = heard,
                    .words = &heard->epochs[number],
                    .orders = orders,
                    .options = options,
                    .result = result};
  *result = (struct epoch_result){.verdict = EPOCH_SOLVED};
  bool ok = find_parts(&e, number) && find_locations(&e) && fill_accesses(&e) && find_edges(&e);
  e.slice.threads = e.part_count;
  e.slice.counts = e.counts;
  e.slice.accesses = e.accesses;
  e.order = ok ? malloc((result->accesses + 1) * sizeof *e.order) : NULL;
  if (ok && e.order)
    search(&e);
  else if (ok)
    result->verdict = EPOCH_NO_MEMORY;
  free(e.addresses);
  free(e.initial);
  free(e.final);
  free(e.accesses);
  free(e.edges);
  free(e.order);
}

void epoch_forget(struct epoch_result *result) {
  free(result->edges);
  free(result->times);
  free(result->overtook);
  *result = (struct epoch_result){0};
}
