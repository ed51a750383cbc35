/* memory_pieces.h: memory calls whose outcome depends on how the kernel has cut a range (memory_pieces.c). */
#ifndef REPRISE_ENGINE_MEMORY_PIECES_H
#define REPRISE_ENGINE_MEMORY_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the advice decides what memory holds, or what a child gets of it. */
bool advice_changes_memory(long advice);

/* How many bytes of the range madvise went over before it failed. The advice is given again, page by page, so nobody else may run
 * meanwhile. */
size_t pieces_advised(uintptr_t start, size_t length, long advice);

/* mremap of a range that the kernel keeps in several pieces. All lengths are whole pages, to is where the range ends up. The new
 * address, or an error. */
long pieces_move(uintptr_t from, size_t old_length, size_t new_length, long flags, uintptr_t to);

#endif
