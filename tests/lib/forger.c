/* forger.c: a program for tests/cli/hostile.sh that, when it is replayed, puts other numbers into the memory that it shares with the manager.
 *
 * It is recorded with HOSTILE 0, when it only says hello, and replayed with the same code but HOSTILE 1. What it writes is number WHICH of the list below.
 * The manager sees it at the latest when the replay has come to its end, in whatever way. VICTIM is a process of the test's that nobody may signal. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "contract/engine.h"
#include "contract/region.h"

static volatile int hostile __attribute__((section(".data"))) = HOSTILE; /* at the same place in both */

static void forge(struct region *region) {
  struct rthread *own = &region->slots[0], *other = &region->slots[1];
  switch (WHICH) {
    case 0: /* counts */
      region->slots_used = region->slots_most = region->slots_open = region->threads = UINT32_MAX;
      region->live = region->processes = region->object_count = UINT32_MAX;
      break;
    case 1: /* a thread that no recording can have, live */
      other->number = UINT32_MAX - 1;
      other->pid = other->tid = VICTIM;
      other->replay.summoned = 1;
      region->slots_used = 2;
      other->state = SLOT_LIVE;
      break;
    case 2: /* the same, ended; and a state that there is not */
      other->number = 1 << 24;
      region->slots_used = 3;
      region->slots[2].state = 77;
      other->state = SLOT_ENDED;
      break;
    case 3: /* rings that hold more than they have room for */
      own->ring.head = own->ring.tail - 1;
      own->order_log.ring.head = UINT64_MAX;
      own->order_log.ring.tail = 0;
      region->order.head = UINT64_MAX / 2;
      own->ring.ended = 0;
      break;
    case 4: /* a request that there is not */
      region->request_kind = UINT32_MAX;
      region->request_value = INT64_MIN;
      region->request_pid = VICTIM;
      region->request_state = REQUEST_ASKED;
      break;
    case 5: /* a file of the recording that it does not have */
      region->request_kind = REQUEST_OPEN_FILE;
      region->request_value = UINT32_MAX | REQUEST_CHANGES;
      region->request_state = REQUEST_ASKED;
      break;
    case 6: /* the recorder's requests */
      region->request_kind = REQUEST_KEEP_FILE;
      region->request_pid = VICTIM;
      region->request_value = 0;
      region->request_state = REQUEST_ASKED;
      break;
    case 7: /* an end that there is not, with a text without an end */
      memset(region->ending.text, '\033', sizeof region->ending.text);
      region->ending.unwritable.descriptor = region->ending.unwritable.error = INT32_MIN;
      region->ending.thread = UINT32_MAX;
      region->signo = UINT32_MAX;
      region->outcome = 1000;
      break;
    case 8: /* processes of others */
      own->pid = own->tid = own->former = VICTIM;
      own->replay.summoned = 1;
      region->finished = 1;
      region->manager = VICTIM;
      break;
    case 9: /* the chunk that is open, and who has the baton */
      region->open_chunk = region->holder = region->open_number = UINT32_MAX;
      region->killed = UINT32_MAX;
      break;
    case 10: /* locks that nobody gives back */
      region->lock = region->request_lock = VICTIM;
      region->births_held = UINT32_MAX;
      break;
    default: /* all of what comes before the rings of the threads */
      memset((char *)region + 4096, 0xff, offsetof(struct region, order) - 4096);
      break;
  }
}

int main(void) {
  if (hostile) forge((struct region *)REGION_BASE);
  return puts("hello") < 0;
}
