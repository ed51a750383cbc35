/* bounce.c: lets the kernel work on copies of what a call reads and writes.
 *
 * While a thread waits in the kernel without the baton, others run. What the call reads was copied out before; what it
 * writes is copied in when the thread has the baton again. So the kernel never touches memory out of turn. */
#include <linux/mman.h>

#include "engine/code.h"
#include "engine/lib.h"
#include "engine/sphere.h"

enum { PIECES_MAX = 8192, COPY_ALIGN = 64 };

struct copy {
  uintptr_t address; /* the application's */
  size_t bytes;
  uintptr_t at; /* its copy */
};

/* At the beginning of the thread's area; the copies follow it. */
struct bounce {
  struct call *call;
  uintptr_t next, end;
  bool too_large;
  unsigned count;
  struct copy copies[PIECES_MAX];
};

static struct bounce *area_of(struct thread *thread) { return (struct bounce *)((uintptr_t)thread + SLOT_BOUNCE); }

static void map_area(struct thread *thread) {
  if (thread->bounce_mapped) return;
  long at = os_call6(__NR_mmap, area_of(thread), SLOT_BOUNCE_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) sphere_fail(OUTCOME_FAILED, "no memory for copies of what the kernel writes");
  thread->bounce_mapped = true;
}

/* The copy that holds an application address; NULL if none does. */
static const struct copy *find_copy(const struct bounce *bounce, uintptr_t address) {
  for (unsigned i = 0; i < bounce->count; i++)
    if (address - bounce->copies[i].address < bounce->copies[i].bytes) return &bounce->copies[i];
  return NULL;
}

static long copy_piece(void *visitor, const struct input_piece *piece) {
  struct bounce *bounce = visitor;
  if (piece->flags & INPUT_IN_PLACE || !piece->bytes) return 0;
  if (bounce->count == PIECES_MAX || piece->bytes > bounce->end - bounce->next) {
    bounce->too_large = true;
    return 1;
  }
  uintptr_t at = bounce->next;
  bool reads = piece->flags & (INPUT_READS | INPUT_PARTIAL);
  /* What can't be read stays where it is: the kernel finds the same. */
  if (reads && safe_copy((void *)at, (const void *)piece->address, piece->bytes)) return 0;
  bounce->copies[bounce->count++] = (struct copy){piece->address, piece->bytes, at};
  bounce->next = ALIGN_UP(at + piece->bytes, COPY_ALIGN);
  if (!piece->slot) {
    bounce->call->args[piece->argument] = (long)at;
    return 0;
  }
  const struct copy *parent = find_copy(bounce, piece->slot);
  if (parent) memcpy((void *)(parent->at + (piece->slot - parent->address)), &at, sizeof at);
  return 0;
}

bool bounce_begin(struct thread *thread, struct input_call *call, struct call *bounced) {
  map_area(thread);
  struct bounce *bounce = area_of(thread);
  bounce->call = bounced;
  bounce->next = (uintptr_t)bounce + ALIGN_UP(sizeof *bounce, PAGE);
  bounce->end = (uintptr_t)bounce + SLOT_BOUNCE_SIZE;
  bounce->too_large = false;
  bounce->count = 0;
  input_reach(call, copy_piece, bounce);
  if (bounce->too_large) return false;
  memcpy(call->args, bounced->args, sizeof call->args);
  return true;
}

struct return_trip {
  struct thread *thread;
  bool log; /* or copy */
  bool failed;
};

/* What the kernel has written lies in a copy, or in place. */
static long bring_back(void *visitor, const struct input_piece *piece) {
  struct return_trip *trip = visitor;
  const struct bounce *bounce = area_of(trip->thread);
  uintptr_t to = piece->address;
  for (unsigned i = 0; i < bounce->count; i++) {
    const struct copy *copy = &bounce->copies[i];
    if (piece->address - copy->at < copy->bytes) to = copy->address + (piece->address - copy->at);
  }
  if (trip->log) record_copy_in(trip->thread, to, (const void *)piece->address, piece->bytes);
  else if (to != piece->address && copy_to_app(to, (const void *)piece->address, piece->bytes)) trip->failed = true;
  return 0;
}

bool bounce_end(struct thread *thread, struct input_call *call, long result) {
  struct return_trip trip = {.thread = thread};
  input_incoming(call, result, bring_back, &trip);
  return !trip.failed;
}

void bounce_log(struct thread *thread, struct input_call *call, long result) {
  struct return_trip trip = {.thread = thread, .log = true};
  input_incoming(call, result, bring_back, &trip);
}
