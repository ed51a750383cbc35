/* thread_view.h: a thread of a stopped replay, as the commands that look into recordings tell of it (thread_view.c). */
#ifndef REPRISE_CLI_THREAD_VIEW_H
#define REPRISE_CLI_THREAD_VIEW_H

#include "inspect/json.h"
#include "debug/session.h"

struct thread_view {
  uint32_t thread;  /* R-thread */
  int32_t pid, tid; /* in the recording */
  char name[16];
  uint64_t position;
  bool has_turn;
  const char *call; /* the system call that it is in, or NULL */
  struct code_place place;
};

struct thread_view thread_view(const struct session *session, uint32_t slot);
/* One line. */
void thread_view_print(const struct thread_view *view, FILE *out);
/* The members of an object. */
void thread_view_json(const struct thread_view *view, struct json *json);

#endif
