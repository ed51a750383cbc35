/* sockopt.c: socket options. Most are a plain buffer with a length; the exceptions are listed here. */
#include <asm/socket.h>

#include "input/row.h"

/* Levels and options by number: their headers can't be included together with the kernel's own. */
enum { LEVEL_IP = 0, LEVEL_TCP = 6, LEVEL_IPV6 = 41, LEVEL_SCTP = 132 };
enum {
  NETFILTER_FIRST = 64,
  TCP_ZEROCOPY_RECEIVE_OPTION = 35,
  RULES_REPLACE = 64,
  ADDRESS_RULES_REPLACE = 96
};
enum { FILTER_SIZE = 8, FILTERS_LIMIT = 4096 };

/* struct sock_fprog: a count and a pointer to so many filter instructions. */
void walk_filter(struct input_walk *w, struct place at) {
  uint32_t count;
  walk_in(w, at, 16);
  if (walk_u32(w, at.address, &count))
    walk_in(w, walk_pointer(w, at, 8), (size_t)(count & 0xffff) * FILTER_SIZE);
}

/* struct ipt_replace, ip6t_replace, arpt_replace: new rules; the counters of the old ones are written to where a pointer leads. */
static void replace_rules(struct input_walk *w, struct place at, size_t length, size_t counters_at) {
  enum { COUNTERS = 16, COUNTERS_LIMIT = 1 << 20 };
  uint32_t count;
  walk_in(w, at, length);
  if (length < counters_at + 8 || !walk_u32(w, at.address + counters_at - 4, &count)) return;
  if (count > COUNTERS_LIMIT) return;
  walk_piece(w, walk_pointer(w, at, counters_at), INPUT_WRITES | INPUT_PARTIAL, (size_t)count * COUNTERS,
             (size_t)count * COUNTERS, false);
}

void walk_setsockopt(struct input_walk *w) {
  int level = (int)w->call->args[1], option = (int)w->call->args[2];
  int32_t length = (int32_t)w->call->args[4];
  struct place at = walk_argument(w, 3);
  if (level == SOL_SOCKET && (option == SO_ATTACH_FILTER || option == SO_ATTACH_REUSEPORT_CBPF))
    walk_filter(w, at);
  else if (length > 0 && (level == LEVEL_IP || level == LEVEL_IPV6) && option == RULES_REPLACE)
    replace_rules(w, at, (size_t)length, 88);
  else if (length > 0 && level == LEVEL_IP && option == ADDRESS_RULES_REPLACE)
    replace_rules(w, at, (size_t)length, 72);
  else if (length > 0)
    walk_in(w, at, (size_t)length);
}

/* Requests that tell in the buffer what they want to know. */
static bool reads_request(int level, int option) {
  if (level == LEVEL_SCTP) return true;
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
  /* Which options read a request in the buffer is up to each protocol: all may. */
  unsigned access = INPUT_WRITES | INPUT_PARTIAL | (reads_request(level, option) ? INPUT_READS : 0);
  walk_piece(w, value, access, bytes, written, false);
}

/* -- Options that give the kernel memory to write to at any time, or whose structures hold pointers to what it writes ---------------- */

static const struct input_command refused_option = {0, INPUT_REFUSE, ENOPROTOOPT, INPUT_VALUE, 0, NULL, NULL};

const struct input_command *sockopt_command(int level, int option) {
  enum { LEVEL_PACKET = 263, LEVEL_RDS = 276, LEVEL_XDP = 283 };
  enum { PACKET_RX_RING = 5, PACKET_TX_RING = 13, BRIDGE_RULES_FIRST = 128, BRIDGE_RULES_LAST = 131 };
  bool refused = false;
  if (level == LEVEL_TCP) refused = option == TCP_ZEROCOPY_RECEIVE_OPTION;
  if (level == LEVEL_PACKET) refused = option == PACKET_RX_RING || option == PACKET_TX_RING;
  if (level == LEVEL_IP) refused = option >= BRIDGE_RULES_FIRST && option <= BRIDGE_RULES_LAST;
  if (level == LEVEL_RDS || level == LEVEL_XDP) refused = true;
  return refused ? &refused_option : NULL;
}
