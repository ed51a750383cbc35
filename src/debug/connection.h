/* connection.h: a client of `reprise gdbserver` (connection.c). */
#ifndef REPRISE_DEBUG_CONNECTION_H
#define REPRISE_DEBUG_CONNECTION_H

#include <stdbool.h>

/* Serves the recording to one client: the exit status. */
struct serve_options {
  bool confined;
  int port; /* 0: over standard input and output; -1: a port that is free, which is printed on standard error */
  const char *at; /* the moment at which the replay stands first, or NULL */
  int apart;      /* milliseconds of replay between checkpoints, at least; -1: as usual */
};
int serve_recording(const char *path, const struct serve_options *options);

#endif
