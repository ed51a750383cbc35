/* calls_poll.c: waiting for any of several files: poll, select, epoll; and eventfd.
 *
 * A waiting task is woken whenever any pipe, socket or counter has changed, and looks again: files do not know the tasks that watch them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "sim/kernel/calls.h"
#include "sim/machine/clock.h"
#include "sim/kernel/files.h"

call_function call_ppoll, call_pselect6, call_epoll_create1, call_epoll_ctl, call_epoll_pwait, call_eventfd2;

/* -- Time and masks ------------------------------------------------------------------------------------------------------------------------ */

/* The cycle until which to wait; UINT64_MAX without a time. */
static int64_t read_timeout(struct task *task, uint64_t from, uint64_t *until) {
  int64_t time[2];
  *until = UINT64_MAX;
  if (!from) return 0;
  if (copy_out(task, time, from, sizeof time)) return -EFAULT;
  if (time[0] < 0 || time[1] < 0 || time[1] > 999999999) return -EINVAL;
  *until = kernel_now(kernel_of(task)) + clock_cycles((uint64_t)time[0] * 1000000000 + (uint64_t)time[1]);
  return 0;
}

/* The mask that holds while the call waits, if it has one. */
static int64_t begin_mask(struct task *task, uint64_t from) {
  uint64_t mask;
  if (!from) return 0;
  if (copy_out(task, &mask, from, sizeof mask)) return -EFAULT;
  signal_mask_for_call(task, mask);
  return 0;
}

/* False: look again. Else *result says how the wait ended. */
static bool waited(struct task *task, uint64_t until, int64_t *result) {
  if (until != UINT64_MAX && until <= kernel_now(kernel_of(task))) {
    *result = 0;
    return true;
  }
  int why = wait_on(task, &kernel_of(task)->pollers, until, true);
  *result = why == -EINTR ? -EINTR : 0;
  return why == -EINTR || why == -ETIMEDOUT;
}

/* -- poll and select ----------------------------------------------------------------------------------------------------------------------- */

static int64_t look(struct task *task, struct pollfd *files, uint64_t count) {
  int64_t ready = 0;
  for (uint64_t i = 0; i < count; i++) {
    files[i].revents = 0;
    if (files[i].fd < 0) continue;
    const struct open_file *file = files[i].fd < MAX_FILES ? task->process->files[files[i].fd] : NULL;
    unsigned wanted = (uint16_t)files[i].events | POLLERR | POLLHUP;
    files[i].revents = (short)(file ? file_ready(file) & wanted : POLLNVAL);
    ready += files[i].revents != 0;
  }
  return ready;
}

static int64_t wait_for_files(struct task *task, struct pollfd *files, uint64_t count, uint64_t until) {
  int64_t result = 0, ready;
  while (!(ready = look(task, files, count)) && !waited(task, until, &result)) continue;
  return ready ? ready : result;
}

int64_t call_ppoll(struct task *task, const uint64_t argument[6]) {
  struct pollfd files[MAX_FILES];
  uint64_t until;
  if (argument[1] > MAX_FILES) return -EINVAL;
  int64_t result = read_timeout(task, argument[2], &until);
  if (result) return result;
  if (copy_out(task, files, argument[0], argument[1] * sizeof *files)) return -EFAULT;
  result = begin_mask(task, argument[3]);
  if (result) return result;
  result = wait_for_files(task, files, argument[1], until);
  signal_mask_after_call(task, result);
  if (result < 0) return result;
  return copy_in(task, argument[0], files, argument[1] * sizeof *files) ? -EFAULT : result;
}

enum { SET_BYTES = MAX_FILES / 8 };
/* The events that each of select's three sets asks for, and those that count for it. */
static const short set_events[3] = {POLLIN, POLLOUT, POLLPRI};
static const short set_answers[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};

static bool in_set(const uint8_t *set, uint64_t file) {
  return set[file / 8] >> file % 8 & 1;
}

