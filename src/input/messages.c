/* messages.c: socket messages: msghdr with name, vector and ancillary data, alone and in arrays; socket addresses.
 *
 * recvmsg writes the data, the name as far as it fits, each control message without the padding behind it,
 * and of the msghdr itself the three fields that report (name length, control length, flags). */
#include <stddef.h>

#include "input/row.h"

enum { MESSAGES_LIMIT = 1024, NAME_LIMIT = 128, CONTROL_HEADER = 16 };
enum { FLAG_TRUNCATED = 0x20, FLAG_ZEROCOPY = 0x4000000 };

/* As the kernel lays them out. */
struct message {
  uint64_t name;
  int32_t name_length;
  uint64_t vector;
  uint64_t vector_count;
  uint64_t control;
  uint64_t control_length;
  uint32_t flags;
};

struct counted_message {
  struct message message;
  uint32_t length;
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static unsigned data_access(const struct input_walk *w, bool receive, unsigned flags_argument) {
  long flags = w->call->args[flags_argument];
  if (receive) return flags & FLAG_TRUNCATED ? INPUT_WRITES | INPUT_PARTIAL : INPUT_WRITES;
  return flags & FLAG_ZEROCOPY ? INPUT_READS | INPUT_IN_PLACE : INPUT_READS;
}

/* -- Sending --------------------------------------------------------------------------------------------- */

static void send_message(struct input_walk *w, struct place at, unsigned flags_argument, size_t taken) {
  struct message message;
  if (!walk_read(w, &message, at.address, sizeof message)) return;
  if (message.name_length > 0)
    walk_in(w, walk_pointer(w, at, offsetof(struct message, name)),
            smaller((size_t)message.name_length, NAME_LIMIT));
  walk_vector(w, walk_pointer(w, at, offsetof(struct message, vector)), message.vector_count,
              data_access(w, false, flags_argument), taken);
  walk_in(w, walk_pointer(w, at, offsetof(struct message, control)), message.control_length);
}

void walk_sendmsg(struct input_walk *w) {
  struct place at = walk_argument(w, 1);
  walk_in(w, at, sizeof(struct message));
  send_message(w, at, 2, w->failed ? 0 : (size_t)w->result);
}

static size_t message_count(struct input_walk *w) {
  return smaller((uint32_t)w->call->args[2], MESSAGES_LIMIT);
}

void walk_sendmmsg(struct input_walk *w) {
  struct place array = walk_argument(w, 1);
  size_t count = message_count(w), sent = w->failed ? 0 : (size_t)w->result;
  walk_inout_fields(w, array, count * sizeof(struct counted_message));
  for (size_t i = 0; i < count && !w->status; i++) {
    struct place at = walk_part(array, i * sizeof(struct counted_message));
    uint32_t length = 0;
    if (!before_call(w) && i < sent && !walk_u32(w, at.address + sizeof(struct message), &length)) return;
    send_message(w, at, 3, length);
    if (w->pass == PASS_INCOMING && i < sent)
      walk_out(w, walk_part(at, sizeof(struct message)), sizeof length, sizeof length);
  }
}

/* -- Receiving ------------------------------------------------------------------------------------------- */

/* The kernel steps over the padding behind a control message without writing it. */
static void received_control(struct input_walk *w, struct place control, size_t length) {
  while (length >= CONTROL_HEADER && !w->status) {
    uint64_t bytes;
    if (!walk_u64(w, control.address, &bytes) || bytes < CONTROL_HEADER) return;
    bytes = smaller(bytes, length);
    walk_out(w, control, bytes, bytes);
    bytes = smaller((bytes + 7) & ~7UL, length);
    control.address += bytes;
    length -= bytes;
  }
}

/* The msghdr itself has been reported as read (and, before the call, as written) by the caller. */
static void receive_message(struct input_walk *w, struct place at, unsigned access, size_t received) {
  struct message message;
  uint32_t room;
  if (!walk_read(w, &message, at.address, sizeof message)) return;
  if (!walk_note(w, at.address + offsetof(struct message, name_length), &room)) return;
  struct place name = walk_pointer(w, at, offsetof(struct message, name));
  struct place control = walk_pointer(w, at, offsetof(struct message, control));
  if ((int32_t)room > 0)
    walk_out(w, name, smaller(room, NAME_LIMIT), smaller(room, (uint32_t)message.name_length));
  walk_vector(w, walk_pointer(w, at, offsetof(struct message, vector)), message.vector_count, access,
              received);
  if (before_call(w)) {
    walk_out(w, control, message.control_length, 0);
    return;
  }
  if (w->pass != PASS_INCOMING || w->failed) return;
  if (control.address) received_control(w, control, message.control_length);
  if (name.address) walk_out(w, walk_part(at, offsetof(struct message, name_length)), 4, 4);
  walk_out(w, walk_part(at, offsetof(struct message, control_length)), 8, 8);
  walk_out(w, walk_part(at, offsetof(struct message, flags)), 4, 4);
}

void walk_recvmsg(struct input_walk *w) {
  struct place at = walk_argument(w, 1);
  walk_inout_fields(w, at, sizeof(struct message));
  receive_message(w, at, data_access(w, true, 2), w->failed ? 0 : (size_t)w->result);
}

void walk_recvmmsg(struct input_walk *w) {
  struct place array = walk_argument(w, 1);
  size_t count = message_count(w), received = w->failed ? 0 : (size_t)w->result;
  walk_inout_fields(w, array, count * sizeof(struct counted_message));
  for (size_t i = 0; i < count && !w->status; i++) {
    struct place at = walk_part(array, i * sizeof(struct counted_message));
    uint32_t length = 0;
    if (!before_call(w)) {
      if (i >= received) break;
      if (!walk_u32(w, at.address + sizeof(struct message), &length)) return;
    }
    receive_message(w, at, data_access(w, true, 3), length);
    if (w->pass == PASS_INCOMING)
      walk_out(w, walk_part(at, sizeof(struct message)), sizeof length, sizeof length);
  }
  /* The rest of the timeout. */
  struct place timeout = walk_argument(w, 4);
  walk_piece(w, timeout, INPUT_READS | INPUT_WRITES, 16, received ? 16 : 0, false);
}

/* -- Single buffers and addresses ------------------------------------------------------------------------ */

void walk_sendto(struct input_walk *w) {
  size_t taken = w->failed ? 0 : (size_t)w->result;
  int32_t name_length = (int32_t)w->call->args[5];
  walk_piece(w, walk_argument(w, 1), data_access(w, false, 3), (size_t)w->call->args[2], taken, false);
  if (name_length > 0) walk_in(w, walk_argument(w, 4), smaller((size_t)name_length, NAME_LIMIT));
}

void walk_recvfrom(struct input_walk *w) {
  size_t received = w->failed ? 0 : (size_t)w->result;
  walk_piece(w, walk_argument(w, 1), data_access(w, true, 3), (size_t)w->call->args[2], received, false);
  if (w->call->args[4]) walk_sockaddr(w, 4, 5);
}

/* getsockname, getpeername: unlike accept they report the length without a place for the address, too. */
void walk_getname(struct input_walk *w) {
  walk_sockaddr(w, 1, 2);
}
