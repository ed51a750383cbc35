/* hand_over.c: the tables and waits behind order/directory.h. See hand_over.h. */
#include "engine/hand_over.h"

#include <linux/futex.h>

#include "engine/baton.h"
#include "engine/leaving.h"
#include "engine/lib.h"
#include "engine/slots.h"
#include "engine/patience.h"
#include "engine/private_stack.h"
#include "engine/shared.h"

struct thread *members[REGION_SLOTS];
uint8_t stage_held[REGION_SLOTS];
_Atomic uint32_t sleepers;

/* -- What the protocol asks ----------------------------------------------------------------------------------------------- */

static struct directory_group *group_at(const struct directory *d, uint64_t group) {
  (void)d;
  return &GROUPS[group];
}

static struct directory_place place(const struct directory *d, uint64_t block) {
  (void)d;
  return (struct directory_place){&WORDS[block], &INFOS[block]};
}

/* The bytes of a page's map in which that bit is set, or its hidden fellow. */
static uint64_t bytes_with(const uint8_t *map, unsigned bit) {
  enum { IN_A_WORD = 8 };
  const uint64_t ones = 0x0101010101010101, gather = 0x0102040810204080;
  unsigned shift = (unsigned)__builtin_ctz(bit);
  uint64_t set = 0;
  for (unsigned i = 0; i < PAGE_BLOCKS / IN_A_WORD; i++) {
    uint64_t word = ((const uint64_t *)map)[i];
    word = (word >> shift | word >> (shift + HIDES)) & ones;
    set |= (word * gather >> 56) << i * IN_A_WORD;
  }
  return set;
}

static uint64_t held(const struct directory *d, unsigned slot, uint64_t group, uint64_t blocks,
                     unsigned want) {
  (void)d;
  if (group == STAGE_GROUP) return stage_held[slot] >= want ? blocks : 0;
  if (!members[slot] || !blocks) return 0;
  uint8_t own = want == ORDER_WRITE ? PERMISSION_WRITE : PERMISSION_READ;
  const uint8_t *map = map_of(members[slot]) + group * PAGE_BLOCKS;
  if (blocks & (blocks - 1)) return blocks & bytes_with(map, own);
  return map[__builtin_ctzll(blocks)] & (own | own << HIDES) ? blocks : 0;
}

static void fix_pair(uint8_t *map, uint32_t block) {
  uint32_t next = (block + 1) % PERMISSION_BLOCKS;
  uint8_t own = map[block] & INLINE;
  map[block] = own | ((own & map[next]) >> 2) | (map[block] & HIDDEN);
}

static void set_page(uint8_t *map, uint8_t bits) {
  for (unsigned i = 0; i < PAGE_BLOCKS / 8; i++) ((uint64_t *)map)[i] = 0x0101010101010101 * bits;
}

/* Whoever was given blocks of a page to write is left alone with them for a while, the longer the more they are: who misses there waits before it
 * asks for them. They would be taken away before they are used otherwise, where many threads go through the same pages, or a lock before it
 * is free again. Who had to ask again for what was taken from it only just now stays twice as long next time: threads that use the same blocks all
 * the time would do little else than hand them over. It is about speed only: whoever asks is answered. */
/* In moments, but for the first: log2 of how many blocks the longest stay is worth. */
enum { STAY_MOST = 9, STAY_BITS = 18, SOON = 128 };
union lease {
  uint32_t word;
  struct {
    uint32_t slot : 10, stay : 4, begin : STAY_BITS;
  };
};

static uint32_t age_of(union lease lease) {
  return ((uint32_t)arch_moments() - lease.begin) & ((1U << STAY_BITS) - 1);
}

static bool is_over(union lease lease) {
  enum { BLOCK = 4 };
  return age_of(lease) >= (unsigned)BLOCK << lease.stay;
}

enum { STAYS = 64 };
static struct stays {
  _Alignas(DIRECTORY_LINE) _Atomic bool waits; /* the slot's thread does nothing with what it has */
  struct stay {
    _Atomic uint32_t page;
    uint32_t longer;       /* how often it was doubled */
    _Atomic uint32_t lost; /* when what it could write there was last taken away, in moments */
  } stay[STAYS];
} stays_of[REGION_SLOTS];

