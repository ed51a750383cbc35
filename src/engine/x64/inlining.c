/* inlining.c (x86-64): superblocks that follow the path of a hot block (engine/code/paths.h).
 *
 * The main path goes both ways through conditional branches, and through calls into functions. The application's return address
 * is pushed as ever, so code that reads the stack finds it. When the main path reaches the matching return it goes on behind
 * the call: the two jumps, the look-up of the return's target and the function's own share of position and poll are all
 * saved.
 *
 * A test on the way makes sure that the return goes there: it compares the word that the return will read with the address. The
 * comparison destroys the flags, so it stands at the last place before the return where they are dead; the instructions between
 * must not write memory and must move the stack pointer by known amounts. When the words differ, the block is left at that
 * place by a side exit, and the return is then an ordinary one. Where the function surely does not write the word no test is
 * needed: a processor may forward the call's store to the return, whatever other threads have stored there since.
 *
 * An indirect branch that has led to one target whenever it was noted is expected to do so again, which is tested too; likewise a
 * return from the function that the path starts in. */
#include "engine/x64/superblock.h"

#include "engine/base/lib.h"
#include "engine/code/paths.h"
#include "engine/x64/translate.h"

_Static_assert((int)PATH_INSTRUCTIONS <= (int)SUPERBLOCK_MAX, "a path that closes must fit");

/* The distance by which the instruction moves the stack pointer; false if that is unknown, or if it may write to memory. */
static bool moves_stack(const struct item *item, int32_t *by) {
  const struct x64_insn *insn = &item->insn;
  *by = 0;
  if (insn->kind == INSN_JCC || (insn->kind == INSN_JMP && item->inlined)) return true;
  if (insn->kind != INSN_COPY || insn->mem.access & ACCESS_WRITE || insn->stack_access & ACCESS_WRITE ||
      insn->string_write)
    return false;
  if (!(insn->gpr_written >> RSP & 1)) return true;
  if (insn->encoding != ENC_LEGACY || insn->map != 0) return false;
  bool pop =
      insn->opcode >= 0x58 && insn->opcode <= 0x5f && insn->stack_size == 8 && insn->gpr_written != 1 << RSP;
  bool add = (insn->opcode == 0x83 || insn->opcode == 0x81) && insn->modrm == 0xc4 && insn->operand_size == 8;
  if (!pop && !add) return false;
  *by = pop ? 8 : (int32_t)insn->imm;
  return true;
}

static bool follow_call(struct superblock *sb, struct item *call) {
  if (sb->call_count == CALLS_MAX) return false;
  sb->frames[sb->frame_count].returns_to = call->pc + call->insn.len;
  sb->frames[sb->frame_count++].first = sb->count;
  sb->call_count++;
  return call->inlined = true;
}

/* Tests the return's address as late as flags allow, but not before item first; false when there is no such place. */
static bool test_return(struct superblock *sb, uintptr_t to, unsigned first) {
  int32_t at = 0, by;
  unsigned i = sb->count - 1;
  while (!superblock_flags_dead(sb, i)) {
    if (i <= first || !moves_stack(&sb->items[i - 1], &by)) return false;
    at += by;
    i--;
  }
  if (i < first || sb->items[i].returns_to) return false;
  sb->items[i].returns_to = to;
  sb->items[i].return_at = at;
  return true;
}

/* True if the instruction may write to the eight bytes at the root's origin. */
static bool may_write_origin(const struct root *root, const struct x64_insn *insn) {
  const struct x64_mem *mem = &insn->mem;
  int64_t pushed = root->away[RSP];
  if (insn->stack_access & ACCESS_WRITE && pushed > 0 && pushed - insn->stack_size < 8) return true;
  if (insn->string_write) return true;
  if (!insn->has_mem || !(mem->access & ACCESS_WRITE)) return false;
  bool known = mem->base < 16 && root->registers >> mem->base & 1 && mem->index == REG_NONE &&
               mem->segment == SEG_NONE && !mem->vsib && mem->size && insn->address_size == 8;
  int64_t at = known ? root->away[mem->base] + mem->disp : 0;
  return !known || (at < 8 && at + mem->size > 0);
}

/* True if all earlier stores are visible to other threads after the instruction: fences, and locked instructions. */
static bool drains_stores(const struct x64_insn *insn) {
  bool fence =
      insn->encoding == ENC_LEGACY && insn->map == 1 && (insn->opcode == 0xae || insn->opcode == 0x01);
  return insn->atomic || fence;
}

