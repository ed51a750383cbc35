/* by_value.c: accesses to memory that is recorded by the values read from it. See open_blocks.h.
 *
 * The lock makes instruction and comparison one step for all threads that use open memory. So the compared bytes are those that the instruction
 * reads: nothing is read a second time. While recording, the instruction works on memory as usual. In replay it works on memory,
 * too, but on the values that the thread has seen, put there under the lock; the memory's content is not valid until it is closed.
 *
 * All bytes that an instruction touches are compared, also those that it only writes: an exclusive store succeeds or fails depending on
 * the old value. */
#include "engine/order/open_blocks.h"

#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_book.h"
#include "engine/order/thread_order.h"
#include "engine/region/endings.h"
#include "engine/region/journal.h"
#include "engine/region/reader.h"
#include "input/input.h"

/* The parts of open memory that the instruction being stepped over accesses. Owned by the lock's holder. */
static struct {
  struct thread *_Atomic holder;
  unsigned count;
  struct values_part parts[VALUES_PARTS];
} step;

/* -- Parts ---------------------------------------------------------------------------------------------------------------- */

/* Shared memory may have the number of an open block: it is handled elsewhere (shared.h). */
static bool is_open(struct thread *thread, uintptr_t address) {
  uint32_t block = (uint32_t)address / VALUES_LINE;
  struct mapping mapping;
  if (!(recording() ? open_is_open(block) : open_is_viewed(thread, block))) return false;
  return !mappings_find(address, &mapping) || !mapping.shared;
}

/* The parts of the accesses that are open: how many; more than there is room for is too many. */
static unsigned split(struct thread *thread, const struct access *accesses, unsigned count,
                      struct values_part *to) {
  unsigned parts = 0;
  for (unsigned i = 0; i < count; i++) {
    uintptr_t at = accesses[i].address, end = at + accesses[i].bytes;
    while (at < end) {
      uintptr_t line = ALIGN_DOWN(at, VALUES_LINE), stop = MIN(end, line + VALUES_LINE);
      if (is_open(thread, at)) {
        if (parts == VALUES_PARTS)
          sphere_fail(OUTCOME_UNSUPPORTED,
                      "an instruction that touches so much memory is not supported yet with --values");
        to[parts++] =
            (struct values_part){.line = line, .from = (uint8_t)(at - line), .count = (uint8_t)(stop - at)};
      }
      at = stop;
    }
  }
  return parts;
}

/* False: there is no such memory, and the instruction is going to fault. */
static bool load(const struct values_part *part, uint8_t now[VALUES_LINE]) {
  return !safe_copy(now + part->from, (const void *)(part->line + part->from), part->count);
}

/* -- Recording ------------------------------------------------------------------------------------------------------------ */

static void log_view(struct thread *thread, uint32_t block) {
  if (open_is_viewed(thread, block)) return;
  open_view(thread, block);
  struct input_event event = {.kind = EVENT_OPEN, .open = {.what = OPEN_VIEW, .address = block}};
  record_event(thread, &event);
}

static void record_parts(struct thread *thread) {
  uint8_t runs[VALUES_PART_LARGEST], now[VALUES_LINE];
  /* Replay stops for views, and has to know all of them before it steps over the instruction. */
  for (unsigned i = 0; i < step.count; i++) log_view(thread, (uint32_t)step.parts[i].line / VALUES_LINE);
  for (unsigned i = 0; i < step.count; i++) {
    const struct values_part *part = &step.parts[i];
    if (!load(part, now)) continue;
    if (!open_note_line(part->line))
      sphere_fail(OUTCOME_UNSUPPORTED, "so much memory in common is not supported yet with --values");
    size_t count = values_encode(i, part, now, values_see(&open_of(thread)->seen, part->line), runs);
    if (!count) continue;
    struct input_event event = {.kind = EVENT_OPEN,
                                .open = {.what = OPEN_VALUES, .count = (uint32_t)count, .bytes = runs}};
    record_event(thread, &event);
  }
}

/* -- Replay --------------------------------------------------------------------------------------------------------------- */

static const struct input_event *next_of(struct thread *thread, uint32_t what) {
  const struct input_event *event = replay_peek(thread);
  bool found = event && event->kind == EVENT_OPEN && event->open.what == what &&
               event->position == arch_position(thread);
  return found ? event : NULL;
}

/* Runs come part by part. */
static void apply_runs(struct thread *thread, unsigned part, uint8_t *seen) {
  const struct input_event *event;
  struct values_run run;
  while ((event = next_of(thread, OPEN_VALUES))) {
    const uint8_t *bytes = event->open.bytes;
    size_t length = event->open.count;
    int used = values_decode(step.parts, step.count, bytes, length, &run);
    if (used > 0 && run.part != part) return; /* the next one's */
    for (; used > 0; used = values_decode(step.parts, step.count, bytes, length, &run)) {
      if (run.part != part) replay_senseless(thread, "values of two pieces of memory are mixed");
      memcpy(seen + run.offset, run.bytes, run.count);
      bytes += used;
      length -= (size_t)used;
    }
    if (used < 0) replay_senseless(thread, "these are no values");
    replay_consume(thread);
  }
}

