/* image_restore.c: a new process becomes a vessel that was stored in a recording. See contract/image_plan.h.
 *
 * The engine is the one that the vessel had, and lies at the same address; so all that has to be put in place is memory that can be written: the
 * engine's data, its tables, the stacks of its threads, and the application's memory. Then the thread returns to the mark that the vessel made
 * before it began to wait (checkpoint_vessel.c).
 *
 * While that is done no variable of the engine has a meaning: all that is needed is on the boot stack, which the vessel does not use. Nothing here
 * trusts the plan beyond what confinement makes harmless (border/confine.c): whoever forged it owns this process, as after any hostile recording. */
#include <linux/mman.h>
#include <linux/uio.h>

#include "contract/image_plan.h"
#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/threads/checkpoint_vessel.h"
#include "engine/view/descriptors.h"

/* From the linker: the data with a value in the file, and behind them those that are zero. */
extern char __bss_start[], _end[]; /* NOLINT(bugprone-reserved-identifier) */

/* All that is known, on the boot stack. */
struct restoring {
  int descriptor; /* the first of the engine's, in this process */
  int pages;
  const struct image_plan *plan;
  const struct image_mapping *mappings;
  const struct image_piece *pieces;
  size_t plan_bytes;
};

static _Noreturn void fail(const char *what, long error) {
  die(125, "a stored checkpoint can't be used: %s (error %ld)", what, -error);
}

/* -- Messages -------------------------------------------------------------------------------------------------------------- */

struct control {
  size_t length;
  int level, type;
  int files[IMAGE_BATCH];
};

static unsigned receive(const struct restoring *own, struct image_message *message, int files[IMAGE_BATCH]) {
  struct control control = {0};
  struct iovec part = {message, sizeof *message};
  struct kernel_message header = {
      .parts = &part, .part_count = 1, .control = &control, .control_length = sizeof control};
  long n;
  do n = os_call3(__NR_recvmsg, own->descriptor + FD_SOCKET, &header, 0);
  while (n == -EINTR);
  if (!n) os_call1(__NR_exit_group, 0); /* the manager has given up */
  unsigned count = n == sizeof *message && control.length >= offsetof(struct control, files)
                       ? (unsigned)((control.length - offsetof(struct control, files)) / sizeof(int))
                       : 0;
  if (!count || count > IMAGE_BATCH) fail("its files do not come", n);
  for (unsigned i = 0; i < count; i++) files[i] = control.files[i];
  return count;
}

static void take_plan(struct restoring *own) {
  struct image_message message;
  int files[IMAGE_BATCH];
  if (receive(own, &message, files) != 2) fail("it has no plan", 0);
  struct image_plan plan;
  long n = os_call4(__NR_pread64, files[0], &plan, sizeof plan, 0);
  if (n != sizeof plan || plan.magic != IMAGE_PLAN_MAGIC) fail("its plan is of another version", n);
  own->plan_bytes = ALIGN_UP(
      sizeof plan + plan.mappings * sizeof(struct image_mapping) + plan.pieces * sizeof(struct image_piece),
      PAGE);
  long at =
      os_call6(__NR_mmap, IMAGE_PLAN_BASE, own->plan_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, files[0], 0);
  if (os_failed(at)) fail("its plan can't be read", at);
  own->plan = (const struct image_plan *)at;
  own->mappings = (const struct image_mapping *)(own->plan + 1);
  own->pieces = (const struct image_piece *)(own->mappings + plan.mappings);
  own->pages = files[1];
  os_call1(__NR_close, files[0]);
}

/* -- Memory ---------------------------------------------------------------------------------------------------------------- */

/* The stack, the program's name and the vDSO, which the kernel has put there: all that is not the engine's. */
static void unmap_rest(void) {
  static const uintptr_t ends[] = {USER_END, USER_END / 2 - PAGE}; /* of address spaces of 48 and 47 bits */
  os_call2(__NR_munmap, PAGE, ENGINE_BASE - PAGE);
  for (size_t i = 0; i < COUNT_OF(ends); i++)
    if (!os_call2(__NR_munmap, ENGINE_END, ends[i] - ENGINE_END)) return;
}

/* Pages of the engine's data that this process has written, and the vessel had not, are zero. */
static void clear_data(void) {
  uintptr_t from = ALIGN_UP((uintptr_t)__bss_start, PAGE), end = ALIGN_UP((uintptr_t)_end, PAGE);
  uint8_t present[64];
  for (uintptr_t at = from; at < end; at += sizeof present * PAGE) {
    size_t count = MIN(sizeof present, (end - at) / PAGE);
    if (os_call3(__NR_mincore, at, count * PAGE, present)) fail("its memory can't be cleared", 0);
    for (size_t i = 0; i < count; i++) {
      uintptr_t low = at + i * PAGE, high = MIN(low + PAGE, (uintptr_t)_end);
      if (!(present[i] & 1)) continue;
      if (high > (uintptr_t)boot_stack && low < (uintptr_t)boot_stack_top) {
        if (low < (uintptr_t)boot_stack) memset((void *)low, 0, (uintptr_t)boot_stack - low);
        if (high > (uintptr_t)boot_stack_top) memset(boot_stack_top, 0, high - (uintptr_t)boot_stack_top);
      } else {
        memset((void *)low, 0, high - low);
      }
    }
  }
}

