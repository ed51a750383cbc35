/* chunks.h: the order scheme `chunk` in the simulator: DeLorean as CapoOne uses it.
 *
 * Harts run chunks (bulk.h). A chunk that is complete asks the arbiter, which lets one commit after the other; that order is the log. A chunk holds
 * instructions of one R-thread only: it ends before every entry into the kernel (CapoOne section 3). Which sizes are logged (section 4):
 *   full, or ended by a trap    nothing: replay comes to the same end by itself
 *   fault, overflow             the size: caches and page tables are not replayed
 *   interrupt                   as the policy says: finish first and squash first log nothing, commit first logs the size
 * The kernel's copies in or out are ordered as chunks of their own, line by line, and never squashed (section 5.1).
 *
 * Replay runs chunks of the logged sizes side by side and commits them in the logged order. A chunk that faults, overflows or is interrupted
 * there, but was not in the recording, commits its part when it has the turn, and no other may commit before the rest has (figure 3(d)).
 *
 * The log of a sphere, in slot 0: varint(chunk size), then for each chunk varint(slot * 4 + kind) and, unless it is regular, varint(size). */
#ifndef REPRISE_SIM_CHUNKS_H
#define REPRISE_SIM_CHUNKS_H

#include "sim/recorders/watch.h"

enum interrupt_policy { INTERRUPT_SQUASH, INTERRUPT_COMMIT, INTERRUPT_FINISH };

/* Not one of the schemes of src/order: a thread has nothing to decide. Only its name is used. */
extern const struct order_scheme order_chunks;

enum { CHUNK_INSTRUCTIONS = 2000 }; /* of a regular chunk */

struct chunks;
/* Puts chunks in place of the machine's memory system. Before anything runs. */
struct chunks *chunks_begin(struct machine *machine, uint64_t size, enum interrupt_policy policy);
void chunks_end(struct machine *machine);
/* The commits since the last time, as a segment. */
void chunks_segment(struct machine *machine, struct sphere *sphere, struct order_log *to);
/* Replay: every chunk of the log has been committed. */
bool chunks_over(const struct machine *machine, const struct sphere *sphere);
const struct recorder_counters *chunks_count(const struct machine *machine);
const char *chunks_error(const struct machine *machine);

#endif
