/* verify.c: digests of registers and memory. See verify.h.
 *
 * A page of zeros counts for nothing, so it is of no importance which pages the kernel has made yet. Every other page counts
 * with its address, and the sum does not depend on the order of pages: mappings may be cut in other places. */
#include "engine/verify.h"

#include <linux/fcntl.h>
#include <linux/ioctl.h>
#include <linux/mman.h>

#include "engine/confine.h"
#include "engine/lib.h"
#include "engine/log.h"
#include "engine/mappings.h"
#include "engine/maps.h"
#include "engine/slots.h"
#include "input/digest.h"

/* -- Memory -------------------------------------------------------------------------------------------------------------------- */

enum { PAGEMAP_BATCH = 512 };
#define PAGEMAP_THERE (3UL << 62) /* in memory, or swapped out */
#define PAGEMAP_FILE (1UL << 61)  /* still the file's: how many of these there are is up to the kernel */

/* The kernel's struct pm_scan_arg and struct page_region, of Linux 6.7. */
struct scan {
  uint64_t size, flags, start, end, walk_end, regions, region_count, pages;
  uint64_t inverted, all_of, any_of, returned;
};
struct scan_region {
  uint64_t start, end, categories;
};
#define SCAN _IOWR('f', 16, struct scan)
enum { SCAN_FILE = 4, SCAN_PRESENT = 8, SCAN_SWAPPED = 16, SCAN_BATCH = 64 };

struct survey {
  long pagemap; /* descriptor of it, or an error: then every page is visited */
  bool files;   /* pages that are still the file's count, too */
  void (*visit)(void *context, uintptr_t page);
  void *context;
};

static bool is_zero(const uint64_t *page) {
  uint64_t any = 0;
  for (size_t i = 0; i < PAGE / sizeof *page; i++) any |= page[i];
  return !any;
}

static void add_page(void *sum, uintptr_t address) {
  uint64_t page[PAGE / sizeof(uint64_t)];
  if (safe_copy(page, (const void *)address, PAGE) || is_zero(page)) return;
  uint64_t digest = input_digest(address, page, PAGE);
  LOG(checks, "page %lx: %lx", address, digest);
  *(uint64_t *)sum += digest;
}

/* Looks only where there is something: the sanitizers have terabytes with nothing in them. False on an older kernel. */
static bool scan_range(const struct survey *survey, uintptr_t start, uintptr_t end) {
  struct scan_region regions[SCAN_BATCH];
  while (start < end) {
    struct scan scan = {.size = sizeof scan,
                        .start = start,
                        .end = end,
                        .regions = (uintptr_t)regions,
                        .region_count = SCAN_BATCH,
                        .inverted = survey->files ? 0 : SCAN_FILE,
                        .all_of = survey->files ? 0 : SCAN_FILE,
                        .any_of = SCAN_PRESENT | SCAN_SWAPPED,
                        .returned = SCAN_PRESENT | SCAN_SWAPPED};
    long found = os_call3(__NR_ioctl, survey->pagemap, SCAN, &scan);
    if (found < 0) return false;
    for (long i = 0; i < found; i++)
      for (uintptr_t page = regions[i].start; page < regions[i].end; page += PAGE)
        survey->visit(survey->context, page);
    start = scan.walk_end;
  }
  return true;
}

static void survey_range(const struct survey *survey, uintptr_t start, uintptr_t end) {
  if (scan_range(survey, start, end)) return;
  uint64_t entries[PAGEMAP_BATCH];
  while (start < end) {
    size_t pages = MIN((end - start) / PAGE, PAGEMAP_BATCH);
    long got = os_call4(__NR_pread64, survey->pagemap, entries, pages * sizeof *entries,
                        start / PAGE * sizeof *entries);
    bool known = got == (long)(pages * sizeof *entries);
    for (size_t i = 0; i < pages; i++)
      if (!known || (entries[i] & PAGEMAP_THERE && (survey->files || !(entries[i] & PAGEMAP_FILE))))
        survey->visit(survey->context, start + i * PAGE);
    start += pages * PAGE;
  }
}

