/* world.c: see world.h. */
#include "world.h"

#include "order/directory_steps.h"

struct world world;
struct order world_order;
const char *world_wrong;
void (*world_on_access)(unsigned t, struct op op);
uint64_t world_along = UINT64_MAX;
unsigned world_further;
bool world_part;
enum order_wrong order_wrong;

/* -- What the directory asks of its substrate ---------------------------------------------------------------------------- */

static struct directory_group *group(const struct directory *d, uint64_t number) {
  (void)d;
  return &world.group[number];
}
static struct directory_place place(const struct directory *d, uint64_t block) {
  (void)d;
  return (struct directory_place){&world.word[block], &world.info[block]};
}
static uint64_t held(const struct directory *d, unsigned slot, uint64_t number, uint64_t blocks,
                     unsigned want) {
  (void)d;
  for (uint64_t set = blocks; set; set &= set - 1) {
    uint64_t block = group_first(number, set);
    if (block >= WORLD_BLOCKS || world.permission[slot][block] < want) blocks &= ~(set & -set);
  }
  return blocks;
}
static void permit(const struct directory *d, unsigned slot, uint64_t number, uint64_t blocks,
                   unsigned permission) {
  (void)d;
  for (; blocks; blocks &= blocks - 1) {
    uint64_t block = group_first(number, blocks);
    if (block >= WORLD_BLOCKS) continue;
    if (world.keeps_history && permission > world.permission[slot][block])
      world.last_access[slot][block] = order_clock(&world.slot[slot].recorder);
    world.permission[slot][block] = (uint8_t)permission;
  }
}
static uint64_t along(const struct directory *d, unsigned slot, uint64_t number, uint64_t need,
                      unsigned want) {
  (void)d, (void)slot, (void)number, (void)need, (void)want;
  return world_along;
}
static unsigned further(const struct directory *d, unsigned slot, uint64_t number, unsigned known,
                        struct directory_walk *walk) {
  (void)d, (void)known;
  *walk = (struct directory_walk){.width = world_part ? 1 : DIRECTORY_GROUP};
  walk->stride = number ? -walk->width : walk->width;
  return WORLD_GROUPS > 1 && world_further >> slot & 1;
}
static void wake(const struct directory *d, unsigned slot) {
  (void)d, (void)slot;
}

static struct directory directory = {
    .order = &world_order,
    .slot = world.slot,
    .slots = &world.slots,
    .group = group,
    .place = place,
    .held = held,
    .permit = permit,
    .along = along,
    .further = further,
    .wake = wake,
    .kick = wake,
};

static bool is_touched(unsigned block) {
  return directory_touched(&directory, block / DIRECTORY_GROUP) >> block % DIRECTORY_GROUP & 1;
}

static void append(const struct order *order, unsigned slot, const uint8_t *bytes, size_t count) {
  (void)order;
  if (!world.keeps_history) return;
  struct world_life *life = &world.history.life[world.thread[slot].life];
  if (life->bytes + count > WORLD_LOG) abort();
  memcpy(life->log + life->bytes, bytes, count);
  life->bytes = (uint8_t)(life->bytes + count);
}

/* -- Threads ------------------------------------------------------------------------------------------------------------- */

static void be_born(unsigned t, unsigned parent) {
  struct world_thread *thread = &world.thread[t];
  thread->activity = BEGINNING;
  thread->parent = (uint8_t)parent;
  if (!world.keeps_history) return;
  if (world.history.lives == WORLD_LIVES) abort();
  unsigned parent_life = world.thread[parent].life;
  thread->life = world.history.lives++;
  world.history.life[thread->life] =
      (struct world_life){.slot = (uint8_t)t,
                          .parent = (uint8_t)parent_life,
                          .born = (uint8_t)world.slot[parent].recorder.position};
}

static void be_idle(struct world_thread *thread) {
  thread->activity = IDLE;
  thread->op = (struct op){0};
}

static void run_to_idle(unsigned t) {
  while (!world_is_idle(t)) world_step(t);
}

void world_start(const struct order_scheme *scheme, const struct order_options *options, unsigned threads,
                 bool history) {
  memset(&world, 0, sizeof world);
  world_wrong = NULL;
  world_order = (struct order){.scheme = scheme, .options = *options, .log = append};
  world.threads = (uint8_t)threads;
  world.keeps_history = history;
  world.slots = threads;
  for (unsigned t = 0; t < ORDER_SLOTS; t++) order_recorder_init(&world.slot[t].recorder, t);
  be_born(0, 0);
  world.thread[0].parent = ORDER_SLOTS; /* nobody */
  run_to_idle(0);
}