static bool is_about(const struct stay *stay, uint64_t page) {
  return atomic_load_explicit(&stay->page, memory_order_relaxed) == page;
}

static void begin_lease(uint64_t page, unsigned slot, uint64_t blocks) {
  const struct stay *own = &stays_of[slot].stay[page % STAYS];
  unsigned span = 64 - (unsigned)__builtin_clzll(blocks) - (unsigned)__builtin_ctzll(blocks);
  unsigned stay = 31 - (unsigned)__builtin_clz(2 * span - 1) + (is_about(own, page) ? own->longer : 0);
  union lease now = {.slot = slot & 0x3ff, .stay = MIN(stay, STAY_MOST) & 15};
  now.begin = arch_moments() & ((1U << STAY_BITS) - 1);
  atomic_store_explicit(&GROUPS[page].lease, now.word, memory_order_relaxed);
}

static void set_waits(unsigned slot, bool waits) {
  atomic_store_explicit(&stays_of[slot].waits, waits, memory_order_relaxed);
}

static bool uses_what_it_has(const struct directory *d, unsigned slot) {
  return !atomic_load_explicit(&stays_of[slot].waits, memory_order_relaxed) &&
         atomic_load(&d->slot[slot].state) != DIRECTORY_PARKED;
}

/* By whoever takes it. */
static void note_loss(uint64_t page, unsigned slot) {
  struct stay *own = &stays_of[slot].stay[page % STAYS];
  if (is_about(own, page)) atomic_store_explicit(&own->lost, (uint32_t)arch_moments(), memory_order_relaxed);
}

static void learn_stay(struct stay *own, uint64_t page) {
  uint32_t now = (uint32_t)arch_moments();
  if (!is_about(own, page)) {
    atomic_store_explicit(&own->page, (uint32_t)page, memory_order_relaxed);
    own->longer = 0;
    atomic_store_explicit(&own->lost, now - SOON, memory_order_relaxed);
  }
  if (now - atomic_load_explicit(&own->lost, memory_order_relaxed) < SOON)
    own->longer += own->longer < STAY_MOST;
  else
    own->longer -= MIN(own->longer, 2U);
}

/* Not while somebody asks this one. */
static void await_lease(const struct directory *d, uint64_t page, unsigned slot, bool write) {
  union lease lease = {atomic_load_explicit(&GROUPS[page].lease, memory_order_relaxed)};
  if (lease.slot == slot) return;
  if (write) learn_stay(&stays_of[slot].stay[page % STAYS], page);
  uint32_t events = atomic_load(&d->slot[slot].events);
  set_waits(slot, true);
  while (!is_over(lease) && uses_what_it_has(d, lease.slot) && atomic_load(&d->slot[slot].events) == events)
    arch_relax();
  set_waits(slot, false);
}

static void permit(const struct directory *d, unsigned slot, uint64_t group, uint64_t blocks,
                   unsigned permission) {
  if (group == STAGE_GROUP) {
    stage_held[slot] = (uint8_t)permission;
    return;
  }
  if (!members[slot]) return;
  if (permission == ORDER_WRITE) {
    begin_lease(group, slot, blocks);
    leaving_note(d, slot, group, blocks);
  } else if (held(d, slot, group, blocks & -blocks, ORDER_WRITE)) {
    note_loss(group, slot);
  }
  uint8_t *map = map_of(members[slot]);
  uint32_t first = (uint32_t)group * PAGE_BLOCKS;
  uint8_t bits = permission == ORDER_WRITE ? INLINE : permission ? PERMISSION_READ : 0;
  bool hidden = shared_is_marked((uintptr_t)first << BLOCK_SHIFT);
  if (blocks == UINT64_MAX && !hidden) {
    set_page(map + first, bits | bits >> 2);
    fix_pair(map, first + PAGE_BLOCKS - 1);
  } else {
    uint8_t value = hidden ? (uint8_t)(bits << HIDES) : bits;
    for (uint64_t set = blocks; set; set &= set - 1) map[first + (unsigned)__builtin_ctzll(set)] = value;
    for (uint64_t set = blocks | blocks >> 1; set; set &= set - 1)
      fix_pair(map, first + (unsigned)__builtin_ctzll(set));
  }
  if (blocks & 1) fix_pair(map, (first - 1) % PERMISSION_BLOCKS);
  if (permission != ORDER_WRITE) private_stack_lose(members[slot], first, blocks);
}

