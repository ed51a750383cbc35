/* protocol.c: the rows of the protocol, and how often they were taken. See protocol.h. */
#include "sim/caches/protocol.h"

#include <string.h>

#include "sim/machine/check.h"

#define BOTH (ROW_MESI | ROW_MOSI)
#define MESI ROW_MESI
#define MOSI ROW_MOSI

#define X(name) #name,
const char *const l1_state_names[] = {L1_STATES(X)};
const char *const l1_event_names[] = {L1_EVENTS(X)};
const char *const dir_state_names[] = {DIR_STATES(X)};
const char *const dir_event_names[] = {DIR_EVENTS(X)};
#undef X

#define ROW(protocols, state, event, next, actions) \
  { L1_##state, L1_EVENT_##event, L1_##next, protocols, actions }

/* clang-format off */
static const struct protocol_row l1_rows[] = {
  /* The hart. */
  ROW(BOTH, I,    LOAD,       IS,   L1_SEND_GET_S | L1_WAIT),
  ROW(BOTH, I,    STORE,      IM,   L1_SEND_GET_M | L1_WAIT),
  ROW(BOTH, S,    LOAD,       S,    L1_HIT),
  ROW(BOTH, S,    STORE,      SM,   L1_SEND_UPGRADE | L1_WAIT),
  ROW(BOTH, S,    REPLACE,    I,    L1_NO_READ | L1_FREE),
  ROW(MESI, E,    LOAD,       E,    L1_HIT),
  ROW(MESI, E,    STORE,      M,    L1_HIT),
  ROW(MESI, E,    REPLACE,    EI,   L1_NO_READ | L1_SEND_PUT),
  ROW(BOTH, M,    LOAD,       M,    L1_HIT),
  ROW(BOTH, M,    STORE,      M,    L1_HIT),
  ROW(BOTH, M,    REPLACE,    MI,   L1_NO_READ | L1_SEND_PUT),
  ROW(MOSI, O,    LOAD,       O,    L1_HIT),
  ROW(MOSI, O,    STORE,      OM,   L1_SEND_UPGRADE | L1_WAIT),
  ROW(MOSI, O,    REPLACE,    OI,   L1_NO_READ | L1_SEND_PUT),
  /* Something is under way already: for the store buffer, or for a thread that was taken off the hart. */
  ROW(BOTH, SM,   LOAD,       SM,   L1_HIT),
  ROW(MOSI, OM,   LOAD,       OM,   L1_HIT),
  ROW(BOTH, SM_A, LOAD,       SM_A, L1_HIT),
  ROW(BOTH, SM,   STORE,      SM,   L1_WAIT),
  ROW(MOSI, OM,   STORE,      OM,   L1_WAIT),
  ROW(BOTH, SM_A, STORE,      SM_A, L1_WAIT),
  ROW(BOTH, IS,   LOAD,       IS,   L1_WAIT),
  ROW(BOTH, IS,   STORE,      IS,   L1_WAIT),
  ROW(BOTH, IS_A, LOAD,       IS_A, L1_WAIT),
  ROW(BOTH, IS_A, STORE,      IS_A, L1_WAIT),
  ROW(MESI, IE_A, LOAD,       IE_A, L1_WAIT),
  ROW(MESI, IE_A, STORE,      IE_A, L1_WAIT),
  ROW(BOTH, IM,   LOAD,       IM,   L1_WAIT),
  ROW(BOTH, IM,   STORE,      IM,   L1_WAIT),
  ROW(BOTH, IM_A, LOAD,       IM_A, L1_WAIT),
  ROW(BOTH, IM_A, STORE,      IM_A, L1_WAIT),
  ROW(BOTH, MI,   LOAD,       MI,   L1_WAIT),
  ROW(BOTH, MI,   STORE,      MI,   L1_WAIT),
  ROW(MESI, EI,   LOAD,       EI,   L1_WAIT),
  ROW(MESI, EI,   STORE,      EI,   L1_WAIT),
  ROW(MOSI, OI,   LOAD,       OI,   L1_WAIT),
  ROW(MOSI, OI,   STORE,      OI,   L1_WAIT),
  ROW(MESI, SI,   LOAD,       SI,   L1_WAIT),
  ROW(MESI, SI,   STORE,      SI,   L1_WAIT),
  ROW(BOTH, II,   LOAD,       II,   L1_WAIT),
  ROW(BOTH, II,   STORE,      II,   L1_WAIT),

  /* Others want a copy. */
  ROW(MESI, E,    FORWARD_S,  S,    L1_SEND_DATA | L1_SEND_COPY_BACK | L1_NO_WRITE),
  ROW(MESI, M,    FORWARD_S,  S,    L1_SEND_DATA | L1_SEND_COPY_BACK | L1_NO_WRITE),
  ROW(MOSI, M,    FORWARD_S,  O,    L1_SEND_DATA | L1_NO_WRITE),
  ROW(MOSI, O,    FORWARD_S,  O,    L1_SEND_DATA),
  ROW(MOSI, OM,   FORWARD_S,  OM,   L1_SEND_DATA),
  ROW(MESI, MI,   FORWARD_S,  SI,   L1_SEND_DATA | L1_SEND_COPY_BACK),
  ROW(MESI, EI,   FORWARD_S,  SI,   L1_SEND_DATA | L1_SEND_COPY_BACK),
  ROW(MOSI, MI,   FORWARD_S,  OI,   L1_SEND_DATA),
  ROW(MOSI, OI,   FORWARD_S,  OI,   L1_SEND_DATA),

  /* Another wants to write, and needs the data. */
  ROW(MESI, E,    FORWARD_M,  I,    L1_SEND_DATA | L1_NO_READ | L1_FREE),
  ROW(BOTH, M,    FORWARD_M,  I,    L1_SEND_DATA | L1_NO_READ | L1_FREE),
  ROW(MOSI, O,    FORWARD_M,  I,    L1_SEND_DATA | L1_NO_READ | L1_FREE),
  ROW(MOSI, OM,   FORWARD_M,  IM,   L1_SEND_DATA | L1_NO_READ),
  ROW(BOTH, MI,   FORWARD_M,  II,   L1_SEND_DATA),
  ROW(MESI, EI,   FORWARD_M,  II,   L1_SEND_DATA),
  ROW(MOSI, OI,   FORWARD_M,  II,   L1_SEND_DATA),

  /* Another wants to write. In I, IS and IM the copy was dropped without a word, some time ago. */
  ROW(BOTH, I,    INVALIDATE, I,    L1_SEND_ACK),
  ROW(BOTH, S,    INVALIDATE, I,    L1_SEND_ACK | L1_NO_READ | L1_FREE),
  ROW(MOSI, O,    INVALIDATE, I,    L1_SEND_ACK | L1_NO_READ | L1_FREE),
  ROW(BOTH, IS,   INVALIDATE, IS,   L1_SEND_ACK),
  ROW(BOTH, IM,   INVALIDATE, IM,   L1_SEND_ACK),
  ROW(BOTH, SM,   INVALIDATE, IM,   L1_SEND_ACK | L1_NO_READ),
  ROW(MOSI, OM,   INVALIDATE, IM,   L1_SEND_ACK | L1_NO_READ),
  ROW(BOTH, MI,   INVALIDATE, II,   L1_SEND_ACK),
  ROW(MESI, EI,   INVALIDATE, II,   L1_SEND_ACK),
  ROW(MESI, SI,   INVALIDATE, II,   L1_SEND_ACK),
  ROW(MOSI, OI,   INVALIDATE, II,   L1_SEND_ACK),

  /* The block leaves the L2. */
  ROW(BOTH, I,    RECALL,     I,    L1_SEND_RECALL_ACK),
  ROW(BOTH, S,    RECALL,     I,    L1_SEND_RECALL_ACK | L1_NO_READ | L1_FREE),
  ROW(MESI, E,    RECALL,     I,    L1_SEND_RECALL_ACK | L1_NO_READ | L1_FREE),
  ROW(BOTH, M,    RECALL,     I,    L1_SEND_RECALL_ACK | L1_NO_READ | L1_FREE),
  ROW(MOSI, O,    RECALL,     I,    L1_SEND_RECALL_ACK | L1_NO_READ | L1_FREE),
  ROW(BOTH, IS,   RECALL,     IS,   L1_SEND_RECALL_ACK),
  ROW(BOTH, IM,   RECALL,     IM,   L1_SEND_RECALL_ACK),
  ROW(BOTH, SM,   RECALL,     IM,   L1_SEND_RECALL_ACK | L1_NO_READ),
  ROW(MOSI, OM,   RECALL,     IM,   L1_SEND_RECALL_ACK | L1_NO_READ),
  ROW(BOTH, MI,   RECALL,     II,   L1_SEND_RECALL_ACK),
  ROW(MESI, EI,   RECALL,     II,   L1_SEND_RECALL_ACK),
  ROW(MESI, SI,   RECALL,     II,   L1_SEND_RECALL_ACK),
  ROW(MOSI, OI,   RECALL,     II,   L1_SEND_RECALL_ACK),

  /* Answers to the cache's own requests. */
  ROW(BOTH, IS,   DATA_S,      IS_A, L1_FILL),
  ROW(BOTH, IS,   DATA_S_LAST, S,    L1_FILL | L1_DONE),
  ROW(MESI, IS,   DATA_E,      IE_A, L1_FILL),
  ROW(MESI, IS,   DATA_E_LAST, E,    L1_FILL | L1_DONE),
  ROW(BOTH, IS,   ACK,         IS,   0),
  ROW(BOTH, IS_A, ACK_LAST,    S,    L1_DONE),
  ROW(MESI, IE_A, ACK_LAST,    E,    L1_DONE),
  ROW(BOTH, IM,   DATA_M,      IM_A, L1_FILL),
  ROW(BOTH, IM,   DATA_M_LAST, M,    L1_FILL | L1_DONE),
  ROW(BOTH, IM,   ACK,         IM,   0),
  ROW(BOTH, IM_A, ACK,         IM_A, 0),
  ROW(BOTH, IM_A, ACK_LAST,    M,    L1_DONE),
  ROW(BOTH, SM,   GRANT,       SM_A, 0),
  ROW(BOTH, SM,   GRANT_LAST,  M,    L1_DONE),
  ROW(BOTH, SM,   ACK,         SM,   0),
  ROW(MOSI, OM,   GRANT,       SM_A, 0),
  ROW(MOSI, OM,   GRANT_LAST,  M,    L1_DONE),
  ROW(MOSI, OM,   ACK,         OM,   0),
  ROW(BOTH, SM_A, ACK,         SM_A, 0),
  ROW(BOTH, SM_A, ACK_LAST,    M,    L1_DONE),
  ROW(BOTH, MI,   PUT_ACK,     I,    L1_FREE),
  ROW(MESI, EI,   PUT_ACK,     I,    L1_FREE),
  ROW(MESI, SI,   PUT_ACK,     I,    L1_FREE),
  ROW(MOSI, OI,   PUT_ACK,     I,    L1_FREE),
  ROW(BOTH, II,   PUT_ACK,     I,    L1_FREE),
};
#undef ROW

#define ROW(protocols, state, event, next, actions) \
  { DIR_##state, DIR_EVENT_##event, DIR_##next, protocols, actions }
#define BUSY(protocols, state) \
  ROW(protocols, state, GET_S, state, DIR_STALL), ROW(protocols, state, GET_M, state, DIR_STALL), \
  ROW(protocols, state, PUT, state, DIR_STALL)

static const struct protocol_row dir_rows[] = {
  ROW(BOTH, NP,     GET_S,        FETCH,  DIR_SEND_FETCH),
  ROW(BOTH, NP,     GET_M,        FETCH,  DIR_SEND_FETCH),
  ROW(BOTH, NP,     PUT_STALE,    NP,     DIR_SEND_PUT_ACK),

  ROW(BOTH, V,      GET_S,        GIVE_V, DIR_SEND_ORDER | DIR_SEND_DATA_S | DIR_ADD_SHARER),
  ROW(MESI, V,      GET_E,        GIVE_X, DIR_SEND_ORDER | DIR_SEND_DATA_E | DIR_SET_OWNER),
  ROW(MESI, V,      GET_M,        GIVE_X, DIR_SEND_INVALIDATE | DIR_SEND_DATA_M | DIR_SET_OWNER),
  ROW(MESI, V,      UPGRADE,      GIVE_X, DIR_SEND_INVALIDATE | DIR_SEND_GRANT | DIR_SET_OWNER),
  ROW(MOSI, V,      GET_M,        GIVE_O, DIR_SEND_INVALIDATE | DIR_SEND_DATA_M | DIR_SET_OWNER),
  ROW(MOSI, V,      UPGRADE,      GIVE_O, DIR_SEND_INVALIDATE | DIR_SEND_GRANT | DIR_SET_OWNER),
  ROW(BOTH, V,      PUT_STALE,    V,      DIR_SEND_PUT_ACK),
  ROW(BOTH, V,      REPLACE,      EVICT,  DIR_SEND_RECALL),

  ROW(MESI, X,      GET_S,        COPY,   DIR_SEND_FORWARD_S | DIR_NO_OWNER | DIR_ADD_SHARER),
  ROW(MESI, X,      GET_M,        GIVE_X, DIR_SEND_FORWARD_M | DIR_SET_OWNER),
  ROW(MESI, X,      PUT_DIRTY,    V,      DIR_TAKE_DATA | DIR_NO_OWNER | DIR_SEND_PUT_ACK),
  ROW(MESI, X,      PUT_CLEAN,    V,      DIR_NO_OWNER | DIR_SEND_PUT_ACK),
  ROW(MESI, X,      PUT_STALE,    X,      DIR_SEND_PUT_ACK),
  ROW(MESI, X,      REPLACE,      EVICT,  DIR_SEND_RECALL),

  ROW(MOSI, O,      GET_S,        GIVE_O, DIR_SEND_FORWARD_S | DIR_ADD_SHARER),
  ROW(MOSI, O,      GET_M,        GIVE_O, DIR_SEND_INVALIDATE | DIR_SEND_FORWARD_M | DIR_SET_OWNER),
  ROW(MOSI, O,      UPGRADE,      GIVE_O, DIR_SEND_INVALIDATE | DIR_SEND_GRANT | DIR_SET_OWNER),
  ROW(MOSI, O,      PUT_DIRTY,    V,      DIR_TAKE_DATA | DIR_NO_OWNER | DIR_SEND_PUT_ACK),
  ROW(MOSI, O,      PUT_STALE,    O,      DIR_SEND_PUT_ACK),
  ROW(MOSI, O,      REPLACE,      EVICT,  DIR_SEND_RECALL),

  BUSY(BOTH, FETCH),
  ROW(MOSI, FETCH,  MEMORY_S,     GIVE_V, DIR_TAKE_DATA | DIR_SEND_ORDER | DIR_SEND_DATA_S | DIR_ADD_SHARER),
  ROW(MESI, FETCH,  MEMORY_S,     GIVE_V, DIR_TAKE_DATA | DIR_SEND_ORDER | DIR_SEND_DATA_S | DIR_ADD_SHARER),
  ROW(MESI, FETCH,  MEMORY_E,     GIVE_X, DIR_TAKE_DATA | DIR_SEND_ORDER | DIR_SEND_DATA_E | DIR_SET_OWNER),
  ROW(MESI, FETCH,  MEMORY_M,     GIVE_X, DIR_TAKE_DATA | DIR_SEND_ORDER | DIR_SEND_DATA_M | DIR_SET_OWNER),
  ROW(MOSI, FETCH,  MEMORY_M,     GIVE_O, DIR_TAKE_DATA | DIR_SEND_ORDER | DIR_SEND_DATA_M | DIR_SET_OWNER),

  BUSY(BOTH, GIVE_V),
  ROW(BOTH, GIVE_V, UNBLOCK,      V,      0),
  BUSY(MESI, GIVE_X),
  ROW(MESI, GIVE_X, UNBLOCK,      X,      0),
  BUSY(MOSI, GIVE_O),
  ROW(MOSI, GIVE_O, UNBLOCK,      O,      0),
  BUSY(MESI, COPY),
  ROW(MESI, COPY,   COPY_BACK,    GIVE_V, DIR_TAKE_DATA),
  ROW(MESI, COPY,   UNBLOCK,      COPY_U, 0),
  BUSY(MESI, COPY_U),
  ROW(MESI, COPY_U, COPY_BACK,    V,      DIR_TAKE_DATA),
  BUSY(BOTH, EVICT),
  ROW(BOTH, EVICT,  RECALL_ACK,   EVICT,  DIR_TAKE_DATA | DIR_COUNT),
  ROW(BOTH, EVICT,  RECALL_LAST,  NP,     DIR_TAKE_DATA | DIR_COUNT | DIR_WRITE_BACK),
};
/* clang-format on */

void protocol_load(struct protocol_table *table, enum sim_protocol protocol) {
  memset(table, 0, sizeof *table);
  for (unsigned n = 0; n < sizeof l1_rows / sizeof *l1_rows; n++) {
    const struct protocol_row *row = &l1_rows[n];
    if (!(row->protocols & 1 << protocol)) continue;
    CHECK(!table->l1[row->state][row->event], "two rows for %s, %s", l1_state_names[row->state],
          l1_event_names[row->event]);
    table->l1[row->state][row->event] = row;
  }
  for (unsigned n = 0; n < sizeof dir_rows / sizeof *dir_rows; n++) {
    const struct protocol_row *row = &dir_rows[n];
    if (!(row->protocols & 1 << protocol)) continue;
    CHECK(!table->dir[row->state][row->event], "two rows for %s, %s", dir_state_names[row->state],
          dir_event_names[row->event]);
    table->dir[row->state][row->event] = row;
  }
}

/* One of the two tables, each row of output a state. */
static unsigned print(const char *title, unsigned states, unsigned events, const char *const *state_names,
                      const char *const *event_names, const struct protocol_row *const *rows,
                      const uint64_t *taken, FILE *out) {
  unsigned missing = 0;
  fprintf(out, "%s\n", title);
  for (unsigned state = 0; state < states; state++)
    for (unsigned event = 0; event < events; event++) {
      const struct protocol_row *row = rows[state * events + event];
      if (!row) continue;
      uint64_t count = taken[state * events + event];
      fprintf(out, "  %-7s %-13s", state_names[state], event_names[event]);
      if (count)
        fprintf(out, "%14lu -> %s\n", (unsigned long)count, state_names[row->next]);
      else
        fprintf(out, "         never -> %s\n", state_names[row->next]);
      missing += !count;
    }
  return missing;
}

unsigned protocol_coverage(const struct protocol_table *table, FILE *out) {
  return print("private cache", L1_STATES_COUNT, L1_EVENTS_COUNT, l1_state_names, l1_event_names,
               table->l1[0], table->l1_taken[0], out) +
         print("directory", DIR_STATES_COUNT, DIR_EVENTS_COUNT, dir_state_names, dir_event_names,
               table->dir[0], table->dir_taken[0], out);
}
