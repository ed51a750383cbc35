/* core_file.h: core files that a recorder writes of what it has recorded (core_file.c). */
#ifndef REPRISE_SPHERE_CORE_FILE_H
#define REPRISE_SPHERE_CORE_FILE_H

#include <stdbool.h>

#include "recording/recording.h"

/* The path of the core file of a recording. wanted: the one that the user has named, or "": `core` in the recording. number: of a part that was stored while the program
 * ran, 0: it is of its end. False: it is too long. */
bool core_file_name(const char *recording, const char *wanted, unsigned number,
                    char path[RECORDING_PATH_MAX]);
/* Writes it, in the place of an older one; wanted NULL: none is. True: there is one now. Otherwise one line has told why not. */
bool core_file_write(const char *recording, const char *wanted, unsigned number,
                     char path[RECORDING_PATH_MAX]);

#endif
