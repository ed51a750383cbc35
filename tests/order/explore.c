/* explore.c: every state that the hand-over protocol can get into, for any program of 2 threads on 2 blocks and of 3 threads on 1.
 *
 *     explore [-v] [--soak]
 *
 * Not programs of some length: a thread that has done its operation may begin any other. What keeps that finite is that the order
 * scheme here only knows the truth that matters: for each slot, block and kind of access, whether a thread is ordered behind the last such access.
 * That goes with every answer, as a scheme's note would, and is void once the access is made again.
 *
 * In every state: nobody holds what another may not; an access has its permission (no grant was lost or stolen) and is ordered behind all it
 * conflicts with (no edge is missing); and if no step can be taken but the beginning of new operations, then no thread is in
 * the middle of one (nobody waits in vain, not even for a wake-up). Then the same with each mistake of wrong.h that is the directory's: it must be found. */
/* cflags: -O3 -march=native -DORDER_SLOTS=3 -DORDER_PREDS=3 -DORDER_FILTER_BYTES=8 -DDIRECTORY_BATCH=2 -DDIRECTORY_INLINE=1 -DDIRECTORY_RANGES=2 -DDIRECTORY_LINE=8 -DDIRECTORY_GROUP=2 */
#include "states.h"
#include "world.h"

/* -- The scheme that knows ---------------------------------------------------------------------------------------------- */

/* A bit for each slot, block, and kind; the knowledge of a thread is its recorder's now.clock. */
static uint64_t fact(unsigned slot, unsigned block, bool write) {
  return 1UL << ((slot * WORLD_BLOCKS + block) * 2 + write);
}

/* What is now true of the last accesses: some facts are news that none has, others do not matter any more. */
static void learn(uint64_t *knowledge, uint64_t news, uint64_t moot) {
  *knowledge = (*knowledge | moot) & ~news;
}

static void access_is_news(unsigned t, struct op op) {
  uint64_t news = 0, moot = 0; /* to be behind a write is to be behind all that the write is behind */
  for (unsigned block = 0; block < WORLD_BLOCKS; block++) {
    if (op.reads >> block & 1) news |= fact(t, block, false);
    if (op.writes >> block & 1) news |= fact(t, block, true);
    for (unsigned slot = 0; op.writes >> block & 1 && slot < ORDER_SLOTS; slot++)
      moot |= fact(slot, block, false) | fact(slot, block, true);
  }
  uint64_t *mine = &world.slot[t].recorder.now.clock;
  for (unsigned other = 0; other < ORDER_SLOTS; other++)
    for (unsigned block = 0; block < WORLD_BLOCKS; block++) {
      bool writes = op.writes >> block & 1, reads = op.reads >> block & 1;
      bool behind_writes = *mine & fact(other, block, true), behind_reads = *mine & fact(other, block, false);
      if (other != t && (((writes || reads) && !behind_writes) || (writes && !behind_reads)))
        world_wrong = "an access that no edge orders behind another";
    }
  for (unsigned other = 0; other < ORDER_SLOTS; other++) {
    learn(&world.slot[other].recorder.now.clock, other == t ? 0 : news, moot);
    for (unsigned i = 0; i < DIRECTORY_BATCH; i++) learn(&world.slot[other].cell[i].note.clock, news, moot);
    learn(&world.thread[other].claim.note.clock, news, moot);
    learn(&world.thread[other].claim.info, news, moot);
    learn(&world.thread[other].note.clock, news, moot);
  }
  for (unsigned block = 0; block < WORLD_BLOCKS; block++) learn(&world.info[block], news, moot);
  for (unsigned i = 0; i < WORLD_GROUPS; i++) learn(&world.group[i].info, news, moot);
}

