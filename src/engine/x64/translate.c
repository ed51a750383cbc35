/* translate.c (x86-64): turns a superblock into code.
 *
 * The shape of a block in the cache:
 *
 *             [ checks that an indirect branch or a return means this block: links.c ]
 *     code:   add  qword gs:[count], N        ; the position, and the poll
 *             jns  poll
 *             …instructions, most of them copied…
 *             jcc  side                       ; a side exit
 *             …
 *             jcc  target                     ; the last branch, linked straight to other blocks
 *             jmp  fall-through
 *     side:   add  qword gs:[count], k - N    ; only k instructions were executed; when linked, this is one
 *             jmp  target                     ; addition with the target's own (links.c)
 *     poll:   mov  dword gs:[exit], id
 *             jmp  exit_common
 *     killed: mov  dword gs:[exit], id        ; the entry is patched to jump here when the block is dropped
 *             jmp  exit_common
 *
 * Flags: the addition destroys them. Where they are live at the entry they are kept in rax meanwhile (lahf, seto). */
#include "engine/x64/translate.h"

#include "engine/arena.h"
#include "engine/code.h"
#include "engine/counters.h"

extern const char exit_common[], exit_indirect[], exit_return[];

/* How often a block is entered before it is found hot. */
#if defined(REPRISE_STRESS_TINY_CACHE) || defined(REPRISE_STRESS_FLUSH)
enum { HOT = 3 };
#else
enum { HOT = 4000 };
#endif
enum { HEAT_COUNT = 1 << 14 };

static uint32_t
    heat[HEAT_COUNT]; /* of blocks by their address: how many more entries until HOT; shared by chance */

static struct translation translation; /* under cache_lock */
static unsigned next_count_word;       /* neighbours should not share one */

struct exit *new_exit(struct translation *t, enum exit_kind kind, uintptr_t target) {
  struct exit *exit = t->next_exit++;
  exit->block = t->block;
  exit->kind = kind;
  exit->target = target;
  return exit;
}

struct stub *new_stub(struct translation *t, uint8_t *branch, struct exit *exit) {
  CHECK(t->stub_count < STUBS_MAX);
  struct stub *stub = &t->stubs[t->stub_count++];
  *stub = (struct stub){.branch = branch, .exit = exit, .reload = -1};
  return stub;
}

/*   mov dword gs:[exit], id
 *   jmp exit_common                    */
void emit_exit_tail(struct code *c, const struct exit *exit) {
  emit_store_imm(c, CTX_EXIT, (uint32_t)((uintptr_t)exit - ARENA_BASE));
  patch_branch(emit_jmp(c), exit_common);
}

/* -- Borrowed registers ---------------------------------------------------------------------------------------- */

static uint16_t used_by(const struct x64_insn *insn) {
  return insn->gpr_read | insn->gpr_written;
}

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

/* -- Ends and side exits ------------------------------------------------------------------------------------------ */

/* A branch to application code that is linked in place once the target is known. */
static void end_direct(struct translation *t, uint8_t *branch, uintptr_t target) {
  new_stub(t, branch, new_exit(t, EXIT_DIRECT, target));
}

static void end_jump(struct translation *t, uintptr_t target) {
  end_direct(t, emit_jmp(&t->code), target);
}

static void end_exit(struct translation *t, enum exit_kind kind, uintptr_t target, uint64_t detail) {
  struct exit *exit = new_exit(t, kind, target);
  exit->detail = detail;
  emit_exit_tail(&t->code, exit);
}

static void side_exit(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  uintptr_t next = item->pc + item->insn.len, target = item->taken ? next : next + (uintptr_t)item->insn.imm;
  unsigned condition = (item->insn.opcode & 15u) ^ item->taken; /* the lowest bit negates */
  struct stub *stub = new_stub(t, emit_jcc(&t->code, condition), new_exit(t, EXIT_DIRECT, target));
  stub->correction = (int32_t)(i + 1) - (int32_t)t->sb.count;
  stub->reload = t->borrowed;
  stub->flags_dead = superblock_flags_dead_at(&t->sb, target);
}