void permissions_mark(uint32_t first, uint32_t count, bool set) {
  for (unsigned slot = 0; slot < atomic_load(&region->directory_slots); slot++) {
    if (!members[slot]) continue;
    uint8_t *map = map_of(members[slot]);
    private_stack_drop(members[slot]);
    for (uint32_t b = first; b < first + count; b++)
      map[b] = set ? (uint8_t)((map[b] & INLINE) << HIDES) : (map[b] & HIDDEN) >> HIDES;
    for (uint32_t b = first + count; b-- > first;) fix_pair(map, b);
    fix_pair(map, (first - 1) % PERMISSION_BLOCKS);
  }
}

/* Memory is passed on by the page, as long as that pays. Who misses in a page where another was last, only a moment ago, takes turns with that
 * one, and is given less, since what nobody needs now has to be asked for later. Who misses where it was the last itself needs more of
 * it, and is given twice as much at a time. Where turns come seldom, it is tried with more again. Who reads does not take turns with others
 * who do, and a page that is written by turns now may be read by all later: so there is a measure for each. Threads do not wait for each
 * other here: a mark that is lost costs a request. */
enum { SHARE_ALL = 6, SHARE_FEW = 2, A_MOMENT = 1, SELDOM = 128 };
#if defined(REPRISE_STRESS_SLOW_PATHS)
enum { SHARES_PAGES = 0 }; /* what follows on a block has to be found out in other ways */
#else
enum { SHARES_PAGES = 1 };
#endif
struct hint { /* log2 of blocks; of the last to miss: whether it was to write, slot + 1, when that was */
  uint32_t reads : 3, writes : 3, wrote : 1, last : 10, ticks : 15;
};

/* log2 of the blocks that the slot should get at a time. free: they need not be asked for. */
static unsigned share_of(uint64_t page, unsigned slot, bool write, bool free) {
  union {
    uint32_t word;
    struct hint hint;
  } now = {0}, before = {atomic_load_explicit(&GROUPS[page].hint, memory_order_relaxed)};
  unsigned share = write ? before.hint.writes : before.hint.reads;
  now.hint = (struct hint){.reads = before.hint.reads, .writes = before.hint.writes, .wrote = write};
  now.hint.last = (slot + 1) & 0x3ff, now.hint.ticks = arch_ticks() & 0x7fff;
  uint32_t age = (now.hint.ticks - before.hint.ticks) & 0x7fff;
  bool turns = before.hint.last != slot + 1 && (write || before.hint.wrote) && age < SELDOM;
  if (!before.hint.last)
    now.hint.reads = now.hint.writes = share = SHARE_ALL;
  else if (!turns)
    share = free ? SHARE_ALL : share + (share < SHARE_ALL);
  else if (age <= A_MOMENT)
    share -= MIN(share, 2U);
  if (write)
    now.hint.writes = share & 7;
  else
    now.hint.reads = share & 7;
  atomic_store_explicit(&GROUPS[page].hint, now.word, memory_order_relaxed);
  return share;
}

/* That many blocks of a page, from that one on. */
static uint64_t blocks_from(unsigned first, unsigned count) {
  return (count >= PAGE_BLOCKS ? UINT64_MAX : (1UL << count) - 1) << first;
}

/* Who writes, and may write the blocks up to those that it needs now, goes through them one after the other: it gets some more of the row,
 * whoever else is about in that page. */
