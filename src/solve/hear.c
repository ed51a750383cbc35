/* hear.c: has a replay tell the accesses to open memory, and sorts what it tells. See hear.h.
 *
 * The replay's manager copies what comes through the ring into a file without a name, which is read when the replay is over. */
#include "solve/hear.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order/told.h"
#include "recording/io.h"
#include "recording/scratch.h"
#include "solve/grow.h"
#include "sphere/manager.h"
#include "sphere/replay.h"

enum { DAMAGED = 121, FAILED = 125 };

static int complain_hearing(const char *what) {
  fprintf(stderr, "reprise: what the replay tells: %s\n", what);
  return FAILED;
}

/* -- The replay ------------------------------------------------------------------------------------------------------------- */

struct ear {
  int fd;
  uint64_t length;
  int error; /* of the first write that failed */
};

static void begin(struct manager *manager, void *context) {
  (void)manager, (void)context;
}

static void drain(struct manager *manager, void *context) {
  struct ear *ear = context;
  struct ring *ring = &manager->region->order;
  uint64_t tail = atomic_load(&ring->tail), available = atomic_load(&ring->head) - tail;
  if (!available || available > RING_BYTES)
    return; /* more can only be the work of a recording that has taken the engine over */
  const uint8_t *bytes = manager_ring(manager, ring);
  size_t at = tail % RING_BYTES, first = available < RING_BYTES - at ? available : RING_BYTES - at;
  if (!ear->error && (!write_all(ear->fd, ear->length, bytes + at, first) ||
                      !write_all(ear->fd, ear->length + first, bytes, (size_t)available - first)))
    ear->error = errno;
  ear->length += available;
  atomic_store(&ring->tail, tail + available);
  manager_moved(manager, ring);
}

static _Noreturn void become_replay(const char *path, const struct engine_config *from, bool confined, int fd,
                                    pid_t parent) {
  static struct engine_config settings;
  struct ear ear = {.fd = fd};
  const struct replay_watcher watcher = {.started = begin, .looks = drain, .context = &ear};
  const struct replay_options options = {
      .quiet = true, .confined = confined, .verifies = true, .watcher = &watcher, .tells = true};
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* its guard then ends the rest */
  if (getppid() != parent) _exit(FAILED);
  settings = *from;
  int status = replay(path, &options, &settings);
  if (!status && ear.error) status = complain_hearing(strerror(ear.error));
  fflush(NULL);
  _exit(status);
}

/* The exit status of the replay. */
static int wait_for(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return FAILED;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return FAILED;
}

static int have_told(const char *path, const struct engine_config *settings, bool confined, int fd) {
  pid_t self = getpid();
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) become_replay(path, settings, confined, fd, self);
  return pid < 0 ? complain_hearing(strerror(errno)) : wait_for(pid);
}

/* -- What it has told ---------------------------------------------------------------------------------------------------------- */

struct sorter {
  struct heard *heard;
  bool any;                  /* accesses were told … */
  uint32_t process, program; /* … of this one */
  const char *problem;
  int status;
  struct room {
    size_t accesses, spans;
    uint64_t ticks;
  } * rooms; /* of the threads */
  size_t thread_room, room_room, epoch_room;
  struct words_room {
    size_t found, left;
  } * words;
  size_t words_room;
};

static bool fail(struct sorter *sorter, int status, const char *problem) {
  sorter->status = status;
  sorter->problem = problem;
  return false;
}

static bool lacks_memory(struct sorter *sorter) {
  return fail(sorter, FAILED, strerror(ENOMEM));
}

static bool is_senseless(struct sorter *sorter) {
  return fail(sorter, DAMAGED, "the recording has damaged the replay");
}