static void return_mismatch(struct translation *t, unsigned i) {
  struct stub *stub = new_stub(t, emit_jcc(&t->code, COND_NE), new_exit(t, EXIT_DIRECT, t->sb.items[i].pc));
  stub->correction = (int32_t)i - (int32_t)t->sb.count;
  stub->reload = t->borrowed;
  stub->flags_dead = true;
}

/* Before item i, where the flags are dead (inlining.c):
 *     cmp dword [rsp + k], low;  jne side;  cmp dword [rsp + k + 4], high;  jne side                    */
static void test_return_address(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  for (unsigned half = 0; half < 2; half++) {
    struct x64_mem mem = {
        .base = RSP, .index = REG_NONE, .scale = 1, .disp = item->return_at + 4 * (int32_t)half};
    emit_mem_op(&t->code, false, 0x81, 7, &mem, false);
    emit32(&t->code, (uint32_t)(item->returns_to >> 32 * half));
    return_mismatch(t, i);
  }
}

/* loop, jrcxz:   loop 1f; jmp fall-through; 1: jmp target */
static void end_loop(struct translation *t, const struct item *item, uintptr_t next, uintptr_t target) {
  if (item->insn.address_size == 4) emit8(&t->code, 0x67);
  emit8(&t->code, item->insn.opcode);
  uint8_t *skip = t->code.at++;
  uint8_t *fall_through = emit_jmp(&t->code);
  *skip = (uint8_t)(t->code.at - skip - 1);
  end_direct(t, fall_through, next);
  end_jump(t, target);
}

/* Pushes the application's return address: from a constant behind the block, so that neither a register nor flags are
 * needed and a return soon after can forward from the one store. */
static void push_return_address(struct translation *t, uintptr_t address) {
  struct code *c = &t->code;
  if (address == (uintptr_t)(intptr_t)(int32_t)address) {
    emit8(c, 0x68);
    emit32(c, (uint32_t)address);
    return;
  }
  emit8(c, 0xff), emit8(c, 0x35); /* push qword [rip + disp32] */
  CHECK(t->constant_count < CONSTANTS_MAX);
  t->constants[t->constant_count].at = c->at;
  t->constants[t->constant_count++].value = address;
  emit32(c, 0);
}

/* With the target in rcx, rax and rcx saved:
 *     movzx eax, cx
 *     jmp   gs:[rax*8 + table]           ; a probe goes back to the engine instead */
static void indirect_jump(struct translation *t) {
  struct code *c = &t->code;
  if (t->block->probe) {
    patch_branch(emit_jmp(c), exit_indirect);
    return;
  }
  emit8(c, 0x0f), emit8(c, 0xb7), emit8(c, 0xc1);
  emit8(c, 0x65), emit8(c, 0xff), emit8(c, 0x24), emit8(c, 0xc5);
  emit32(c, TARGET_TABLE);
}

static void save_for_indirect(struct translation *t) {
  emit_save(&t->code, RAX, SPILL(SLOT_RAX));
  emit_save(&t->code, RCX, SPILL(SLOT_RCX));
  t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_RAX, RAX) | BORROWED(SLOT_RCX, RCX);
}

/* lea rsp, [rsp + bytes] */
static void release_stack(struct code *c, uint32_t bytes) {
  struct x64_mem mem = {.base = RSP, .index = REG_NONE, .scale = 1, .disp = bytes};
  emit_mem_op(c, true, 0x8d, RSP, &mem, false);
}

/*     mov   gs:[1], rcx
 *     movzx ecx, word [rsp]
 *     lea   rsp, [rsp + 8]
 *     jmp   gs:[rcx*8 + table]            ; the target looks at the rest of the address itself */