static uint64_t row_of(const struct directory *d, unsigned slot, uint64_t group, uint64_t need) {
  enum { MOST = 8 };
  unsigned first = (unsigned)__builtin_ctzll(need), end = PAGE_BLOCKS - (unsigned)__builtin_clzll(need);
  unsigned least = first > MOST ? first - MOST : 0, below = 0, above = 0;
  uint64_t has = held(d, slot, group, blocks_from(least, MIN(end + MOST, PAGE_BLOCKS) - least), ORDER_WRITE);
  while (below < MOST && below < first && has >> (first - below - 1) & 1) below++;
  while (above < MOST && end + above < PAGE_BLOCKS && has >> (end + above) & 1) above++;
  uint64_t row = below && end < PAGE_BLOCKS ? blocks_from(end, below) : 0;
  unsigned down = MIN(above, first);
  return down ? row | blocks_from(first - down, down) : row;
}

/* What a thread asked for next in a page, right after it had asked for a block there, it is likely to need after that block again: a lock, what it
 * guards, whom to wake. So it comes along, with what is known to follow on that. */
enum { HABITS = 64, HABIT_MOST = 6 };
static struct habits {
  _Alignas(DIRECTORY_LINE) uint32_t last, ticks; /* what was asked for or came along last, and when */
  struct {
    uint32_t block, next;
  } habit[HABITS];
} habits_of[REGION_SLOTS];

static uint64_t habit_of(unsigned slot, uint64_t group, uint64_t need) {
  struct habits *own = &habits_of[slot];
  uint32_t block = (uint32_t)group_first(group, need), now = (uint32_t)arch_ticks();
  if (own->last / PAGE_BLOCKS == group && now - own->ticks <= A_MOMENT) {
    own->habit[own->last % HABITS].block = own->last;
    own->habit[own->last % HABITS].next = block;
  }
  uint64_t blocks = 0;
  for (unsigned i = 0; i <= HABIT_MOST; i++) {
    blocks |= 1UL << block % PAGE_BLOCKS;
    own->last = block;
    if (own->habit[block % HABITS].block != block) break;
    block = own->habit[block % HABITS].next;
    if (blocks >> block % PAGE_BLOCKS & 1) break;
  }
  own->ticks = now;
  return blocks;
}

/* Walks over memory: where a thread has asked, and at what distance before. Who goes on where a walk would, for the second time, since the first
 * may be by chance, gets twice as many steps of it as before at once; not so many when it turns out that it did not come so far. Where pages are
 * passed on as a whole, a step is a page; elsewhere some blocks, as of a row in a part of a picture. */
enum { WALKS = 8, WALK_NEAR = 16, WALK_MOST = 31 };
static struct walks {
  _Alignas(DIRECTORY_LINE) struct walk {
    uint32_t at; /* the page, or block, asked for last, with so many further ones */
    int16_t stride;
    uint8_t further, width; /* width: blocks */
    bool sure;
  } walk[WALKS];
  unsigned next; /* the one to be forgotten */
} page_walks_of[REGION_SLOTS], block_walks_of[REGION_SLOTS];
static struct walk
    *block_walk_of[REGION_SLOTS]; /* that the present claim is a step of; NULL: of one by pages */

/* How many strides the place is from where the walk was; 0: it is not on the way, or farther than what was asked for. */
static unsigned strides_to(const struct walk *walk, uint64_t at) {
  int64_t distance = (int64_t)at - walk->at, stride = walk->stride;
  if (stride < 0) distance = -distance, stride = -stride;
  if (distance <= 0 || distance > stride * (walk->further + 1)) return 0;
  return distance % stride == 0 ? (unsigned)(distance / stride) : 0;
}

