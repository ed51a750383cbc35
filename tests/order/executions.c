/* executions.c: random executions, each recorded by a scheme and checked for every possible replay.
 *
 *     executions [-v] [--soak] [-n COUNT] [SEED]
 *
 * Up to four threads on up to three blocks: accesses to one or two blocks, parking, mapping changes, ends of episodes,
 * threads that exit and slots that are used again. Where programs.c tries all of a few, this tries some of many. The n-th execution of
 * a seed is the first of that seed + n, if it is the same scheme's turn (n % 9 = 0). */
/* cflags: -DORDER_SLOTS=4 -DORDER_PREDS=3 -DORDER_FILTER_BYTES=8 -DDIRECTORY_BATCH=2 -DDIRECTORY_INLINE=2 -DDIRECTORY_RANGES=3 -DDIRECTORY_LINE=8 -DDIRECTORY_GROUP=2 */
#include "check.h"
#include "schemes.h"

static uint64_t random_state;
static unsigned draw(unsigned below) { /* splitmix64 */
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (unsigned)((z ^ z >> 31) % below);
}

/* What an execution is made of. */
static struct { unsigned threads, blocks, operations; } plan;

/* Slots in which a thread lives or is about to. */
static bool is_taken(unsigned slot) {
  for (unsigned t = 0; t < plan.threads; t++)
    if (world.thread[t].activity == SPAWNING && world.thread[t].op.slot == slot) return true;
  return world.thread[slot].activity != UNBORN && world.thread[slot].activity != DEAD;
}

/* Threads that go on. */
static unsigned count_living(void) {
  unsigned count = 0;
  for (unsigned t = 0; t < plan.threads; t++) count += is_taken(t) && world.thread[t].activity != EXITING;
  return count;
}

static struct op draw_access(void) {
  struct op op = {.kind = OP_ACCESS};
  *(draw(2) ? &op.reads : &op.writes) = (uint8_t)(1U << draw(plan.blocks));
  if (!draw(6)) *(draw(2) ? &op.reads : &op.writes) |= (uint8_t)(1U << draw(plan.blocks));
  return op;
}

static struct op draw_spawn(void) {
  unsigned slot = draw(plan.threads);
  if (is_taken(slot) || world.history.lives + plan.threads > WORLD_LIVES) return draw_access();
  return (struct op){.kind = OP_SPAWN, .slot = (uint8_t)slot};
}

static struct op draw_operation(void) {
  switch (draw(20)) {
    case 0:
      return (struct op){.kind = OP_PARK};
    case 1:
      return (struct op){.kind = OP_END};
    case 2:
      return (struct op){.kind = OP_REVOKE, .writes = (uint8_t)((1U << plan.blocks) - 1)};
    case 3:
      return count_living() > 1 ? (struct op){.kind = OP_EXIT} : draw_access();
    case 4:
    case 5:
    case 6:
      return draw_spawn();
    default:
      return draw_access();
  }
}

/* One thing that a thread does next, if it can do any. */
static bool act(unsigned t) {
  struct world_thread *thread = &world.thread[t];
  if (world_can_step(t)) {
    world_step(t);
  } else if (thread->activity == PARKED && !draw(4)) {
    world_operate(t, (struct op){.kind = OP_UNPARK});
  } else if (thread->activity == IDLE && world_is_asked(t) && (!plan.operations || draw(3))) {
    world_operate(t, (struct op){.kind = OP_SERVE});
  } else if (thread->activity == IDLE && plan.operations) {
    plan.operations--;
    world_operate(t, draw_operation());
  } else {
    return false;
  }
  return true;
}

/* Everybody has done what there was to do, and nobody is in the middle of anything. */
static bool is_over(void) {
  for (unsigned t = 0; t < plan.threads; t++) {
    unsigned activity = world.thread[t].activity;
    if (activity != IDLE && activity != PARKED && activity != DEAD && activity != UNBORN) return false;
    if (activity == IDLE && world_is_asked(t)) return false;
  }
  return !plan.operations;
}

/* Threads go on for a while before another has its turn, sometimes. */
static void execute(const struct tested_scheme *tested) {
  plan.threads = 2 + draw(3);
  plan.blocks = 1 + draw(3);
  plan.operations = 4 + draw(20);
  world_further = draw(2) ? UINT32_MAX : 0;
  unsigned patience = 0, burst = 1 + draw(12);
  scheme_start(tested, plan.threads);
  while (!is_over() && !world_wrong) {
    bool moved = false;
    unsigned t = draw(plan.threads);
    for (unsigned i = draw(burst) + 1; i && !world_wrong && act(t); i--) moved = true;
    patience = moved ? 0 : patience + 1;
    if (patience == 10000) world_wrong = "somebody waits in vain";
  }
  if (!world_wrong) scheme_finish(tested);
}

int main(int argc, char **argv) {
  unsigned long count = 200000, seed = 1, failed = 0;
  bool verbose = false;
  size_t bytes[TESTED_SCHEMES] = {0}, accesses[TESTED_SCHEMES] = {0};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-v"))
      verbose = true;
    else if (!strcmp(argv[i], "--soak"))
      count = 10000000;
    else if (!strcmp(argv[i], "-n") && i + 1 < argc)
      count = strtoul(argv[++i], NULL, 10);
    else
      seed = strtoul(argv[i], NULL, 10);
  }
  for (unsigned long n = 0; n < count && !failed; n++) {
    const struct tested_scheme *tested = &tested_schemes[n % TESTED_SCHEMES];
    random_state = seed + n;
    execute(tested);
    bytes[n % TESTED_SCHEMES] += check_bytes();
    accesses[n % TESTED_SCHEMES] += world.history.accesses;
    if (world_wrong) printf("seed %lu, %s: %s\n", seed + n, tested->name, world_wrong), failed++;
  }
  for (unsigned i = 0; verbose && i < TESTED_SCHEMES; i++)
    printf("%-26s %6.2f bytes an access\n", tested_schemes[i].name, (double)bytes[i] / (double)accesses[i]);
  printf("%lu passed, %lu failed\n", count - failed, failed);
  return failed != 0;
}