static void end_return(struct translation *t) {
  struct code *c = &t->code;
  emit_save(c, RCX, SPILL(SLOT_RCX));
  t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_RCX, RCX);
  emit8(c, 0x0f), emit8(c, 0xb7), emit8(c, 0x0c), emit8(c, 0x24);
  release_stack(c, 8);
  if (t->block->probe) {
    patch_branch(emit_jmp(c), exit_return);
    return;
  }
  emit8(c, 0x65), emit8(c, 0xff), emit8(c, 0x24), emit8(c, 0xcd);
  emit32(c, RETURN_TABLE);
}

/* A return that releases arguments too leaves its address out of the target's reach: it is an ordinary indirect jump. */
static void end_return_releasing(struct translation *t, uint16_t bytes) {
  save_for_indirect(t);
  emit8(&t->code, 0x59); /* pop rcx */
  release_stack(&t->code, bytes);
  indirect_jump(t);
}

/* rcx = the branch's target operand; rax is free. */
static void load_target(struct translation *t, const struct item *item) {
  struct code *c = &t->code;
  const struct x64_insn *insn = &item->insn;
  struct x64_mem mem = insn->mem;
  if (!insn->has_mem) {
    emit_mov(c, RCX, (insn->modrm & 7u) | (insn->rex & 1u) << 3);
    return;
  }
  if (mem.base == REG_RIP) {
    emit_mov_imm(c, RCX, item->pc + insn->len + (uint64_t)mem.disp);
    mem.base = RCX;
    mem.disp = 0;
  }
  if (mem.segment != SEG_GS) {
    emit_mem_op(c, true, 0x8b, RCX, &mem, insn->address_size == 4);
    return;
  }
  mem.segment = SEG_NONE;
  emit_mem_op(c, true, 0x8d, RCX, &mem, insn->address_size == 4);
  emit_load(c, RAX, CTX_GS_BASE);
  mem = (struct x64_mem){.base = RAX, .index = RCX, .scale = 1};
  emit_mem_op(c, true, 0x8b, RCX, &mem, false);
}

/* An indirect branch that is expected to lead to the next item:
 *     mov  gs:[0], rax;  mov gs:[1], rcx;  rcx = target
 *     mov  rax, -guess
 *     lea  rcx, [rcx + rax]
 *     jrcxz 1f
 *     mov  rax, gs:[0];  mov rcx, gs:[1]
 *     jmp  side                        ; where the branch is an ordinary one
 * 1:  mov  rax, gs:[0];  mov rcx, gs:[1]
 *     [push the return address]                                                                 */
static void emit_guess(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  struct code *c = &t->code;
  emit_checks(t, i);
  give_back(t);
  save_for_indirect(t);
  load_target(t, item);
  emit_mov_imm(c, RAX, -(uint64_t)item->guessed);
  emit_lea_sum(c, RCX, RCX, RAX);
  emit8(c, 0xe3);
  uint8_t *hit = c->at++;
  emit_load(c, RAX, SPILL(SLOT_RAX));
  emit_load(c, RCX, SPILL(SLOT_RCX));
  new_stub(t, emit_jmp(c), new_exit(t, EXIT_DIRECT, item->pc))->correction =
      (int32_t)i - (int32_t)t->sb.count;
  *hit = (uint8_t)(c->at - hit - 1);
  emit_load(c, RAX, SPILL(SLOT_RAX));
  emit_load(c, RCX, SPILL(SLOT_RCX));
  if (item->insn.kind == INSN_CALL_IND) push_return_address(t, item->pc + item->insn.len);
}

/* -- Instructions ------------------------------------------------------------------------------------------------- */

/* How many bytes of legacy prefixes come before REX, VEX, EVEX, XOP or the opcode with its escape bytes. */
static unsigned prefix_bytes(const struct x64_insn *insn) {
  if (insn->rex_at != 0xff) return insn->rex_at;
  if (insn->encoding == ENC_3DNOW) return insn->modrm_at - 2u;
  return insn->opcode_at - (insn->map == 0 ? 0u : insn->map == 1 ? 1u : 2u);
}

