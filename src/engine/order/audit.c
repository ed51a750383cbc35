/* audit.c: see audit.h. */
#include "engine/order/audit.h"

#if defined(REPRISE_STRESS_AUDIT)
#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_book.h"
#include "engine/base/slots.h"
#include "engine/memory/verify.h"
#include "engine/order/permissions.h"
#include "engine/order/written_memory.h"
#include "engine/region/endings.h"
#include "engine/region/turns.h"

/* -- Named memory -------------------------------------------------------------------------------------------------------------------- */

enum { NAMED_LIMIT = 8192, PAGES_LIMIT = 1 << 17 };

struct range {
  uintptr_t start, end;
};

/* The memory of this process before a call: the last copy that any thread has made. */
static struct {
  uint64_t number; /* changes whenever another thread may have run */
  const struct thread *last;
  uint64_t taken;            /* number of the copy, 0: there is none */
  size_t pages, named;       /* counts */
  struct range *names;       /* NAMED_LIMIT of them */
  uintptr_t *addresses;      /* of the pages, ascending … */
  uint8_t (*contents)[PAGE]; /* … and what they held */
  size_t next;               /* where the search goes on */
  struct range found;        /* the first run of bytes that no row names */
  const struct thread
      *interrupted; /* whose last call a signal kept from being made while memory was copied */
} audit = {.number = 1};

static void count(enum region_audit_kind kind) {
  atomic_fetch_add_explicit(&region->audit[kind], 1, memory_order_relaxed);
}

void audit_passes(enum region_audit_kind why) {
  count(why);
}

static void map_copies(void) {
  size_t bytes = NAMED_LIMIT * sizeof *audit.names + PAGES_LIMIT * (sizeof *audit.addresses + PAGE) + PAGE;
  long at = os_call6(__NR_mmap, AUDIT_BASE, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) sphere_fail(OUTCOME_FAILED, "audit: no memory");
  audit.names = (void *)at;
  audit.addresses = (void *)(audit.names + NAMED_LIMIT);
  audit.contents = (void *)ALIGN_UP((uintptr_t)(audit.addresses + PAGES_LIMIT), PAGE);
}

static void name(uintptr_t start, size_t bytes) {
  if (audit.named == NAMED_LIMIT) sphere_fail(OUTCOME_FAILED, "audit: too many pieces");
  audit.names[audit.named++] = (struct range){start, start + bytes};
}

static bool is_named(uintptr_t address) {
  for (size_t i = 0; i < audit.named; i++)
    if (address >= audit.names[i].start && address < audit.names[i].end) return true;
  return false;
}

static long name_piece(void *visitor, const struct input_piece *piece) {
  (void)visitor;
  if (piece->flags & INPUT_WRITES) name(piece->address, piece->bytes);
  return 0;
}

static long name_in_place(void *visitor, const struct bounce_write *write) {
  (void)visitor;
  if (!write->from) name(write->to, write->bytes);
  return 0;
}

/* -- Reports ------------------------------------------------------------------------------------------------------------------------- */

static _Noreturn void report(const struct call *call, long result, const char *what, uintptr_t address,
                             size_t bytes) {
  const struct input_row *row = input_row(call->nr);
  sphere_fail(OUTCOME_FAILED,
              "audit: %s(0x%lx, 0x%lx, 0x%lx, 0x%lx, 0x%lx, 0x%lx) = %ld: %s %lu bytes at 0x%lx",
              row ? row->name : "?", call->args[0], call->args[1], call->args[2], call->args[3],
              call->args[4], call->args[5], result, what, (unsigned long)bytes, address);
}

/* -- Memory -------------------------------------------------------------------------------------------------------------------------- */

/* A program that makes the same call by the hundred thousand, or has much memory, would take hours. Of a call that its row describes
 * completely, without commands, the first ones are checked, ALL_OF or until so many pages were copied for them, and then one in ONE_OF. */
enum { NUMBERS = 512, ALL_OF = 4096, ALL_PAGES = 1 << 20, ONE_OF = 64 };
static struct { _Atomic uint32_t made, pages; } checked[NUMBERS];

