/* mapping_tree.h: an ordered set of disjoint address ranges (mapping_tree.c).
 *
 * Programs may have tens of thousands of mappings and change them in any order, so the set is a balanced tree. It
 * knows nothing of locks or of the kernel: mapping_book.c does. */
#ifndef REPRISE_ENGINE_MAPPING_TREE_H
#define REPRISE_ENGINE_MAPPING_TREE_H

#include "engine/base/mapping_book.h"

/* The first mapping that ends after address, or NULL. It holds address if its start is not above it. Valid until
 * the next change. */
const struct mapping *tree_from(uintptr_t address);
/* The last mapping that starts before address, or NULL. */
const struct mapping *tree_before(uintptr_t address);
/* Bytes in all mappings, and in those that RLIMIT_DATA counts: private, writable, no stack. */
extern size_t tree_bytes, tree_data_bytes;
/* A change is under way: a thread that was killed in the middle of it has left no valid tree. */
extern _Atomic bool tree_in_pieces;
/* How many bytes of [start, end) are mapped, and how many of them are data. */
size_t tree_mapped(uintptr_t start, uintptr_t end, size_t *data);
bool mapping_is_data(const struct mapping *mapping);
/* True if any of [start, end) may be executed. */
bool tree_executable(uintptr_t start, uintptr_t end);
/* Inserts a mapping, replaces the mappings in its range, and joins it with equal neighbours. */
void tree_put(struct mapping mapping);
/* Removes [start, end). */
void tree_clear(uintptr_t start, uintptr_t end);

#endif
