/* replay_to.c: see replay_to.h. */
#include "cli/replay_to.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/thread_view.h"

/* errno of an output that can't be written, 0: all could. */
static int failed;

static void show(void *context, int which, const uint8_t *bytes, size_t count) {
  (void)context;
  while (count && !failed) {
    ssize_t n = write(which ? STDERR_FILENO : STDOUT_FILENO, bytes, count);
    if (n < 0 && errno != EINTR) failed = errno;
    if (n <= 0) continue;
    bytes += n;
    count -= (size_t)n;
  }
}

static void tell(const struct session *session, bool as_json) {
  char moment[MOMENT_TEXT];
  moment_print(&session->stop.moment, moment);
  if (!as_json) fprintf(stderr, "at %s\n", moment);
  for (int slot = -1; (slot = target_next(session, (uint32_t)(slot + 1))) >= 0;) {
    struct thread_view view = thread_view(session, (uint32_t)slot);
    if (!as_json) {
      thread_view_print(&view, stderr);
      continue;
    }
    struct json json = json_begin(stderr);
    json_string(&json, "moment", moment);
    thread_view_json(&view, &json);
    json_end(&json);
  }
}

/* A crash is found from behind: what the program writes after it is none of the output until then. So its moment is looked up first. */
static int find_crash(const char *path, bool confined, char moment[MOMENT_TEXT]) {
  static struct session session;
  session = (struct session){.confined = confined, .apart = -1};
  int status = session_open(&session, path, "crash");
  if (status) return status;
  moment_print(&session.stop.moment, moment);
  session_close(&session);
  return 0;
}

int replay_to(const char *path, const char *place, const struct replay_to_options *options) {
  static struct session session;
  char moment[MOMENT_TEXT];
  struct place parsed;
  int status = 0;
  if (place_parse(place, &parsed) && parsed.kind == PLACE_CRASH) {
    status = find_crash(path, options->confined, moment);
    place = moment;
  }
  if (status) return status;
  session =
      (struct session){.confined = options->confined, .apart = -1, .shows = options->quiet ? NULL : show};
  status = session_open(&session, path, place);
  if (status) return status;
  tell(&session, options->as_json);
  status = session_verdict(&session);
  session_close(&session);
  if (status) return status;
  return failed ? complain(STATUS_FAILED, "the output can't be written: %s", strerror(failed)) : 0;
}
