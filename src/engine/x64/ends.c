/* ends.c (x86-64): branches and other instructions that end a block, or leave it half-way. */
#include "engine/x64/translate.h"

extern const char exit_indirect[], exit_return[];

/* A branch to application code that is linked in place once the target is known. */
static void end_direct(struct translation *t, uint8_t *branch, uintptr_t target) {
  new_stub(t, branch, new_exit(t, EXIT_DIRECT, target));
}

void end_jump(struct translation *t, uintptr_t target) {
  end_direct(t, emit_jmp(&t->code), target);
}

void end_exit(struct translation *t, enum exit_kind kind, uintptr_t target, uint64_t detail) {
  struct exit *exit = new_exit(t, kind, target);
  exit->detail = detail;
  emit_exit_tail(&t->code, exit);
}

void side_exit(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  uintptr_t next = item->pc + item->insn.len, target = item->taken ? next : next + (uintptr_t)item->insn.imm;
  unsigned condition = (item->insn.opcode & 15u) ^ item->taken; /* the lowest bit negates */
  struct stub *stub = new_stub(t, emit_jcc(&t->code, condition), new_exit(t, EXIT_DIRECT, target));
  stub->correction = (int32_t)(i + 1) - (int32_t)t->sb.count;
  stub->reload = t->borrowed;
  stub->flags_dead = superblock_flags_dead_at(&t->sb, target, t->block->hot);
}

static void return_mismatch(struct translation *t, unsigned i) {
  struct stub *stub = new_stub(t, emit_jcc(&t->code, COND_NE), new_exit(t, EXIT_DIRECT, t->sb.items[i].pc));
  stub->correction = (int32_t)i - (int32_t)t->sb.count;
  stub->reload = t->borrowed;
  stub->flags_dead = true;
}

/* Before item i, where the flags are dead (inlining.c):
 *     cmp dword [rsp + k], low;  jne side;  cmp dword [rsp + k + 4], high;  jne side                    */
void test_return_address(struct translation *t, unsigned i) {
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
  const uint8_t *skip = emit_short(&t->code);
  uint8_t *fall_through = emit_jmp(&t->code);
  patch_short(&t->code, skip);
  end_direct(t, fall_through, next);
  end_jump(t, target);
}

/* Pushes the application's return address: from a constant behind the block, so that neither a register nor flags are
 * needed and a return soon after can forward from the one store. */
void push_return_address(struct translation *t, uintptr_t address) {
  struct code *c = &t->code;
  if (address == (uintptr_t)(intptr_t)(int32_t)address) {
    emit8(c, 0x68);
    mark(c, LASTING_FIXED);
    emit32(c, (uint32_t)address);
    return;
  }
  emit8(c, 0xff), emit8(c, 0x35); /* push qword [rip + disp32] */
  CHECK(t->constant_count < CONSTANTS_MAX);
  t->constants[t->constant_count].at = c->at;
  t->constants[t->constant_count++].value = address;
  emit32(c, 0);
}

/*     mov  dword gs:[exit], id           ; what arch_branch_refused has to know */
static void note_branch(struct translation *t, int64_t stack_moved) {
  struct exit *exit = new_exit(t, EXIT_INDIRECT, t->sb.items[t->sb.count - 1].pc);
  exit->detail = (uint64_t)stack_moved;
  emit_exit_id(&t->code, exit);
}

/* True for probes, and for steps: a stepping thread may have taken permissions that it must give up right after the step. */
static bool ends_in_engine(const struct translation *t) {
  return t->block->probe || t->block->step;
}

/* With the target in rcx, rax and rcx saved:
 *     movzx eax, cx
 *     jmp   gs:[rax*8 + table]           ; or back to the engine */
