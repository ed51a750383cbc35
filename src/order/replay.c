/* replay.c: the books of a parallel replay. See replay.h.
 *
 * Every condition stays true once it is, as long as its thread does not go on (clocks and counts only grow). So which of the ready threads
 * runs first never decides whether another can run: a replay that gets stuck would get stuck in every order. The exception is ORDER_WAIT_ALL,
 * where a slot without a thread does not count: see all_have. */
#include "order/replay.h"

void order_replay_spawn(struct order_board *board, unsigned slot) {
  uint32_t slots = atomic_load(&board->slots);
  while (slots <= slot && !atomic_compare_exchange_weak(&board->slots, &slots, slot + 1)) continue;
  atomic_fetch_add(&board->slot[slot].begun, 1);
  atomic_fetch_add(&board->spawns, 1);
}

void order_replay_publish(struct order_board *board, unsigned me, uint64_t clock) {
  if (clock) atomic_store(&board->slot[me].clock, clock);
}

void order_replay_arrive(struct order_board *board, unsigned me, const struct order_step *step) {
  order_replay_publish(board, me, step->arrive);
}

static bool is_empty(const struct order_board *board, unsigned slot) {
  return atomic_load(&board->slot[slot].ended) == atomic_load(&board->slot[slot].begun);
}

/* The slot that has not published a clock, ORDER_NOBODY if all have. A thread spawned while we look may have been overlooked, by a parent
 * that was seen when it had gone on already: then look again. A parent seen before it spawns is no danger, its child comes after it. */
static unsigned all_have(const struct order_board *board, unsigned me, uint64_t clock) {
  uint32_t spawns;
  do {
    spawns = atomic_load(&board->spawns);
    unsigned slots = atomic_load(&board->slots);
    for (unsigned slot = 0; slot < slots; slot++)
      if (slot != me && atomic_load(&board->slot[slot].clock) < clock && !is_empty(board, slot)) return slot;
  } while (atomic_load(&board->spawns) != spawns);
  return ORDER_NOBODY;
}

static unsigned missing(const struct order_board *board, unsigned me, const struct order_wait *wait) {
  bool over;
  switch (wait->kind) {
    case ORDER_WAIT_CLOCK:
      over = atomic_load(&board->slot[wait->slot].clock) >= wait->value;
      break;
    case ORDER_WAIT_TOKENS:
      over = atomic_load(&board->sent[me][wait->slot]) - board->taken[me][wait->slot] >= wait->value;
      break;
    case ORDER_WAIT_ENDS:
      over = atomic_load(&board->slot[wait->slot].ended) >= wait->value;
      break;
    default:
      return all_have(board, me, wait->value);
  }
  return over ? ORDER_NOBODY : wait->slot;
}

const struct order_wait *order_replay_missing(const struct order_board *board, unsigned me,
                                              const struct order_step *step, unsigned *slot) {
  for (unsigned i = 0; i < step->waits; i++)
    if ((*slot = missing(board, me, &step->wait[i])) != ORDER_NOBODY) return &step->wait[i];
  *slot = ORDER_NOBODY;
  return NULL;
}

unsigned order_replay_waits_for(const struct order_board *board, unsigned me, const struct order_step *step) {
  unsigned slot;
  order_replay_missing(board, me, step, &slot);
  return slot;
}

bool order_replay_ready(const struct order_board *board, unsigned me, const struct order_step *step) {
  return order_replay_waits_for(board, me, step) == ORDER_NOBODY;
}

/* Also what an arc is for: to have passed it is a step that others can wait for. */
void order_replay_pass(struct order_board *board, unsigned me, const struct order_step *step) {
  for (unsigned i = 0; i < step->waits; i++)
    if (step->wait[i].kind == ORDER_WAIT_TOKENS)
      board->taken[me][step->wait[i].slot] += (uint32_t)step->wait[i].value;
}

void order_replay_done(struct order_board *board, unsigned me, const struct order_step *step) {
  order_replay_publish(board, me, step->clock);
  for (unsigned i = 0; i < step->signals; i++) atomic_fetch_add(&board->sent[step->signal[i]][me], 1);
}

void order_replay_end(struct order_board *board, unsigned me) {
  atomic_fetch_add(&board->slot[me].ended, 1);
}