bool world_is_asked(unsigned t) {
  return world.slot[t].asked[0] != 0;
}

static void start_claim(unsigned t, struct op op) {
  struct directory_claim *claim = &world.thread[t].claim;
  directory_claim_start(claim);
  claim->revoke = op.kind == OP_REVOKE;
  for (unsigned block = 0; block < WORLD_BLOCKS; block++) {
    if (op.writes >> block & 1) directory_claim_add(claim, block, block + 1, ORDER_WRITE);
    if (op.reads >> block & 1) directory_claim_add(claim, block, block + 1, ORDER_READ);
  }
}

static void start_leaving(unsigned t, struct op op) {
  unsigned group = (unsigned)__builtin_ctz(op.writes) / DIRECTORY_GROUP;
  world.thread[t].leaving =
      (struct directory_leaving){.part = {group, op.writes >> group * DIRECTORY_GROUP & GROUP_ALL}};
}

/* Where it can't, nothing happens. */
static void abandon(unsigned t) {
  struct world_thread *thread = &world.thread[t];
  if (!directory_claim_abandon(&directory, t, &thread->claim)) return;
  memset(&thread->claim, 0, sizeof thread->claim);
  thread->op = (struct op){.kind = OP_EXIT};
  thread->activity = EXITING;
  thread->waits = false;
}

void world_operate(unsigned t, struct op op) {
  struct world_thread *thread = &world.thread[t];
  static const uint8_t starts[] = {[OP_ACCESS] = CLAIMING,  [OP_REVOKE] = CLAIMING, [OP_PARK] = PARKING,
                                   [OP_UNPARK] = UNPARKING, [OP_END] = ENDING,      [OP_SPAWN] = SPAWNING,
                                   [OP_EXIT] = EXITING,     [OP_SERVE] = SERVING,   [OP_LEAVE] = LEAVING};
  if (op.kind == OP_ABANDON) {
    abandon(t);
    return;
  }
  thread->op = op;
  thread->activity = starts[op.kind];
  thread->waits = false;
  if (thread->activity == CLAIMING) start_claim(t, op);
  if (op.kind == OP_LEAVE) start_leaving(t, op);
  for (unsigned block = 0; op.kind == OP_REVOKE && block < WORLD_BLOCKS;
       block++) /* first touches are no matter of its */
    if (!is_touched(block)) thread->op.writes &= (uint8_t) ~(1U << block);
  if (op.kind == OP_SPAWN && world.keeps_history) world.slot[t].recorder.position++;
}

/* -- Accesses ------------------------------------------------------------------------------------------------------------ */

/* Nobody has a permission that mine rules out, and I have mine. */
static void check_permissions(unsigned t, struct op op) {
  for (unsigned block = 0; block < WORLD_BLOCKS; block++)
    for (unsigned other = 0; other < world.threads; other++) {
      unsigned want = op.writes >> block & 1 ? ORDER_WRITE : op.reads >> block & 1 ? ORDER_READ : 0;
      unsigned has = world.permission[other][block];
      if (!want) continue;
      if (other == t && has < want) world_wrong = "an access without permission";
      if (other != t && (has == ORDER_WRITE || (want == ORDER_WRITE && has)))
        world_wrong = "two hold what one may hold";
    }
}

static void access_blocks(unsigned t) {
  struct world_thread *thread = &world.thread[t];
  struct op op = thread->op;
  for (unsigned block = 0; op.kind == OP_REVOKE && block < WORLD_BLOCKS; block++)
    if (!is_touched(block)) op.writes &= (uint8_t) ~(1U << block);
  if (world_on_access) world_on_access(t, op);
  check_permissions(t, op);
  struct order_recorder *recorder = &world.slot[t].recorder;
  for (unsigned block = 0; world_order.options.filter && block < WORLD_BLOCKS; block++) {
    if (op.reads >> block & 1) world_order.scheme->touch(&world_order, recorder, block, ORDER_READ);
    if (op.writes >> block & 1) world_order.scheme->touch(&world_order, recorder, block, ORDER_WRITE);
  }
  if (world.keeps_history) {
    struct world_history *history = &world.history;
    if (history->accesses == WORLD_ACCESSES) abort();
    history->access[history->accesses++] =
        (struct world_access){thread->life, (uint8_t)recorder->position, op.reads, op.writes};
    recorder->position++;
    for (unsigned block = 0; block < WORLD_BLOCKS; block++)
      if ((op.reads | op.writes) >> block & 1) world.last_access[t][block] = order_clock(recorder);
  }
  directory_unpin(&directory, t);
  be_idle(thread);
}

