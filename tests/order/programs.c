/* programs.c: small programs, in every order in which their steps can come, recorded by every scheme.
 *
 *     programs [-v] [--soak]
 *
 * The programs of the table are the smallest on which a mistake of wrong.h shows. Each is recorded rightly by all schemes, whatever
 * the order of steps, and wrongly once the mistake is made. Then all programs of two threads and two operations each; with --soak, of three.
 *
 * A program: for each thread its operations. R and W with the number of a block, + joins accesses of one instruction; P parks and comes
 * back; L with a block leaves it; | ends an episode; S spawns that slot's thread; X exits. Threads that nobody spawns are there from the beginning. */
/* cflags: -DORDER_SLOTS=3 -DORDER_PREDS=3 -DORDER_FILTER_BYTES=8 -DDIRECTORY_BATCH=2 -DDIRECTORY_INLINE=1 -DDIRECTORY_RANGES=2 -DDIRECTORY_LINE=8 -DDIRECTORY_GROUP=2 */
#include "schemes.h"
#include "states.h"

enum { OPERATIONS = 8 };

struct program {
  unsigned threads;
  struct op op[ORDER_SLOTS][OPERATIONS]; /* ends with OP_NONE */
};

static void parse_access(const char *word, struct op *op) {
  *op = (struct op){.kind = OP_ACCESS};
  for (; *word; word++) {
    uint8_t block = (uint8_t)(1U << (word[1] - '0'));
    if (*word == 'R') op->reads |= block;
    if (*word == 'W' || *word == 'L') op->writes |= block;
    if (*word == 'L') op->kind = OP_LEAVE;
  }
}

static void parse(struct program *program, const char *const text[ORDER_SLOTS]) {
  *program = (struct program){0};
  for (unsigned t = 0; t < ORDER_SLOTS && text[t]; t++) {
    char copy[64];
    unsigned n = 0;
    program->threads = t + 1;
    snprintf(copy, sizeof copy, "%s", text[t]);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
      struct op *op = &program->op[t][n++];
      switch (*word) {
        case 'P':
          op->kind = OP_PARK;
          break;
        case '|':
          op->kind = OP_END;
          break;
        case 'X':
          op->kind = OP_EXIT;
          break;
        case 'S':
          *op = (struct op){.kind = OP_SPAWN, .slot = (uint8_t)(word[1] - '0')};
          break;
        default:
          parse_access(word, op);
      }
    }
  }
}

static bool is_spawned(const struct program *program, unsigned slot) {
  for (unsigned t = 0; t < program->threads; t++)
    for (unsigned i = 0; i < OPERATIONS; i++)
      if (program->op[t][i].kind == OP_SPAWN && program->op[t][i].slot == slot) return true;
  return false;
}

static void start(const struct program *program, const struct tested_scheme *tested) {
  scheme_start(tested, program->threads);
  for (unsigned t = 1; t < program->threads; t++) {
    if (is_spawned(program, t)) continue;
    world_operate(0, (struct op){.kind = OP_SPAWN, .slot = (uint8_t)t});
    while (!world_is_idle(0)) world_step(0);
    while (!world_is_idle(t)) world_step(t);
  }
  world_operate(0, (struct op){.kind = OP_END}); /* a fresh start for all */
  while (!world_is_idle(0)) world_step(0);
}

/* Begins the thread's next operation, if it can. */
static bool operate(const struct program *program, unsigned t) {
  struct world_thread *thread = &world.thread[t];
  struct op op = program->op[t][thread->done];
  if (thread->activity == PARKED)
    op = (struct op){.kind = OP_UNPARK};
  else if (thread->activity == IDLE && op.kind != OP_NONE)
    thread->done++;
  else
    return false;
  world_operate(t, op);
  return true;
}

static void expand(const struct program *program, const struct tested_scheme *tested,
                   const struct world *state) {
  bool progress = false, amid = false;
  states_go_back(state);
  for (unsigned t = 0; t < program->threads && !world_wrong; t++) {
    unsigned activity = state->thread[t].activity;
    amid |= activity != IDLE && activity != DEAD && activity != UNBORN;
    if (world_can_step(t)) {
      progress |= states_step(t, state);
      states_go_back(state);
    }
    if (activity == IDLE && world_is_asked(t)) {
      world_operate(t, (struct op){.kind = OP_SERVE});
      progress = true;
      states_add();
      states_go_back(state);
    }
    if (operate(program, t)) {
      progress = true;
      states_add();
      states_go_back(state);
    }
  }
  if (progress || world_wrong) return;
  if (amid)
    world_wrong = "somebody waits in vain";
  else
    scheme_finish(tested);
}

/* In every order; what is wrong, or NULL. */
static const char *explore(const struct program *program, const struct tested_scheme *tested) {
  static struct world state;
  states_clear();
  start(program, tested);
  states_add();
  while (!world_wrong && states_take(&state)) expand(program, tested, &state);
  return world_wrong;
}

