/* by_value.c: accesses to memory that is recorded by the values read from it. See open_blocks.h.
 *
 * An access goes piece by piece, one piece for each line that it touches. While recording, a load takes its bytes from memory once, and what differs from
 * the bytes that the thread has seen is logged; the instruction then loads these. A store stores to memory and to the seen bytes. An update, that is, an instruction
 * that reads and writes in one, is made in memory, tells what it found there, and is made again on the seen bytes. In replay all of them work on the seen
 * bytes alone. Emitted code does all that itself as long as the line was seen, and as nothing has to be logged.
 *
 * Of an access that reaches beyond a line, into a closed block perhaps, the pieces are put together in a copy. */
#include "engine/order/open_blocks.h"

#include <linux/mman.h>

#include "engine/base/arch_host.h"
#include "engine/base/lib.h"
#include "engine/base/mapping_book.h"
#include "engine/code/cache.h"
#include "engine/order/hand_over.h"
#include "engine/order/shared.h"
#include "engine/order/thread_order.h"
#include "engine/region/endings.h"
#include "engine/region/journal.h"
#include "engine/region/reader.h"
#include "input/input.h"

/* -- Accesses, in the cache ----------------------------------------------------------------------------------------------------- */

enum { PIECES = 2 }; /* of an access, which is no longer than a line */

struct piece {
  uint64_t line;
  struct values_part part;
  bool open;
};

static uint8_t bits_of(const struct thread *thread, uintptr_t address) {
  return map_of(thread)[(uint32_t)address / VALUES_LINE];
}

/* False: the thread may not access it yet, or it has to be closed for that. */
static bool is_usable(const struct thread *thread, const struct piece *piece, bool write) {
  if (!piece->open) return bits_of(thread, piece->line) & (write ? PERMISSION_WRITE : PERMISSION_READ);
  return !recording() || (!shared_is_marked(piece->line) && open_note_line(piece->line));
}

/* The pieces of an access; 0 if it can't be made, or none of them is open. */
static unsigned cut(const struct thread *thread, uintptr_t address, unsigned bytes, bool write,
                    struct piece pieces[PIECES]) {
  unsigned count = 0;
  bool open = false;
  for (uintptr_t at = address, end = address + bytes; at < end;) {
    uintptr_t line = ALIGN_DOWN(at, VALUES_LINE), stop = MIN(end, line + VALUES_LINE);
    struct piece *piece = &pieces[count++];
    *piece = (struct piece){.line = line,
                            .part = {.from = (uint8_t)(at - line), .count = (uint8_t)(stop - at)},
                            .open = bits_of(thread, at) & PERMISSION_OPEN};
    if (!is_usable(thread, piece, write)) return 0;
    open |= piece->open;
    at = stop;
  }
  return open ? count : 0;
}

/* Takes the bytes of the pieces from memory, at their places in the lines: in replay only those of closed ones. */
static bool fetch(uintptr_t address, unsigned bytes, const struct piece *pieces, unsigned count,
                  uint8_t lines[PIECES][VALUES_LINE]) {
  if (recording())
    return !safe_load_whole(&lines[0][0] + address % VALUES_LINE, (const void *)address, bytes);
  for (unsigned i = 0; i < count; i++) {
    struct values_part part = pieces[i].part;
    if (!pieces[i].open &&
        safe_load_whole(&lines[i][part.from], (const void *)(pieces[i].line + part.from), part.count))
      return false;
  }
  return true;
}

/* The line as the thread has seen it, before the access of a piece. */
static uint8_t *see(struct thread *thread, const struct piece *piece, enum told_kind kind) {
  struct values_seen *known = &open_of(thread)->seen;
  bool found = tells() && known->tags[piece->line / VALUES_LINE % VALUES_LINES] != piece->line + 1;
  uint8_t *seen = values_see(known, piece->line);
  if (replaying()) value_log_apply(thread, piece->part, seen);
  if (tells()) telling_part(thread, kind, piece->line, piece->part, seen, open_epoch(), found);
  return seen;
}