/* -- Steps --------------------------------------------------------------------------------------------------------------- */

static uint32_t seen(const struct world_thread *thread) {
  return thread->activity == CLAIMING ? thread->claim.seen : thread->parking.seen;
}

bool world_can_step(unsigned t) {
  const struct world_thread *thread = &world.thread[t];
  switch (thread->activity) {
    case UNBORN:
    case IDLE:
    case PARKED:
    case DEAD:
      return false;
    default:
      return !thread->waits || world.slot[t].events != seen(thread);
  }
}

static enum directory_result advance(unsigned t) {
  struct world_thread *thread = &world.thread[t];
  switch (thread->activity) {
    case CLAIMING:
      return directory_claim_step(&directory, t, &thread->claim);
    case SERVING:
      return directory_serve_step(&directory, t, &thread->serve);
    case LEAVING:
      return directory_leave_step(&directory, t, &thread->leaving);
    case PARKING:
      return directory_park_step(&directory, t, &thread->parking);
    case UNPARKING:
      return directory_unpark_step(&directory, t, &thread->parking);
    case ENDING:
      return directory_end_step(&directory, t);
    case SPAWNING:
      return directory_spawn_step(&directory, t, thread->op.slot, &world.thread[thread->op.slot].note);
    case EXITING:
      return directory_exit_step(&directory, t, &thread->parking);
    case BEGINNING:
      return directory_begin_step(&directory, t, &thread->parking, thread->parent,
                                  thread->parent < ORDER_SLOTS ? &thread->note : NULL);
    default:
      return DIRECTORY_DONE;
  }
}

static void finish(unsigned t) {
  struct world_thread *thread = &world.thread[t];
  thread->parking = (struct directory_parking){0};
  thread->leaving = (struct directory_leaving){0};
  switch (thread->activity) {
    case CLAIMING: /* checked: the access is a step of its own, and still the next thing that this thread does */
      memset(&thread->claim, 0, sizeof thread->claim);
      thread->activity = ACCESSING;
      return;
    case ACCESSING:
      access_blocks(t);
      return;
    case PARKING:
      thread->activity = PARKED;
      return;
    case EXITING:
      thread->activity = DEAD;
      thread->op = (struct op){0};
      if (world.keeps_history) {
        world.history.life[thread->life].ended = true;
        world.history.life[thread->life].positions = (uint8_t)world.slot[t].recorder.position;
      }
      return;
    case SPAWNING:
      be_born(thread->op.slot, t);
      break;
    default:
      break;
  }
  if (thread->activity == BEGINNING) thread->note = (struct order_note){0};
  be_idle(thread);
}

void world_step(unsigned t) {
  enum directory_result result = advance(t);
  world.thread[t].waits = result == DIRECTORY_WAITS;
  if (result == DIRECTORY_DONE) finish(t);
}

/* There is nobody to be asked any more, and nobody to be waited for. */
static bool is_answered(unsigned t) {
  for (unsigned i = 0; i < DIRECTORY_BATCH; i++)
    if (world.slot[t].cell[i].asks) return false;
  return !world.thread[t].claim.targets.word[0];
}

bool world_is_private(unsigned t) {
  const struct world_thread *thread = &world.thread[t];
  if (thread->waits) return false;
  switch (thread->activity) {
    case CLAIMING: {
      unsigned at = thread->claim.at;
      if (at == CLAIM_LOCK_SERVE || at == CLAIM_ROUND_SERVE || at == CLAIM_HELD_SERVE)
        return thread->claim.serve.at == SERVE_REPLY;
      if (at == CLAIM_ASK || at == CLAIM_ROUND) return is_answered(t);
      return at == CLAIM_NEXT || at == CLAIM_WRITER_ASK || at == CLAIM_RECEIVED || at == CLAIM_HELD ||
             (at == CLAIM_WRITER && !world_order.scheme->asks_writer);
    }
    case SERVING:
      return thread->serve.at == SERVE_REPLY;
    case PARKING:
    case EXITING:
      return thread->parking.at == PARK_SCHEME || thread->parking.serve.at == SERVE_REPLY;
    case UNPARKING:
    case BEGINNING:
      return thread->parking.at == UNPARK_SCHEME || thread->parking.serve.at == SERVE_REPLY;
    default:
      return false;
  }
}

