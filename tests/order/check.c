/* check.c: see check.h.
 *
 * The logs are replayed with the product's decoder and its books (src/order/replay.c). Every wait stays over once it is, so whoever can
 * go on may as well: all replays come equally far. And two accesses are ordered if the second cannot
 * be reached while the first's thread is kept from going on at it: so one replay for each access decides about all
 * possible ones. */
#include "check.h"

enum { STEPS = 128 };

struct replayer {
  uint8_t position, step, phase; /* phase of the step: on the way, waiting, past the wait */
  bool born, begun, ended;
};

static struct order_step steps[WORLD_LIVES][STEPS];
static unsigned step_count[WORLD_LIVES];
static struct replayer replayers[WORLD_LIVES];
static struct order_board board;
static const struct world_history *history = &world.history;

static bool decode(const struct order_scheme *scheme, unsigned life) {
  struct order_reader reader = {.scheme = scheme};
  const struct world_life *l = &history->life[life];
  step_count[life] = 0;
  for (size_t at = 0; at < l->bytes;) {
    if (step_count[life] == STEPS) abort();
    int n = order_decode(&reader, &steps[life][step_count[life]++], l->log + at, l->bytes - at);
    if (n <= 0) {
      world_wrong = "a log that can't be decoded";
      return false;
    }
    at += (size_t)n;
  }
  if (!step_count[life] || !steps[life][0].begins || steps[life][0].slot != l->slot) {
    world_wrong = "a log that does not begin";
    return false;
  }
  return true;
}

/* An instruction, unless the thread is kept from it. */
static bool go(const struct order_scheme *scheme, unsigned life, int kept_life, unsigned kept_position) {
  struct replayer *r = &replayers[life];
  if ((int)life == kept_life && r->position == kept_position) return false;
  r->position++;
  for (unsigned child = 1; child < history->lives; child++)
    if (history->life[child].parent == life && history->life[child].born == r->position) {
      order_replay_spawn(&board, history->life[child].slot);
      replayers[child].born = true;
    }
  if (scheme->decode == order_arcs.decode)
    order_replay_publish(&board, history->life[life].slot,
                         order_replay_clock(&steps[life][r->step - 1], r->position));
  return true;
}

/* One move of a thread, if it can. */
static bool move(const struct order_scheme *scheme, unsigned life, int kept_life, unsigned kept_position) {
  struct replayer *r = &replayers[life];
  unsigned slot = history->life[life].slot;
  if (!r->born || r->ended) return false;
  if (!r->begun) {
    r->begun = order_replay_ready(&board, slot, &steps[life][0]);
    r->step = 1;
    return r->begun;
  }
  if (r->step == step_count[life]) { /* only arcs leave what comes then unsaid */
    if (r->position < history->life[life].positions)
      return scheme->decode == order_arcs.decode && go(scheme, life, kept_life, kept_position);
    order_replay_end(&board, slot);
    r->ended = true;
    return true;
  }
  const struct order_step *step = &steps[life][r->step];
  switch (r->phase) {
    case 0:
      if (r->position != step->from) return go(scheme, life, kept_life, kept_position);
      order_replay_arrive(&board, slot, step);
      break;
    case 1:
      if (!order_replay_ready(&board, slot, step)) return false;
      order_replay_pass(&board, slot, step);
      break;
    default:
      if (r->position != step->until) return go(scheme, life, kept_life, kept_position);
      order_replay_done(&board, slot, step);
      r->step++;
  }
  r->phase = (uint8_t)((r->phase + 1) % 3);
  return true;
}

/* As far as it goes; a thread's way may be barred at a position. */
static void replay(const struct order_scheme *scheme, int kept_life, unsigned kept_position) {
  memset(&board, 0, sizeof board);
  memset(replayers, 0, sizeof replayers);
  replayers[0].born = true;
  order_replay_spawn(&board, history->life[0].slot);
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned life = 0; life < history->lives; life++)
      while (move(scheme, life, kept_life, kept_position)) moved = true;
  }
}

static bool conflict(const struct world_access *a, const struct world_access *b) {
  return (a->writes & (b->reads | b->writes)) || (a->reads & b->writes);
}

bool check_history(const struct order_scheme *scheme) {
  for (unsigned life = 0; life < history->lives; life++)
    if (!decode(scheme, life)) return false;
  replay(scheme, -1, 0);
  for (unsigned life = 0; life < history->lives; life++)
    if (!replayers[life].ended) world_wrong = "the replay stops";
  for (unsigned i = 0; i < history->accesses && !world_wrong; i++) {
    const struct world_access *first = &history->access[i];
    bool concerns = false;
    for (unsigned k = i + 1; k < history->accesses; k++) concerns |= conflict(first, &history->access[k]);
    if (!concerns) continue;
    replay(scheme, first->life, first->position);
    for (unsigned k = i + 1; k < history->accesses; k++) {
      const struct world_access *later = &history->access[k];
      if (later->life != first->life && conflict(first, later) &&
          replayers[later->life].position > later->position)
        world_wrong = "an order lost";
    }
  }
  return !world_wrong;
}

size_t check_bytes(void) {
  size_t sum = 0;
  for (unsigned life = 0; life < history->lives; life++) sum += history->life[life].bytes;
  return sum;
}
