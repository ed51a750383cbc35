/* thread_view.c: see thread_view.h. */
#include "cli/thread_view.h"

#include <inttypes.h>

#include "input/input.h"
#include "recording/plain.h"

struct thread_view thread_view(const struct session *session, uint32_t slot) {
  const struct debug_thread *thread = target_thread(session, slot);
  const struct input_row *row = thread->call > 0 ? input_row((unsigned)thread->call - 1) : NULL;
  struct thread_view view = {.thread = session->run.region->slots[slot].number,
                             .pid = thread->pid,
                             .tid = thread->tid,
                             .position = thread->position,
                             .has_turn = slot == session->stop.runner,
                             .call = row ? row->name : NULL};
  target_name(session, slot, view.name);
  target_place(session, slot, target_pc(session, slot), &view.place);
  return view;
}

void thread_view_print(const struct thread_view *view, FILE *out) {
  fprintf(out, "thread %" PRIu32 "  process %d, id %d, ", view->thread, view->pid, view->tid);
  plain_write(out, view->name);
  fprintf(out, ", position %" PRIu64 ": %s, ", view->position,
          view->has_turn ? "has the turn" : "waits for its turn");
  if (view->call) fprintf(out, "in %s, ", view->call);
  fputs("at ", out);
  code_place_print(&view->place, out);
  fputc('\n', out);
}

void thread_view_json(const struct thread_view *view, struct json *json) {
  json_number(json, "thread", view->thread);
  json_signed(json, "process", view->pid);
  json_signed(json, "id", view->tid);
  json_string(json, "name", view->name);
  json_number(json, "position", view->position);
  json_bool(json, "turn", view->has_turn);
  json_string(json, "call", view->call);
  json_address(json, "pc", view->place.address);
  json_string(json, "symbol", *view->place.symbol ? view->place.symbol : NULL);
  json_string(json, "file", *view->place.file ? view->place.file : NULL);
}
