/* permissions.c: the tables and waits behind order/directory.h. See permissions.h.
 *
 * Entries of blocks lie in the engine's region, so they belong to one address space; the slots lie in the memory that the
 * sphere's processes share, because a recorder lives on over execve, and a slot may be the home of a thread of
 * this process now and of another one's later. What was left behind by a thread of the slot that is gone names the one who
 * lives there now: asking it costs an edge too many, and no harm. */
#include "engine/permissions.h"

#include <linux/futex.h>
#include <linux/mman.h>

#include "engine/baton.h"
#include "engine/lib.h"
#include "engine/log.h"
#include "engine/private_stack.h"
#include "engine/shared.h"
#include "engine/slots.h"
#include "order/directory_steps.h"

enum { BLOCK_SHIFT = 6, PAGE_BLOCKS = DIRECTORY_GROUP, STAGE = PERMISSION_BLOCKS };

/* Of a block whose number is marked (shared.h) the inline check sees nothing: what the thread has of it is kept in bits of their
 * own, this much higher. */
enum { HIDES = 2, INLINE = PERMISSION_READ | PERMISSION_WRITE, HIDDEN = INLINE << HIDES };

#define WORDS ((_Atomic uint64_t *)DIRECTORY_BASE)
#define INFOS ((uint64_t *)(DIRECTORY_BASE + DIRECTORY_PART))

static struct thread *members[REGION_SLOTS]; /* threads of this address space, by slot */
static uint8_t stage_held[REGION_SLOTS];     /* enum order_want */
static _Atomic uint32_t sleeping[REGION_SLOTS];

static uint8_t *map_of(const struct thread *thread) {
  return (uint8_t *)thread + SLOT_PERMISSIONS;
}

static unsigned slot_number(const struct thread *thread) {
  return slot_of(thread->rthread);
}

/* -- What the protocol asks ----------------------------------------------------------------------------------------------- */

static struct directory_place place(const struct directory *d, uint64_t block) {
  (void)d;
  return (struct directory_place){&WORDS[block], &INFOS[block]};
}

static unsigned holds(const struct directory *d, unsigned slot, uint64_t block) {
  (void)d;
  if (block == STAGE) return stage_held[slot];
  if (!members[slot]) return 0;
  uint8_t bits = map_of(members[slot])[block];
  bits |= bits >> HIDES;
  return bits & PERMISSION_WRITE ? ORDER_WRITE : bits & PERMISSION_READ ? ORDER_READ : 0;
}

static void fix_pair(uint8_t *map, uint32_t block) {
  uint32_t next = (block + 1) % PERMISSION_BLOCKS;
  uint8_t own = map[block] & INLINE;
  map[block] = own | ((own & map[next]) >> 2) | (map[block] & HIDDEN);
}