/* True if the return, the last item, is sure to find the address that the call before item first has pushed. */
static bool surely_returns(const struct superblock *sb, unsigned first) {
  struct root root = {.reg = RSP};
  root_begin(&root, first);
  for (unsigned i = first; i + 1 < sb->count; i++) {
    const struct x64_insn *insn = &sb->items[i].insn;
    bool known = insn->kind == INSN_COPY || insn->kind == INSN_JCC || insn->kind == INSN_JMP ||
                 insn->kind == INSN_JMP_IND || insn->kind == INSN_CALL || insn->kind == INSN_CALL_IND ||
                 insn->kind == INSN_RET;
    if (!known || drains_stores(insn) || may_write_origin(&root, insn)) return false;
    root_follow(&root, insn, i);
    if (root.segment != first) return false;
  }
  return root.away[RSP] == 0;
}

/* A return from the function that the path starts in, if it is expected to go there. Not tested at the very start: a thread
 * that finds the guess wrong would come back to the same block. */
static bool follow_last_return(struct superblock *sb, struct item *ret, uintptr_t to, uintptr_t step) {
  if (sb->call_count == CALLS_MAX || !path_is_steady(step, to, STEADY_RETURN) || !test_return(sb, to, 1))
    return false;
  sb->call_count++;
  return ret->inlined = true;
}

static bool follow_return(struct superblock *sb, struct item *ret, uintptr_t to, uintptr_t step) {
  if (ret->insn.imm || ret->insn.operand_size != 8) return false;
  if (!sb->frame_count) return follow_last_return(sb, ret, to, step);
  if (sb->frames[sb->frame_count - 1].returns_to != to) return false;
  unsigned first = sb->frames[sb->frame_count - 1].first;
  if (!surely_returns(sb, first) && !test_return(sb, to, first)) return false;
  sb->frame_count--;
  return ret->inlined = true;
}

/* Not at the very start: a thread that finds the guess wrong would come back to the same block. */
static bool follow_indirect(struct superblock *sb, struct item *item, uintptr_t to, uintptr_t step) {
  if (sb->count == 1 || sb->call_count == CALLS_MAX || !path_is_steady(step, to, STEADY_JUMP)) return false;
  if (item->insn.kind == INSN_CALL_IND)
    follow_call(sb, item);
  else
    sb->call_count++;
  item->inlined = false;
  item->guessed = to;
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
  uintptr_t next = item->pc + item->insn.len, target = next + (uintptr_t)item->insn.imm;
  bool follows = false, ends = false;
  /* The tests of return addresses read memory, under the checks of hulls. */
  bool plain = item->insn.kind == INSN_JCC || item->insn.kind == INSN_JMP;
  if (config.check == CHECK_ALL && !plain && cache_is_narrow(sb->items[0].pc, true))
    return superblock_pass(sb, item) && sb->next_pc == to;
  switch (item->insn.kind) {
    case INSN_JCC:
      if (sb->side_exits == SIDE_EXITS_MAX || (to != target && to != next)) return false;
      sb->side_exits++;
      item->taken = to == target;
      follows = true;
      break;
    case INSN_JMP:
      follows = item->inlined = to == target;
      break;
    case INSN_CALL:
      follows = to == target && follow_call(sb, item);
      break;
    case INSN_CALL_IND:
    case INSN_JMP_IND:
      follows = follow_indirect(sb, item, to, step);
      break;
    case INSN_RET:
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

void superblock_read_path(struct superblock *sb, const struct path *path) {
  superblock_begin(sb, path->head,
                   config.check == CHECK_NONE       ? SUPERBLOCK_MAX
                   : config.check == CHECK_ACCESSES ? PLAIN_MAX
                                                    : CHECKED_PATH_MAX);
  for (unsigned step = 0; step < path->count; step++) {
    for (unsigned left = path->steps[step].instructions; left > 0; left--) {
      if (sb->count == sb->limit || !superblock_add(sb)) return;
      struct item *item = &sb->items[sb->count - 1];
      sb->open = false;
      bool branch = left == 1 && step + 1 < path->count;
      if (!(branch ? follow_to(sb, item, path->steps[step + 1].pc, path->steps[step].pc)
                   : superblock_pass(sb, item)))
        return;
    }
  }
}
