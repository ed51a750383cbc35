/* values.c: memory that is recorded by what is read of it: its log, and the rules of opening and closing.
 *
 *     values [--soak]
 *
 * First the pure half (order/values.h): what was compared comes back from the log, a log that is cut or damaged is noticed or stays within bounds.
 *
 * Then a model of the rules: every execution of so many steps, of two threads on two blocks and of three threads on one. A step is an access of
 * any thread to any block, which may open or close the block first; closed blocks change hands as the directory has them. Each execution is
 * recorded, and then replayed in every order that the edges allow: every read must give what it gave. Two sets of rules are tried:
 *
 *     apart    the engine's, with more edges than it needs: open accesses do not touch memory in replay, so they need no edges; the closer needs one, from the opening
 *     joined   open accesses go through memory, under a lock, so edges keep them behind the opening and before the close
 *
 * Then the same with each of the mistakes below, which must be found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/values.h"
#include "order/wrong.h"
#include "expect.h"

/* -- The log ---------------------------------------------------------------------------------------------------------------- */

enum { PARTS = 3 };

static void change(uint8_t *bytes, const struct values_part *part) {
  for (unsigned i = part->from; i < (unsigned)part->from + part->count; i++)
    if (next() % 4 == 0) bytes[i] = (uint8_t)next();
}

/* Applies all runs to the parts that they are of; false: these are none. */
static bool apply(const struct values_part *parts, const uint8_t *log, size_t length,
                  uint8_t (*seen)[VALUES_LINE]) {
  struct values_run run;
  uint64_t part = UINT64_MAX; /* before the first */
  for (int used; length; log += used, length -= (size_t)used) {
    used = values_decode(log, length, &run);
    if (used <= 0) return false;
    EXPECT((size_t)used <= length && run.count && run.offset + run.count <= VALUES_LINE);
    part += run.since;
    if (part >= PARTS || run.offset < parts[part].from ||
        run.offset + run.count > (unsigned)parts[part].from + parts[part].count)
      return false;
    memcpy(seen[part] + run.offset, run.bytes, run.count);
  }
  return true;
}

static void try_log(void) {
  struct values_part parts[PARTS];
  uint8_t now[PARTS][VALUES_LINE] = {{0}}, seen[PARTS][VALUES_LINE] = {{0}}, again[PARTS][VALUES_LINE];
  uint8_t log[PARTS * VALUES_PART_LARGEST];
  size_t length = 0;
  uint64_t since = 0;
  for (unsigned i = 0; i < PARTS; i++) {
    parts[i].from = (uint8_t)(next() % VALUES_LINE);
    parts[i].count = (uint8_t)(1 + next() % (VALUES_LINE - parts[i].from));
    change(seen[i], &parts[i]);
    memcpy(now[i], seen[i], VALUES_LINE);
    change(now[i], &parts[i]);
  }
  memcpy(again, seen, sizeof again);
  for (unsigned i = 0; i < PARTS; i++) {
    size_t added = values_encode(++since, parts[i], now[i], seen[i], log + length);
    EXPECT(added <= VALUES_PART_LARGEST);
    if (added) since = 0;
    length += added;
  }
  EXPECT(!memcmp(now, seen, sizeof now));
  EXPECT(apply(parts, log, length, again) && !memcmp(again, now, sizeof now));
  uint8_t nothing[VALUES_PART_LARGEST];
  EXPECT(!values_encode(1, parts[0], now[0], seen[0], nothing));
  uint8_t *exact = malloc(length + 1); /* so that a read behind the end is one behind what was allocated */
  for (unsigned i = 0; i < 8 && length; i++) {
    size_t cut = next() % length;
    memcpy(exact, log, cut);
    exact = realloc(exact, cut + !cut);
    apply(parts, exact, cut, again);
    exact = realloc(exact, length);
    memcpy(exact, log, length);
    exact[next() % length] ^= (uint8_t)(1u << next() % 8);
    apply(parts, exact, length, again);
  }
  free(exact);
}

