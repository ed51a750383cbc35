/* compactness.c: how long the logs of each scheme are, and how parallel a replay of them could be.
 *
 *     compactness [-v]
 *
 * Four threads make accesses in a random order, most of them to what is their own, some to blocks that all share. The hand-over is as
 * in src/order/directory.c but at once: what is measured is the schemes. In replay everybody whom the log does not keep waiting makes one access
 * per tick. The bounds are what was measured and a little: a change that makes logs longer or replays more serial must
 * be meant. */
/* cflags: -DORDER_SLOTS=16 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/replay.h"
#include "order/sets.h"
#include "order/wrong.h"

enum { THREADS = 4, ACCESSES = 25000, SHARED = 24, ROOM = 1 << 20 };

static uint64_t random_state;
static unsigned draw(unsigned below) { /* splitmix64 */
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (unsigned)((z ^ z >> 31) % below);
}

/* -- Recording ------------------------------------------------------------------------------------------------------------ */

static uint8_t logs[THREADS][ROOM];
static size_t bytes[THREADS];
static struct order_recorder recorders[THREADS];
static struct {
  int owner, writer; /* -1: none */
  unsigned sharers;  /* bits */
  uint64_t info;
  uint64_t last_access[THREADS];
} blocks[SHARED];
static unsigned edges;

static void append(const struct order *order, unsigned slot, const uint8_t *from, size_t count) {
  (void)order;
  if (bytes[slot] + count > ROOM) abort();
  memcpy(logs[slot] + bytes[slot], from, count);
  bytes[slot] += count;
}

static struct order order = {.log = append};

static void ask(unsigned me, unsigned target, unsigned block, unsigned want, uint64_t *info) {
  struct order_note note;
  struct order_ask request = {.block = block, .want = (uint8_t)want, .from = (uint16_t)me};
  request.last_access = blocks[block].last_access[target];
  edges++;
  if (info)
    order.scheme->registered(&order, &recorders[target], &request, *info, &note);
  else
    order.scheme->reply(&order, &recorders[target], &request, &note);
  blocks[block].info = info ? *info : note.clock;
  order.scheme->receive(&order, &recorders[me], target, &note);
}

static void write_block(unsigned me, unsigned b) {
  if (blocks[b].owner == (int)me) return;
  if (blocks[b].owner >= 0) ask(me, (unsigned)blocks[b].owner, b, ORDER_WRITE, NULL);
  for (unsigned t = 0; t < THREADS; t++)
    if (blocks[b].sharers >> t & 1 && t != me) ask(me, t, b, ORDER_WRITE, NULL);
  blocks[b].owner = blocks[b].writer = (int)me;
  blocks[b].sharers = 0;
}

static void read_block(unsigned me, unsigned b) {
  if (blocks[b].owner == (int)me || blocks[b].sharers >> me & 1) return;
  if (blocks[b].owner >= 0) {
    ask(me, (unsigned)blocks[b].owner, b, ORDER_READ, NULL);
    blocks[b].sharers = 1U << blocks[b].owner;
    blocks[b].owner = -1;
  } else if (blocks[b].writer >= 0 && blocks[b].writer != (int)me) {
    ask(me, (unsigned)blocks[b].writer, b, ORDER_READ, &blocks[b].info);
  }
  blocks[b].sharers |= 1U << me;
}

static void access_one(unsigned me, unsigned shared_of_10000) {
  struct order_recorder *recorder = &recorders[me];
  if (recorder->position >= order_limit(&order, recorder)) order.scheme->end(&order, recorder);
  if (draw(10000) >= shared_of_10000) {
    recorder->position++;
    return;
  }
  unsigned b = draw(SHARED), want = draw(10) < 3 ? ORDER_WRITE : ORDER_READ;
  if (want == ORDER_WRITE)
    write_block(me, b);
  else
    read_block(me, b);
  if (order.options.filter) order.scheme->touch(&order, recorder, b, (enum order_want)want);
  recorder->position++;
  blocks[b].last_access[me] = order_clock(recorder);
}

static void record(unsigned shared_of_10000) {
  random_state = 1;
  edges = 0;
  memset(bytes, 0, sizeof bytes);
  memset(blocks, 0, sizeof blocks);
  for (unsigned b = 0; b < SHARED; b++) blocks[b].owner = blocks[b].writer = -1;
  for (unsigned t = 0; t < THREADS; t++) {
    order_recorder_init(&recorders[t], t);
    order.scheme->begin(&order, &recorders[t], 0, NULL);
  }
  for (unsigned left = THREADS * ACCESSES; left;) {
    unsigned t = draw(THREADS);
    if (recorders[t].position == ACCESSES) continue;
    access_one(t, shared_of_10000);
    left--;
  }
  for (unsigned t = 0; t < THREADS; t++) order.scheme->exit(&order, &recorders[t]);
}

/* -- Replay --------------------------------------------------------------------------------------------------------------- */

static struct order_board board;
static struct {
  struct order_reader reader;
  struct order_step step, last;
  size_t at;
  uint64_t position;
  enum { NONE, COMING, WAITING, RUNNING, FREE, ENDED } phase;
} threads[THREADS];

static void next_step(unsigned t) {
  threads[t].last = threads[t].step;
  int n =
      order_decode(&threads[t].reader, &threads[t].step, logs[t] + threads[t].at, bytes[t] - threads[t].at);
  if (n < 0) abort();
  threads[t].at += (size_t)n;
  threads[t].phase = n ? COMING : FREE;
}

