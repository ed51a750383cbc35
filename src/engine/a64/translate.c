/* translate.c (AArch64): turns a superblock into code.
 *
 * The shape of a block in the cache:
 *
 *             [ checks that an indirect branch means this block: links.c ]
 *     code:   nop                             ; becomes a branch to `killed`, or to the block that replaces this one
 *             sub  x14, x14, #N               ; the position, counted down to the stop, and …
 *             ldr  x15, [x18, #pending]       ; … the poll
 *             orr  x15, x15, x14
 *             tbnz x15, #63, poll
 *             [ counts how often it is entered, until it is hot ]
 *             …instructions, most of them copied…
 *             b.cc side                       ; a side exit
 *             …
 *             b.cc taken                      ; the last branch
 *             b    fall-through               ; linked straight to another block
 *     side:   add  x14, x14, #N - k           ; only k instructions were executed
 *     taken:  b    target                     ; linked likewise
 *             …exit…
 *     poll:   mov  w15, id;  b shared exit
 *     killed: likewise
 *             …constants…
 *
 * No flags are touched: the poll, the count and every check work without. */
#include "engine/a64/translate.h"

#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/code/block_memory.h"
#include "engine/code/code.h"
#include "engine/code/lasting.h"
#include "engine/region/value_log.h"

static struct translation translation; /* under cache_lock */

struct exit *new_exit(struct translation *t, enum exit_kind kind, uintptr_t target) {
  struct exit *exit = t->next_exit++;
  exit->block = t->block;
  exit->kind = kind;
  exit->target = target;
  return exit;
}

struct stub *new_stub(struct translation *t, uint32_t *branch, struct exit *exit) {
  CHECK(t->stub_count < STUBS_MAX);
  struct stub *stub = &t->stubs[t->stub_count++];
  *stub = (struct stub){.branch = branch, .exit = exit};
  return stub;
}

void emit_constant(struct translation *t, unsigned reg, uint64_t value) {
  CHECK(t->constant_count < CONSTANTS_MAX);
  t->constants[t->constant_count].load = t->code.at;
  t->constants[t->constant_count++].value = value;
  emit(&t->code, LOAD_LITERAL | reg);
}

/* movz, movk: always both. */
static void emit_exit_id(struct code *c, const struct exit *exit) {
  uint32_t offset = (uint32_t)((uintptr_t)exit - ARENA_BASE);
  mark(c, LASTING_EXIT);
  emit(c, 0xd2800000u | (offset & 0xffff) << 5 | SCRATCH);
  emit(c, 0xf2a00000u | offset >> 16 << 5 | SCRATCH);
}

void emit_exit_tail(struct code *c, const struct exit *exit) {
  emit_exit_id(c, exit);
  emit_b_to(c, CODE_CACHE_BASE + SHARED_EXIT);
}

/* -- Instructions ------------------------------------------------------------------------------------------------- */

static void emit_address(struct translation *t, const struct item *item) {
  unsigned reg = a64_register(item->insn.word, FIELD_D);
  bool page = item->insn.word >> 31;
  uint64_t value = (page ? ALIGN_DOWN(item->pc, 4096) : item->pc) + (uint64_t)item->insn.offset;
  if (reg == ZERO) return;
  if (TAKEN >> reg & 1) {
    emit_mov_address(&t->code, SCRATCH, value);
    emit_save(&t->code, SCRATCH, GPR_WORD(reg));
  } else {
    emit_mov_address(&t->code, reg, value);
  }
}

/*     mov  x15, address
 *     ldr  rt, [x15]                   ; by a destination that is taken: x13, stored to the context */
static void emit_literal(struct translation *t, const struct item *item) {
  static const uint32_t general[3] = {0xb9400000u, 0xf9400000u, 0xb9800000u};
  static const uint32_t vector[3] = {0xbd400000u, 0xfd400000u, 0x3dc00000u};
  struct code *c = &t->code;
  uint32_t word = item->insn.word, opc = word >> 30;
  unsigned reg = a64_register(word, FIELD_D);
  bool is_vector = word >> 26 & 1, taken = !is_vector && reg != ZERO && TAKEN >> reg & 1;
  emit_mov_address(c, SCRATCH, item->pc + (uint64_t)item->insn.offset);
  emit(c, (is_vector ? vector[opc] : general[opc]) | SCRATCH << 5 | (taken ? SCRATCH2 : reg));
  if (taken) emit_save(c, SCRATCH2, GPR_WORD(reg));
}

