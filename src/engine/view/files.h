/* files.h: the files through which a program could see the engine (files.c). */
#ifndef REPRISE_ENGINE_FILES_H
#define REPRISE_ENGINE_FILES_H

#include "engine/base/thread.h"

/* Copies a path from the application: its length, -EFAULT or -ENAMETOOLONG. */
long files_copy_path(char path[ENGINE_PATH_MAX], uintptr_t from);
/* If path names the executable of a process that runs under the engine (/proc/…/exe), writes the path of its real
 * program over it and returns true. path holds ENGINE_PATH_MAX bytes. */
bool files_real_program(int directory, char *path);
/* After a successful change of personality: notes its effect on mappings. */
void files_note_personality(const struct call *call);
/* System calls on such files, and personality. */
bool files_call(struct thread *thread, const struct call *call, long *result);

#endif
