/* orders.c: order logs read and written. See orders.h. */
#include "solve/orders.h"

#include <stdlib.h>
#include <string.h>

#include "contract/region.h"
#include "order/order.h"
#include "order/sets.h"
#include "recording/error.h"
#include "solve/grow.h"
#include "sphere/solved.h"

/* A step of another thread, which must be over. */
struct pred {
  uint32_t log, step;
};

/* From the end of the step before up to `until`, behind its preds. */
struct step {
  uint64_t until;
  uint64_t clock; /* as recorded; of a log that is to be written: the new one */
  size_t preds;   /* in struct steps: where they begin, up to those of the next step */
};

struct steps {
  struct step *all;
  size_t count, room;
  struct pred *preds;
  size_t pred_count, pred_room;
};

/* What is known from a position on. */
struct known {
  uint64_t position;
  size_t step; /* which begins there */
  const uint64_t *of;
};

struct order_log {
  uint32_t thread; /* of the R-thread */
  uint16_t slot;
  uint32_t former; /* threads that have lived there before */
  uint64_t clock;  /* of the slot when the thread begins */
  struct steps steps;
  struct known *known;
  size_t known_count, known_room;
};

static int fail_memory(struct recording_error *error) {
  return recording_fail_errno(error, "the order logs", "reading them");
}

/* -- Steps -------------------------------------------------------------------------------------------------------------------- */

static size_t preds_end(const struct steps *steps, size_t step) {
  return step + 1 < steps->count ? steps->all[step + 1].preds : steps->pred_count;
}

static bool add_step(struct steps *steps, uint64_t until, uint64_t clock) {
  if (!GROW(steps->all, steps->count, steps->room)) return false;
  steps->all[steps->count++] = (struct step){until, clock, steps->pred_count};
  return true;
}

/* To the last step. */
static bool add_pred(struct steps *steps, struct pred pred) {
  if (!GROW(steps->preds, steps->pred_count, steps->pred_room)) return false;
  steps->preds[steps->pred_count++] = pred;
  return true;
}

/* -- Reading ------------------------------------------------------------------------------------------------------------------- */

struct reading {
  struct recording_reader *reader;
  struct orders *orders;
  size_t room;
  struct order_reader state;
  struct order_step step;
  uint8_t *bytes;
  size_t count, bytes_room;
};

static int read_bytes(struct reading *r, struct recording_stream_id id, struct recording_error *error) {
  struct recording_stream *stream;
  struct recording_frame frame;
  int status = recording_stream_open(r->reader, id, &stream, error);
  r->count = 0;
  if (status) return status;
  while (!(status = recording_next(stream, &frame, error))) {
    while (r->count + frame.length > r->bytes_room)
      if (!GROW(r->bytes, r->bytes_room, r->bytes_room)) status = fail_memory(error);
    if (status) break;
    memcpy(r->bytes + r->count, frame.bytes, frame.length);
    r->count += frame.length;
  }
  recording_stream_close(stream);
  return status == RECORDING_END ? RECORDING_OK : status;
}

static int damaged(const struct reading *r, uint32_t thread, struct recording_error *error) {
  return recording_fail(error, RECORDING_DAMAGED, recording_reader_path(r->reader),
                        "damaged: the order log of thread %u makes no sense", thread);
}

/* The slot and the clock of each pred, until all logs are known (resolve). */
static bool take_step(struct order_log *log, const struct order_step *step) {
  if (step->begins) {
    log->slot = step->slot;
    log->clock = step->clock;
    log->former = step->waits ? (uint32_t)step->wait[0].value : 0;
    return true;
  }
  if (!add_step(&log->steps, step->until, step->clock)) return false;
  for (unsigned i = 0; i < step->waits; i++) {
    uint64_t clock = step->wait[i].value;
    /* Clocks of this length are those of more episodes than memory can hold. */
    if (clock >> 48) return false;
    if (!add_pred(&log->steps, (struct pred){.log = step->wait[i].slot << 16 | (uint32_t)(clock >> 32),
                                             .step = (uint32_t)clock}))
      return false;
  }
  return true;
}

