/* open_accesses.c (x86-64): the code of an instruction that accesses open memory (order/open_blocks.h), in the stub of its check.
 *
 *     lea   s, [operand]
 *     mov   gs:[at], s
 *     mov   gs:[sp], rsp;  mov rsp, gs:[engine_sp]
 *     call  …                         ; gs:[seen_at] = where the bytes are that the thread has seen (open.S)
 *     mov   rsp, gs:[sp]
 *     mov   s, gs:[seen_at];  test s, s;  jz miss
 *     mov   reg, [s]                  ; the instruction itself, with this operand
 *     jmp   behind
 *
 * A store is emitted twice while recording: to memory, and to the bytes seen. An instruction that reads and writes without a lock loads, as above, works on
 * the bytes seen, and what it has left there is stored to memory. One with a lock is made in memory first; what it finds there is learned, and then the same
 * instruction on the bytes seen gives the same result. Replay has the last of these steps only.
 *
 * A fault is not expected in here: blocks are opened that can be read and written, and changes of mappings close them. Instructions that may fault for
 * other reasons have no such code. */
#include "engine/base/arch_host.h"
#include "engine/x64/translate.h"
#include "order/values.h"

/* The routines of open.S: for accesses of 1, 2, 4, 8, 16, 32, 64 and any other number of bytes; the next three for up to 16. */
enum open_helper {
  HELP_LOAD,
  HELP_STORE = 8,
  HELP_MODIFY = 16,
  HELP_UPDATE = 21,
  HELP_LEARN = 26,
  HELP_STORED = 31
};
enum { ANY = 7, CARRIED = 16 };

extern const char *const open_recording[], *const open_replaying[];
_Static_assert(VALUES_LINES == 1 << OPEN_LINES_LOG2 &&
                   offsetof(struct values_seen, lines) == 8 << OPEN_LINES_LOG2 && VALUES_LINE == 64,
               "open.S knows these numbers");
_Static_assert(OPEN_WAY_LOAD == 0 && OPEN_WAY_STORE == 1 && OPEN_WAY_UPDATE == 2 && OPEN_WAY_MODIFY == 3,
               "open.S knows them");

/* -- Which instructions ------------------------------------------------------------------------------------------------------- */

static unsigned extension_of(const struct x64_insn *insn) { /* of the opcode, in ModRM */
  return insn->modrm >> 3 & 7u;
}

static bool is_x87(const struct x64_insn *insn) {
  return insn->encoding == ENC_LEGACY && insn->map == 0 && (insn->opcode & 0xf8) == 0xd8;
}

static bool divides(const struct x64_insn *insn) {
  return insn->encoding == ENC_LEGACY && insn->map == 0 && (insn->opcode & 0xfe) == 0xf6 &&
         extension_of(insn) >= 6;
}

/* Registers for the address: rax is needed for flags and updates. */
static uint16_t candidates(const struct x64_insn *insn) {
  return (uint16_t)(EASY_BASES & ~(1 << RAX) & ~used_by(insn));
}

/* Of the general registers, with memory as the destination. */
static bool is_update(const struct x64_insn *insn) {
  return insn->encoding == ENC_LEGACY && insn->map <= 1 && insn->mem.size <= (insn->atomic ? CARRIED : 8);
}

/* The instructions of the x87 note where their operand is. */
bool can_open(const struct x64_insn *insn) {
  const struct x64_mem *mem = &insn->mem;
  if (insn->kind != INSN_COPY || !insn->has_mem || !insn->modrm_at || mem->access == ACCESS_NONE)
    return false;
  if (wants_engine(insn, true) || insn->stack_access || is_x87(insn) || divides(insn)) return false;
  if (mem->disp > INT32_MAX - BLOCK_BYTES || !candidates(insn)) return false;
  return mem->access != ACCESS_BOTH || is_update(insn);
}

bool arch_opens(uintptr_t pc) {
  const struct x64_insn *insn = instruction_at(arch_self(), pc);
  return insn && can_open(insn);
}

/* With a mask: the last three bits of EVEX, and VMASKMOV, VPMASKMOV. No other prefix than that of a segment or of the address size comes before these. */
bool arch_stores_some(uintptr_t pc) {
  uint8_t b[8];
  unsigned at = 0;
  if (safe_copy(b, (const void *)pc, sizeof b)) return true;
  while (at < 4 && (b[at] == 0x64 || b[at] == 0x65 || b[at] == 0x67)) at++;
  if (b[at] == 0x62) return b[at + 3] & 7;
  return b[at] == 0xc4 && (b[at + 1] & 0x1f) == 2;
}

