/* address_spaces.c: follows the mappings of files through the events of a recording. See address_spaces.h.
 *
 * A mapped file's event comes before its mmap. A file event that no mmap follows is a program's image: the process has
 * begun, or has executed another program, and its earlier mappings are gone. */
#include "inspect/address_spaces.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "input/input.h"

struct range {
  uint64_t start, end;
  struct file_place place; /* of start */
};

struct space {
  uint32_t process;
  uint32_t users; /* threads */
  size_t count, capacity;
  struct range *ranges;
};

struct member {
  uint32_t thread;
  struct space *space;
  bool has_pending; /* a file that may be mapped by the next call */
  bool begins;      /* the last event was an image */
  struct range pending;
};

struct spaces {
  struct member *members; /* of the living threads */
  size_t count, capacity;
};

struct spaces *spaces_new(void) {
  return calloc(1, sizeof(struct spaces));
}

static void drop_space(struct space *space, uint32_t users) {
  space->users -= users;
  if (space->users) return;
  free(space->ranges);
  free(space);
}

void spaces_free(struct spaces *spaces) {
  if (!spaces) return;
  for (size_t i = 0; i < spaces->count; i++) drop_space(spaces->members[i].space, 1);
  free(spaces->members);
  free(spaces);
}

static struct member *find(const struct spaces *spaces, uint32_t thread) {
  for (size_t i = 0; i < spaces->count; i++)
    if (spaces->members[i].thread == thread) return &spaces->members[i];
  return NULL;
}

/* -- Ranges ------------------------------------------------------------------------------------------------------------------- */

static bool add(struct space *space, struct range range) {
  if (space->count == space->capacity) {
    size_t wanted = space->capacity ? 2 * space->capacity : 32;
    struct range *larger = realloc(space->ranges, wanted * sizeof *larger);
    if (!larger) return false;
    space->ranges = larger;
    space->capacity = wanted;
  }
  space->ranges[space->count++] = range;
  return true;
}

/* Nothing of a file lies in [start, end) any more. */
static bool cut(struct space *space, uint64_t start, uint64_t end) {
  for (size_t i = 0; i < space->count;) {
    struct range *r = &space->ranges[i];
    if (r->end <= start || end <= r->start) {
      i++;
      continue;
    }
    struct range left = *r, right = *r;
    left.end = start;
    right.start = end;
    right.place.offset += end - r->start;
    *r = space->ranges[--space->count];
    if (left.start < left.end && !add(space, left)) return false;
    if (right.start < right.end && !add(space, right)) return false;
  }
  return true;
}

static bool map(struct space *space, const struct range *range) {
  return cut(space, range->start, range->end) && add(space, *range);
}

/* -- Threads and processes ---------------------------------------------------------------------------------------------------- */

static struct member *add_member(struct spaces *spaces, uint32_t thread, struct space *space) {
  if (spaces->count == spaces->capacity) {
    size_t wanted = spaces->capacity ? 2 * spaces->capacity : 16;
    struct member *larger = realloc(spaces->members, wanted * sizeof *larger);
    if (!larger) return NULL;
    spaces->members = larger;
    spaces->capacity = wanted;
  }
  spaces->members[spaces->count] = (struct member){.thread = thread, .space = space};
  space->users++;
  return &spaces->members[spaces->count++];
}

static struct space *copy_space(const struct space *from, uint32_t process) {
  struct space *space = calloc(1, sizeof *space);
  if (!space) return NULL;
  space->process = process;
  for (size_t i = 0; from && i < from->count; i++)
    if (!add(space, from->ranges[i])) {
      free(space->ranges);
      free(space);
      return NULL;
    }
  return space;
}

static bool add_process(struct spaces *spaces, uint32_t thread, uint32_t process, const struct space *from) {
  if (find(spaces, thread)) return true; /* the first process tells of itself */
  struct space *space = copy_space(from, process);
  if (!space) return false;
  if (add_member(spaces, thread, space)) return true;
  free(space->ranges);
  free(space);
  return false;
}

static void end_thread(struct spaces *spaces, const struct member *member, bool group) {
  struct space *space = member->space;
  uint32_t thread = member->thread, gone = 0;
  size_t kept = 0;
  for (size_t i = 0; i < spaces->count; i++) {
    struct member m = spaces->members[i];
    bool ends = m.space == space && (group || m.thread == thread);
    gone += ends;
    if (!ends) spaces->members[kept++] = m;
  }
  spaces->count = kept;
  drop_space(space, gone);
}

/* -- Events ------------------------------------------------------------------------------------------------------------------- */

static bool follow_call(struct member *member, const struct input_event *event) {
  const uint64_t *args = event->syscall.args;
  uint64_t result = (uint64_t)event->syscall.result;
  if (event->syscall.result < 0 && event->syscall.result > -4096) return true;
  switch (event->syscall.nr) {
    case SYS_mmap:
      if (member->has_pending) return map(member->space, &member->pending);
      return cut(member->space, result, result + args[1]);
    case SYS_munmap:
      return cut(member->space, args[0], args[0] + args[1]);
    default:
      return true;
  }
}

/* A file that no mmap has followed. */
static bool settle_image(struct member *member) {
  if (!member->has_pending) return true;
  member->pending.place.image = true;
  if (!member->begins) member->space->count = 0;
  member->begins = true;
  member->has_pending = false;
  return map(member->space, &member->pending);
}

bool spaces_follow(struct spaces *spaces, const struct log_entry *entry) {
  const struct input_event *event = &entry->event;
  if (entry->kind != LOG_EVENT) return true;
  struct member *member = find(spaces, entry->thread);
  if (!member && !add_process(spaces, entry->thread, 0, NULL)) return false;
  member = find(spaces, entry->thread);
  bool mapped = event->kind == EVENT_SYSCALL && event->syscall.nr == SYS_mmap;
  bool good = mapped || settle_image(member);
  if (event->kind != EVENT_FILE) member->begins = false;
  switch (event->kind) {
    case EVENT_FILE:
      member->has_pending = true;
      member->pending = (struct range){event->file.address,
                                       event->file.address + event->file.bytes,
                                       {event->file.file, event->file.offset, false}};
      break;
    case EVENT_SYSCALL:
      good = good && follow_call(member, event);
      member->has_pending = false;
      break;
    case EVENT_THREAD:
      good = good && add_member(spaces, event->thread.thread, member->space);
      break;
    case EVENT_PROCESS:
      good = good && add_process(spaces, event->process.thread, event->process.process, member->space);
      break;
    case EVENT_EXIT:
      end_thread(spaces, member, event->exit.group);
      break;
    default:
      break;
  }
  return good;
}

uint32_t spaces_process(const struct spaces *spaces, uint32_t thread) {
  const struct member *member = find(spaces, thread);
  return member ? member->space->process : 0;
}

bool spaces_find(const struct spaces *spaces, uint32_t thread, uint64_t address, struct file_place *out) {
  const struct member *member = find(spaces, thread);
  for (size_t i = 0; member && i < member->space->count; i++) {
    const struct range *r = &member->space->ranges[i];
    if (address < r->start || address >= r->end) continue;
    *out = r->place;
    out->offset += address - r->start;
    return true;
  }
  return false;
}
