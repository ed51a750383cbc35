/* decode.c: the walk over one instruction's bytes, driven by the tables of decode_*.c.
 *
 * The order is the hardware's: prefixes, opcode with its map, ModRM with SIB and displacement, then the
 * row of the table that covers this encoding, then immediates. decode_operands.c turns the row's operands
 * into the register and flag sets of struct x64_insn, and decides whether the
 * encoding is legal. Nothing is read beyond the limit: a byte wanted past it sets `overrun`, and every path
 * ends in finish(), which looks at that. */
#include "engine/x64/decode_walk.h"

static uint8_t next(struct walk *w) {
  if (w->at >= w->limit) {
    w->overrun = true;
    return 0;
  }
  return w->code[w->at++];
}

static uint64_t next_bytes(struct walk *w, unsigned count) {
  uint64_t value = 0;
  if (w->at + count > w->limit) {
    w->overrun = true;
    return 0;
  }
  for (unsigned i = 0; i < count; i++) value |= (uint64_t)w->code[w->at + i] << (8 * i);
  w->at = (uint8_t)(w->at + count);
  return value;
}

static int64_t next_signed(struct walk *w, unsigned count) {
  if (!count) return 0;
  uint64_t value = next_bytes(w, count);
  unsigned unused = 64 - 8 * count;
  return (int64_t)(value << unused) >> unused;
}

/* ---- prefixes and opcode ---- */

/* Consumes legacy and REX prefixes and returns the first byte of what follows. A REX prefix counts only
 * when it is the last; of F2 and F3, and of the segment overrides, the last one counts. */
static uint8_t prefixes(struct walk *w) {
  struct x64_insn *insn = w->insn;
  for (;;) {
    uint8_t byte = next(w);
    switch (byte) {
      case 0x66:
        insn->prefixes |= PREFIX_OPSIZE;
        break;
      case 0x67:
        insn->prefixes |= PREFIX_ADDRSIZE;
        break;
      case 0xf0:
        insn->prefixes |= PREFIX_LOCK;
        break;
      case 0xf2:
        insn->prefixes |= PREFIX_REPNE;
        w->pp = 3;
        break;
      case 0xf3:
        insn->prefixes |= PREFIX_REP;
        w->pp = 2;
        break;
      case 0x26:
      case 0x2e:
      case 0x36:
      case 0x3e:
        break;
      case 0x64:
        w->segment = SEG_FS;
        break;
      case 0x65:
        w->segment = SEG_GS;
        break;
      case 0x40:
      case 0x41:
      case 0x42:
      case 0x43:
      case 0x44:
      case 0x45:
      case 0x46:
      case 0x47:
      case 0x48:
      case 0x49:
      case 0x4a:
      case 0x4b:
      case 0x4c:
      case 0x4d:
      case 0x4e:
      case 0x4f:
        insn->rex = byte;
        insn->rex_at = (uint8_t)(w->at - 1);
        continue;
      default:
        return byte;
    }
    insn->rex = 0;
    insn->rex_at = 0xff;
    if (w->overrun) return 0;
  }
}

static x64_map *const legacy_maps[4] = {&x64_legacy_00, &x64_legacy_0f, &x64_legacy_0f38, &x64_legacy_0f3a};
static x64_map *const vex_maps[4] = {NULL, &x64_vex_0f, &x64_vex_0f38, &x64_vex_0f3a};
static x64_map *const evex_maps[8] = {NULL, &x64_evex_0f, &x64_evex_0f38, &x64_evex_0f3a,
                                      NULL, &x64_evex_5,  &x64_evex_6,    NULL};
static x64_map *const xop_maps[3] = {&x64_xop_8, &x64_xop_9, &x64_xop_a};

static void take_opcode(struct walk *w, uint8_t byte) {
  w->insn->opcode = byte;
  w->insn->opcode_at = (uint8_t)(w->at - 1);
}

/* The byte `rxb` is that of VEX, XOP and EVEX, where the three bits are inverted. */
static void take_inverted_rxb(struct walk *w, uint8_t rxb) {
  w->r = !(rxb & 0x80);
  w->x = !(rxb & 0x40);
  w->b = !(rxb & 0x20);
}

static void take_w_vvvv_pp(struct walk *w, uint8_t byte) {
  w->w = byte >> 7;
  w->vvvv = ~byte >> 3 & 15;
  w->pp = byte & 3;
}

static void begin_vector_prefix(struct walk *w, uint8_t encoding) {
  w->insn->encoding = encoding;
  w->insn->rex_at = (uint8_t)(w->at - 1);
}

static void end_vector_prefix(struct walk *w) {
  w->insn->rex = (uint8_t)(0x40 | w->w << 3 | w->r << 2 | w->x << 1 | w->b);
  take_opcode(w, next(w));
}

