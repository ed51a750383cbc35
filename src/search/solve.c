/* solve.c: the search for an order that explains every value. See search.h.
 *
 * A thread is at `base`, its first access that has not been made; where accesses may overtake others (options.reordered), `ahead` says
 * which of those behind `base` have been made already. The search goes down by making an access and up by taking it back, on a
 * stack of its own. */
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

#include "search/demand.h"
#include "search/states.h"
#include "search/wrong.h"

enum { NAME_ACCESS, NAME_MEMORY, NAME_BUDGET };

struct thread {
  uint32_t first, count; /* its accesses */
  uint32_t base;         /* made are all before this one, counted from its first … */
  uint32_t ahead; /* … and of those behind base the ones with a bit: bit 0 is base itself, and never set */
};

/* An access that may come next: which one of its thread's, seen from base. */
struct choice {
  uint8_t thread, distance;
};

struct level {
  uint64_t old;        /* the word before the access */
  uint32_t old_number; /* and the number of its value */
  uint32_t old_ahead, old_base;
  uint32_t next, count; /* of the choices */
  uint32_t choices;     /* where they begin */
  struct choice made;
};

struct search {
  const struct search_slice *slice;
  const struct search_options *options;
  struct thread threads[SEARCH_THREADS];
  uint32_t *after; /* of each access, for each thread: how many of its accesses came before it, by tickets */
  uint64_t *memory;
  uint32_t *numbers; /* of the values in memory */
  struct demand demand;
  struct states states;
  struct state_name name;
  struct level *levels;
  struct choice *choices;
  uint32_t choices_used, choices_room;
  uint32_t depth, size;
  unsigned budget; /* accesses that may still overtake */
  uint32_t border; /* where the next stretch begins */
  uint32_t *best;  /* the order of the furthest state … */
  uint32_t same;   /* … which is as now up to there */
  uint64_t idle;   /* states since then */
  uint32_t floor;  /* behind the last exception */
  bool tears;      /* others may come between the parts of an instruction */
};

uint32_t search_size(const struct search_slice *slice) {
  uint32_t size = 0;
  for (unsigned t = 0; t < slice->threads; t++) size += slice->counts[t];
  return size;
}

static bool makes_sense(const struct search_slice *slice) {
  if (slice->threads > SEARCH_THREADS) return false;
  uint64_t size = 0;
  for (unsigned t = 0; t < slice->threads; t++) size += slice->counts[t];
  if (size > INT32_MAX) return false;
  for (uint64_t t = 0, end = 0; t < slice->threads; t++) {
    end += slice->counts[t];
    if (slice->counts[t] && slice->accesses[end - 1].joined) return false;
  }
  for (uint32_t i = 0; i < slice->edge_count; i++)
    if (slice->edges[i].before >= size || slice->edges[i].after >= size) return false;
  for (uint64_t i = 0; i < size; i++) {
    const struct search_access *access = &slice->accesses[i];
    if (access->location >= slice->locations || !access->kind || access->kind > SEARCH_EXCHANGE) return false;
    if ((access->read | access->written) & ~access->mask || !access->mask) return false;
    if (access->began > access->ended) return false;
  }
  return true;
}

static bool came_before(const struct search_access *access, uint64_t began) {
  return SEARCH_WRONG(WRONG_TICKETS_TOUCH) ? access->ended <= began : access->ended < began;
}

/* Tickets grow within a thread, so those that came before an access are the first ones of each other thread. */
static void order_by_tickets(struct search *s) {
  for (unsigned t = 0; t < s->slice->threads; t++)
    for (unsigned other = 0; other < s->slice->threads; other++) {
      uint32_t done = 0;
      const struct thread *mine = &s->threads[t], *its = &s->threads[other];
      for (uint32_t i = 0; i < mine->count; i++) {
        uint64_t began = s->slice->accesses[mine->first + i].began;
        while (t != other && done < its->count && came_before(&s->slice->accesses[its->first + done], began))
          done++;
        s->after[(size_t)(mine->first + i) * s->slice->threads + other] = done;
      }
    }
}

