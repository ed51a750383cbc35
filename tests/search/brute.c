/* brute.c: the search against brute force.
 *
 *     brute [-n SLICES] [SEED]
 *
 * Small slices of random accesses, of which some have an order that explains them and others have not, are solved by search_solve() and by
 * trying every interleaving. Both must say the same, an order that was found must explain every value, constraints must hold in
 * exactly the orders that keep all conflicts, and each mistake of search/wrong.h must be found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/search.h"
#include "search/wrong.h"

enum { THREADS = 3, MOST = 8, WORDS = 3 };

enum search_wrong search_wrong;

static uint64_t random_state;
static uint64_t next(void) { /* splitmix64 */
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* A slice and what it points to. */
static struct {
  struct search_slice slice;
  struct search_access accesses[MOST];
  uint32_t counts[THREADS];
  uint64_t initial[WORDS], final[WORDS];
  struct search_constraint edges[MOST * MOST];
} given;

static void choose_accesses(void) {
  static const uint64_t masks[] = {UINT64_MAX, UINT64_MAX, 0xffffffff, 0xffff0000, 0xff};
  bool same = next() % 3;
  unsigned values = 1 + (unsigned)(next() % 8);
  uint32_t size = search_size(&given.slice);
  for (uint32_t i = 0; i < size; i++) {
    struct search_access *access = &given.accesses[i];
    uint64_t mask = masks[same ? 0 : next() % 5], all = 0x0101010101010101;
    *access = (struct search_access){.location = (uint32_t)(next() % given.slice.locations),
                                     .kind = (uint8_t)(1 + next() % 3),
                                     .mask = mask,
                                     .guess = next() % 4,
                                     .ended = UINT64_MAX};
    if (access->kind & SEARCH_WRITE) access->written = all * (next() % values) & mask;
  }
}

static unsigned thread_of(uint32_t index) {
  unsigned t = 0;
  for (uint32_t end = given.counts[0]; index >= end; end += given.counts[++t]) continue;
  return t;
}

/* Makes the accesses in some order, each between two tickets of its thread, so that there is an order that explains them. */
static void execute(void) {
  uint64_t memory[WORDS] = {0}, ticket = 1;
  uint32_t at[THREADS] = {0}, first[THREADS + 1] = {0}, size = search_size(&given.slice), done = 0;
  uint64_t has_ticket[THREADS] = {0};
  bool in_parts = false;
  unsigned last = 0;
  for (unsigned t = 0; t < given.slice.threads; t++) first[t + 1] = first[t] + given.counts[t];
  memcpy(memory, given.initial, sizeof memory);
  while (done < size) {
    unsigned t = (unsigned)(next() % given.slice.threads);
    if (in_parts && t != last) continue;
    if (at[t] == given.counts[t]) continue;
    struct search_access *access = &given.accesses[first[t] + at[t]];
    if (!has_ticket[t]) {
      has_ticket[t] = access->began = ticket += next() % 2;
      if (at[t]) access[-1].ended = access->began;
      continue;
    }
    has_ticket[t] = 0;
    access->read = access->kind & SEARCH_READ ? memory[access->location] & access->mask : 0;
    if (access->kind & SEARCH_WRITE)
      memory[access->location] = (memory[access->location] & ~access->mask) | access->written;
    in_parts = access->joined;
    last = t;
    at[t]++;
    done++;
  }
  memcpy(given.final, memory, sizeof memory);
}

/* Two neighbours of a thread that do not touch the same bytes change places; NULL if the access has no such neighbour. */
static struct search_access *change_places(struct search_access *access) {
  struct search_access old = *access;
  uint32_t behind = (uint32_t)(access - given.accesses) + 1, border = 0;
  if (behind == search_size(&given.slice)) return NULL;
  for (unsigned t = 0; t < given.slice.threads; t++)
    if (behind == (border += given.counts[t])) return NULL;
  if (access[0].location == access[1].location && (access[0].mask & access[1].mask)) return NULL;
  access[0] = access[1];
  access[1] = old;
  return access;
}

static void forget_tickets(void) {
  for (uint32_t i = 0; i < search_size(&given.slice); i++)
    given.accesses[i].began = 0, given.accesses[i].ended = UINT64_MAX;
}