/* C5 RvvvvLpp */
static x64_map *vex2(struct walk *w) {
  begin_vector_prefix(w, ENC_VEX);
  uint8_t byte = next(w);
  w->r = !(byte & 0x80);
  take_w_vvvv_pp(w, byte);
  w->w = 0;
  w->length = byte >> 2 & 1;
  w->insn->map = 1;
  end_vector_prefix(w);
  return vex_maps[1];
}

/* C4 RXBmmmmm WvvvvLpp, and 8F with the same layout for XOP */
static x64_map *vex3(struct walk *w, uint8_t encoding) {
  begin_vector_prefix(w, encoding);
  uint8_t byte = next(w);
  uint8_t map = byte & 31;
  take_inverted_rxb(w, byte);
  byte = next(w);
  take_w_vvvv_pp(w, byte);
  w->length = byte >> 2 & 1;
  w->insn->map = map;
  end_vector_prefix(w);
  if (encoding == ENC_XOP) return map <= 10 ? xop_maps[map - 8] : NULL;
  return map < 4 ? vex_maps[map] : NULL;
}

/* 62 RXBR'0mmm Wvvvv1pp zL'LbV'aaa */
static x64_map *evex(struct walk *w) {
  begin_vector_prefix(w, ENC_EVEX);
  uint8_t p0 = next(w), p1 = next(w), p2 = next(w);
  take_inverted_rxb(w, p0);
  w->r_high = !(p0 & 0x10);
  take_w_vvvv_pp(w, p1);
  w->zeroing = p2 >> 7;
  w->length = p2 >> 5 & 3;
  w->evex_b = p2 >> 4 & 1;
  w->v_high = !(p2 & 8);
  w->mask = p2 & 7;
  w->insn->map = p0 & 7;
  end_vector_prefix(w);
  return (p0 & 8) || !(p1 & 4) ? NULL : evex_maps[p0 & 7];
}

/* A VEX, EVEX or XOP prefix after REX, 66, F2, F3 or lock is undefined. */
static bool spoils_vector_prefix(const struct walk *w) {
  return w->insn->rex || (w->insn->prefixes & (PREFIX_OPSIZE | PREFIX_REP | PREFIX_REPNE | PREFIX_LOCK));
}

static x64_map *legacy_opcode(struct walk *w, uint8_t byte) {
  struct x64_insn *insn = w->insn;
  w->w = insn->rex >> 3 & 1;
  w->r = insn->rex >> 2 & 1;
  w->x = insn->rex >> 1 & 1;
  w->b = insn->rex & 1;
  if (!w->pp && (insn->prefixes & PREFIX_OPSIZE)) w->pp = 1;
  if (byte == 0x0f) {
    byte = next(w);
    insn->map = 1;
    if (byte == 0x38 || byte == 0x3a) {
      insn->map = byte == 0x38 ? 2 : 3;
      byte = next(w);
    }
  }
  take_opcode(w, byte);
  return legacy_maps[insn->map];
}

/* Consumes everything up to the opcode and returns its map, or null when there is none. */
static x64_map *opcode(struct walk *w) {
  uint8_t byte = prefixes(w);
  bool spoilt = spoils_vector_prefix(w);
  x64_map *map;
  if (byte == 0xc5) {
    map = vex2(w);
  } else if (byte == 0xc4) {
    map = vex3(w, ENC_VEX);
  } else if (byte == 0x62) {
    map = evex(w);
  } else if (byte == 0x8f && w->at < w->limit && (w->code[w->at] & 31) >= 8) {
    map = vex3(w, ENC_XOP);
  } else {
    return legacy_opcode(w, byte);
  }
  return spoilt ? NULL : map;
}

/* ---- ModRM ---- */

static void take_sib(struct walk *w, struct x64_mem *mem) {
  uint8_t sib = next(w);
  uint8_t index = (uint8_t)((sib >> 3 & 7) | w->x << 3);
  mem->base = (uint8_t)((sib & 7) | w->b << 3);
  mem->index = index == RSP ? REG_NONE : index;
  mem->scale = (uint8_t)(1 << (sib >> 6));
  if ((sib & 7) == RBP && w->mod == 0) {
    mem->base = REG_NONE;
    w->insn->disp_size = 4;
  }
}

static void take_modrm(struct walk *w) {
  struct x64_insn *insn = w->insn;
  insn->modrm_at = w->at;
  insn->modrm = next(w);
  w->mod = insn->modrm >> 6;
  w->reg = insn->modrm >> 3 & 7;
  w->rm = insn->modrm & 7;
}

/* The address in ModRM.mod below 3. */
static void take_address(struct walk *w) {
  struct x64_insn *insn = w->insn;
  struct x64_mem *mem = &insn->mem;
  insn->has_mem = true;
  insn->disp_size = w->mod == 1 ? 1 : w->mod == 2 ? 4 : 0;
  if (w->rm == RSP) {
    take_sib(w, mem);
  } else if (w->rm == RBP && w->mod == 0) {
    mem->base = REG_RIP;
    insn->disp_size = 4;
  } else {
    mem->base = (uint8_t)(w->rm | w->b << 3);
  }
  if (insn->disp_size) {
    insn->disp_at = w->at;
    w->disp = next_signed(w, insn->disp_size);
  }
}