/* -- The test ------------------------------------------------------------------------------------------------------------------ */

/* All that the instruction needs was taken before. It is only to be found out whether some of its memory is open: by the first byte or by the last one. */
static struct check *emit_open_tests(struct translation *t, unsigned i, unsigned s, bool flags_dead) {
  struct code *c = &t->code;
  struct x64_mem mem = t->sb.items[i].insn.mem, last = mem;
  uint8_t *retry = c->at;
  last.disp += mem.size - 1;
  test_bits(t, i, &mem, s, PERMISSION_OPEN);
  struct check *check = new_check(t, i, COND_NE, retry, &mem, s, flags_dead);
  test_bits(t, i, &last, s, PERMISSION_OPEN);
  check->beyond = emit_jcc(c, COND_NE);
  return check;
}

struct check *emit_open_check(struct translation *t, unsigned i) {
  struct code *c = &t->code;
  const struct x64_insn *insn = &t->sb.items[i].insn;
  bool flags_dead = superblock_flags_dead(&t->sb, i);
  unsigned s = borrow(t, i, candidates(insn));
  struct check *check;
  if (!flags_dead) keep_flags(c);
  if (t->unchecked) {
    check = emit_open_tests(t, i, s, flags_dead);
  } else {
    uint8_t *retry = c->at;
    test_block(t, i, &insn->mem, s);
    check = new_check(t, i, COND_E, retry, &insn->mem, s, flags_dead);
  }
  check->opens = check->narrow = true;
  check->flags_dead = flags_dead;
  check->exit->detail |= CHECK_OPENS | (insn->mem.access & ACCESS_WRITE ? CHECK_WRITES : 0);
  if (!flags_dead) take_flags_back(c);
  return check;
}

/* -- Parts of the code ------------------------------------------------------------------------------------------------------------ */

enum { OPSIZE = 0x66, REX = 0x40, LOCK = 0xf0 };

/* An instruction with so many bytes of a general register and [base]; opcode: of the form with more than one byte. */
static void emit_sized(struct code *c, bool locked, bool escaped, uint8_t opcode, unsigned reg, unsigned base,
                       unsigned bytes) {
  if (locked) emit8(c, LOCK);
  if (bytes == 2) emit8(c, OPSIZE);
  uint8_t rex = (uint8_t)(REX | (bytes == 8) << 3 | (reg >> 3) << 2);
  if (rex != REX || (bytes == 1 && reg >= RSP)) emit8(c, rex);
  if (escaped) emit8(c, 0x0f);
  emit8(c, bytes == 1 ? (uint8_t)(opcode - 1) : opcode);
  emit8(c, (uint8_t)((reg & 7) << 3 | base));
}

static void emit_load_sized(struct code *c, unsigned reg, unsigned base, unsigned bytes) {
  emit_sized(c, false, false, 0x8b, reg, base, bytes);
}

static void emit_store_sized(struct code *c, unsigned base, unsigned reg, unsigned bytes) {
  emit_sized(c, false, false, 0x89, reg, base, bytes);
}

static void emit_help(struct code *c, unsigned helper) {
  emit_save(c, RSP, CTX_OPEN_SP);
  emit_load(c, RSP, CTX_ENGINE_SP);
  emit_call_out(c, (recording() ? open_recording : open_replaying)[helper]);
  emit_load(c, RSP, CTX_OPEN_SP);
}

static unsigned log2_bytes(unsigned bytes) {
  return bytes & (bytes - 1) ? ANY : (unsigned)__builtin_ctz(bytes);
}

/* s = the bytes seen of the operand. Returns the branch that is taken if there are none. */
static uint8_t *emit_seen(struct translation *t, const struct check *check, unsigned helper) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[check->item];
  unsigned s = check->scratch, kind = log2_bytes(item->insn.mem.size);
  emit_whole_address(c, item, s);
  emit_save(c, s, CTX_OPEN_AT);
  if (kind == ANY) emit_store_imm(c, CTX_OPEN_BYTES, item->insn.mem.size);
  emit_help(c, helper + kind);
  emit_load(c, s, CTX_OPEN_SEEN_AT);
  emit8(c, (uint8_t)(0x48 | (s >> 3) * 5)), emit8(c, 0x85), emit8(c, (uint8_t)(0xc0 | s * 9)); /* test s, s */
  return emit_jcc(c, COND_E);
}