/* The walk that the page or block belongs to, perhaps a new one. */
static struct walk *find_walk(struct walks *walks, uint64_t at, int64_t near) {
  for (struct walk *walk = walks->walk; walk < walks->walk + WALKS; walk++) {
    unsigned strides = strides_to(walk, at);
    if (!strides) continue;
    unsigned more = walk->sure ? MIN(2 * walk->further + 1, WALK_MOST) : 0;
    walk->further = (uint8_t)(strides > walk->further ? more : strides - 1);
    walk->sure = true;
    return walk;
  }
  for (struct walk *walk = walks->walk; walk < walks->walk + WALKS; walk++) {
    int64_t distance = (int64_t)at - walk->at;
    if (!distance || distance > near || distance < -near) continue;
    walk->stride = (int16_t)distance;
    walk->further = walk->sure = 0;
    return walk;
  }
  struct walk *walk = &walks->walk[walks->next++ % WALKS];
  *walk = (struct walk){.stride = 1, .width = 1};
  return walk;
}

/* The walk by blocks; NULL for one more of the same step, of which the walk gets broader. */
static struct walk *find_block_walk(unsigned slot, uint32_t block) {
  struct walks *walks = &block_walks_of[slot];
  for (struct walk *walk = walks->walk; walk < walks->walk + WALKS; walk++) {
    uint32_t beyond = block - walk->at;
    if (!walk->at || beyond > walk->width) continue;
    if (!beyond) return walk; /* once more */
    if (beyond == walk->width) walk->width = (uint8_t)MIN(2 * walk->width, PAGE_BLOCKS);
    return NULL;
  }
  struct walk *walk = find_walk(walks, block, (int64_t)WALK_NEAR * PAGE_BLOCKS);
  walk->at = block;
  return walk;
}

static uint64_t along(const struct directory *d, unsigned slot, uint64_t group, uint64_t need,
                      unsigned want) {
  block_walk_of[slot] = NULL;
  if (group == STAGE_GROUP) return 0;
  bool write = want == ORDER_WRITE, free = !write && directory_is_unowned(d, group, need);
  if (!free) await_lease(d, group, slot, write);
  unsigned first = (unsigned)__builtin_ctzll(need);
  unsigned share = SHARES_PAGES ? share_of(group, slot, write, free) : 0, count = 1U << share;
  uint64_t bits = blocks_from(ALIGN_DOWN(first, count), count);
  if (share <= SHARE_FEW) bits |= habit_of(slot, group, need);
  struct walk *walk = find_block_walk(slot, (uint32_t)group_first(group, need));
  if (share < SHARE_ALL) {
    block_walk_of[slot] = walk;
    if (walk && walk->sure) bits |= blocks_from(first, walk->width);
  }
  /* What a walk goes over is not what others wait for: they would rather have all of it at once. */
  leaving_begin(d, slot, group, need, write && share < SHARE_ALL && !(walk && walk->sure));
  return write ? bits | row_of(d, slot, group, need) : bits;
}

static unsigned further(const struct directory *d, unsigned slot, uint64_t group, unsigned known,
                        struct directory_walk *to) {
  (void)d;
  if (group == STAGE_GROUP) return 0;
  struct walk *walk = block_walk_of[slot];
  int64_t place = (int64_t)group, end = STAGE_GROUP;
  if (walk && !known) {
    place = walk->at, end = STAGE;
    *to = (struct directory_walk){walk->at % PAGE_BLOCKS, walk->width, walk->stride};
  } else {
    walk = find_walk(&page_walks_of[slot], group, WALK_NEAR);
    if (known > walk->further || (known && walk->stride != 1)) {
      walk->stride = 1;
      walk->further = (uint8_t)MIN(known, WALK_MOST);
    }
    walk->at = (uint32_t)group;
    *to = (struct directory_walk){0, PAGE_BLOCKS, (int16_t)(walk->stride * PAGE_BLOCKS)};
  }
  if (!walk->further) return 0;
  int64_t room = walk->stride > 0 ? end - 1 - place : place;
  return (unsigned)MIN(walk->further, room / (walk->stride > 0 ? walk->stride : -walk->stride));
}

static bool near(const struct directory *d, unsigned slot) {
  (void)d;
  return members[slot];
}

/* What a slot's thread says that sleeps since it has seen these events. */
static uint32_t asleep_since(uint32_t events) {
  return events << 1 | 1;
}