static bool eight_are_free(const struct a64_insn *insn) {
  uint32_t eight = 0xffu << a64_register(insn->word, FIELD_D);
  return !(eight & TAKEN) && !((a64_registers_read(insn) | a64_registers_written(insn)) & TAKEN);
}

static void emit_plain(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  const struct a64_insn *insn = &item->insn;
  switch (insn->kind) {
    case A64_ADDRESS:
      emit_address(t, item);
      break;
    case A64_LOAD_LITERAL:
      emit_literal(t, item);
      break;
    case A64_PREFETCH_LITERAL:
      break;
    case A64_WAIT_EVENT:
      emit(&t->code, YIELD);
      break;
    case A64_LOAD_EXCLUSIVE:
      emit_load_exclusive(t, insn);
      break;
    case A64_STORE_EXCLUSIVE:
      emit_store_exclusive(t, insn);
      break;
    case A64_CLEAR_EXCLUSIVE:
      emit_clear_exclusive(&t->code);
      break;
    case A64_BLOCK_OF_EIGHT:
      if (eight_are_free(insn))
        emit(&t->code, insn->word);
      else
        end_exit(t, EXIT_UNSUPPORTED, item->pc, 0);
      break;
    default:
      emit_renamed(t, insn);
      forget_checked(t, insn);
      return;
  }
  forget_held(t);
  forget_checked(t, insn);
}