/* -- The table --------------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  enum order_wrong wrong;
  unsigned scheme; /* the mistake's */
  const char *text[ORDER_SLOTS];
} table[] = {
    {"ts > TS where >= belongs", WRONG_GREATER, TOKENS, {"W0 W1", "R1 R0"}},
    {"the same, dag", WRONG_GREATER, DAG, {"W0 W1", "R1 R0"}},
    {"previous episode looked at first", WRONG_PREVIOUS_FIRST, TOKENS_FILTER_SINGLE, {"W2 R1", "W2 W1 | W2"}},
    {"no previously-ordered reply", WRONG_NO_PREVIOUSLY, TOKENS, {"W0", "R0 W0"}},
    {"told for ever", WRONG_TOLD_FOR_EVER, TOKENS, {"W0 | W0", "R0 R0"}},
    {"no edge from the last writer", WRONG_NO_WRITER_EDGE, TOKENS, {"R0", "W0", "R0"}},
    {"the same, arcs", WRONG_NO_WRITER_EDGE, ARCS, {"R0", "W0", "R0"}},
    {"that edge without the lock", WRONG_UNLOCKED_EDGE, TOKENS, {"R1", "W1 W0", "R0 R1"}},
    {"exit closes the episode for good", WRONG_EXIT_CLOSES, TOKENS, {"W0 X", "R0"}},
    {"no spawn edge", WRONG_NO_SPAWN_EDGE, TOKENS, {"S1 W0", "W0"}},
    {"the same, dag", WRONG_NO_SPAWN_EDGE, DAG, {"S1 W0", "W0"}},
    {"a dead thread's marks dropped", WRONG_MARKS_DROPPED, DAG, {"R1 X", "W1"}},
    {"a parked thread without the CAS", WRONG_NO_CAS, TOKENS, {"W0 P P W0", "R0"}},
    {"a two-block access in two steps", WRONG_TWO_STEPS, TOKENS, {"W0+R2", "W2 W0"}},
    {"a reply that does not end the episode", WRONG_REPLY_GOES_ON, SCALAR, {"R1 W1", "W1"}},
    {"no edge from the writer of a group that a reader brings",
     WRONG_BROUGHT_NO_EDGE,
     ARCS,
     {"W0+W1", "R0+R1", "R2 R0"}},
    {"a reader brings a group as it was before it was locked",
     WRONG_BROUGHT_BLIND,
     ARCS,
     {"W0+W1 W0", "R0+R1", "R2 R0"}},
    {"nobody told of a group that a reader did not bring",
     WRONG_BROUGHT_QUIET,
     ARCS,
     {"W0+W1 W0", "R0+R1 R0", "R2"}},
    {"no edge from who has left what is written", WRONG_LEFT_NO_EDGE, TOKENS, {"W0 L0", "W0"}},
    {"the same, dag", WRONG_LEFT_NO_EDGE, DAG, {"W0 L0 W1", "W1 W0 L0", "R0"}},
    {"the same, arcs", WRONG_LEFT_NO_EDGE, ARCS, {"W0 L0 W0", "R0 W0"}},
    {"the same, scalar", WRONG_LEFT_NO_EDGE, SCALAR, {"W0 L0 P", "W0 X"}},
    {"no edge from who has left a group that is brought",
     WRONG_BROUGHT_NO_EDGE,
     ARCS,
     {"W0+W1 L0+L1", "R0", "W2 W0"}},
};

static unsigned passed, failed;
static bool verbose;

static void tell(bool good, const char *name, const char *scheme, const char *wrong) {
  *(good ? &passed : &failed) += 1;
  if (verbose || !good)
    printf("%s: %s, %s: %s, %zu states\n", good ? "ok" : "FAIL", name, scheme,
           wrong ? wrong : "nothing found", states_count());
}

static void try_table(void) {
  struct program program;
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    parse(&program, table[i].text);
    for (unsigned k = 0; k < TESTED_SCHEMES; k++) {
      const char *wrong = explore(&program, &tested_schemes[k]);
      tell(!wrong, table[i].name, tested_schemes[k].name, wrong);
    }
    order_wrong = table[i].wrong;
    const char *wrong = explore(&program, &tested_schemes[table[i].scheme]);
    order_wrong = WRONG_NOTHING;
    tell(wrong, table[i].name, "made wrong", wrong);
  }
}

/* -- All of a length ----------------------------------------------------------------------------------------------------- */

static const struct op alphabet[] = {
    {.kind = OP_ACCESS, .reads = 1},
    {.kind = OP_ACCESS, .writes = 1},
    {.kind = OP_ACCESS, .reads = 2},
    {.kind = OP_ACCESS, .writes = 2},
    {.kind = OP_PARK},
    {.kind = OP_END},
    {.kind = OP_LEAVE, .writes = 1},
};
enum { LETTERS = sizeof alphabet / sizeof *alphabet };

/* Those of which the first thread's first operation is on the first block: the others are their mirror images. */
static void try_all(unsigned length, unsigned letters) {
  unsigned count = 1, bad = 0;
  size_t sum = 0;
  for (unsigned i = 0; i < 2 * length; i++) count *= letters;
  for (unsigned n = 0; n < count; n++) {
    struct program program = {.threads = 2};
    for (unsigned i = 0, rest = n; i < 2 * length; i++, rest /= letters)
      program.op[i / length][i % length] = alphabet[rest % letters];
    if (program.op[0][0].kind != OP_ACCESS || (program.op[0][0].reads | program.op[0][0].writes) != 1)
      continue;
    for (unsigned k = 0; k < TESTED_SCHEMES; k++) {
      const char *wrong = explore(&program, &tested_schemes[k]);
      sum += states_count();
      if (wrong && !bad++)
        printf("program %u of length %u, %s: %s\n", n, length, tested_schemes[k].name, wrong);
    }
  }
  *(bad ? &failed : &passed) += 1;
  if (verbose || bad)
    printf("all programs of 2 x %u operations out of %u: %zu states, %u bad\n", length, letters, sum, bad);
}

int main(int argc, char **argv) {
  bool soak = false;
  for (int i = 1; i < argc; i++) {
    verbose |= !strcmp(argv[i], "-v");
    soak |= !strcmp(argv[i], "--soak");
  }
  world_along = 0;
  world_further = 1 << 2; /* to the third thread */
  try_table();
  world_along = UINT64_MAX;
  world_further = 0;
  try_all(2, soak ? LETTERS : 4);
  if (soak) try_all(3, 4);
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}
