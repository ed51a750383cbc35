/* hand_over.c: the host of the hand-over protocol (order/directory.h): the tables that the protocol reads and changes, the waits of requesters, and how
 * owners are told of requests. See hand_over.h. Which blocks a request asks for beyond those needed is left to the predictors (predictors.h). */
#include "engine/order/hand_over.h"

#include <linux/futex.h>

#include "engine/base/lib.h"
#include "engine/base/patience.h"
#include "engine/base/slots.h"
#include "engine/order/baton.h"
#include "engine/order/open_blocks.h"
#include "engine/order/predictors.h"
#include "engine/order/private_stack.h"
#include "engine/order/shared.h"
#include "engine/region/endings.h"

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

/* The blocks of a page in whose byte of the map the bit is set, or its hidden counterpart. */
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
  map[block] = own | ((own & map[next]) >> 2) | (map[block] & ~SHOWN);
}

static void set_page(uint8_t *map, uint8_t bits) {
  for (unsigned i = 0; i < PAGE_BLOCKS / 8; i++) ((uint64_t *)map)[i] = 0x0101010101010101 * bits;
}

static void permit(const struct directory *d, unsigned slot, uint64_t group, uint64_t blocks,
                   unsigned permission) {
  if (group == STAGE_GROUP) {
    stage_held[slot] = (uint8_t)permission;
    return;
  }
  if (!members[slot]) return;
  if (permission == ORDER_WRITE)
    predictors_granted(d, slot, group, blocks);
  else if (held(d, slot, group, blocks & -blocks, ORDER_WRITE))
    predictors_lost(slot, group);
  uint8_t *map = map_of(members[slot]);
  uint32_t first = (uint32_t)group * PAGE_BLOCKS;
  uint8_t bits = permission == ORDER_WRITE ? INLINE : permission ? PERMISSION_READ : 0;
  bool hidden = shared_is_marked((uintptr_t)first << BLOCK_SHIFT), open = open_any();
  if (blocks == UINT64_MAX && !hidden && !open) {
    set_page(map + first, bits | bits >> 2);
    fix_pair(map, first + PAGE_BLOCKS - 1);
  } else {
    for (uint64_t set = blocks; set; set &= set - 1) {
      uint32_t block = first + (unsigned)__builtin_ctzll(set);
      map[block] = hidden || (open && open_is_open(block)) ? (uint8_t)(bits << HIDES) : bits;
    }
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
    for (uint32_t b = first; b < first + count; b++) {
      if (set)
        map[b] = (uint8_t)((map[b] & INLINE) << HIDES | (map[b] & HIDDEN));
      else if (!open_any() || !open_is_open(b)) /* which stays hidden for that */
        map[b] = (map[b] & HIDDEN) >> HIDES;
    }
    for (uint32_t b = first + count; b-- > first;) fix_pair(map, b);
    fix_pair(map, (first - 1) % PERMISSION_BLOCKS);
  }
}

static uint64_t along(const struct directory *d, unsigned slot, uint64_t group, uint64_t need,
                      unsigned want) {
  return group == STAGE_GROUP ? 0 : predictors_along(d, slot, group, need, want == ORDER_WRITE);
}

static unsigned further(const struct directory *d, unsigned slot, uint64_t group, unsigned known,
                        struct directory_walk *to) {
  (void)d;
  return group == STAGE_GROUP ? 0 : predictors_further(slot, group, known, to);
}

static bool near(const struct directory *d, unsigned slot) {
  (void)d;
  return members[slot];
}

/* The value of `asleep` of a thread that sleeps since it has seen these events. */
static uint32_t asleep_since(uint32_t events) {
  return events << 1 | 1;
}

/* Wakes the thread once: others may have news for it, too, before it gets a processor. */
static void wake(const struct directory *d, unsigned slot) {
  struct directory_slot *sleeper = &d->slot[slot];
  uint32_t asleep = members[slot] ? atomic_load(&sleeper->asleep) : 0;
  bool missed = asleep && asleep != asleep_since(atomic_load(&sleeper->events)) &&
                atomic_compare_exchange_strong(&sleeper->asleep, &asleep, 0);
  if (missed || !members[slot]) os_call3(__NR_futex, &sleeper->events, FUTEX_WAKE, 1);
}

