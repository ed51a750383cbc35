/* permissions.c: how threads acquire blocks of memory, and give them up. See permissions.h. */
#include "engine/order/permissions.h"

#include <linux/mman.h>

#include "contract/schemes.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/slots.h"
#include "engine/memory/limits.h"
#include "engine/order/hand_over.h"
#include "engine/order/open_blocks.h"
#include "engine/order/predictors.h"
#include "engine/order/private_stack.h"
#include "engine/order/shared.h"
#include "engine/order/stops.h"
#include "engine/order/written_memory.h"
#include "engine/region/endings.h"
#include "order/directory_steps.h"

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
  return !shared_reaches(address, bytes) && !open_reaches(address, bytes) && has(thread, &access);
}

/* Takes the untouched blocks of a page for writing, without a request. */
static void claim_untouched(struct thread *thread, uint64_t block) {
  arch_expect_write(&GROUPS[block % PERMISSION_BLOCKS / PAGE_BLOCKS]);
  directory_take_untouched(&directory, slot_number(thread), block % PERMISSION_BLOCKS / PAGE_BLOCKS);
}

void permissions_claim_untouched(struct thread *thread, uintptr_t address) {
  claim_untouched(thread, (uint32_t)address >> BLOCK_SHIFT);
}

void let_go(struct thread *thread) {
  if (!shared_holds(thread)) return;
  shared_leave(thread);
  self(thread)->lost++;
}

static bool is_engines(const struct access *access) {
  return access->address >= ENGINE_BASE && access->address < ENGINE_END;
}

static void note_requests(const struct thread *thread, const struct access *accesses, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (!accesses[i].bytes || !accesses[i].write || is_engines(&accesses[i])) continue;
    for (uint64_t b = first_block(&accesses[i]), end = end_block(&accesses[i]); b < end; b++)
      if (!has_block(thread, b, true)) open_note_request((uint32_t)(b % PERMISSION_BLOCKS));
  }
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
    if (!access->bytes || is_engines(access)) continue;
    for (uint64_t b = first_block(access), end = end_block(access); b < end; b++)
      if (!has_block(thread, b, access->write)) claim_untouched(thread, b);
  }
  bool all = stage_held[slot_number(thread)];
  for (unsigned i = 0; i < count && all; i++)
    if (accesses[i].bytes && !is_engines(&accesses[i])) all = has(thread, &accesses[i]);
  if (all) return true;
  if (values_on()) note_requests(thread, accesses, count);
  let_go(thread);
  for (unsigned i = 0; i < count; i++) {
    const struct access *access = &accesses[i];
    if (!access->bytes || is_engines(access)) continue;
    uint64_t first = first_block(access), end = end_block(access);
    enum order_want want = access->write ? ORDER_WRITE : ORDER_READ;
    bool room = directory_claim_add(&claim, first, MIN(end, PERMISSION_BLOCKS), want);
    if (end > PERMISSION_BLOCKS) room = room && directory_claim_add(&claim, 0, end - PERMISSION_BLOCKS, want);
    CHECK(room);
  }
  CHECK(directory_claim_add(&claim, STAGE, STAGE + 1, ORDER_READ));
  claim_all(thread, &claim);
  directory_unpin(&directory, slot_number(thread));
  uint64_t stop = predictors_stop(thread);
  if (stop < arch_stop(thread)) arch_set_stop(thread, stop);
  if (directory_is_asked(&directory, slot))
    arch_request(thread); /* what was put off meanwhile is served at the next safepoint */
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

/* A write to an open block is claimed as a read. Returns the number of accesses; 0: too many, and the original ones are correct, too. */
static unsigned split_open(const struct access *accesses, unsigned count, struct access *to, unsigned room) {
  unsigned parts = 0;
  for (unsigned i = 0; i < count; i++) {
    struct access rest = accesses[i];
    while (rest.bytes) {
      size_t run = MIN(rest.bytes, (1UL << BLOCK_SHIFT) - rest.address % (1UL << BLOCK_SHIFT));
      bool open = rest.write && open_is_open(first_block(&rest));
      if (open && shared_is_marked(rest.address)) return 0; /* it may be shared memory with the same number */
      while (rest.write && run < rest.bytes &&
             open_is_open((uint32_t)(rest.address + run) >> BLOCK_SHIFT) == open)
        run = MIN(rest.bytes, run + (1UL << BLOCK_SHIFT));
      if (!rest.write) run = rest.bytes;
      if (parts == room) return 0;
      to[parts++] = (struct access){rest.address, run, rest.write && !open};
      rest.address += run;
      rest.bytes -= run;
    }
  }
  return parts;
}

