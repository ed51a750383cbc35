/* checkpoints.c: the manager's half of checkpoints. See checkpoints.h. */
#include "travel/checkpoints.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recording/error.h"
#include "recording/scratch.h"
#include "sphere/feed.h"
#include "sphere/processes.h"
#include "sphere/manager.h"
#include "sphere/mapped.h"
#include "travel/image.h"
#include "travel/image_load.h"

enum { PROCESSES_MOST = REGION_SLOTS };

/* The manager's ends of the channels of vessels. */
struct channels {
  int *fd;
  size_t count;
};

struct checkpoint {
  struct checkpoint *next; /* a younger one */
  uint32_t id;
  struct checkpoint_moment moment;
  int region; /* a memory file */
  struct feed_state *feed;
  struct mapped_copies *shared;
  struct channels vessels;
  pid_t *processes; /* the vessels, as many as there are channels */
  uint64_t cost;    /* in microseconds */
};

struct checkpoints {
  struct manager *manager;
  struct feed *feed;
  struct checkpoint_user user;
  struct checkpoint *first;
  uint32_t made;
  struct channels under_way; /* of a checkpoint that is being made */
  uint64_t shown[3];         /* bytes of output */
  uint64_t point;            /* that the replay was at when we looked last */
  uint64_t begun;            /* when the one that is being made was begun, in microseconds */
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* -- Vessels -------------------------------------------------------------------------------------------------------------------- */

static void close_all(struct channels *channels) {
  for (size_t i = 0; i < channels->count; i++) close(channels->fd[i]);
  free(channels->fd);
  *channels = (struct channels){0};
}

/* Our own end of a new channel is kept, the other one sent. */
static int64_t make_channel(struct checkpoints *all) {
  int ends[2];
  struct channels *channels = &all->under_way;
  if (!channels->count) all->begun = now();
  int *larger = realloc(channels->fd, (channels->count + 1) * sizeof *larger);
  if (larger) channels->fd = larger;
  if (!larger || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return -EAGAIN;
  channels->fd[channels->count++] = ends[0];
  bool sent = manager_send_file(all->manager, ends[1]);
  close(ends[1]);
  return sent ? 0 : -EAGAIN;
}

/* The region, the socket, and all that is shared, in the order of the message. */
static bool send_parcel(int channel, const struct launch_shared *shared, const struct mapped *mapped,
                        const struct mapped_copies *copies) {
  static struct vessel_message message;
  enum { FILES_MOST = 2 + VESSEL_OBJECTS };
  union {
    char bytes[CMSG_SPACE(FILES_MOST * sizeof(int))];
    struct cmsghdr header;
  } control = {0};
  int files[FILES_MOST] = {shared->region, shared->socket};
  if (copies->count > VESSEL_OBJECTS) return false;
  message.objects = (uint32_t)copies->count;
  for (size_t i = 0; i < copies->count; i++) {
    message.object[i].inode = copies->copy[i].inode;
    files[2 + i] = mapped->changing[i].fd;
  }
  size_t bytes = (2 + copies->count) * sizeof *files;
  control.header = (struct cmsghdr){CMSG_LEN(bytes), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.header), files, bytes);
  struct iovec part = {&message, sizeof message};
  struct msghdr header = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(bytes)};
  return sendmsg(channel, &header, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof message;
}

/* -- Orphans -------------------------------------------------------------------------------------------------------------------- */

/* We reap vessels and runners whose parents are gone. Our other children have a waiter of their own. */
static void reap(const struct manager *manager) {
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) || !info.si_pid) return;
    if (info.si_pid == manager->guard || (info.si_pid == manager->program && !manager->adopted)) return;
    waitpid(info.si_pid, NULL, __WALL);
  }
}

/* True if the process is our child. */
static bool is_child(pid_t pid) {
  char path[64], line[256];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file) && sscanf(line, "PPid: %d", &parent) != 1) continue;
  if (file) fclose(file);
  return parent == getpid();
}