static void replay_parts(struct thread *thread) {
  uint8_t now[VALUES_LINE];
  for (unsigned i = 0; i < step.count; i++) {
    const struct values_part *part = &step.parts[i];
    if (!load(part, now)) continue;
    uint8_t *seen = values_see(&open_of(thread)->seen, part->line);
    apply_runs(thread, i, seen);
    safe_copy((void *)(part->line + part->from), seen + part->from, part->count);
  }
  if (next_of(thread, OPEN_VALUES))
    replay_diverged(thread, "expected values of memory that this instruction does not touch");
}

void by_value_replay_views(struct thread *thread) {
  const struct input_event *event;
  while (values_on() && (event = next_of(thread, OPEN_VIEW))) {
    if (event->open.address >= PERMISSION_BLOCKS)
      replay_senseless(thread, "there is no such block of memory");
    open_view(thread, (uint32_t)event->open.address);
    open_revoke(thread, (uint32_t)event->open.address);
    replay_consume(thread);
  }
}

void by_value_drop(struct thread *thread) {
  const struct input_event *event;
  while (values_on() && (event = replay_peek(thread)) && event->kind == EVENT_OPEN &&
         event->position == arch_position(thread))
    replay_consume(thread);
}

bool by_value_concerns(struct thread *thread, const struct miss *miss) {
  struct access accesses[ARCH_ACCESSES_MAX];
  if (open_reaches_viewed(thread, miss->address, miss->bytes)) return true;
  unsigned count = arch_accesses(thread, miss->pc, accesses);
  for (unsigned i = 0; i < count; i++)
    if (open_reaches_viewed(thread, accesses[i].address, accesses[i].bytes)) return true;
  return false;
}

/* -- The step ------------------------------------------------------------------------------------------------------------- */

void by_value_begin(struct thread *thread, uintptr_t pc) {
  struct access accesses[ARCH_ACCESSES_MAX];
  struct values_part parts[VALUES_PARTS];
  if (!values_on() || (recording() && !open_any())) return;
  unsigned count = split(thread, accesses, arch_accesses(thread, pc, accesses), parts);
  if (!count) return;
  open_lock();
  memcpy(step.parts, parts, count * sizeof *parts);
  step.count = count;
  step.holder = thread;
  if (recording())
    record_parts(thread);
  else
    replay_parts(thread);
}

bool by_value_end(struct thread *thread) {
  uint8_t now[VALUES_LINE];
  if (!values_on() || step.holder != thread) return false;
  for (unsigned i = 0; i < step.count; i++) {
    const struct values_part *part = &step.parts[i];
    if (!load(part, now)) continue;
    memcpy(values_see(&open_of(thread)->seen, part->line) + part->from, now + part->from, part->count);
  }
  step.holder = NULL;
  open_unlock();
  return true;
}

/* -- Closing -------------------------------------------------------------------------------------------------------------- */

struct closing {
  struct thread *thread;
  uint64_t count;
};

static bool is_there(uint64_t line) {
  uint8_t byte;
  return !safe_copy(&byte, (const void *)line, sizeof byte);
}

static void count_line(void *context, uint64_t line) {
  ((struct closing *)context)->count += is_there(line);
}

static void log_line_of(void *context, uint64_t line) {
  uint8_t bytes[VALUES_LINE];
  if (!is_there(line) || safe_copy(bytes, (const void *)line, sizeof bytes)) return;
  struct input_event event = {
      .kind = EVENT_OPEN,
      .open = {.what = OPEN_LINE, .address = line, .count = sizeof bytes, .bytes = bytes}};
  record_event(((struct closing *)context)->thread, &event);
}

static void record_close(struct thread *thread, bool alone) {
  struct closing closing = {.thread = thread};
  open_each_line(count_line, &closing);
  struct input_event event = {.kind = EVENT_OPEN,
                              .open = {.what = OPEN_CLOSES, .alone = alone, .address = closing.count}};
  record_event(thread, &event);
  open_each_line(log_line_of, &closing);
  open_forget_lines();
  open_close_all();
}

/* The next event, if it says so: all is closed. */
static const struct input_event *next_close(struct thread *thread, bool alone) {
  const struct input_event *event = next_of(thread, OPEN_CLOSES);
  return event && event->open.alone == alone ? event : NULL;
}

static void replay_close(struct thread *thread, uint64_t lines) {
  replay_consume(thread);
  for (; lines; lines--) {
    const struct input_event *event = next_of(thread, OPEN_LINE);
    if (!event || event->open.count != VALUES_LINE || event->open.address % VALUES_LINE)
      replay_senseless(thread, "a line of memory is missing");
    /* cppcheck-suppress nullPointerRedundantCheck ; replay_senseless does not return */
    uintptr_t to = event->open.address;
    if (to >= ENGINE_BASE && to < ENGINE_END) replay_senseless(thread, "no program has memory there");
    if (safe_copy((void *)to, event->open.bytes, VALUES_LINE))
      replay_diverged(thread, "memory at 0x%lx can't be written", to);
    replay_consume(thread);
  }
  open_next_epoch();
}

