/* inlining.c (x86-64): superblocks that go through a call and come back from it.
 *
 * The main path follows a direct call into the function. The application's return address is pushed as ever, so whoever looks at
 * the stack finds it. When the main path reaches the matching return within the same superblock, it goes on behind the
 * call: the two jumps, the look-up of the return's target and the function's own share of position and poll are all saved.
 *
 * That the return goes there is not known but tested, on the way: the word it will read is compared with the address. The
 * comparison destroys the flags, so it stands at the last place before the return where they are dead; what lies between
 * must leave memory alone and move the stack pointer by known amounts. When the words differ, the block is left at that
 * place by a side exit, and the return is then an ordinary one.
 *
 * A call whose return is not reached is not followed after all: the superblock ends at it. */
#include "engine/x64/superblock.h"

#include "engine/lib.h"

/* A function is followed while its main path is this short. */
enum { INLINED_MAX = 40 };

bool inlining_begin(struct superblock *sb, struct item *item, uintptr_t target) {
  if (sb->frame_count == FRAMES_MAX || sb->call_count == CALLS_MAX || sb->count >= sb->limit ||
      sb->self_checking)
    return false;
  sb->frames[sb->frame_count++] = (struct followed_call){
      .returns_to = item->pc + item->insn.len,
      .count = sb->count,
      .call_count = sb->call_count,
      .side_exits = sb->side_exits,
      .range_count = sb->range_count,
      .range_end = sb->ranges[sb->range_count - 1].end,
  };
  sb->call_count++;
  item->inlined = true;
  sb->open = true;
  sb->next_pc = target;
  return true;
}

/* How far the instruction moves the stack pointer; false when that is not known, or when it may write to memory. */
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

bool inlining_return(struct superblock *sb, struct item *item) {
  if (!sb->frame_count || item->insn.imm || item->insn.operand_size != 8 || sb->count >= sb->limit)
    return false;
  const struct followed_call *frame = &sb->frames[sb->frame_count - 1];
  int32_t at = 0, by;
  unsigned i = sb->count - 1;
  while (!superblock_flags_dead(sb, i)) {
    if (i == frame->count || !moves_stack(&sb->items[i - 1], &by)) return false;
    at += by;
    i--;
  }
  if (sb->items[i].returns_to) return false;
  sb->items[i].returns_to = frame->returns_to;
  sb->items[i].return_at = at;
  item->inlined = true;
  sb->open = true;
  sb->next_pc = frame->returns_to;
  sb->frame_count--;
  return true;
}

bool inlining_goes_on(const struct superblock *sb) {
  return !sb->frame_count || sb->count - sb->frames[0].count < INLINED_MAX;
}

void inlining_end(struct superblock *sb) {
  if (!sb->frame_count) return;
  const struct followed_call *frame = &sb->frames[0];
  sb->count = frame->count;
  sb->call_count = frame->call_count;
  sb->side_exits = frame->side_exits;
  sb->range_count = frame->range_count;
  sb->ranges[sb->range_count - 1].end = frame->range_end;
  sb->items[sb->count - 1].inlined = false;
  sb->open = false;
  sb->frame_count = 0;
}
