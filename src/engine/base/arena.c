/* arena.c: memory for the engine's tables. See arena.h.
 *
 * Small requests are rounded up to a multiple of 16 and kept on a free list of their size; larger ones go to the next
 * power of two. The arena grows by mapping its next megabyte; it never shrinks. */
#include "engine/base/arena.h"

#include <linux/mman.h>

#include "engine/base/config.h"
#include "engine/base/lib.h"
#include "engine/base/os.h"

enum { SMALL_MAX = 1024, SMALL_STEP = 16, GROWTH = 0x40000 };

struct free_node {
  struct free_node *next;
};

static struct {
  struct lock lock;
  uintptr_t next, end; /* the unused rest of what is mapped */
  struct free_node *small[SMALL_MAX / SMALL_STEP + 1];
  struct free_node *large[64]; /* by power of two */
} arena;

static struct free_node **class_of(size_t *bytes) {
  if (*bytes <= SMALL_MAX) {
    *bytes = ALIGN_UP(MAX(*bytes, 1), SMALL_STEP);
    return &arena.small[*bytes / SMALL_STEP];
  }
  unsigned power = 64 - (unsigned)__builtin_clzl(*bytes - 1);
  *bytes = (size_t)1 << power;
  return &arena.large[power];
}

static void grow(size_t bytes) {
  if (!arena.end) {
    arena.end = ARENA_BASE;
    arena.next = ARENA_BASE + SMALL_STEP; /* offset 0 means "none" to generated code */
  }
  size_t more = ALIGN_UP(bytes + SMALL_STEP, GROWTH);
  if (arena.end + more > ARENA_BASE + ARENA_MAX) die(125, "the engine's tables have outgrown their region");
  long at = os_call6(__NR_mmap, arena.end, more, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE | MAP_POPULATE, -1, 0);
  if (os_failed(at)) fail_to_map("the engine's tables", at);
  arena.end += more;
}

void *arena_alloc(size_t bytes) {
  lock_take(&arena.lock);
  struct free_node **list = class_of(&bytes);
  void *memory = *list;
  bool used = memory; /* before; what the kernel has just mapped holds zeros */
  if (used) {
    *list = (*list)->next;
  } else {
    if (arena.next + bytes > arena.end) grow(bytes);
    memory = (void *)arena.next;
    arena.next += bytes;
  }
  lock_release(&arena.lock);
  return used ? memset(memory, 0, bytes) : memory;
}

void arena_free(void *memory, size_t bytes) {
  lock_take(&arena.lock);
  struct free_node **list = class_of(&bytes);
  struct free_node *node = memory;
  node->next = *list;
  *list = node;
  lock_release(&arena.lock);
}

void arena_left_by(const struct thread *dead) {
  lock_left_by(&arena.lock, dead);
}

void arena_before_fork(void) {
  lock_take(&arena.lock);
}

void arena_after_fork(void) {
  lock_release(&arena.lock);
}
