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
 *     uncount:add  qword gs:[count], -N       ; and the poll to jump here, for those who came in behind the addition
 *             jmp  code
 *
 * Flags: the addition destroys them. Where they are live at the entry they are kept in rax meanwhile (lahf, seto). */
#include "engine/x64/translate.h"

#include "engine/base/counters.h"
#include "engine/code/block_memory.h"
#include "engine/code/code.h"
#include "engine/code/lasting.h"

extern const char exit_common[];

static struct translation translation; /* under cache_lock */

unsigned arch_count_word(uintptr_t pc) {
  static unsigned next; /* neighbours should not share one */
#if defined(REPRISE_STRESS_LASTING)
  next = (unsigned)(pc >> 4); /* the same in each translation */
#else
  (void)pc;
#endif
  return arch_stops_late() ? 0 : next++ % COUNT_WORDS;
}

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

void emit_exit_id(struct code *c, const struct exit *exit) {
  emit_store_imm(c, CTX_EXIT, (uint32_t)((uintptr_t)exit - ARENA_BASE));
  mark_behind(c, sizeof(uint32_t), LASTING_EXIT);
}

/*   mov dword gs:[exit], id
 *   jmp exit_common                    */
void emit_exit_tail(struct code *c, const struct exit *exit) {
  emit_exit_id(c, exit);
  emit_jmp_out(c, exit_common);
}

void note_instruction(struct translation *t, uintptr_t pc) {
  bool far = !superblock_near(t->block->pc, pc);
  t->map[t->block->map_count++] = (struct insn_map){
      .code = (uint16_t)((uintptr_t)t->code.at - t->block->code) & 0x7fff,
      .far = far,
      .pc = (int32_t)(pc - (far ? t->block->far_pc : t->block->pc)),
  };
}

static void emit_item(struct translation *t, unsigned i) {
  struct item *item = &t->sb.items[i];
  bool last = i + 1 == t->sb.count && !t->sb.open;
  if (t->borrowed >= 0 && used_by(&item->insn) >> t->borrowed & 1) give_back(t);
  if (last) give_back(t);
  note_instruction(t, item->pc);
  if (t->borrowed >= 0) t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_LONG, t->borrowed);
  emit_hulls(t, i);
  if (last) give_back(t);
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
    if (item->insn.kind == INSN_RET) {
      release_stack(&t->code, 8);
      forget_checked(t, &item->insn);
    }
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
 *   jle hot                             ; not jz: two threads that subtract at once may lose what is stored there in between */
static void emit_heat(struct translation *t, bool flags_dead) {
  struct code *c = &t->code;
  cache_heat(t->block);
  emit8(c, 0x83), emit8(c, 0x2d);
  mark(c, LASTING_HEAT);
  emit32(c, (uint32_t)((intptr_t)t->block->heat - (intptr_t)(c->at + 5)));
  emit8(c, 1);
  new_stub(t, emit_jcc(c, COND_LE), new_exit(t, EXIT_HOT, t->block->pc))->restore_flags = !flags_dead;
}

/*   test byte gs:[map + block], own; jz …   ; for every block of memory that its source lies in
 * Behind the safepoint: no other thread writes there until the next one. */
static void emit_source_tests(struct translation *t, bool flags_dead) {
  for (unsigned i = 0; i < t->sb.range_count; i++) {
    const struct source_range *range = &t->sb.ranges[i];
    struct exit *exit = new_exit(t, EXIT_SOURCE, t->block->pc);
    exit->detail = source_detail(range);
    for (uintptr_t at = ALIGN_DOWN(range->start, BLOCK_BYTES); at < range->end; at += BLOCK_BYTES) {
      test_may_read(&t->code, at);
      new_stub(t, emit_jcc(&t->code, COND_E), exit)->restore_flags = !flags_dead;
    }
  }
}

/*   mov gs:[0], rax; lahf; seto al       ; only when the flags are live
 *   add qword gs:[count], N
 *   jns poll
 *   cmp dword gs:[poll], 0; jne poll     ; only where threads ask each other for memory
 *   […] ; while the block is not hot
 *   add al, 127; sahf; mov rax, gs:[0]   */
