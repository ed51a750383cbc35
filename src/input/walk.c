/* walk.c: from a row and a call to the pieces of memory that the kernel reads and writes.
 *
 * All walks are one walk in four passes (walk.h). Arguments with a rule are handled here; the row's
 * own walker comes after them. */
#include "input/row.h"

/* The kernel transfers no more in one call. */
#define BULK_LIMIT 0x7ffff000UL
/* No application has memory above. */
#define ADDRESS_LIMIT (1UL << 63)

enum { VECTOR_LIMIT = 1024, VECTOR_BATCH = 16, STRING_CHUNK = 128, SOCKADDR_LIMIT = 128, PAGE_BYTES = 4096 };
/* Of execve: the kernel takes at most 6 MiB of strings and their pointers. */
enum { STRINGS_LIMIT = 0x800000, ONE_STRING_LIMIT = 0x20000 };

struct vector_part {
  uint64_t base, length;
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* -- Places ---------------------------------------------------------------------------------------------- */

struct place walk_argument(const struct input_walk *w, unsigned i) {
  return (struct place){(uintptr_t)w->call->args[i], 0, (uint8_t)i};
}

struct place walk_pointer(struct input_walk *w, struct place base, size_t offset) {
  uint64_t pointer = 0;
  if (!walk_u64(w, base.address + offset, &pointer)) pointer = 0;
  return (struct place){pointer, base.address + offset, base.argument};
}

struct place walk_part(struct place base, size_t offset) {
  return (struct place){base.address + offset, base.slot, base.argument};
}

/* -- Reading the application ----------------------------------------------------------------------------- */

bool walk_read(struct input_walk *w, void *to, uintptr_t from, size_t bytes) {
  if (!from || from >= ADDRESS_LIMIT || w->status) return false;
  return w->call->read(w->call->context, to, from, bytes) == 0;
}

bool walk_u32(struct input_walk *w, uintptr_t from, uint32_t *value) {
  return walk_read(w, value, from, sizeof *value);
}

bool walk_u64(struct input_walk *w, uintptr_t from, uint64_t *value) {
  return walk_read(w, value, from, sizeof *value);
}

bool walk_note(struct input_walk *w, uintptr_t from, uint32_t *value) {
  bool room = w->next_note < INPUT_NOTES;
  uint32_t now = 0;
  if (room && (before_call(w) || w->next_note >= w->call->note_count) && !walk_u32(w, from, &now)) now = 0;
  *value = walk_remember(w, now);
  return room;
}

uint32_t walk_remember(struct input_walk *w, uint32_t value) {
  struct input_call *call = w->call;
  uint32_t note = w->next_note++;
  if (note >= INPUT_NOTES) return 0;
  if (!before_call(w) && note < call->note_count) return call->notes[note];
  call->notes[note] = value;
  call->note_count = note + 1;
  return value;
}

/* -- Pieces ---------------------------------------------------------------------------------------------- */

void walk_piece(struct input_walk *w, struct place at, unsigned flags, size_t room, size_t bytes,
                bool always) {
  size_t n = room;
  switch (w->pass) {
    case PASS_REACH:
      break;
    case PASS_OUTGOING:
      if (!(flags & INPUT_READS)) return;
      break;
    case PASS_SENT:
      if (!(flags & INPUT_READS)) return;
      if (!(flags & INPUT_WRITES)) n = smaller(bytes, room);
      break;
    case PASS_INCOMING:
      if (!(flags & INPUT_WRITES) || (w->failed && !always)) return;
      n = smaller(bytes, room);
      break;
  }
  n = smaller(n, BULK_LIMIT);
  if (w->status || !n || !at.address || at.address >= ADDRESS_LIMIT - n) return;
  struct input_piece piece = {at.address, n, at.slot, at.argument, (uint8_t)flags};
  w->status = w->visit(w->visitor, &piece);
}

void walk_in(struct input_walk *w, struct place at, size_t bytes) {
  walk_piece(w, at, INPUT_READS, bytes, bytes, false);
}

void walk_sent(struct input_walk *w, struct place at, size_t room, size_t taken) {
  walk_piece(w, at, INPUT_READS, room, taken, false);
}

void walk_out(struct input_walk *w, struct place at, size_t room, size_t written) {
  walk_piece(w, at, INPUT_WRITES, room, written, false);
}

void walk_inout(struct input_walk *w, struct place at, size_t bytes) {
  walk_piece(w, at, INPUT_READS | INPUT_WRITES, bytes, bytes, false);
}

void walk_inout_fields(struct input_walk *w, struct place at, size_t bytes) {
  if (w->pass != PASS_INCOMING)
    walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, bytes, bytes, false);
}

/* How many of the bytes can be read. */
static size_t readable(struct input_walk *w, uintptr_t at, size_t limit) {
  size_t done = 0;
  uint8_t byte;
  while (done < limit && walk_read(w, &byte, at + done, 1))
    done += smaller(PAGE_BYTES - (at + done) % PAGE_BYTES, limit - done);
  return done;
}