static void kill_children(void) {
  DIR *processes = opendir("/proc");
  for (const struct dirent *entry; processes && (entry = readdir(processes));) {
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid > 1 && is_child(pid)) kill(pid, SIGKILL);
  }
  if (processes) closedir(processes);
}

/* Vessels end with their channels. One that a recording has tampered with may not, so it is killed: a replay leaves no process behind. */
static void reap_all(void) {
  enum { PATIENCE_MS = 1000, MOST_MS = 10000 };
  struct timespec pause = {0, 1000000};
  for (int i = 0; i < MOST_MS; i++) {
    pid_t gone = waitpid(-1, NULL, WNOHANG | __WALL);
    if (gone < 0 && errno == ECHILD) return;
    if (gone > 0) continue;
    if (i >= PATIENCE_MS && i % 100 == 0) kill_children();
    nanosleep(&pause, NULL);
  }
}

/* -- Making --------------------------------------------------------------------------------------------------------------------- */

static void forget(struct checkpoint *checkpoint) {
  close_all(&checkpoint->vessels);
  if (checkpoint->region >= 0) close(checkpoint->region);
  if (checkpoint->feed) feed_forget(checkpoint->feed);
  if (checkpoint->shared) mapped_forget(checkpoint->shared);
  free(checkpoint->processes);
  free(checkpoint);
}