static int read_log(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct reading *r = context;
  if (id.kind != RECORDING_ORDER || id.thread == RECORDING_SPHERE) return RECORDING_OK;
  int status = read_bytes(r, id, error);
  if (status) return status;
  if (!GROW(r->orders->logs, r->orders->count, r->room)) return fail_memory(error);
  struct order_log *log = &r->orders->logs[r->orders->count++];
  *log = (struct order_log){.thread = id.thread};
  order_reader_reset(&r->state);
  r->state.scheme = &order_dag;
  for (size_t at = 0; at < r->count;) {
    int used = order_decode(&r->state, &r->step, r->bytes + at, r->count - at);
    if (used <= 0) return damaged(r, id.thread, error);
    at += (size_t)used;
    if (!take_step(log, &r->step)) return fail_memory(error);
  }
  return RECORDING_OK;
}

/* The first step in the slot with this clock or a later one. */
static bool find_step(const struct orders *orders, unsigned slot, uint64_t clock, struct pred *pred) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < orders->count; i++) {
    const struct order_log *log = &orders->logs[i];
    const struct steps *steps = &log->steps;
    if (log->slot != slot || !steps->count || steps->all[steps->count - 1].clock < clock) continue;
    size_t low = 0, high = steps->count - 1;
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (steps->all[middle].clock < clock)
        low = middle + 1;
      else
        high = middle;
    }
    if (steps->all[low].clock >= least) continue;
    least = steps->all[low].clock;
    *pred = (struct pred){i, (uint32_t)low};
  }
  return least != UINT64_MAX;
}

static int resolve(struct reading *r, struct recording_error *error) {
  struct orders *orders = r->orders;
  for (uint32_t i = 0; i < orders->count; i++)
    for (size_t k = 0; k < orders->logs[i].steps.pred_count; k++) {
      struct pred *pred = &orders->logs[i].steps.preds[k];
      uint64_t clock = (uint64_t)(pred->log & 0xffff) << 32 | pred->step;
      if (!find_step(orders, pred->log >> 16, clock, pred)) return damaged(r, orders->logs[i].thread, error);
    }
  return RECORDING_OK;
}

/* -- One after the other -------------------------------------------------------------------------------------------------------- */

/* Visits the steps of all logs, each behind its preds, and a thread's behind all of the thread that lived in its slot before. */
struct walk {
  const struct orders *orders;
  struct steps *const *steps; /* of each log */
  size_t *done;
};

/* The log of the thread that lived in the slot before this one; UINT32_MAX: none did. */
static uint32_t find_former(const struct orders *orders, uint32_t of) {
  const struct order_log *log = &orders->logs[of];
  for (uint32_t i = 0; log->former && i < orders->count; i++)
    if (orders->logs[i].slot == log->slot && orders->logs[i].former == log->former - 1) return i;
  return UINT32_MAX;
}

static bool is_ready(const struct walk *walk, uint32_t log) {
  const struct steps *steps = walk->steps[log];
  size_t next = walk->done[log];
  uint32_t former = next ? UINT32_MAX : find_former(walk->orders, log);
  if (former != UINT32_MAX && walk->done[former] < walk->steps[former]->count) return false;
  for (size_t i = steps->all[next].preds; i < preds_end(steps, next); i++)
    if (walk->done[steps->preds[i].log] <= steps->preds[i].step) return false;
  return true;
}

typedef bool visit_step(void *context, uint32_t log, size_t step);