static void emit_entry(struct translation *t) {
  struct code *c = &t->code;
  bool dead = superblock_flags_dead_at_entry(&t->sb);
  t->block->flags_unused = dead;
  if (!dead) {
    emit_save(c, RAX, SPILL(SLOT_RAX));
    emit_flags_to_rax(c);
  }
  emit_count(c, t->block->count_word, (int32_t)t->sb.count);
  /* A stepping thread has just been at a safepoint, and has since taken permissions that another safepoint would lose. */
  if (!t->block->step) {
    struct exit *poll = new_exit(t, EXIT_POLL, t->block->pc);
    new_stub(t, emit_jcc(c, COND_NS), poll)->restore_flags = !dead;
    if (permissions_on()) {
      emit_gs_op(c, false, 0x83, 7, CTX_POLL), emit8(c, 0); /* cmp dword gs:[poll], 0 */
      new_stub(t, emit_jcc(c, COND_NE), poll)->restore_flags = !dead;
    }
  }
  if (t->sb.contended && !t->block->step) emit_source_tests(t, dead);
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

/* Compares the source bytes with the translated ones:
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

/* Room for a better way out, which arch_link may fill; until then it holds the address of the branch. Rooms lie side by side right behind
 * the main path: once filled, they are what is executed of all that follows it. */
static void leave_room(struct translation *t, const struct stub *stub) {
  struct exit *exit = stub->exit;
  if (!t->block->hot || exit->kind != EXIT_DIRECT || !stub->correction || !stub->flags_dead) return;
  exit->correction = (int8_t)stub->correction;
  exit->borrowed = (uint8_t)(stub->reload + 1);
  exit->detail = (uintptr_t)t->code.at;
  memcpy(code_written(t->code.at), &stub->branch, sizeof stub->branch);
  t->code.at += joint_room(exit);
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
}

static void finish(struct translation *t) {
  struct code *c = &t->code;
  for (unsigned i = 0; i < t->stub_count; i++) leave_room(t, &t->stubs[i]);
  for (unsigned i = 0; i < t->stub_count; i++) emit_stub(t, &t->stubs[i]);
  for (unsigned i = 0; i < t->check_count; i++) emit_check_stub(t, &t->checks[i]);
  struct exit *killed = new_exit(t, EXIT_DIRECT, t->block->pc);
  killed->patch =
      t->block->code + 1; /* linked, the patched entry leads on to the block that replaces this one */
  t->block->killed = (uintptr_t)c->at;
  emit_exit_tail(c, killed);
  if (t->block->hot && t->block->flags_unused) {
    t->block->uncount = (uintptr_t)c->at;
    emit_count(c, t->block->count_word, -(int32_t)t->sb.count);
    emit_jmp_to(c, (const void *)t->block->code);
  }
  while ((uintptr_t)c->at & 7) emit8(c, 0x90); /* the application may have alignment checked */
  for (unsigned i = 0; i < t->constant_count; i++) {
    patch_branch(t->constants[i].at, c->at);
    mark(c, LASTING_ADDRESS);
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
    const struct x64_insn *insn = &t->sb.items[0].insn;
    bool sync = synchronises(insn) || is_watched(insn, t->block->pc);
    end_exit(t, sync ? EXIT_SYNC : EXIT_ACCESS, t->block->pc, 0);
    return;
  }
  for (unsigned i = 0; i < t->sb.count; i++) emit_item(t, i);
  if (t->sb.open) {
    give_back(t);
    end_jump(t, t->sb.next_pc);
  }
}

/* Where it is known what the code depends on: exits have looked at the instructions that they lead to. And before the block is registered: other threads
 * then link its exits. */
static void collect(struct translation *t, struct exit *exits, enum entry_kind front) {
  t->code.marks->lost |= t->sb.tells_time;
  t->code.marks->repeats = t->sb.repeats;
  lasting_collect(&(struct lasting_made){t->block, t->code.marks, exits, (unsigned)(t->next_exit - exits),
                                         front, t->sb.ranges, t->sb.range_count});
}

/* front: the checking entry that the block starts with, or ENTRY_DIRECT. */
static struct block *translate(struct translation *t, uintptr_t pc, enum entry_kind entry,
                               enum entry_kind front) {
  uint8_t *start = cache_reserve(CACHE_BLOCK_MAX);
  if (!start) return NULL;
  t->unchecked = entry == ENTRY_STEP && !checks_steps(t->sb.limit);
  t->narrow = config.check == CHECK_ALL && cache_is_narrow(pc, true);
  unsigned exits = 5 + plan_checks(t);
  exits += t->sb.side_exits + EXITS_PER_CALL * t->sb.call_count + (t->sb.contended ? t->sb.range_count : 0);
  struct block *block = t->block = block_memory_take(sizeof *block);
  block->pc = pc;
  block->far_pc = t->sb.far_pc;
  block->count_word = (uint8_t)arch_count_word(pc);
  struct exit *first = block_memory_take(exits * sizeof *first), *end = first + exits;
  t->next_exit = first;
  block->self_checking = t->sb.self_checking && !t->sb.unfetchable;
  block->contended = t->sb.contended;
  block->opens = t->opens[0];
  block->instructions = (uint16_t)t->sb.count;
  t->code = (struct code){start, entry < ENTRY_KINDS ? lasting_begin(start) : NULL};
  t->stub_count = t->constant_count = t->checked_count = t->check_count = 0;
  t->borrowed = -1;
  block->step = entry == ENTRY_STEP ? (uint16_t)t->sb.limit : 0;
  block->probe = entry == ENTRY_PROBE;
  block->hot = entry == ENTRY_PATH;
  t->cold = entry < ENTRY_KINDS && !block->self_checking && !block->contended;
  if (front != ENTRY_DIRECT) {
    block->entries[front] = (uintptr_t)start;
    emit_entry_check(&t->code, pc, front);
    while ((uintptr_t)t->code.at & 7) emit8(&t->code, 0x90);
  }
  block->code = (uintptr_t)t->code.at;
  emit_body(t);
  block->body_size = (uint32_t)((uintptr_t)t->code.at - block->code);
  finish(t);
  CHECK(t->next_exit <= end && t->code.at <= start + CACHE_BLOCK_MAX);
  block->code_size = (uint32_t)((uintptr_t)t->code.at - block->code);
  block_memory_trim(t->next_exit);
  block->map = block_memory_take(block->map_count * sizeof *block->map);
  memcpy(block->map, t->map, block->map_count * sizeof *block->map);
  cache_commit(t->code.at);
  atomic_fetch_add_explicit(&counters.instructions, t->sb.count, memory_order_relaxed);
  atomic_fetch_add_explicit(&counters.code_bytes, block->code_size, memory_order_relaxed);
  if (lasting_compares()) return block;
  if (t->code.marks) collect(t, first, front);
  cache_register(block);
  codewatch_register(block, t->sb.ranges, t->sb.range_count);
  return block;
}

struct block *arch_translate(uintptr_t pc, enum entry_kind entry, unsigned limit) {
  if (entry != ENTRY_STEP) limit = config.check == CHECK_ALL ? CHECKED_SUPERBLOCK_MAX : PLAIN_MAX;
  superblock_read(&translation.sb, pc, limit, entry == ENTRY_PROBE);
  return translate(&translation, pc, entry, entry < ENTRY_KINDS ? entry : ENTRY_DIRECT);
}

/* True if the end of the main path leads back to its start. */
static bool leads_back(const struct superblock *sb) {
  const struct item *last = &sb->items[sb->count - 1];
  uintptr_t head = sb->items[0].pc, next = last->pc + last->insn.len;
  if (sb->open) return sb->next_pc == head;
  bool jumps = last->insn.kind == INSN_JCC || last->insn.kind == INSN_JMP;
  return jumps && (next == head || next + (uintptr_t)last->insn.imm == head);
}

struct block *arch_translate_path(const struct path *path, struct block *old) {
  superblock_read_path(&translation.sb, path);
  if (translation.sb.self_checking || translation.sb.contended || translation.sb.unfetchable) return NULL;
  enum entry_kind front = old->entries[ENTRY_RETURN]     ? ENTRY_RETURN
                          : old->entries[ENTRY_INDIRECT] ? ENTRY_INDIRECT
                                                         : ENTRY_DIRECT;
  struct block *block = translate(&translation, path->head, ENTRY_PATH, front);
  if (!block) return NULL;
  /* Where accesses are checked a path has room for less, and a loop that was cut short had better be continued. */
  bool whole = path->next == path->head && block->instructions == path->instructions;
  block->loop = whole || (config.check == CHECK_NONE && leads_back(&translation.sb));
  replace_block(old, block);
  COUNT(paths);
  return block;
}