static unsigned thread_of(const struct search *s, uint32_t index) {
  unsigned t = 0;
  while (index - s->threads[t].first >= s->threads[t].count) t++;
  return t;
}

/* An edge holds for all later accesses of its thread, too. */
static void order_by_edges(struct search *s) {
  unsigned threads = s->slice->threads;
  for (uint32_t i = 0; i < s->slice->edge_count; i++) {
    const struct search_constraint *edge = &s->slice->edges[i];
    unsigned t = thread_of(s, edge->before);
    uint32_t *done = &s->after[(size_t)edge->after * threads + t];
    uint32_t made = edge->before - s->threads[t].first + !SEARCH_WRONG(WRONG_EDGE_SHORT);
    if (*done < made) *done = made;
  }
  for (unsigned t = 0; t < threads; t++)
    for (uint32_t i = 1; i < s->threads[t].count; i++) {
      uint32_t *now = &s->after[(size_t)(s->threads[t].first + i) * threads];
      for (unsigned other = 0; other < threads; other++)
        if (now[other] < (now - threads)[other]) now[other] = (now - threads)[other];
    }
}

static void close_search(struct search *s) {
  free(s->after);
  free(s->memory);
  free(s->numbers);
  free(s->levels);
  free(s->best);
  free(s->choices);
  demand_close(&s->demand);
  states_close(&s->states);
}

static bool open_search(struct search *s, const struct search_slice *slice,
                        const struct search_options *options) {
  *s = (struct search){.slice = slice, .options = options, .budget = options->reordered};
  s->size = search_size(slice);
  for (unsigned t = 0, first = 0; t < slice->threads; first += slice->counts[t++])
    s->threads[t] = (struct thread){.first = first, .count = slice->counts[t]};
  s->after = malloc(((size_t)s->size * slice->threads + 1) * sizeof *s->after);
  s->memory = malloc((slice->locations + 1) * sizeof *s->memory);
  s->numbers = malloc((slice->locations + 1) * sizeof *s->numbers);
  s->levels = malloc((s->size + 1) * sizeof *s->levels);
  s->best = malloc((s->size + 1) * sizeof *s->best);
  s->choices_room = s->size + SEARCH_THREADS * SEARCH_WINDOW;
  s->choices = malloc(s->choices_room * sizeof *s->choices);
  bool demands = demand_open(&s->demand, slice), states = states_open(&s->states);
  if (!s->after || !s->memory || !s->numbers || !s->levels || !s->best || !s->choices || !demands ||
      !states) {
    close_search(s);
    return false;
  }
  memcpy(s->memory, slice->initial, slice->locations * sizeof *s->memory);
  memcpy(s->numbers, s->demand.initial, slice->locations * sizeof *s->numbers);
  order_by_tickets(s);
  if (slice->edge_count) order_by_edges(s);
  s->border = options->stretch;
  return true;
}

/* -- One step down, one step up ---------------------------------------------------------------------------------------- */

static void name_word(struct search *s, uint32_t location) {
  if (SEARCH_WRONG(WRONG_NAME_WITHOUT_MEMORY)) return;
  states_toggle(&s->name, NAME_MEMORY, location, s->memory[location]);
}

static void count_demand(struct search *s, uint32_t access, uint32_t by) {
  if (s->demand.reads[access] != DEMAND_NONE) s->demand.counts[s->demand.reads[access]].needed += by;
  if (s->demand.writes[access] != DEMAND_NONE) s->demand.counts[s->demand.writes[access]].supplied += by;
}