/* The note is written before the cell says so. */
static bool is_being_answered(unsigned asker, unsigned cell) {
  for (unsigned t = 0; t < world.threads; t++) {
    const struct world_thread *thread = &world.thread[t];
    const struct directory_serve *serves[] = {&thread->claim.serve, &thread->serve, &thread->parking.serve};
    for (unsigned i = 0; i < 3; i++)
      if (serves[i]->at >= SERVE_FURTHER && serves[i]->asker == asker && serves[i]->cell == cell) return true;
  }
  return false;
}

/* Of a claim, what its next steps look at. */
static void canonical_claim(struct directory_claim *claim) {
  bool locked = claim->at != CLAIM_NEXT && claim->at != CLAIM_LOCK && claim->at != CLAIM_LOCK_MARKED &&
                claim->at != CLAIM_LOCK_SERVE && claim->at < CLAIM_GRANTED;
  if (!claim->brought) claim->info = 0;
  if (!locked) {
    claim->locked = claim->takes = 0;
    claim->targets = claim->writers = (struct order_set){0};
    claim->cell = 0, claim->late = false;
  }
  if (claim->at != CLAIM_RECEIVE && claim->at != CLAIM_RECEIVED)
    claim->note = (struct order_note){0}, claim->then = 0;
  bool names_one = claim->at == CLAIM_ASK_MARK || claim->at == CLAIM_HELD || claim->at == CLAIM_HELD_SERVE ||
                   claim->at == CLAIM_RELEASE || claim->at == CLAIM_RELEASE_WAKE ||
                   claim->at == CLAIM_WRITER_ASK || claim->at == CLAIM_RECEIVE || claim->at == CLAIM_RECEIVED;
  if (!names_one) claim->source = 0;
  claim->seen = 0;
}

static void canonical_serve(struct directory_serve *serve) {
  if (serve->at == SERVE_LOOK) serve->as = serve->asker = serve->cell = serve->brought = 0;
  if (!serve->puts_off) memset(&serve->seen, 0, sizeof serve->seen);
}

void world_canonical(void) {
  for (unsigned t = 0; t < world.threads; t++) {
    struct world_thread *thread = &world.thread[t];
    struct directory_slot *slot = &world.slot[t];
    bool news = slot->events != seen(thread);
    if (thread->activity != CLAIMING && thread->activity != UNPARKING && thread->activity != BEGINNING)
      news = false;
    slot->events = news;
    slot->lost = 0;
    slot->recorder.next = (struct order_next){0};
    canonical_claim(&thread->claim);
    canonical_serve(&thread->claim.serve);
    canonical_serve(&thread->serve);
    canonical_serve(&thread->parking.serve);
    thread->parking.seen = 0;
    for (unsigned i = slot->pins; i < DIRECTORY_RANGES; i++) slot->pin[i] = (struct directory_range){0};
    for (unsigned i = 0; i < DIRECTORY_BATCH; i++)
      if ((slot->cell[i].asks & 0xff) != CELL_ANSWERED && !is_being_answered(t, i))
        slot->cell[i].note = (struct order_note){0}, slot->cell[i].kept = 0;
    for (unsigned i = 0; i < DIRECTORY_BATCH; i++)
      if ((slot->cell[i].asks & 0xff) != CELL_ANSWERED) slot->cell[i].brought = 0;
    if (thread->activity == CLAIMING) continue;
    slot->group = slot->want = slot->further = 0, slot->walk = (struct directory_walk){0};
    slot->blocks = slot->need = 0;
  }
  for (unsigned block = 0; block < WORLD_BLOCKS; block++) {
    if (!(world.group[block / DIRECTORY_GROUP].split >> block % DIRECTORY_GROUP & 1)) world.word[block] = 0;
    if (word_mode(world.word[block]) < DIRECTORY_SHARED) world.info[block] = 0;
  }
  for (unsigned i = 0; i < WORLD_GROUPS; i++) {
    if (world.group[i].split == GROUP_ALL) world.group[i].word = 0;
    if (word_mode(world.group[i].word) < DIRECTORY_SHARED) world.group[i].info = 0;
  }
}