/* All that takes no time. */
static bool settle(unsigned t) {
  struct order_step *step = &threads[t].step;
  unsigned phase = threads[t].phase;
  if (phase == COMING && threads[t].position == step->from) {
    order_replay_arrive(&board, t, step);
    threads[t].phase = WAITING;
  } else if (phase == WAITING && order_replay_ready(&board, t, step)) {
    order_replay_pass(&board, t, step);
    threads[t].phase = RUNNING;
  } else if (phase == RUNNING && threads[t].position == step->until) {
    order_replay_done(&board, t, step);
    next_step(t);
  } else if (phase == FREE && threads[t].position == ACCESSES) {
    order_replay_end(&board, t);
    threads[t].phase = ENDED;
  } else {
    return false;
  }
  return true;
}

/* Ticks, or 0 if it does not come to its end. */
static unsigned replay(void) {
  memset(&board, 0, sizeof board);
  memset(threads, 0, sizeof threads);
  for (unsigned t = 0; t < THREADS; t++) {
    threads[t].reader.scheme = order.scheme;
    order_replay_spawn(&board, t);
    next_step(t);
    next_step(t);
  }
  for (unsigned tick = 0;; tick++) {
    bool moved = false, settled = true;
    while (settled) {
      settled = false;
      for (unsigned t = 0; t < THREADS; t++) settled |= settle(t);
    }
    for (unsigned t = 0; t < THREADS; t++) {
      unsigned phase = threads[t].phase;
      if (phase == WAITING || phase == ENDED) continue;
      threads[t].position++;
      moved = true;
      if (order.scheme == &order_arcs)
        order_replay_publish(&board, t, order_replay_clock(&threads[t].last, threads[t].position));
    }
    if (moved) continue;
    for (unsigned t = 0; t < THREADS; t++)
      if (threads[t].phase != ENDED) return 0;
    return tick;
  }
}

/* -- The table ------------------------------------------------------------------------------------------------------------ */

static const struct {
  const char *name;
  const struct order_scheme *scheme;
  struct order_options options;
  double bytes[2], speed[2]; /* at most, at least: with few conflicts, with many */
} rows[] = {
    {"tokens", &order_tokens, {0}, {8.5, 107.9}, {1.13, 1.1}},
    {"tokens, single edges", &order_tokens, {.single_edges = true}, {8.8, 110.4}, {1.21, 1.15}},
    {"tokens, 1024", &order_tokens, {.max_episode = 1024}, {9.2, 107.9}, {1.19, 1.1}},
    {"tokens, 256", &order_tokens, {.max_episode = 256}, {15.8, 107.9}, {2.01, 1.1}},
    {"tokens, edges, 256",
     &order_tokens,
     {.edges_only = true, .max_episode = 256},
     {13.8, 107.9},
     {2.15, 1.1}},
    {"tokens, edges, 16", &order_tokens, {.edges_only = true, .max_episode = 16}, {20.3, 188}, {3.7, 2.3}},
    {"tokens, edges, 1", &order_tokens, {.edges_only = true, .max_episode = 1}, {20.1, 211}, {3.72, 3.29}},
    {"tokens, filter", &order_tokens, {.filter = true}, {4.8, 56.6}, {1.23, 1.25}},
    {"tokens, filter, 256", &order_tokens, {.filter = true, .max_episode = 256}, {14.9, 56.9}, {3.11, 1.25}},
    {"dag", &order_dag, {0}, {7.1, 82}, {1.08, 1.12}},
    {"dag, 1024", &order_dag, {.max_episode = 1024}, {8, 82}, {1.25, 1.12}},
    {"dag, 256", &order_dag, {.max_episode = 256}, {14.6, 82}, {2.13, 1.12}},
    {"dag, edges, 1", &order_dag, {.edges_only = true, .max_episode = 1}, {16.9, 161}, {3.72, 3.34}},
    {"scalar", &order_scalar, {0}, {7.2, 60.6}, {1.29, 1.31}},
    {"scalar, filter", &order_scalar, {.filter = true}, {2.9, 28}, {1.22, 1.25}},
    {"arcs", &order_arcs, {0}, {14.9, 136.6}, {3.71, 3.33}},
    {"arcs, last access", &order_arcs, {.last_access = true}, {9.6, 89.9}, {3.83, 3.72}},
};

int main(int argc, char **argv) {
  static const unsigned shared[2] = {50, 600};
  bool verbose = argc > 1 && !strcmp(argv[1], "-v");
  unsigned passed = 0, failed = 0;
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
      order.scheme = rows[i].scheme;
      order.options = rows[i].options;
      record(shared[k]);
      size_t sum = 0;
      for (unsigned t = 0; t < THREADS; t++) sum += bytes[t];
      unsigned ticks = replay();
      double length = (double)sum * 1000 / (THREADS * ACCESSES),
             speed = ticks ? (double)THREADS * ACCESSES / ticks : 0;
      if (verbose && !i)
        printf("edges per 1,000 accesses: %.1f\n", (double)edges * 1000 / (THREADS * ACCESSES));
      bool good = length <= rows[i].bytes[k] && speed >= rows[i].speed[k];
      if (verbose || !good)
        printf("%-20s %6.1f bytes per 1,000 accesses, replay %.2fx%s\n", rows[i].name, length, speed,
               good ? "" : ": FAIL");
      *(good ? &passed : &failed) += 1;
    }
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}
