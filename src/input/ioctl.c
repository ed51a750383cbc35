/* ioctl.c: ioctl by rule.
 *
 * A well-formed number says itself how many bytes go which way. What it does not say (the numbers from before that
 * convention, those that say something else than they do, and structures that point further) is in the
 * table (ioctl_table.c), which is asked first. A number without size that is not there has a plain value,
 * if any, as its argument. */
#include <asm/ioctl.h>

#include "input/ioctl.h"

void walk_ioctl(struct input_walk *w) {
  uint32_t command = (uint32_t)w->call->args[1];
  const struct input_command *known = ioctl_command(command);
  struct place at = walk_argument(w, 2);
  size_t bytes = _IOC_SIZE(command);
  if (known) {
    walk_command(w, known, 2);
    return;
  }
  unsigned flags = (_IOC_DIR(command) & _IOC_WRITE ? INPUT_READS : 0) |
                   (_IOC_DIR(command) & _IOC_READ ? INPUT_WRITES | INPUT_PARTIAL : 0);
  /* A driver may have written before it failed, but not one that does not know the number. */
  bool may_have_written = w->result != -ENOTTY && w->result != -EBADF;
  if (flags) walk_piece(w, at, flags, bytes, bytes, may_have_written);
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

/* struct ifreq with a pointer to a request of the network device, whose first word tells what it is. */
void ioctl_ethtool(struct input_walk *w, struct place at) {
  enum { IFREQ = 40, GET_DRIVER = 0x3, GET_LINK = 0xa, GET_SETTINGS = 0x1, GET_TIMESTAMPS = 0x41 };
  static const struct {
    uint32_t command;
    uint16_t size;
  } requests[] = {{GET_SETTINGS, 44}, {GET_DRIVER, 196}, {GET_LINK, 8}, {GET_TIMESTAMPS, 44}};
  struct place request = walk_pointer(w, at, 16);
  uint32_t command;
  walk_in(w, at, IFREQ);
  if (!walk_u32(w, request.address, &command)) return;
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
    if (requests[i].command == command)
      walk_piece(w, request, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, requests[i].size, requests[i].size,
                 false);
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