/* Some of what the tickets say. */
static void turn_into_edges(void) {
  uint32_t size = search_size(&given.slice);
  for (uint32_t a = 0; a < size; a++)
    for (uint32_t b = 0; b < size; b++)
      if (given.accesses[a].ended < given.accesses[b].began && thread_of(a) != thread_of(b) && next() % 2)
        given.edges[given.slice.edge_count++] = (struct search_constraint){a, b};
  forget_tickets();
}

static void forget_facts(void) {
  forget_tickets();
  given.slice.edge_count = 0;
  for (uint32_t i = 0; i < search_size(&given.slice); i++) given.accesses[i].joined = false;
}

/* Neighbours become parts of one instruction. */
static void join_some(void) {
  for (uint32_t i = 0; i + 1 < search_size(&given.slice); i++) {
    const struct search_access *a = &given.accesses[i], *b = a + 1;
    bool chained = (i && a[-1].joined) || b->joined;
    if (thread_of(i) == thread_of(i + 1) && a->location != b->location && !chained && !(next() % 3))
      given.accesses[i].joined = true;
  }
}

static void make_slice(void) {
  memset(&given, 0, sizeof given);
  given.slice = (struct search_slice){.threads = 2 + (unsigned)(next() % (THREADS - 1)),
                                      .counts = given.counts,
                                      .accesses = given.accesses,
                                      .locations = 1 + (uint32_t)(next() % WORDS),
                                      .initial = given.initial,
                                      .edges = given.edges,
                                      .final = next() % 2 ? given.final : NULL};
  uint32_t size = 2 + (uint32_t)(next() % (MOST - 1));
  for (uint32_t i = 0; i < size; i++) given.counts[next() % given.slice.threads]++;
  choose_accesses();
  bool joins = !(next() % 3);
  if (joins) join_some();
  struct search_access *overtaken =
      joins || next() % 3 ? NULL : change_places(&given.accesses[next() % size]);
  execute();
  if (overtaken) change_places(overtaken);
  unsigned facts = (unsigned)(next() % 4);
  if (overtaken || facts < 2) forget_tickets();
  if (!overtaken && facts == 2) turn_into_edges();
  if (joins && next() % 2) join_some(); /* these were not made together */
  if (overtaken || next() % 2) return;
  struct search_access *spoilt =
      &given.accesses[next() % size]; /* something else was read: there may be no order now */
  if (spoilt->kind & SEARCH_READ) spoilt->read = 0x0101010101010101 * (next() % 3) & spoilt->mask;
}

/* -- Brute force ------------------------------------------------------------------------------------------------------- */

static struct {
  uint32_t order[MOST], at[THREADS], first[THREADS], made;
  uint64_t orders; /* that explain all values */
} brute;

static bool tickets_allow(uint32_t index) {
  for (uint32_t i = 0; i < search_size(&given.slice); i++) {
    bool made = false;
    for (uint32_t k = 0; k < brute.made; k++) made |= brute.order[k] == i;
    if (!made && i != index && given.accesses[i].ended < given.accesses[index].began) return false;
    for (uint32_t k = 0; k < given.slice.edge_count && !made; k++)
      if (given.edges[k].before == i && given.edges[k].after == index) return false;
  }
  return true;
}

/* Not between the parts of an instruction. */
static bool parts_allow(uint32_t index) {
  uint32_t last = brute.made ? brute.order[brute.made - 1] : UINT32_MAX;
  return !brute.made || !given.accesses[last].joined || index == last + 1;
}

static void try_all(void (*visit)(void)) {
  if (brute.made == search_size(&given.slice)) {
    visit();
    return;
  }
  for (unsigned t = 0; t < given.slice.threads; t++) {
    uint32_t index = brute.first[t] + brute.at[t];
    if (brute.at[t] == given.counts[t] || !tickets_allow(index) || !parts_allow(index)) continue;
    brute.at[t]++;
    brute.order[brute.made++] = index;
    try_all(visit);
    brute.made--;
    brute.at[t]--;
  }
}

static void start_brute(void) {
  memset(&brute, 0, sizeof brute);
  for (unsigned t = 1; t < given.slice.threads; t++)
    brute.first[t] = brute.first[t - 1] + given.counts[t - 1];
}

static void count_order(void) {
  brute.orders += search_is_explained(&given.slice, brute.order);
}

/* -- Constraints ------------------------------------------------------------------------------------------------------- */

static struct search_constraint constraints[MOST * THREADS];
static uint32_t constrained, solved[MOST];
static bool constraints_wrong;

