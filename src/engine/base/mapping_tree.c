/* mapping_tree.c: disjoint address ranges in a treap. See mapping_tree.h.
 *
 * A treap is a search tree by start address that is at the same time a heap by a random weight, which keeps it
 * balanced without any case analysis: every change is a few splits and joins. Depth is about 2 log n. */
#include "engine/base/mapping_tree.h"

#include <asm/mman.h>
#include <stdatomic.h>

#include "engine/base/arena.h"
#include "engine/base/lib.h"

struct node {
  struct mapping mapping;
  struct node *left, *right;
  uint32_t weight;
};

static struct node *root;
size_t tree_bytes, tree_data_bytes;
_Atomic bool tree_in_pieces;
_Atomic uint32_t mappings_code_changes;

bool mapping_is_data(const struct mapping *mapping) {
  return mapping->prot & PROT_WRITE && !mapping->shared && !mapping->grows;
}

/* Adds a mapping to the totals, or (by -1) takes it out. */
static void count(const struct mapping *mapping, size_t sign) {
  size_t bytes = (mapping->end - mapping->start) * sign;
  tree_bytes += bytes;
  if (mapping_is_data(mapping)) tree_data_bytes += bytes;
}

static uint32_t random_weight(void) {
  static uint32_t state = 2463534242u;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static struct node *new_node(struct mapping mapping) {
  struct node *node = arena_alloc(sizeof *node);
  node->mapping = mapping;
  node->weight = random_weight();
  count(&mapping, 1);
  return node;
}

static void free_all(struct node *node) {
  if (!node) return;
  free_all(node->left);
  free_all(node->right);
  count(&node->mapping, (size_t)-1);
  arena_free(node, sizeof *node);
}

/* Splits into those that start below address and the rest. */
static void split(struct node *tree, uintptr_t address, struct node **below, struct node **rest) {
  if (!tree) {
    *below = *rest = NULL;
  } else if (tree->mapping.start < address) {
    split(tree->right, address, &tree->right, rest);
    *below = tree;
  } else {
    split(tree->left, address, below, &tree->left);
    *rest = tree;
  }
}

/* All of a lies below all of b. */
static struct node *join(struct node *a, struct node *b) {
  if (!a) return b;
  if (!b) return a;
  if (a->weight > b->weight) {
    a->right = join(a->right, b);
    return a;
  }
  b->left = join(a, b->left);
  return b;
}

const struct mapping *tree_from(uintptr_t address) {
  const struct mapping *found = NULL;
  for (struct node *node = root; node;) {
    if (node->mapping.end > address) {
      found = &node->mapping;
      node = node->left;
    } else {
      node = node->right;
    }
  }
  return found;
}

const struct mapping *tree_before(uintptr_t address) {
  const struct mapping *found = NULL;
  for (struct node *node = root; node;) {
    if (node->mapping.start < address) {
      found = &node->mapping;
      node = node->right;
    } else {
      node = node->left;
    }
  }
  return found;
}

size_t tree_mapped(uintptr_t start, uintptr_t end, size_t *data) {
  size_t bytes = 0;
  *data = 0;
  for (const struct mapping *m = tree_from(start); m && m->start < end; m = tree_from(m->end)) {
    size_t part = MIN(m->end, end) - MAX(m->start, start);
    bytes += part;
    if (mapping_is_data(m)) *data += part;
  }
  return bytes;
}

bool tree_executable(uintptr_t start, uintptr_t end) {
  for (const struct mapping *m = tree_from(start); m && m->start < end; m = tree_from(m->end))
    if (m->prot & PROT_EXEC) return true;
  return false;
}

/* Makes address a border: the mapping around it becomes two. */
static void cut(uintptr_t address) {
  struct mapping *around = (struct mapping *)tree_from(address);
  if (!around || around->start >= address) return;
  struct mapping upper = *around;
  upper.start = address;
  count(&upper, (size_t)-1);
  around->end = address;
  struct node *below, *rest;
  split(root, address, &below, &rest);
  root = join(join(below, new_node(upper)), rest);
}

static void clear(uintptr_t start, uintptr_t end) {
  if (start >= end) return;
  cut(start);
  cut(end);
  struct node *below, *middle, *above;
  split(root, start, &below, &middle);
  split(middle, end, &middle, &above);
  free_all(middle);
  root = join(below, above);
}

void tree_clear(uintptr_t start, uintptr_t end) {
  if (tree_executable(start, end)) atomic_fetch_add(&mappings_code_changes, 1);
  atomic_store(&tree_in_pieces, true);
  clear(start, end);
  atomic_store(&tree_in_pieces, false);
}

static bool alike(const struct mapping *a, const struct mapping *b) {
  return a->prot == b->prot && a->shared == b->shared && a->segment == b->segment &&
         a->segment_at == b->segment_at && a->grows == b->grows && a->file == b->file &&
         a->file_base == b->file_base && a->object == b->object && a->object_base == b->object_base &&
         a->ordered == b->ordered;
}

void tree_put(struct mapping mapping) {
  if (mapping.start >= mapping.end) return;
  if (mapping.prot & PROT_EXEC || tree_executable(mapping.start, mapping.end))
    atomic_fetch_add(&mappings_code_changes, 1);
  atomic_store(&tree_in_pieces, true);
  clear(mapping.start, mapping.end);
  const struct mapping *previous = tree_before(mapping.start);
  if (previous && previous->end == mapping.start && alike(previous, &mapping)) {
    mapping.start = previous->start;
    clear(previous->start, previous->end);
  }
  const struct mapping *next = tree_from(mapping.end);
  if (next && next->start == mapping.end && alike(next, &mapping)) {
    mapping.end = next->end;
    clear(next->start, next->end);
  }
  struct node *below, *rest;
  split(root, mapping.start, &below, &rest);
  root = join(join(below, new_node(mapping)), rest);
  atomic_store(&tree_in_pieces, false);
}
