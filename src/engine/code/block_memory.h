/* block_memory.h: memory that is given back all at once, when the code cache is flushed. All under cache_lock.
 *
 * It is part of the arena, but pieces lie side by side without gaps, and taking one takes no lock and clears nothing. */
#ifndef REPRISE_ENGINE_BLOCK_MEMORY_H
#define REPRISE_ENGINE_BLOCK_MEMORY_H

#include <stddef.h>

/* Memory that holds zeros. */
void *block_memory_take(size_t bytes);
/* The piece that was taken last ends here; the rest of it was not written to. */
void block_memory_trim(const void *end);
void block_memory_drop(void);

#endif
