/* watch.h: recording and replaying the order of simulated threads with the order schemes of src/order.
 *
 * The schemes are the engine's own; here are the differences on this substrate. Recording (recorder.c): coherence messages carry the schemes'
 * notes. Replay (replayer.c): a thread stops where its log says until the step that it waits for is done; wake-ups are
 * messages that travel over the mesh. A sphere's logs are one struct order_logs. */
#ifndef REPRISE_SIM_WATCH_H
#define REPRISE_SIM_WATCH_H

#include "order/order.h"
#include "sim/machine/distribution.h"
#include "sim/machine/machine.h"

/* -- Recordings of the order --------------------------------------------------------------------------------------- */

struct order_log {
  uint8_t *bytes;
  size_t count, room;
};

/* A slot's log: varint(n), n bytes with the values of problematic reads (store_buffer.h), then what the scheme wrote. On disk it comes in segments, one for each
   cut: varint(n), n bytes of values, varint(m), m bytes of the scheme's. (chunk: the first slot's log has all chunks, and there are no values.) */
struct order_logs {
  const struct order_scheme *scheme;
  uint32_t slots; /* a slot for each R-thread: its number */
  struct order_log log[ORDER_SLOTS];
};

void order_logs_free(struct order_logs *logs);
void order_log_append(struct order_log *log, const uint8_t *bytes, size_t count);
/* Appends a segment, and empties both parts. Nothing if there is nothing. */
void order_log_segment(struct order_log *to, struct order_log *values, struct order_log *scheme);
/* Makes logs of segments. False: these are none. */
bool order_logs_join(struct order_logs *logs);
/* There are values of problematic reads: it was recorded under total store order. */
bool order_logs_have_values(const struct order_logs *logs);

/* -- Recording ------------------------------------------------------------------------------------------------------- */

#define RECORDER_COUNTERS(X)                                                    \
  X(episodes, "episodes")                                                       \
  X(ends_cycle, "ended because an edge came from a later or equal episode")     \
  X(ends_second, "ended because of a second edge from a core")                  \
  X(ends_full, "ended because they had too many predecessors")                  \
  X(ends_conflict, "ended because another thread asked for a block")            \
  X(ends_size, "ended at their full size")                                      \
  X(ends_leave, "ended because the thread left its hart or ended")              \
  X(ends_cut, "ended because the log was written to the disk")                  \
  X(ends_trap, "chunks ended by a trap")                                        \
  X(ends_fault, "chunks ended by a fault")                                      \
  X(ends_overflow, "chunks ended because a set of the L1 was full")             \
  X(ends_interrupt, "chunks ended by an interrupt")                             \
  X(squashes, "chunks squashed")                                                \
  X(squashed_instructions, "instructions squashed")                             \
  X(interrupt_cycles, "cycles that interrupts waited for chunks")               \
  X(values, "values of problematic reads (total store order)")                  \
  X(edges, "edges between threads")                                             \
  X(redundant, "notes without an edge")                                         \
  X(arcs, "of the edges, arcs that were logged: others imply the rest")         \
  X(repeated, "of the edges, those from a core that was a predecessor already") \
  X(records, "records in the log")

struct recorder_counters {
#define X(name, text) uint64_t name;
  RECORDER_COUNTERS(X)
#undef X
  struct distribution episode_instructions;
};

/* All spheres whose mode is SPHERE_RECORD are recorded. The machine's memory system must be built; max_episode counts references. */
void recorder_begin(struct machine *machine, const struct order_scheme *scheme, struct order_options options);
/* Ends what is open, so that the logs have all that the sphere's threads have done; tells how far each has come. Between two turns of the machine. */
void recorder_cut(struct machine *machine, struct sphere *sphere, struct archive_cut *cuts);
/* The sphere has ended: closes its threads' logs. */
void recorder_close(struct machine *machine, struct sphere *sphere);
/* Appends what the slot's log has got since the last time, as a segment. */
void recorder_segment(struct machine *machine, struct sphere *sphere, uint32_t slot, struct order_log *to);
const struct recorder_counters *recorder_count(const struct machine *machine);
void recorder_end(struct machine *machine);

/* -- Replay ----------------------------------------------------------------------------------------------------------- */

/* Spheres whose mode is SPHERE_REPLAY follow the logs in sphere->order, set before its first thread is born. */
void replayer_begin(struct machine *machine);
/* A thread that had ended when the replay began (checkpoint.h). One that had not is born with the position that it had. */
void replayer_ended(struct machine *machine, struct sphere *sphere, unsigned slot);
/* All threads of a recording that breaks off stand where it has them, with the registers that they had; else replayer_error() says what is wrong. */
bool replayer_reached(struct machine *machine, const struct sphere *sphere);
/* NULL, or the first error found. */
const char *replayer_error(const struct machine *machine);
void replayer_end(struct machine *machine);

#endif
