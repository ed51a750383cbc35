/* block_memory.c: memory for blocks, their exits and maps, and what else lives as long as they do. See block_memory.h. */
#include "engine/code/block_memory.h"

#include "engine/base/arena.h"
#include "engine/base/lib.h"

enum { CHUNK_BYTES = 64 * 1024, STEP = 8 };

struct chunk {
  struct chunk *before;
};

static struct {
  struct chunk *latest;
  uintptr_t next, end; /* what is left of it */
} memory;

void *block_memory_take(size_t bytes) {
  bytes = ALIGN_UP(bytes, STEP);
  CHECK(bytes <= CHUNK_BYTES - sizeof(struct chunk));
  if (memory.end - memory.next < bytes) {
    struct chunk *chunk = arena_alloc(CHUNK_BYTES);
    chunk->before = memory.latest;
    memory.latest = chunk;
    memory.next = (uintptr_t)(chunk + 1);
    memory.end = (uintptr_t)chunk + CHUNK_BYTES;
  }
  void *taken = (void *)memory.next;
  memory.next += bytes;
  return taken;
}

void block_memory_trim(const void *end) {
  memory.next = ALIGN_UP((uintptr_t)end, STEP);
}

/* A thread that is killed in here leaves a state from which another can start again. */
void block_memory_drop(void) {
  memory.next = memory.end = 0;
  for (struct chunk *chunk; (chunk = memory.latest);) {
    memory.latest = chunk->before;
    arena_free(chunk, CHUNK_BYTES);
  }
}