int64_t call_pselect6(struct task *task, const uint64_t argument[6]) {
  uint8_t sets[3][SET_BYTES] = {{0}};
  struct pollfd files[MAX_FILES];
  uint64_t until, mask[2] = {0}, count = argument[0] < MAX_FILES ? argument[0] : MAX_FILES;
  uint64_t bytes = (count + 63) / 64 * 8;
  int64_t result = read_timeout(task, argument[4], &until), told = 0;
  if (result) return result;
  if (argument[5] && copy_out(task, mask, argument[5], sizeof mask)) return -EFAULT;
  for (int s = 0; s < 3; s++)
    if (argument[1 + s] && copy_out(task, sets[s], argument[1 + s], bytes)) return -EFAULT;
  for (uint64_t i = 0; i < count; i++) {
    files[i] = (struct pollfd){.fd = -1};
    for (int s = 0; s < 3; s++)
      if (in_set(sets[s], i)) files[i] = (struct pollfd){(int)i, (short)(files[i].events | set_events[s]), 0};
    if (files[i].fd >= 0 && !task->process->files[i]) return -EBADF;
  }
  result = begin_mask(task, mask[0]);
  if (result) return result;
  result = wait_for_files(task, files, count, until);
  signal_mask_after_call(task, result);
  if (result < 0) return result;
  for (int s = 0; s < 3; s++) {
    for (uint64_t i = 0; i < count; i++) {
      bool ready = in_set(sets[s], i) && files[i].revents & set_answers[s];
      if (!ready) sets[s][i / 8] &= (uint8_t) ~(1u << i % 8);
      told += ready;
    }
    if (argument[1 + s] && copy_in(task, argument[1 + s], sets[s], bytes)) return -EFAULT;
  }
  return told;
}

/* -- epoll --------------------------------------------------------------------------------------------------------------------------------- */

struct watched {
  int descriptor;
  uint64_t number; /* of the file that is watched: the descriptor may be another's by now */
  struct process *process;
  uint32_t events;
  uint64_t data;
  uint64_t told; /* file_changes() when it was last reported, plus 1: for edges */
};

struct epoll {
  struct watched *items;
  uint32_t count;
  uint32_t depth; /* so many sets watch each other down to this one, or have done so */
};

struct target_event { /* of riscv64, which does not pack it */
  uint32_t events, pad;
  uint64_t data;
};

void epoll_free(struct epoll *epoll) {
  free(epoll->items);
  free(epoll);
}

/* NULL: it has been closed. */
static struct open_file *watched_file(const struct watched *item) {
  struct open_file *file = item->process->files[item->descriptor];
  return file && file->number == item->number ? file : NULL;
}

static unsigned watched_ready(const struct watched *item) {
  const struct open_file *file = watched_file(item);
  if (!file) return 0;
  unsigned ready = file_ready(file) & (item->events | EPOLLERR | EPOLLHUP);
  if (item->events & EPOLLET && item->told == file_changes(file) + 1) return 0;
  return ready & 0xffff;
}

unsigned epoll_ready(const struct epoll *epoll) {
  for (uint32_t i = 0; i < epoll->count; i++)
    if (watched_ready(&epoll->items[i])) return POLLIN;
  return 0;
}

int64_t call_epoll_create1(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_new(-1);
  if (!file || !(file->epoll = calloc(1, sizeof *file->epoll))) {
    free(file);
    return -ENOMEM;
  }
  file->kernel = kernel_of(task);
  return file_install(task->process, file, 0, argument[0] & O_CLOEXEC);
}

static struct watched *find_watched(struct epoll *epoll, const struct process *process, uint64_t descriptor) {
  for (uint32_t i = 0; i < epoll->count; i++)
    if ((uint64_t)epoll->items[i].descriptor == descriptor && epoll->items[i].process == process &&
        watched_file(&epoll->items[i]))
      return &epoll->items[i];
  return NULL;
}

static void drop_closed(struct epoll *epoll) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < epoll->count; i++)
    if (watched_file(&epoll->items[i])) epoll->items[kept++] = epoll->items[i];
  epoll->count = kept;
}

static int64_t add_watched(struct epoll *epoll, const struct watched *item) {
  drop_closed(epoll);
  struct watched *items = realloc(epoll->items, (epoll->count + 1) * sizeof *items);
  if (!items) return -ENOMEM;
  epoll->items = items;
  items[epoll->count++] = *item;
  return 0;
}

/* The most sets that may watch each other in a row: whether one is ready is asked set by set. */
enum { MOST_DEEP = 5 };

