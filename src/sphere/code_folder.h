/* code_folder.h: the folder of the code cache that lasts (code_folder.c). */
#ifndef REPRISE_SPHERE_CODE_FOLDER_H
#define REPRISE_SPHERE_CODE_FOLDER_H

#include <stdint.h>

enum { CODE_FOLDER_PATH_MAX = 4096 };

/* Its path: REPRISE_CACHE, or below the user's folder for caches. 0; -1: there is none, or REPRISE_CACHE=off. */
int code_folder_path(char path[CODE_FOLDER_PATH_MAX]);
/* Opens it, and makes it if need be. -1: there is none, or it is not to be trusted; then errno says why. */
int code_folder_open(void);

/* Opens the stored code of that name for a replay, to be read; -ENOENT: there is none that is the user's own and begins as it should. */
int code_folder_stored(uint64_t name);

#endif
