/* protocol.h: the coherence protocol as data.
 *
 * Two tables, one for a private cache and one for the directory: in which state, on which event, what is done and which state
 * comes next. MESI and MOSI are rows of the same tables. A pair of state and event without a row cannot happen: the
 * simulator stops if it does. Each row counts how often it was taken, so that a test can show which were not.
 *
 * The directory is blocking: while it serves a request it makes all others for that block wait, until the requester says that it
 * has everything (UNBLOCK). So a cache is asked for a block only in a few of its transient states. The network keeps no
 * order: all the rows are made for messages that overtake each other.
 *
 * For the recorders (Karma section 4.6, FDR section 4.3): shared copies are dropped silently and acknowledged later; an owner that gives
 * the ownership back stays among the sharers, so that the next writer asks it; the directory knows the last writer, which it
 * makes order the next reader (ORDER); and a block that leaves the L2 is ordered before its proxy (RECALL, PROXY_ORDER). */
#ifndef REPRISE_SIM_PROTOCOL_H
#define REPRISE_SIM_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/machine/config.h"

enum { ROW_MESI = 1 << PROTOCOL_MESI, ROW_MOSI = 1 << PROTOCOL_MOSI };

/* -- A private cache --------------------------------------------------------------------------------------------- */

#define L1_STATES(X)                                                                                \
  X(I)    /* nothing */                                                                             \
  X(S)    /* a copy to read */                                                                      \
  X(E)    /* the only copy, as the L2 has it */                                                     \
  X(M)    /* the only copy, newer than the L2's */                                                  \
  X(O)    /* newer than the L2's; others have copies to read */                                     \
  X(IS)   /* GET_S sent; waits for data */                                                          \
  X(IS_A) /* has the data; waits for who orders it (recorders only) */                              \
  X(IE_A) /* the same, and it is the only copy */                                                   \
  X(IM)   /* GET_M sent (or UPGRADE, and the copy was lost); waits for data and acknowledgements */ \
  X(IM_A) /* has the data; waits for acknowledgements */                                            \
  X(SM)   /* UPGRADE sent from S */                                                                 \
  X(OM)   /* UPGRADE sent from O */                                                                 \
  X(SM_A) /* may write as soon as the acknowledgements are in */                                    \
  X(MI)   /* PUT sent from M */                                                                     \
  X(EI)   /* PUT sent from E */                                                                     \
  X(OI)   /* PUT sent from O */                                                                     \
  X(SI)   /* PUT sent, then a copy given away; still among the sharers */                           \
  X(II)   /* PUT sent, then given away */

enum l1_state {
#define X(name) L1_##name,
  L1_STATES(X)
#undef X
      L1_STATES_COUNT
};

/* clang-format off */
#define L1_EVENTS(X)                                                                      \
  /* from the hart */                                                                     \
  X(LOAD) X(STORE) X(REPLACE)                                                             \
  /* from the directory, for others */                                                    \
  X(FORWARD_S) X(FORWARD_M) X(INVALIDATE) X(RECALL)                                       \
  /* answers; _LAST: nothing is missing now */                                            \
  X(DATA_S) X(DATA_S_LAST) X(DATA_E) X(DATA_E_LAST) X(DATA_M) X(DATA_M_LAST)              \
  X(GRANT) X(GRANT_LAST) X(ACK) X(ACK_LAST) X(PUT_ACK)
/* clang-format on */

enum l1_event {
#define X(name) L1_EVENT_##name,
  L1_EVENTS(X)
#undef X
      L1_EVENTS_COUNT
};

enum l1_action {
  L1_HIT = 1 << 0,
  L1_SEND_GET_S = 1 << 1,
  L1_SEND_GET_M = 1 << 2,
  L1_SEND_UPGRADE = 1 << 3,
  L1_SEND_PUT = 1 << 4,        /* the block moves to the write-back buffer */
  L1_SEND_DATA = 1 << 5,       /* to the requester */
  L1_SEND_COPY_BACK = 1 << 6,  /* to the directory */
  L1_SEND_ACK = 1 << 7,        /* to the requester */
  L1_SEND_RECALL_ACK = 1 << 8, /* to the directory, and PROXY_ORDER to the proxy */
  L1_FILL = 1 << 9,            /* take the data of the message */
  L1_DONE = 1 << 10,           /* UNBLOCK, and the hart goes on */
  L1_NO_WRITE = 1 << 11,       /* the hart may not write any more */
  L1_NO_READ = 1 << 12,        /* nor read */
  L1_FREE = 1 << 13,           /* the frame, or the write-back buffer's entry, is free */
  L1_WAIT = 1 << 14,           /* the hart has to wait until what is under way has ended */
};

