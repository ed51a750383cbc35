/* digest.c: a digest of the state where the replay stands: the registers of all threads, and the memory of all processes.
 *
 * It is the same whenever a replay stands at the same moment, whichever way it has come: by it, tests compare whole states. A page of zeros counts
 * for nothing, so it does not matter which pages the kernel has allocated; every other page counts with its address, so it does not matter where
 * mappings are cut. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/description.h"
#include "debug/session.h"
#include "input/digest.h"

/* -- Memory ---------------------------------------------------------------------------------------------------------------- */

static bool digest_page(void *context, uint64_t address, const uint8_t *page) {
  *(uint64_t *)context += input_digest(address, page, MEMORY_PAGE);
  return true;
}

static uint64_t digest_memory(const struct session *session, uint32_t slot) {
  static struct mapping mapping;
  char *text = mappings_open(session, slot), *rest = text;
  uint64_t sum = 0;
  while (mapping_next(session, &rest, &mapping))
    if (!mapping_is_of_kernel(&mapping)) memory_visit(session, slot, &mapping.memory, digest_page, &sum);
  free(text);
  return sum;
}

/* -- Threads --------------------------------------------------------------------------------------------------------------- */

static uint64_t digest_thread(const struct session *session, uint32_t slot) {
  const struct debug_thread *thread = target_thread(session, slot);
  const uint64_t own[] = {session->run.region->slots[slot].number, (uint32_t)thread->pid,
                          (uint32_t)thread->tid, thread->position, thread->events};
  char name[16] = {0};
  target_name(session, slot, name);
  uint64_t digest = input_digest(input_digest(0, own, sizeof own), name, strlen(name));
  return input_digest(digest, target_registers(session, slot), description_bytes());
}

/* True if no thread of a lower slot is of the same process. */
static bool leads(const struct session *session, uint32_t slot) {
  int other = target_next_of_all(session, 0);
  while (target_thread(session, (uint32_t)other)->pid != target_thread(session, slot)->pid)
    other = target_next_of_all(session, (uint32_t)other + 1);
  return other == (int)slot;
}

/* Sums, since threads may have other slots in another replay. */
uint64_t session_digest(const struct session *session) {
  const struct debug_moment *moment = &session->stop.moment;
  const uint64_t where[] = {moment->turn, moment->position, moment->thread, moment->event};
  uint64_t threads = 0, memory = 0;
  for (int slot = -1; (slot = target_next_of_all(session, (uint32_t)(slot + 1))) >= 0;) {
    threads += digest_thread(session, (uint32_t)slot);
    uint64_t pid = (uint32_t)target_thread(session, (uint32_t)slot)->pid;
    if (!leads(session, (uint32_t)slot)) continue;
    uint64_t pages = digest_memory(session, (uint32_t)slot);
    memory += input_digest(pid, &pages, sizeof pages);
  }
  const uint64_t parts[] = {threads, memory};
  return input_digest(input_digest(0, where, sizeof where), parts, sizeof parts);
}
