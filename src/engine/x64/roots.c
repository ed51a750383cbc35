/* roots.c (x86-64): registers that are a constant away from an earlier value of another one. */
#include "engine/x64/translate.h"

void root_begin(struct root *root, unsigned i) {
  root->segment = (uint8_t)i;
  root->registers = (uint16_t)(1 << root->reg);
  root->away[root->reg] = 0;
}

unsigned adds_constant(const struct x64_insn *insn, int64_t *constant) {
  if (insn->encoding == ENC_LEGACY && insn->map == 0) {
    bool push = (insn->opcode & 0xf8) == 0x50 || insn->opcode == 0x68 || insn->opcode == 0x6a ||
                insn->kind == INSN_CALL || insn->kind == INSN_CALL_IND ||
                (insn->opcode == 0xff && (insn->modrm >> 3 & 7) == 6);
    bool pop = (insn->opcode & 0xf8) == 0x58 && ((insn->opcode & 7u) | (insn->rex & 1u) << 3) != RSP;
    pop |= insn->kind == INSN_RET && !insn->imm;
    *constant = pop ? insn->stack_size : -(int64_t)insn->stack_size;
    if (push || pop) return RSP;
  }
  if (insn->encoding != ENC_LEGACY || insn->map != 0 || insn->operand_size != 8) return REG_NONE;
  unsigned reg = insn->modrm >> 3 & 7, rm = (insn->modrm & 7u) | (insn->rex & 1u) << 3;
  bool direct = insn->modrm_at && insn->modrm >> 6 == 3;
  if ((insn->opcode == 0x83 || insn->opcode == 0x81) && direct && (reg == 0 || reg == 5)) {
    *constant = reg == 0 ? insn->imm : -insn->imm;
    return rm;
  }
  if (insn->opcode == 0xff && direct && reg <= 1) {
    *constant = reg == 0 ? 1 : -1;
    return rm;
  }
  unsigned to = reg | (insn->rex & 4u) << 1;
  if (insn->opcode == 0x8d && insn->mem.base == to && insn->mem.index == REG_NONE &&
      insn->address_size == 8) {
    *constant = insn->mem.disp;
    return to;
  }
  return REG_NONE;
}

static bool is_plain(const struct x64_insn *insn, uint8_t opcode) {
  return insn->encoding == ENC_LEGACY && insn->map == 0 && insn->opcode == opcode;
}

/* If the instruction makes a register another one plus a constant and does nothing else: the register, else REG_NONE. */
static unsigned copies_register(const struct x64_insn *insn, unsigned *from, int64_t *constant) {
  unsigned reg = (insn->modrm >> 3 & 7u) | (insn->rex & 4u) << 1, rm = (insn->modrm & 7u) | (insn->rex & 1u)
                                                                                                << 3;
  bool direct = insn->modrm_at && insn->modrm >> 6 == 3;
  if (insn->operand_size != 8 || !insn->modrm_at) return REG_NONE;
  *constant = 0;
  if (is_plain(insn, 0x89) && direct) {
    *from = reg;
    return rm;
  }
  if (is_plain(insn, 0x8b) && direct) {
    *from = rm;
    return reg;
  }
  if (is_plain(insn, 0x8d) && insn->address_size == 8 && insn->mem.index == REG_NONE && insn->mem.base < 16) {
    *from = insn->mem.base;
    *constant = insn->mem.disp;
    return reg;
  }
  return REG_NONE;
}

void root_follow(struct root *root, const struct x64_insn *insn, unsigned i) {
  int64_t constant = 0;
  unsigned from = 0, moved = adds_constant(insn, &constant);
  if (moved != REG_NONE && root->registers >> moved & 1) {
    uint16_t others = insn->gpr_written & (uint16_t) ~(1 << moved);
    root->registers &= (uint16_t)~others;
    root->away[moved] += constant;
    return;
  }
  unsigned copied = copies_register(insn, &from, &constant);
  bool known = copied != REG_NONE && root->registers >> from & 1;
  int64_t away = known ? root->away[from] + constant : 0;
  bool leaves = is_plain(insn, LEAVE) && insn->stack_size == 8 && root->registers >> RBP & 1;
  if (leaves) copied = RSP, known = true, away = root->away[RBP] + 8;
  root->registers &= (uint16_t)~insn->gpr_written;
  if (known && insn->gpr_written >> copied & 1) {
    root->registers |= (uint16_t)(1 << copied);
    root->away[copied] = away;
  }
  if (!(root->registers >> root->reg & 1)) root_begin(root, i + 1);
}