/* -- The directory -------------------------------------------------------------------------------------------------- */

#define DIR_STATES(X)                                                                   \
  X(NP)     /* not in the L2 */                                                         \
  X(V)      /* the L2's data are valid; sharers may have copies */                      \
  X(X)      /* one cache has the only copy (MESI) */                                    \
  X(O)      /* one cache is responsible for the data, sharers may have copies (MOSI) */ \
  X(FETCH)  /* waits for memory */                                                      \
  X(GIVE_V) /* waits for UNBLOCK, then V */                                             \
  X(GIVE_X)                                                                             \
  X(GIVE_O)                                                                             \
  X(COPY)   /* waits for the owner's COPY_BACK and for UNBLOCK */                       \
  X(COPY_U) /* waits for COPY_BACK */                                                   \
  X(EVICT)  /* waits for all who were recalled */

enum dir_state {
#define X(name) DIR_##name,
  DIR_STATES(X)
#undef X
      DIR_STATES_COUNT
};

/* clang-format off */
#define DIR_EVENTS(X)                                                                     \
  X(GET_S)                                                                                \
  X(GET_E)     /* GET_S, and nobody else ever had it */                                   \
  X(GET_M)                                                                                \
  X(UPGRADE)   /* and its copy is still good */                                           \
  X(PUT_DIRTY)                                                                            \
  X(PUT_CLEAN)                                                                            \
  X(PUT_STALE) /* from one who is not the owner any more */                               \
  X(PUT)       /* any of them, while busy */                                              \
  X(MEMORY_S) X(MEMORY_E) X(MEMORY_M)                                                     \
  X(COPY_BACK) X(UNBLOCK) X(RECALL_ACK) X(RECALL_LAST)                                    \
  X(REPLACE)   /* some cache always has to be asked: who had a block stays among the sharers */
/* clang-format on */

enum dir_event {
#define X(name) DIR_EVENT_##name,
  DIR_EVENTS(X)
#undef X
      DIR_EVENTS_COUNT
};

enum dir_action {
  DIR_STALL = 1 << 0,       /* wait until the block is not busy */
  DIR_SEND_FETCH = 1 << 1,  /* to memory */
  DIR_SEND_DATA_S = 1 << 2, /* to the requester */
  DIR_SEND_DATA_E = 1 << 3,
  DIR_SEND_DATA_M = 1 << 4,
  DIR_SEND_GRANT = 1 << 5,
  DIR_SEND_FORWARD_S = 1 << 6, /* to the owner */
  DIR_SEND_FORWARD_M = 1 << 7,
  DIR_SEND_INVALIDATE = 1 << 8, /* to all others who may have a copy */
  DIR_SEND_ORDER = 1 << 9,      /* to the last writer or the proxy; when there is a recorder */
  DIR_SEND_PUT_ACK = 1 << 10,
  DIR_SEND_RECALL = 1 << 11, /* to all who may have a copy */
  DIR_ADD_SHARER = 1 << 12,  /* the requester */
  DIR_SET_OWNER = 1 << 13,   /* the requester; no sharers */
  DIR_NO_OWNER = 1 << 14,    /* the owner becomes a sharer and is the last writer */
  DIR_TAKE_DATA = 1 << 15,   /* of the message */
  DIR_COUNT = 1 << 16,       /* one less to wait for */
  DIR_WRITE_BACK = 1 << 17,  /* to memory; the frame is free */
};

/* -- The tables ----------------------------------------------------------------------------------------------------- */

struct protocol_row {
  uint8_t state, event, next, protocols;
  uint32_t actions;
};

struct protocol_table {
  const struct protocol_row *l1[L1_STATES_COUNT][L1_EVENTS_COUNT];
  const struct protocol_row *dir[DIR_STATES_COUNT][DIR_EVENTS_COUNT];
  uint64_t l1_taken[L1_STATES_COUNT][L1_EVENTS_COUNT];
  uint64_t dir_taken[DIR_STATES_COUNT][DIR_EVENTS_COUNT];
};

void protocol_load(struct protocol_table *table, enum sim_protocol protocol);
/* Prints how often each row was taken, "." where there is none, and names those never taken. Returns their number. */
unsigned protocol_coverage(const struct protocol_table *table, FILE *out);

extern const char *const l1_state_names[], *const l1_event_names[], *const dir_state_names[],
                                                                        *const dir_event_names[];

#endif