static bool comes_before(const uint32_t *order, uint32_t a, uint32_t b) {
  uint32_t size = search_size(&given.slice);
  for (uint32_t i = 0; i < size; i++)
    if (order[i] == a || order[i] == b) return order[i] == a;
  return false;
}

static bool keeps_conflicts(const uint32_t *order) {
  uint32_t size = search_size(&given.slice);
  for (uint32_t a = 0; a < size; a++)
    for (uint32_t b = 0; b < a; b++) {
      const struct search_access *x = &given.accesses[a], *y = &given.accesses[b];
      if (x->location == y->location && (x->mask & y->mask) && ((x->kind | y->kind) & SEARCH_WRITE) &&
          comes_before(order, a, b) != comes_before(solved, a, b))
        return false;
    }
  return true;
}

static bool keeps_constraints(const uint32_t *order, uint32_t without) {
  for (uint32_t i = 0; i < constrained; i++)
    if (i != without && !comes_before(order, constraints[i].before, constraints[i].after)) return false;
  return true;
}

static bool needed[MOST * THREADS]; /* some order that keeps the others breaks a conflict */

static void check_constraints(void) {
  bool conflicts = keeps_conflicts(brute.order);
  if (keeps_constraints(brute.order, UINT32_MAX) != conflicts) constraints_wrong = true;
  for (uint32_t i = 0; i < constrained; i++)
    if (!conflicts && keeps_constraints(brute.order, i)) needed[i] = true;
}

/* Without tickets, which would hide what constraints have to say. */
static bool constraints_are_right(void) {
  constrained = search_constraints(&given.slice, solved, constraints, MOST * THREADS);
  if (constrained > MOST * THREADS) return false;
  forget_facts();
  memset(needed, 0, sizeof needed);
  constraints_wrong = false;
  start_brute();
  try_all(check_constraints);
  for (uint32_t i = 0; i < constrained; i++) constraints_wrong |= !needed[i];
  return !constraints_wrong;
}

/* -- The tests --------------------------------------------------------------------------------------------------------- */

/* As many accesses overtook an earlier one of their thread as the answer says, none of them one to the same bytes, and the order explains the
 * values otherwise. */
static bool overtaking_is_right(const struct search_answer *answer) {
  uint64_t memory[WORDS];
  memcpy(memory, given.initial, sizeof memory);
  uint32_t size = search_size(&given.slice), late = 0;
  for (uint32_t i = 0; i < size; i++) {
    const struct search_access *access = &given.accesses[answer->order[i]];
    bool overtakes = false;
    for (uint32_t k = i + 1; k < size; k++) {
      const struct search_access *behind = &given.accesses[answer->order[k]];
      unsigned t = 0, other = 0;
      for (unsigned j = 1; j < given.slice.threads; j++) {
        t += answer->order[i] >= brute.first[j];
        other += answer->order[k] >= brute.first[j];
      }
      if (t != other || answer->order[k] > answer->order[i]) continue;
      overtakes = true;
      if (behind->location == access->location && (behind->mask & access->mask)) return false;
    }
    late += overtakes;
    if ((access->kind & SEARCH_READ) && (memory[access->location] & access->mask) != access->read)
      return false;
    if (access->kind & SEARCH_WRITE)
      memory[access->location] = (memory[access->location] & ~access->mask) | access->written;
  }
  return late == answer->overtaking;
}

static struct { unsigned found, none, reordered, torn, excepted, other_end; } seen;

/* The order is one that tickets, edges and parts allow, and explains all values but those of the exceptions, of which there are some. */
static bool exceptions_are_right(const struct search_answer *answer) {
  uint64_t memory[WORDS];
  uint32_t size = search_size(&given.slice), at[THREADS] = {0}, exceptions = 0;
  memcpy(memory, given.initial, sizeof memory);
  start_brute();
  for (uint32_t i = 0; i < size; i++) {
    uint32_t index = answer->order[i];
    const struct search_access *access = &given.accesses[index];
    unsigned t = thread_of(index);
    if (index != brute.first[t] + at[t]++ || !tickets_allow(index) || !parts_allow(index)) return false;
    bool other = (access->kind & SEARCH_READ) && (memory[access->location] & access->mask) != access->read;
    if (other != answer->exceptions[index]) return false;
    exceptions += other;
    if (access->kind & SEARCH_WRITE)
      memory[access->location] = (memory[access->location] & ~access->mask) | access->written;
    brute.order[brute.made++] = index;
  }
  bool other_end = given.slice.final && memcmp(memory, given.final, given.slice.locations * sizeof *memory);
  seen.other_end += other_end;
  return exceptions || other_end;
}