/* Once: until who was woken has a processor others may have news for it, too. */
static void wake(const struct directory *d, unsigned slot) {
  struct directory_slot *sleeper = &d->slot[slot];
  uint32_t asleep = members[slot] ? atomic_load(&sleeper->asleep) : 0;
  bool missed = asleep && asleep != asleep_since(atomic_load(&sleeper->events)) &&
                atomic_compare_exchange_strong(&sleeper->asleep, &asleep, 0);
  if (missed || !members[slot]) os_call3(__NR_futex, &sleeper->events, FUTEX_WAKE, 1);
}

/* A request may be lost to the target's own counting; who waits repeats it. Threads of other processes are told by a signal. */
void kick(const struct directory *d, unsigned slot) {
  if (atomic_load(&d->slot[slot].state) == DIRECTORY_PARKED) return;
  const struct rthread *rthread = &region->slots[slot];
  if (members[slot])
    arch_request(members[slot]);
  else if (atomic_load(&rthread->state) == SLOT_LIVE && rthread->tid)
    kick_thread(rthread->pid, rthread->tid);
  wake(d, slot);
}

static void put(const struct order *whose, unsigned slot, const uint8_t *bytes, size_t count) {
  (void)whose;
  struct ring *ring = &region->slots[slot].order;
  struct order_recorder *recorder = &region->directory[slot].recorder;
  atomic_store(&ring->position, recorder->position);
  recorder->log_start = atomic_load(&ring->head) + 1;
  atomic_signal_fence(memory_order_seq_cst);
  ring_put(ring, bytes, count);
}

static uint32_t own_id(const struct directory *d) {
  (void)d;
  return arch_self()->lock_id;
}

static bool has_logged(unsigned slot) {
  uint64_t start = region->directory[slot].recorder.log_start;
  return start && atomic_load(&region->slots[slot].order.head) >= start;
}

/* Now and then it is looked whether the holder is alive; mostly it is, and about to let go. */
static bool take_over(const struct directory *d, unsigned slot, uint32_t holder) {
  enum { TRIES_PER_LOOK = 4096 };
  if (++arch_self()->lock_tries % TRIES_PER_LOOK) return false;
  char state = task_state((int32_t)holder);
  if (!holder || (state != 'X' && state != 'Z')) return false;
  if (!atomic_compare_exchange_strong(&d->slot[slot].lock, &holder, own_id(d))) return false;
  order_recover(&d->slot[slot].recorder, has_logged(slot));
  return true;
}

struct order order = {.log = put};
struct directory directory = {
    .order = &order,
    .group = group_at,
    .place = place,
    .held = held,
    .permit = permit,
    .along = along,
    .further = further,
    .near = near,
    .wake = wake,
    .kick = kick,
    .own_id = own_id,
    .take_over = take_over,
};

/* -- Waiting --------------------------------------------------------------------------------------------------------------- */

static struct patience patience_of[REGION_SLOTS];

void fail_killed(void) {
  sphere_fail(OUTCOME_UNSUPPORTED,
              "a process was killed while it ran in memory that it has in common with others, which can't be "
              "recorded");
}

/* Another process that has this memory may be killed from outside just when it has what others wait for. */
static void look_for_killed(void) {
  static _Atomic uint64_t looked;
  if (process_is_alone() || !region_look_is_due(&looked)) return;
  const struct process *own = arch_self()->process;
  for (unsigned i = 0; i < atomic_load(&region->directory_slots); i++) {
    const struct thread *other = members[i];
    if (!other || other->process == own || atomic_load(&region->directory[i].state) != DIRECTORY_RUNNING)
      continue;
    if (!rthread_is_alive(&region->slots[i])) fail_killed();
  }
}

/* Reminds those who have not answered yet. Who was killed never will: it is parked for good. */
static void remind(const struct directory_slot *slot, bool others) {
  for (unsigned i = 0; i < DIRECTORY_BATCH; i++) {
    uint32_t asks = atomic_load(&slot->cell[i].asks), running = DIRECTORY_RUNNING;
    unsigned target = asks >> 8;
    if ((asks & 0xff) != CELL_ASKED || (!members[target] && !others)) continue;
    kick(&directory, target);
    if (!members[target] && !rthread_is_alive(&region->slots[target]))
      atomic_compare_exchange_strong(&region->directory[target].state, &running, DIRECTORY_PARKED);
  }
}

