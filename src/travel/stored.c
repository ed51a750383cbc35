/* stored.c: see stored.h. */
#include "travel/stored.h"

#include <stdlib.h>

struct noting {
  struct stored *stored;
  struct recording_reader *reader;
};

static int note(struct recording_stream_id id, void *context, struct recording_error *error) {
  const struct noting *noting = context;
  struct stored *stored = noting->stored;
  struct image image;
  (void)error;
  if (image_look(noting->reader, id.thread, &image, NULL)) return RECORDING_OK;
  bool fits = !image_fits(&image, "", id.thread, NULL);
  struct stored_image *larger = fits ? realloc(stored->all, (stored->count + 1) * sizeof *larger) : NULL;
  if (larger) {
    const struct image_head *head = &image.head;
    stored->all = larger;
    larger[stored->count++] = (struct stored_image){.number = id.thread,
                                                    .moment = {.turn = head->moment.turn,
                                                               .position = head->moment.position,
                                                               .thread = head->moment.thread,
                                                               .event = head->event},
                                                    .threads = head->threads,
                                                    .positions = image.positions,
                                                    .position_count = image.position_count};
    image.positions = NULL;
  }
  image_close(&image);
  return RECORDING_OK;
}

static int compare(const void *a, const void *b) {
  const struct stored_image *x = a, *y = b;
  return debug_compare(&x->moment, &y->moment);
}

void stored_open(struct stored *stored, struct recording_reader *reader) {
  struct noting noting = {stored, reader};
  size_t kept = 0;
  *stored = (struct stored){0};
  recording_each_image(reader, note, &noting, NULL);
  if (stored->count) qsort(stored->all, stored->count, sizeof *stored->all, compare);
  for (size_t i = 0; i < stored->count; i++)
    if (!kept || compare(&stored->all[kept - 1], &stored->all[i]))
      stored->all[kept++] = stored->all[i];
    else
      free(stored->all[i].positions);
  stored->count = kept;
}

void stored_close(struct stored *stored) {
  for (size_t i = 0; i < stored->count; i++) free(stored->all[i].positions);
  free(stored->all);
  *stored = (struct stored){0};
}

const struct stored_image *stored_before(const struct stored *stored, const struct debug_moment *moment) {
  const struct stored_image *found = NULL;
  for (size_t i = 0; i < stored->count && debug_compare(&stored->all[i].moment, moment) < 0; i++)
    found = &stored->all[i];
  return found;
}

/* A thread that is not born yet has not come anywhere; one that has ended was everywhere. */
static bool is_before(const struct stored_image *image, uint32_t thread, uint64_t position) {
  for (uint32_t i = 0; i < image->position_count; i++)
    if (image->positions[i].thread == thread) return image->positions[i].position < position;
  return thread >= image->threads;
}

const struct stored_image *stored_before_position(const struct stored *stored, uint32_t thread,
                                                  uint64_t position) {
  const struct stored_image *found = NULL;
  for (size_t i = 0; i < stored->count && is_before(&stored->all[i], thread, position); i++)
    found = &stored->all[i];
  return found;
}

const struct stored_image *stored_last(const struct stored *stored) {
  return stored->count ? &stored->all[stored->count - 1] : NULL;
}
