/* store.c: contents that recordings share. See store.h.
 *
 * In the default place there is a folder for each owner of recordings, `.contents-UID`, with a file for each content, named by its hash. The
 * same file has a name in `files/` of every recording that has this content. A recording never needs the store: its own link is as good as the store's, so
 * recordings can be removed in any order and by any means, and the store as well. A file with a single link is the store's alone, and
 * goes at the next sweep. Other processes may change the store between a check and a link: then the link fails, or makes one copy too many.
 *
 * A writer takes nothing from the store that another user could have written, and no content that differs from the one wanted: a hash alone
 * would let an attacker who makes two contents of the same hash put one into other recordings.
 *
 * Beside the contents the store notes which original had which of them, so that a file that lasts is not read for every recording: a symbolic
 * link, whose name is the hash of the original's identity and whose text names the content, its inode and its time of modification. A
 * content that was replaced or written to since is another one, whatever its name. */
#include "recording/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/checksum.h"
#include "recording/file_entry.h"
#include "recording/io.h"

/* -- The folder ---------------------------------------------------------------------------------------------------- */

/* The folder in which the recording lies. */
static bool place_of(const char *path, char *out) {
  snprintf(out, RECORDING_PATH_MAX, "%s", path);
  char *slash = strrchr(out, '/');
  if (!slash) return snprintf(out, RECORDING_PATH_MAX, ".") > 0;
  slash[slash == out] = '\0';
  return true;
}

static bool is_default(const char *place) {
  char home[RECORDING_PATH_MAX];
  struct stat one, other;
  return !recording_home(home, NULL) && !stat(home, &one) && !stat(place, &other) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The store of an owner in a place, if there is one that no other user can write to. */
static int open_store(const char *place, uid_t owner, bool make) {
  char name[32], path[RECORDING_PATH_MAX];
  struct stat info;
  snprintf(name, sizeof name, ".contents-%lu", (unsigned long)owner);
  if (!join_path(path, place, name)) return -1;
  if (make) mkdir(path, 0700);
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return -1;
  if (!fstat(fd, &info) && info.st_uid == owner && !(info.st_mode & (S_IWGRP | S_IWOTH))) return fd;
  close(fd);
  return -1;
}

int store_open(const char *path) {
  char place[RECORDING_PATH_MAX];
  if (!place_of(path, place) || !is_default(place)) return -1;
  store_sweep(path, geteuid());
  return open_store(place, geteuid(), true);
}

/* -- Contents ------------------------------------------------------------------------------------------------------ */

static bool same_bytes(int one, int other) {
  enum { PIECE = 64 << 10 };
  uint8_t *pieces = malloc(2 * (size_t)PIECE);
  uint64_t at = 0;
  ssize_t n = pieces ? PIECE : -1, m = n;
  while (n == PIECE && n == m) {
    n = read_upto(one, at, pieces, PIECE);
    m = read_upto(other, at, pieces + PIECE, PIECE);
    if (n > 0 && n == m && memcmp(pieces, pieces + PIECE, (size_t)n)) m = -1;
    at += PIECE;
  }
  free(pieces);
  return n >= 0 && n == m;
}

bool store_take(int store, const uint8_t hash[16], int original, int folder, const char *name) {
  char content[CONTENT_NAME_MAX];
  uint64_t length;
  struct stat info;
  content_name(hash, content);
  int fd = open_regular(store, content, &length);
  if (fd < 0) return false;
  bool ours = !fstat(fd, &info) && info.st_uid == geteuid() && !(info.st_mode & 0333);
  bool same = ours && same_bytes(fd, original);
  if (!same) unlinkat(store, content, 0); /* damaged: the next one is better */
  close(fd);
  return same && !linkat(store, content, folder, name, 0);
}

/* -- Originals ------------------------------------------------------------------------------------------------------ */

enum { NOTE_NAME_MAX = 5 + CONTENT_NAME_MAX, NOTE_TEXT_MAX = CONTENT_NAME_MAX + 64 };
static const char note_prefix[] = "from-";

static void note_name(const struct file_identity *identity, char out[NOTE_NAME_MAX]) {
  struct content_hash state = {0};
  uint8_t hash[16];
  content_hash_add(&state, (const uint8_t *)identity, sizeof *identity);
  content_hash_finish(&state, hash);
  memcpy(out, note_prefix, sizeof note_prefix);
  content_name(hash, out + sizeof note_prefix - 1);
}

static bool is_note(const char *name) {
  return !strncmp(name, note_prefix, sizeof note_prefix - 1);
}

/* What a note says of the content of that hash, which is the file of this name in a folder; false if it may have been written to. */
static bool note_text(int folder, const char *name, const uint8_t hash[16], char out[NOTE_TEXT_MAX],
                      off_t *size) {
  char content[CONTENT_NAME_MAX];
  struct stat info;
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) || !S_ISREG(info.st_mode)) return false;
  if (info.st_uid != geteuid() || info.st_mode & 0333) return false;
  content_name(hash, content);
  snprintf(out, NOTE_TEXT_MAX, "%s.%lx.%lx.%lx", content, (unsigned long)info.st_ino,
           (unsigned long)info.st_mtim.tv_sec, (unsigned long)info.st_mtim.tv_nsec);
  *size = info.st_size;
  return true;
}