static uintptr_t load(struct thread *thread, uintptr_t address, unsigned bytes, const struct piece *pieces,
                      unsigned count) {
  struct open_thread *own = open_of(thread);
  uint8_t lines[PIECES][VALUES_LINE], *seen = NULL;
  if (!fetch(address, bytes, pieces, count, lines)) return 0;
  for (unsigned i = 0; i < count; i++) {
    struct values_part part = pieces[i].part;
    if (!pieces[i].open) continue;
    seen = see(thread, &pieces[i], TOLD_READ);
    if (recording()) value_log_part(thread, part, lines[i], seen);
    memcpy(&lines[i][part.from], seen + part.from, part.count);
  }
  if (count == 1) return (uintptr_t)seen + address % VALUES_LINE;
  memcpy(own->copy, &lines[0][0] + address % VALUES_LINE, bytes);
  return (uintptr_t)own->copy;
}

/* Perhaps not all bytes of an access are stored: these stay as they are. */
static void fill_copy(struct open_thread *own, const struct piece *pieces, unsigned count) {
  uint8_t *to = own->copy;
  for (unsigned i = 0; i < count; i++) {
    struct values_part part = pieces[i].part;
    if (pieces[i].open)
      memcpy(to, values_see(&own->seen, pieces[i].line) + part.from, part.count);
    else if (replaying())
      safe_copy(to, (const void *)(pieces[i].line + part.from), part.count);
    to += part.count;
  }
}

static uintptr_t store(struct thread *thread, uintptr_t address, unsigned bytes, const struct piece *pieces,
                       unsigned count) {
  struct open_thread *own = open_of(thread);
  uint8_t *seen = NULL;
  for (unsigned i = 0; i < count; i++) {
    if (!pieces[i].open) continue;
    seen = see(thread, &pieces[i], TOLD_WRITE);
    if (recording()) value_log_part(thread, pieces[i].part, NULL, seen);
  }
  if (count == 1) return (uintptr_t)seen + address % VALUES_LINE;
  fill_copy(own, pieces, count);
  own->stored = address;
  own->stored_bytes = bytes;
  arch_open_words(thread)->bounced = 1;
  return (uintptr_t)own->copy;
}

static uintptr_t update(struct thread *thread, uintptr_t address, const struct piece *piece) {
  return (uintptr_t)see(thread, piece, TOLD_EXCHANGE) + address % VALUES_LINE;
}

uintptr_t by_value_access(struct thread *thread, uintptr_t address, unsigned bytes, enum open_way way) {
  struct piece pieces[PIECES];
  if (recording() && value_log_is_full(thread)) return 0;
  if (tells() && !telling_is_inside(thread)) return 0;
  unsigned count = cut(thread, address, bytes, way != OPEN_WAY_LOAD, pieces);
  if (!count) return 0;
  if (way == OPEN_WAY_STORE) return store(thread, address, bytes, pieces, count);
  if (way == OPEN_WAY_LOAD) return load(thread, address, bytes, pieces, count);
  if (count > 1) return 0;
  return (way == OPEN_WAY_MODIFY && recording()) ? load(thread, address, bytes, pieces, count)
                                                 : update(thread, address, pieces);
}

void by_value_learn(struct thread *thread, uintptr_t seen, unsigned bytes, const uint8_t *found) {
  uint8_t now[VALUES_LINE];
  unsigned from = (unsigned)(seen % VALUES_LINE);
  memcpy(now + from, found, bytes);
  value_log_part(thread, (struct values_part){.from = (uint8_t)from, .count = (uint8_t)bytes}, now,
                 (uint8_t *)ALIGN_DOWN(seen, VALUES_LINE));
  if (value_log_is_full(thread)) arch_request(thread);
}

void by_value_faulted(void) {
  sphere_fail(OUTCOME_UNSUPPORTED,
              "a fault in memory that is recorded by values is not supported yet with --values");
}

/* While recording the store has gone to memory as well. */
void by_value_stored(struct thread *thread) {
  struct open_thread *own = open_of(thread);
  struct piece pieces[PIECES];
  unsigned count = cut(thread, own->stored, own->stored_bytes, true, pieces);
  const uint8_t *from = own->copy;
  for (unsigned i = 0; i < count; i++) {
    struct values_part part = pieces[i].part;
    if (pieces[i].open)
      memcpy(values_see(&own->seen, pieces[i].line) + part.from, from, part.count);
    else if (replaying())
      safe_copy((void *)(pieces[i].line + part.from), from, part.count);
    from += part.count;
  }
  arch_open_words(thread)->bounced = 0;
}