static void map(const struct restoring *own, const struct image_mapping *mapping, int fd) {
  int kind = mapping->flags & IMAGE_SHARED ? MAP_SHARED : MAP_PRIVATE;
  int flags = kind | MAP_FIXED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0) |
              (mapping->flags & IMAGE_GROWS_DOWN ? MAP_GROWSDOWN : 0);
  /* Pages are read into a private mapping before it gets its protection. */
  int protection = kind == MAP_SHARED || fd == own->descriptor ? mapping->protection : PROT_READ | PROT_WRITE;
  long at = os_call6(__NR_mmap, mapping->start, mapping->end - mapping->start, protection, flags, fd,
                     fd < 0 ? 0 : mapping->offset);
  if (at != (long)mapping->start) fail("its memory can't be mapped", at);
}

static void map_files(const struct restoring *own) {
  for (uint32_t i = 0; i < own->plan->mappings; i++) {
    if (own->mappings[i].file == IMAGE_ANONYMOUS) map(own, &own->mappings[i], -1);
    if (own->mappings[i].file == IMAGE_ENGINE) map(own, &own->mappings[i], own->descriptor + FD_ENGINE);
  }
  for (uint32_t got = 0; got < own->plan->files;) {
    struct image_message message;
    int files[IMAGE_BATCH];
    uint32_t count = receive(own, &message, files);
    for (uint32_t i = 0; i < own->plan->mappings; i++) {
      uint32_t file = own->mappings[i].file - message.first;
      if (file < count) map(own, &own->mappings[i], files[file]);
    }
    for (uint32_t i = 0; i < count; i++) os_call1(__NR_close, files[i]);
    got += count;
  }
}

static void read_bytes(const struct restoring *own, uintptr_t to, uintptr_t end, uint64_t offset) {
  while (to < end) {
    long n = os_call4(__NR_pread64, own->pages, to, end - to, offset);
    if (n <= 0) fail("its memory can't be filled", n);
    to += (uintptr_t)n;
    offset += (uint64_t)n;
  }
}

/* The boot stack is in use. */
static void fill(const struct restoring *own) {
  uintptr_t low = (uintptr_t)boot_stack, high = (uintptr_t)boot_stack_top;
  for (uint64_t i = 0; i < own->plan->pieces; i++) {
    const struct image_piece *piece = &own->pieces[i];
    uintptr_t from = piece->address, end = from + piece->bytes;
    if (end <= low || from >= high) {
      read_bytes(own, from, end, piece->offset);
      continue;
    }
    read_bytes(own, from, low, piece->offset);
    if (end > high) read_bytes(own, MAX(from, high), end, piece->offset + (MAX(from, high) - from));
  }
}

static void protect(const struct restoring *own) {
  for (uint32_t i = 0; i < own->plan->mappings; i++) {
    const struct image_mapping *mapping = &own->mappings[i];
    if (mapping->flags & IMAGE_SHARED || mapping->file == IMAGE_ENGINE ||
        mapping->protection == (PROT_READ | PROT_WRITE))
      continue;
    long result = os_call3(__NR_mprotect, mapping->start, mapping->end - mapping->start, mapping->protection);
    if (result) fail("its memory can't be protected", result);
  }
}

/* -- The whole ------------------------------------------------------------------------------------------------------------- */

/* From here on the engine's variables are the vessel's, but for what is another in this process. */
static _Noreturn void become_vessel(const struct restoring *own) {
  const struct image_plan *plan = own->plan;
  engine_fd = own->descriptor;
  config.quiet = plan->quiet;
  config.confined = plan->confined;
  config.debugged = plan->debugged;
  config.whole = plan->whole;
  config.log_channels = plan->log_channels;
  config.serial |= (uint8_t)plan->serial; /* an image that was made in such a replay needs it, too */
  os_call2(__NR_munmap, IMAGE_PLAN_BASE, own->plan_bytes);
  os_call1(__NR_close, own->pages);
  arch_return_to_mark(vessel_mark);
}

void image_restore(void) {
  struct restoring own = {.descriptor = engine_fd};
  take_plan(&own);
  unmap_rest();
  map_files(&own);
  clear_data();
  fill(&own);
  protect(&own);
  become_vessel(&own);
}