static void emit_ordinary(struct translation *t, unsigned i) {
  struct check *open = config.check == CHECK_NONE ? NULL : emit_check(t, i);
  emit_plain(t, i);
  if (!open) return;
  forget_held(t); /* code for open memory leads here, too */
  open->behind = t->code.at;
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

static void emit_item(struct translation *t, unsigned i) {
  struct item *item = &t->sb.items[i];
  note_instruction(t, item->pc);
  if (item->inlined) {
    emit_followed(t, i);
  } else if (i + 1 == t->sb.count && !t->sb.open) {
    emit_end(t, item);
  } else if (item->insn.kind == A64_CONDITIONAL) {
    side_exit(t, i);
  } else {
    emit_ordinary(t, i);
  }
}

/* -- The block as a whole ------------------------------------------------------------------------------------------ */

void emit_count_entries(struct code *c, const struct block *block) {
  uint32_t place = (uint32_t)((uintptr_t)block->heat & 4095) / 4 << 10 | SCRATCH2 << 5 | SCRATCH;
  emit_page(c, SCRATCH2, (uintptr_t)block->heat);
  emit(c, 0xb9400000u | place);
  emit(c, 0x51000400u | SCRATCH << 5 | SCRATCH);
  emit(c, 0xb9000000u | place);
}

/*     adrp x13, heat
 *     ldr  w15, [x13, #heat]
 *     sub  w15, w15, #1
 *     str  w15, [x13, #heat]
 *     tbnz w15, #31, hot               ; not at 0: two threads that subtract at once may lose what is stored there in between */
static void emit_heat(struct translation *t) {
  struct code *c = &t->code;
  cache_heat(t->block);
  mark(c, LASTING_HEAT);
  emit_count_entries(c, t->block);
  new_stub(t, emit_tbnz(c, SCRATCH, 31), new_exit(t, EXIT_HOT, t->block->pc));
}

static void emit_entry(struct translation *t) {
  struct code *c = &t->code;
  emit_sub_imm(c, COUNTDOWN, COUNTDOWN, t->sb.count);
  /* A stepping thread has just been at a safepoint, and has since taken permissions that another safepoint would lose. */
  if (t->block->step) return;
  emit_load(c, SCRATCH, CTX_PENDING);
  emit_orr(c, SCRATCH, SCRATCH, COUNTDOWN);
  new_stub(t, emit_tbnz(c, SCRATCH, 63), new_exit(t, EXIT_POLL, t->block->pc));
  if (t->sb.contended) emit_source_tests(t);
  if (t->cold) emit_heat(t);
}

/* Compares the source words with the translated ones:
 *   mov x13, source;  ldr w13, [x13];  mov x15, word;  sub x13, x13, x15;  cbnz x13, stale;  …               */
static void emit_self_check(struct translation *t) {
  struct code *c = &t->code;
  struct exit *stale = new_exit(t, EXIT_STALE, t->block->pc);
  uint32_t *mismatches[SUPERBLOCK_MAX];
  for (unsigned i = 0; i < t->sb.count; i++) {
    emit_mov_imm(c, SCRATCH2, t->sb.items[i].pc);
    emit(c, 0xb9400000u | SCRATCH2 << 5 | SCRATCH2);
    emit_mov_imm(c, SCRATCH, t->sb.items[i].insn.word);
    emit_sub(c, SCRATCH2, SCRATCH2, SCRATCH);
    mismatches[i] = emit_cbnz(c, SCRATCH2);
  }
  uint32_t *same = emit_b(c);
  for (unsigned i = 0; i < t->sb.count; i++) patch_branch(mismatches[i], c->at);
  emit_exit_tail(c, stale);
  patch_branch(same, c->at);
}

static void emit_stub(struct translation *t, const struct stub *stub) {
  struct code *c = &t->code;
  patch_branch(stub->branch, c->at);
  if (stub->exit->kind == EXIT_DIRECT) {
    bool conditional = (*stub->branch & 0xfc000000u) != 0x14000000u;
    uint32_t *patch = stub->branch;
    if (stub->correction) emit_add_imm(c, COUNTDOWN, COUNTDOWN, stub->correction);
    if (conditional || stub->correction) {
      patch = emit_b(c);
      patch_branch(patch, c->at);
    }
    stub->exit->patch = (uintptr_t)patch;
  }
  emit_exit_tail(c, stub->exit);
}

static void finish(struct translation *t) {
  struct code *c = &t->code;
  t->block->body_size = (uint32_t)((uintptr_t)c->at - t->block->code);
  for (unsigned i = 0; i < t->stub_count; i++) emit_stub(t, &t->stubs[i]);
  for (unsigned i = 0; i < t->check_count; i++) emit_check_stub(t, &t->checks[i]);
  struct exit *killed = new_exit(t, EXIT_DIRECT, t->block->pc);
  killed->patch = t->block->code; /* linked, the patched entry leads on to the block that replaces this one */
  t->block->killed = (uintptr_t)c->at;
  emit_exit_tail(c, killed);
  if ((uintptr_t)c->at & 7) emit(c, NOP);
  for (unsigned i = 0; i < t->constant_count; i++) {
    patch_literal(t->constants[i].load, c->at);
    mark(c, LASTING_ADDRESS);
    emit_word(c, t->constants[i].value);
  }
}

static void emit_body(struct translation *t) {
  emit(&t->code, NOP);
  if (t->sb.unfetchable) {
    end_exit(t, EXIT_FETCH, t->block->pc, t->block->pc);
    return;
  }
  if (t->sb.self_checking) emit_self_check(t);
  emit_entry(t);
  if (t->sb.for_engine) {
    const struct a64_insn *insn = &t->sb.items[0].insn;
    bool sync = synchronises(insn) || is_watched(insn, t->block->pc);
    enum exit_kind kind = sync ? EXIT_SYNC : insn->mem.scattered ? EXIT_UNSUPPORTED : EXIT_ACCESS;
    end_exit(t, kind, t->block->pc, 0);
    return;
  }
  for (unsigned i = 0; i < t->sb.count; i++) emit_item(t, i);
  if (t->sb.open) end_jump(t, t->sb.next_pc);
}

/* Where it is known what the code depends on: exits have looked at the instructions that they lead to. And before the block is registered: other threads
 * then link its exits. */
static void collect(struct translation *t, struct exit *exits, enum entry_kind front) {
  t->code.marks->lost |= t->sb.tells_time;
  lasting_collect(&(struct lasting_made){t->block, t->code.marks, exits, (unsigned)(t->next_exit - exits),
                                         front, t->sb.ranges, t->sb.range_count});
}

/* with_entry: the block starts with the check of an indirect branch. */
static struct block *translate(struct translation *t, uintptr_t pc, enum entry_kind entry, bool with_entry) {
  uint32_t *start = (uint32_t *)(void *)cache_reserve(CACHE_BLOCK_MAX);
  if (!start) return NULL;
  unsigned exits = 6 + t->sb.side_exits + EXITS_PER_CALL * t->sb.call_count +
                   (config.check == CHECK_NONE ? 0 : t->sb.count) + (t->sb.contended ? t->sb.range_count : 0);
  struct block *block = t->block = block_memory_take(sizeof *block);
  block->pc = pc;
  block->far_pc = t->sb.far_pc;
  struct exit *first = block_memory_take(exits * sizeof *first), *end = first + exits;
  t->next_exit = first;
  block->self_checking = t->sb.self_checking && !t->sb.unfetchable;
  block->contended = t->sb.contended;
  block->instructions = (uint16_t)t->sb.count;
  t->code = (struct code){start, entry < ENTRY_KINDS ? lasting_begin(start) : NULL};
  t->stub_count = t->constant_count = t->checked_count = t->check_count = 0;
  t->unchecked = entry == ENTRY_STEP && !(values_on() && replaying());
  t->borrowed = t->latest = 0; /* code depends on nothing that was translated before */
  forget_held(t);
  block->step = entry == ENTRY_STEP ? (uint16_t)t->sb.limit : 0;
  block->probe = entry == ENTRY_PROBE;
  block->hot = entry == ENTRY_PATH;
  t->cold = entry < ENTRY_KINDS && !block->self_checking && !block->contended;
  if (with_entry) block->entries[ENTRY_INDIRECT] = emit_entry_check(&t->code, pc);
  block->code = (uintptr_t)t->code.at;
  emit_body(t);
  finish(t);
  CHECK(t->next_exit <= end && (uint8_t *)t->code.at <= (uint8_t *)start + CACHE_BLOCK_MAX);
  sync_code(start, t->code.at);
  block->code_size = (uint32_t)((uintptr_t)t->code.at - block->code);
  block_memory_trim(t->next_exit);
  block->map = block_memory_take(block->map_count * sizeof *block->map);
  memcpy(block->map, t->map, block->map_count * sizeof *block->map);
  cache_commit((uint8_t *)t->code.at);
  atomic_fetch_add_explicit(&counters.instructions, t->sb.count, memory_order_relaxed);
  atomic_fetch_add_explicit(&counters.code_bytes, block->code_size, memory_order_relaxed);
  if (lasting_compares()) return block;
  if (t->code.marks) collect(t, first, with_entry ? ENTRY_INDIRECT : ENTRY_DIRECT);
  cache_register(block);
  codewatch_register(block, t->sb.ranges, t->sb.range_count);
  return block;
}

struct block *arch_translate(uintptr_t pc, enum entry_kind entry, unsigned limit) {
  struct superblock *sb = &translation.sb;
  if (entry != ENTRY_STEP) limit = config.check == CHECK_ALL ? CHECKED_PLAIN_MAX : PLAIN_MAX;
  if (entry == ENTRY_PROBE)
    superblock_read_step(sb, pc, limit);
  else
    superblock_read(sb, pc, limit);
  return translate(&translation, pc, entry, entry == ENTRY_INDIRECT);
}

struct block *arch_translate_path(const struct path *path, struct block *old) {
  struct superblock *sb = &translation.sb;
  superblock_read_path(sb, path);
  if (sb->self_checking || sb->contended || sb->unfetchable || old->dead) return NULL;
  struct block *block = translate(&translation, path->head, ENTRY_PATH, old->entries[ENTRY_INDIRECT]);
  if (!block) return NULL;
  /* Not for a loop that was cut short: a path that reaches it had better continue it. */
  block->loop = path->next == path->head && block->instructions == path->instructions;
  replace_block(old, block);
  COUNT(paths);
  return block;
}