void walk_window(struct input_walk *w, struct place at, size_t bytes, size_t room) {
  size_t found = before_call(w) && at.address ? readable(w, at.address, room > bytes ? room : bytes) : 0;
  size_t there = walk_remember(w, (uint32_t)found);
  if (w->pass == PASS_OUTGOING || w->pass == PASS_SENT)
    walk_in(w, at, bytes);
  else
    walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL | INPUT_COMPARED, there, there, true);
}

/* -- Strings --------------------------------------------------------------------------------------------- */

static size_t string_length(struct input_walk *w, uintptr_t at, size_t limit) {
  char chunk[STRING_CHUNK];
  for (size_t done = 0; done < limit;) {
    /* Never across a page: the string may end before it. */
    size_t n = smaller(STRING_CHUNK - (at + done) % STRING_CHUNK, limit - done);
    if (!walk_read(w, chunk, at + done, n)) return 0;
    for (size_t i = 0; i < n; i++)
      if (!chunk[i]) return done + i + 1;
    done += n;
  }
  return limit;
}

size_t walk_string(struct input_walk *w, struct place at, size_t limit) {
  if (w->pass == PASS_INCOMING || !at.address) return 0;
  size_t length = string_length(w, at.address, limit);
  if (length) walk_in(w, at, length);
  return length;
}

void walk_strings(struct input_walk *w, struct place at) {
  size_t count = 0, total = 0;
  uint64_t string = 1;
  if (!at.address || w->pass == PASS_INCOMING) return;
  for (; string && count < STRINGS_LIMIT / sizeof string; count++)
    if (!walk_u64(w, at.address + count * sizeof string, &string)) return;
  walk_in(w, at, count * sizeof string);
  for (size_t i = 0; i + 1 < count && total < STRINGS_LIMIT && !w->status; i++)
    total += sizeof string + walk_string(w, walk_pointer(w, at, i * sizeof string), ONE_STRING_LIMIT);
}

/* -- Vectors --------------------------------------------------------------------------------------------- */

void walk_vector(struct input_walk *w, struct place at, uint64_t count, unsigned flags, size_t total) {
  struct vector_part parts[VECTOR_BATCH];
  size_t room_left = BULK_LIMIT;
  if (!at.address || count > VECTOR_LIMIT) return;
  walk_in(w, at, count * sizeof *parts);
  for (uint64_t i = 0; i < count && !w->status; i++) {
    if (i % VECTOR_BATCH == 0) {
      size_t n = smaller(VECTOR_BATCH, count - i);
      if (!walk_read(w, parts, at.address + i * sizeof *parts, n * sizeof *parts)) return;
    }
    const struct vector_part *part = &parts[i % VECTOR_BATCH];
    if (part->length >= ADDRESS_LIMIT) return;
    struct place data = {part->base, at.address + i * sizeof *part, at.argument};
    size_t room = smaller(part->length, room_left), done = smaller(room, total);
    walk_piece(w, data, flags, room, done, false);
    room_left -= room;
    total -= done;
  }
}

/* -- Socket addresses with their length ------------------------------------------------------------------ */

void walk_sockaddr(struct input_walk *w, unsigned address, unsigned length) {
  struct place name = walk_argument(w, address), size = walk_argument(w, length);
  uint32_t before, after;
  if (!size.address || !walk_note(w, size.address, &before) || (int32_t)before < 0) return;
  if (!walk_u32(w, size.address, &after)) return;
  walk_inout(w, size, sizeof before);
  walk_out(w, name, smaller(before, SOCKADDR_LIMIT), smaller(before, after));
}

/* -- Arguments by rule ----------------------------------------------------------------------------------- */

static const uint8_t access_of[] = {
    [INPUT_IN] = INPUT_READS,
    [INPUT_OUT] = INPUT_WRITES,
    [INPUT_INOUT] = INPUT_READS | INPUT_WRITES,
};

/* Bytes of a set of so many bits, in whole words. */
static size_t bit_set_bytes(uint64_t bits) {
  return bits > BULK_LIMIT ? 0 : (bits + 63) / 64 * 8;
}

