/* ioctl.h: between the table of ioctl numbers (ioctl_table.c) and the walkers of their structures (ioctl.c). */
#ifndef REPRISE_INPUT_IOCTL_H
#define REPRISE_INPUT_IOCTL_H

#include "input/row.h"

/* For a number that is not in the table: the number of bytes at its argument in which an address would mean that the kernel may follow it. */
size_t ioctl_suspicious(uint32_t command);
/* … true if it has no size, and is of a family in which no other number follows an address. */
bool ioctl_is_plain(uint32_t command);

void ioctl_window(struct input_walk *w, struct place at);
void ioctl_interfaces(struct input_walk *w, struct place at);
void ioctl_device_request(struct input_walk *w, struct place at);
void ioctl_wireless_buffer(struct input_walk *w, struct place at);
void ioctl_bridges(struct input_walk *w, struct place at);
void ioctl_tree_search(struct input_walk *w, struct place at);
void ioctl_tree_paths(struct input_walk *w, struct place at);
void ioctl_extents(struct input_walk *w, struct place at);
void ioctl_dedupe(struct input_walk *w, struct place at);
void ioctl_scsi(struct input_walk *w, struct place at);
void ioctl_mapper(struct input_walk *w, struct place at);
void ioctl_console_text(struct input_walk *w, struct place at);

#endif
