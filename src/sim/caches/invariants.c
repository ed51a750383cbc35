/* invariants.c: the invariants of a block, which hold at every moment, whatever messages are on their way. */
#include "sim/caches/caches.h"

static bool writable(unsigned state) {
  return state == L1_E || state == L1_M;
}

const uint8_t *caches_newest(struct caches *caches, uint64_t block) {
  for (uint32_t n = 0; n < caches->nodes; n++) {
    struct l1_line *line = l1_find(&caches->l1[n], block);
    if (line && (writable(line->state) || line->state == L1_O)) return line->data;
  }
  struct l2_line *line = directory_find(caches, block);
  return line ? line->data : machine_ram(caches->machine, block);
}

static void known_to_directory(struct caches *caches, unsigned node, const struct l1_line *copy) {
  struct l2_line *line = directory_find(caches, copy->block);
  CHECK(line, "node %u has block %lx in state %s, which is not in the L2", node, (unsigned long)copy->block,
        l1_state_names[copy->state]);
  bool busy = line->state >= DIR_FETCH, leaving = busy && node_set_has(&line->leaving, node);
  bool owner = line->owner == node || leaving, sharer = node_set_has(&line->sharers, node);
  CHECK(owner || sharer, "node %u has block %lx in state %s, unknown to the directory in state %s", node,
        (unsigned long)copy->block, l1_state_names[copy->state], dir_state_names[line->state]);
  if (writable(copy->state) || copy->state == L1_O)
    CHECK(owner, "node %u has block %lx in state %s, the owner is %u", node, (unsigned long)copy->block,
          l1_state_names[copy->state], line->owner);
}

void caches_check(struct caches *caches, uint64_t block, const uint8_t *bytes) {
  unsigned writers = 0, owners = 0, readers = 0;
  for (uint32_t n = 0; n < caches->nodes; n++) {
    struct l1 *l1 = &caches->l1[n];
    struct l1_line *line = l1_find(l1, block);
    CHECK(!line || !l1_find_buffered(l1, block), "node %u has block %lx twice", n, (unsigned long)block);
    if (!line || !l1_readable(line->state)) continue;
    readers++;
    writers += writable(line->state);
    owners += line->state == L1_O || line->state == L1_OM;
    CHECK(!bytes || !memcmp(line->data, bytes, LINE_BYTES),
          "node %u has other bytes of block %lx in state %s", n, (unsigned long)block,
          l1_state_names[line->state]);
    known_to_directory(caches, n, line);
  }
  CHECK(writers + owners <= 1 && (!writers || readers == 1), "block %lx: %u writers, %u owners, %u readers",
        (unsigned long)block, writers, owners, readers);
}