/* In the copy no request is pending and no lock is held. */
static int copy_region(const struct manager *manager) {
  const struct region *region = manager->region;
  int fd = scratch_file("reprise-checkpoint", REGION_BYTES(region->slots_most));
  if (fd < 0) return -1;
  uint32_t none = 0;
  bool fine = !ftruncate(fd, (off_t)REGION_BYTES(region->slots_most)) && mapped_copy(manager->lock, fd);
  const struct {
    size_t offset;
  } words[] = {{offsetof(struct region, request_state)},
               {offsetof(struct region, request_lock)},
               {offsetof(struct region, lock)},
               {offsetof(struct region, manager_sleeps)},
               {offsetof(struct region, checkpoint) + offsetof(struct region_checkpoint, wish)}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    fine = fine && pwrite(fd, &none, sizeof none, (off_t)words[i].offset) == sizeof none;
  if (fine) return fd;
  close(fd);
  return -1;
}

static void append(struct checkpoints *all, struct checkpoint *checkpoint) {
  struct checkpoint **link = &all->first;
  while (*link) link = &(*link)->next;
  *link = checkpoint;
}

/* The thread that made a vessel has left the vessel's id in its slot. */
static pid_t *list_vessels(struct region *region, size_t count) {
  pid_t *processes = calloc(count + 1, sizeof *processes);
  size_t found = 0;
  for (uint32_t i = 0; processes && i < region_slots(region); i++) {
    if (region->slots[i].checkpoint.vessel && found < count)
      processes[found++] = region->slots[i].checkpoint.vessel;
    region->slots[i].checkpoint.vessel = 0;
  }
  return processes;
}

/* All vessels are made. No process moves but the manager. */
static int64_t make(struct checkpoints *all) {
  const struct region_checkpoint *from = &all->manager->region->checkpoint;
  struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
  if (!checkpoint) return -ENOMEM;
  checkpoint->id = all->made + 1;
  checkpoint->moment = (struct checkpoint_moment){.turn = from->moment.turn,
                                                  .position = from->moment.position,
                                                  .thread = from->moment.thread,
                                                  .point = atomic_load(&from->points)};
  checkpoint->vessels = all->under_way;
  all->under_way = (struct channels){0};
  checkpoint->region = copy_region(all->manager);
  checkpoint->feed = feed_keep(all->manager, all->feed);
  checkpoint->shared = mapped_keep(&all->feed->mapped);
  checkpoint->processes = list_vessels(all->manager->region, checkpoint->vessels.count);
  checkpoint->cost = now() - all->begun;
  bool whole = checkpoint->vessels.count == from->processes && checkpoint->processes;
  if (!whole || checkpoint->region < 0 || !checkpoint->feed || !checkpoint->shared) {
    forget(checkpoint);
    return -ENOMEM;
  }
  all->made++;
  append(all, checkpoint);
  return 0;
}

/* Notes how much output was shown, which need not be shown again. */
static void note_shown(struct checkpoints *all) {
  const struct region_checkpoint *now = &all->manager->region->checkpoint;
  for (size_t i = 0; i < sizeof all->shown / sizeof *all->shown; i++) {
    uint64_t written = atomic_load(&now->written[i]);
    if (written > all->shown[i]) all->shown[i] = written;
  }
}

static int64_t answer(void *context, enum request_kind kind, int64_t value) {
  struct checkpoints *all = context;
  struct region_checkpoint *wanted = &all->manager->region->checkpoint;
  int64_t error = -EINVAL;
  switch (kind) {
    case REQUEST_MEMORY: {
      int fd = mapped_memory(&all->feed->mapped, (uint64_t)value);
      return fd < 0 ? fd : manager_send_file(all->manager, fd) ? 0 : -EAGAIN;
    }
    case REQUEST_CHANNEL:
      return all->under_way.count < PROCESSES_MOST ? make_channel(all) : -EAGAIN;
    case REQUEST_CHECKPOINT:
      atomic_store(&wanted->wish, CHECKPOINT_NONE);
      error = make(all);
      if (!error && all->user.made) all->user.made(all->user.context, all->made);
      return error;
    case REQUEST_HALT:
      atomic_store(&wanted->wish, CHECKPOINT_NONE);
      all->manager->ends = true;
      if (all->user.halted) all->user.halted(all->user.context);
      return 0;
    default:
      return error;
  }
}

void checkpoint_wish(struct checkpoints *all, enum checkpoint_wish wish, uint64_t point) {
  struct region_checkpoint *wanted = &all->manager->region->checkpoint;
  atomic_store(&wanted->at_point, point);
  atomic_store(&wanted->wish, wish);
}

/* A thread that only computes reaches no point unless it is summoned. */
static void look(void *context) {
  struct checkpoints *all = context;
  struct region *region = all->manager->region;
  uint64_t point = atomic_load(&region->checkpoint.points);
  uint32_t holder = atomic_load(&region->holder);
  bool idle = atomic_load(&region->checkpoint.wish) && point == all->point;
  if (idle && holder && holder <= region_slots(region))
    process_summon(all->manager, &region->slots[holder - 1]);
  all->point = point;
  reap(all->manager);
}

/* -- Restarting ----------------------------------------------------------------------------------------------------------------- */

static struct checkpoint *find(const struct checkpoints *all, uint32_t id) {
  struct checkpoint *checkpoint = all->first;
  while (checkpoint && checkpoint->id != id) checkpoint = checkpoint->next;
  return checkpoint;
}

/* The region is that of the checkpoint, except for the values that the manager knows better. */
static void set_region(struct checkpoints *all) {
  struct region *region = all->manager->region;
  memcpy(region->checkpoint.shown, all->shown, sizeof all->shown);
  region->manager = all->manager->self;
  atomic_store(&region->outcome, OUTCOME_NONE);
}

bool checkpoint_restart(struct checkpoints *all, uint32_t id, const char **error) {
  const struct checkpoint *checkpoint = find(all, id);
  struct launch_shared shared;
  *error = "there is no such checkpoint";
  if (!checkpoint) return false;
  note_shown(all);
  close_all(&all->under_way);
  *error = "there is no memory for a restart";
  if (!manager_reopen(all->manager, checkpoint->region, &shared)) return false;
  set_region(all);
  if (!mapped_go_back(&all->feed->mapped, checkpoint->shared)) return false;
  *error = "the recording can't be read once more";
  if (!feed_go_back(all->manager, all->feed, checkpoint->feed)) return false;
  *error = "a process of the checkpoint is gone";
  bool sent = true;
  for (size_t i = 0; i < checkpoint->vessels.count; i++)
    sent = sent && send_parcel(checkpoint->vessels.fd[i], &shared, &all->feed->mapped, checkpoint->shared);
  bool adopted = manager_adopt(all->manager, &shared);
  reap(all->manager);
  return sent && adopted;
}

/* -- Images ----------------------------------------------------------------------------------------------------------------------- */

int checkpoint_store(struct checkpoints *all, uint32_t id, struct recording_reader *reader, uint32_t *number,
                     uint64_t *bytes, struct recording_error *error) {
  const struct checkpoint *checkpoint = find(all, id);
  const char *path = recording_reader_path(reader);
  if (!checkpoint) return recording_fail(error, RECORDING_MISUSE, path, "there is no such checkpoint");
  for (size_t i = 0; i < checkpoint->vessels.count; i++)
    if (!vessel_waits(checkpoint->vessels.fd[i]))
      return recording_fail(error, RECORDING_MISUSE, path, "a process of the checkpoint is gone");
  struct image_source from = {.moment = checkpoint->moment,
                              .region = checkpoint->region,
                              .shared = checkpoint->shared,
                              .mapped = &all->feed->mapped,
                              .vessels = checkpoint->processes,
                              .count = checkpoint->vessels.count};
  uint8_t *feed = feed_encode(checkpoint->feed, &from.feed_bytes);
  from.feed = feed;
  int status = feed ? image_write(&from, reader, number, bytes, error)
                    : recording_fail_errno(error, path, "storing a checkpoint");
  free(feed);
  return status;
}

/* The streams of threads that began before the image are not the business of this replay. */
static int note_threads(struct checkpoints *all, uint32_t threads, struct recording_error *error) {
  int status = RECORDING_OK;
  for (uint32_t i = 0; i < threads && i <= RECORDING_THREAD_MAX && !status; i++)
    status = thread_set_add(&all->feed->threads, i, error);
  return status;
}

static int make_vessels(struct checkpoints *all, struct checkpoint *checkpoint, const struct image *image,
                        struct recording_error *error) {
  int status = RECORDING_OK;
  uint32_t count = image->head.processes;
  checkpoint->processes = calloc(count + 1, sizeof *checkpoint->processes);
  checkpoint->vessels.fd = calloc(count, sizeof *checkpoint->vessels.fd);
  if (!checkpoint->processes || !checkpoint->vessels.fd)
    return recording_fail_errno(error, recording_reader_path(all->feed->reader), "restoring an image");
  for (uint32_t i = 0; i < count && !status; i++) {
    status = image_make_vessel(image, i, all->manager, all->feed, &checkpoint->vessels.fd[i],
                               &checkpoint->processes[i], error);
    if (!status) checkpoint->vessels.count++;
  }
  return status;
}

/* Makes a checkpoint of the image, which loses what the checkpoint takes. */
static int take_image(struct checkpoints *all, struct image *image, uint32_t number,
                      struct checkpoint *checkpoint, struct recording_error *error) {
  const char *path = recording_reader_path(all->feed->reader);
  checkpoint->moment = image->head.moment;
  checkpoint->region = image->region;
  image->region = -1;
  if (image->head.slots != all->manager->region->slots_most)
    return recording_fail(error, RECORDING_MISUSE, path,
                          "image %u was made with room for %u threads, and here is room for %u", number,
                          image->head.slots, all->manager->region->slots_most);
  checkpoint->feed = feed_decode(image->feed, image->feed_bytes);
  if (!checkpoint->feed)
    return recording_fail(error, RECORDING_DAMAGED, path,
                          "streams/image-%u is damaged: its positions make no sense", number);
  int status = image_take_shared(image, path, number, &checkpoint->shared, error);
  if (!status) status = make_vessels(all, checkpoint, image, error);
  return status ? status : note_threads(all, image->head.threads, error);
}

int checkpoint_load(struct checkpoints *all, uint32_t number, uint32_t *id, struct recording_error *error) {
  struct image image;
  struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
  if (!checkpoint)
    return recording_fail_errno(error, recording_reader_path(all->feed->reader), "restoring an image");
  checkpoint->region = -1;
  int status = image_read(all->feed->reader, number, &image, error);
  if (!status) status = take_image(all, &image, number, checkpoint, error);
  image_close(&image);
  if (status) {
    forget(checkpoint);
    return status;
  }
  *id = checkpoint->id = ++all->made;
  append(all, checkpoint);
  return RECORDING_OK;
}

int checkpoints_begin_at(struct checkpoints *all, int64_t image, uint32_t *id,
                         struct recording_error *error) {
  const char *why;
  *id = 0;
  if (image == IMAGE_NONE) return RECORDING_OK;
  int status = checkpoint_load(all, (uint32_t)image, id, error);
  if (status || checkpoint_restart(all, *id, &why)) return status;
  return recording_fail(error, RECORDING_MISUSE, recording_reader_path(all->feed->reader), "%s", why);
}

bool checkpoints_begin_as_recorded(struct checkpoints *all, uint32_t *id) {
  struct feed *feed = all->feed;
  feed->failed = checkpoints_begin_at(all, image_begins(feed->reader), id, &feed->error) != RECORDING_OK;
  return !feed->failed;
}

/* -- What they cost -------------------------------------------------------------------------------------------------------------- */

uint64_t checkpoint_cost(const struct checkpoints *all, uint32_t id) {
  const struct checkpoint *checkpoint = find(all, id);
  return checkpoint ? checkpoint->cost : 0;
}

/* Bytes of pages that a process shares with no other. */
static uint64_t bytes_of(pid_t pid) {
  char path[64], line[256];
  uint64_t bytes = 0, kilobytes;
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Private_Clean: %" SCNu64, &kilobytes) == 1 ||
        sscanf(line, "Private_Dirty: %" SCNu64, &kilobytes) == 1)
      bytes += kilobytes << 10;
  if (file) fclose(file);
  return bytes;
}

