/* hulls.c (x86-64): one test for the accesses of a block to its stack.
 *
 * Pushes, calls, returns and operands relative to the stack pointer make half of all accesses, and nearly all of them
 * are to memory that no other thread ever accesses. So they are tested together: the superblock is read once with the stack pointer as an
 * unknown, registers that differ from it by a constant are followed, and the accesses up to where its value is lost lie in a **hull**, at most a
 * few hundred bytes at a fixed distance from the stack pointer. Local variables that are addressed by a frame pointer of unknown
 * origin have hulls of their own. A hull is tested before its first access, as a whole:
 *
 *     lea  s, [rsp + end]
 *     sub  s, gs:[floor]              ; does it lie in the thread's private stack (private_stack.h)?
 *     cmp  s, gs:[reach]
 *     ja   stub
 *  back:
 *     …
 *  stub:                              ; may I write (read) all of these blocks, two at a time?
 *     lea  s32, [rsp + start];        shr s32, 6;  test byte gs:[s + map], pair;  jz miss
 *     lea  s32, [rsp + start + 128];  shr s32, 6;  test byte gs:[s + map], pair;  jz miss
 *     …
 *     sub  dword gs:[patience], 1
 *     jns  back                       ; now and then the engine looks whether the private stack should be another
 *  miss:
 *
 * The floor lies HULL_BYTES above the lowest private byte, so it needs no test of its own. A short hull is tested as any
 * operand is (checks.c).
 *
 * Permissions are given up at safepoints only, so the test is good for the rest of the block. Where the thread can't keep all blocks of a hull,
 * because other threads use the blocks beside it, the code is made again without hulls (cache_fell_short). */
#include "engine/x64/translate.h"

enum { SEGMENT_FAR = 1 << 20 };

enum { ROOTS = 2 };

struct planner {
  struct translation *t;
  struct root roots[ROOTS];
  bool has_frame; /* the frame pointer may be one */
  unsigned cost;
};

/* Widens a hull of the segment to hold the access, or begins one. */
static bool add_access(struct planner *planner, const struct root *root, unsigned i, int64_t from,
                       unsigned bytes, bool write) {
  struct translation *t = planner->t;
  int64_t end = from + bytes;
  if (from < -SEGMENT_FAR || end > SEGMENT_FAR) return false;
  for (unsigned h = 0; h < t->hull_count; h++) {
    struct hull *hull = &t->hulls[h];
    if (hull->root != root->reg || hull->segment != root->segment) continue;
    int64_t low = MIN(hull->from, from), high = MAX(hull->end, end);
    if (high - low > HULL_BYTES) continue;
    hull->from = low, hull->end = high;
    hull->write |= write;
    return true;
  }
  if (t->hull_count == HULLS_MAX) return false;
  t->hulls[t->hull_count++] = (struct hull){.from = from,
                                            .end = end,
                                            .item = (uint8_t)i,
                                            .root = root->reg,
                                            .segment = root->segment,
                                            .write = write};
  planner->cost += HULL_COST;
  return true;
}

/* The root that the operand is near to, or NULL. Memory below a frame pointer holds local variables; above the register there may be anything, if it
 * is no frame pointer. */
static const struct root *root_of(const struct planner *planner, const struct x64_mem *mem) {
  const struct root *stack = &planner->roots[0], *frame = &planner->roots[1];
  if (mem->base >= 16 || mem->index != REG_NONE || mem->segment != SEG_NONE || !mem->size || mem->size > 64)
    return NULL;
  if (stack->registers >> mem->base & 1) return stack;
  return planner->has_frame && mem->base == RBP && mem->disp < 0 ? frame : NULL;
}

