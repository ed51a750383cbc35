/* calendar.c: see calendar.h. */
#include "sim/machine/calendar.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sim/machine/check.h"

enum { MASK = CALENDAR_SLOTS - 1, WORDS = CALENDAR_SLOTS / 64 };

struct calendar *calendar_new(void) {
  struct calendar *calendar = calloc(1, sizeof *calendar);
  CHECK(calendar, "out of memory");
  calendar->next = CALENDAR_EMPTY;
  return calendar;
}

static void free_list(struct event *event) {
  while (event) {
    struct event *next = event->next;
    free(event);
    event = next;
  }
}

void calendar_free(struct calendar *calendar) {
  if (!calendar) return;
  for (int slot = 0; slot < CALENDAR_SLOTS; slot++)
    if (calendar->used[slot / 64] & 1ull << slot % 64) free_list(calendar->first[slot]);
  for (uint32_t n = 0; n < calendar->far; n++) free(calendar->heap[n]);
  free_list(calendar->spare);
  free(calendar->heap);
  free(calendar);
}

/* -- The heap of what is far off ----------------------------------------------------------------------------------- */

static bool earlier(const struct event *a, const struct event *b) {
  return a->cycle != b->cycle ? a->cycle < b->cycle : a->sequence < b->sequence;
}

static void heap_put(struct calendar *calendar, struct event *event) {
  if (calendar->far == calendar->room) {
    calendar->room = calendar->room ? calendar->room * 2 : 64;
    calendar->heap = realloc(calendar->heap, calendar->room * sizeof *calendar->heap);
    CHECK(calendar->heap, "out of memory");
  }
  uint32_t at = calendar->far++;
  for (; at && earlier(event, calendar->heap[(at - 1) / 2]); at = (at - 1) / 2)
    calendar->heap[at] = calendar->heap[(at - 1) / 2];
  calendar->heap[at] = event;
}

static struct event *heap_take(struct calendar *calendar) {
  struct event *top = calendar->heap[0], *moved = calendar->heap[--calendar->far];
  uint32_t at = 0, count = calendar->far;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && earlier(calendar->heap[child + 1], calendar->heap[child])) child++;
    if (!earlier(calendar->heap[child], moved)) break;
    calendar->heap[at] = calendar->heap[child];
    at = child;
  }
  if (count) calendar->heap[at] = moved;
  return top;
}

/* -- The wheel ----------------------------------------------------------------------------------------------------- */

/* Once around, from the base: slots behind the base's own belong to the next turn. */
static uint64_t wheel_next(const struct calendar *calendar) {
  if (!calendar->near) return CALENDAR_EMPTY;
  unsigned start = calendar->base & MASK, word = start / 64;
  uint64_t bits = calendar->used[word] & ~0ull << start % 64;
  for (unsigned n = 0; !bits; n++) {
    CHECK(n <= WORDS, "events are lost");
    word = (word + 1) % WORDS;
    bits = calendar->used[word];
  }
  unsigned slot = word * 64 + (unsigned)__builtin_ctzll(bits);
  return calendar->base + ((slot - start) & MASK);
}

static void wheel_put(struct calendar *calendar, struct event *event) {
  unsigned slot = event->cycle & MASK;
  event->next = NULL;
  if (calendar->used[slot / 64] & 1ull << slot % 64)
    calendar->last[slot]->next = event;
  else
    calendar->first[slot] = event;
  calendar->last[slot] = event;
  calendar->used[slot / 64] |= 1ull << slot % 64;
  calendar->near++;
}

static struct event *wheel_take(struct calendar *calendar, uint64_t cycle) {
  unsigned slot = cycle & MASK;
  struct event *event = calendar->first[slot];
  calendar->first[slot] = event->next;
  if (!event->next) calendar->used[slot / 64] &= ~(1ull << slot % 64);
  calendar->near--;
  return event;
}

void calendar_put(struct calendar *calendar, uint64_t cycle, event_function *function, void *object,
                  uint64_t argument) {
  CHECK(cycle >= calendar->base, "event at %lu, calendar at %lu", (unsigned long)cycle,
        (unsigned long)calendar->base);
  struct event *event = calendar->spare;
  if (event)
    calendar->spare = event->next;
  else
    event = malloc(sizeof *event);
  CHECK(event, "out of memory");
  *event = (struct event){NULL, cycle, calendar->sequence++, function, object, argument};
  if (cycle - calendar->base < CALENDAR_SLOTS)
    wheel_put(calendar, event);
  else
    heap_put(calendar, event);
  if (cycle < calendar->next) calendar->next = cycle;
}

struct event calendar_take(struct calendar *calendar) {
  CHECK(calendar->next != CALENDAR_EMPTY, "no event to take");
  calendar->base = calendar->next;
  /* Of one cycle, those in the heap were put in when it was far off, before those in the wheel. */
  bool from_heap = calendar->far && calendar->heap[0]->cycle == calendar->next;
  struct event *event = from_heap ? heap_take(calendar) : wheel_take(calendar, calendar->next),
               taken = *event;
  event->next = calendar->spare;
  calendar->spare = event;
  calendar->next = wheel_next(calendar);
  if (calendar->far && calendar->heap[0]->cycle < calendar->next) calendar->next = calendar->heap[0]->cycle;
  return taken;
}

void calendar_advance(struct calendar *calendar, uint64_t cycle) {
  if (cycle > calendar->next) cycle = calendar->next;
  if (cycle > calendar->base) calendar->base = cycle;
}