/* ---- the row ---- */

/* The instruction's own point in the space that `when` describes. With EVEX.b and registers only, L'L is
 * a rounding mode and the vector has its full length. */
static uint32_t point(const struct walk *w) {
  unsigned length = w->evex_b && w->mod == 3 ? 2 : w->length;
  return (uint32_t)NP << w->pp | (uint32_t)W0 << w->w | (uint32_t)L128 << length | (w->mod == 3 ? REG : MEM) |
         (uint32_t)X0 << w->reg | (uint32_t)M0 << w->rm;
}

static const struct x64_row *find_row(const struct walk *w, const struct x64_row *row) {
  uint32_t here = point(w);
  for (; row->when; row++) {
    if (!(here & ~row->when)) return row;
  }
  return NULL;
}

/* ---- immediates ---- */

static void take_moffs(struct walk *w) {
  struct x64_insn *insn = w->insn;
  insn->has_mem = true;
  insn->disp_at = w->at;
  insn->disp_size = insn->address_size;
  w->disp = (int64_t)next_bytes(w, insn->address_size);
}

static void take_immediate(struct walk *w, unsigned form) {
  struct x64_insn *insn = w->insn;
  if (form == I_NONE) return;
  if (form == IMOFFS) {
    take_moffs(w);
    return;
  }
  insn->imm_at = w->at;
  switch (form) {
    case IB:
      insn->imm_size = 1;
      break;
    case IW:
    case IBB:
      insn->imm_size = 2;
      break;
    case IWB:
      insn->imm_size = 3;
      break;
    case ID:
      insn->imm_size = 4;
      break;
    case IZ:
      insn->imm_size = w->operand_size == 2 ? 2 : 4;
      break;
    case IV:
      insn->imm_size = w->operand_size;
      break;
  }
  if (form == IW || form == IBB || form == IWB) {
    insn->imm = (int64_t)next_bytes(w, insn->imm_size);
    if (form == IWB) insn->imm &= 0xffff;
  } else {
    insn->imm = next_signed(w, insn->imm_size);
  }
}

/* ---- the whole ---- */

static bool finish(struct walk *w, bool legal) {
  struct x64_insn *insn = w->insn;
  if (w->overrun) {
    if (w->limit < X64_INSN_MAX) return false;
    legal = false;
    w->at = X64_INSN_MAX;
  }
  insn->len = w->at;
  if (!legal) insn->kind = INSN_UNDEFINED;
  return true;
}

/* 0F 0F ModRM opcode: the opcode comes last, and every 3DNow! instruction reads eight bytes. */
static bool finish_3dnow(struct walk *w) {
  static const uint8_t valid[32] = {
      [0x0c / 8] = 0x30, [0x1c / 8] = 0x30, [0x8a / 8] = 0x44, [0x90 / 8] = 0xd1, [0x9a / 8] = 0x44,
      [0xa0 / 8] = 0xd1, [0xaa / 8] = 0x44, [0xb0 / 8] = 0xd1, [0xbb / 8] = 0x88,
  };
  struct x64_insn *insn = w->insn;
  take_opcode(w, next(w));
  insn->encoding = ENC_3DNOW;
  insn->operand_size = x64_operand_size(w, 0);
  if (insn->has_mem) x64_note_memory(w, ACCESS_READ, 8);
  return finish(w, (valid[insn->opcode / 8] >> (insn->opcode & 7) & 1) && !(insn->prefixes & PREFIX_LOCK));
}

bool x64_decode(const uint8_t *code, size_t limit, struct x64_insn *out) {
  struct walk w = {.code = code, .insn = out, .limit = limit < X64_INSN_MAX ? (uint8_t)limit : X64_INSN_MAX};
  *out = x64_blank_insn;
  x64_map *map = opcode(&w);
  out->mem.segment = w.segment;
  if (out->prefixes & PREFIX_ADDRSIZE) out->address_size = 4;

  bool now3d = out->encoding == ENC_LEGACY && out->map == 1 && out->opcode == 0x0f;
  const struct x64_row *row = map && !w.overrun ? (*map)[out->opcode] : NULL;
  if (!row && (w.overrun || !now3d)) return finish(&w, false);
  if (now3d || !(row->flags & NO_MODRM)) {
    take_modrm(&w);
    if (w.mod != 3 && !(row && (row->flags & NO_MEM))) take_address(&w);
  }
  if (now3d) return finish_3dnow(&w);

  row = find_row(&w, row);
  if (!row || ((row->flags & NO_REX_B) && w.b)) row = row ? find_row(&w, row + 1) : NULL;
  if (!row) return finish(&w, false);
  out->kind = row->kind;
  out->operand_size = w.operand_size = x64_operand_size(&w, row->flags);
  take_immediate(&w, row->imm);
  if (w.overrun) return finish(&w, false);
  x64_note_row(&w, row);
  return finish(&w, x64_is_legal(&w, row));
}