static void try_seen(void) {
  static struct values_seen seen;
  const uint64_t line = 0x10000, same_place = line + (uint64_t)VALUES_LINES * VALUES_LINE;
  values_see(&seen, line)[5] = 7;
  EXPECT(values_see(&seen, line)[5] == 7);
  EXPECT(values_see(&seen, line + VALUES_LINE)[5] == 0);
  EXPECT(values_see(&seen, line)[5] == 7);
  EXPECT(values_see(&seen, same_place)[5] == 0); /* and takes its place */
  EXPECT(values_see(&seen, line)[5] == 0);
  values_see(&seen, 0)[1] = 1; /* line 0 is one as any other */
  EXPECT(values_see(&seen, 0)[1] == 1);
  values_forget(&seen);
  EXPECT(values_see(&seen, 0)[1] == 0);
}

/* -- The model: recording --------------------------------------------------------------------------------------------------- */

enum { THREADS = 3, BLOCKS = 2, STEPS = 6 };

enum mistake {
  RIGHT,
  STORE_REACHES_MEMORY, /* a store to open memory changes memory in replay (apart) */
  OPENED_EARLY,         /* a block is opened while others still have it, and use it as before */
  SHARER_MISSED,        /* a close that one of those who use the block does not hear of */
  NO_OPENING_EDGE,      /* a close without the edge from the opening */
  OTHER_EVICTION,       /* replay has room for more lines than the recording */
  LOADED_TWICE,         /* the value logged is not the one that the instruction got */
  NO_JOINING_EDGE,      /* joined: the first open access of a thread may come before the opening */
  MISTAKES
};

enum kind {
  LOAD,
  STORE /* something new */,
  EXCHANGE /* for zero, which lines that are not there count as, too */,
  KINDS
};

struct mark {
  bool open, close; /* the block, for this thread; close: it is the one who closes */
  int value;        /* close: what memory holds then */
};

/* What the log of a thread has for one of its accesses. */
struct access_log {
  enum kind kind;
  unsigned block;
  uint8_t wait[THREADS]; /* accesses of each thread that come before it */
  struct mark mark[BLOCKS];
  bool left[BLOCKS]; /* others have closed it */
  bool logged;
  int value;       /* logged */
  int got, stored; /* the truth */
};

static struct {
  unsigned threads, blocks, steps;
  bool joined;
  enum mistake mistake;
  unsigned long executions, replays;
  const char *wrong;
} model;

struct recorded {
  int memory[BLOCKS], before[BLOCKS]; /* before: the last store of another thread */
  uint8_t done[THREADS];
  bool is_open[BLOCKS], opened[BLOCKS];
  uint8_t opener[BLOCKS], opened_at[BLOCKS];
  bool holds[THREADS][BLOCKS], owns[THREADS][BLOCKS]; /* closed */
  bool stale[THREADS][BLOCKS];                        /* OPENED_EARLY */
  uint8_t writer[BLOCKS], written_at[BLOCKS];         /* writer: thread + 1 */
  bool member[THREADS][BLOCKS];
  uint8_t line[THREADS]; /* block + 1 that the thread's only line is of */
  int seen[THREADS];
  bool left[THREADS][BLOCKS]; /* to be logged with its next access */
  struct access_log log[THREADS][STEPS];
};

static struct access_log *log_of(struct recorded *r, unsigned t) {
  return &r->log[t][r->done[t]];
}

/* Thread t's next access comes behind so many of the other's. */
static void edge(struct recorded *r, unsigned t, unsigned from, uint8_t done) {
  uint8_t *wait = &log_of(r, t)->wait[from];
  if (from != t && *wait < done) *wait = done;
}

static void claim(struct recorded *r, unsigned t, unsigned b, bool write) {
  for (unsigned o = 0; o < model.threads; o++) {
    if (o == t || !(write ? r->holds[o][b] : r->owns[o][b])) continue;
    edge(r, t, o, r->done[o]);
    if (r->owns[o][b]) r->writer[b] = (uint8_t)(o + 1), r->written_at[b] = r->done[o];
    r->owns[o][b] = false;
    if (write) r->holds[o][b] = false;
  }
  if (r->writer[b]) edge(r, t, r->writer[b] - 1u, r->written_at[b]);
  r->holds[t][b] = true;
  r->owns[t][b] = write || r->owns[t][b];
  if (write) r->writer[b] = 0;
}

static void join(struct recorded *r, unsigned t, unsigned b) {
  if (r->member[t][b]) return;
  r->member[t][b] = true;
  log_of(r, t)->mark[b].open = true;
  if (model.joined && model.mistake != NO_JOINING_EDGE) edge(r, t, r->opener[b], r->opened_at[b]);
}