static void make(struct search *s, struct choice choice, uint32_t *order) {
  struct level *level = &s->levels[s->depth];
  struct thread *thread = &s->threads[choice.thread];
  uint32_t index = thread->first + thread->base + choice.distance;
  const struct search_access *access = &s->slice->accesses[index];
  level->made = choice;
  level->old = s->memory[access->location];
  level->old_number = s->numbers[access->location];
  level->old_ahead = thread->ahead;
  level->old_base = thread->base;
  order[s->depth++] = index;
  count_demand(s, index, UINT32_MAX);
  states_toggle(&s->name, NAME_ACCESS, index, 0);
  if (access->kind & SEARCH_WRITE) {
    name_word(s, access->location);
    s->memory[access->location] = (level->old & ~access->mask) | access->written;
    s->numbers[access->location] = s->demand.writes[index];
    name_word(s, access->location);
  }
  if (choice.distance) {
    states_toggle(&s->name, NAME_BUDGET, s->budget--, 0);
    states_toggle(&s->name, NAME_BUDGET, s->budget, 0);
  }
  thread->ahead |= 1u << choice.distance;
  for (; thread->ahead & 1; thread->ahead >>= 1) thread->base++;
}

static void take_back(struct search *s, const uint32_t *order) {
  const struct level *level = &s->levels[--s->depth];
  if (s->same > s->depth) s->same = s->depth;
  struct thread *thread = &s->threads[level->made.thread];
  uint32_t index = order[s->depth];
  const struct search_access *access = &s->slice->accesses[index];
  thread->ahead = level->old_ahead;
  thread->base = level->old_base;
  if (level->made.distance) {
    states_toggle(&s->name, NAME_BUDGET, s->budget++, 0);
    states_toggle(&s->name, NAME_BUDGET, s->budget, 0);
  }
  if (access->kind & SEARCH_WRITE) {
    name_word(s, access->location);
    s->memory[access->location] = level->old;
    s->numbers[access->location] = level->old_number;
    name_word(s, access->location);
  }
  states_toggle(&s->name, NAME_ACCESS, index, 0);
  count_demand(s, index, 1);
}

/* -- What may come next ------------------------------------------------------------------------------------------------ */

static bool gets_other(const struct search *s, uint32_t index) {
  const struct search_access *access = &s->slice->accesses[index];
  return (access->kind & SEARCH_READ) && (s->memory[access->location] & access->mask) != access->read;
}

/* All that came before it has been made. */
static bool is_due(const struct search *s, uint32_t index) {
  const uint32_t *after = s->after + (size_t)index * s->slice->threads;
  for (unsigned t = 0; t < s->slice->threads; t++)
    if (s->threads[t].base < after[t]) return false;
  return true;
}

/* A read would get what it got, too. */
static bool is_possible(const struct search *s, uint32_t index) {
  return !gets_other(s, index) && is_due(s, index);
}

/* The accesses of one instruction are made one after the other, from this one on; where accesses are reordered, each for itself. */
static uint32_t parts_of(const struct search *s, uint32_t index) {
  uint32_t parts = 1;
  if (s->tears || SEARCH_WRONG(WRONG_PARTS_READ)) return parts;
  while (s->slice->accesses[index + parts - 1].joined) parts++;
  return parts;
}

/* No two parts touch the same bytes. */
static bool are_possible(const struct search *s, uint32_t index, uint32_t parts) {
  for (uint32_t i = 0; i < parts; i++)
    if (!is_possible(s, index + i)) return false;
  return true;
}

static bool changes_nothing(const struct search *s, const struct search_access *access) {
  if (SEARCH_WRONG(WRONG_SILENT_EAGER) && access->kind == SEARCH_WRITE)
    return (s->memory[access->location] & access->mask) == access->written;
  (void)s;
  return access->kind == SEARCH_READ || (access->kind == SEARCH_EXCHANGE && access->read == access->written);
}

static bool change_nothing(const struct search *s, uint32_t index, uint32_t parts) {
  for (uint32_t i = 0; i < parts; i++)
    if (!changes_nothing(s, &s->slice->accesses[index + i])) return false;
  return true;
}

/* True for a write that destroys a value which a thread has to read, and no thread writes any more. A write that changes nothing is itself among those
 * that write the value. */
static bool strands_reader(const struct search *s, uint32_t index) {
  const struct search_access *access = &s->slice->accesses[index];
  uint32_t there = s->numbers[access->location];
  if (!(access->kind & SEARCH_WRITE) || there == DEMAND_NONE) return false;
  bool itself = s->demand.reads[index] == there && !SEARCH_WRONG(WRONG_EXCHANGE_STRANDS);
  uint32_t needed = s->demand.counts[there].needed - itself;
  bool silent = SEARCH_WRONG(WRONG_SILENT_STRANDS) && there == s->demand.writes[index];
  return needed && s->demand.counts[there].supplied == silent;
}