/* Puts the operands of the item into hulls, as far as they are near a root. */
static void add_operands(struct planner *planner, unsigned i) {
  struct translation *t = planner->t;
  const struct item *item = &t->sb.items[i];
  struct x64_mem operands[OPERANDS_MAX];
  unsigned count = checked_operands(&item->insn, operands);
  t->in_hull[i] = 0;
  if (t->opens[i]) {
    planner->cost += OPEN_COST;
    return;
  }
  for (unsigned k = 0; k < count; k++) {
    const struct x64_mem *mem = &operands[k];
    const struct root *root = t->narrow || item->insn.address_size != 8 ? NULL : root_of(planner, mem);
    if (root && add_access(planner, root, i, root->away[mem->base] + mem->disp, mem->size,
                           mem->access & ACCESS_WRITE))
      t->in_hull[i] |= (uint8_t)(1 << k);
    else
      planner->cost++;
  }
}

/* The latest item before the accesses, in the same segment, where flags need not be kept; else the first that has an access. */
static unsigned place_for(struct translation *t, const struct hull *hull) {
  for (unsigned i = hull->item + 1U; i-- > hull->segment;)
    if (superblock_flags_dead(&t->sb, i)) return i;
  return hull->item;
}

/* True if rbp may be a frame pointer: a register that walks over memory is none. */
static bool may_have_frame(const struct superblock *sb) {
  int64_t constant;
  for (unsigned i = 0; i < sb->count; i++)
    if (adds_constant(&sb->items[i].insn, &constant) == RBP) return false;
  return true;
}

/* How many instructions have code for open memory. */
static unsigned find_opened(struct translation *t) {
  unsigned count = 0;
  for (unsigned i = 0; i < t->sb.count; i++) {
    const struct item *item = &t->sb.items[i];
    t->opens[i] = values_on() && config.check == CHECK_ALL && !t->sb.unfetchable && !t->sb.for_engine &&
                  cache_is_opened(item->pc) && can_open(&item->insn);
    count += t->opens[i];
  }
  return count;
}

unsigned plan_checks(struct translation *t) {
  unsigned opened = find_opened(t);
  struct planner planner = {.t = t, .roots = {{.reg = RSP}, {.reg = RBP}}};
  int64_t away[ROOTS][SUPERBLOCK_MAX];
  t->hull_count = 0;
  if (config.check != CHECK_ALL || t->unchecked || t->sb.for_engine || t->sb.unfetchable) {
    memset(t->in_hull, 0, sizeof t->in_hull);
    return config.check == CHECK_NONE || t->unchecked ? opened : OPERANDS_MAX * t->sb.count;
  }
  planner.has_frame = may_have_frame(&t->sb);
  for (unsigned r = 0; r < ROOTS; r++) root_begin(&planner.roots[r], 0);
  for (unsigned i = 0; i < t->sb.count; i++) {
    const struct item *item = &t->sb.items[i];
    unsigned hulls = t->hull_count, cost = planner.cost;
    for (unsigned r = 0; r < ROOTS; r++) away[r][i] = planner.roots[r].away[planner.roots[r].reg];
    bool fits = !item->returns_to ||
                add_access(&planner, &planner.roots[0], i, away[0][i] + item->return_at, 8, false);
    add_operands(&planner, i);
    if (i && (!fits || planner.cost > CHECKS_COST_MAX)) {
      t->sb.count = i;
      t->sb.open = true;
      t->sb.next_pc = item->pc;
      t->hull_count = hulls;
      planner.cost = cost;
      break;
    }
    for (unsigned r = 0; r < ROOTS; r++) root_follow(&planner.roots[r], &item->insn, i);
  }
  for (unsigned h = 0; h < t->hull_count; h++) {
    struct hull *hull = &t->hulls[h];
    hull->item = (uint8_t)place_for(t, hull);
    int64_t root = away[hull->root == RBP][hull->item];
    hull->from -= root, hull->end -= root;
  }
  return planner.cost;
}

/* How many blocks the stub tests, from the first byte on: pairs of them. */
static unsigned pairs_of(const struct hull *hull) {
  unsigned blocks = (unsigned)(hull->end - hull->from + 62) / 64 + 1;
  return (blocks + 1) / 2;
}

