/* ahead.c: checks the files of a recording while the replayed program starts.
 *
 * A file is mapped as it was only if all of it was read and compared with its hash, and the program waits for that at each
 * library that it loads. But its start uses one processor, and which files it will ask for, and in which order, is
 * known. So a thread with a reader of its own checks the first of them. It leaves a damaged file
 * alone: the replay then opens that file itself, and reports the damage. */
#include "sphere/ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/recording.h"

enum { AHEAD_FILES = 64 };
enum file_state { FILE_LEFT, FILE_CHECKED_NOW, FILE_READY, FILE_TAKEN };

struct ahead {
  pthread_t thread;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t moved;
  bool over;
  struct {
    enum file_state state;
    int fd;
    uint64_t size;
  } files[AHEAD_FILES];
  char path[];
};

/* True if the thread is to open this file. */
static bool claim(struct ahead *ahead, uint32_t number) {
  pthread_mutex_lock(&ahead->lock);
  bool left = ahead->files[number].state == FILE_LEFT;
  if (left) ahead->files[number].state = FILE_CHECKED_NOW;
  pthread_mutex_unlock(&ahead->lock);
  return left;
}

/* fd: -1 if nothing came of it. */
static void tell(struct ahead *ahead, uint32_t number, int fd, uint64_t size) {
  pthread_mutex_lock(&ahead->lock);
  ahead->files[number].fd = fd;
  ahead->files[number].size = size;
  ahead->files[number].state = fd < 0 ? FILE_TAKEN : FILE_READY;
  pthread_cond_signal(&ahead->moved);
  pthread_mutex_unlock(&ahead->lock);
}

static bool is_over(struct ahead *ahead) {
  pthread_mutex_lock(&ahead->lock);
  bool over = ahead->over;
  pthread_mutex_unlock(&ahead->lock);
  return over;
}

static void *check_files(void *context) {
  struct ahead *ahead = context;
  struct recording_reader *reader;
  struct recording_error error;
  struct recording_file file;
  if (recording_open(ahead->path, 0, &reader, &error)) return NULL;
  for (uint32_t number = 0; number < AHEAD_FILES && !is_over(ahead); number++) {
    int fd = -1;
    if (!claim(ahead, number)) continue;
    bool found = !recording_find_file(reader, number, &file, &error);
    if (found && recording_open_file(reader, &file, &fd, &error)) fd = -1;
    tell(ahead, number, fd, found ? file.size : 0);
    if (!found) break;
  }
  recording_reader_close(reader);
  return NULL;
}

struct ahead *ahead_begin(const char *path) {
  size_t length = strlen(path) + 1;
  struct ahead *ahead = calloc(1, sizeof *ahead + length);
  sigset_t all, before;
  if (!ahead) return NULL;
  memcpy(ahead->path, path, length);
  pthread_mutex_init(&ahead->lock, NULL);
  pthread_cond_init(&ahead->moved, NULL);
  sigfillset(&all); /* they are for the manager */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&ahead->thread, NULL, check_files, ahead);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!failed) return ahead;
  free(ahead);
  return NULL;
}

int ahead_take(struct ahead *ahead, uint32_t number, uint64_t *size) {
  int fd = -1;
  if (!ahead || number >= AHEAD_FILES) return -1;
  pthread_mutex_lock(&ahead->lock);
  while (ahead->files[number].state == FILE_CHECKED_NOW) pthread_cond_wait(&ahead->moved, &ahead->lock);
  if (ahead->files[number].state == FILE_READY) {
    fd = ahead->files[number].fd;
    *size = ahead->files[number].size;
  }
  ahead->files[number].state = FILE_TAKEN;
  pthread_mutex_unlock(&ahead->lock);
  return fd;
}

void ahead_end(struct ahead *ahead) {
  if (!ahead) return;
  pthread_mutex_lock(&ahead->lock);
  ahead->over = true;
  pthread_mutex_unlock(&ahead->lock);
  pthread_join(ahead->thread, NULL);
  for (unsigned i = 0; i < AHEAD_FILES; i++)
    if (ahead->files[i].state == FILE_READY) close(ahead->files[i].fd);
  pthread_cond_destroy(&ahead->moved);
  pthread_mutex_destroy(&ahead->lock);
  free(ahead);
}