/* The instruction with its memory operand replaced by [base], base being one of EASY_BASES. */
static void emit_rewritten(struct code *c, const struct item *item, unsigned base) {
  const struct x64_insn *insn = &item->insn;
  unsigned at = 0;
  for (; at < prefix_bytes(insn); at++) {
    uint8_t byte = item->bytes[at];
    if (byte != 0x67 && !(byte == 0x65 && insn->mem.segment == SEG_GS)) emit8(c, byte);
  }
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
    emit_mov_imm(&t->code, reg, insn->operand_size == 4 ? (uint32_t)address : address);
  } else if (is_load(insn) && reg != RSP && insn->mem.segment == SEG_NONE) {
    struct x64_mem mem = {.base = (uint8_t)reg, .index = REG_NONE, .scale = 1};
    emit_mov_imm(&t->code, reg, address);
    emit_mem_op(&t->code, insn->operand_size == 8, 0x8b, reg, &mem, false);
  } else {
    unsigned scratch = borrow(t, i, EASY_BASES);
    emit_mov_imm(&t->code, scratch, address);
    emit_rewritten(&t->code, item, scratch);
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
    emit_mov_imm(c, scratch, item->pc + item->insn.len + (uint64_t)mem.disp);
  } else {
    emit_mem_op(c, true, 0x8d, scratch, &mem, item->insn.address_size == 4);
  }
  emit_load(c, temp, CTX_GS_BASE);
  emit_lea_sum(c, scratch, scratch, temp);
  emit_load(c, temp, SPILL(SLOT_SHORT));
  emit_rewritten(c, item, scratch);
}

static void emit_copied(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  const struct x64_insn *insn = &item->insn;
  emit_checks(t, i);
  if (insn->has_mem && insn->mem.segment == SEG_GS && !is_lea(insn))
    emit_gs_relative(t, i);
  else if (insn->has_mem && insn->mem.base == REG_RIP)
    emit_rip_relative(t, i);
  else
    emit_bytes(&t->code, item->bytes, insn->len);
  if (t->borrowed >= 0) t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_LONG, t->borrowed);
  forget_checked(t, insn);
}

static bool is_iretq(const struct x64_insn *insn) {
  return insn->opcode == 0xcf && insn->operand_size == 8;
}

/* What the engine needs to know to perform the instruction itself (emulate.c). */
static uint64_t emulation_detail(const struct x64_insn *insn) {
  return insn->kind | (uint64_t)insn->modrm << 8 | (uint64_t)insn->rex << 16 |
         (uint64_t)insn->operand_size << 24 | (uint64_t)insn->len << 32;
}

/*     test word [rsp], trap flag
 *     jnz  emulate                       ; flags.c
 *     popf                                                 */
static void end_popf(struct translation *t, const struct item *item, uintptr_t next) {
  struct code *c = &t->code;
  emit8(c, 0x66), emit8(c, 0xf7), emit8(c, 0x04), emit8(c, 0x24), emit8(c, 0), emit8(c, FLAG_TF >> 8);
  struct exit *emulated = new_exit(t, EXIT_EMULATE, next);
  emulated->detail = emulation_detail(&item->insn);
  if (t->sb.limit == 1) {
    emit_exit_tail(c, emulated);
    return;
  }
  new_stub(t, emit_jcc(c, COND_NE), emulated);
  emit_bytes(c, item->bytes, item->insn.len);
  end_jump(t, next);
}

/* The code emitted next belongs to the instruction at pc. */
static void note_instruction(struct translation *t, uintptr_t pc) {
  bool far = !superblock_near(t->block->pc, pc);
  t->map[t->block->map_count++] = (struct insn_map){
      .code = (uint16_t)((uintptr_t)t->code.at - t->block->code) & 0x7fff,
      .far = far,
      .pc = (int32_t)(pc - (far ? t->block->far_pc : t->block->pc)),
  };
}

/* The checks of a block's last instruction, whose code must find every register in its place. */
static void check_end(struct translation *t) {
  emit_checks(t, t->sb.count - 1);
  give_back(t);
}

/* Instructions at which a block ends. A trap leaves the program counter behind its instruction: the way on has an entry of
 * its own in the map. */
