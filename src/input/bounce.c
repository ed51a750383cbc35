/* bounce.c: see bounce.h.
 *
 * A pointer is identified by where it was found: the argument, or the word in memory. This place, never the piece's address,
 * matches the piece that a walk after the call reports with the copy made before the call: the application may
 * well give the same buffer twice. */
#include "input/bounce.h"

#include <linux/errno.h>

enum { ALIGNMENT = 16, SECTOR = 512, PAGE_SIZE = 4096, AUDIT_LIMIT = 1 << 20 };

static size_t aligned(size_t bytes) {
  return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* How far behind `at` a copy begins: large ones lie in their page as the original does, because files that are read and
 * written without the kernel's cache (O_DIRECT) want their buffers so. */
static size_t lead(const struct input_piece *piece, uintptr_t at) {
  return piece->bytes < SECTOR ? 0 : (piece->address - at) & (PAGE_SIZE - 1);
}

static bool bounced(const struct input_piece *piece) {
  return !(piece->flags & INPUT_IN_PLACE);
}

/* True if the copy's content before the call matters: for an audit (engine/order/audit.h) that of all but the largest. */
static bool keeps_original(const struct input_piece *piece) {
#if defined(REPRISE_STRESS_AUDIT)
  if (piece->bytes <= AUDIT_LIMIT) return true;
#endif
  return piece->flags & INPUT_COMPARED;
}

/* An audit fills memory that the kernel is only to write with bytes that it surely does not hold afterwards. */
static void prepare(const struct input_piece *piece, uint8_t *copy) {
#if defined(REPRISE_STRESS_AUDIT)
  uint64_t pattern = piece->address * 0x9e3779b97f4a7c15 | 1;
  if (piece->flags & (INPUT_READS | INPUT_PARTIAL) || !keeps_original(piece)) return;
  for (size_t i = 0; i < piece->bytes; i++) {
    pattern = pattern * 6364136223846793005 + 1442695040888963407;
    copy[i] = (uint8_t)(pattern >> 56);
  }
#else
  (void)piece, (void)copy;
#endif
}

/* -- Room ------------------------------------------------------------------------------------------------ */

static long add_room(void *visitor, const struct input_piece *piece) {
  size_t *room = visitor;
  if (!bounced(piece)) return 0;
  *room += aligned(piece->bytes) + sizeof(struct bounce_copy) + (piece->bytes < SECTOR ? 0 : PAGE_SIZE);
  if (keeps_original(piece)) *room += aligned(piece->bytes);
  return 0;
}

size_t bounce_room(struct input_call *call) {
  size_t room = ALIGNMENT;
  input_reach(call, add_room, &room);
  return room;
}

/* -- Before the call ------------------------------------------------------------------------------------- */

/* Searches from where the last search ended: walks ask in order. */
static struct bounce_copy *find(struct bounce *b,
                                bool (*matches)(const struct bounce_copy *, uintptr_t, size_t), uintptr_t key,
                                size_t more) {
  for (size_t i = 0; i < b->count; i++) {
    size_t at = b->hint + b->count - i; /* downwards: the next in order */
    struct bounce_copy *copy = &b->copies[at % b->count];
    if (!matches(copy, key, more)) continue;
    b->hint = at % b->count;
    return copy;
  }
  return NULL;
}

static bool contains(const struct bounce_copy *copy, uintptr_t address, size_t bytes) {
  const struct input_piece *piece = &copy->piece;
  return address >= piece->address && address - piece->address < piece->bytes &&
         bytes <= piece->bytes - (address - piece->address);
}

static bool contains_read(const struct bounce_copy *copy, uintptr_t address, size_t bytes) {
  return copy->piece.flags & (INPUT_READS | INPUT_PARTIAL) && contains(copy, address, bytes);
}

static bool same_pointer(const struct bounce_copy *copy, uintptr_t slot, size_t argument) {
  return copy->piece.slot == slot && copy->piece.argument == argument;
}

static void store_pointer(uint8_t *where, uintptr_t pointer) {
  __builtin_memcpy(where, &pointer, sizeof pointer);
}

/* Redirects the pointer that leads to the piece. */
static bool redirect(struct bounce *b, struct bounce_copy *made) {
  const struct input_piece *piece = &made->piece;
  made->pointer = NULL;
  if (!piece->slot) {
    b->args[piece->argument] = (long)made->copy;
    return true;
  }
  const struct bounce_copy *parent = find(b, contains_read, piece->slot, sizeof(uintptr_t));
  if (!parent) return false;
  made->pointer = parent->copy + (piece->slot - parent->piece.address);
  store_pointer(made->pointer, (uintptr_t)made->copy);
  return true;
}

struct entering {
  struct bounce *bounce;
  size_t room; /* of the memory, less the list at its end */
};

static long copy_piece(void *visitor, const struct input_piece *piece) {
  struct entering *entering = visitor;
  struct bounce *b = entering->bounce;
  if (!bounced(piece)) return 0;
  size_t skipped = lead(piece, (uintptr_t)b->memory + b->used), bytes = aligned(skipped + piece->bytes);
  size_t original = bytes;
  if (keeps_original(piece)) bytes += aligned(piece->bytes);
  if (entering->room < sizeof(struct bounce_copy)) return -ENOMEM;
  entering->room -= sizeof(struct bounce_copy);
  if (b->used > entering->room || bytes > entering->room - b->used) return -ENOMEM;
  struct bounce_copy made = {.piece = *piece, .copy = b->memory + b->used + skipped};
  if (piece->flags & (INPUT_READS | INPUT_PARTIAL) &&
      b->read(b->context, made.copy, piece->address, piece->bytes)) {
    entering->room += sizeof(struct bounce_copy);
    return 0;
  }
  if (!redirect(b, &made)) {
    entering->room += sizeof(struct bounce_copy);
    return 0;
  }
  prepare(piece, made.copy);
  if (keeps_original(piece)) {
    made.original = b->memory + b->used + original;
    __builtin_memcpy(made.original, made.copy, piece->bytes);
  }
  b->used += bytes;
  *--b->copies = made;
  b->count++;
  b->hint = 0;
  return 0;
}

long bounce_enter(struct bounce *b, struct input_call *call, void *memory, size_t room) {
  room &= ~(size_t)(ALIGNMENT - 1);
  *b = (struct bounce){.call = call, .read = call->read, .context = call->context, .memory = memory};
  b->copies = (void *)(b->memory + room);
  for (unsigned i = 0; i < 6; i++) b->args[i] = call->args[i];
  struct entering entering = {b, room};
  return input_reach(call, copy_piece, &entering);
}

/* -- After the call -------------------------------------------------------------------------------------- */

/* The memory as it would be had the kernel worked on it. */
static long read_copies(void *context, void *to, uintptr_t from, size_t bytes) {
  struct bounce *b = context;
  const struct bounce_copy *copy = find(b, contains, from, bytes);
  if (!copy) return b->read(b->context, to, from, bytes);
  __builtin_memcpy(to, copy->copy + (from - copy->piece.address), bytes);
  return 0;
}

struct leaving {
  struct bounce *bounce;
  bounce_visit *visit;
  void *visitor;
};

/* Each run of bytes that differ, as a write of its own: the bytes between them may be others' to change. */
static long tell_changes(const struct leaving *leaving, const struct bounce_copy *copy) {
  const struct input_piece *piece = &copy->piece;
  for (size_t at = 0, end; at < piece->bytes; at = end + 1) {
    for (end = at; end < piece->bytes && copy->copy[end] != copy->original[end];) end++;
    struct bounce_write write = {piece->address + at, copy->copy + at, end - at, piece->flags};
    long status = write.bytes ? leaving->visit(leaving->visitor, &write) : 0;
    if (status) return status;
  }
  return 0;
}

static long tell(void *visitor, const struct input_piece *piece) {
  const struct leaving *leaving = visitor;
  struct bounce_write write = {piece->address, NULL, piece->bytes, piece->flags};
  const struct bounce_copy *copy = find(leaving->bounce, same_pointer, piece->slot, piece->argument);
  if (copy && copy->piece.flags & INPUT_COMPARED) return tell_changes(leaving, copy);
  if (copy && contains(copy, piece->address, piece->bytes))
    write.from = copy->copy + (piece->address - copy->piece.address);
  return leaving->visit(leaving->visitor, &write);
}

long bounce_leave(struct bounce *b, long result, bounce_visit *visit, void *visitor) {
  struct leaving leaving = {b, visit, visitor};
  for (size_t i = 0; i < b->count; i++)
    if (b->copies[i].pointer) store_pointer(b->copies[i].pointer, b->copies[i].piece.address);
  /* The walk sees the application through the copies. */
  b->call->read = read_copies;
  b->call->context = b;
  long status = input_incoming(b->call, result, tell, &leaving);
  b->call->read = b->read;
  b->call->context = b->context;
  return status;
}
