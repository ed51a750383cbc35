/* edited.h: files of /proc as the application may see them (edited.c).
 *
 * Each function makes a copy without traces of the engine and returns a descriptor open for reading it, or -errno. flags: O_CLOEXEC
 * or 0. */
#ifndef REPRISE_ENGINE_EDITED_H
#define REPRISE_ENGINE_EDITED_H

#include "engine/base/thread.h"

/* maps and smaps, without the engine's lines; with the heap named if they are the calling process's own. */
long edited_maps(const char *path, bool own, int flags);
/* The auxiliary vector as the program got it. */
long edited_auxv(int flags);
/* status of the calling process, with the program's own signal handlers; whose: the thread that it describes, 0 for the calling one. */
long edited_status(const char *path, const struct thread *thread, int whose, int flags);

#endif