uint64_t checkpoint_bytes(const struct checkpoints *all, uint32_t id) {
  const struct checkpoint *checkpoint = find(all, id);
  struct stat info;
  uint64_t bytes = 0;
  if (!checkpoint) return 0;
  for (size_t i = 0; i < checkpoint->vessels.count; i++)
    if (checkpoint->processes[i]) bytes += bytes_of(checkpoint->processes[i]);
  if (!fstat(checkpoint->region, &info)) bytes += (uint64_t)info.st_blocks * 512;
  for (size_t i = 0; i < checkpoint->shared->count; i++)
    if (!fstat(checkpoint->shared->copy[i].fd, &info)) bytes += (uint64_t)info.st_blocks * 512;
  return bytes;
}

/* -- All of them ---------------------------------------------------------------------------------------------------------------- */

void checkpoint_drop(struct checkpoints *all, uint32_t id) {
  struct checkpoint **link = &all->first;
  while (*link && (*link)->id != id) link = &(*link)->next;
  struct checkpoint *checkpoint = *link;
  if (!checkpoint) return;
  *link = checkpoint->next;
  forget(checkpoint);
}

unsigned checkpoint_count(const struct checkpoints *all) {
  unsigned count = 0;
  for (const struct checkpoint *checkpoint = all->first; checkpoint; checkpoint = checkpoint->next) count++;
  return count;
}

uint32_t checkpoint_nth(const struct checkpoints *all, unsigned n) {
  const struct checkpoint *checkpoint = all->first;
  while (checkpoint && n--) checkpoint = checkpoint->next;
  return checkpoint ? checkpoint->id : 0;
}

struct checkpoint_moment checkpoint_moment(const struct checkpoints *all, uint32_t id) {
  const struct checkpoint *checkpoint = find(all, id);
  return checkpoint ? checkpoint->moment : (struct checkpoint_moment){0};
}

struct checkpoints *checkpoints_open(struct manager *manager, struct feed *feed,
                                     const struct checkpoint_user *user) {
  struct checkpoints *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->manager = manager;
  all->feed = feed;
  all->user = *user;
  feed->helper = (struct feed_helper){.context = all, .look = look, .answer = answer};
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  return all;
}

void checkpoints_close(struct checkpoints *all) {
  all->feed->helper = (struct feed_helper){0};
  close_all(&all->under_way);
  while (all->first) checkpoint_drop(all, all->first->id);
  reap_all();
  free(all);
}
