/* verify.c: digests of registers and memory. See verify.h.
 *
 * A page of zeros adds nothing to the digest, so pages that the kernel has not allocated yet make no difference. Every other page counts
 * with its address, and the sum does not depend on the order of pages: mappings may be cut in other places. */
#include "engine/memory/verify.h"

#include <linux/fcntl.h>
#include <linux/ioctl.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/time.h>

#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/mapping_book.h"
#include "engine/memory/maps.h"
#include "engine/region/endings.h"
#include "engine/region/reader.h"
#include "engine/region/turns.h"
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

/* The pages that count: all, or a sample of them. A page's level depends on its address only, not on the other pages; half of
 * the pages have level 0, a quarter level 1, and so on. */
struct tally {
  uint64_t salt; /* another one, another sample */
  uint64_t room; /* for pages: where there are more, those of the lowest level are left out */
  uint32_t sample;
  uint64_t count, counts[EVENT_SAMPLE_LAST + 1], sums[EVENT_SAMPLE_LAST + 1];
};

static uint32_t level_of(uintptr_t address, uint64_t salt) {
  uint64_t mixed = (address / PAGE ^ salt) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93;
  mixed ^= mixed >> 32;
  return mixed ? MIN((uint32_t)__builtin_clzl(mixed), EVENT_SAMPLE_LAST) : EVENT_SAMPLE_LAST;
}

static void add_page(void *context, uintptr_t address) {
  struct tally *tally = context;
  uint64_t page[PAGE / sizeof(uint64_t)];
  uint32_t level = level_of(address, tally->salt);
  if (level < tally->sample) return;
  tally->counts[level]++;
  tally->count++;
  while (tally->count > tally->room && tally->sample < EVENT_SAMPLE_LAST)
    tally->count -= tally->counts[tally->sample++];
  if (level < tally->sample || safe_copy(page, (const void *)address, PAGE) || is_zero(page)) return;
  uint64_t digest = input_digest(address, page, PAGE);
  LOG(checks, "page %lx: %lx", address, digest);
  tally->sums[level] += digest;
}

/* Visits only allocated pages: the sanitizers map terabytes that stay empty. False on an older kernel. */
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

/* Memory shared with other processes is not checked: it is theirs as well. The engine may have taken the
 * write permission away, to watch code, so its own book is asked too; a mapping that is not in the book is an emulator's. */
static void survey_mapping(const struct maps_line *line, void *context) {
  struct mapping known;
  const char *permissions = strchr(line->text, ' ');
  if (!line->header || !permissions || permissions[4] != 'p' || mappings_in_engine(line->start, 1)) return;
  if (!mappings_find(line->start, &known)) return;
  bool writable = permissions[2] == 'w' || (known.prot & PROT_WRITE && !known.shared);
  if (writable && permissions[1] == 'r') survey_range(context, line->start, line->end);
}

/* Not /proc/self, which shows the first thread: that may be gone. */
bool verify_visit_memory(void (*visit)(void *context, uintptr_t page), void *context, bool files) {
  struct survey survey = {.pagemap = os_call4(__NR_openat, AT_FDCWD, own_pagemap, O_RDONLY | O_CLOEXEC, 0),
                          .files = files,
                          .visit = visit,
                          .context = context};
  /* Then it is unknown which pages are files', and reading all of them would allocate them. */
  if (files && survey.pagemap < 0) return false;
  bool done = maps_visit(own_maps, survey_mapping, &survey);
  if (survey.pagemap >= 0) os_call1(__NR_close, survey.pagemap);
  return done;
}

static bool memory_digest(struct tally *tally, uint64_t *digest) {
  *digest = 0;
  if (!verify_visit_memory(add_page, tally, false)) return false;
  for (uint32_t level = tally->sample; level <= EVENT_SAMPLE_LAST; level++) *digest += tally->sums[level];
  return true;
}

/* -- What it may cost ------------------------------------------------------------------------------------------------------------ */

/* Checks at the ends of processes may take a hundredth of the processes' time; and FIRST_NS besides, less than starting the engine takes, so that
 * short programs are checked, too. Time that one process leaves over is for those that end later. */
enum { SHARE = 100, FIRST_NS = 2000000 };

/* Measured costs: to begin, to find a page, and to make its digest. The sample becomes sparser on the way, so some digests are made in vain. */
enum { BEGIN_NS = 50000, FIND_NS = 60, DIGEST_NS = 1000, IN_VAIN = 2 };

static int64_t read_clock(int clock) {
  struct {
    int64_t seconds, nanoseconds;
  } now = {0, 0};
  os_call2(__NR_clock_gettime, clock, &now);
  return now.seconds * 1000000000 + now.nanoseconds;
}