static bool has_parts(void) {
  for (uint32_t i = 0; i < search_size(&given.slice); i++)
    if (given.accesses[i].joined) return true;
  return false;
}

static const char *check_exceptions(bool has_order) {
  uint32_t order[MOST];
  uint8_t exceptions[MOST];
  struct search_answer answer = {.order = order, .exceptions = exceptions};
  struct search_options options = {.patience = next() % 2 ? 1 + next() % 4 : 0,
                                   .stretch = 1 + (uint32_t)(next() % 4)};
  enum search_result result = search_solve(&given.slice, &options, &answer);
  if (answer.has_none && has_order) return "it is said that there is no order";
  if (!options.patience && answer.has_none == has_order) return "it is not said that there is no order";
  /* Facts may keep parts of an instruction apart. */
  if (result != SEARCH_FOUND && (!has_order || options.patience) && has_parts()) return NULL;
  if (result != SEARCH_FOUND) return "no exceptions were found";
  bool any = false;
  for (uint32_t i = 0; i < search_size(&given.slice); i++) any |= exceptions[i];
  seen.excepted += any;
  if (!any && search_is_explained(&given.slice, order)) return has_order ? NULL : "there are no exceptions";
  return exceptions_are_right(&answer) ? NULL : "exceptions do not explain the values";
}

/* What is wrong with this slice's answers; NULL if nothing is. */
static const char *check_slice(void) {
  uint32_t order[MOST], overtook[3];
  struct search_answer answer = {.order = order, .overtook = overtook};
  start_brute();
  try_all(count_order);
  enum search_result result = search_solve(&given.slice, &(struct search_options){0}, &answer);
  if (result != (brute.orders ? SEARCH_FOUND : SEARCH_NONE))
    return brute.orders ? "an order was overlooked" : "an order was found where there is none";
  const char *what = check_exceptions(brute.orders);
  if (what) return what;
  if (result == SEARCH_FOUND) {
    seen.found++;
    if (!search_is_explained(&given.slice, order)) return "the order does not explain the values";
    memcpy(solved, order, sizeof order);
    return constraints_are_right() ? NULL : "the constraints are not the least that keep all conflicts";
  }
  seen.none++;
  if (search_explain(&given.slice, &(struct search_options){.reordered = 3}, &answer) != SEARCH_FOUND)
    return NULL;
  seen.reordered += answer.overtaking != 0;
  seen.torn += !answer.overtaking;
  if (!answer.overtaking && !has_parts()) return "nothing was reordered where there is no order";
  return overtaking_is_right(&answer) ? NULL : "what was reordered does not explain the values";
}

/* Slices until the first that is answered wrongly. */
static unsigned check(unsigned slices, uint64_t seed, const char **what) {
  *what = NULL;
  for (unsigned i = 0; i < slices; i++) {
    random_state = seed + i;
    make_slice();
    if ((*what = check_slice())) return i;
  }
  return slices;
}

int main(int argc, char **argv) {
  unsigned slices = 10000, failed = 0;
  uint64_t seed = 1;
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "-n") && i + 1 < argc)
      slices = (unsigned)atoi(argv[++i]);
    else
      seed = strtoull(argv[i], NULL, 0);
  const char *what;
  unsigned at = check(slices, seed, &what);
  if (what) printf("slice %llu: %s\n", (unsigned long long)(seed + at), what), failed++;
  printf(
      "%u slices: %u with an order, %u without, %u of these explained by reordering, %u by torn "
      "instructions; %u with exceptions\n",
      at, seen.found, seen.none, seen.reordered, seen.torn, seen.excepted);
  for (search_wrong = 1; search_wrong < WRONG_VARIANTS; search_wrong++) {
    at = check(slices, seed, &what);
    if (!what)
      printf("mistake %d was not found\n", search_wrong), failed++;
    else
      printf("mistake %d: found by slice %u: %s\n", search_wrong, at, what);
  }
  if (seen.found < slices / 8 || seen.none < slices / 8 || !seen.reordered || !seen.torn || !seen.excepted)
    printf("too few of a kind\n"), failed++;
  printf("%u passed, %u failed\n", seen.found + seen.none, failed);
  return failed ? 1 : 0;
}
