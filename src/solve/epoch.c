/* epoch.c: see epoch.h.
 *
 * A location of the search is an **atom**: bytes of a word that each access has all of or none. So all accesses to a location cover the same bytes, and the search
 * can count who still has to read a value. An access to several atoms has several parts. */
#include "solve/epoch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contract/region.h"
#include "order/told.h"
#include "solve/grow.h"

/* A thread with accesses in the epoch. */
struct part {
  const struct heard_thread *heard;
  const struct heard_access *accesses;
  uint32_t log;          /* its place in struct orders */
  uint32_t count;        /* accesses … */
  uint32_t first, parts; /* … and their parts, in the slice */
};

struct epoch {
  const struct heard *heard;
  const struct heard_epoch *contents;
  const struct orders *orders;
  const struct times *times;
  const struct epoch_options *options;
  struct epoch_result *result;
  struct part parts[SEARCH_THREADS];
  uint32_t counts[SEARCH_THREADS];
  unsigned part_count;
  uint32_t access_count;
  struct search_slice slice;
  struct search_access *accesses;
  uint64_t *words; /* that are accessed, by address … */
  uint32_t word_count;
  uint8_t *borders;    /* … bit i: an atom begins at byte i of the word … */
  uint32_t *locations; /* … and the location of its first atom */
  uint32_t *whole;     /* of each part: the access, among those of its thread */
  uint64_t *initial, *final;
  struct search_constraint *edges;
  size_t edge_count, edge_room;
  uint32_t *order;
  uint8_t *exceptions;
  size_t time_room;
  struct timespec since;
  uint32_t passed;
};

static bool end(struct epoch *e, enum epoch_verdict verdict) {
  e->result->verdict = verdict;
  return false;
}

/* -- The slice ---------------------------------------------------------------------------------------------------------------- */

/* The accesses of a thread in the epoch; NULL if there are none. */
static const struct heard_span *find_span(const struct heard_thread *thread, uint32_t number) {
  size_t low = 0, high = thread->span_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (thread->spans[middle].epoch < number)
      low = middle + 1;
    else
      high = middle;
  }
  const struct heard_span *span = thread->spans + low;
  return low < thread->span_count && span->epoch == number && span->count ? span : NULL;
}

static bool find_parts(struct epoch *e, uint32_t number) {
  uint64_t size = 0;
  for (size_t i = 0; i < e->heard->thread_count; i++) {
    const struct heard_thread *thread = &e->heard->threads[i];
    const struct heard_span *span = find_span(thread, number);
    if (!span) continue;
    if (e->part_count == SEARCH_THREADS || size + span->count > INT32_MAX) return end(e, EPOCH_TOO_LARGE);
    struct part *part = &e->parts[e->part_count++];
    *part = (struct part){.heard = thread,
                          .accesses = thread->accesses + span->first,
                          .log = orders_find(e->orders, thread->number),
                          .count = (uint32_t)span->count};
    if (part->log == UINT32_MAX) return end(e, EPOCH_DAMAGED);
    size += span->count;
  }
  e->access_count = (uint32_t)size;
  return true;
}

static uint64_t word_of(uint64_t address) {
  return address & ~(uint64_t)(TOLD_WORD - 1);
}