/* How many sets there are in a row from this file down; MOST_DEEP + 1 or more also if `above` is among them. */
static uint32_t depth_below(const struct open_file *file, const struct open_file *above) {
  uint32_t most = 0;
  if (file == above) return MOST_DEEP + 1;
  for (uint32_t i = 0; file->epoll && i < file->epoll->count; i++) {
    const struct open_file *item = watched_file(&file->epoll->items[i]);
    uint32_t depth = item ? depth_below(item, above) : 0;
    if (depth > most) most = depth;
  }
  return most + (file->epoll != NULL);
}

static void deepen(const struct open_file *file, uint32_t depth) {
  if (!file->epoll || file->epoll->depth >= depth) return;
  file->epoll->depth = depth;
  for (uint32_t i = 0; i < file->epoll->count; i++) {
    const struct open_file *item = watched_file(&file->epoll->items[i]);
    if (item) deepen(item, depth + 1);
  }
}

static int64_t add_to(const struct open_file *set, const struct open_file *file, const struct watched *item) {
  if (file->epoll && set->epoll->depth + 1 + depth_below(file, set) > MOST_DEEP) return -ELOOP;
  deepen(file, set->epoll->depth + 1);
  return add_watched(set->epoll, item);
}

int64_t call_epoll_ctl(struct task *task, const uint64_t argument[6]) {
  struct open_file *set = file_get(task, argument[0]), *file = file_get(task, argument[2]);
  struct target_event event = {0};
  if (!set || !file) return -EBADF;
  if (!set->epoll || set == file) return -EINVAL;
  if (!file_is_own(file) && file->on_disk) return -EPERM;
  if (argument[1] != EPOLL_CTL_DEL && copy_out(task, &event, argument[3], sizeof event)) return -EFAULT;
  struct watched *known = find_watched(set->epoll, task->process, argument[2]);
  struct watched item = {(int)argument[2], file->number, task->process, event.events, event.data, 0};
  int64_t result = argument[1] == EPOLL_CTL_ADD ? (known ? -EEXIST : add_to(set, file, &item))
                   : !known                     ? -ENOENT
                                                : 0;
  if (result) return result;
  if (argument[1] == EPOLL_CTL_MOD) *known = item;
  if (argument[1] == EPOLL_CTL_DEL) {
    uint32_t at = (uint32_t)(known - set->epoll->items);
    memmove(known, known + 1, (--set->epoll->count - at) * sizeof *known);
  }
  wake_queue(&kernel_of(task)->pollers, UINT32_MAX, 0);
  return 0;
}

static int64_t gather(struct epoll *epoll, struct target_event *events, uint64_t most) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < epoll->count && count < most; i++) {
    struct watched *item = &epoll->items[i];
    unsigned ready = watched_ready(item);
    if (!ready) continue;
    events[count++] = (struct target_event){ready, 0, item->data};
    item->told = file_changes(watched_file(item)) + 1;
    if (item->events & EPOLLONESHOT) item->events = 0;
  }
  return (int64_t)count;
}

int64_t call_epoll_pwait(struct task *task, const uint64_t argument[6]) {
  struct open_file *set = file_get(task, argument[0]);
  struct target_event events[MAX_FILES];
  int32_t milliseconds = (int32_t)argument[3];
  if (!set) return -EBADF;
  if (!set->epoll || (int32_t)argument[2] <= 0) return -EINVAL;
  uint64_t most = argument[2] < MAX_FILES ? argument[2] : MAX_FILES, until = UINT64_MAX;
  if (milliseconds >= 0) until = kernel_now(kernel_of(task)) + clock_cycles((uint64_t)milliseconds * 1000000);
  int64_t result = begin_mask(task, argument[4]), count;
  if (result) return result;
  while (!(count = gather(set->epoll, events, most)) && !waited(task, until, &result)) continue;
  signal_mask_after_call(task, count ? count : result);
  if (!count) return result;
  return copy_in(task, argument[1], events, (uint64_t)count * sizeof *events) ? -EFAULT : count;
}

/* -- eventfd ------------------------------------------------------------------------------------------------------------------------------- */

int64_t call_eventfd2(struct task *task, const uint64_t argument[6]) {
  struct open_file *file =
      file_make_counter(kernel_of(task), (uint32_t)argument[0], argument[1] & EFD_SEMAPHORE);
  if (!file) return -ENOMEM;
  file->nonblocking = argument[1] & EFD_NONBLOCK;
  return file_install(task->process, file, 0, argument[1] & EFD_CLOEXEC);
}