static void reply(const struct order *order, struct order_recorder *me, const struct order_ask *ask,
                  struct order_note *out) {
  (void)order, (void)ask;
  *out = (struct order_note){.clock = me->now.clock, .kind = ORDER_EDGE};
}
static void asked_for(const struct order *order, struct order_recorder *writer, const struct order_ask *ask,
                      uint64_t info, struct order_note *out) {
  (void)info;
  reply(order, writer, ask, out);
}
static void left_behind(const struct order *order, struct order_recorder *writer, const struct order_ask *ask,
                        uint64_t info, struct order_note *out) {
  (void)order, (void)writer, (void)ask;
  *out = (struct order_note){.clock = info, .kind = ORDER_EDGE};
}
static void receive(const struct order *order, struct order_recorder *me, unsigned from,
                    const struct order_note *in) {
  (void)order, (void)from;
  me->now.clock |= in->clock;
}
static void spawn(const struct order *order, struct order_recorder *me, unsigned child,
                  struct order_note *out) {
  (void)order, (void)child;
  *out = (struct order_note){.clock = me->now.clock, .kind = ORDER_EDGE};
}
static void begin(const struct order *order, struct order_recorder *me, unsigned parent,
                  const struct order_note *in) {
  me->lives = 1;
  if (in) receive(order, me, parent, in);
}
static void nothing(const struct order *order, struct order_recorder *me) {
  (void)order, (void)me;
}
static void leave(const struct order *order, struct order_recorder *me) {
  (void)order;
  me->lives = 0;
}

static const struct order_scheme asking = {.asks_writer = true,
                                           .begin = begin,
                                           .reply = reply,
                                           .registered = asked_for,
                                           .receive = receive,
                                           .park = nothing,
                                           .end = nothing,
                                           .spawn = spawn,
                                           .exit = leave};
static const struct order_scheme leaving = {.begin = begin,
                                            .reply = reply,
                                            .registered = left_behind,
                                            .receive = receive,
                                            .park = nothing,
                                            .end = nothing,
                                            .spawn = spawn,
                                            .exit = leave};

/* -- The states ---------------------------------------------------------------------------------------------------------- */

struct setting {
  const char *name;
  enum {
    ALWAYS,
    SOAK,
    MISTAKES
  } when; /* explored: also without --soak; with it only; for mistakes only, it is too large */
  const struct order_scheme *scheme;
  unsigned threads;
  uint64_t along;   /* world_along */
  unsigned further; /* world_further */
  unsigned count;
  struct op op[10];
  bool part; /* world_part */
};

static bool is_allowed(const struct world *state, unsigned t, struct op op) {
  unsigned activity = state->thread[t].activity, alive = 0;
  if (op.kind == OP_UNPARK) return activity == PARKED;
  if (activity != (op.kind == OP_ABANDON ? CLAIMING : IDLE)) return false;
  for (unsigned i = 0; i < state->threads; i++) alive += state->thread[i].activity != DEAD;
  if (op.kind == OP_EXIT || op.kind == OP_ABANDON) return alive > 1;
  if (op.kind == OP_SPAWN) return state->thread[op.slot].activity == DEAD;
  return op.kind != OP_SERVE || state->slot[t].asked[0];
}

/* All that can come next. A step that changes nothing is a wait for a lock. */
static void expand(const struct setting *setting, const struct world *state) {
  bool progress = false, amid = false;
  states_go_back(state);
  for (unsigned t = 0; t < setting->threads && !world_wrong; t++) {
    unsigned activity = state->thread[t].activity;
    amid |= activity != IDLE && activity != PARKED && activity != DEAD;
    if (world_can_step(t)) {
      progress |= states_step(t, state);
      states_go_back(state);
    }
    if (is_allowed(state, t, (struct op){.kind = OP_SERVE})) {
      world_operate(t, (struct op){.kind = OP_SERVE});
      progress = true;
      states_add();
      states_go_back(state);
    }
    for (unsigned i = 0; i < setting->count && !world_wrong; i++) {
      if (!is_allowed(state, t, setting->op[i])) continue;
      world_operate(t, setting->op[i]);
      states_add();
      states_go_back(state);
    }
  }
  if (amid && !progress && !world_wrong) world_wrong = "somebody waits in vain";
}

/* What is wrong, NULL if nothing is. */
static const char *explore(const struct setting *setting) {
  static struct world state;
  states_clear();
  world_along = setting->along;
  world_further = setting->further;
  world_part = setting->part;
  world_start(setting->scheme, &(struct order_options){0}, setting->threads, false);
  for (unsigned t = 0; t < setting->threads; t++) {
    world.slot[t].recorder.now.clock = UINT64_MAX; /* nothing has happened, and all are ordered behind it */
    if (!t) continue;
    world_operate(0, (struct op){.kind = OP_SPAWN, .slot = (uint8_t)t});
    while (!world_is_idle(0)) world_step(0);
    while (!world_is_idle(t)) world_step(t);
  }
  states_add();
  while (!world_wrong && states_take(&state)) expand(setting, &state);
  return world_wrong;
}