static void emit_end(struct translation *t, const struct item *item) {
  const struct x64_insn *insn = &item->insn;
  struct code *c = &t->code;
  uintptr_t next = item->pc + insn->len, target = next + (uintptr_t)insn->imm;
  switch (insn->kind) {
    case INSN_JMP:
      end_jump(t, target);
      return;
    case INSN_JCC:
      end_direct(t, emit_jcc(c, insn->opcode & 15), target);
      end_jump(t, next);
      return;
    case INSN_LOOP:
      end_loop(t, item, next, target);
      return;
    case INSN_CALL:
      check_end(t);
      push_return_address(t, next);
      end_jump(t, target);
      return;
    case INSN_RET:
      check_end(t);
      if (insn->imm)
        end_return_releasing(t, (uint16_t)insn->imm);
      else
        end_return(t);
      return;
    case INSN_JMP_IND:
    case INSN_CALL_IND:
      check_end(t);
      save_for_indirect(t);
      load_target(t, item);
      if (insn->kind == INSN_CALL_IND) push_return_address(t, next);
      indirect_jump(t);
      return;
    case INSN_SYSCALL:
      end_exit(t, EXIT_CALL, next, 0);
      return;
    case INSN_CPUID:
    case INSN_RDTSC:
    case INSN_RDTSCP:
    case INSN_RDRAND:
    case INSN_RDSEED:
    case INSN_RDPID:
    case INSN_XGETBV:
    case INSN_RDGSBASE:
    case INSN_PUSHF: /* only under single steps */
    case INSN_WRGSBASE:
      check_end(t);
      end_exit(t, EXIT_EMULATE, next, emulation_detail(insn));
      return;
    case INSN_POPF:
      check_end(t);
      end_popf(t, item, next);
      return;
    case INSN_MOV_TO_SEG:
      if (insn->opcode == 0x8e && (insn->modrm >> 3 & 7) == 5) {
        end_exit(t, insn->has_mem ? EXIT_UNSUPPORTED : EXIT_EMULATE, insn->has_mem ? item->pc : next,
                 emulation_detail(insn));
        return;
      }
      break;
    case INSN_XBEGIN:
      if (insn->opcode ==
          0xc7) { /* a transaction aborts at once, as on a machine that has them switched off */
        emit_mov_imm(c, RAX, 0);
        end_jump(t, target);
        return;
      }
      break;
    case INSN_UNDEFINED:
      if (insn->len == X64_INSN_MAX)
        emit8(c, 0xf4); /* too long an instruction is a protection fault: hlt */
      else
        emit8(c, 0x0f), emit8(c, 0x0b); /* ud2 */
      return;
    case INSN_PRIVILEGED:
    case INSN_SYSENTER:
      emit8(c, 0xf4);
      return; /* hlt: the same fault */
    case INSN_INT:
      if ((uint8_t)insn->imm == 0x80) {
        end_exit(t, EXIT_EMULATE, next, emulation_detail(insn));
        return;
      }
      break;
    case INSN_FAR:
      check_end(t);
      if (is_iretq(insn))
        end_exit(t, EXIT_EMULATE, next, emulation_detail(insn));
      else
        end_exit(t, EXIT_UNSUPPORTED, item->pc, 0);
      return;
    default:
      break;
  }
  /* Everything else runs as it is, but is the last of its block. */
  emit_copied(t, (unsigned)(item - t->sb.items));
  if (insn->kind == INSN_INT || insn->kind == INSN_INT3 || insn->kind == INSN_INT1) note_instruction(t, next);
  give_back(t);
  if (stores_fip(insn))
    end_exit(t, EXIT_EMULATE, next, fip_detail(item));
  else
    end_jump(t, next);
}