/* The instruction with [base] as its operand, and without its lock. */
static void emit_plain(struct code *c, const struct item *item, unsigned base) {
  emit_rewritten(c, item, base, REWRITE_LINEAR | REWRITE_UNLOCKED);
}

static void emit_flags_back(struct code *c, const struct check *check) {
  if (!check->flags_dead) take_flags_back(c);
}

/* -- Loads and stores ----------------------------------------------------------------------------------------------------------------- */

static uint8_t *emit_open_load(struct translation *t, const struct check *check) {
  uint8_t *miss = emit_seen(t, check, HELP_LOAD);
  emit_flags_back(&t->code, check);
  emit_plain(&t->code, &t->sb.items[check->item], check->scratch);
  return miss;
}

/*     …
 *     mov   s, gs:[at]
 *     mov   [s], reg                  ; while recording
 *     mov   s, gs:[seen_at]
 *     mov   [s], reg
 *     cmp   dword gs:[bounced], 0;  je 1f
 *     …                               ; it has gone to a copy: the engine is told
 *  1:                                                                                            */
static uint8_t *emit_open_store(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[check->item];
  bool depends = item->insn.flags_read, may_bounce = item->insn.mem.size > 1;
  uint8_t *miss = emit_seen(t, check, HELP_STORE);
  if (depends) emit_flags_back(c, check);
  if (recording()) {
    emit_load(c, check->scratch, CTX_OPEN_AT);
    emit_plain(c, item, check->scratch);
    emit_load(c, check->scratch, CTX_OPEN_SEEN_AT);
  }
  emit_plain(c, item, check->scratch);
  if (may_bounce) {
    emit_gs_op(c, false, 0x83, 7, CTX_OPEN_BOUNCED), emit8(c, 0);
    uint8_t *whole = emit_jcc(c, COND_E);
    emit_help(c, HELP_STORED);
    patch_branch(whole, c->at);
  }
  if (may_bounce || !depends) emit_flags_back(c, check);
  return miss;
}

/* -- Updates ---------------------------------------------------------------------------------------------------------------------------- */

/*     …                               ; the instruction has changed the bytes seen
 *     mov   r, [s]
 *     mov   s, gs:[at]
 *     mov   [s], r                                                                                  */
static uint8_t *emit_open_modify(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[check->item];
  unsigned s = check->scratch, r = RAX, bytes = item->insn.mem.size;
  uint8_t *miss = emit_seen(t, check, HELP_MODIFY);
  emit_flags_back(c, check);
  emit_plain(c, item, s);
  if (!recording()) return miss;
  emit_save(c, r, SPILL(SLOT_SHORT));
  emit_load_sized(c, r, s, bytes);
  emit_load(c, s, CTX_OPEN_AT);
  emit_store_sized(c, s, r, bytes);
  emit_load(c, r, SPILL(SLOT_SHORT));
  return miss;
}

static bool is_pair(const struct x64_insn *insn) { /* cmpxchg8b, cmpxchg16b */
  return insn->map && insn->opcode == 0xc7;
}

/* xchg, xadd, cmpxchg leave in a register what they found. */
static bool tells_found(const struct x64_insn *insn) {
  uint8_t op = insn->opcode;
  return insn->map ? (op & 0xfe) == 0xb0 || (op & 0xfe) == 0xc0 || op == 0xc7 : (op & 0xfe) == 0x86;
}

static void emit_found(struct code *c, const struct x64_insn *insn) {
  bool compares = insn->map && (insn->opcode & 0xfe) == 0xb0;
  unsigned reg = compares ? RAX : extension_of(insn) | (insn->rex & 4u) << 1;
  if (is_pair(insn)) {
    emit_save(c, RAX, CTX_OPEN_FOUND);
    emit_save(c, RDX, CTX_OPEN_FOUND + insn->mem.size / 2U);
  } else if (insn->mem.size == 1 && !insn->rex && reg >= RSP && !compares) {
    emit_gs_op(c, false, 0x88, reg, CTX_OPEN_FOUND); /* the second byte of another one */
  } else {
    emit_save(c, reg, CTX_OPEN_FOUND);
  }
}