static bool is_repeated(const struct call *call) {
  const struct input_row *row = input_row(call->nr);
  if (!row || row->walk || call->nr >= NUMBERS) return false;
  uint32_t made = atomic_fetch_add_explicit(&checked[call->nr].made, 1, memory_order_relaxed);
  return (made >= ALL_OF || checked[call->nr].pages >= ALL_PAGES) && made % ONE_OF;
}

static void count_pages(const struct call *call) {
  if (call->nr < NUMBERS && checked[call->nr].pages < ALL_PAGES)
    atomic_fetch_add_explicit(&checked[call->nr].pages, (uint32_t)audit.pages, memory_order_relaxed);
}

/* Why memory is not checked; AUDIT_LOOKED: it is. A timer may be due again whenever memory has been copied: then the call would never be
 * made. */
static enum region_audit_kind obstacle(struct thread *thread, const struct call *call) {
  if (config.sandboxed) return AUDIT_FILTERS;
  if (!process_is_alone()) return AUDIT_LENT;
  if (turns->takes_memory && !permissions_alone(thread)) return AUDIT_PARALLEL;
  if (audit.interrupted == thread) return AUDIT_INTERRUPTED;
  if (is_repeated(call)) return AUDIT_REPEATED;
  return AUDIT_LOOKED;
}

void audit_turn(const struct thread *thread) {
  if (audit.last != thread) audit.number++;
  audit.last = thread;
}

static void keep_page(void *context, uintptr_t address) {
  (void)context;
  if (audit.pages == PAGES_LIMIT) return;
  if (safe_copy(audit.contents[audit.pages], (const void *)address, PAGE)) return;
  audit.addresses[audit.pages++] = address;
}

void audit_before(struct thread *thread, const struct call *call) {
  enum region_audit_kind why = obstacle(thread, call);
  audit.taken = 0;
  audit.interrupted = NULL;
  if (why != AUDIT_LOOKED) {
    count(why);
    return;
  }
  if (!audit.names) map_copies();
  audit_turn(thread);
  audit.pages = 0;
  bool visited = verify_visit_memory(keep_page, NULL, true);
  count_pages(call);
  if (visited && audit.pages < PAGES_LIMIT)
    audit.taken = audit.number;
  else
    count(AUDIT_UNREADABLE);
}

/* The page's content before; NULL: the page was not there, and so empty, or still a file's. */
static const uint8_t *content_before(uintptr_t address) {
  while (audit.next < audit.pages && audit.addresses[audit.next] < address) audit.next++;
  if (audit.next < audit.pages && audit.addresses[audit.next] == address) return audit.contents[audit.next];
  return NULL;
}

static bool touches_named(uintptr_t start, uintptr_t end) {
  for (size_t i = 0; i < audit.named; i++)
    if (start < audit.names[i].end && end > audit.names[i].start) return true;
  return false;
}

static void compare_page(void *context, uintptr_t address) {
  static const uint8_t zeros[PAGE];
  uint8_t now[PAGE];
  (void)context;
  const uint8_t *before = content_before(address);
  if (audit.found.end || safe_copy(now, (const void *)address, PAGE)) return;
  /* The file's content of a page that has just become the process's own is not known: all of the page counts. */
  if (!before && touches_named(address, address + PAGE)) return;
  if (!before) before = zeros;
  if (!memcmp(now, before, PAGE)) return;
  for (size_t i = 0; i < PAGE; i++) {
    if (now[i] == before[i] || is_named(address + i)) continue;
    size_t end = i;
    while (end < PAGE && now[end] != before[end] && !is_named(address + end)) end++;
    audit.found = (struct range){address + i, address + end};
    return;
  }
}

void audit_memory(struct thread *thread, const struct call *call, struct input_call *in, long result,
                  struct bounce *bounce, bool all) {
  if (!audit.taken) return;
  bool was_alone =
      audit.taken == audit.number && audit.last == thread && !memory_was_written(thread->rthread->pid);
  audit.taken = 0;
  if (result == CALL_INTERRUPTED) audit.interrupted = thread;
  /* Writes through a memory file are logged separately. */
  bool by_file = was_alone && memory_target(call);
  count(!was_alone ? AUDIT_TURNS : by_file ? AUDIT_MEMORY_FILE : AUDIT_LOOKED);
  if (!was_alone || by_file) return;
  audit.named = audit.next = 0;
  audit.found = (struct range){0};
  if (all)
    input_reach(in, name_piece, NULL);
  else if (bounce)
    bounce_leave(bounce, result, name_in_place, NULL);
  else if (result != CALL_INTERRUPTED)
    input_incoming(in, result, name_piece, NULL);
  verify_visit_memory(compare_page, NULL, false);
  if (audit.found.end)
    report(call, result, "no row names the write of", audit.found.start, audit.found.end - audit.found.start);
}

