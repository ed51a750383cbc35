/* stream_table.c: a hash table with open addressing, so that a stream costs 32 bytes and threads that ended cost
 * nothing. See stream_table.h. */
#include "recording/stream_table.h"

#include <stdlib.h>

static size_t home_of(const struct stream_table *table, struct recording_stream_id id) {
  uint64_t key = (uint64_t)id.kind << 32 | id.thread;
  return (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (table->size - 1);
}

static bool same(struct recording_stream_id a, struct recording_stream_id b) {
  return a.kind == b.kind && a.thread == b.thread;
}

/* Where id is, or the empty place where it would go. The table is never full. */
static struct open_stream *place_of(const struct stream_table *table, struct recording_stream_id id) {
  size_t i = home_of(table, id);
  while (table->places[i].id.kind && !same(table->places[i].id, id)) i = (i + 1) & (table->size - 1);
  return &table->places[i];
}

struct open_stream *stream_table_find(const struct stream_table *table, struct recording_stream_id id) {
  if (!table->size) return NULL;
  struct open_stream *place = place_of(table, id);
  return place->id.kind ? place : NULL;
}

static bool grow(struct stream_table *table) {
  struct stream_table larger = {.size = table->size ? table->size * 2 : 16, .used = table->used};
  larger.places = calloc(larger.size, sizeof *larger.places);
  if (!larger.places) return false;
  for (size_t i = 0; i < table->size; i++)
    if (table->places[i].id.kind) *place_of(&larger, table->places[i].id) = table->places[i];
  free(table->places);
  *table = larger;
  return true;
}

struct open_stream *stream_table_add(struct stream_table *table, struct recording_stream_id id) {
  if (table->used * 2 >= table->size && !grow(table)) return NULL;
  struct open_stream *place = place_of(table, id);
  *place = (struct open_stream){.id = id};
  table->used++;
  return place;
}

/* Those behind the gap move into it unless that would put them before their home. */
void stream_table_drop(struct stream_table *table, struct open_stream *stream) {
  size_t mask = table->size - 1, gap = (size_t)(stream - table->places);
  for (size_t i = (gap + 1) & mask; table->places[i].id.kind; i = (i + 1) & mask) {
    size_t from_home = (i - home_of(table, table->places[i].id)) & mask;
    if (from_home < ((i - gap) & mask)) continue;
    table->places[gap] = table->places[i];
    gap = i;
  }
  table->places[gap].id.kind = 0;
  table->used--;
}