static int by_number(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static bool find_words(struct epoch *e) {
  size_t count = 0;
  e->words = malloc((e->access_count + 1) * sizeof *e->words);
  if (!e->words) return end(e, EPOCH_NO_MEMORY);
  for (unsigned t = 0; t < e->part_count; t++)
    for (uint32_t i = 0; i < e->parts[t].count; i++)
      e->words[count++] = word_of(e->parts[t].accesses[i].address);
  qsort(e->words, count, sizeof *e->words, by_number);
  for (size_t i = 0; i < count; i++)
    if (!e->word_count || e->words[e->word_count - 1] != e->words[i]) e->words[e->word_count++] = e->words[i];
  return true;
}

static uint32_t index_of(const struct epoch *e, uint64_t address) {
  uint64_t word = word_of(address);
  const uint64_t *found = bsearch(&word, e->words, e->word_count, sizeof *e->words, by_number);
  return (uint32_t)(found - e->words);
}

/* The bytes from the border at `at` up to the next. */
static unsigned atom_length(uint8_t borders, unsigned at) {
  unsigned length = 1;
  while (at + length < TOLD_WORD && !(borders >> (at + length) & 1)) length++;
  return length;
}

static uint64_t mask_of(unsigned at, unsigned length) {
  return UINT64_MAX >> (64 - 8 * length) << 8 * at;
}

static void find_borders(struct epoch *e) {
  memset(e->borders, 1, e->word_count);
  for (unsigned t = 0; t < e->part_count; t++)
    for (uint32_t i = 0; i < e->parts[t].count; i++) {
      const struct heard_access *access = &e->parts[t].accesses[i];
      unsigned at = (unsigned)(access->address % TOLD_WORD);
      e->borders[index_of(e, access->address)] |= (uint8_t)(1u << at | 1u << (at + access->count));
    }
}

static bool fill_locations(struct epoch *e) {
  bool whole = true;
  uint32_t location = 0;
  for (uint32_t i = 0; i < e->word_count; i++) {
    uint64_t found, left = 0;
    if (!heard_find(&e->contents->found, e->words[i], &found)) return end(e, EPOCH_DAMAGED);
    whole &= heard_find(&e->contents->left, e->words[i], &left);
    e->locations[i] = location;
    for (unsigned at = 0, length; at < TOLD_WORD; at += length, location++) {
      length = atom_length(e->borders[i], at);
      e->initial[location] = found & mask_of(at, length);
      e->final[location] = left & mask_of(at, length);
    }
  }
  e->slice.locations = location;
  e->slice.initial = e->initial;
  e->slice.final = whole ? e->final : NULL;
  return true;
}

static bool find_locations(struct epoch *e) {
  if (!find_words(e)) return false;
  size_t most = (size_t)e->word_count * TOLD_WORD + 1;
  e->borders = malloc(e->word_count + 1);
  e->locations = malloc((e->word_count + 1) * sizeof *e->locations);
  e->initial = malloc(most * sizeof *e->initial);
  e->final = malloc(most * sizeof *e->final);
  if (!e->borders || !e->locations || !e->initial || !e->final) return end(e, EPOCH_NO_MEMORY);
  find_borders(e);
  return fill_locations(e);
}

static uint8_t kind_of(const struct heard_access *access) {
  if (access->kind == TOLD_READ) return SEARCH_READ;
  return access->kind == TOLD_WRITE ? SEARCH_WRITE : SEARCH_EXCHANGE;
}

/* Without times a thread with more accesses is taken to be faster. */
static void date(const struct epoch *e, const struct part *part, uint32_t index,
                 struct search_access *access) {
  times_find(e->times, part->heard->number, part->accesses[index].instructions, &access->began,
             &access->ended, &access->guess);
  if (!access->guess) access->guess = ((uint64_t)index << 32) / part->count;
}

/* Puts the parts of an access into the slice; returns how many there are. into: NULL: they are only counted. */
static uint32_t cut_access(const struct epoch *e, const struct heard_access *access,
                           struct search_access *into) {
  uint32_t word = index_of(e, access->address), location = e->locations[word], parts = 0;
  unsigned first = (unsigned)(access->address % TOLD_WORD), end = first + access->count;
  for (unsigned at = 0, length; at < end; at += length, location++) {
    length = atom_length(e->borders[word], at);
    if (at < first) continue;
    uint64_t mask = mask_of(at, length);
    if (into)
      into[parts] = (struct search_access){.location = location,
                                           .kind = kind_of(access),
                                           .mask = mask,
                                           .read = access->read << 8 * first & mask,
                                           .written = access->written << 8 * first & mask,
                                           .ended = UINT64_MAX,
                                           .joined = true};
    parts++;
  }
  return parts;
}

static bool count_parts(struct epoch *e) {
  uint64_t size = 0;
  for (unsigned t = 0; t < e->part_count; t++) {
    struct part *part = &e->parts[t];
    part->first = (uint32_t)size;
    for (uint32_t i = 0; i < part->count; i++) size += cut_access(e, &part->accesses[i], NULL);
    if (size > INT32_MAX) return end(e, EPOCH_TOO_LARGE);
    e->counts[t] = part->parts = (uint32_t)size - part->first;
  }
  e->result->accesses = (uint32_t)size;
  return true;
}

static bool fill_accesses(struct epoch *e) {
  if (!count_parts(e)) return false;
  e->accesses = malloc((e->result->accesses + 1) * sizeof *e->accesses);
  e->whole = malloc((e->result->accesses + 1) * sizeof *e->whole);
  if (!e->accesses || !e->whole) return end(e, EPOCH_NO_MEMORY);
  for (unsigned t = 0; t < e->part_count; t++) {
    const struct part *part = &e->parts[t];
    uint32_t at = part->first;
    for (uint32_t i = 0; i < part->count; i++) {
      const struct heard_access *access = &part->accesses[i];
      uint32_t parts = cut_access(e, access, e->accesses + at);
      for (uint32_t k = 0; k < parts; k++, at++) {
        date(e, part, i, &e->accesses[at]);
        e->whole[at] = i;
      }
      e->accesses[at - 1].joined = i + 1 < part->count && access->position == access[1].position;
    }
  }
  return true;
}

/* -- What the order logs say ------------------------------------------------------------------------------------------------------ */

static uint64_t position_of(const struct epoch *e, const struct part *part, uint32_t index) {
  return part->accesses[e->whole[part->first + index]].position;
}

/* Those of the thread at lower positions. */
static uint32_t count_before(const struct epoch *e, const struct part *part, uint64_t position) {
  uint32_t low = 0, high = part->parts;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (position_of(e, part, middle) < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool find_edges_to(struct epoch *e, const struct part *part) {
  uint32_t before[SEARCH_THREADS] = {0};
  const uint64_t *last = NULL;
  for (uint32_t i = 0; i < part->parts; i++) {
    const uint64_t *known = orders_known(e->orders, part->log, position_of(e, part, i));
    if (known == last) continue;
    last = known;
    for (unsigned t = 0; t < e->part_count; t++) {
      const struct part *other = &e->parts[t];
      uint32_t count = other == part ? 0 : count_before(e, other, known[other->log]);
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
  if (GROW(e->result->times, e->result->time_count, e->time_room))
    e->result->times[e->result->time_count++] = (uint64_t)time;
  if (e->options->passed) e->options->passed(e->options->context, accesses - e->passed);
  e->passed = accesses;
}

static const struct part *part_of(const struct epoch *e, uint32_t access) {
  unsigned t = 0;
  while (access - e->parts[t].first >= e->parts[t].parts) t++;
  return &e->parts[t];
}

struct rooms {
  size_t exceptions, slices;
};

/* In a slice of the epoch; `slice`: its number. */
static bool keep_exception(struct epoch *e, struct rooms *rooms, uint32_t slice, struct excepted exception) {
  struct order_facts *facts = &e->result->facts;
  size_t count = facts->exception_count;
  if (!GROW(e->result->excepted, count, rooms->slices) ||
      !GROW(facts->exceptions, facts->exception_count, rooms->exceptions))
    return end(e, EPOCH_NO_MEMORY);
  e->result->excepted[count] = slice;
  facts->exceptions[facts->exception_count++] = exception;
  return true;
}

/* The bytes of an atom. */
static struct order_exception describe(uint64_t word, uint64_t mask, uint64_t value, bool writes) {
  unsigned first = (unsigned)__builtin_ctzll(mask) / 8;
  return (struct order_exception){.address = word + first,
                                  .value = value >> 8 * first,
                                  .count = (uint8_t)(__builtin_popcountll(mask) / 8),
                                  .writes = writes};
}

/* What an exception reads is put into memory, and taken away again, so no other access to it may come in between. */
static bool keep_exceptions(struct epoch *e, struct rooms *rooms) {
  for (uint32_t i = 0; i < e->result->accesses; i++) {
    uint32_t index = e->order[i];
    struct search_access *access = &e->accesses[index];
    if (access->kind & SEARCH_WRITE) e->initial[access->location] = access->written;
    if (!e->exceptions[index]) continue;
    const struct part *part = part_of(e, index);
    const struct heard_access *whole = &part->accesses[e->whole[index]];
    struct excepted exception = {
        .thread = part->log,
        .position = whole->position,
        .what = describe(word_of(whole->address), access->mask, access->read, access->kind & SEARCH_WRITE)};
    if (!keep_exception(e, rooms, i / STRETCH, exception)) return false;
    access->kind = SEARCH_EXCHANGE;
  }
  return true;
}

/* Where memory is another one behind the last access, the thread that closes it puts into it what the recording has. */
static bool keep_end(struct epoch *e, struct rooms *rooms) {
  uint32_t closer = orders_find(e->orders, e->contents->closer), others = 0;
  if (!e->slice.final) return true;
  if (closer == UINT32_MAX) return end(e, EPOCH_DAMAGED);
  for (uint32_t i = 0; i < e->word_count; i++)
    for (unsigned at = 0, length, k = e->locations[i]; at < TOLD_WORD; at += length, k++) {
      length = atom_length(e->borders[i], at);
      if (e->initial[k] == e->final[k]) continue;
      if (++others > REGION_EXCEPTIONS) return end(e, EPOCH_UNSOLVED);
      struct excepted exception = {.thread = closer,
                                   .position = e->contents->closed,
                                   .what = describe(e->words[i], mask_of(at, length), e->final[k], true)};
      if (!keep_exception(e, rooms, (e->result->accesses - 1) / STRETCH, exception)) return false;
    }
  return true;
}

static bool keep_edges(struct epoch *e) {
  struct order_facts *facts = &e->result->facts;
  uint32_t room = 2 * e->result->accesses + 64, count;
  struct search_constraint *constraints;
  for (;; room = count) {
    constraints = malloc(room * sizeof *constraints);
    count = constraints ? search_constraints(&e->slice, e->order, constraints, room) : UINT32_MAX;
    if (count <= room) break;
    free(constraints);
    if (count == UINT32_MAX) return end(e, EPOCH_NO_MEMORY);
  }
  facts->edges = malloc((count + 1) * sizeof *facts->edges);
  for (uint32_t i = 0; facts->edges && i < count; i++) {
    const struct part *before = part_of(e, constraints[i].before), *after = part_of(e, constraints[i].after);
    facts->edges[facts->edge_count++] =
        (struct order_edge){.thread = after->log,
                            .other = before->log,
                            .position = position_of(e, after, constraints[i].after - after->first),
                            .until = position_of(e, before, constraints[i].before - before->first) + 1};
  }
  free(constraints);
  return facts->edges || end(e, EPOCH_NO_MEMORY);
}

/* Clocks of processors may differ by more than is known. */
static void forget_times(struct epoch *e) {
  for (uint32_t i = 0; i < e->result->accesses; i++)
    e->accesses[i].began = 0, e->accesses[i].ended = UINT64_MAX;
}

static void search(struct epoch *e) {
  const struct search_options options = {
      .patience = e->options->patience, .stretch = STRETCH, .passed = pass, .context = e};
  struct rooms rooms = {0};
  struct search_answer answer = {.order = e->order, .exceptions = e->exceptions};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &e->since);
  enum search_result result = search_solve(&e->slice, &options, &answer);
  if (result == SEARCH_NONE) {
    forget_times(e);
    result = search_solve(&e->slice, &options, &answer);
  }
  if (e->result->accesses > e->passed) pass(e, e->result->accesses, answer.states);
  e->result->furthest = answer.furthest;
  e->result->has_none = answer.has_none;
  if (result == SEARCH_NO_MEMORY)
    end(e, EPOCH_NO_MEMORY);
  else if (result == SEARCH_SENSELESS)
    end(e, EPOCH_DAMAGED);
  else if (result != SEARCH_FOUND)
    end(e, EPOCH_UNSOLVED);
  else if (keep_exceptions(e, &rooms) && keep_end(e, &rooms))
    keep_edges(e);
}

void epoch_solve(const struct epoch_sources *sources, uint32_t number, const struct epoch_options *options,
                 struct epoch_result *result) {
  struct epoch e = {.heard = &sources->heard,
                    .contents = &sources->heard.epochs[number],
                    .orders = &sources->orders,
                    .times = &sources->times,
                    .options = options,
                    .result = result};
  *result = (struct epoch_result){.verdict = EPOCH_SOLVED};
  bool ok = find_parts(&e, number) && find_locations(&e) && fill_accesses(&e) && find_edges(&e);
  e.slice.threads = e.part_count;
  e.slice.counts = e.counts;
  e.slice.accesses = e.accesses;
  e.order = ok ? malloc((result->accesses + 1) * sizeof *e.order) : NULL;
  e.exceptions = ok ? malloc(result->accesses + 1) : NULL;
  if (e.order && e.exceptions)
    search(&e);
  else if (ok)
    result->verdict = EPOCH_NO_MEMORY;
  free(e.words);
  free(e.borders);
  free(e.locations);
  free(e.whole);
  free(e.initial);
  free(e.final);
  free(e.accesses);
  free(e.edges);
  free(e.order);
  free(e.exceptions);
}

void epoch_forget(struct epoch_result *result) {
  free(result->facts.edges);
  free(result->facts.exceptions);
  free(result->excepted);
  free(result->times);
  *result = (struct epoch_result){0};
}
