/* memory_pieces.h: memory calls whose outcome depends on how the kernel has cut a range (memory_pieces.c). */
#ifndef REPRISE_ENGINE_MEMORY_PIECES_H
#define REPRISE_ENGINE_MEMORY_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the advice changes the content of memory, or the part of it that a child inherits. */
bool advice_changes_memory(long advice);

/* The number of bytes of the range that madvise processed before it failed. Gives the advice again, page by page, so no other thread may
 * run meanwhile. */
size_t pieces_advised(uintptr_t start, size_t length, long advice);

/* mremap of a range that the kernel keeps in several pieces. All lengths are whole pages; `to` is the new address of the range. Returns
 * that, or an error. */
long pieces_move(uintptr_t from, size_t old_length, size_t new_length, long flags, uintptr_t to);

#endif