static struct heard_thread *thread_of(struct sorter *sorter, uint32_t number) {
  struct heard *heard = sorter->heard;
  for (size_t i = heard->thread_count; i-- > 0;)
    if (heard->threads[i].number == number) return &heard->threads[i];
  if (!GROW(heard->threads, heard->thread_count, sorter->thread_room) ||
      !GROW(sorter->rooms, heard->thread_count, sorter->room_room))
    return NULL;
  sorter->rooms[heard->thread_count] = (struct room){0};
  heard->threads[heard->thread_count] = (struct heard_thread){.number = number};
  return &heard->threads[heard->thread_count++];
}

enum { EPOCHS_MOST = 1 << 24 };

static bool begin_epoch(struct sorter *sorter, struct heard_thread *thread, uint64_t number) {
  struct heard *heard = sorter->heard;
  struct room *room = &sorter->rooms[thread - heard->threads];
  if (number >= EPOCHS_MOST) return is_senseless(sorter);
  if (thread->span_count && thread->spans[thread->span_count - 1].epoch == number) return true;
  if (thread->span_count && thread->spans[thread->span_count - 1].epoch > number) return is_senseless(sorter);
  while (heard->epoch_count <= number) {
    if (!GROW(heard->epochs, heard->epoch_count, sorter->epoch_room) ||
        !GROW(sorter->words, heard->epoch_count, sorter->words_room))
      return lacks_memory(sorter);
    sorter->words[heard->epoch_count] = (struct words_room){0};
    heard->epochs[heard->epoch_count++] = (struct heard_epoch){0};
  }
  if (!GROW(thread->spans, thread->span_count, room->spans)) return lacks_memory(sorter);
  thread->spans[thread->span_count++] =
      (struct heard_span){.epoch = (uint32_t)number, .first = thread->count};
  return true;
}

static bool add_word(struct sorter *sorter, uint32_t thread, uint32_t epoch, const struct told *told) {
  bool left = told->kind == TOLD_LEFT;
  struct heard_epoch *of = &sorter->heard->epochs[epoch];
  struct heard_words *words = left ? &of->left : &of->found;
  size_t *room = left ? &sorter->words[epoch].left : &sorter->words[epoch].found;
  if (told->count != TOLD_WORD) return is_senseless(sorter);
  if (left) {
    of->closer = thread;
    of->closed = told->position;
  }
  if (!GROW(words->words, words->count, *room)) return lacks_memory(sorter);
  words->words[words->count++] = (struct heard_word){told->address, told->read};
  return true;
}

static bool add(struct sorter *sorter, struct heard_thread *thread, const struct told *told) {
  struct room *room = &sorter->rooms[thread - sorter->heard->threads];
  if (told->kind == TOLD_EPOCH) return begin_epoch(sorter, thread, told->address);
  if (told->kind == TOLD_TICKS) {
    room->ticks = told->address;
    return true;
  }
  if (!thread->span_count) return is_senseless(sorter);
  struct heard_span *span = &thread->spans[thread->span_count - 1];
  if (told->kind == TOLD_FOUND || told->kind == TOLD_LEFT)
    return add_word(sorter, thread->number, span->epoch, told);
  if (!GROW(thread->accesses, thread->count, room->accesses)) return lacks_memory(sorter);
  thread->accesses[thread->count++] = (struct heard_access){.address = told->address,
                                                            .position = told->position,
                                                            .read = told->read,
                                                            .written = told->written,
                                                            .instructions = told->position - room->ticks,
                                                            .kind = told->kind,
                                                            .count = told->count};
  span->count++;
  sorter->heard->accesses++;
  return true;
}

static bool is_of_another(struct sorter *sorter, const struct told_batch *batch) {
  bool other = sorter->any && (batch->process != sorter->process || batch->program != sorter->program);
  sorter->any = true;
  sorter->process = batch->process;
  sorter->program = batch->program;
  return other;
}