static bool strand_readers(const struct search *s, uint32_t index, uint32_t parts) {
  for (uint32_t i = 0; i < parts; i++)
    if (strands_reader(s, index + i)) return true;
  return false;
}

/* No earlier access of its thread that has not been made touches the same bytes. */
static bool may_overtake(const struct search *s, const struct thread *thread, unsigned distance) {
  const struct search_access *base = &s->slice->accesses[thread->first + thread->base];
  for (unsigned i = 0; i < distance; i++)
    if (!SEARCH_WRONG(WRONG_OVERTAKES_SAME) && !(thread->ahead >> i & 1) &&
        base[i].location == base[distance].location && (base[i].mask & base[distance].mask))
      return false;
  return true;
}

/* The earliest first, as far as is known. */
static void add_choice(struct search *s, struct level *level, struct choice choice) {
  uint32_t at = level->choices + level->count++;
  uint64_t guess =
      s->slice->accesses[s->threads[choice.thread].first + s->threads[choice.thread].base + choice.distance]
          .guess;
  for (; at > level->choices; at--) {
    struct choice before = s->choices[at - 1];
    const struct thread *thread = &s->threads[before.thread];
    if (s->slice->accesses[thread->first + thread->base + before.distance].guess <= guess) break;
    s->choices[at] = before;
  }
  s->choices[at] = choice;
}

static bool find_read(struct search *s, struct level *level) {
  for (unsigned t = 0; t < s->slice->threads; t++) {
    const struct thread *thread = &s->threads[t];
    uint32_t index = thread->first + thread->base;
    if (thread->base == thread->count) continue;
    uint32_t parts = parts_of(s, index);
    if (!change_nothing(s, index, parts) || !are_possible(s, index, parts)) continue;
    add_choice(s, level, (struct choice){(uint8_t)t, 0});
    return true;
  }
  return false;
}

static void find_all(struct search *s, struct level *level) {
  for (unsigned t = 0; t < s->slice->threads; t++) {
    const struct thread *thread = &s->threads[t];
    unsigned window = s->budget ? SEARCH_WINDOW : 1;
    for (unsigned i = 0; i < window && thread->base + i < thread->count; i++) {
      uint32_t index = thread->first + thread->base + i;
      if (thread->ahead >> i & 1) continue;
      uint32_t parts = parts_of(s, index);
      if (!are_possible(s, index, parts) || strand_readers(s, index, parts)) continue;
      if (i && !may_overtake(s, thread, i)) continue;
      add_choice(s, level, (struct choice){(uint8_t)t, (uint8_t)i});
    }
  }
}

/* Room for what one level can add. */
static bool make_room(struct search *s) {
  if (s->choices_room - s->choices_used >= SEARCH_THREADS * SEARCH_WINDOW) return true;
  uint32_t room = s->choices_room * 2;
  struct choice *choices = realloc(s->choices, room * sizeof *choices);
  if (!choices) return false;
  s->choices = choices;
  s->choices_room = room;
  return true;
}

static bool is_end(const struct search *s) {
  return !s->slice->final || !memcmp(s->memory, s->slice->final, s->slice->locations * sizeof *s->memory);
}

/* The access that was made last is a part of an instruction that has more of them. */
static bool goes_on_with_instruction(const struct search *s, const struct search_answer *answer) {
  return s->depth && !s->tears && s->slice->accesses[answer->order[s->depth - 1]].joined;
}

static void pass_border(struct search *s, struct search_answer *answer) {
  if (s->options->passed) s->options->passed(s->options->context, s->depth, answer->states);
  s->border = s->depth - s->depth % s->options->stretch + s->options->stretch;
  answer->states = 0;
  states_forget(&s->states);
}