/* The text of a note, and the content's name and hash in it. */
static bool read_note(int store, const char *note, char text[NOTE_TEXT_MAX], char content[CONTENT_NAME_MAX],
                      uint8_t hash[16]) {
  ssize_t n = readlinkat(store, note, text, NOTE_TEXT_MAX - 1);
  if (n < CONTENT_NAME_MAX) return false;
  text[n] = '\0';
  memcpy(content, text, CONTENT_NAME_MAX - 1);
  content[CONTENT_NAME_MAX - 1] = '\0';
  return content_parse(content, hash);
}

/* True if the file is the content that the text of a note speaks of. */
static bool is_noted(int folder, const char *name, const uint8_t hash[16], const char *text, off_t *size) {
  char found[NOTE_TEXT_MAX];
  return note_text(folder, name, hash, found, size) && !strcmp(found, text);
}

/* The content is checked after it was linked: another writer may replace the store's at any time. */
bool store_take_known(int store, const struct file_identity *identity, uint8_t hash[16], int folder,
                      const char *name) {
  char note[NOTE_NAME_MAX], text[NOTE_TEXT_MAX], content[CONTENT_NAME_MAX];
  off_t size;
  note_name(identity, note);
  if (!read_note(store, note, text, content, hash) || linkat(store, content, folder, name, 0)) return false;
  if (is_noted(folder, name, hash, text, &size) && size == identity->size) return true;
  unlinkat(folder, name, 0);
  return false;
}

void store_note(int store, const struct file_identity *identity, const uint8_t hash[16], int folder,
                const char *name) {
  char note[NOTE_NAME_MAX], text[NOTE_TEXT_MAX], content[CONTENT_NAME_MAX];
  off_t size;
  note_name(identity, note);
  content_name(hash, content);
  if (!note_text(folder, name, hash, text, &size) || size != identity->size) return;
  if (!is_noted(store, content, hash, text, &size)) return;
  unlinkat(store, note, 0);
  (void)!symlinkat(text, store, note);
}

/* -- Giving and sweeping --------------------------------------------------------------------------------------------- */

void store_give(int store, const uint8_t hash[16], int folder, const char *name) {
  static const char other[] = "linked"; /* the name in the folder of the one that is there already */
  char content[CONTENT_NAME_MAX];
  uint64_t length;
  content_name(hash, content);
  if (!linkat(folder, name, store, content, 0) || errno != EEXIST) return;
  int fd = open_regular(folder, name, &length);
  if (fd < 0) return;
  unlinkat(folder, other, 0);
  if (!store_take(store, hash, fd, folder, other))
    (void)!linkat(folder, name, store, content, 0);
  else if (renameat(folder, other, folder, name))
    unlinkat(folder, other, 0);
  close(fd);
}

/* A content that no recording has, or a note of one that the store does not have. */
static bool is_unused(int store, const char *name) {
  char text[NOTE_TEXT_MAX], content[CONTENT_NAME_MAX];
  uint8_t hash[16];
  struct stat info;
  off_t size;
  if (is_note(name))
    return !read_note(store, name, text, content, hash) || !is_noted(store, content, hash, text, &size);
  return content_parse(name, hash) && !fstatat(store, name, &info, AT_SYMLINK_NOFOLLOW) &&
         S_ISREG(info.st_mode) && info.st_nlink == 1;
}

/* Notes follow their contents: twice, since a folder is read in no order. */
void store_sweep(const char *path, uid_t owner) {
  char place[RECORDING_PATH_MAX];
  int fd = place_of(path, place) ? open_store(place, owner, false) : -1;
  DIR *contents = fd < 0 ? NULL : fdopendir(fd);
  bool again = false;
  for (int round = 0; contents && round < 1 + again; round++, rewinddir(contents))
    for (const struct dirent *entry; (entry = readdir(contents));)
      if (is_unused(fd, entry->d_name) && !unlinkat(fd, entry->d_name, 0)) again = true;
  if (contents)
    closedir(contents);
  else if (fd >= 0)
    close(fd);
}