/* The most pages that the process ever had in memory at a time. */
static uint64_t resident_pages(void) {
  struct rusage usage = {0};
  os_call2(__NR_getrusage, RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_maxrss / (PAGE / 1024);
}

/* The digest of memory at the end of a process, unless that would cost too much. */
static bool digest_end(struct tally *tally, uint64_t *digest) {
  int64_t budget = read_clock(CLOCK_PROCESS_CPUTIME_ID) / SHARE + atomic_exchange(&region->check_budget, 0);
  int64_t begun = read_clock(CLOCK_THREAD_CPUTIME_ID);
  uint64_t resident = resident_pages(); /* the engine's among them, and shared ones */
  int64_t left = budget - BEGIN_NS - (int64_t)resident * FIND_NS;
  bool done = false;
  if (left > 0) {
    tally->room = (uint64_t)left / DIGEST_NS / IN_VAIN + 1;
    while (resident / 4 >> tally->sample > tally->room && tally->sample < EVENT_SAMPLE_LAST) tally->sample++;
    done = memory_digest(tally, digest);
  }
  atomic_fetch_add(&region->check_budget, budget - (read_clock(CLOCK_THREAD_CPUTIME_ID) - begun));
  return done;
}

void verify_found(void) {
  atomic_store(&region->check_budget, FIRST_NS);
}

/* -- Checks -------------------------------------------------------------------------------------------------------------------- */

static bool memory_is_due(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  uint64_t position = arch_position(thread);
  if (!config.check_memory || !turns->alone || position - rthread->memory_checked < config.check_memory)
    return false;
  rthread->memory_checked = position;
  return true;
}

void verify_record(struct thread *thread, bool process_ends) {
  struct input_event event = {.kind = EVENT_CHECK,
                              .check = {.pc = arch_pc(thread), .registers = registers_digest(thread)}};
  struct tally tally = {.salt = arch_position(thread), .room = UINT64_MAX};
  if (process_ends && !config.check_memory && !sync_on())
    event.check.has_memory = digest_end(&tally, &event.check.memory);
  else if (process_ends || memory_is_due(thread))
    event.check.has_memory = memory_digest(&tally, &event.check.memory);
  event.check.sample = tally.sample;
  record_event(thread, &event);
}

/* Within a stop of so long for the pages that were found: larger memory is sampled, at other pages each time. */
enum { EPOCH_NS = 20000000 };

void verify_record_epoch(struct thread *thread, uint32_t epoch, bool alone) {
  struct input_event event = {
      .kind = EVENT_CHECK,
      .check = {
          .pc = arch_pc(thread), .registers = registers_digest(thread), .epoch = epoch, .alone = alone}};
  struct tally tally = {.salt = arch_position(thread), .room = EPOCH_NS / DIGEST_NS / IN_VAIN};
  if (alone) event.check.has_memory = memory_digest(&tally, &event.check.memory);
  event.check.sample = tally.sample;
  record_event(thread, &event);
}

static void compare_registers(struct thread *thread, uint32_t expected) {
  uint32_t got = registers_digest(thread);
  if (got != expected)
    replay_diverged(thread, "expected registers with the digest 0x%x, got 0x%x", expected, got);
}

void verify_call(struct thread *thread) {
  const struct input_event *event = replay_peek(thread);
  if (event && event->kind == EVENT_SYSCALL && event->syscall.has_registers &&
      event->position == arch_position(thread))
    compare_registers(thread, event->syscall.registers);
}

struct verify_memory verify_replay_registers(struct thread *thread) {
  const struct input_event *event = replay_peek(thread);
  struct verify_memory memory = {0};
  if (!event || event->kind != EVENT_CHECK || event->position != arch_position(thread)) return memory;
  if (event->check.pc != arch_pc(thread))
    replay_diverged(thread, "expected to be at pc 0x%lx, got here", event->check.pc);
  compare_registers(thread, event->check.registers);
  memory = (struct verify_memory){event->check.has_memory, event->check.sample, event->position,
                                  event->check.memory};
  replay_consume(thread);
  return memory;
}

bool verify_memory_differs(const struct verify_memory *expected, uint64_t *digest) {
  struct tally tally = {.salt = expected->position, .room = UINT64_MAX, .sample = expected->sample};
  return expected->known && memory_digest(&tally, digest) && *digest != expected->digest;
}

void verify_replay_memory(struct thread *thread, const struct verify_memory *expected) {
  uint64_t digest;
  if (verify_memory_differs(expected, &digest))
    replay_diverged(thread, "expected memory with the digest 0x%lx, got 0x%lx", expected->digest, digest);
}

void verify_replay(struct thread *thread) {
  struct verify_memory memory = verify_replay_registers(thread);
  verify_replay_memory(thread, &memory);
}