/* -- Accesses that have missed ------------------------------------------------------------------------------------------------- */

/* Calls `visit` for each block of the accesses; true if one of the calls returns true. */
static bool any_block(struct thread *thread, const struct access *accesses, unsigned count,
                      bool (*visit)(struct thread *thread, uint32_t block, uintptr_t address)) {
  bool any = false;
  for (unsigned i = 0; i < count; i++) {
    uintptr_t end = accesses[i].address + accesses[i].bytes;
    for (uintptr_t at = accesses[i].address; at < end; at = ALIGN_DOWN(at, VALUES_LINE) + VALUES_LINE)
      any |= visit(thread, (uint32_t)at / VALUES_LINE, at);
  }
  return any;
}

static bool join_block(struct thread *thread, uint32_t block, uintptr_t address) {
  if (!open_is_open(block)) return false;
  if (!open_is_viewed(thread, block)) {
    open_view(thread, block);
    struct input_event event = {.kind = EVENT_OPEN, .open = {.what = OPEN_VIEW, .address = block}};
    record_event(thread, &event);
  }
  if (!shared_is_marked(address)) open_show(thread, block);
  return true;
}

bool by_value_join(struct thread *thread, const struct access *accesses, unsigned count) {
  return open_any() && any_block(thread, accesses, count, join_block);
}

static bool show_block(struct thread *thread, uint32_t block, uintptr_t address) {
  (void)address;
  if (!open_is_viewed(thread, block)) return false;
  open_show(thread, block);
  return true;
}

bool by_value_concerns(struct thread *thread, uintptr_t pc) {
  struct access accesses[ARCH_ACCESSES_MAX];
  unsigned count = arch_accesses(thread, pc, accesses);
  if (recording()) return by_value_join(thread, accesses, count);
  return any_block(thread, accesses, count, show_block);
}

static bool is_viewed(struct thread *thread, uint32_t block, uintptr_t address) {
  (void)address;
  return open_is_viewed(thread, block);
}

bool by_value_covers(struct thread *thread, const struct miss *miss) {
  struct access covered = {miss->address, miss->bytes, miss->write};
  return any_block(thread, &covered, 1, is_viewed);
}

bool by_value_was_refused(struct thread *thread, const struct miss *miss) {
  struct access accesses[ARCH_ACCESSES_MAX];
  if (!miss->opens || !arch_accesses(thread, miss->pc, accesses)) return false;
  const struct access *access = &accesses[0];
  uint8_t wanted = access->write ? PERMISSION_WRITE : PERMISSION_READ;
  bool open = false, lacking = false;
  for (uintptr_t at = access->address, end = at + access->bytes; at < end;
       at = ALIGN_DOWN(at, VALUES_LINE) + VALUES_LINE) {
    uint8_t bits = bits_of(thread, at);
    open |= bits & PERMISSION_OPEN;
    lacking |= !(bits & (PERMISSION_OPEN | wanted));
  }
  return open && !lacking;
}

void by_value_safepoint(struct thread *thread) {
  if (!values_on()) return;
  if (value_log_is_full(thread)) value_log_stop(thread, false);
  if (open_any()) value_log_time(thread);
}