/* -- Copies -------------------------------------------------------------------------------------------------------------------------- */

struct settling {
  const struct call *call;
  const struct bounce *bounce;
  long result;
};

static const struct bounce_copy *copy_at(const struct bounce *bounce, const uint8_t *at) {
  for (size_t i = 0; i < bounce->count; i++)
    if (at >= bounce->copies[i].copy && at < bounce->copies[i].copy + bounce->copies[i].piece.bytes)
      return &bounce->copies[i];
  return NULL;
}

/* Bytes that were filled in with a pattern of their own before the call and still are were not written, though a row says so. A few
 * may be so by chance: four, where programs read gigabytes in large pieces. */
static void expect_written(const struct settling *settling, const struct bounce_write *write,
                           const uint8_t *original) {
  enum { NO_CHANCE = 4, NO_CHANCE_IN_LARGE = 8, LARGE = 1024 };
  const size_t enough = write->bytes < LARGE ? NO_CHANCE : NO_CHANCE_IN_LARGE;
  for (size_t i = 0, run = 0; i < write->bytes; i++) {
    run = write->from[i] == original[i] ? run + 1 : 0;
    if (run == enough)
      report(settling->call, settling->result, "a row names what was not written,", write->to + i + 1 - run,
             run);
  }
}

/* Named bytes count as they are now. */
static long settle(void *visitor, const struct bounce_write *write) {
  const struct settling *settling = visitor;
  const struct bounce_copy *copy = write->from ? copy_at(settling->bounce, write->from) : NULL;
  if (!copy || !copy->original || copy->piece.flags & INPUT_COMPARED) return 0;
  uint8_t *original = copy->original + (write->from - copy->copy);
  if (!(copy->piece.flags & (INPUT_READS | INPUT_PARTIAL))) expect_written(settling, write, original);
  memcpy(original, write->from, write->bytes);
  return 0;
}

void audit_copies(const struct call *call, struct bounce *bounce, long result) {
  struct settling settling = {call, bounce, result};
  if (result == CALL_INTERRUPTED || result == -EFAULT) return;
  count(AUDIT_COPIES);
  bounce_leave(bounce, result, settle, &settling);
  for (size_t i = 0; i < bounce->count; i++) {
    const struct bounce_copy *copy = &bounce->copies[i];
    /* All bytes that differ must be named; a copy that is too large is not checked. */
    if (!copy->original) count(AUDIT_LARGE);
    if (copy->piece.flags & INPUT_COMPARED || !copy->original) continue;
    for (size_t at = 0; at < copy->piece.bytes; at++) {
      size_t end = at;
      while (end < copy->piece.bytes && copy->copy[end] != copy->original[end]) end++;
      if (end > at) report(call, result, "no row names the write of", copy->piece.address + at, end - at);
    }
  }
}

/* The kernel stops at the end of memory, and returns how far it came; with a copy it would not. */
static long expect_writable(void *visitor, const struct input_piece *piece) {
  (void)visitor;
  if (!(piece->flags & INPUT_WRITES)) return 0;
  struct mapping known;
  for (uintptr_t at = piece->address, end = at + piece->bytes; at < end; at = known.end)
    if (!mappings_find(at, &known) || !(known.prot & PROT_WRITE)) return -EFAULT;
  return 0;
}

bool audit_wants_copies(const struct call *call, struct input_call *in) {
  static _Atomic uint32_t rounds;
  switch (call->nr) {
    case __NR_futex: /* the words are known by their address */
    case __NR_process_vm_readv:
    case __NR_process_vm_writev:
      return false;
    default:
      if (input_argument(call->nr, INPUT_SIGNAL) >= 0) return false;
      return atomic_fetch_add(&rounds, 1) % 2 && !input_reach(in, expect_writable, NULL);
  }
}
#endif