static bool take_all(struct thread *thread, const struct access *given, unsigned count) {
  if (sync_on()) return take(thread, NULL, 0); /* no block is ever owned: only the stage is */
  struct access split_up[DIRECTORY_RANGES - 1];
  const struct access *accesses = given;
  unsigned parts = open_any() ? split_open(given, count, split_up, COUNT_OF(split_up)) : 0;
  if (parts) accesses = split_up, count = parts;
  bool shared = false;
  for (unsigned i = 0; i < count && !shared; i++)
    shared = shared_reaches(accesses[i].address, accesses[i].bytes);
  if (!shared) return take(thread, accesses, count);
  struct access own[2 * DIRECTORY_RANGES];
  bool kept = take(thread, own, split(accesses, count, own, COUNT_OF(own), NULL));
  split(accesses, count, NULL, 0, thread);
  return kept;
}

/* While the thread waits, another may map, or end, a sharing of just that memory. */
bool permissions_take(struct thread *thread, const struct access *accesses, unsigned count) {
  bool kept = true;
  uint32_t marks, epoch;
  do {
    marks = shared_marks();
    epoch = open_epoch();
    kept &= take_all(thread, accesses, count);
  } while (shared_marks() != marks || open_epoch() != epoch);
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

/* The position of the thread's next safepoint, which need not be exact: when its episode is about as long as it may be, if others wait for it.
 * When others come to wait for what it has written before it is called once, and may be too busy to hear: so it looks now and
 * then. */
static uint64_t patrol(const struct thread *thread) {
  enum { SOON = 4 * ARCH_NEAR_STOP, NOW_AND_THEN = 1 << 18 };
  bool limited = order_limit(&order, &self(thread)->recorder) != UINT64_MAX;
  uint64_t distance = limited ? MIN(4 * order.options.max_episode, NOW_AND_THEN) : NOW_AND_THEN;
  return arch_position(thread) + MAX(distance, SOON); /* nearer ones would come all the time */
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
  predictors_serve(thread);
  uint64_t stop = order.options.max_episode ? patrol(thread) : UINT64_MAX;
  arch_set_stop(thread, MIN(stop, predictors_stop(thread)));
  if (stops_is_held(thread->rthread)) {
    permissions_park(thread);
    permissions_unpark(thread);
  }
  if (!stage_held[slot_number(thread)]) permissions_take(thread, NULL, 0);
}

/* A thread that is not parked is kicked. */
bool permissions_is_parked(const struct rthread *other) {
  if (atomic_load(&region->directory[slot_of(other)].state) == DIRECTORY_PARKED) return true;
  kick(&directory, slot_of(other));
  return false;
}

void permissions_park(struct thread *thread) {
  let_go(thread);
  set_position(thread);
  park_steps(thread, directory_park_step);
  if (stops_wanted(thread)) stops_parked(thread);
}

void permissions_unpark(struct thread *thread) {
  if (is_ending(slot_number(thread))) retire(thread);
  park_steps(thread, directory_unpark_step);
  /* A thread that holds this one sets its mark before it checks whether this one is parked. */
  while (stops_is_held(thread->rthread)) {
    park_steps(thread, directory_park_step);
    stops_stay(thread);
    if (is_ending(slot_number(thread))) retire(thread);
    park_steps(thread, directory_unpark_step);
  }
  if (!stage_held[slot_number(thread)]) permissions_take(thread, NULL, 0);
  if (memory_was_written(thread->rthread->pid)) memory_log_written(thread);
}

void permissions_stay(struct thread *thread) {
  if (!stops_is_held(thread->rthread) || self(thread)->state == DIRECTORY_PARKED) return;
  permissions_park(thread);
  permissions_unpark(thread);
}

/* The child goes to another program, or ends: it notifies its parent, which the kernel then releases. */
static void release_parent(struct thread *thread) {
  uint32_t parent = atomic_exchange(&thread->rthread->parallel.borrows, 0);
  struct rthread *held = parent ? &region->slots[parent - 1] : NULL;
  if (!held || !held->vforks || !order_is_alive(&region->directory[parent - 1].recorder)) return;
  unsigned me = slot_number(thread);
  struct order_recorder *recorder = &self(thread)->recorder;
  struct order_ask ask = {.block = STAGE + 1, .from = (uint16_t)(parent - 1), .want = ORDER_WRITE};
  set_position(thread);
  ask.last_access = order_clock(recorder);
  lock_recorder_of(me);
  order.scheme->reply(&order, recorder, &ask, &held->parallel.release);
  unlock_recorder(&directory, me);
  held->parallel.released = me + 1;
}

/* Receives the child's note; if the child was killed, that of its slot. */
static void receive_release(struct thread *thread, struct rthread *child) {
  struct rthread *own = thread->rthread;
  unsigned me = slot_number(thread),
           from = own->parallel.released ? own->parallel.released - 1 : slot_of(child);
  if (!own->parallel.released) {
    permissions_bury(thread, child);
    lock_recorder_of(from);
    order_say_ended(&order, &region->directory[from].recorder, me, &own->parallel.release);
    unlock_recorder(&directory, from);
  }
  lock_recorder_of(me);
  order.scheme->receive(&order, &self(thread)->recorder, from, &own->parallel.release);
  unlock_recorder(&directory, me);
}

static void map_tables(void) {
  long at = os_call6(__NR_mmap, DIRECTORY_BASE, 2 * DIRECTORY_PART + DIRECTORY_GROUPS, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) fail_to_map("the directory of memory blocks", at);
}

/* Clears all permissions of the thread. */
static void clear_map(struct thread *thread) {
  private_stack_drop(thread);
  os_call3(__NR_madvise, map_of(thread), SLOT_PERMISSIONS_SIZE, MADV_DONTNEED);
}

/* The child was killed, perhaps while it held its parent and answered for it. Its own request to the parent is void. */
static void let_go_of_killed(struct thread *thread, unsigned child) {
  uint32_t held = directory_held_by(child);
  atomic_compare_exchange_strong(&self(thread)->state, &held, DIRECTORY_PARKED);
  atomic_fetch_and(&self(thread)->asked[child / 64], ~(1UL << child % 64));
}

/* And the entries of the blocks it took may be locked for ever, or half changed. If no other thread is in this address space the directory begins
 * anew, as that of a forked child: all earlier accesses come before the parent's next ones. The child's writes since its last
 * known position are in blocks that it has for writing: they are logged with its birth (killed_child.c).
 *
 * Known limit: threads of the parent that run meanwhile might see such blocks first. */
static void begin_anew(struct thread *thread, unsigned child, bool ran) {
  struct thread *dead = members[child];
  members[child] = NULL;
  if (!permissions_only_member()) {
    if (ran) fail_killed();
    return;
  }
  if (ran) thread->record.killed_child = dead;
  map_tables();
  memset(stage_held, 0, sizeof stage_held);
  clear_map(thread);
}

void permissions_unpark_held(struct thread *thread, struct rthread *child, bool failed) {
  bool killed = !failed && !thread->rthread->parallel.released;
  if (is_ending(slot_number(thread))) retire(thread);
  bool ran = killed && atomic_load(&region->directory[slot_of(child)].state) != DIRECTORY_PARKED;
  if (killed) let_go_of_killed(thread, slot_of(child));
  park_steps(thread, directory_unpark_step);
  if (memory_was_written(thread->rthread->pid))
    sphere_fail(OUTCOME_UNSUPPORTED,
                "writing the memory of a process that waits for its child can't be recorded in parallel");
  if (!failed) receive_release(thread, child);
  if (killed) begin_anew(thread, slot_of(child), ran);
  thread->rthread->ticks++;
  set_position(thread);
  while (directory_end_step(&directory, slot_number(thread)) != DIRECTORY_DONE) {
  }
  if (!stage_held[slot_number(thread)]) permissions_take(thread, NULL, 0);
}

/* -- Edges without a request -------------------------------------------------------------------------------------------------- */

void permissions_follow(struct thread *thread, unsigned slot, uint64_t clock) {
  unsigned me = slot_number(thread);
  struct order_ask ask = {.block = STAGE + 1, .from = (uint16_t)me, .want = ORDER_WRITE};
  struct order_note note;
  if (order.scheme->asks_writer) lock_recorder_of(slot);
  order.scheme->registered(&order, &region->directory[slot].recorder, &ask, clock, &note);
  if (order.scheme->asks_writer) unlock_recorder(&directory, slot);
  set_position(thread);
  lock_recorder_of(me);
  order.scheme->receive(&order, &self(thread)->recorder, slot, &note);
  unlock_recorder(&directory, me);
}

uint64_t permissions_clock(struct thread *thread) {
  struct order_ask ask = {.block = STAGE + 1, .from = (uint16_t)slot_number(thread), .want = ORDER_WRITE};
  struct order_note note = {0};
  set_position(thread);
  if (order.scheme->asks_writer) return note.clock;
  lock_recorder_of(slot_number(thread));
  order.scheme->reply(&order, &self(thread)->recorder, &ask, &note);
  unlock_recorder(&directory, slot_number(thread));
  return note.clock;
}

/* -- Beginnings and ends --------------------------------------------------------------------------------------------------------- */

static void set_order(void) {
  order.scheme = engine_scheme(config.order);
  order.options.max_episode = config.max_episode;
  order.options.edges_only = true;
  directory.slot = region->directory;
  directory.slots = &region->directory_slots;
}

static void note_slot(unsigned slot) {
  uint32_t now = atomic_load(&region->directory_slots);
  while (now < slot + 1 && !atomic_compare_exchange_weak(&region->directory_slots, &now, slot + 1)) {
  }
  shared_forget(slot);
  predictors_forget(slot);
  struct order_recorder *recorder = &region->directory[slot].recorder;
  if (!recorder->now.clock && !recorder->lives) order_recorder_init(recorder, slot);
}

void permissions_start(struct thread *thread) {
  set_order();
  map_tables();
  unsigned used = atomic_load(&region->directory_slots);
  memset(members, 0, used * sizeof *members);
  memset(stage_held, 0, used * sizeof *stage_held);
  atomic_store(&sleepers, 0);
  clear_map(thread);
  unsigned slot = slot_number(thread);
  members[slot] = thread;
  note_slot(slot);
}

void permissions_spawn(struct thread *thread, struct rthread *child) {
  set_position(thread);
  note_slot(slot_of(child));
  child->parallel.parent = slot_number(thread);
  while (directory_spawn_step(&directory, slot_number(thread), slot_of(child), &child->parallel.spawned) !=
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
  struct directory_parking parking;
  directory_parking_start(&parking);
  for (enum directory_result result;
       (result = directory_begin_step(&directory, me, &parking, first ? me : rthread->parallel.parent,
                                      first ? NULL : &rthread->parallel.spawned)) != DIRECTORY_DONE;)
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

void permissions_gone(const struct thread *thread) {
  for (unsigned i = 0; i < atomic_load(&region->directory_slots); i++)
    if (members[i] == thread) members[i] = NULL;
}

void permissions_leave(struct thread *thread) {
  permissions_go(thread);
  release_parent(thread);
  permissions_park(thread);
  members[slot_number(thread)] = NULL;
}

/* Its map is stale: other threads have taken blocks meanwhile. */
void permissions_come_back(struct thread *thread) {
  clear_map(thread);
  members[slot_number(thread)] = thread;
  atomic_store(&thread->process->ender, 0);
  permissions_unpark(thread);
}

uint64_t permissions_close(unsigned slot) {
  struct directory_slot *dead = &region->directory[slot];
  const struct rthread *rthread = &region->slots[slot];
  uint64_t position = rthread->ring.position + rthread->ticks;
  struct order_note note;
  lock_recorder_of(slot);
  if (dead->recorder.position < position) dead->recorder.position = position;
  if (order_is_alive(&dead->recorder)) order.scheme->exit(&order, &dead->recorder);
  order_say_ended(&order, &dead->recorder, slot, &note);
  unlock_recorder(&directory, slot);
  return note.clock;
}

void permissions_bury(struct thread *thread, struct rthread *dead) {
  uint32_t running = DIRECTORY_RUNNING;
  shared_bury(thread, slot_of(dead));
  permissions_close(slot_of(dead));
  atomic_compare_exchange_strong(&region->directory[slot_of(dead)].state, &running, DIRECTORY_PARKED);
}

long read_application(void *context, void *to, uintptr_t from, size_t bytes) {
  (void)context;
  if (permissions_on()) permissions_take_range(arch_self(), from, bytes, false);
  return safe_copy(to, (const void *)from, bytes);
}
