/* watchdog.c: reports and ends a sphere in which no thread can move. See watchdog.h; watch.c decides. */
#include "sphere/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recording/plain.h"
#include "sphere/manager.h"
#include "inspect/symbols.h"

enum { TEXT = 256 };

/* -- What /proc knows ---------------------------------------------------------------------------------------------------- */

static char state_of(int32_t pid, int32_t tid) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return syscall(SYS_tgkill, pid, tid, 0) && errno == ESRCH ? 'X' : 'R';
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  const char *end = strrchr(text, ')');
  return (char)(end && end[1] ? end[2] : 'X');
}

/* The name of a place in a program that runs, or "". */
static void name_place(int32_t pid, uint64_t pc, char name[TEXT]) {
  char path[64], line[4096 + 128];
  *name = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  while (maps && fgets(line, sizeof line, maps)) {
    uint64_t from, to, offset;
    int at = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &from, &to, &offset, &at) < 3)
      continue;
    if (pc < from || pc >= to) continue;
    line[strcspn(line, "\n")] = 0;
    int fd = at && line[at] == '/' ? open(line + at, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct symbols *symbols = fd >= 0 ? symbols_open(fd, line + at) : NULL;
    if (symbols) symbols_text(symbols, offset + pc - from, false, name, TEXT);
    symbols_close(symbols);
    if (fd >= 0) close(fd);
    break;
  }
  if (maps) fclose(maps);
  plain_text(name);
}

/* -- What a thread waits for ------------------------------------------------------------------------------------------------ */

static const char *const names[] = {
    [AWAITS_OTHERS] = "another thread of its process",
    [AWAITS_BATON] = "the baton",
    [AWAITS_LOCK] = "the lock of the region",
    [AWAITS_REQUEST] = "the lock of requests to the manager",
    [AWAITS_OUTPUT] = "standard output",
    [AWAITS_SHARED] = "memory that processes share",
    [AWAITS_WRITER] = "the end of writing to its memory",
    [AWAITS_TRACER] = "its tracer",
    [AWAITS_MEMORY] = "memory that other threads have",
    [AWAITS_SLOT] = "a slot to be free",
    [AWAITS_RETIREMENTS] = "the end of the other threads of its process",
    [AWAITS_PLACE] = "its place in the order",
};

static void describe_wait(const struct region *region, const struct rthread *slot, char text[TEXT]) {
  struct awaited awaited = watch_awaited(region, slot);
  int n = snprintf(text, TEXT, "waits for %s", names[awaited.what]);
  if (awaited.slot && awaited.slot <= region_slots(region))
    snprintf(text + n, TEXT - (size_t)n, " (thread %u)", region->slots[awaited.slot - 1].number);
  else if (awaited.task)
    snprintf(text + n, TEXT - (size_t)n, " (task %u)", awaited.task & ~(LOCK_SLEEPERS | LOCK_YIELDS));
}

/* The position of a thread that does not wait is known only as far as it has logged something. */
static void tell_thread(const struct region *region, const struct rthread *slot, enum watch_part part) {
  char name[TEXT], wait[TEXT];
  uint64_t pc = atomic_load(&slot->watch.pc);
  uint64_t logged = atomic_load(&slot->ring.position);
  fprintf(stderr, "reprise: thread %u at position %" PRIu64 ", ", slot->number,
          part == PART_WAITS ? atomic_load(&slot->watch.position) : logged);
  if (part != PART_WAITS) {
    fputs(part == PART_IDLE ? "is in a system call of the program\n"
          : slot->vforks    ? "is in the kernel until its child is gone\n"
                            : "is dead\n",
          stderr);
    return;
  }
  name_place(slot->pid, pc, name);
  describe_wait(region, slot, wait);
  fprintf(stderr, "pc 0x%" PRIx64 "%s%s: %s\n", pc, *name ? " " : "", name, wait);
}

/* -- The end ------------------------------------------------------------------------------------------------------------------ */

/* Where an engine has just found something by itself, that counts. */
static void end_sphere(struct manager *manager, const struct watch *watch, uint32_t first) {
  struct region *region = manager->region;
  struct early_end *ending = &region->ending;
  uint32_t nobody = 0, none = OUTCOME_NONE;
  if (!atomic_compare_exchange_strong(&ending->claimed, &nobody, (uint32_t)getpid())) return;
  fputs("reprise: no thread can move any more:\n", stderr);
  for (uint32_t i = 0; i < region_slots(region); i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE)
      tell_thread(region, &region->slots[i], watch->part[i]);
  ending->thread = region->slots[first].number;
  ending->position = atomic_load(&region->slots[first].watch.position);
  ending->pc = atomic_load(&region->slots[first].watch.pc);
  snprintf(ending->text, sizeof ending->text, "all threads wait for each other");
  atomic_compare_exchange_strong(&region->outcome, &none,
                                 manager->is_replay ? OUTCOME_DIVERGED : OUTCOME_FAILED);
}

static bool is_due(void) {
  static int64_t last;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t time = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (time - last < WATCH_MS) return false;
  last = time;
  return true;
}

void watchdog_look(struct manager *manager) {
  static struct watch watch;
  watch.is_replay = manager->is_replay;
  const struct region *region = manager->region;
  if (atomic_load(&region->outcome) || atomic_load(&region->finished) || !is_due()) return;
  if (manager->awaits_log) return;
  if (!watch_look(&watch, region, state_of)) return;
  for (uint32_t i = 0; i < region_slots(region); i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && watch.part[i] == PART_WAITS) {
      end_sphere(manager, &watch, i);
      return;
    }
}