/* False: some wait for each other; or a visit has failed, and set *failed. */
static bool visit_all(const struct walk *walk, visit_step *visit, void *context, bool *failed) {
  bool left = true;
  for (bool moved = true; left && moved;) {
    left = moved = false;
    for (uint32_t i = 0; i < walk->orders->count; i++) {
      /* All of them are there: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
      for (; walk->done[i] < walk->steps[i]->count && is_ready(walk, i); walk->done[i]++, moved = true)
        if (!visit(context, i, walk->done[i])) return *failed = true, false;
      left |= walk->done[i] < walk->steps[i]->count;
    }
  }
  return !left;
}

static bool walk_all(const struct orders *orders, struct steps *const *steps, visit_step *visit,
                     void *context, bool *failed) {
  struct walk walk = {.orders = orders, .steps = steps, .done = calloc(orders->count + 1, sizeof *walk.done)};
  *failed = !walk.done;
  bool ok = walk.done && visit_all(&walk, visit, context, failed);
  free(walk.done);
  return ok;
}

/* -- What threads know ---------------------------------------------------------------------------------------------------------- */

/* What a log knows at the end of a step, without its own work. */
static const uint64_t *known_behind(const struct orders *orders, struct pred pred) {
  const struct order_log *log = &orders->logs[pred.log];
  size_t low = 0, high = log->known_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (log->known[middle].step <= pred.step)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? log->known[low - 1].of : NULL;
}

static void learn(uint64_t *of, const uint64_t *more, uint32_t count) {
  for (uint32_t i = 0; more && i < count; i++)
    if (of[i] < more[i]) of[i] = more[i];
}

/* A thread that begins in the slot of a former one knows what that one knew only by the way of its parent, whose log says so. */
static bool know(void *context, uint32_t index, size_t step) {
  struct orders *orders = context;
  struct order_log *log = &orders->logs[index];
  const struct steps *steps = &log->steps;
  size_t first = steps->all[step].preds, end = preds_end(steps, step);
  if (first == end) return true;
  uint64_t *of = calloc(orders->count, sizeof *of), position = step ? steps->all[step - 1].until : 0;
  if (!of || !GROW(log->known, log->known_count, log->known_room)) return free(of), false;
  if (log->known_count) learn(of, log->known[log->known_count - 1].of, orders->count);
  for (size_t i = first; i < end; i++) {
    struct pred pred = steps->preds[i];
    uint64_t until = orders->logs[pred.log].steps.all[pred.step].until;
    learn(of, known_behind(orders, pred), orders->count);
    if (of[pred.log] < until) of[pred.log] = until;
  }
  log->known[log->known_count++] = (struct known){position, step, of};
  return true;
}

static int know_all(struct reading *r, struct recording_error *error) {
  struct orders *orders = r->orders;
  struct steps **steps = calloc(orders->count + 1, sizeof *steps);
  bool failed = !steps;
  for (uint32_t i = 0; steps && i < orders->count; i++) steps[i] = &orders->logs[i].steps;
  bool ok = steps && walk_all(orders, steps, know, orders, &failed);
  free(steps);
  if (failed) return fail_memory(error);
  if (ok) return RECORDING_OK;
  return recording_fail(error, RECORDING_DAMAGED, recording_reader_path(r->reader),
                        "damaged: by the order logs, threads wait for each other");
}

int orders_read(struct recording_reader *reader, struct orders *orders, struct recording_error *error) {
  struct reading *r = calloc(1, sizeof *r);
  *orders = (struct orders){0};
  if (!r) return fail_memory(error);
  r->reader = reader;
  r->orders = orders;
  int status = recording_each_stream(reader, read_log, r, error);
  if (!status) status = resolve(r, error);
  if (!status) status = know_all(r, error);
  free(r->bytes);
  free(r);
  if (status) orders_drop(orders);
  return status;
}

static void drop_steps(struct steps *steps) {
  free(steps->all);
  free(steps->preds);
}

void orders_drop(struct orders *orders) {
  for (uint32_t i = 0; i < orders->count; i++) {
    struct order_log *log = &orders->logs[i];
    for (size_t k = 0; k < log->known_count; k++) free((void *)log->known[k].of);
    free(log->known);
    drop_steps(&log->steps);
  }
  free(orders->logs);
  *orders = (struct orders){0};
}

uint32_t orders_find(const struct orders *orders, uint32_t thread) {
  for (uint32_t i = 0; i < orders->count; i++)
    if (orders->logs[i].thread == thread) return i;
  return UINT32_MAX;
}

uint32_t orders_number(const struct orders *orders, uint32_t place) {
  return orders->logs[place].thread;
}

const uint64_t *orders_known(const struct orders *orders, uint32_t thread, uint64_t position) {
  const struct order_log *log = &orders->logs[thread];
  size_t low = 0, high = log->known_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (log->known[middle].position <= position)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? log->known[low - 1].of : NULL;
}

/* -- Writing ---------------------------------------------------------------------------------------------------------------------- */

/* A log that is to be written. The step that ends at a position is the first one that does: where several do, the others are those that
 * were recorded so. */
struct writing {
  const struct orders *orders;
  const struct order_facts *facts;
  size_t exceptions;   /* that were written */
  struct steps *steps; /* of each log */
  size_t **now;        /* of each log: which new step each recorded one has become */
  uint64_t *clocks;    /* of each slot, now … */
  uint64_t *bases;     /* … and when each log begins */
  uint8_t *bytes;
  size_t bytes_room;
  struct recording_image *image;
  struct recording_error *error;
  int status;
};

static int by_thread(const void *a, const void *b) {
  const struct order_edge *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

static int by_place(const void *a, const void *b) {
  const struct excepted *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  if (x->position != y->position) return x->position < y->position ? -1 : 1;
  return x->what.address < y->what.address ? -1 : x->what.address > y->what.address;
}

static int by_number(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* Where the steps of a log have to end besides: behind what others wait for, and where it waits itself. */
struct cuts {
  uint64_t *at;
  size_t count, room;
};

static bool add_cut(struct cuts *cuts, uint64_t position) {
  if (!GROW(cuts->at, cuts->count, cuts->room)) return false;
  cuts->at[cuts->count++] = position;
  return true;
}

static bool cut_log(struct writing *w, uint32_t index, struct cuts *cuts) {
  const struct steps *old = &w->orders->logs[index].steps;
  struct steps *new = &w->steps[index];
  uint64_t from = 0;
  size_t cut = 0;
  if (cuts->count) qsort(cuts->at, cuts->count, sizeof *cuts->at, by_number);
  w->now[index] = calloc(old->count + 1, sizeof **w->now);
  if (!w->now[index]) return false;
  for (size_t i = 0; i < old->count; i++) {
    for (; cut < cuts->count && cuts->at[cut] < old->all[i].until; cut++) {
      if (cuts->at[cut] <= from) continue;
      from = cuts->at[cut];
      if (!add_step(new, from, 0)) return false;
    }
    w->now[index][i] = new->count;
    from = old->all[i].until;
    if (!add_step(new, from, 0)) return false;
  }
  return true;
}

/* The first step that ends at the position or later. */
static size_t step_ending(const struct steps *steps, uint64_t position) {
  size_t low = 0, high = steps->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (steps->all[middle].until < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The step in which the work at a position is done. */
static size_t step_at(const struct steps *steps, uint64_t position) {
  return step_ending(steps, position + 1);
}

/* The preds of a new step: those of the recorded step that begins there, and edges. */
static bool give_preds(struct writing *w, uint32_t index, const struct order_edge *edges, size_t count) {
  const struct steps *old = &w->orders->logs[index].steps;
  struct steps *new = &w->steps[index];
  size_t edge = 0, recorded = 0;
  for (size_t i = 0; i < new->count; i++) {
    new->all[i].preds = new->pred_count;
    /* A recorded step begins with the new one behind that which its predecessor has become. */
    bool begins = recorded < old->count && i == (recorded ? w->now[index][recorded - 1] + 1 : 0);
    for (size_t k = old->all[recorded].preds; begins && k < preds_end(old, recorded); k++) {
      struct pred pred = old->preds[k];
      if (!add_pred(new, (struct pred){pred.log, (uint32_t)w->now[pred.log][pred.step]})) return false;
    }
    if (begins) recorded++;
    for (; edge < count && step_at(new, edges[edge].position) == i; edge++) {
      size_t step = step_ending(&w->steps[edges[edge].other], edges[edge].until);
      if (!add_pred(new, (struct pred){edges[edge].other, (uint32_t)step})) return false;
    }
  }
  return edge == count;
}

static bool cut_all(struct writing *w) {
  struct order_edge *edges = w->facts->edges;
  size_t count = w->facts->edge_count;
  uint32_t threads = w->orders->count;
  struct cuts *cuts = calloc(threads + 1, sizeof *cuts);
  bool ok = cuts;
  if (count) qsort(edges, count, sizeof *edges, by_thread);
  if (w->facts->exception_count)
    qsort(w->facts->exceptions, w->facts->exception_count, sizeof *w->facts->exceptions, by_place);
  for (size_t i = 0; ok && i < count; i++)
    ok = add_cut(&cuts[edges[i].thread], edges[i].position) && add_cut(&cuts[edges[i].other], edges[i].until);
  for (size_t i = 0; ok && i < w->facts->exception_count; i++)
    ok = add_cut(&cuts[w->facts->exceptions[i].thread], w->facts->exceptions[i].position);
  for (uint32_t i = 0; ok && i < threads; i++) ok = cut_log(w, i, &cuts[i]);
  for (uint32_t i = 0; cuts && i < threads; i++) free(cuts[i].at);
  free(cuts);
  for (size_t i = 0; ok && i < threads; i++) {
    size_t first = 0, own = 0;
    while (first < count && edges[first].thread < i) first++;
    while (first + own < count && edges[first + own].thread == i) own++;
    ok = give_preds(w, (uint32_t)i, edges + first, own);
  }
  return ok;
}

/* Clocks by the rule of dag.c. */
static bool give_clock(void *context, uint32_t index, size_t step) {
  struct writing *w = context;
  struct steps *steps = &w->steps[index];
  uint64_t *now = &w->clocks[w->orders->logs[index].slot], clock = *now + 1;
  for (size_t i = steps->all[step].preds; i < preds_end(steps, step); i++) {
    struct pred pred = steps->preds[i];
    uint64_t of = w->steps[pred.log].all[pred.step].clock;
    if (clock <= of) clock = of + 1;
  }
  if (!step) w->bases[index] = *now;
  *now = steps->all[step].clock = clock;
  return true;
}

/* Preds of a step by their slots, the latest of each. */
static size_t sort_preds(const struct writing *w, const struct steps *steps, size_t step,
                         struct order_wait *waits, size_t room) {
  size_t count = 0;
  for (size_t i = steps->all[step].preds; i < preds_end(steps, step); i++) {
    struct pred pred = steps->preds[i];
    uint16_t slot = w->orders->logs[pred.log].slot;
    uint64_t clock = w->steps[pred.log].all[pred.step].clock;
    size_t at = 0;
    while (at < count && waits[at].slot < slot) at++;
    if (at < count && waits[at].slot == slot) {
      if (waits[at].value < clock) waits[at].value = clock;
      continue;
    }
    if (count == room) return room + 1;
    memmove(&waits[at + 1], &waits[at], (count++ - at) * sizeof *waits);
    waits[at] = (struct order_wait){.slot = slot, .value = clock};
  }
  return count;
}

static size_t put_step(uint8_t *to, uint64_t size, uint64_t clock, const struct order_wait *waits,
                       size_t count) {
  struct slot_writer writer = {.bytes = to};
  writer.count = varint_put(to, size << 1 | (count != 0));
  for (size_t i = 0; i < count; i++) {
    put_slot(&writer, waits[i].slot, i + 1 < count);
    writer.count += varint_put(to + writer.count, zigzag((int64_t)(waits[i].value - clock)));
  }
  return writer.count;
}

static int fail_writing(const struct writing *w) {
  return recording_fail_errno(w->error, "the solved order", "writing it");
}

static bool is_excepted(const struct writing *w, uint32_t index, uint64_t position) {
  const struct excepted *next = w->facts->exceptions + w->exceptions;
  return w->exceptions < w->facts->exception_count && next->thread == index && next->position == position;
}

static int write_log(struct writing *w, uint32_t index) {
  const struct order_log *log = &w->orders->logs[index];
  const struct steps *steps = &w->steps[index];
  struct order_wait waits[ORDER_PREDS];
  uint64_t clock = w->bases[index], from = 0;
  size_t count = 0;
  for (size_t i = 0; i <= steps->count; i++) {
    while (count + ORDER_RECORD_LARGEST + (size_t)REGION_EXCEPTIONS * EXCEPTION_LARGEST > w->bytes_room)
      if (!GROW(w->bytes, w->bytes_room, w->bytes_room)) return fail_writing(w);
    if (!i) {
      count += varint_put(w->bytes + count, log->slot);
      count += varint_put(w->bytes + count, log->former);
      count += varint_put(w->bytes + count, clock);
      continue;
    }
    for (unsigned k = 0; steps->all[i - 1].until > from && is_excepted(w, index, from); k++) {
      if (k == REGION_EXCEPTIONS)
        return recording_fail(w->error, RECORDING_MISUSE, "the solved order",
                              "an instruction with so many exceptions is not supported yet");
      count += exception_put(&w->facts->exceptions[w->exceptions++].what, w->bytes + count);
    }
    size_t preds = sort_preds(w, steps, i - 1, waits, ORDER_PREDS);
    if (preds > ORDER_PREDS)
      return recording_fail(w->error, RECORDING_MISUSE, "the solved order",
                            "a thread waits for more than %d others at once, which is not supported yet",
                            ORDER_PREDS);
    count += put_step(w->bytes + count, steps->all[i - 1].until - from, clock, waits, preds);
    clock = steps->all[i - 1].clock;
    from = steps->all[i - 1].until;
  }
  if (w->exceptions < w->facts->exception_count && w->facts->exceptions[w->exceptions].thread == index)
    return recording_fail(w->error, RECORDING_DAMAGED, "the solved order",
                          "thread %u has no instruction for an exception", log->thread);
  return solved_write(w->image, log->thread, w->bytes, count, w->error);
}

static void drop_writing(struct writing *w) {
  for (uint32_t i = 0; i < w->orders->count; i++) {
    if (w->steps) drop_steps(&w->steps[i]);
    if (w->now) free(w->now[i]);
  }
  free(w->steps);
  free(w->now);
  free(w->clocks);
  free(w->bases);
  free(w->bytes);
}

static int write_all_logs(struct writing *w) {
  uint32_t threads = w->orders->count;
  struct steps **all = calloc(threads + 1, sizeof *all);
  bool failed = !all || !cut_all(w);
  for (uint32_t i = 0; all && i < threads; i++) all[i] = &w->steps[i];
  bool ok = !failed && walk_all(w->orders, all, give_clock, w, &failed);
  free(all);
  if (failed) return fail_writing(w);
  if (!ok)
    return recording_fail(w->error, RECORDING_MISUSE, "the solved order", "it contradicts the recorded one");
  int status = RECORDING_OK;
  for (uint32_t i = 0; !status && i < threads; i++) status = write_log(w, i);
  return status;
}

int orders_write(const struct orders *orders, const struct order_facts *facts, struct recording_image *image,
                 struct recording_error *error) {
  struct writing w = {.orders = orders, .facts = facts, .image = image, .error = error};
  w.steps = calloc(orders->count + 1, sizeof *w.steps);
  w.now = calloc(orders->count + 1, sizeof *w.now);
  w.clocks = calloc(ORDER_SLOTS, sizeof *w.clocks);
  w.bases = calloc(orders->count + 1, sizeof *w.bases);
  int status = w.steps && w.now && w.clocks && w.bases ? write_all_logs(&w) : fail_writing(&w);
  drop_writing(&w);
  return status;
}