static void indirect_jump(struct translation *t) {
  struct code *c = &t->code;
  if (ends_in_engine(t)) {
    emit_jmp_out(c, exit_indirect);
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
void release_stack(struct code *c, uint32_t bytes) {
  struct x64_mem mem = {.base = RSP, .index = REG_NONE, .scale = 1, .disp = bytes};
  emit_mem_op(c, true, 0x8d, RSP, &mem, false);
}

/*     mov   dword gs:[exit], id
 *     mov   gs:[1], rcx
 *     movzx ecx, word [rsp]
 *     lea   rsp, [rsp + 8]
 *     jmp   gs:[rcx*8 + table]            ; the target looks at the rest of the address itself */
static void end_return(struct translation *t) {
  struct code *c = &t->code;
  note_branch(t, 8);
  emit_save(c, RCX, SPILL(SLOT_RCX));
  t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_RCX, RCX);
  emit8(c, 0x0f), emit8(c, 0xb7), emit8(c, 0x0c), emit8(c, 0x24);
  release_stack(c, 8);
  if (ends_in_engine(t)) {
    emit_jmp_out(c, exit_return);
    return;
  }
  emit8(c, 0x65), emit8(c, 0xff), emit8(c, 0x24), emit8(c, 0xcd);
  emit32(c, RETURN_TABLE);
}

/* A return that releases arguments too leaves its address out of the target's reach: it is an ordinary indirect jump. */
static void end_return_releasing(struct translation *t, uint16_t bytes) {
  note_branch(t, 8 + (int64_t)bytes);
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
    emit_mov_address(c, RCX, item->pc + insn->len + (uint64_t)mem.disp, LASTING_ADDRESS);
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

/* The difference between a branch's target and the guess into rcx, which is saved, and rax with it unless the target is in a register
 * other than rcx: that is then left alone. Returns whether rax was needed.
 *     mov  gs:[0], rax;  mov gs:[1], rcx;  rcx = target
 *     mov  rax, -guess;  lea rcx, [rcx + rax]                         or, where the target lies at a known address:
 *     mov  gs:[0], rax;  mov gs:[1], rcx;  mov rax, [address]
 *     mov  rcx, -guess;  lea rcx, [rcx + rax]                         or:
 *     mov  gs:[1], rcx;  mov rcx, -guess;  lea rcx, [rcx + register]    */
static bool compare_with_guess(struct translation *t, const struct item *item) {
  struct code *c = &t->code;
  unsigned reg = (item->insn.modrm & 7u) | (item->insn.rex & 1u) << 3;
  bool easy = !item->insn.has_mem && reg != RCX && reg != RSP;
  if (!easy) {
    const struct x64_insn *insn = &item->insn;
    bool at_known = insn->has_mem && insn->mem.base == REG_RIP && insn->mem.segment == SEG_NONE &&
                    insn->address_size == 8;
    save_for_indirect(t);
    if (at_known) {
      emit8(c, 0x48), emit8(c, 0xa1); /* mov rax, [imm64] */
      emit64(c, item->pc + insn->len + (uint64_t)insn->mem.disp);
    } else {
      load_target(t, item);
    }
    emit_mov_imm(c, at_known ? RCX : RAX, -(uint64_t)item->guessed);
    emit_lea_sum(c, RCX, RCX, RAX);
    return true;
  }
  emit_save(c, RCX, SPILL(SLOT_RCX));
  t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_RCX, RCX);
  emit_mov_imm(c, RCX, -(uint64_t)item->guessed);
  emit_lea_sum(c, RCX, RCX, reg);
  return false;
}

static void restore_from_guess(struct code *c, bool rax) {
  if (rax) emit_load(c, RAX, SPILL(SLOT_RAX));
  emit_load(c, RCX, SPILL(SLOT_RCX));
}

/* An indirect branch that is expected to lead to the next item:
 *     rcx = target - guess
 *     jrcxz 1f
 *     mov  rcx, gs:[1];  …
 *     jmp  side                        ; where the branch is an ordinary one
 * 1:  mov  rcx, gs:[1];  …
 *     [push the return address]                                                                 */
void emit_guess(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  struct code *c = &t->code;
  emit_checks(t, i);
  give_back(t);
  bool rax = compare_with_guess(t, item);
  emit8(c, 0xe3);
  const uint8_t *hit = emit_short(c);
  restore_from_guess(c, rax);
  new_stub(t, emit_jmp(c), new_exit(t, EXIT_DIRECT, item->pc))->correction =
      (int32_t)i - (int32_t)t->sb.count;
  patch_short(c, hit);
  restore_from_guess(c, rax);
  if (item->insn.kind == INSN_CALL_IND) push_return_address(t, item->pc + item->insn.len);
  forget_checked(t, &item->insn);
}

/* -- The last instruction of a block --------------------------------------------------------------------------- */

static bool is_iretq(const struct x64_insn *insn) {
  return insn->opcode == 0xcf && insn->operand_size == 8;
}

/* The facts that the engine needs to perform the instruction itself (emulate.c). */
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
  emit_instruction(c, item->bytes, item->insn.len);
  end_jump(t, next);
}

/* The checks of a block's last instruction, whose code must find every register in its place. */
static void check_end(struct translation *t) {
  emit_checks(t, t->sb.count - 1);
  give_back(t);
}

