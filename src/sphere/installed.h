/* installed.h: where the files that belong to this command are. */
#ifndef REPRISE_SPHERE_INSTALLED_H
#define REPRISE_SPHERE_INSTALLED_H

#include <stdbool.h>

enum { INSTALLED_PATH_MAX = 4096 };

/* Finds a file that belongs to this command: built as `in_build`, relative to the command's folder, and installed as `name` in libexec/reprise. Returns whether there is one;
 * its path is then in path. Nothing is fixed at compile time, so that a folder with bin and libexec in it may be moved. */
bool installed_find(const char *in_build, const char *name, char path[INSTALLED_PATH_MAX]);

#endif
