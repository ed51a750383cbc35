/* commands.c: makes recordings for commands.sh, which is the test.
 *
 *     commands complete|unfinished|live|default NAME [ARGUMENT]…
 *
 * live leaves when its standard input ends, and says when it has begun. default takes the place that the library chooses and prints its path. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static void done(int status, const struct recording_error *error) {
  if (!status) return;
  fprintf(stderr, "commands: %s\n", error->text);
  exit(1);
}

int main(int argc, char **argv) {
  struct recording_writer *w;
  struct recording_error error;
  uint32_t number;
  if (argc < 3) return 2;
  if (!strcmp(argv[1], "default"))
    done(recording_create_default(argv[2], &w, &error), &error);
  else
    done(recording_create(argv[2], &w, &error), &error);
  if (!strcmp(argv[1], "default")) puts(recording_writer_path(w));
  for (int i = 3; i < argc; i++) done(recording_add(w, "argument", argv[i], &error), &error);
  done(recording_save(w, &error), &error);
  done(recording_append(w, EVENTS, 0, 9, "some events", 11, &error), &error);
  done(recording_append(w, INPUT(0), 0, 1000, "some input", 10, &error), &error);
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  done(recording_add_file(w, fd, argv[0], &number, &error), &error);
  close(fd);
  if (!strcmp(argv[1], "live")) {
    char byte;
    if (write(1, "begun\n", 6) != 6 || read(0, &byte, 1) < 0) return 1;
  }
  if (!strcmp(argv[1], "unfinished"))
    recording_abandon(w);
  else
    done(recording_close(w, &error), &error);
  return 0;
}