static bool take_batch(struct sorter *sorter, const struct told_batch *batch, const uint8_t *bytes) {
  struct told_codec codec = {0};
  struct told told;
  if (is_of_another(sorter, batch))
    return fail(sorter, FAILED, "values of more than one program or process are not supported yet");
  struct heard_thread *thread = thread_of(sorter, batch->thread);
  if (!thread) return lacks_memory(sorter);
  for (uint32_t at = 0; at < batch->bytes;) {
    int used = told_get(&codec, &told, bytes + at, batch->bytes - at);
    if (used <= 0) return is_senseless(sorter);
    at += (uint32_t)used;
    if (!add(sorter, thread, &told)) return false;
  }
  return true;
}

static int by_address(const void *a, const void *b) {
  const struct heard_word *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

/* Each word once; false if it was told with different contents. */
static bool sort_words(struct heard_words *words) {
  size_t count = 0;
  if (words->count) qsort(words->words, words->count, sizeof *words->words, by_address);
  for (size_t i = 0; i < words->count; i++) {
    const struct heard_word *last = count ? &words->words[count - 1] : NULL;
    if (!last || last->address != words->words[i].address)
      words->words[count++] = words->words[i];
    else if (last->content != words->words[i].content)
      return false;
  }
  words->count = count;
  return true;
}

static int by_number(const void *a, const void *b) {
  const struct heard_thread *x = a, *y = b;
  return x->number < y->number ? -1 : x->number > y->number;
}

static bool sort_all(struct sorter *sorter, const uint8_t *bytes, size_t length) {
  struct heard *heard = sorter->heard;
  struct told_batch batch;
  for (size_t at = 0; at < length; at += batch.bytes) {
    if (length - at < sizeof batch) return is_senseless(sorter);
    memcpy(&batch, bytes + at, sizeof batch);
    at += sizeof batch;
    if (batch.bytes > length - at) return is_senseless(sorter);
    if (!take_batch(sorter, &batch, bytes + at)) return false;
  }
  for (size_t i = 0; i < heard->epoch_count; i++)
    if (!sort_words(&heard->epochs[i].found) || !sort_words(&heard->epochs[i].left))
      return is_senseless(sorter);
  if (heard->thread_count) qsort(heard->threads, heard->thread_count, sizeof *heard->threads, by_number);
  return true;
}

static int sort(struct heard *heard, int fd) {
  struct sorter sorter = {.heard = heard};
  struct stat info;
  if (fstat(fd, &info)) return complain_hearing(strerror(errno));
  if (!info.st_size) return 0;
  void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED) return complain_hearing(strerror(errno));
  bool ok = sort_all(&sorter, bytes, (size_t)info.st_size);
  munmap(bytes, (size_t)info.st_size);
  free(sorter.rooms);
  free(sorter.words);
  if (ok) return 0;
  complain_hearing(sorter.problem);
  return sorter.status;
}

int hear(const char *path, const struct engine_config *settings, bool confined, struct heard *heard) {
  *heard = (struct heard){0};
  int fd = scratch_file("reprise-told", 0);
  if (fd < 0) return complain_hearing(strerror(errno));
  int status = have_told(path, settings, confined, fd);
  if (!status) status = sort(heard, fd);
  close(fd);
  if (status) hear_forget(heard);
  return status;
}

void hear_forget(struct heard *heard) {
  for (size_t i = 0; i < heard->thread_count; i++) {
    free(heard->threads[i].accesses);
    free(heard->threads[i].spans);
  }
  for (size_t i = 0; i < heard->epoch_count; i++) {
    free(heard->epochs[i].found.words);
    free(heard->epochs[i].left.words);
  }
  free(heard->threads);
  free(heard->epochs);
  *heard = (struct heard){0};
}

bool heard_find(const struct heard_words *words, uint64_t address, uint64_t *content) {
  struct heard_word key = {.address = address};
  const struct heard_word *word =
      words->count ? bsearch(&key, words->words, words->count, sizeof key, by_address) : NULL;
  if (word) *content = word->content;
  return word;
}