/* Everybody gives the block up first, with edges to the opener; only then may anybody use it. */
static void open_block(struct recorded *r, unsigned t, unsigned b) {
  if (model.mistake == OPENED_EARLY)
    for (unsigned o = 0; o < model.threads; o++) r->stale[o][b] = o != t && r->holds[o][b];
  claim(r, t, b, true);
  r->holds[t][b] = r->owns[t][b] = false;
  r->is_open[b] = true;
  r->opener[b] = (uint8_t)t;
  r->opened_at[b] = r->done[t] + 1; /* behind the wait that the opening itself made */
  join(r, t, b);
}

static void close_block(struct recorded *r, unsigned t, unsigned b) {
  bool missed = false;
  for (unsigned o = 0; o < model.threads; o++) {
    if (o == t || !r->member[o][b]) continue;
    if (model.mistake == SHARER_MISSED && !missed) {
      missed = true;
      continue;
    }
    r->member[o][b] = false;
    r->left[o][b] = true;
    if (model.joined) edge(r, t, o, r->done[o]);
  }
  if (model.mistake != NO_OPENING_EDGE) edge(r, t, r->opener[b], r->opened_at[b]);
  r->member[t][b] = r->is_open[b] = false;
  r->left[t][b] = false;
  log_of(r, t)->mark[b] = (struct mark){.close = true, .value = r->memory[b]};
  r->holds[t][b] = r->owns[t][b] = true;
  r->writer[b] = 0;
}

static int see(uint8_t line, int seen, unsigned b) {
  return line == b + 1 ? seen : 0;
}

static void record_access(struct recorded *r, unsigned t, unsigned b, enum kind kind, int fresh) {
  struct access_log *log = log_of(r, t);
  bool inline_as_before = r->stale[t][b] && !r->member[t][b] && r->is_open[b];
  if (r->is_open[b] && !inline_as_before) join(r, t, b);
  bool open = r->member[t][b]; /* SHARER_MISSED: also a block that is closed */
  if (!open && !inline_as_before && !(kind == LOAD ? r->holds[t][b] : r->owns[t][b]))
    claim(r, t, b, kind != LOAD);
  log->kind = kind;
  log->block = b;
  log->got = r->memory[b];
  log->stored = fresh;
  memcpy(log->left, r->left[t], sizeof log->left);
  memset(r->left[t], 0, sizeof r->left[t]);
  if (kind != STORE && open) {
    int shown = model.mistake == LOADED_TWICE ? r->before[b] : log->got;
    log->logged = see(r->line[t], r->seen[t], b) != shown;
    log->value = shown;
  }
  for (unsigned other = 0; other < model.blocks; other++) r->before[other] = r->memory[other];
  if (kind != LOAD) r->memory[b] = fresh;
  if (open) r->line[t] = (uint8_t)(b + 1), r->seen[t] = r->memory[b];
  r->done[t]++;
}

/* -- The model: replay ------------------------------------------------------------------------------------------------------- */

struct replayed {
  int memory[BLOCKS];
  uint8_t done[THREADS];
  bool open[THREADS][BLOCKS];
  uint8_t line[THREADS][BLOCKS]; /* one line, or with OTHER_EVICTION one for each block */
  int seen[THREADS][BLOCKS];
};

static bool is_ready(const struct recorded *r, const struct replayed *p, unsigned t) {
  if (p->done[t] == r->done[t]) return false;
  const struct access_log *log = &r->log[t][p->done[t]];
  for (unsigned o = 0; o < model.threads; o++)
    if (p->done[o] < log->wait[o]) return false;
  return true;
}

static void follow_marks(struct replayed *p, unsigned t, const struct access_log *log) {
  for (unsigned b = 0; b < model.blocks; b++) {
    if (log->left[b]) p->open[t][b] = false;
    if (log->mark[b].close) p->open[t][b] = false, p->memory[b] = log->mark[b].value;
    if (log->mark[b].open) p->open[t][b] = true;
  }
}