/* In memory, at the address in s; the registers that it changes are put back. */
static void emit_telling_update(struct code *c, const struct item *item, unsigned s) {
  unsigned saved[2], count = 0;
  for (unsigned reg = 0; reg < 16; reg++) {
    if (!(item->insn.gpr_written >> reg & 1)) continue;
    CHECK(count < COUNT_OF(saved));
    emit_save(c, reg, CTX_OPEN_SAVED + 8 * count);
    saved[count++] = reg;
  }
  emit_rewritten(c, item, s, REWRITE_LINEAR);
  emit_found(c, &item->insn);
  for (unsigned i = 0; i < count; i++) emit_load(c, saved[i], CTX_OPEN_SAVED + 8 * i);
}

/* The others work on a copy, which then takes the place of what was found if that is still there:
 *
 *     mov   gs:[saved], rax;  mov gs:[saved + 8], r
 *     mov   rax, [s]
 *  1: mov   gs:[found], rax;    mov gs:[copy], rax
 *     mov   rax, gs:[saved]
 *     mov   r, gs:[self];       lea r, [r + copy]
 *     or    [r], reg                  ; or whatever it is
 *     mov   r, gs:[copy];       mov rax, gs:[found]
 *     lock cmpxchg [s], r;      jne 1b
 *     mov   rax, gs:[saved];  mov r, gs:[saved + 8]                                                   */
static void emit_copying_update(struct code *c, const struct item *item, const struct check *check) {
  unsigned s = check->scratch, bytes = item->insn.mem.size;
  unsigned r = (unsigned)__builtin_ctz(candidates(&item->insn) & ~(1u << s));
  struct x64_mem copy = {.base = (uint8_t)r, .index = REG_NONE, .scale = 1, .disp = CTX_OPEN_COPY};
  emit_save(c, RAX, CTX_OPEN_SAVED);
  emit_save(c, r, CTX_OPEN_SAVED + 8);
  emit_load_sized(c, RAX, s, bytes);
  const uint8_t *again = c->at;
  emit_save(c, RAX, CTX_OPEN_FOUND);
  emit_save(c, RAX, CTX_OPEN_COPY);
  emit_load(c, RAX, CTX_OPEN_SAVED);
  emit_load(c, r, CTX_SELF);
  emit_mem_op(c, true, 0x8d, r, &copy, false);
  if (item->insn.flags_read) emit_flags_back(c, check);
  emit_plain(c, item, r);
  emit_load(c, r, CTX_OPEN_COPY);
  emit_load(c, RAX, CTX_OPEN_FOUND);
  emit_sized(c, true, true, 0xb1, r, s, bytes);
  patch_branch(emit_jcc(c, COND_NE), again);
  emit_load(c, RAX, CTX_OPEN_SAVED);
  emit_load(c, r, CTX_OPEN_SAVED + 8);
}

static uint8_t *emit_open_update(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[check->item];
  uint8_t *miss = emit_seen(t, check, HELP_UPDATE);
  if (recording()) {
    emit_load(c, check->scratch, CTX_OPEN_AT);
    if (tells_found(&item->insn))
      emit_telling_update(c, item, check->scratch);
    else
      emit_copying_update(c, item, check);
    emit_help(c, HELP_LEARN + log2_bytes(item->insn.mem.size));
    emit_load(c, check->scratch, CTX_OPEN_SEEN_AT);
  }
  emit_flags_back(c, check);
  emit_plain(c, item, check->scratch);
  return miss;
}

/* -- The whole ---------------------------------------------------------------------------------------------------------------------- */

/* Another register may be borrowed behind the instruction, or none. */
static void emit_way_behind(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  if (check->borrowed_behind != (int)check->scratch) {
    emit_load(c, check->scratch, SPILL(SLOT_LONG));
    if (check->borrowed_behind >= 0) emit_save(c, (unsigned)check->borrowed_behind, SPILL(SLOT_LONG));
  }
  patch_branch(emit_jmp(c), check->behind);
}

void emit_open_access(struct translation *t, const struct check *check) {
  const struct x64_insn *insn = &t->sb.items[check->item].insn;
  uint8_t *miss = insn->mem.access == ACCESS_READ    ? emit_open_load(t, check)
                  : insn->mem.access == ACCESS_WRITE ? emit_open_store(t, check)
                  : insn->atomic                     ? emit_open_update(t, check)
                                                     : emit_open_modify(t, check);
  emit_way_behind(t, check);
  patch_branch(miss, t->code.at);
}