/* The choices of the current state, none if it has been entered before. */
static enum search_result enter(struct search *s, struct search_answer *answer) {
  struct level *level = &s->levels[s->depth];
  *level = (struct level){.choices = s->choices_used};
  if (!make_room(s)) return SEARCH_NO_MEMORY;
  if (goes_on_with_instruction(s, answer)) {
    add_choice(s, level, (struct choice){s->levels[s->depth - 1].made.thread, 0});
  } else if (!find_read(s, level)) {
    if (s->options->states && answer->states >= s->options->states) return SEARCH_GAVE_UP;
    answer->states++;
    s->idle++;
    int added = states_add(&s->states, s->name);
    if (added < 0) return SEARCH_NO_MEMORY;
    if (added) find_all(s, level);
  }
  s->choices_used += level->count;
  return SEARCH_NONE;
}

/* -- Exceptions -------------------------------------------------------------------------------------------------------- */

static void keep_best(struct search *s, struct search_answer *answer) {
  memcpy(s->best + s->same, answer->order + s->same, (s->depth - s->same) * sizeof *s->best);
  s->same = answer->furthest = s->depth;
  s->idle = 0;
}

static void go_to_best(struct search *s, struct search_answer *answer) {
  while (s->depth > s->same) take_back(s, answer->order);
  s->choices_used = s->levels[s->depth].choices;
  while (s->depth < answer->furthest) {
    s->levels[s->depth] = (struct level){.choices = s->choices_used};
    make(s, (struct choice){(uint8_t)thread_of(s, s->best[s->depth]), 0}, answer->order);
  }
}

static const struct search_access *next_of(const struct search *s, unsigned t) {
  return &s->slice->accesses[s->threads[t].first + s->threads[t].base];
}

/* Why a thread can't go on in the furthest state. */
enum blocked {
  BLOCKED_NOT,      /* it has ended */
  BLOCKED_EARLIER,  /* accesses of others come before, by what is known */
  BLOCKED_READS,    /* it reads what others have still to write … */
  BLOCKED_FOR_EVER, /* … and none of them does */
  BLOCKED_WRITES,   /* it would take from others what they have to read */
};

/* The thread whose accesses come soonest to one that reads, or writes, the value; the number of threads if none does. */
static unsigned find_thread(const struct search *s, unsigned me, uint32_t number, bool writes) {
  enum { FAR = 1 << 16 };
  uint32_t nearest = FAR;
  unsigned found = s->slice->threads;
  for (unsigned t = 0; t < s->slice->threads; t++) {
    const struct thread *thread = &s->threads[t];
    for (uint32_t i = 0; t != me && i < nearest && thread->base + i < thread->count; i++) {
      uint32_t index = thread->first + thread->base + i;
      if ((writes ? s->demand.writes : s->demand.reads)[index] != number) continue;
      nearest = i;
      found = t;
    }
  }
  return found;
}

/* waits_for: a thread, or the number of threads: none. */
static enum blocked find_block(const struct search *s, unsigned t, unsigned *waits_for) {
  const struct thread *thread = &s->threads[t];
  enum blocked blocked = BLOCKED_NOT;
  *waits_for = s->slice->threads;
  if (thread->base == thread->count) return BLOCKED_NOT;
  uint32_t index = thread->first + thread->base, parts = parts_of(s, index);
  for (uint32_t i = index; i < index + parts; i++)
    for (unsigned other = 0; other < s->slice->threads; other++)
      if (s->threads[other].base < s->after[(size_t)i * s->slice->threads + other])
        return *waits_for = other, BLOCKED_EARLIER;
  for (uint32_t i = index; i < index + parts && blocked != BLOCKED_FOR_EVER; i++) {
    uint32_t location = s->slice->accesses[i].location;
    if (gets_other(s, i)) {
      uint32_t number = s->demand.reads[i];
      bool never = number != DEMAND_NONE && !s->demand.counts[number].supplied;
      blocked = never ? BLOCKED_FOR_EVER : BLOCKED_READS;
      *waits_for = never ? s->slice->threads : find_thread(s, t, number, true);
    } else if (blocked == BLOCKED_NOT && strands_reader(s, i)) {
      blocked = BLOCKED_WRITES;
      *waits_for = find_thread(s, t, s->numbers[location], false);
    }
  }
  return blocked == BLOCKED_NOT ? BLOCKED_WRITES : blocked;
}