/* False: it is not what was recorded. */
static bool replay_access(const struct recorded *r, struct replayed *p, unsigned t) {
  const struct access_log *log = &r->log[t][p->done[t]++];
  unsigned b = log->block, place = model.mistake == OTHER_EVICTION ? b : 0;
  follow_marks(p, t, log);
  bool open = p->open[t][b];
  int got = open ? see(p->line[t][place], p->seen[t][place], b) : p->memory[b];
  if (open && log->logged) got = log->value;
  if (open && model.joined) p->memory[b] = got;
  int now = log->kind == LOAD ? got : log->stored;
  if (open) {
    p->line[t][place] = (uint8_t)(b + 1);
    p->seen[t][place] = log->kind == STORE || log->kind == EXCHANGE ? now : got;
    if (log->kind != LOAD && (model.joined || model.mistake == STORE_REACHES_MEMORY)) p->memory[b] = now;
  } else if (log->kind != LOAD) {
    p->memory[b] = now;
  }
  return log->kind == STORE || got == log->got;
}

static void replay_all(const struct recorded *r, const struct replayed *p) {
  bool any = false, over = true;
  for (unsigned t = 0; t < model.threads && !model.wrong; t++) {
    over &= p->done[t] == r->done[t];
    if (!is_ready(r, p, t)) continue;
    struct replayed next_state = *p;
    any = true;
    if (!replay_access(r, &next_state, t)) {
      model.wrong = "a read that gives something else";
      return;
    }
    replay_all(r, &next_state);
  }
  if (model.wrong) return;
  if (over) model.replays++;
  if (!any && !over) model.wrong = "a replay that gets stuck";
}

/* -- The model: all executions ------------------------------------------------------------------------------------------------- */

static void execute(const struct recorded *r, unsigned steps) {
  if (steps == model.steps) {
    struct replayed start = {0};
    model.executions++;
    replay_all(r, &start);
    return;
  }
  for (unsigned t = 0; t < model.threads; t++)
    for (unsigned b = 0; b < model.blocks; b++)
      for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned turns = 0; turns < 2 && !model.wrong; turns++) {
          struct recorded after = *r;
          if (turns && after.is_open[b])
            close_block(&after, t, b);
          else if (turns)
            open_block(&after, t, b);
          record_access(&after, t, b, (enum kind)kind, kind == EXCHANGE ? 0 : (int)steps + 1);
          execute(&after, steps + 1);
        }
}

/* What is wrong, or NULL. */
static const char *explore(unsigned threads, unsigned blocks, unsigned steps, bool joined,
                           enum mistake mistake) {
  struct recorded start;
  memset(&start, 0, sizeof start);
  memset(&model, 0, sizeof model);
  model.threads = threads, model.blocks = blocks, model.steps = steps;
  model.joined = joined, model.mistake = mistake;
  execute(&start, 0);
  return model.wrong;
}

static void explore_right(unsigned more) {
  static const struct { unsigned threads, blocks, steps; } sizes[] = {{2, 2, 4}, {3, 1, 4}, {2, 1, 5}};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (unsigned joined = 0; joined < 2; joined++) {
      unsigned steps = sizes[i].steps + more;
      const char *wrong = explore(sizes[i].threads, sizes[i].blocks, steps, joined, RIGHT);
      EXPECT(!wrong);
      if (wrong)
        printf("%u threads, %u blocks, %s: %s\n", sizes[i].threads, sizes[i].blocks,
               joined ? "joined" : "apart", wrong);
      printf("%u threads, %u blocks, %u steps, %s: %lu executions, %lu replays\n", sizes[i].threads,
             sizes[i].blocks, steps, joined ? "joined" : "apart", model.executions, model.replays);
    }
}

static void explore_mistakes(void) {
  for (int mistake = RIGHT + 1; mistake < MISTAKES; mistake++) {
    const char *wrong = NULL;
    for (unsigned steps = 2; steps <= 5 && !wrong; steps++)
      for (unsigned joined = 0; joined < 2 && !wrong; joined++) {
        wrong = explore(2, 2, steps > 4 ? 4 : steps, joined, (enum mistake)mistake);
        if (!wrong) wrong = explore(3, 1, steps, joined, (enum mistake)mistake);
      }
    EXPECT(wrong);
    printf("mistake %d: %s\n", mistake, wrong ? wrong : "not found");
  }
}

int main(int argc, char **argv) {
  bool soak = argc > 1 && !strcmp(argv[1], "--soak");
  for (unsigned i = 0; i < (soak ? 1000000u : 20000u); i++) try_log();
  try_seen();
  explore_right(soak);
  explore_mistakes();
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}
