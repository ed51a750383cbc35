/* inlining.c (AArch64): superblocks that follow the path of a hot block (engine/code/paths.h).
 *
 * The main path goes both ways through conditional branches, and through calls into functions. x30 gets the application's return
 * address as ever. When the main path reaches the matching return it goes on behind the call: the look-up of the return's
 * target and the function's own share of position and poll are saved. That x30 still holds that address is tested before the
 * return, unless no instruction in between writes to it; when it does not, the block is left there, and the return is then an
 * ordinary one.
 *
 * An indirect branch that has led to one target whenever it was noted is expected to do so again, which is tested likewise; so is a
 * return from the function that the path starts in. */
#include "engine/a64/emit.h"
#include "engine/a64/superblock.h"
#include "engine/base/lib.h"
#include "engine/code/paths.h"

_Static_assert((int)PATH_INSTRUCTIONS <= (int)SUPERBLOCK_MAX, "a path that closes must fit");

static bool follow_call(struct superblock *sb, struct item *call) {
  if (sb->call_count == CALLS_MAX) return false;
  sb->frames[sb->frame_count].returns_to = call->pc + INSN_BYTES;
  sb->frames[sb->frame_count++].first = sb->count;
  sb->call_count++;
  return call->inlined = true;
}

/* True if the return, the last item, is sure to find the address that the call before item first has left in x30. */
static bool surely_returns(const struct superblock *sb, unsigned first) {
  for (unsigned i = first; i + 1 < sb->count; i++)
    if (a64_registers_written(&sb->items[i].insn) >> LINK & 1) return false;
  return true;
}

/* Not at the very start: a thread that finds the guess wrong would come back to the same block. */
static bool expect(struct superblock *sb, struct item *item, uintptr_t to, uintptr_t step, unsigned times) {
  if (sb->count == 1 || sb->call_count == CALLS_MAX || item->insn.authenticates ||
      a64_register(item->insn.word, FIELD_N) == ZERO || !path_is_steady(step, to, times))
    return false;
  sb->call_count++;
  item->expected = to;
  return item->inlined = true;
}

static bool follow_return(struct superblock *sb, struct item *ret, uintptr_t to, uintptr_t step) {
  if (!returns_by_link(&ret->insn) || !sb->frame_count) return expect(sb, ret, to, step, STEADY_RETURN);
  if (sb->frames[sb->frame_count - 1].returns_to != to) return false;
  if (!surely_returns(sb, sb->frames[sb->frame_count - 1].first)) ret->expected = to;
  sb->frame_count--;
  return ret->inlined = true;
}

static bool follow_indirect(struct superblock *sb, struct item *item, uintptr_t to, uintptr_t step) {
  if (!expect(sb, item, to, step, STEADY_JUMP)) return false;
  if (item->insn.links) {
    sb->frames[sb->frame_count].returns_to = item->pc + INSN_BYTES;
    sb->frames[sb->frame_count++].first = sb->count;
  }
  return true;
}

/* Code that has a hot block is not copied behind every function that returns there. */
static bool is_hot(uintptr_t pc) {
  const struct block *block = cache_lookup(pc);
  return block && block->hot;
}

/* Goes on at the address that the path has after the item; false when the superblock has to end there. step is the start of the code
 * up to the item. */
static bool follow_to(struct superblock *sb, struct item *item, uintptr_t to, uintptr_t step) {
  uintptr_t next = item->pc + INSN_BYTES, target = item->pc + (uintptr_t)item->insn.offset;
  bool follows = false, ends = false;
  switch (item->insn.kind) {
    case A64_CONDITIONAL:
      if (sb->side_exits == SIDE_EXITS_MAX || (to != target && to != next)) return false;
      sb->side_exits++;
      item->taken = to == target;
      follows = true;
      break;
    case A64_BRANCH:
      follows = item->inlined = to == target;
      break;
    case A64_CALL:
      follows = to == target && follow_call(sb, item);
      break;
    case A64_CALL_REGISTER:
    case A64_BRANCH_REGISTER:
      follows = follow_indirect(sb, item, to, step);
      break;
    case A64_RETURN:
      ends = !sb->frame_count && is_hot(to);
      follows = follow_return(sb, item, to, step);
      break;
    default:
      return superblock_pass(sb, item) && sb->next_pc == to;
  }
  sb->open = follows;
  sb->next_pc = to;
  return follows && !ends;
}

/* An instruction that takes much code counts as two: the code of a block must not get too long. */
static unsigned share_of(const struct a64_insn *insn) {
  bool is_long = insn->kind == A64_LOAD_EXCLUSIVE || insn->kind == A64_STORE_EXCLUSIVE || insn->pairs;
  return is_long ? 2 : 1;
}

void superblock_read_path(struct superblock *sb, const struct path *path) {
  superblock_begin(sb, path->head, SUPERBLOCK_MAX);
  unsigned shares = 0;
  for (unsigned step = 0; step < path->count; step++) {
    bool last = step + 1 == path->count;
    for (unsigned left = path->steps[step].instructions; left > 0; left--) {
      if (shares >= sb->limit || !superblock_add(sb)) return;
      struct item *item = &sb->items[sb->count - 1];
      shares += share_of(&item->insn);
      sb->open = false;
      /* A conditional branch back to the head is best as the end of the superblock. */
      bool closes = last && path->next == path->head && item->insn.kind != A64_CONDITIONAL;
      bool branch = left == 1 && (!last || closes);
      if (!(branch ? follow_to(sb, item, last ? path->head : path->steps[step + 1].pc, path->steps[step].pc)
                   : superblock_pass(sb, item)))
        return;
    }
  }
}
