/* ioctl.c: ioctl by rule.
 *
 * Known numbers are in the table (ioctl_table.c), which is looked up first. Any other number itself tells how much the
 * kernel reads, at least: that is logged as sent. The kernel need not write what the number says. Some say that they
 * only read and write all the same, some have an array behind the structure that they name, and those from before the convention, or with a
 * careless author, say nothing. So the memory at the argument, if it is an address at all, is compared with its content before the call.
 *
 * Memory that a structure points to is seen only if the table names the pointer. Families that are known to have such pointers, and are not in the
 * table one by one, are refused there. For a number in no table this is not known; but an address of the program's memory in the bytes that
 * the kernel reads is noticed (call->addressed), and if the kernel did anything with it the recording ends.
 *
 * Known limit: a number that says that the kernel reads nothing, and is not in the table, is believed. None in the kernel's headers
 * declares a pointer there (tests/input/ioctls.c holds tables and rules against them). */
#include <asm/ioctl.h>

#include "input/ioctl.h"

/* As large as a number can say that its structure is. */
enum { WINDOW = 1 << 14, REQUEST_WINDOW = 1 << 17 };

/* Where no number says a size, addresses are looked for in so much. */
enum { UNSIZED = 64, LOWEST_ADDRESS = 1 << 16 };

size_t ioctl_suspicious(uint32_t command) {
  if (_IOC_SIZE(command)) return _IOC_DIR(command) & _IOC_WRITE ? _IOC_SIZE(command) : 0;
  return ioctl_is_plain(command) ? 0 : UNSIZED;
}

/* Packed structures have addresses at any multiple of 4. */
static void note_addresses(struct input_walk *w, uintptr_t at, size_t bytes) {
  uint64_t word;
  uint8_t byte;
  for (size_t offset = 0; offset + sizeof word <= bytes && !w->call->addressed; offset += 4)
    if (walk_u64(w, at + offset, &word) && word >= LOWEST_ADDRESS && walk_read(w, &byte, word, 1))
      w->call->addressed = true;
}

void walk_ioctl(struct input_walk *w) {
  uint32_t command = (uint32_t)w->call->args[1];
  const struct input_command *known = ioctl_command(command);
  if (known) {
    walk_command(w, known, 2);
    return;
  }
  struct place at = walk_argument(w, 2);
  if (w->pass == PASS_OUTGOING) note_addresses(w, at.address, ioctl_suspicious(command));
  walk_window(w, at, _IOC_DIR(command) & _IOC_WRITE ? _IOC_SIZE(command) : 0, WINDOW);
}

/* The driver has turned it down before it looked at what it was given, or there is none. */
bool input_ioctl_failed(long result) {
  switch (result) {
    case -ENOTTY:
    case -EINVAL:
    case -EBADF:
    case -ENODEV:
    case -ENXIO:
    case -ENOSYS:
    case -EOPNOTSUPP:
    case -EPERM:
    case -EACCES:
      return true;
    default:
      return false;
  }
}

/* Covers just the memory that the argument itself points to, whatever the number says. */
void ioctl_window(struct input_walk *w, struct place at) {
  walk_window(w, at, 0, WINDOW);
}

/* -- Structures that point further, or have no fixed size ------------------------------------------------ */

/* struct ifconf: a length, both ways, and a buffer of so many bytes; without a buffer it asks for the length. */
void ioctl_interfaces(struct input_walk *w, struct place at) {
  uint32_t room, after;
  if (!walk_note(w, at.address, &room) || !walk_u32(w, at.address, &after)) return;
  walk_inout_fields(w, at, 16);
  if (w->pass == PASS_INCOMING) walk_out(w, at, 4, 4);
  if ((int32_t)room > 0) walk_out(w, walk_pointer(w, at, 8), room, after);
}

/* struct ifreq with a pointer to a request of the network device. How long that is its first word tells, or a count further on, or the
 * kernel alone. */
void ioctl_device_request(struct input_walk *w, struct place at) {
  enum { IFREQ = 40, NAME_AND_POINTER = 24, DATA_AT = 16, COMMAND_WORD = 4 };
  walk_window(w, at, NAME_AND_POINTER, IFREQ);
  walk_window(w, walk_pointer(w, at, DATA_AT), COMMAND_WORD, REQUEST_WINDOW);
}

/* struct iwreq with a pointer, a count of elements and flags. */
void ioctl_wireless_buffer(struct input_walk *w, struct place at) {
  enum { REQUEST = 32, DATA_AT = 16 };
  walk_window(w, at, REQUEST, REQUEST);
  walk_window(w, walk_pointer(w, at, DATA_AT), 0, REQUEST_WINDOW);
}