bool by_value_make_room(struct thread *thread) {
  if (replaying()) replay_diverged(thread, "expected to access memory by value, and can't");
  if (!value_log_is_full(thread)) return false;
  value_log_stop(thread, false);
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

static const struct input_event *next_of(struct thread *thread, uint32_t what) {
  const struct input_event *event = replay_peek(thread);
  bool found = event && event->kind == EVENT_OPEN && event->open.what == what &&
               event->position == arch_position(thread);
  return found ? event : NULL;
}

static void record_close(struct thread *thread) {
  struct closing closing = {.thread = thread};
  open_each_line(count_line, &closing);
  struct input_event event = {.kind = EVENT_OPEN, .open = {.what = OPEN_CLOSES, .address = closing.count}};
  record_event(thread, &event);
  open_each_line(log_line_of, &closing);
  open_forget_lines();
  open_close_all();
}

/* The next event, unless the thread was ended before it. */
static const struct input_event *expect_of(struct thread *thread, uint32_t what) {
  const struct input_event *event = next_of(thread, what);
  if (!event && !replay_peek(thread)) order_lost(thread);
  if (!event) replay_senseless(thread, "memory is not closed where it should be");
  return event;
}

static bool is_as_recorded(uint64_t line, const uint8_t *bytes) {
  uint8_t now[VALUES_LINE];
  return !safe_copy(now, (const void *)line, sizeof now) && !memcmp(now, bytes, sizeof now);
}

static void replay_close(struct thread *thread, uint64_t lines) {
  replay_consume(thread);
  if (order_excepts(thread)) order_except_for_good(thread);
  for (; lines; lines--) {
    const struct input_event *event = expect_of(thread, OPEN_LINE);
    if (event->open.count != VALUES_LINE || event->open.address % VALUES_LINE)
      replay_senseless(thread, "this is no line of memory");
    uintptr_t to = event->open.address;
    if (to >= ENGINE_BASE && to < ENGINE_END) replay_senseless(thread, "no program has memory there");
    if (tells()) telling_left(thread, order_position(thread), open_epoch(), to, event->open.bytes);
    if (config.solved && !is_as_recorded(to, event->open.bytes))
      replay_diverged(thread, "expected other memory at 0x%lx", to);
    if (safe_copy((void *)to, event->open.bytes, VALUES_LINE))
      replay_diverged(thread, "memory at 0x%lx can't be written", to);
    replay_consume(thread);
  }
  open_next_epoch();
  open_catch_up(thread); /* the thread may go on without another wait */
}

void by_value_close_here(struct thread *thread) {
  const struct input_event *event;
  if (!values_recorded()) return;
  if (recording()) {
    if (open_any()) record_close(thread);
  } else if ((event = next_of(thread, OPEN_CLOSES))) {
    replay_close(thread, event->open.address);
  }
}

/* The stop is logged before the wait for the others, within which the thread may be ended: replay must come to the same position. Perhaps one of them has closed
 * all meanwhile. */
static void close_alone(struct thread *thread) {
  value_log_stop(thread, true);
  order_alone(thread);
  record_close(thread);
  order_tick(thread);
  order_together(thread);
}

static void replay_close_alone(struct thread *thread) {
  const struct input_event *event;
  while ((event = next_of(thread, OPEN_STOP)) && event->open.closes) {
    replay_consume(thread);
    order_gate(thread); /* other threads may wait for the thread's work up to here */
    order_alone(thread);
    replay_close(thread, expect_of(thread, OPEN_CLOSES)->open.address);
    order_tick(thread);
    order_gate(thread);
  }
}

void by_value_replay_views(struct thread *thread) {
  const struct input_event *event;
  if (!values_recorded()) return;
  for (;;) {
    replay_close_alone(thread);
    if (next_of(thread, OPEN_STOP)) {
      replay_consume(thread);
    } else if ((event = next_of(thread, OPEN_VIEW))) {
      if (event->open.address >= PERMISSION_BLOCKS)
        replay_senseless(thread, "there is no such block of memory");
      if (values_on()) {
        open_view(thread, (uint32_t)event->open.address);
        open_show(thread, (uint32_t)event->open.address);
      }
      replay_consume(thread);
    } else {
      return;
    }
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
  if (!values_recorded()) return;
  if (replaying())
    replay_close_alone(thread);
  else if (closes(address, bytes))
    close_alone(thread);
}

void by_value_give_up(struct thread *thread, uintptr_t pc) {
  struct access accesses[ARCH_ACCESSES_MAX];
  unsigned count = arch_accesses(thread, pc, accesses);
  for (unsigned i = 0; i < count; i++) open_forbid(accesses[i].address, accesses[i].bytes);
  close_alone(thread);
}

bool by_value_prepare(struct thread *thread, uintptr_t pc, bool *opens) {
  *opens = by_value_concerns(thread, pc);
  if (!*opens || arch_opens(pc)) return true;
  if (replaying()) replay_diverged(thread, "expected an instruction that can't access memory by value");
  by_value_give_up(thread, pc);
  return false;
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
      meets |= closes(thread->life.clear_child_tid, sizeof(uint32_t));
      meets |= closes(thread->life.robust_list, HEAD);
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
  if (!values_recorded()) return;
  if (tells()) telling_flush(thread);
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
  if (!values_recorded() || (recording() && !changes_open(call))) return;
  by_value_close_here(thread);
}