/* Of the threads that wait for each other, at `at` and where that leads, one whose write goes on at once, and else the first. The number of threads: none can
 * go on. */
static unsigned choose_from_circle(const struct search *s, const enum blocked *blocked,
                                   const unsigned *waits_for, unsigned at) {
  unsigned threads = s->slice->threads, chosen = threads, i = at;
  do {
    bool first = chosen == threads || next_of(s, i)->guess < next_of(s, chosen)->guess;
    bool writes = blocked[i] == BLOCKED_WRITES, other = chosen < threads && blocked[chosen] == BLOCKED_WRITES;
    if (blocked[i] != BLOCKED_EARLIER && (writes == other ? first : writes)) chosen = i;
    i = waits_for[i];
  } while (i != at);
  return chosen;
}

/* The thread that goes on with an exception: others wait for it in vain. */
static unsigned choose_thread(const struct search *s) {
  unsigned threads = s->slice->threads, waits_for[SEARCH_THREADS], at = threads;
  enum blocked blocked[SEARCH_THREADS];
  for (unsigned t = 0; t < threads; t++) {
    blocked[t] = find_block(s, t, &waits_for[t]);
    if (blocked[t] != BLOCKED_NOT && (at == threads || next_of(s, t)->guess < next_of(s, at)->guess)) at = t;
  }
  for (unsigned i = 0; i < threads && at < threads; i++) {
    if (waits_for[at] == threads) return at;
    at = waits_for[at];
  }
  return at < threads ? choose_from_circle(s, blocked, waits_for, at) : threads;
}

/* The access made last has to come before the next one of the thread. */
static bool is_needed_by(const struct search *s, unsigned t) {
  const struct thread *thread = &s->threads[t], *last = &s->threads[s->levels[s->depth - 1].made.thread];
  uint32_t index = thread->first + thread->base, parts = parts_of(s, index);
  for (uint32_t i = index; i < index + parts; i++)
    if (s->after[(size_t)i * s->slice->threads + (size_t)(last - s->threads)] >= last->base) return true;
  return false;
}

/* What others did later than this time, as far as is known, is not done yet; but what came before the last exception is. */
static void go_back_to(struct search *s, struct search_answer *answer, unsigned t) {
  uint64_t time = next_of(s, t)->guess;
  uint32_t depth = s->depth, to;
  while (depth > s->floor && s->levels[depth - 1].made.thread != t) depth--;
  for (to = depth; to < s->depth; to++)
    if (s->slice->accesses[answer->order[to]].guess > time) break;
  while (s->depth > to && (SEARCH_WRONG(WRONG_BACK_TOO_FAR) || !is_needed_by(s, t)))
    take_back(s, answer->order);
  if (s->depth < answer->furthest) s->choices_used = s->levels[s->depth].choices;
  while (goes_on_with_instruction(s, answer)) {
    struct choice choice = {s->levels[s->depth - 1].made.thread, 0};
    s->levels[s->depth] = (struct level){.choices = s->choices_used};
    make(s, choice, answer->order);
  }
}

/* False: there is nothing left to be made. */
static bool make_exception(struct search *s, struct search_answer *answer) {
  go_to_best(s, answer);
  unsigned chosen = choose_thread(s);
  if (chosen == s->slice->threads) return false;
  go_back_to(s, answer, chosen);
  uint32_t index = s->threads[chosen].first + s->threads[chosen].base;
  for (uint32_t parts = parts_of(s, index); parts--; index++) {
    answer->exceptions[index] = gets_other(s, index);
    s->levels[s->depth] = (struct level){.choices = s->choices_used};
    make(s, (struct choice){(uint8_t)chosen, 0}, answer->order);
  }
  s->floor = s->depth;
  s->same = s->same < s->depth ? s->same : s->depth;
  keep_best(s, answer);
  states_forget(&s->states);
  return true;
}