static void emit_item(struct translation *t, unsigned i) {
  struct item *item = &t->sb.items[i];
  bool last = i + 1 == t->sb.count && !t->sb.open;
  if (t->borrowed >= 0 && used_by(&item->insn) >> t->borrowed & 1) give_back(t);
  if (last) give_back(t);
  note_instruction(t, item->pc);
  if (item->returns_to) test_return_address(t, i);
  if (item->guessed) {
    emit_guess(t, i);
    return;
  }
  if (item->inlined) {
    if (item->insn.kind == INSN_CALL) {
      emit_checks(t, i);
      if (t->borrowed >= 0) t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_LONG, t->borrowed);
      push_return_address(t, item->pc + item->insn.len);
      forget_checked(t, &item->insn);
    }
    if (item->insn.kind == INSN_RET) release_stack(&t->code, 8);
    return;
  }
  if (last)
    emit_end(t, item);
  else if (item->insn.kind == INSN_JCC)
    side_exit(t, i);
  else
    emit_copied(t, i);
}

/* -- The block as a whole ------------------------------------------------------------------------------------------ */

/*   sub dword [heat], 1
 *   jz  hot                             */
static void emit_heat(struct translation *t, bool flags_dead) {
  struct code *c = &t->code;
  uint32_t *counter = t->block->heat = &heat[(t->block->pc ^ t->block->pc >> 14) % HEAT_COUNT];
  *counter = HOT;
  emit8(c, 0x83), emit8(c, 0x2d);
  emit32(c, (uint32_t)((intptr_t)counter - (intptr_t)(c->at + 5)));
  emit8(c, 1);
  new_stub(t, emit_jcc(c, COND_E), new_exit(t, EXIT_HOT, t->block->pc))->restore_flags = !flags_dead;
}

/*   mov gs:[0], rax; lahf; seto al       ; only when the flags are live
 *   add qword gs:[count], N
 *   jns poll
 *   […]                                  ; while the block is not hot
 *   add al, 127; sahf; mov rax, gs:[0]   */
static void emit_entry(struct translation *t) {
  struct code *c = &t->code;
  bool dead = superblock_flags_dead(&t->sb, 0);
  t->block->flags_unused = dead;
  if (!dead) {
    emit_save(c, RAX, SPILL(SLOT_RAX));
    emit_flags_to_rax(c);
  }
  emit_count(c, t->block->count_word, (int32_t)t->sb.count);
  /* Whoever steps has just been at a safepoint, and has taken permissions since that another one would lose. */
  if (!t->block->step)
    new_stub(t, emit_jcc(c, COND_NS), new_exit(t, EXIT_POLL, t->block->pc))->restore_flags = !dead;
  if (t->cold) emit_heat(t, dead);
  if (!dead) {
    emit_flags_from_rax(c);
    emit_load(c, RAX, SPILL(SLOT_RAX));
  }
}

static void emit_self_check_restore(struct code *c) {
  emit_load(c, RCX, SPILL(SLOT_RCX));
  emit_load(c, RAX, CTX_SPILL_FLAGS);
  emit_flags_from_rax(c);
  emit_load(c, RAX, SPILL(SLOT_RAX));
}

/* Compares the source bytes with what was translated:
 *   mov gs:[0], rax; lahf; seto al; mov gs:[flags], rax; mov gs:[1], rcx
 *   mov rcx, source;  mov rax, imm64; cmp [rcx + k], rax; jne stale;  …
 *   mov rcx, gs:[1]; mov rax, gs:[flags]; add al, 127; sahf; mov rax, gs:[0]                       */