/* -- What is tried ------------------------------------------------------------------------------------------------------- */

#define READ(blocks) \
  { .kind = OP_ACCESS, .reads = (blocks) }
#define WRITE(blocks) \
  { .kind = OP_ACCESS, .writes = (blocks) }
#define BOTH(r, w) \
  { .kind = OP_ACCESS, .reads = (r), .writes = (w) }
#define LEAVE(blocks) \
  { .kind = OP_LEAVE, .writes = (blocks) }
#define PARKING_OPS    \
  {.kind = OP_PARK}, { \
    .kind = OP_UNPARK  \
  }

/* Blocks 0 and 1 are one group, 2 belongs to another. */
enum { B0 = 1, B1 = 2, B2 = 4, ALL = 7 };
enum {
  PLAIN,
  PLAIN_LEAVING,
  APART,
  AT_ONCE,
  AT_ONCE_APART,
  AT_ONCE_SOME,
  ALONG,
  THREE,
  THREE_LEAVING,
  EXITS,
  ABANDONS,
  THREE_TWO,
  KEEPING,
  FURTHER,
  FURTHER_PARKED,
  FURTHER_THREE,
  FURTHER_ONE,
  PART,
  PART_READERS,
  PART_THREE,
  READERS,
  LEFT,
  LEFT_ALONG,
  LEFT_READ,
  LEFT_BROUGHT,
  LEFT_THREE,
};
static const struct setting settings[] = {
    [PLAIN] = {"2 threads, 2 blocks",
               SOAK,
               &asking,
               2,
               0,
               0,
               6,
               {READ(B0), WRITE(B0), READ(B1), WRITE(B1), PARKING_OPS}},
    [PLAIN_LEAVING] = {"2 threads, 2 blocks together, info left",
                       SOAK,
                       &leaving,
                       2,
                       UINT64_MAX,
                       0,
                       6,
                       {READ(B0), WRITE(B0), READ(B1), WRITE(B1), PARKING_OPS}},
    [APART] = {"2 threads, 2 blocks far apart",
               SOAK,
               &asking,
               2,
               0,
               0,
               6,
               {READ(B1), WRITE(B1), READ(B2), WRITE(B2), PARKING_OPS}},
    [AT_ONCE] = {"2 threads, 2 blocks at once",
                 SOAK,
                 &asking,
                 2,
                 0,
                 0,
                 7,
                 {READ(B0),
                  WRITE(B1),
                  BOTH(B0, B1),
                  BOTH(0, B0 | B1),
                  {.kind = OP_REVOKE, .writes = B0 | B1},
                  PARKING_OPS}},
    [AT_ONCE_APART] = {"2 threads, 2 blocks far apart at once",
                       SOAK,
                       &asking,
                       2,
                       0,
                       0,
                       7,
                       {READ(B1),
                        WRITE(B2),
                        BOTH(B1, B2),
                        BOTH(B2, B1),
                        {.kind = OP_REVOKE, .writes = B1 | B2},
                        PARKING_OPS}},
    [AT_ONCE_SOME] = {"2 threads, 2 blocks, some of that",
                      ALWAYS,
                      &asking,
                      2,
                      0,
                      0,
                      5,
                      {WRITE(B1), BOTH(B1, B0), {.kind = OP_REVOKE, .writes = B0 | B1}, PARKING_OPS}},
    [ALONG] = {"2 threads, 2 blocks, one pinned and one along",
               ALWAYS,
               &asking,
               2,
               UINT64_MAX,
               0,
               4,
               {READ(B0), READ(B1), WRITE(B0), BOTH(B0, B1)}},
    [THREE] = {"3 threads, 1 block", SOAK, &asking, 3, 0, 0, 4, {READ(B0), WRITE(B0), PARKING_OPS}},
    [THREE_LEAVING] =
        {"3 threads, 1 block, info left", ALWAYS, &leaving, 3, 0, 0, 4, {READ(B0), WRITE(B0), PARKING_OPS}},
    [EXITS] = {"2 threads, 1 block, exit and spawn",
               ALWAYS,
               &asking,
               2,
               0,
               0,
               6,
               {READ(B0),
                WRITE(B0),
                {.kind = OP_EXIT},
                {.kind = OP_SPAWN, .slot = 0},
                {.kind = OP_SPAWN, .slot = 1},
                {.kind = OP_REVOKE, .writes = B0}}},
    [ABANDONS] = {"2 threads, 1 block, claims given up",
                  ALWAYS,
                  &asking,
                  2,
                  0,
                  0,
                  7,
                  {READ(B0),
                   WRITE(B0),
                   {.kind = OP_ABANDON},
                   {.kind = OP_SPAWN, .slot = 0},
                   {.kind = OP_SPAWN, .slot = 1},
                   PARKING_OPS}},
    [THREE_TWO] =
        {"3 threads, 2 blocks", MISTAKES, &leaving, 3, 0, 0, 4, {WRITE(B1), WRITE(B2), PARKING_OPS}},
    [KEEPING] = {"2 threads, 3 blocks, one kept",
                 SOAK,
                 &asking,
                 2,
                 UINT64_MAX,
                 0,
                 4,
                 {WRITE(B0 | B2), WRITE(B1), WRITE(B2), READ(B1)}},
    [FURTHER] = {"2 threads, 2 groups, one brought with the other",
                 ALWAYS,
                 &asking,
                 2,
                 UINT64_MAX,
                 ALL,
                 3,
                 {READ(B2), WRITE(B2), WRITE(B0 | B2)}},
    [FURTHER_PARKED] = {"2 threads, 2 groups, one brought with the other, or by who is parked",
                        SOAK,
                        &leaving,
                        2,
                        UINT64_MAX,
                        ALL,
                        6,
                        {READ(B0), WRITE(B0), READ(B2), WRITE(B2), PARKING_OPS}},
    [FURTHER_THREE] = {"3 threads, 2 groups, one brought with the other",
                       MISTAKES,
                       &leaving,
                       3,
                       UINT64_MAX,
                       ALL,
                       2,
                       {WRITE(B0), READ(B2)}},
    [FURTHER_ONE] = {"2 threads, 2 groups, one brought with the other to one of them",
                     ALWAYS,
                     &asking,
                     2,
                     UINT64_MAX,
                     1,
                     3,
                     {READ(B2), WRITE(B2), WRITE(B0 | B2)}},
    [PART] = {"2 threads, 2 groups, a block of one brought with the other's, or with its neighbour",
              ALWAYS,
              &asking,
              2,
              0,
              ALL,
              3,
              {WRITE(B0), READ(B2), WRITE(B1 | B2)},
              true},
    [PART_READERS] = {"2 threads, 2 groups, a block of one read with the other's",
                      SOAK,
                      &leaving,
                      2,
                      0,
                      ALL,
                      4,
                      {READ(B0), READ(B2), WRITE(B1), WRITE(B2)},
                      true},
    [PART_THREE] = {"3 threads, 2 groups, a block of one brought with the other's",
                    MISTAKES,
                    &leaving,
                    3,
                    0,
                    ALL,
                    2,
                    {WRITE(B1), WRITE(B2)},
                    true},
    [READERS] = {"2 threads, 2 groups, read together",
                 SOAK,
                 &leaving,
                 2,
                 UINT64_MAX,
                 ALL,
                 4,
                 {READ(B0), READ(B2), WRITE(B0), WRITE(B0 | B2)}},
    [LEFT] =
        {"3 threads, 1 block that is left", ALWAYS, &leaving, 3, 0, 0, 3, {READ(B0), WRITE(B0), LEAVE(B0)}},
    [LEFT_ALONG] = {"2 threads, 2 blocks together that are left",
                    ALWAYS,
                    &leaving,
                    2,
                    UINT64_MAX,
                    0,
                    3,
                    {WRITE(B0), WRITE(B1), LEAVE(B0 | B1)}},
    [LEFT_READ] = {"2 threads, 2 blocks together that are left, or read",
                   SOAK,
                   &leaving,
                   2,
                   UINT64_MAX,
                   0,
                   5,
                   {WRITE(B0), WRITE(B1), READ(B1), LEAVE(B0), LEAVE(B0 | B1)}},
    [LEFT_BROUGHT] = {"2 threads, 2 groups that are left, one brought with the other",
                      SOAK,
                      &leaving,
                      2,
                      UINT64_MAX,
                      ALL,
                      6,
                      {WRITE(B0), WRITE(B2), READ(B2), LEAVE(B0 | B1), LEAVE(B2), WRITE(B0 | B2)}},
    [LEFT_THREE] = {"3 threads, 2 groups, one left, and brought with the other",
                    MISTAKES,
                    &leaving,
                    3,
                    UINT64_MAX,
                    ALL,
                    3,
                    {WRITE(B0), WRITE(B2), LEAVE(B0 | B1)}},
};

