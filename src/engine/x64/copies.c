/* copies.c (x86-64): instructions that run as they are, or nearly: all that are no branches and need no help from the engine.
 *
 * An operand relative to the program counter, or to the application's GS base, gets its address from a borrowed
 * register. A register stays borrowed over several instructions, until the application uses it. */
#include "engine/x64/translate.h"

unsigned borrow(struct translation *t, unsigned i, uint16_t allowed) {
  allowed &= (uint16_t) ~(used_by(&t->sb.items[i].insn) | 1 << RSP);
  if (t->borrowed >= 0 && allowed >> t->borrowed & 1) return (unsigned)t->borrowed;
  give_back(t);
  unsigned best = 0, best_distance = 0;
  for (unsigned reg = 0; reg < 16; reg++) {
    if (!(allowed >> reg & 1)) continue;
    unsigned distance = superblock_next_use(&t->sb, i, reg);
    if (distance > best_distance) best = reg, best_distance = distance;
  }
  CHECK(best_distance);
  emit_save(&t->code, best, SPILL(SLOT_LONG));
  t->borrowed = (int8_t)best;
  return best;
}

void give_back(struct translation *t) {
  if (t->borrowed < 0) return;
  emit_load(&t->code, (unsigned)t->borrowed, SPILL(SLOT_LONG));
  t->borrowed = -1;
}

/* How many bytes of legacy prefixes come before REX, VEX, EVEX, XOP or the opcode with its escape bytes. */
static unsigned prefix_bytes(const struct x64_insn *insn) {
  if (insn->rex_at != 0xff) return insn->rex_at;
  if (insn->encoding == ENC_3DNOW) return insn->modrm_at - 2u;
  return insn->opcode_at - (insn->map == 0 ? 0u : insn->map == 1 ? 1u : 2u);
}

static bool is_dropped(const struct x64_insn *insn, uint8_t prefix, unsigned how) {
  enum { ADDRSIZE = 0x67, GS = 0x65, FS = 0x64, LOCK = 0xf0 };
  bool linear = how & REWRITE_LINEAR;
  return prefix == ADDRSIZE || (prefix == GS && (linear || insn->mem.segment == SEG_GS)) ||
         (prefix == FS && linear) || (prefix == LOCK && how & REWRITE_UNLOCKED);
}

void emit_rewritten(struct code *c, const struct item *item, unsigned base, unsigned how) {
  const struct x64_insn *insn = &item->insn;
  unsigned at = 0;
  for (; at < prefix_bytes(insn); at++)
    if (!is_dropped(insn, item->bytes[at], how)) emit8(c, item->bytes[at]);
  for (; at < insn->modrm_at; at++) {
    uint8_t byte = item->bytes[at];
    if (at == insn->rex_at && insn->encoding == ENC_LEGACY) byte &= (uint8_t)~3u; /* no X, no B */
    bool three_bytes =
        insn->encoding != ENC_LEGACY && insn->rex_at != 0xff && item->bytes[insn->rex_at] != 0xc5;
    if (three_bytes && at == insn->rex_at + 1u) byte |= 0x60; /* the same, stored inverted */
    emit8(c, byte);
  }
  emit8(c, (uint8_t)((insn->modrm & 0x38) | base));
  unsigned tail = insn->modrm_at + 1u + ((insn->modrm & 7) == 4 ? 1 : 0) + insn->disp_size;
  emit_bytes(c, item->bytes + tail, insn->len - tail);
}

static bool is_lea(const struct x64_insn *insn) {
  return insn->encoding == ENC_LEGACY && insn->map == 0 && insn->opcode == 0x8d;
}

static bool is_load(const struct x64_insn *insn) {
  return insn->encoding == ENC_LEGACY && insn->map == 0 && insn->opcode == 0x8b && insn->operand_size >= 4;
}

/* A memory operand relative to the instruction's own address. */
static void emit_rip_relative(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  const struct x64_insn *insn = &item->insn;
  uint64_t address = item->pc + insn->len + (uint64_t)insn->mem.disp;
  if (insn->address_size == 4) address = (uint32_t)address;
  unsigned reg = (insn->modrm >> 3 & 7u) | (insn->rex & 4u) << 1;
  if (is_lea(insn) && insn->operand_size >= 4) {
    emit_mov_address(&t->code, reg, insn->operand_size == 4 ? (uint32_t)address : address, LASTING_ADDRESS);
  } else if (is_load(insn) && reg != RSP && insn->mem.segment == SEG_NONE) {
    struct x64_mem mem = {.base = (uint8_t)reg, .index = REG_NONE, .scale = 1};
    emit_mov_address(&t->code, reg, address, LASTING_ADDRESS);
    emit_mem_op(&t->code, insn->operand_size == 8, 0x8b, reg, &mem, false);
  } else {
    unsigned scratch = borrow(t, i, EASY_BASES);
    emit_mov_address(&t->code, scratch, address, LASTING_ADDRESS);
    emit_rewritten(&t->code, item, scratch, 0);
  }
}

/* A memory operand relative to the application's GS base, which is a word in the context:
 *     mov gs:[short], temp;  lea scratch, [operand];  mov temp, gs:[gs_base];  lea scratch, [scratch+temp]
 *     mov temp, gs:[short];  the instruction with [scratch]                                            */
static void emit_gs_relative(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  struct x64_mem mem = item->insn.mem;
  struct code *c = &t->code;
  if (!item->insn.modrm_at || mem.vsib) {
    end_exit(t, EXIT_UNSUPPORTED, item->pc, 0);
    return;
  }
  unsigned scratch = borrow(t, i, EASY_BASES);
  unsigned temp = scratch == RSI ? RDI : RSI;
  mem.segment = SEG_NONE;
  emit_save(c, temp, SPILL(SLOT_SHORT));
  if (mem.base == REG_RIP) {
    emit_mov_address(c, scratch, item->pc + item->insn.len + (uint64_t)mem.disp, LASTING_ADDRESS);
  } else {
    emit_mem_op(c, true, 0x8d, scratch, &mem, item->insn.address_size == 4);
  }
  emit_load(c, temp, CTX_GS_BASE);
  emit_lea_sum(c, scratch, scratch, temp);
  emit_load(c, temp, SPILL(SLOT_SHORT));
  emit_rewritten(c, item, scratch, 0);
}

void emit_copied(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  const struct x64_insn *insn = &item->insn;
  struct check *open = emit_checks(t, i);
  if (insn->has_mem && insn->mem.segment == SEG_GS && !is_lea(insn))
    emit_gs_relative(t, i);
  else if (insn->has_mem && insn->mem.base == REG_RIP)
    emit_rip_relative(t, i);
  else
    emit_instruction(&t->code, item->bytes, insn->len);
  if (t->borrowed >= 0) t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_LONG, t->borrowed);
  if (open) {
    open->behind = t->code.at;
    open->borrowed_behind = t->borrowed;
  }
  forget_checked(t, insn);
}