static void emit_self_check(struct translation *t) {
  struct code *c = &t->code;
  struct exit *stale = new_exit(t, EXIT_STALE, t->block->pc);
  emit_save(c, RAX, SPILL(SLOT_RAX));
  emit_flags_to_rax(c);
  emit_save(c, RAX, CTX_SPILL_FLAGS);
  emit_save(c, RCX, SPILL(SLOT_RCX));
  emit_mov_imm(c, RCX, t->block->pc);
  uint8_t source[SUPERBLOCK_MAX * X64_INSN_MAX];
  size_t bytes = 0;
  for (unsigned i = 0; i < t->sb.count; i++) {
    memcpy(source + bytes, t->sb.items[i].bytes, t->sb.items[i].insn.len);
    bytes += t->sb.items[i].insn.len;
  }
  uint8_t *mismatches[SUPERBLOCK_MAX];
  unsigned mismatch_count = 0;
  for (size_t k = 0; k < bytes;) {
    size_t size = bytes - k >= 8 ? 8 : bytes - k >= 4 ? 4 : 1;
    uint64_t value = 0;
    memcpy(&value, source + k, size);
    struct x64_mem mem = {.base = RCX, .index = REG_NONE, .scale = 1, .disp = (int64_t)k};
    emit_mov_imm(c, RAX, value);
    emit_mem_op(c, size == 8, size == 1 ? 0x38 : 0x39, RAX, &mem, false); /* cmp [rcx + k], rax */
    mismatches[mismatch_count++] = emit_jcc(c, COND_NE);
    k += size;
  }
  emit_self_check_restore(c);
  uint8_t *same = emit_jmp(c);
  for (unsigned i = 0; i < mismatch_count; i++) patch_branch(mismatches[i], c->at);
  emit_self_check_restore(c);
  emit_exit_tail(c, stale);
  patch_branch(same, c->at);
}

/* Room for a better way out, which arch_link may fill; until then it holds the address of the branch. */
static void leave_room(struct translation *t, const struct stub *stub) {
  struct exit *exit = stub->exit;
  exit->correction = (int8_t)stub->correction;
  exit->borrowed = (uint8_t)(stub->reload + 1);
  exit->detail = (uintptr_t)t->code.at;
  memcpy(t->code.at, &stub->branch, sizeof stub->branch);
  t->code.at += JOINT_ROOM;
}

static void emit_stub(struct translation *t, const struct stub *stub) {
  struct code *c = &t->code;
  patch_branch(stub->branch, c->at);
  uint8_t *patch = stub->branch;
  if (stub->restore_flags) {
    emit_flags_from_rax(c);
    emit_load(c, RAX, SPILL(SLOT_RAX));
  }
  if (stub->reload >= 0) emit_load(c, (unsigned)stub->reload, SPILL(SLOT_LONG));
  if (stub->correction && stub->flags_dead) {
    emit_count(c, t->block->count_word, stub->correction);
  } else if (stub->correction) {
    emit_save(c, RAX, SPILL(SLOT_RAX));
    emit_flags_to_rax(c);
    emit_count(c, t->block->count_word, stub->correction);
    emit_flags_from_rax(c);
    emit_load(c, RAX, SPILL(SLOT_RAX));
  }
  if (stub->exit->kind == EXIT_DIRECT) {
    if (stub->correction || stub->reload >= 0) {
      patch = emit_jmp(c);
      patch_branch(patch, c->at);
    }
    stub->exit->patch = (uintptr_t)patch;
  }
  emit_exit_tail(c, stub->exit);
  if (t->block->hot && stub->exit->kind == EXIT_DIRECT && stub->correction && stub->flags_dead)
    leave_room(t, stub);
}

static void finish(struct translation *t) {
  struct code *c = &t->code;
  for (unsigned i = 0; i < t->stub_count; i++) emit_stub(t, &t->stubs[i]);
  for (unsigned i = 0; i < t->check_count; i++) emit_check_stub(t, &t->checks[i]);
  struct exit *killed = new_exit(t, EXIT_DIRECT, t->block->pc);
  killed->patch =
      t->block->code + 1; /* linked, the patched entry leads on to the block that replaces this one */
  t->block->killed = (uintptr_t)c->at;
  emit_exit_tail(c, killed);
  while ((uintptr_t)c->at & 7) emit8(c, 0x90); /* the application may have alignment checked */
  for (unsigned i = 0; i < t->constant_count; i++) {
    patch_branch(t->constants[i].at, c->at);
    emit64(c, t->constants[i].value);
  }
}