static struct x64_mem operand_at(unsigned root, int64_t from, unsigned size, bool write) {
  return (struct x64_mem){.base = (uint8_t)root,
                          .index = REG_NONE,
                          .scale = 1,
                          .segment = SEG_NONE,
                          .access = write ? ACCESS_WRITE : ACCESS_READ,
                          .size = (uint16_t)size,
                          .disp = from};
}

static void emit_hull(struct translation *t, unsigned i, const struct hull *hull) {
  struct code *c = &t->code;
  unsigned bytes = (unsigned)(hull->end - hull->from);
  bool flags_dead = superblock_flags_dead(&t->sb, i);
  uint16_t taken = (uint16_t)(1 << hull->root | (flags_dead ? 0 : 1 << RAX));
  unsigned s = borrow(t, i, (uint16_t)~taken);
  if (!flags_dead) keep_flags(c);
  uint8_t *retry = c->at;
  bool range = bytes > 64;
  struct x64_mem mem = operand_at(hull->root, hull->from, range ? 0 : bytes, hull->write);
  if (range) {
    struct x64_mem end = operand_at(hull->root, hull->end, 0, false);
    emit_mem_op(c, true, 0x8d, s, &end, false);    /* lea s, [rsp + end] */
    emit_gs_op(c, true, 0x2b, s, CTX_STACK_FLOOR); /* sub s, gs:[floor] */
    emit_gs_op(c, true, 0x3b, s, CTX_STACK_REACH); /* cmp s, gs:[reach] */
  } else {
    test_block(t, i, &mem, s);
  }
  struct check *check = new_check(t, i, range ? COND_A : COND_E, retry, &mem, s, flags_dead);
  check->pairs = range ? (uint8_t)pairs_of(hull) : 0;
  check->exit->detail |= CHECK_HULL | (hull->write ? CHECK_WRITES : 0) | (range ? CHECK_PAIRS : 0) |
                         (hull->root == RBP ? CHECK_FRAME : 0) | (uint64_t)(uint32_t)hull->from << CHECK_FROM;
  if (!flags_dead) take_flags_back(c);
}

void emit_hulls(struct translation *t, unsigned i) {
  for (unsigned h = 0; h < t->hull_count; h++)
    if (t->hulls[h].item == i) emit_hull(t, i, &t->hulls[h]);
}

void emit_hull_stub(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  uint8_t *none[HULL_PAIRS];
  for (unsigned k = 0; k < check->pairs; k++) {
    struct x64_mem mem = check->mem;
    mem.disp += 128 * (int64_t)k;
    test_block(t, check->item, &mem, check->scratch);
    none[k] = emit_jcc(c, COND_E);
  }
  emit_gs_op(c, false, 0x83, 5, CTX_STACK_PATIENCE), emit8(c, 1); /* sub dword gs:[patience], 1 */
  patch_branch(emit_jcc(c, COND_NS), check->back);
  for (unsigned k = 0; k < check->pairs; k++) patch_branch(none[k], c->at);
  emit_exit_tail(c, check->exit);
}

void hull_of_miss(const struct thread *thread, struct miss *miss) {
  unsigned window = miss->detail >> CHECK_WINDOW & 0xff;
  miss->address = thread->arch.gpr[miss->detail & CHECK_FRAME ? RBP : RSP] +
                  (uint64_t)(int64_t)(int32_t)(miss->detail >> CHECK_FROM);
  miss->bytes = miss->detail & CHECK_PAIRS ? (2UL * window - 1) * 64 + 1 : window;
  miss->stack = true;
}

/* -- The private stack ----------------------------------------------------------------------------------------------------- */

void arch_set_private(struct thread *thread, uintptr_t low, uintptr_t high) {
  bool room = high - low > HULL_BYTES;
  thread->arch.stack_floor = room ? low + HULL_BYTES : UINT64_MAX;
  thread->arch.stack_reach = room ? high - low - HULL_BYTES : 0;
  thread->arch.stack_patience = STACK_PATIENCE;
}