void by_value_close_here(struct thread *thread) {
  const struct input_event *event;
  if (!values_on()) return;
  if (recording()) {
    if (open_any()) record_close(thread, false);
  } else if ((event = next_close(thread, false))) {
    replay_close(thread, event->open.address);
  }
}

static void close_alone(struct thread *thread) {
  order_alone(thread);
  if (open_any()) {
    record_close(thread, true);
  } else { /* others have done so meanwhile; replay does the same steps here */
    struct input_event event = {.kind = EVENT_OPEN, .open = {.what = OPEN_CLOSES, .alone = true}};
    record_event(thread, &event);
  }
  order_tick(thread);
  order_together(thread);
}

static void replay_close_alone(struct thread *thread) {
  const struct input_event *event;
  while ((event = next_close(thread, true))) {
    uint64_t lines = event->open.address;
    order_gate(thread); /* other threads may wait for the thread's work up to here */
    order_alone(thread);
    replay_close(thread, lines);
    order_tick(thread);
    order_gate(thread);
  }
}

/* The length of the range's mapped part, from its beginning on. */
static size_t present(uintptr_t address, size_t bytes) {
  struct mapping mapping;
  uintptr_t at = address, end = address + bytes;
  if (end < address) return 0;
  while (at < end && mappings_find(at, &mapping)) at = mapping.end;
  return MIN(at, end) - address;
}

/* Forbids to open any of the range from now on; true if some of it is open. */
static bool closes(uintptr_t address, size_t bytes) {
  size_t there = present(address, bytes);
  open_forbid(address, there);
  return open_reaches(address, there);
}

void by_value_before_write(struct thread *thread, uintptr_t address, size_t bytes) {
  if (!values_on()) return;
  if (replaying())
    replay_close_alone(thread);
  else if (closes(address, bytes))
    close_alone(thread);
}

/* -- Calls ---------------------------------------------------------------------------------------------------------------- */

/* Only the kernel reads the word of a futex while recording, and nothing does in replay. */
static long find_open(void *visitor, const struct input_piece *piece) {
  bool key = piece->flags & INPUT_IN_PLACE && !(piece->flags & INPUT_WRITES);
  if (!key) *(bool *)visitor |= closes(piece->address, piece->bytes);
  return 0;
}

/* Memory that leads to the pieces must not be open, either. */
static long read_closed(void *context, void *to, uintptr_t from, size_t bytes) {
  *(bool *)context |= closes(from, bytes);
  permissions_take_range(arch_self(), from, bytes, false);
  return safe_copy(to, (const void *)from, bytes);
}

/* Closes memory that the engine uses for calls that it answers itself, or for the ends of threads. */
static bool engine_meets(struct thread *thread, const struct call *call) {
  enum { FRAME = 32 << 10, HEAD = 24 };
  bool meets = false;
  switch (call->nr) {
    case __NR_rt_sigreturn:
      return closes(arch_sp(thread) - PAGE, FRAME);
    case __NR_exit:
    case __NR_exit_group:
    case __NR_execve:
    case __NR_execveat:
      meets |= closes(thread->clear_child_tid, sizeof(uint32_t));
      meets |= closes(thread->robust_list, HEAD);
      return meets;
    default:
      return false;
  }
}

static bool meets_open(struct thread *thread, const struct call *call) {
  struct input_call in;
  bool meets = engine_meets(thread, call);
  input_begin(&in, call->nr, call->args, read_closed, &meets);
  in.pid = thread->process->pid;
  input_reach(&in, find_open, &meets);
  return meets;
}

void by_value_before_call(struct thread *thread, const struct call *call) {
  if (!values_on()) return;
  if (replaying())
    replay_close_alone(thread);
  else /* also where nothing is open yet: it might be before the call has used it */
    while (meets_open(thread, call)) close_alone(thread);
}

/* No thread has used new memory yet. */
static bool changes_open(const struct call *call) {
  long flags = call->nr == __NR_mmap ? call->args[3] & (MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED) : 0;
  if (flags == (MAP_ANONYMOUS | MAP_PRIVATE) && !(call->args[3] & MAP_FIXED_NOREPLACE)) return false;
  if (call->nr == __NR_munmap || call->nr == __NR_mprotect || call->nr == __NR_madvise ||
      flags & MAP_ANONYMOUS)
    return open_reaches((uintptr_t)call->args[0], (size_t)call->args[1]);
  return true;
}

void by_value_close_for(struct thread *thread, const struct call *call) {
  if (!values_on() || (recording() && !changes_open(call))) return;
  by_value_close_here(thread);
}
