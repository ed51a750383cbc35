/* image_load.c: makes the vessels of a stored checkpoint. See image.h and contract/image_plan.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "contract/region_checkpoint.h"
#include "recording/error.h"
#include "recording/scratch.h"
#include "sphere/feed.h"
#include "sphere/manager.h"
#include "sphere/mapped.h"
#include "travel/image_load.h"

/* A process of an image that is being made. */
struct making {
  const struct image *image;
  const struct image_process *process;
  struct manager *manager;
  struct feed *feed;
  const char *path;
  struct recording_error *error;
};

static int fail(const struct making *m) {
  return recording_fail_errno(m->error, m->path, "restoring an image");
}

/* -- The plan --------------------------------------------------------------------------------------------------------------------- */

static bool put(int fd, uint64_t *at, const void *bytes, size_t count) {
  const char *from = bytes;
  while (count) {
    ssize_t n = pwrite(fd, from, count, (off_t)*at);
    if (n <= 0) return false;
    *at += (uint64_t)n;
    from += n;
    count -= (size_t)n;
  }
  return true;
}

static int make_plan(const struct making *m, int *fd) {
  const struct engine_config *settings = m->manager->settings;
  const struct image_process *process = m->process;
  struct image_plan plan = {.magic = IMAGE_PLAN_MAGIC,
                            .files = m->image->head.files,
                            .mappings = process->mapping_count,
                            .pieces = process->piece_count,
                            .quiet = settings->quiet,
                            .confined = settings->confined,
                            .debugged = settings->debugged,
                            .whole = settings->whole,
                            .log_channels = settings->log_channels,
                            .serial = settings->serial};
  uint64_t at = 0;
  *fd = scratch_file("reprise-plan", 0);
  if (*fd < 0) return fail(m);
  bool whole = put(*fd, &at, &plan, sizeof plan) &&
               put(*fd, &at, process->mappings, process->mapping_count * sizeof *process->mappings) &&
               put(*fd, &at, process->pieces, process->piece_count * sizeof *process->pieces);
  if (whole) return RECORDING_OK;
  close(*fd);
  return fail(m);
}

/* -- Messages --------------------------------------------------------------------------------------------------------------------- */

static bool send_files(int channel, uint32_t first, const int *files, uint32_t count) {
  struct image_message message = {first, count};
  union {
    char bytes[CMSG_SPACE(IMAGE_BATCH * sizeof(int))];
    struct cmsghdr header;
  } control = {0};
  size_t bytes = count * sizeof *files;
  control.header = (struct cmsghdr){CMSG_LEN(bytes), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.header), files, bytes);
  struct iovec part = {&message, sizeof message};
  struct msghdr header = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(bytes)};
  return sendmsg(channel, &header, MSG_NOSIGNAL) == sizeof message;
}

/* A descriptor of the file, of the caller's own. */
static int open_file(const struct making *m, const struct image_file *file, int *out) {
  int fd = file->fd;
  if (file->kind == FILE_OF_RECORDING)
    fd = mapped_open(&m->feed->mapped, m->feed->reader, file->number, false, m->error);
  if (fd < 0) return m->error ? (int)m->error->kind : RECORDING_DAMAGED;
  *out = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return *out < 0 ? fail(m) : RECORDING_OK;
}

/* In batches, since a message can't have more. */
static int send_all_files(const struct making *m, int channel) {
  int files[IMAGE_BATCH] = {0};
  int status = RECORDING_OK;
  for (uint32_t first = 0; first < m->image->head.files && !status;) {
    uint32_t count = 0;
    while (!status && count < IMAGE_BATCH && first + count < m->image->head.files) {
      status = open_file(m, &m->image->files[first + count], &files[count]);
      if (!status) count++;
    }
    if (!status && !send_files(channel, first, files, count)) status = fail(m);
    for (uint32_t i = 0; i < count; i++) close(files[i]);
    first += count;
  }
  return status;
}

bool vessel_waits(int channel) {
  enum { PAUSE = 200000, PATIENCE = 150000 /* pauses: half a minute */ };
  struct timespec pause = {0, PAUSE};
  char ping = 0;
  if (send(channel, &ping, 1, MSG_NOSIGNAL) != 1) return false;
  for (int i = 0; i < PATIENCE; i++) {
    struct pollfd on = {.fd = channel};
    int unread = 0;
    bool taken = !ioctl(channel, SIOCOUTQ, &unread) && !unread;
    if (poll(&on, 1, 0) > 0 && on.revents & (POLLHUP | POLLERR)) return false;
    if (taken) return true;
    nanosleep(&pause, NULL);
  }
  return false;
}

static int fill(const struct making *m, int channel) {
  int plan;
  int status = make_plan(m, &plan);
  if (status) return status;
  bool sent = send_files(channel, 0, (int[]){plan, m->process->pages}, 2);
  close(plan);
  if (!sent) return fail(m);
  status = send_all_files(m, channel);
  if (!status && !vessel_waits(channel))
    status =
        recording_fail(m->error, RECORDING_DAMAGED, m->path, "a process of an image could not be made again");
  return status;
}

int image_make_vessel(const struct image *image, uint32_t index, struct manager *manager, struct feed *feed,
                      int *channel, pid_t *pid, struct recording_error *error) {
  struct making m = {.image = image,
                     .process = &image->processes[index],
                     .manager = manager,
                     .feed = feed,
                     .path = recording_reader_path(feed->reader),
                     .error = error};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return fail(&m);
  *pid = manager_launch(manager, ends[1]);
  close(ends[1]);
  *channel = ends[0];
  int status = *pid < 0 ? fail(&m) : fill(&m, *channel);
  if (!status) return RECORDING_OK;
  close(*channel); /* which ends the process */
  if (*pid > 0) kill(*pid, SIGKILL);
  if (*pid > 0) waitpid(*pid, NULL, __WALL);
  return status;
}

/* -- Shared memory ------------------------------------------------------------------------------------------------------------------ */

int image_take_shared(struct image *image, const char *path, uint32_t number, struct mapped_copies **out,
                      struct recording_error *error) {
  uint32_t count = 0;
  struct stat info;
  while (count < image->head.files && image->files[count].kind == FILE_CHANGES) count++;
  for (uint32_t i = count; i < image->head.files; i++)
    if (image->files[i].kind == FILE_CHANGES)
      return recording_fail(error, RECORDING_DAMAGED, path, "streams/image-%u is damaged: it has bad files",
                            number);
  if (count > VESSEL_OBJECTS)
    return recording_fail(error, RECORDING_DAMAGED, path, "streams/image-%u is damaged: it has bad files",
                          number);
  struct mapped_copies *copies = calloc(1, sizeof *copies + count * sizeof *copies->copy);
  if (!copies) return recording_fail_errno(error, path, "restoring an image");
  *out = copies;
  for (; copies->count < count; copies->count++) {
    const struct image_file *file = &image->files[copies->count];
    int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || fstat(fd, &info)) {
      mapped_forget(copies);
      return recording_fail_errno(error, path, "restoring an image");
    }
    copies->copy[copies->count].number = file->number;
    copies->copy[copies->count].inode = info.st_ino;
    copies->copy[copies->count].fd = fd;
  }
  return RECORDING_OK;
}