/* Branches, all of which end a block; false for other instructions. */
static bool end_at_branch(struct translation *t, const struct item *item) {
  const struct x64_insn *insn = &item->insn;
  uintptr_t next = item->pc + insn->len, target = next + (uintptr_t)insn->imm;
  switch (insn->kind) {
    case INSN_JMP:
      end_jump(t, target);
      return true;
    case INSN_JCC:
      end_direct(t, emit_jcc(&t->code, insn->opcode & 15), target);
      end_jump(t, next);
      return true;
    case INSN_LOOP:
      end_loop(t, item, next, target);
      return true;
    case INSN_CALL:
      check_end(t);
      push_return_address(t, next);
      end_jump(t, target);
      return true;
    case INSN_RET:
      check_end(t);
      if (insn->imm)
        end_return_releasing(t, (uint16_t)insn->imm);
      else
        end_return(t);
      return true;
    case INSN_JMP_IND:
    case INSN_CALL_IND:
      check_end(t);
      note_branch(t, insn->kind == INSN_CALL_IND ? -8 : 0);
      save_for_indirect(t);
      load_target(t, item);
      if (insn->kind == INSN_CALL_IND) push_return_address(t, next);
      indirect_jump(t);
      return true;
    default:
      return false;
  }
}

static bool loads_gs(const struct x64_insn *insn) {
  return insn->kind == INSN_MOV_TO_SEG && insn->opcode == 0x8e && (insn->modrm >> 3 & 7) == 5;
}

/* Instructions that the engine performs (syscall_dispatch.c, emulate.c) or refuses; false for those that the processor performs. */
static bool end_in_engine(struct translation *t, const struct item *item) {
  const struct x64_insn *insn = &item->insn;
  uintptr_t next = item->pc + insn->len;
  switch (insn->kind) {
    case INSN_SYSCALL:
      end_exit(t, EXIT_CALL, next, 0);
      return true;
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
      return true;
    case INSN_POPF:
      check_end(t);
      end_popf(t, item, next);
      return true;
    case INSN_MOV_TO_SEG:
      if (!loads_gs(insn)) return false;
      end_exit(t, insn->has_mem ? EXIT_UNSUPPORTED : EXIT_EMULATE, insn->has_mem ? item->pc : next,
               emulation_detail(insn));
      return true;
    case INSN_INT:
      if ((uint8_t)insn->imm != 0x80) return false;
      end_exit(t, EXIT_EMULATE, next, emulation_detail(insn));
      return true;
    case INSN_FAR:
      check_end(t);
      if (is_iretq(insn))
        end_exit(t, EXIT_EMULATE, next, emulation_detail(insn));
      else
        end_exit(t, EXIT_UNSUPPORTED, item->pc, 0);
      return true;
    default:
      return false;
  }
}

/* Instructions that always have the same outcome, a fault mostly; false for others. */
static bool end_as_known(struct translation *t, const struct item *item) {
  const struct x64_insn *insn = &item->insn;
  struct code *c = &t->code;
  switch (insn->kind) {
    case INSN_XBEGIN: /* a transaction aborts at once, as on a machine that has them switched off */
      if (insn->opcode != 0xc7) return false;
      emit_mov_imm(c, RAX, 0);
      end_jump(t, item->pc + insn->len + (uintptr_t)insn->imm);
      return true;
    case INSN_UNDEFINED:
      if (insn->len == X64_INSN_MAX)
        emit8(c, 0xf4); /* too long an instruction is a protection fault: hlt */
      else
        emit8(c, 0x0f), emit8(c, 0x0b); /* ud2 */
      return true;
    case INSN_PRIVILEGED:
    case INSN_SYSENTER:
      emit8(c, 0xf4); /* hlt: the same fault */
      return true;
    default:
      return false;
  }
}

/* Everything else runs as it is, but is the last of its block. A trap leaves the program counter behind its instruction: the
 * way on has an entry of its own in the map. */
void emit_end(struct translation *t, const struct item *item) {
  const struct x64_insn *insn = &item->insn;
  uintptr_t next = item->pc + insn->len;
  if (end_at_branch(t, item) || end_in_engine(t, item) || end_as_known(t, item)) return;
  emit_copied(t, (unsigned)(item - t->sb.items));
  if (insn->kind == INSN_INT || insn->kind == INSN_INT3 || insn->kind == INSN_INT1) note_instruction(t, next);
  give_back(t);
  if (stores_fip(insn))
    end_exit(t, EXIT_EMULATE, next, fip_detail(item));
  else
    end_jump(t, next);
}
