/* installed.c: the files that belong to this command lie beside it in a build folder, and in libexec when installed. */
#include "sphere/installed.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The folder this command lies in, with its slash; false if the system doesn't tell. */
static bool command_folder(char path[INSTALLED_PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", path, INSTALLED_PATH_MAX - 1);
  const char *called = (const char *)getauxval(AT_EXECFN);
  if (length <= 0 && called) length = snprintf(path, INSTALLED_PATH_MAX, "%s", called); /* without /proc */
  if (length <= 0 || length >= INSTALLED_PATH_MAX) return false;
  char *slash = memrchr(path, '/', (size_t)length);
  if (slash) slash[1] = 0;
  return slash;
}

bool installed_find(const char *in_build, const char *name, char path[INSTALLED_PATH_MAX]) {
  char folder[INSTALLED_PATH_MAX];
  if (!command_folder(folder)) return false;
  if (snprintf(path, INSTALLED_PATH_MAX, "%s%s", folder, in_build) < INSTALLED_PATH_MAX &&
      !access(path, R_OK))
    return true;
  return snprintf(path, INSTALLED_PATH_MAX, "%s../libexec/reprise/%s", folder, name) < INSTALLED_PATH_MAX &&
         !access(path, R_OK);
}