/* There are more threads than processors for them. */
static bool is_crowded(void) {
  unsigned running = 0, processors = os_processors();
  for (unsigned i = 0, slots = atomic_load(directory.slots); i < slots && running <= processors; i++)
    running += atomic_load(&directory.slot[i].state) == DIRECTORY_RUNNING;
  return running > processors;
}

/* Looks for events for a while. */
static bool spin(const struct directory_slot *slot, unsigned me, uint32_t seen) {
  enum { LOOKS_PER_KICK = 40 };
  struct patience *patience = &patience_of[me];
  patience_begin(patience);
  while (atomic_load(&slot->events) == seen) {
    if (!patience_lasts(patience, is_crowded)) return false;
    if (patience->looks % LOOKS_PER_KICK == 0) remind(slot, false);
  }
  patience_pays(patience);
  return true;
}

/* What was lost is repeated after a while, sooner than the loss of a few milliseconds is felt; but many who repeat leave no time for those that
 * they wait for. */
static void sleep_until_events(struct directory_slot *slot, uint32_t seen) {
  enum { SLEEPERS_PER_PROCESSOR = 4, MILLISECONDS_MOST = 50, NANOSECONDS = 1000000 };
  uint32_t others = atomic_fetch_add(&sleepers, 1) / (SLEEPERS_PER_PROCESSOR * os_processors());
  struct {
    long seconds, nanoseconds;
  } patience = {0, (long)MIN(MAX(others, 1), MILLISECONDS_MOST) * NANOSECONDS};
  atomic_store(&slot->asleep, asleep_since(seen));
  os_call4(__NR_futex, &slot->events, FUTEX_WAIT, seen, &patience);
  atomic_store(&slot->asleep, 0);
  atomic_fetch_sub(&sleepers, 1);
  look_for_killed();
  remind(slot, true);
}

void wait_for_events(struct thread *thread, uint32_t seen) {
  unsigned me = slot_number(thread);
  set_waits(me, true);
  if (!spin(self(thread), me, seen)) sleep_until_events(self(thread), seen);
  set_waits(me, false);
}

void park_steps(struct thread *thread, enum directory_result (*step)(const struct directory *, unsigned,
                                                                     struct directory_parking *)) {
  struct directory_parking parking;
  directory_parking_start(&parking);
  for (enum directory_result result;
       (result = step(&directory, slot_number(thread), &parking)) != DIRECTORY_DONE;)
    if (result == DIRECTORY_WAITS) wait_for_events(thread, parking.seen);
}

_Noreturn void retire(struct thread *thread) {
  if (order_is_alive(&self(thread)->recorder)) {
    set_position(thread);
    park_steps(thread, directory_exit_step);
  }
  for (;;) os_call5(__NR_ppoll, 0, 0, 0, 0, 0);
}

bool is_ending(unsigned me) {
  uint32_t ender = members[me] ? atomic_load(&members[me]->process->ender) : 0;
  return ender && ender != me + 1;
}

void claim_all(struct thread *thread, struct directory_claim *claim) {
  enum { STEPS_AT_ONCE = 200 };
  unsigned me = slot_number(thread);
  set_position(thread);
  uint64_t group = claim->group;
  for (unsigned steps = 1;; steps++) {
    if (claim->group != group) group = claim->group, steps = 1;
    enum directory_result result = directory_claim_step(&directory, me, claim);
    if (result == DIRECTORY_DONE) break;
    if (claim->group == STAGE_GROUP && is_ending(me) && directory_claim_abandon(&directory, me, claim))
      retire(thread);
    if (result == DIRECTORY_WAITS) {
      wait_for_events(thread, claim->seen);
    } else if (steps % STEPS_AT_ONCE == 0) { /* it puts the same requests off again and again */
      look_for_killed();
      os_call0(__NR_sched_yield);
    }
  }
  leaving_end(me);
}