static void emit_body(struct translation *t) {
  if (t->sb.unfetchable) {
    end_exit(t, EXIT_FETCH, t->block->pc, t->sb.fault_address);
    return;
  }
  if (t->sb.self_checking) emit_self_check(t);
  emit_entry(t);
  if (t->sb.for_engine) {
    end_exit(t, EXIT_ACCESS, t->block->pc, 0);
    return;
  }
  for (unsigned i = 0; i < t->sb.count; i++) emit_item(t, i);
  if (t->sb.open) {
    give_back(t);
    end_jump(t, t->sb.next_pc);
  }
}

/* front: the checking entry that the block starts with, or ENTRY_DIRECT. */
static struct block *translate(struct translation *t, uintptr_t pc, enum entry_kind entry,
                               enum entry_kind front) {
  uint8_t *start = cache_reserve(CACHE_BLOCK_MAX);
  if (!start) return NULL;
  unsigned exits = 5 + t->sb.side_exits + EXITS_PER_CALL * t->sb.call_count +
                   (config.check == CHECK_NONE ? 0 : CHECKED_ACCESSES * t->sb.count);
  struct block *block = t->block = arena_alloc(sizeof *block);
  block->pc = pc;
  block->far_pc = t->sb.far_pc;
  block->count_word = next_count_word++ % COUNT_WORDS;
  block->exits = t->next_exit = arena_alloc(exits * sizeof *block->exits);
  block->exit_count = (uint16_t)exits;
  block->self_checking = t->sb.self_checking && !t->sb.unfetchable;
  block->instructions = (uint16_t)t->sb.count;
  t->code.at = start;
  t->stub_count = t->constant_count = t->checked_count = t->check_count = 0;
  t->unchecked = entry == ENTRY_STEP;
  t->narrow = cache_is_narrow(pc);
  t->borrowed = -1;
  block->step = entry == ENTRY_STEP;
  block->probe = entry == ENTRY_PROBE;
  block->hot = entry == ENTRY_PATH;
  t->cold = entry < ENTRY_KINDS && !block->self_checking && config.check != CHECK_ALL;
  if (front != ENTRY_DIRECT) {
    block->entries[front] = (uintptr_t)start;
    emit_entry_check(&t->code, pc, front);
    while ((uintptr_t)t->code.at & 7) emit8(&t->code, 0x90);
  }
  block->code = (uintptr_t)t->code.at;
  emit_body(t);
  finish(t);
  CHECK(t->next_exit <= block->exits + exits && t->code.at <= start + CACHE_BLOCK_MAX);
  block->code_size = (uint32_t)((uintptr_t)t->code.at - block->code);
  block->map = arena_alloc(block->map_count * sizeof *block->map);
  memcpy(block->map, t->map, block->map_count * sizeof *block->map);
  cache_commit(t->code.at);
  atomic_fetch_add_explicit(&counters.instructions, t->sb.count, memory_order_relaxed);
  atomic_fetch_add_explicit(&counters.code_bytes, block->code_size, memory_order_relaxed);
  cache_register(block);
  codewatch_register(block, t->sb.ranges, t->sb.range_count);
  return block;
}

struct block *arch_translate(uintptr_t pc, enum entry_kind entry) {
  unsigned limit = config.check == CHECK_ALL ? CHECKED_SUPERBLOCK_MAX : PLAIN_MAX;
  superblock_read(&translation.sb, pc, entry == ENTRY_STEP ? 1 : limit, entry == ENTRY_PROBE);
  return translate(&translation, pc, entry, entry < ENTRY_KINDS ? entry : ENTRY_DIRECT);
}

struct block *arch_translate_path(const struct path *path, struct block *old) {
  superblock_read_path(&translation.sb, path);
  if (translation.sb.self_checking || translation.sb.unfetchable) return NULL;
  enum entry_kind front = old->entries[ENTRY_RETURN]     ? ENTRY_RETURN
                          : old->entries[ENTRY_INDIRECT] ? ENTRY_INDIRECT
                                                         : ENTRY_DIRECT;
  struct block *block = translate(&translation, path->head, ENTRY_PATH, front);
  if (!block) return NULL;
  block->loop = path->next == path->head;
  replace_block(old, block);
  return block;
}