static void permit(const struct directory *d, unsigned slot, uint64_t block, unsigned permission) {
  (void)d;
  if (block == STAGE) {
    stage_held[slot] = (uint8_t)permission;
    return;
  }
  if (!members[slot]) return;
  uint8_t *map = map_of(members[slot]);
  uint32_t b = (uint32_t)block;
  map[b] = permission == ORDER_WRITE ? INLINE : permission ? PERMISSION_READ : 0;
  if (shared_is_marked((uintptr_t)b << BLOCK_SHIFT)) map[b] = (uint8_t)(map[b] << HIDES);
  fix_pair(map, b);
  fix_pair(map, (b - 1) % PERMISSION_BLOCKS);
  if (permission != ORDER_WRITE) private_stack_lose(members[slot], b);
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

static uint64_t next_touched(const struct directory *d, uint64_t first, uint64_t end) {
  (void)d;
  while (first < end && !WORDS[first]) first++;
  return first;
}

/* Who misses in a page that it was the last to miss in needs more of it: it is given twice as much at a time, up to all that the
 * other has of it. (Not who has got all of it to read, and now would write: that tells nothing.) Who misses where another was last takes turns
 * with that one, and is given less, since what nobody needs now has to be asked for later; but a page that was of use as a whole is
 * passed on as a whole for some turns. What the page before has come to is a good guess. Threads do not wait for each other
 * here: a mark that is lost costs a request. */
enum { SHARE_ALL = 6, SHARE_SURE = 9, SHARE_BITS = 4 };
static _Atomic uint16_t shares[PERMISSION_BLOCKS / PAGE_BLOCKS]; /* slot + 1 of the last to miss; its share */

static unsigned share_at(uint32_t page) {
  return atomic_load_explicit(&shares[page], memory_order_relaxed) & ((1U << SHARE_BITS) - 1);
}

/* log2 of the blocks that the slot should get at a time; when it is sure to need all of a page, more. */
static unsigned share_of(uint32_t page, unsigned slot, bool upgrade) {
  unsigned before = atomic_load_explicit(&shares[page], memory_order_relaxed), share = share_at(page);
  if (!before && page)
    share = share_at(page - 1);
  else if (before >> SHARE_BITS != slot + 1)
    share -= MIN(share, share > SHARE_ALL ? 1U : 2U);
  else if (!upgrade || share < SHARE_ALL)
    share = share + 1 < SHARE_ALL ? share + 1 : SHARE_SURE;
  atomic_store_explicit(&shares[page], (uint16_t)((slot + 1) << SHARE_BITS | share), memory_order_relaxed);
  return share;
}

static uint64_t along(const struct directory *d, unsigned slot, uint64_t block) {
  if (block >= PERMISSION_BLOCKS) return 0;
  unsigned share = share_of((uint32_t)(block / PAGE_BLOCKS), slot, holds(d, slot, block));
  unsigned count = 1U << MIN(share, (unsigned)SHARE_ALL);
  uint64_t bits = count == PAGE_BLOCKS ? UINT64_MAX : (1UL << count) - 1;
  return bits << ALIGN_DOWN(block % PAGE_BLOCKS, count);
}

static bool near(const struct directory *d, unsigned slot) {
  (void)d;
  return members[slot];
}

static void wake(const struct directory *d, unsigned slot) {
  if (atomic_load(&sleeping[slot]) || !members[slot])
    os_call3(__NR_futex, &d->slot[slot].events, FUTEX_WAKE, 1);
}

/* A request may be lost to the target's own counting; who waits repeats it. Threads of other processes are told by a signal. */
static void kick(const struct directory *d, unsigned slot) {
  if (atomic_load(&d->slot[slot].state) == DIRECTORY_PARKED) return;
  const struct rthread *rthread = &region->slots[slot];
  if (members[slot])
    arch_request(members[slot]);
  else if (atomic_load(&rthread->state) == SLOT_LIVE && rthread->tid)
    kick_thread(rthread->pid, rthread->tid);
  wake(d, slot);
}

static void put(const struct order *order, unsigned slot, const uint8_t *bytes, size_t count) {
  (void)order;
  struct ring *ring = &region->slots[slot].order;
  atomic_store(&ring->position, region->directory[slot].recorder.position);
  ring_put(ring, bytes, count);
}

static struct order order = {.log = put};
static struct directory directory = {
    .order = &order,
    .place = place,
    .holds = holds,
    .permit = permit,
    .next_touched = next_touched,
    .along = along,
    .near = near,
    .wake = wake,
    .kick = kick,
};

static struct directory_slot *self(const struct thread *thread) {
  return &region->directory[slot_number(thread)];
}

static void set_position(struct thread *thread) {
  self(thread)->recorder.position = order_position(thread);
}

/* -- Waiting --------------------------------------------------------------------------------------------------------------- */

enum { SPINS_LEAST = 50, SPINS_MOST = 400, SPINS_PER_KICK = 40, TRY_EVERY = 8 };
/* Fewer after spinning in vain: those asked may be waiting for this very processor. But an answer takes longer than the fewest when it
 * brings a whole page, so now and then it is tried whether to spin is worth while again. */
static struct {
  _Alignas(DIRECTORY_LINE) uint32_t spins;
  uint32_t waits;
} patience_of[REGION_SLOTS];

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

/* Until events of the slot are others than were seen, or for a while. */
static void wait_for_events(struct thread *thread, uint32_t seen) {
  struct directory_slot *slot = self(thread);
  unsigned me = slot_number(thread);
  unsigned limit = patience_of[me].waits++ % TRY_EVERY ? patience_of[me].spins : SPINS_MOST;
  for (unsigned i = 0; i < limit; i++) {
    if (atomic_load(&slot->events) != seen) {
      patience_of[me].spins = SPINS_MOST;
      return;
    }
    if (i % SPINS_PER_KICK == SPINS_PER_KICK - 1) remind(slot, false);
    arch_relax();
  }
  patience_of[me].spins = MAX(patience_of[me].spins / 2, SPINS_LEAST);
  struct {
    long seconds, nanoseconds;
  } patience = {0, 1000000};
  atomic_store(&sleeping[me], 1);
  os_call4(__NR_futex, &slot->events, FUTEX_WAIT, seen, &patience);
  atomic_store(&sleeping[me], 0);
  remind(slot, true);
}

static void park_steps(struct thread *thread,
                       enum directory_result (*step)(const struct directory *, unsigned,
                                                     struct directory_parking *)) {
  struct directory_parking parking = {0};
  for (enum directory_result result;
       (result = step(&directory, slot_number(thread), &parking)) != DIRECTORY_DONE;)
    if (result == DIRECTORY_WAITS) wait_for_events(thread, parking.seen);
}

/* The process ends, and this thread with it. */
static _Noreturn void retire(struct thread *thread) {
  if (self(thread)->recorder.alive) {
    set_position(thread);
    park_steps(thread, directory_exit_step);
  }
  for (;;) os_call5(__NR_ppoll, 0, 0, 0, 0, 0);
}

/* Also when the one who ends the process is through with all it has to do itself. */
static bool is_ending(unsigned me) {
  uint32_t ender = members[me] ? atomic_load(&members[me]->process->ender) : 0;
  return ender && ender != me + 1;
}

static void claim_all(struct thread *thread, struct directory_claim *claim) {
  enum { STEPS_AT_ONCE = 200 };
  unsigned me = slot_number(thread);
  set_position(thread);
  uint64_t block = claim->block;
  for (unsigned steps = 1;; steps++) {
    if (claim->block != block) block = claim->block, steps = 1;
    enum directory_result result = directory_claim_step(&directory, me, claim);
    if (result == DIRECTORY_DONE) return;
    if (claim->block == STAGE && is_ending(me) && directory_claim_abandon(&directory, me, claim))
      retire(thread);
    if (result == DIRECTORY_WAITS)
      wait_for_events(thread, claim->seen);
    else if (steps % STEPS_AT_ONCE == 0) /* it puts the same requests off again and again */
      os_call0(__NR_sched_yield);
  }
}

/* -- Taking ---------------------------------------------------------------------------------------------------------------- */

static uint32_t first_block(const struct access *access) {
  return (uint32_t)access->address >> BLOCK_SHIFT;
}

/* One more than the last; beyond PERMISSION_BLOCKS when the numbers start again within. */
static uint64_t end_block(const struct access *access) {
  uint64_t last = ((access->address & ((1UL << BLOCK_SHIFT) - 1)) + access->bytes - 1) >> BLOCK_SHIFT;
  return first_block(access) + MIN(last, PERMISSION_BLOCKS - 1UL) + 1;
}

static bool has_block(const struct thread *thread, uint64_t block, bool write) {
  uint8_t bits = map_of(thread)[block % PERMISSION_BLOCKS];
  return (bits | bits >> HIDES) & (write ? PERMISSION_WRITE : PERMISSION_READ);
}

static bool has(const struct thread *thread, const struct access *access) {
  if (!access->bytes) return true;
  for (uint64_t b = first_block(access), end = end_block(access); b < end; b++)
    if (!has_block(thread, b, access->write)) return false;
  return true;
}

bool permissions_reach(struct thread *thread, uintptr_t address, size_t bytes, bool write) {
  struct access access = {address, bytes, write};
  return !shared_reaches(address, bytes) && has(thread, &access);
}

/* What nobody has touched yet is taken by the page, for writing, without asking anyone. */
static void claim_untouched(struct thread *thread, uint64_t block) {
  uint64_t start = ALIGN_DOWN(block % PERMISSION_BLOCKS, PAGE_BLOCKS);
  uint64_t owned = (uint64_t)DIRECTORY_OWNED << 2 | (uint64_t)(slot_number(thread) + 1) << 4;
  if (atomic_load_explicit(&WORDS[block % PERMISSION_BLOCKS], memory_order_relaxed)) return;
  for (uint64_t b = start; b < start + PAGE_BLOCKS; b++) {
    uint64_t none = 0;
    if (atomic_compare_exchange_strong(&WORDS[b], &none, owned))
      permit(&directory, slot_number(thread), b, ORDER_WRITE);
  }
}

void permissions_claim_untouched(struct thread *thread, uintptr_t address) {
  claim_untouched(thread, (uint32_t)address >> BLOCK_SHIFT);
}

static bool is_asked(const struct directory_slot *slot) {
  for (size_t i = 0; i < COUNT_OF(slot->asked); i++)
    if (atomic_load(&slot->asked[i])) return true;
  return false;
}

/* Before a wait for others: what was taken of shared memory has to be taken again. */
static void let_go(struct thread *thread) {
  if (!shared_holds(thread)) return;
  shared_leave(thread);
  self(thread)->lost++;
}

/* Memory of this address space alone. */
static bool take(struct thread *thread, const struct access *accesses, unsigned count) {
  if (permissions_has_stage(thread)) return true;
  const struct directory_slot *slot = self(thread);
  uint32_t lost = slot->lost;
  struct directory_claim claim;
  directory_claim_start(&claim);
  for (unsigned i = 0; i < count; i++) {
    const struct access *access = &accesses[i];
    if (!access->bytes || (access->address >= ENGINE_BASE && access->address < ENGINE_END)) continue;
    for (uint64_t b = first_block(access), end = end_block(access); b < end; b++)
      if (!has_block(thread, b, access->write)) claim_untouched(thread, b);
  }
  bool all = stage_held[slot_number(thread)];
  for (unsigned i = 0; i < count && all; i++)
    if (accesses[i].bytes && !(accesses[i].address >= ENGINE_BASE && accesses[i].address < ENGINE_END))
      all = has(thread, &accesses[i]);
  if (all) return true;
  let_go(thread);
  for (unsigned i = 0; i < count; i++) {
    const struct access *access = &accesses[i];
    if (!access->bytes || (access->address >= ENGINE_BASE && access->address < ENGINE_END)) continue;
    uint64_t first = first_block(access), end = end_block(access);
    enum order_want want = access->write ? ORDER_WRITE : ORDER_READ;
    bool room = directory_claim_add(&claim, first, MIN(end, PERMISSION_BLOCKS), want);
    if (end > PERMISSION_BLOCKS) room = room && directory_claim_add(&claim, 0, end - PERMISSION_BLOCKS, want);
    CHECK(room);
  }
  CHECK(directory_claim_add(&claim, STAGE, STAGE + 1, ORDER_READ));
  claim_all(thread, &claim);
  directory_unpin(&directory, slot_number(thread));
  if (is_asked(slot)) arch_request(thread); /* what was put off meanwhile is served at the next safepoint */
  return slot->lost == lost;
}

/* The runs of the accesses that are, or are not, memory shared with others. */
static unsigned split(const struct access *accesses, unsigned count, struct access *to, unsigned room,
                      struct thread *sharer) {
  unsigned parts = 0;
  for (unsigned i = 0; i < count; i++) {
    struct access rest = accesses[i];
    while (rest.bytes) {
      struct mapping mapping;
      bool shared;
      size_t run = shared_run(rest.address, rest.bytes, &shared, &mapping);
      if (shared && sharer) shared_take(sharer, &mapping, rest.address, run, rest.write);
      CHECK(shared || sharer || parts < room);
      if (!shared && !sharer) to[parts++] = (struct access){rest.address, run, rest.write};
      rest.address += run;
      rest.bytes -= run;
    }
  }
  return parts;
}

bool permissions_take(struct thread *thread, const struct access *accesses, unsigned count) {
  bool shared = false;
  for (unsigned i = 0; i < count && !shared; i++)
    shared = shared_reaches(accesses[i].address, accesses[i].bytes);
  if (!shared) return take(thread, accesses, count);
  struct access own[2 * DIRECTORY_RANGES];
  bool kept = take(thread, own, split(accesses, count, own, COUNT_OF(own), NULL));
  split(accesses, count, NULL, 0, thread);
  return kept;
}

bool permissions_take_range(struct thread *thread, uintptr_t address, size_t bytes, bool write) {
  struct access access = {address, bytes, write};
  return permissions_take(thread, &access, 1);
}

uint32_t permissions_lost(const struct thread *thread) {
  return self(thread)->lost;
}

/* -- Safepoints ------------------------------------------------------------------------------------------------------------- */

/* Where the thread comes by again, which need not be exact: when its episode is about as long as it may be, if others wait for it.
 * When others come to wait for what it has written before it is called once, and may be too busy to hear: so it looks now and
 * then. */
static uint64_t patrol(const struct thread *thread) {
  enum { SOON = 4 * ARCH_NEAR_STOP, NOW_AND_THEN = 1 << 18 };
  bool limited = order_limit(&order, &self(thread)->recorder) != UINT64_MAX;
  uint64_t distance = limited ? MIN(4 * order.options.max_episode, NOW_AND_THEN) : NOW_AND_THEN;
  return arch_position(thread) + MAX(distance, SOON); /* nearer it would come by all the time */
}

void permissions_serve(struct thread *thread) {
  struct directory_serve serve;
  directory_serve_start(&serve);
  set_position(thread);
  while (directory_serve_step(&directory, slot_number(thread), &serve) != DIRECTORY_DONE) {
  }
  struct directory_slot *slot = self(thread);
  if (slot->recorder.position >= order_limit(&order, &slot->recorder))
    while (directory_end_step(&directory, slot_number(thread)) != DIRECTORY_DONE) {
    }
  if (order.options.max_episode) arch_set_stop(thread, patrol(thread));
  if (!stage_held[slot_number(thread)]) permissions_take(thread, NULL, 0);
}

void permissions_park(struct thread *thread) {
  let_go(thread);
  set_position(thread);
  park_steps(thread, directory_park_step);
}

void permissions_unpark(struct thread *thread) {
  if (is_ending(slot_number(thread))) retire(thread);
  park_steps(thread, directory_unpark_step);
  if (!stage_held[slot_number(thread)]) permissions_take(thread, NULL, 0);
}

static void lock_recorder_of(unsigned slot) {
  while (!lock_recorder(&directory, slot)) arch_relax();
}

/* The child is gone to another program, or dead: it tells its parent so, which the kernel lets go then. */
static void release_parent(struct thread *thread) {
  uint32_t parent = atomic_exchange(&thread->rthread->borrows, 0);
  struct rthread *held = parent ? &region->slots[parent - 1] : NULL;
  if (!held || !held->vforks || !region->directory[parent - 1].recorder.alive) return;
  unsigned me = slot_number(thread);
  struct order_recorder *recorder = &self(thread)->recorder;
  struct order_ask ask = {.block = STAGE + 1, .from = (uint16_t)(parent - 1), .want = ORDER_WRITE};
  set_position(thread);
  ask.last_access = order_clock(recorder);
  lock_recorder_of(me);
  order.scheme->reply(&order, recorder, &ask, &held->release);
  unlock_recorder(&directory, me);
  held->released = me + 1;
}

/* What the child has told; if it was killed, its slot tells. */
static void receive_release(struct thread *thread, struct rthread *child) {
  struct rthread *own = thread->rthread;
  unsigned me = slot_number(thread), from = own->released ? own->released - 1 : slot_of(child);
  if (!own->released) {
    permissions_bury(child);
    lock_recorder_of(from);
    order_say_ended(&order, &region->directory[from].recorder, me, &own->release);
    unlock_recorder(&directory, from);
  }
  lock_recorder_of(me);
  order.scheme->receive(&order, &self(thread)->recorder, from, &own->release);
  unlock_recorder(&directory, me);
}

void permissions_unpark_held(struct thread *thread, struct rthread *child, bool failed) {
  if (is_ending(slot_number(thread))) retire(thread);
  park_steps(thread, directory_unpark_step);
  if (!failed) receive_release(thread, child);
  thread->rthread->ticks++;
  set_position(thread);
  while (directory_end_step(&directory, slot_number(thread)) != DIRECTORY_DONE) {
  }
  if (!stage_held[slot_number(thread)]) permissions_take(thread, NULL, 0);
}

/* -- Edges that nobody is asked for ------------------------------------------------------------------------------------------- */

void permissions_follow(struct thread *thread, unsigned slot, uint64_t clock) {
  unsigned me = slot_number(thread);
  struct order_ask ask = {.block = STAGE + 1, .from = (uint16_t)me, .want = ORDER_WRITE};
  struct order_note note;
  lock_recorder_of(slot);
  order.scheme->registered(&order, &region->directory[slot].recorder, &ask, clock, &note);
  unlock_recorder(&directory, slot);
  set_position(thread);
  lock_recorder_of(me);
  order.scheme->receive(&order, &self(thread)->recorder, slot, &note);
  unlock_recorder(&directory, me);
}

uint64_t permissions_clock(struct thread *thread) {
  struct order_ask ask = {.block = STAGE + 1, .from = (uint16_t)slot_number(thread), .want = ORDER_WRITE};
  struct order_note note = {0};
  set_position(thread);
  if (!order.scheme->asks_writer) order.scheme->reply(&order, &self(thread)->recorder, &ask, &note);
  return note.clock;
}

/* -- The output ---------------------------------------------------------------------------------------------------------------- */

/* One lock for the whole sphere, and an edge from who had it last: as a block that everybody writes, but nobody has to be
 * asked. Who was killed with it does not have it any more. */
static void lock_output(uint32_t me) {
  for (;;) {
    uint32_t holder = 0;
    if (atomic_compare_exchange_strong(&region->output.holder, &holder, me)) return;
    region_wait(&region->output.holder, holder);
    if (atomic_load(&region->output.holder) == holder && !rthread_is_alive(&region->slots[holder - 1]))
      atomic_compare_exchange_strong(&region->output.holder, &holder, 0);
  }
}

void permissions_take_output(struct thread *thread) {
  unsigned me = slot_number(thread);
  uint32_t nobody = 0;
  if (!atomic_compare_exchange_strong(&region->output.holder, &nobody, me + 1)) {
    permissions_park(thread);
    lock_output(me + 1);
    permissions_unpark(thread);
  }
  uint32_t writer = region->output.writer;
  if (writer && writer != me + 1) permissions_follow(thread, writer - 1, region->output.clock);
}

void permissions_leave_output(struct thread *thread) {
  region->output.clock = permissions_clock(thread);
  region->output.writer = slot_number(thread) + 1;
  atomic_store(&region->output.holder, 0);
  region_wake(&region->output.holder, 1);
}

/* -- The stage ---------------------------------------------------------------------------------------------------------------- */

bool permissions_has_stage(const struct thread *thread) {
  const struct directory_slot *slot = self(thread);
  return slot->pins && stage_held[slot_number(thread)] == ORDER_WRITE;
}

void permissions_stop(struct thread *thread) {
  let_go(thread);
  struct directory_claim claim;
  directory_claim_start(&claim);
  directory_claim_add(&claim, STAGE, STAGE + 1, ORDER_WRITE);
  claim_all(thread, &claim);
}

void permissions_go(struct thread *thread) {
  directory_unpin(&directory, slot_number(thread));
  arch_request(thread);
}

/* Whether nothing more is to come from the slot. Who waits in the kernel is made to end there: it will find that out when it
 * comes back. */
static bool is_retired(unsigned slot) {
  struct directory_slot *other = &region->directory[slot];
  uint32_t parked = DIRECTORY_PARKED;
  if (!atomic_compare_exchange_strong(&other->state, &parked, DIRECTORY_HELD)) return false;
  lock_recorder_of(slot);
  if (other->recorder.alive) order.scheme->exit(&order, &other->recorder);
  unlock_recorder(&directory, slot);
  atomic_store(&other->state, DIRECTORY_PARKED);
  return true;
}

void permissions_retire_others(struct thread *thread) {
  unsigned me = slot_number(thread);
  if (!permissions_has_stage(thread)) permissions_stop(thread);
  atomic_store(&thread->process->ender, me + 1);
  for (unsigned i = 0; i < REGION_SLOTS; i++) {
    if (i == me || !members[i] || members[i]->process != thread->process) continue;
    while (!is_retired(i)) {
      uint32_t seen = atomic_load(&self(thread)->events);
      struct directory_serve serve = {0};
      set_position(thread);
      while (directory_serve_step(&directory, me, &serve) != DIRECTORY_DONE) {
      }
      kick(&directory, i);
      wait_for_events(thread, seen);
    }
  }
}

bool permissions_alone(void) {
  unsigned count = 0;
  for (unsigned i = 0; i < atomic_load(&region->directory_slots); i++) count += members[i] != NULL;
  return count <= 1;
}

/* -- Beginnings and ends --------------------------------------------------------------------------------------------------------- */

static void map_tables(void) {
  long at = os_call6(__NR_mmap, DIRECTORY_BASE, 2 * DIRECTORY_PART, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) die(125, "cannot map the directory of memory blocks (error %ld)", -at);
}

/* The thread has nothing any more. */
static void clear_map(struct thread *thread) {
  private_stack_drop(thread);
  os_call3(__NR_madvise, map_of(thread), SLOT_PERMISSIONS_SIZE, MADV_DONTNEED);
}

static void set_order(void) {
  static const struct order_scheme *const schemes[] = {[ENGINE_DAG] = &order_dag,
                                                       [ENGINE_NAMED] = &order_named,
                                                       [ENGINE_SCALAR] = &order_scalar,
                                                       [ENGINE_ARCS] = &order_arcs};
  order.scheme = schemes[config.order];
  order.options.max_episode = config.max_episode;
  order.options.edges_only = true;
  directory.slot = region->directory;
  directory.slots = &region->directory_slots;
}

static void note_slot(unsigned slot) {
  uint32_t now = atomic_load(&region->directory_slots);
  while (now < slot + 1 && !atomic_compare_exchange_weak(&region->directory_slots, &now, slot + 1)) {
  }
  shared_bury(slot);
  struct order_recorder *recorder = &region->directory[slot].recorder;
  if (!recorder->now.clock) order_recorder_init(recorder, slot);
}

void permissions_start(struct thread *thread) {
  set_order();
  map_tables();
  memset(members, 0, sizeof members);
  memset(stage_held, 0, sizeof stage_held);
  clear_map(thread);
  unsigned slot = slot_number(thread);
  members[slot] = thread;
  note_slot(slot);
}

void permissions_spawn(struct thread *thread, struct rthread *child) {
  set_position(thread);
  note_slot(slot_of(child));
  child->parent = slot_number(thread);
  while (directory_spawn_step(&directory, slot_number(thread), slot_of(child), &child->spawned) !=
         DIRECTORY_DONE) {
  }
}

void permissions_enlist(struct thread *child, struct rthread *own) {
  clear_map(child);
  members[slot_of(own)] = child;
}

void permissions_begin(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  unsigned me = slot_of(rthread);
  bool first = !rthread->number;
  struct directory_parking parking = {0};
  for (enum directory_result result;
       (result = directory_begin_step(&directory, me, &parking, first ? me : rthread->parent,
                                      first ? NULL : &rthread->spawned)) != DIRECTORY_DONE;)
    if (result == DIRECTORY_WAITS) wait_for_events(thread, parking.seen);
  permissions_take(thread, NULL, 0);
}

void permissions_end(struct thread *thread) {
  unsigned me = slot_number(thread);
  directory_unpin(&directory, me);
  release_parent(thread);
  set_position(thread);
  park_steps(thread, directory_exit_step);
  members[me] = NULL;
  clear_map(thread);
}

void permissions_leave(struct thread *thread) {
  permissions_go(thread);
  release_parent(thread);
  permissions_park(thread);
  members[slot_number(thread)] = NULL;
}

/* What others have taken meanwhile was not noted in its map. */
void permissions_come_back(struct thread *thread) {
  clear_map(thread);
  members[slot_number(thread)] = thread;
  atomic_store(&thread->process->ender, 0);
  permissions_unpark(thread);
}

void permissions_bury(struct rthread *rthread) {
  struct directory_slot *slot = &region->directory[slot_of(rthread)];
  uint64_t position = rthread->ring.position + rthread->ticks;
  uint32_t running = DIRECTORY_RUNNING;
  shared_bury(slot_of(rthread));
  if (slot->recorder.position < position) slot->recorder.position = position;
  if (slot->recorder.alive) order.scheme->exit(&order, &slot->recorder);
  atomic_compare_exchange_strong(&slot->state, &running, DIRECTORY_PARKED);
}