/* The owner's own counting may overwrite the request; the requester repeats it (remind). Threads of other processes get a signal. */
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
  struct ring *ring = &region->slots[slot].order_log.ring;
  struct order_recorder *recorder = &region->directory[slot].recorder;
  atomic_store(&ring->position, recorder->position);
  recorder->log_start = atomic_load(&ring->head) + 1;
  atomic_signal_fence(memory_order_seq_cst);
  ring_put(ring, bytes, count);
}

static uint32_t own_id(const struct directory *d) {
  (void)d;
  return arch_self()->region_lock.id;
}

static bool has_logged(unsigned slot) {
  uint64_t start = region->directory[slot].recorder.log_start;
  return start && atomic_load(&region->slots[slot].order_log.ring.head) >= start;
}

/* Looks now and then whether the holder of the lock is alive; mostly it is, and about to release it. */
static bool take_over(const struct directory *d, unsigned slot, uint32_t holder) {
  enum { TRIES_PER_LOOK = 4096 };
  if (++arch_self()->region_lock.tries % TRIES_PER_LOOK) return false;
  char state = task_state((int32_t)holder);
  if (!holder || (state != 'X' && state != 'Z')) return false;
  if (!atomic_compare_exchange_strong(&d->slot[slot].lock, &holder, own_id(d))) return false;
  order_recover(d->order->scheme, &d->slot[slot].recorder, has_logged(slot));
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

/* True if the slot's thread is gone and has not parked before, as a thread does that ends by itself. */
static bool was_killed(unsigned slot) {
  const struct rthread *rthread = &region->slots[slot];
  const _Atomic uint32_t *state = &region->directory[slot].state;
  uint32_t number = rthread->number;
  if (atomic_load(state) != DIRECTORY_RUNNING || rthread_is_alive(rthread)) return false;
  return atomic_load(state) == DIRECTORY_RUNNING &&
         rthread->number == number; /* it may have ended meanwhile */
}

/* Another process with this memory may be killed from outside while it owns blocks that others wait for. */
static void look_for_killed(void) {
  static _Atomic uint64_t looked;
  if (process_is_alone() || !region_look_is_due(&looked)) return;
  const struct process *own = arch_self()->process;
  for (unsigned i = 0; i < atomic_load(&region->directory_slots); i++) {
    const struct thread *other = members[i];
    if (other && other->process != own && was_killed(i)) fail_killed();
  }
}

/* Repeats the requests that have no answer yet. A thread that was killed never answers: it counts as parked from now on. */
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

/* True if more threads run than there are processors. */
static bool is_crowded(void) {
  unsigned running = 0, processors = os_processors();
  for (unsigned i = 0, slots = atomic_load(directory.slots); i < slots && running <= processors; i++)
    running += atomic_load(&directory.slot[i].state) == DIRECTORY_RUNNING;
  return running > processors;
}

/* Spins until events arrive; false: not for a while. */
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

/* Sleeps for some milliseconds at most and then repeats its requests, since one may have been lost. The more threads sleep, the longer each does:
 * many that repeat would leave no time for the owners. */
static void sleep_until_events(struct directory_slot *slot, uint32_t seen) {
  enum { SLEEPERS_PER_PROCESSOR = 4, MILLISECONDS_MOST = 50, NANOSECONDS = 1000000 };
  uint32_t others = atomic_fetch_add(&sleepers, 1) / (SLEEPERS_PER_PROCESSOR * os_processors());
  struct {
    long seconds, nanoseconds;
  } patience = {0, (long)MIN(MAX(others, 1), MILLISECONDS_MOST) * NANOSECONDS};
  atomic_store(&slot->asleep, asleep_since(seen));
  os_call4(__NR_futex, &slot->events, FUTEX_WAIT, seen, &patience);
  thread_slept(&slot->events, seen);
  atomic_store(&slot->asleep, 0);
  atomic_fetch_sub(&sleepers, 1);
  look_for_killed();
  remind(slot, true);
}

void wait_for_events(struct thread *thread, uint32_t seen) {
  unsigned me = slot_number(thread);
  predictors_wait(me, true);
  if (!spin(self(thread), me, seen)) sleep_until_events(self(thread), seen);
  predictors_wait(me, false);
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
  region_wait_for_death();
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
  predictors_done(me);
}