/* Memory shared with others than this process is not looked at: it is theirs as well. The engine may have taken the
 * permission to write away, to watch code, so its own book is asked too. */
static void survey_mapping(const struct maps_line *line, void *context) {
  struct mapping known;
  const char *permissions = strchr(line->text, ' ');
  if (!line->header || !permissions || permissions[4] != 'p' || mappings_in_engine(line->start, 1)) return;
  bool writable = permissions[2] == 'w';
  if (mappings_find(line->start, &known)) writable |= known.prot & PROT_WRITE && !known.shared;
  if (writable && permissions[1] == 'r') survey_range(context, line->start, line->end);
}

/* The first thread, which /proc/self shows, may be gone. */
bool verify_visit_memory(void (*visit)(void *context, uintptr_t page), void *context, bool files) {
  struct survey survey = {.pagemap = os_call4(__NR_openat, AT_FDCWD, own_pagemap, O_RDONLY | O_CLOEXEC, 0),
                          .files = files,
                          .visit = visit,
                          .context = context};
  /* Which pages are files' nobody tells then, and to look at all of them would make them. */
  if (files && survey.pagemap < 0) return false;
  bool done = maps_visit(own_maps, survey_mapping, &survey);
  if (survey.pagemap >= 0) os_call1(__NR_close, survey.pagemap);
  return done;
}

static bool memory_digest(uint64_t *digest) {
  *digest = 0;
  return verify_visit_memory(add_page, digest, false);
}

/* -- Checks -------------------------------------------------------------------------------------------------------------------- */

uint32_t verify_registers(const struct thread *thread) {
  uint64_t digest = arch_registers_digest(thread);
  return (uint32_t)(digest ^ digest >> 32);
}

static bool memory_is_due(struct thread *thread, bool process_ends) {
  struct rthread *rthread = thread->rthread;
  uint64_t position = arch_position(thread);
  if (!config.check_memory) return false;
  if (!process_is_alone()) return false; /* another process, which goes on, has this memory, too */
  if (!process_ends && position - rthread->memory_checked < config.check_memory) return false;
  rthread->memory_checked = position;
  return true;
}

void verify_record(struct thread *thread, bool process_ends) {
  struct input_event event = {.kind = EVENT_CHECK,
                              .check = {.pc = arch_pc(thread), .registers = verify_registers(thread)}};
  event.check.has_memory = memory_is_due(thread, process_ends) && memory_digest(&event.check.memory);
  record_event(thread, &event);
}

static void compare_registers(struct thread *thread, uint32_t expected) {
  uint32_t got = verify_registers(thread);
  if (got != expected)
    replay_diverged(thread, "expected registers with the digest 0x%x, got 0x%x", expected, got);
}

void verify_call(struct thread *thread) {
  const struct input_event *event = replay_peek(thread);
  if (event && event->kind == EVENT_SYSCALL && event->syscall.has_registers &&
      event->position == arch_position(thread))
    compare_registers(thread, event->syscall.registers);
}

bool verify_is_ahead(struct thread *thread) {
  const struct input_event *event = replay_peek(thread);
  return event && event->kind == EVENT_CHECK && event->position == arch_position(thread) &&
         event->check.pc != arch_pc(thread);
}

void verify_replay(struct thread *thread) {
  const struct input_event *event = replay_peek(thread);
  if (!event || event->kind != EVENT_CHECK || event->position != arch_position(thread)) return;
  if (event->check.pc != arch_pc(thread))
    replay_diverged(thread, "expected to be at pc 0x%lx, got here", event->check.pc);
  compare_registers(thread, event->check.registers);
  uint64_t memory;
  if (event->check.has_memory && memory_digest(&memory) && event->check.memory != memory)
    replay_diverged(thread, "expected memory with the digest 0x%lx, got 0x%lx", event->check.memory, memory);
  replay_consume(thread);
}
