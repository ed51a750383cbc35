/* default_place.c: the default place of recordings, and their names. See recording.h. */
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/error.h"
#include "recording/io.h"
#include "recording/recording.h"

static const char latest[] = "latest";

static int too_long(const char *path, struct recording_error *error) {
  errno = ENAMETOOLONG;
  return recording_fail_errno(error, path, "finding the recordings");
}

int recording_home(char *path, struct recording_error *error) {
  const char *own = getenv("REPRISE_DIR"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (own && *own) {
    if ((size_t)snprintf(path, RECORDING_PATH_MAX, "%s", own) < RECORDING_PATH_MAX) return RECORDING_OK;
    return too_long(own, error);
  }
  if (data && *data == '/') /* others are to be ignored, says the convention */
    return join_path(path, data, "reprise") ? RECORDING_OK : too_long(data, error);
  if (!home || !*home) {
    const struct passwd *user = getpwuid(geteuid());
    home = user ? user->pw_dir : NULL;
  }
  if (!home || !*home)
    return recording_fail(error, RECORDING_ABSENT, "recordings",
                          "no place for them: neither HOME nor REPRISE_DIR is set");
  return join_path(path, home, ".local/share/reprise") ? RECORDING_OK : too_long(home, error);
}

/* mkdir -p. */
static int make_folders(const char *path, struct recording_error *error) {
  char part[RECORDING_PATH_MAX];
  size_t length = strlen(path);
  for (size_t i = 1; i <= length; i++) {
    if (path[i] && path[i] != '/') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0700) && errno != EEXIST)
      return recording_fail_errno(error, part, "can't make the folder");
  }
  return RECORDING_OK;
}

/* -- New recordings ------------------------------------------------------------------------------------------------ */

/* The last part of the program's path, in characters that need no quoting. */
static void plain_name(const char *program, char *out, size_t size) {
  const char *slash = strrchr(program, '/');
  if (slash && slash[1]) program = slash + 1;
  size_t n = 0;
  for (; program[n] && n + 1 < size; n++) {
    char c = program[n];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    bool plain = letter || c == '_' || (n && (c == '-' || c == '.' || c == '+'));
    out[n] = c;
    if (!plain) out[n] = '_';
  }
  out[n] = '\0';
  if (!n) snprintf(out, size, "program");
}

/* One more than the highest N of NAME-N in the folder. */
static unsigned long next_number(const char *folder, const char *name) {
  unsigned long next = 0;
  size_t length = strlen(name);
  DIR *entries = opendir(folder);
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    const char *digits = entry->d_name + length + 1;
    if (strncmp(entry->d_name, name, length) || entry->d_name[length] != '-') continue;
    if (!*digits || strlen(digits) > 9 || strspn(digits, "0123456789") != strlen(digits)) continue;
    unsigned long number = strtoul(digits, NULL, 10);
    if (number >= next) next = number + 1;
  }
  if (entries) closedir(entries);
  return next;
}

/* The link is a convenience: if it can't be made, because someone has put something else there, the recording is no worse. */
static void point_latest(const char *folder, const char *name) {
  char link[RECORDING_PATH_MAX], temporary[RECORDING_PATH_MAX], unique[64];
  snprintf(unique, sizeof unique, ".latest-%ld", (long)getpid());
  if (!join_path(link, folder, latest) || !join_path(temporary, folder, unique)) return;
  unlink(temporary);
  if (!symlink(name, temporary) && rename(temporary, link)) unlink(temporary);
}

bool recording_get_latest(char *name) {
  char folder[RECORDING_PATH_MAX], link[RECORDING_PATH_MAX];
  if (recording_home(folder, NULL) || !join_path(link, folder, latest)) return false;
  ssize_t n = readlink(link, name, RECORDING_PATH_MAX - 1);
  name[n < 0 ? 0 : n] = '\0';
  return n > 0;
}

void recording_set_latest(const char *name) {
  char folder[RECORDING_PATH_MAX], path[RECORDING_PATH_MAX];
  if (recording_home(folder, NULL) || !join_path(path, folder, name) || access(path, F_OK)) return;
  point_latest(folder, name);
}

int recording_create_default(const char *program, struct recording_writer **out,
                             struct recording_error *error) {
  char folder[RECORDING_PATH_MAX], path[RECORDING_PATH_MAX], plain[128], name[160];
  int status = recording_home(folder, error);
  if (!status) status = make_folders(folder, error);
  if (status) return status;
  plain_name(program, plain, sizeof plain);
  unsigned long number = next_number(folder, plain);
  do { /* others may take the number first */
    snprintf(name, sizeof name, "%s-%lu", plain, number++);
    if (!join_path(path, folder, name)) return too_long(folder, error);
    status = recording_create(path, out, error);
  } while (status == RECORDING_EXISTS);
  if (!status) point_latest(folder, name);
  return status;
}

/* -- Names that users type ----------------------------------------------------------------------------------------- */

/* A user who names no recording means one of their own: a link or a recording that another user has put there is not followed. */
static int check_owner(const char *path, struct recording_error *error) {
  struct stat link, target;
  if (lstat(path, &link) || stat(path, &target)) return recording_fail_errno(error, path, "looking at it");
  if (link.st_uid == geteuid() && target.st_uid == geteuid()) return RECORDING_OK;
  return recording_fail(error, RECORDING_ABSENT, path,
                        "belongs to another user; to use it all the same, give its path");
}

int recording_resolve(const char *name, char *path, struct recording_error *error) {
  char folder[RECORDING_PATH_MAX], found[RECORDING_PATH_MAX] = "";
  bool anywhere = name && strchr(name, '/'), asked = name && strcmp(name, latest);
  if (!name) name = latest;
  if (!*name) return recording_fail(error, RECORDING_ABSENT, "recording", "an empty name");
  int status = anywhere ? RECORDING_OK : recording_home(folder, error);
  if (status) return status;
  bool there = !anywhere && join_path(found, folder, name) && !access(found, F_OK);
  if (!there)
    there = (size_t)snprintf(found, sizeof found, "%s", name) < sizeof found && !access(found, F_OK);
  if (there) {
    memcpy(path, found, sizeof found);
    return asked ? RECORDING_OK : check_owner(found, error);
  }
  if (anywhere) return recording_fail(error, RECORDING_ABSENT, name, "no such recording");
  if (!strcmp(name, latest)) return recording_fail(error, RECORDING_ABSENT, folder, "no recording there yet");
  return recording_fail(error, RECORDING_ABSENT, name, "no such recording, neither in %.150s nor here",
                        folder);
}
