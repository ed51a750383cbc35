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

enum { BYTES = 4096, BATCH = 512 };

/* -- Memory ---------------------------------------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *page) {
  return !page[0] && !memcmp(page, page + 1, BYTES - 1);
}

static uint64_t digest_pages(const struct session *session, uint32_t slot, uint64_t address, size_t pages) {
  static uint8_t bytes[BATCH * BYTES];
  uint64_t sum = 0;
  size_t count = target_read(session, slot, address, bytes, pages * BYTES) / BYTES;
  for (size_t i = 0; i < count; i++)
    if (!is_zero(bytes + i * BYTES)) sum += input_digest(address + i * BYTES, bytes + i * BYTES, BYTES);
  return sum;
}

/* Memory without a file may be huge and never have been touched: such pages are left out. */
static uint64_t digest_mapping(const struct session *session, uint32_t slot, const struct mapping *mapping,
                               int pagemap) {
  const uint64_t there = 3UL << 62; /* in memory, or swapped out */
  uint64_t sum = 0;
  for (uint64_t at = mapping->start; at < mapping->end; at += (uint64_t)BATCH * BYTES) {
    uint64_t entries[BATCH];
    size_t pages = (mapping->end - at) / BYTES < BATCH ? (size_t)(mapping->end - at) / BYTES : BATCH;
    size_t bytes = pages * sizeof *entries;
    bool known = !mapping->has_file &&
                 pread(pagemap, entries, bytes, (off_t)(at / BYTES * sizeof *entries)) == (ssize_t)bytes;
    if (!known) sum += digest_pages(session, slot, at, pages);
    for (size_t i = 0; known && i < pages; i++)
      if (entries[i] & there) sum += digest_pages(session, slot, at + i * BYTES, 1);
  }
  return sum;
}

static bool is_of_kernel(const struct mapping *mapping) {
  return !strncmp(mapping->path, "[v", 2); /* [vdso], [vvar], [vsyscall] */
}

static uint64_t digest_memory(const struct session *session, uint32_t slot) {
  static struct mapping mapping;
  char *text = mappings_open(session, slot), *rest = text;
  int pagemap = target_open(session, slot, "pagemap");
  uint64_t sum = 0;
  while (mapping_next(session, &rest, &mapping))
    if (!is_of_kernel(&mapping)) sum += digest_mapping(session, slot, &mapping, pagemap);
  if (pagemap >= 0) close(pagemap);
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
  return target_find(session, target_thread(session, slot)->pid, 0) == (int)slot;
}

/* Sums, since threads may have other slots in another replay. */
uint64_t session_digest(const struct session *session) {
  const struct debug_moment *moment = &session->stop.moment;
  const uint64_t where[] = {moment->turn, moment->position, moment->thread, moment->event};
  uint64_t threads = 0, memory = 0;
  for (int slot = -1; (slot = target_next(session, (uint32_t)(slot + 1))) >= 0;) {
    threads += digest_thread(session, (uint32_t)slot);
    uint64_t pid = (uint32_t)target_thread(session, (uint32_t)slot)->pid;
    if (!leads(session, (uint32_t)slot)) continue;
    uint64_t pages = digest_memory(session, (uint32_t)slot);
    memory += input_digest(pid, &pages, sizeof pages);
  }
  const uint64_t parts[] = {threads, memory};
  return input_digest(input_digest(0, where, sizeof where), parts, sizeof parts);
}
