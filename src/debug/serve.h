/* serve.h: `reprise gdbserver` (serve.c). */
#ifndef REPRISE_DEBUG_SERVE_H
#define REPRISE_DEBUG_SERVE_H

#include <stdbool.h>

/* Serves the recording to one client: over standard input and output if port is 0, else at that port of the loopback interface; port -1: one that is
 * free, which is told on standard error. at: where the replay is to stand first, or NULL. The exit status. */
int serve_recording(const char *path, bool confined, int port, const char *at);

#endif