static const struct {
  const char *name;
  enum order_wrong wrong;
  unsigned setting;
} mistakes[] = {
    {"no edge from the last writer", WRONG_NO_WRITER_EDGE, THREE_LEAVING},
    {"a dead thread's marks dropped", WRONG_MARKS_DROPPED, EXITS},
    {"a parked thread touched without the CAS", WRONG_NO_CAS, APART},
    {"a two-block access in two steps", WRONG_TWO_STEPS, AT_ONCE_APART},
    {"parked looked at once", WRONG_ASKED_ONCE, THREE_TWO},
    {"who waits does not serve", WRONG_DEAF, APART},
    {"blocks kept while waiting for locks beside them", WRONG_PINS_EARLY, ALONG},
    {"all that it has of the group kept while waiting for answers", WRONG_PINS_ALL, AT_ONCE},
    {"what is kept taken nevertheless", WRONG_KEPT_TAKEN, KEEPING},
    {"a group's entry changed for some of it", WRONG_WHOLE_GROUP, PLAIN},
    {"blocks along not locked", WRONG_ALONG_UNLOCKED, ALONG},
    {"a claim given up with its locks", WRONG_ABANDONED_LOCKS, ABANDONS},
    {"a group brought that is pinned", WRONG_FURTHER_PINNED, FURTHER_ONE},
    {"a group brought as it was before it was locked", WRONG_FURTHER_BLIND, FURTHER_THREE},
    {"nobody told of a group that was brought", WRONG_FURTHER_QUIET, FURTHER},
    {"a part brought that is pinned", WRONG_FURTHER_PINNED, PART},
    {"a part brought as it was before it was locked", WRONG_FURTHER_BLIND, PART_THREE},
    {"nobody told of a part that was brought", WRONG_FURTHER_QUIET, PART},
    {"a group's entry changed for a part of it", WRONG_WHOLE_GROUP, PART},
    {"no edge from who has left what is written", WRONG_LEFT_NO_EDGE, LEFT},
    {"no edge from who has left what comes along", WRONG_LEFT_ALONG, LEFT_READ},
    {"no edge from who has left what is brought", WRONG_LEFT_FURTHER, LEFT_THREE},
    {"nobody told of what was left", WRONG_LEFT_QUIET, LEFT},
};

int main(int argc, char **argv) {
  bool verbose = false, soak = false;
  for (int i = 1; i < argc; i++) {
    verbose |= !strcmp(argv[i], "-v");
    soak |= !strcmp(argv[i], "--soak");
  }
  unsigned passed = 0, failed = 0;
  world_on_access = access_is_news;
  for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
    if (settings[i].when > (soak ? SOAK : ALWAYS)) continue;
    const char *wrong = explore(&settings[i]);
    if (verbose || wrong)
      printf("%s: %s after %zu states\n", settings[i].name, wrong ? wrong : "good", states_count());
    *(wrong ? &failed : &passed) += 1;
    fflush(stdout);
  }
  for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    order_wrong = mistakes[i].wrong;
    const char *wrong = explore(&settings[mistakes[i].setting]);
    order_wrong = WRONG_NOTHING;
    if (verbose || !wrong)
      printf("%s: %s after %zu states\n", mistakes[i].name, wrong ? wrong : "not found", states_count());
    *(wrong ? &passed : &failed) += 1;
  }
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}
