/* core.h: core files of a process of a debugged recording (core.c). */
#ifndef REPRISE_DEBUG_CORE_H
#define REPRISE_DEBUG_CORE_H

#include "debug/session.h"

/* The owner of a note of our own: two texts, the path of the recording and the moment. */
#define CORE_OWNER "REPRISE"
enum { CORE_NOTE_RECORDING = 0x52505253 };

/* The slot of the thread that comes first in a core file of the process with this recorded id; 0: of the process that has crashed, or that has the turn, or where the
 * recording ends, the first one that is still there. -1: there is no such process. */
int core_first(const struct session *session, int32_t pid);
/* Writes a core file of this thread's process to the descriptor: 0, or an errno. */
int core_write(const struct session *session, uint32_t first, int fd);

/* core_notes.c: its notes; files: the content of the one that tells which files are mapped. */
void core_put_notes(const struct session *session, uint32_t first, const char *files, size_t bytes,
                    FILE *out);

#endif
