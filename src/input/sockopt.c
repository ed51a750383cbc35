/* sockopt.c: socket options. Most are a plain buffer with a length; the exceptions are listed here. */
#include <asm/socket.h>

#include "input/row.h"

/* Levels and options by number: their headers can't be included together with the kernel's own. */
enum { LEVEL_IP = 0, LEVEL_TCP = 6, LEVEL_IPV6 = 41, LEVEL_SCTP = 132 };
enum { NETFILTER_FIRST = 64, TCP_ZEROCOPY_RECEIVE_OPTION = 35, FILTER_SIZE = 8, FILTERS_LIMIT = 4096 };

/* struct sock_fprog: a count and a pointer to so many filter instructions. */
void walk_filter(struct input_walk *w, struct place at) {
  uint32_t count;
  walk_in(w, at, 16);
  if (walk_u32(w, at.address, &count))
    walk_in(w, walk_pointer(w, at, 8), (size_t)(count & 0xffff) * FILTER_SIZE);
}

void walk_setsockopt(struct input_walk *w) {
  int level = (int)w->call->args[1], option = (int)w->call->args[2];
  int32_t length = (int32_t)w->call->args[4];
  struct place at = walk_argument(w, 3);
  if (level == SOL_SOCKET && (option == SO_ATTACH_FILTER || option == SO_ATTACH_REUSEPORT_CBPF))
    walk_filter(w, at);
  else if (length > 0)
    walk_in(w, at, (size_t)length);
}

/* Requests that tell in the buffer what they want to know. */
static bool reads_request(int level, int option) {
  if (level == LEVEL_SCTP) return true;
  if (level == LEVEL_TCP) return option == TCP_ZEROCOPY_RECEIVE_OPTION;
  return (level == LEVEL_IP || level == LEVEL_IPV6) && option >= NETFILTER_FIRST;
}

void walk_getsockopt(struct input_walk *w) {
  int level = (int)w->call->args[1], option = (int)w->call->args[2];
  struct place value = walk_argument(w, 3), length = walk_argument(w, 4);
  uint32_t room, after;
  if (!walk_note(w, length.address, &room) || !walk_u32(w, length.address, &after)) return;
  if ((int32_t)room < 0) return;
  /* Too small a buffer is answered with the length that is needed. */
  walk_piece(w, length, INPUT_READS | INPUT_WRITES, 4, 4, w->result == -ERANGE);
  size_t bytes = room, written = after;
  /* Here the lengths count filter instructions. */
  if (level == SOL_SOCKET && option == SO_GET_FILTER) {
    bytes = (size_t)(room > FILTERS_LIMIT ? FILTERS_LIMIT : room) * FILTER_SIZE;
    written = room ? (size_t)after * FILTER_SIZE : 0;
  }
  unsigned access = reads_request(level, option) ? INPUT_READS | INPUT_WRITES | INPUT_PARTIAL : INPUT_WRITES;
  walk_piece(w, value, access, bytes, written, false);
}
