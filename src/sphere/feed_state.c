/* feed_state.c: where the feed of a replay is in its streams: kept for checkpoints, written into images and read from them. See feed.h. */
#include <stdlib.h>
#include <string.h>

#include "recording/bytes.h"
#include "sphere/feed.h"

struct source_state {
  bool opened, ended, absent;
  struct recording_place place;
  uint32_t at, length; /* of the frame */
};

struct feed_state {
  uint64_t instructions;
  struct leftover leftover;
  uint32_t cut_short;
  uint32_t slots;
  struct source_state order;
  struct {
    struct source_state input, order;
  } slot[];
};

static struct source_state state_of(const struct source *source) {
  return (struct source_state){.opened = source->opened,
                               .ended = source->ended,
                               .absent = !source->stream,
                               .place = source->place,
                               .at = source->at,
                               .length = source->frame.length};
}

struct feed_state *feed_keep(const struct manager *manager, const struct feed *feed) {
  uint32_t slots = region_slots(manager->region);
  struct feed_state *state = calloc(1, sizeof *state + slots * sizeof *state->slot);
  if (!state) return NULL;
  state->instructions = feed->instructions;
  state->leftover = feed->leftover;
  state->cut_short = feed->cut_short;
  state->slots = slots;
  state->order = state_of(&feed->order);
  for (uint32_t i = 0; i < slots; i++) {
    state->slot[i].input = state_of(&feed->slots[i]);
    state->slot[i].order = state_of(&feed->orders[i]);
  }
  return state;
}

struct feed_state *feed_at_beginning(void) {
  return calloc(1, sizeof(struct feed_state));
}

void feed_forget(struct feed_state *state) {
  free(state);
}

static void drop(struct source *source) {
  if (source->stream) recording_stream_close(source->stream);
  *source = (struct source){0};
}

static bool take_back(struct feed *feed, struct source *source, const struct source_state *state,
                      struct recording_stream_id id) {
  drop(source);
  if (!state->opened) return true;
  if (!feed_open(feed, source, id)) return false;
  source->ended = state->ended;
  if (!source->stream || state->absent) return !source->stream == state->absent;
  recording_return(source->stream, &state->place);
  source->place = state->place;
  if (state->ended || !state->length) return true;
  if (recording_next(source->stream, &source->frame, &feed->error)) return false;
  source->at = state->at;
  return source->frame.length == state->length;
}

bool feed_go_back(struct manager *manager, struct feed *feed, const struct feed_state *state) {
  bool fine = take_back(feed, &feed->order, &state->order,
                        (struct recording_stream_id){RECORDING_ORDER, RECORDING_SPHERE});
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    static const struct source_state none;
    bool known = i < state->slots;
    uint32_t number = known ? manager->region->slots[i].number : 0;
    fine = fine && take_back(feed, &feed->slots[i], known ? &state->slot[i].input : &none,
                             (struct recording_stream_id){RECORDING_INPUT, number});
    fine = fine && take_back(feed, &feed->orders[i], known ? &state->slot[i].order : &none,
                             (struct recording_stream_id){RECORDING_ORDER, number});
  }
  feed->instructions = state->instructions;
  feed->leftover = state->leftover;
  feed->cut_short = state->cut_short;
  feed->failed |= !fine;
  return fine;
}

/* -- In images -------------------------------------------------------------------------------------------------------------------- */

/* docs/format.md has the bytes. */
enum { STATE_BYTES = 31, SOURCE_BYTES = 29, OPENED = 1, ENDED = 2, ABSENT = 4 };

static uint8_t *put_source(uint8_t *at, const struct source_state *source) {
  at[0] =
      (uint8_t)((source->opened ? OPENED : 0) | (source->ended ? ENDED : 0) | (source->absent ? ABSENT : 0));
  put64(at + 1, source->place.offset);
  put64(at + 9, source->place.last);
  put32(at + 17, source->place.sequence);
  put32(at + 21, source->at);
  put32(at + 25, source->length);
  return at + SOURCE_BYTES;
}

uint8_t *feed_encode(const struct feed_state *state, size_t *bytes) {
  *bytes = STATE_BYTES + (1 + 2 * (size_t)state->slots) * SOURCE_BYTES;
  uint8_t *all = malloc(*bytes), *at = all;
  if (!all) return NULL;
  put64(at, state->instructions);
  at[8] = state->leftover.found;
  at[9] = state->leftover.of_order;
  at[10] = state->leftover.of_sphere;
  put32(at + 11, state->leftover.thread);
  put64(at + 15, state->leftover.position);
  put32(at + 23, state->cut_short);
  put32(at + 27, state->slots);
  at = put_source(at + STATE_BYTES, &state->order);
  for (uint32_t i = 0; i < state->slots; i++)
    at = put_source(put_source(at, &state->slot[i].input), &state->slot[i].order);
  return all;
}

static bool get_source(const uint8_t **from, struct source_state *source) {
  const uint8_t *at = *from;
  *source = (struct source_state){.opened = at[0] & OPENED,
                                  .ended = at[0] & ENDED,
                                  .absent = at[0] & ABSENT,
                                  .place = {get64(at + 1), get64(at + 9), get32(at + 17)},
                                  .at = get32(at + 21),
                                  .length = get32(at + 25)};
  *from = at + SOURCE_BYTES;
  return at[0] <= (OPENED | ENDED | ABSENT) && source->at <= source->length &&
         source->length <= RECORDING_FRAME_MAX;
}

struct feed_state *feed_decode(const uint8_t *from, size_t bytes) {
  if (bytes < STATE_BYTES) return NULL;
  uint32_t slots = get32(from + 27);
  if (slots > REGION_SLOTS || bytes != STATE_BYTES + (1 + 2 * (size_t)slots) * SOURCE_BYTES) return NULL;
  struct feed_state *state = calloc(1, sizeof *state + slots * sizeof *state->slot);
  if (!state) return NULL;
  state->instructions = get64(from);
  state->leftover = (struct leftover){.found = from[8],
                                      .of_order = from[9],
                                      .of_sphere = from[10],
                                      .thread = get32(from + 11),
                                      .position = get64(from + 15)};
  state->cut_short = get32(from + 23);
  state->slots = slots;
  const uint8_t *at = from + STATE_BYTES;
  bool fine = get_source(&at, &state->order);
  for (uint32_t i = 0; fine && i < slots; i++)
    fine = get_source(&at, &state->slot[i].input) && get_source(&at, &state->slot[i].order);
  if (fine) return state;
  free(state);
  return NULL;
}
