/* message.h: the messages between caches, directory and devices.
 *
 * Nodes are the private caches: node p is the data cache of port p (a hart or a device), node P + h the instruction cache of hart h, when
 * there are P ports. A message goes to a node, or to the directory: the L2 bank that is the block's home. */
#ifndef REPRISE_SIM_MESSAGE_H
#define REPRISE_SIM_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/caches/node_set.h"
#include "sim/machine/memory.h"

#define MESSAGE_KINDS(X)                                                                                     \
  X(GET_S)      /* request a copy to read */                                                                 \
  X(GET_M)      /* request the permission to write, with the data */                                         \
  X(UPGRADE)    /* the same, by a node that has the data */                                                  \
  X(PUT)        /* give the ownership back: clean, or dirty with the data */                                 \
  X(FORWARD_S)  /* directory to owner: send a copy to the requester */                                       \
  X(FORWARD_M)  /* directory to owner: send the data to the requester and give it up */                      \
  X(INVALIDATE) /* directory to sharer: give it up, acknowledge to the requester */                          \
  X(RECALL)     /* directory to owner or sharer: the block leaves the L2 */                                  \
  X(ORDER)      /* directory to last writer or proxy: acknowledge to the requester, for the recorder only */ \
  X(DATA)       /* to the requester, with the number of acknowledgements to wait for */                      \
  X(GRANT)      /* the same without data, after UPGRADE */                                                   \
  X(ACK)        /* to the requester, from a sharer, last writer or proxy */                                  \
  X(PUT_ACK)    /* directory to the sender of PUT */                                                         \
  X(COPY_BACK)  /* owner to directory: the data, after FORWARD_S */                                          \
  X(UNBLOCK)    /* requester to directory: done */                                                           \
  X(RECALL_ACK) /* owner or sharer to directory, after RECALL */                                             \
  X(PROXY_ORDER) /* owner or sharer to the proxy, after RECALL: for the recorder only */                     \
  X(PROXY_ACK)   /* proxy to directory */                                                                    \
  X(MEMORY)      /* memory to directory: the data */                                                         \
  X(WAKE)        /* thread to thread, in replay: what you wait for is over */

enum message_kind {
#define X(name) MESSAGE_##name,
  MESSAGE_KINDS(X)
#undef X
      MESSAGE_KINDS_COUNT
};

struct message {
  struct message *older; /* all there are */
  struct message *next;  /* in a list of free or waiting ones */
  struct caches *caches;
  uint64_t block;    /* physical address of the line */
  uint8_t kind;      /* enum message_kind */
  uint8_t from, to;  /* nodes; NOBODY: the directory */
  uint8_t requester; /* node on whose behalf the directory asks;  */
  uint8_t grant;     /* DATA: enum l1_state. */
  int16_t
      acks; /* FORWARD_M, DATA, GRANT: acknowledgements that the requester waits for. RECALL_ACK: PROXY_ORDER sent */
  bool has_data; /* data below are of meaning, and … */
  bool dirty;    /* … differ from what the L2 has */
  bool proxy;    /* ORDER: the receiver is asked as the block's proxy */
  bool ordered;  /* it carries a note of the recorder's */
  uint8_t data[LINE_BYTES];
};

#endif