static void walk_rule(struct input_walk *w, unsigned i, const struct input_arg *arg) {
  struct place at = walk_argument(w, i);
  unsigned flags = access_of[arg->kind];
  uint64_t count = (uint64_t)w->call->args[arg->with];
  size_t transferred = w->failed ? 0 : (size_t)w->result, room, bytes;
  if (arg->flags & MAYBE) flags |= INPUT_PARTIAL;
  if (arg->flags & COUNT_32) count = (int32_t)count < 0 ? 0 : (uint32_t)count;
  if (count > BULK_LIMIT && arg->rule != RULE_PAGES) count = BULK_LIMIT;

  switch (arg->rule) {
    case RULE_STRING:
      walk_string(w, at, arg->size);
      return;
    case RULE_VECTOR:
      walk_vector(w, at, (uint64_t)w->call->args[arg->with], flags, transferred);
      return;
    case RULE_SOCKADDR:
      if (at.address) walk_sockaddr(w, i, arg->with);
      return;
    case RULE_COUNT:
      room = bytes = count * arg->size;
      break;
    case RULE_RESULT:
      room = count * arg->size;
      bytes = transferred > count ? room : transferred * arg->size;
      break;
    case RULE_BITS:
      room = bytes = bit_set_bytes(count);
      break;
    case RULE_NODES:
      room = bytes = bit_set_bytes(count ? count - 1 : 0);
      break;
    case RULE_PAGES:
      room = bytes = count / 4096 + (count % 4096 != 0);
      break;
    default:
      room = bytes = arg->size;
      break;
  }
  bool eintr = w->result == -EINTR;
  if (w->pass == PASS_INCOMING && arg->flags & ONLY_ON_EINTR && !eintr) return;
  if (w->pass == PASS_INCOMING && arg->flags & NOT_ON_ZERO && !w->result) return;
  bool always = arg->flags & ON_ERROR || (arg->flags & (ON_EINTR | ONLY_ON_EINTR) && eintr);
  walk_piece(w, at, flags, room, bytes, always);
}

void walk_command(struct input_walk *w, const struct input_command *command, unsigned argument) {
  if (!command) return;
  struct place at = walk_argument(w, argument);
  switch (command->kind) {
    case INPUT_IN:
      if (command->size == STRING_SIZE)
        walk_string(w, at, 4096);
      else
        walk_in(w, at, command->size);
      break;
    case INPUT_OUT:
    case INPUT_INOUT:
      walk_piece(w, at, access_of[command->kind] | INPUT_PARTIAL, command->size, command->size, false);
      break;
    case INPUT_POINTER:
      command->walk(w, at);
      break;
    default:
      break;
  }
}

/* -- The four walks -------------------------------------------------------------------------------------- */

/* A row that forgets what the kernel writes, for the test of the audit (engine/order/audit.h): no program gives getcpu a third argument. */
static bool is_planted(const struct input_call *call) {
#if defined(REPRISE_STRESS_AUDIT)
  enum { PLANTED = 0x706c616e };
  return call->nr == __NR_getcpu && call->args[2] == PLANTED;
#else
  (void)call;
  return false;
#endif
}

static long walk(struct input_walk *w) {
  static const uint8_t wanted[] = {[PASS_OUTGOING] = INPUT_READS,
                                   [PASS_REACH] = INPUT_READS | INPUT_WRITES,
                                   [PASS_SENT] = INPUT_READS,
                                   [PASS_INCOMING] = INPUT_WRITES};
  const struct input_row *row = w->call->row;
  if (!(w->call->moves & wanted[w->pass]) || is_planted(w->call)) return 0;
  w->failed = !before_call(w) && (unsigned long)w->result > -4096UL;
  if (before_call(w)) w->call->note_count = 0;
  for (unsigned i = 0; i < 6 && row->args[i].kind; i++)
    if (row->args[i].kind >= INPUT_IN && row->args[i].kind <= INPUT_INOUT && w->call->args[i])
      walk_rule(w, i, &row->args[i]);
  if (row->walk) row->walk(w);
  return w->status;
}

void input_begin(struct input_call *call, long nr, const long args[6], input_read *read, void *context) {
  call->nr = nr;
  for (unsigned i = 0; i < 6; i++) call->args[i] = args[i];
  call->pid = 0;
  call->semaphores = 0;
  call->addressed = false;
  call->read = read;
  call->context = context;
  call->note_count = 0;
  input_classify(call);
}

long input_outgoing(struct input_call *call, input_visit *visit, void *visitor) {
  return walk(&(struct input_walk){.call = call, .pass = PASS_OUTGOING, .visit = visit, .visitor = visitor});
}

long input_reach(struct input_call *call, input_visit *visit, void *visitor) {
  return walk(&(struct input_walk){.call = call, .pass = PASS_REACH, .visit = visit, .visitor = visitor});
}

long input_sent(struct input_call *call, long result, input_visit *visit, void *visitor) {
  return walk(&(struct input_walk){
      .call = call, .pass = PASS_SENT, .result = result, .visit = visit, .visitor = visitor});
}

long input_incoming(struct input_call *call, long result, input_visit *visit, void *visitor) {
  return walk(&(struct input_walk){
      .call = call, .pass = PASS_INCOMING, .result = result, .visit = visit, .visitor = visitor});
}

/* -- Results --------------------------------------------------------------------------------------------- */

/* With no room at all, some calls tell how much there is. Vectors are not looked at: others may have changed them meanwhile. */
bool input_result_fits(const struct input_call *call, long result) {
  if (result <= 0 || !call->row) return true;
  for (unsigned i = 0; i < 6; i++) {
    const struct input_arg *arg = &call->row->args[i];
    if (arg->kind < INPUT_IN || arg->kind > INPUT_INOUT) continue;
    uint64_t count = (uint64_t)call->args[arg->with];
    if (arg->flags & COUNT_32) count = (uint32_t)count;
    if (arg->rule == RULE_RESULT && (count || arg->kind == INPUT_IN) && (uint64_t)result > count)
      return false;
  }
  return true;
}