static enum search_result run(struct search *s, struct search_answer *answer) {
  for (bool down = true;;) {
    struct level *level = &s->levels[s->depth];
    if (s->depth > answer->furthest) keep_best(s, answer);
    if (s->options->stretch && s->depth >= s->border) pass_border(s, answer);
    if (down && s->depth == s->size) {
      if (is_end(s)) return SEARCH_FOUND;
      *level = (struct level){.choices = s->choices_used};
    } else if (down) {
      enum search_result result = enter(s, answer);
      if (result != SEARCH_NONE) return result;
    }
    down = level->next < level->count;
    bool lost = !down && s->depth == s->floor;
    if (lost && !s->floor) answer->has_none = true;
    if (answer->exceptions && (lost || (s->options->patience && s->idle >= s->options->patience))) {
      if (!make_exception(s, answer)) return s->depth == s->size ? SEARCH_FOUND : SEARCH_NONE;
      down = true;
      continue;
    }
    if (down) {
      make(s, s->choices[level->choices + level->next++], answer->order);
      continue;
    }
    s->choices_used = level->choices;
    if (lost) return SEARCH_NONE;
    take_back(s, answer->order);
  }
}

static void tell_overtaking(const struct search *s, struct search_answer *answer) {
  answer->overtaking = 0;
  for (uint32_t i = 0; answer->overtook && i < s->size; i++)
    if (s->levels[i].made.distance) answer->overtook[answer->overtaking++] = answer->order[i];
}

static enum search_result solve(const struct search_slice *slice, const struct search_options *options,
                                struct search_answer *answer, bool tears) {
  struct search s;
  answer->states = 0;
  answer->overtaking = 0;
  answer->furthest = 0;
  answer->has_none = false;
  if (!makes_sense(slice)) return SEARCH_SENSELESS;
  if (!open_search(&s, slice, options)) return SEARCH_NO_MEMORY;
  s.tears = tears;
  if (answer->exceptions) memset(answer->exceptions, 0, s.size);
  enum search_result result = run(&s, answer);
  if (result == SEARCH_FOUND) tell_overtaking(&s, answer);
  close_search(&s);
  return result;
}

enum search_result search_solve(const struct search_slice *slice, const struct search_options *options,
                                struct search_answer *answer) {
  return solve(slice, options, answer, options->reordered);
}

enum search_result search_explain(const struct search_slice *slice, const struct search_options *options,
                                  struct search_answer *answer) {
  enum search_result result = SEARCH_NONE;
  for (unsigned reordered = 0; reordered <= options->reordered && result == SEARCH_NONE; reordered++) {
    struct search_options now = *options;
    now.reordered = reordered;
    result = solve(slice, &now, answer, true);
  }
  return result;
}

bool search_is_explained(const struct search_slice *slice, const uint32_t *order) {
  uint32_t size = search_size(slice), next[SEARCH_THREADS] = {0}, first[SEARCH_THREADS + 1] = {0};
  uint64_t *memory = malloc((slice->locations + 1) * sizeof *memory);
  if (!memory) return false;
  memcpy(memory, slice->initial, slice->locations * sizeof *memory);
  first[0] = 0;
  for (unsigned t = 0; t < slice->threads; t++) {
    next[t] = first[t];
    first[t + 1] = first[t] + slice->counts[t];
  }
  bool ok = true;
  for (uint32_t i = 0; i < size && ok; i++) {
    unsigned t = 0;
    while (t + 1 < slice->threads && order[i] >= first[t + 1]) t++;
    const struct search_access *access = &slice->accesses[order[i]];
    ok = order[i] == next[t]++ && order[i] < first[t + 1];
    if (ok && access->joined) ok = i + 1 < size && order[i + 1] == order[i] + 1;
    if (ok && (access->kind & SEARCH_READ)) ok = (memory[access->location] & access->mask) == access->read;
    if (ok && (access->kind & SEARCH_WRITE))
      memory[access->location] = (memory[access->location] & ~access->mask) | access->written;
  }
  if (ok && slice->final) ok = !memcmp(memory, slice->final, slice->locations * sizeof *memory);
  free(memory);
  return ok;
}