/* Bridges by three words: what to do, an array of interface numbers, and how many there is room for. */
void ioctl_bridges(struct input_walk *w, struct place at) {
  enum { WORDS = 24, GET_BRIDGES = 1, LIMIT = 1 << 16 };
  uint64_t command, room;
  walk_in(w, at, WORDS);
  if (!walk_u64(w, at.address, &command) || command != GET_BRIDGES) return;
  if (walk_u64(w, at.address + 16, &room) && room <= LIMIT)
    walk_out(w, walk_pointer(w, at, 8), (size_t)room * 4, w->failed ? 0 : (size_t)w->result * 4);
}

/* btrfs: a header, the size of the buffer behind it, and the buffer. */
void ioctl_tree_search(struct input_walk *w, struct place at) {
  enum { HEADER = 112, SIZE_AT = 104, LIMIT = 1 << 24 };
  uint32_t bytes;
  if (!walk_note(w, at.address + SIZE_AT, &bytes) || bytes > LIMIT) return;
  walk_window(w, at, HEADER, HEADER + (size_t)bytes);
}

/* btrfs: a structure with the size of a buffer and its address. */
void ioctl_tree_paths(struct input_walk *w, struct place at) {
  enum { REQUEST = 56, SIZE_AT = 8, BUFFER_AT = 48, LIMIT = 1 << 24 };
  uint32_t bytes;
  if (!walk_note(w, at.address + SIZE_AT, &bytes) || bytes > LIMIT) return;
  walk_window(w, at, REQUEST, REQUEST);
  walk_window(w, walk_pointer(w, at, BUFFER_AT), 0, bytes);
}

/* struct fiemap: a header with two counts, then as many extents. */
void ioctl_extents(struct input_walk *w, struct place at) {
  enum { HEADER = 32, EXTENT = 56, LIMIT = 1 << 16 };
  uint32_t room, mapped;
  if (!walk_note(w, at.address + 24, &room) || !walk_u32(w, at.address + 20, &mapped)) return;
  if (room > LIMIT) room = LIMIT;
  size_t bytes = HEADER + (size_t)room * EXTENT;
  if (w->pass == PASS_REACH) {
    walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, bytes, bytes, false);
    return;
  }
  walk_piece(w, at, INPUT_READS | INPUT_WRITES, HEADER, HEADER, w->result == -EBADR);
  if (room) walk_out(w, walk_part(at, HEADER), bytes - HEADER, (size_t)mapped * EXTENT);
}

/* struct file_dedupe_range: a header with a count, then as many destinations, both ways. */
void ioctl_dedupe(struct input_walk *w, struct place at) {
  enum { HEADER = 24, DESTINATION = 32, LIMIT = 127 };
  uint32_t count;
  if (!walk_u32(w, at.address + 16, &count)) return;
  count &= 0xffff;
  if (count > LIMIT) return;
  size_t bytes = HEADER + (size_t)count * DESTINATION;
  walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, bytes, bytes, false);
}

/* struct sg_io_hdr: command, data and sense buffers. */
void ioctl_scsi(struct input_walk *w, struct place at) {
  enum { HEADER = 88, FROM_DEVICE = -3, TO_DEVICE = -2, BOTH_WAYS = -4 };
  struct {
    int32_t interface, direction;
    uint8_t command_bytes, sense_bytes;
    uint16_t vector_count;
    uint32_t data_bytes;
  } header;
  walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, HEADER, HEADER, false);
  if (!walk_read(w, &header, at.address, sizeof header)) return;
  unsigned data = header.direction == TO_DEVICE ? INPUT_READS : INPUT_WRITES | INPUT_PARTIAL;
  if (header.direction == BOTH_WAYS) data |= INPUT_READS;
  if (header.vector_count)
    walk_vector(w, walk_pointer(w, at, 16), header.vector_count, data, header.data_bytes);
  else
    walk_piece(w, walk_pointer(w, at, 16), data, header.data_bytes, header.data_bytes, false);
  walk_in(w, walk_pointer(w, at, 24), header.command_bytes);
  walk_piece(w, walk_pointer(w, at, 32), INPUT_WRITES | INPUT_PARTIAL, header.sense_bytes, header.sense_bytes,
             false);
}

/* struct dm_ioctl and its like: the whole size is in the structure, at the offset 12. */
void ioctl_mapper(struct input_walk *w, struct place at) {
  enum { LIMIT = 1 << 24 };
  uint32_t bytes;
  if (!walk_note(w, at.address + 12, &bytes) || bytes > LIMIT) return;
  walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, bytes, bytes, true);
}

/* struct console_font_op and the like of the virtual console are root's; here only its text selection. */
void ioctl_console_text(struct input_walk *w, struct place at) {
  uint32_t first;
  if (!walk_u32(w, at.address, &first)) return;
  walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, (first & 0xff) == 2 ? 12 : 2, 12, false);
}
