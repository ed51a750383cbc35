/* links.c (x86-64): links between blocks.
 *
 * Direct branches are patched in place. Indirect ones index a table of the thread with the low 16 bits of the target and jump to
 * the block's entry of that kind, which makes sure that the block is the right one. The check uses no flags (lea,
 * jrcxz): only the true target knows whether the application's flags are live there. Returns have a table of their
 * own, because the address they went to is still in memory, just below the stack pointer, and need one register less. */
#include "engine/x64/translate.h"

#include <linux/mman.h>
#include <linux/elf.h>

#include "engine/base/arena.h"
#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"

extern const char exit_indirect[], exit_return[], empty_targets[];

/* A stress engine goes through the dispatcher for every branch. */
#if defined(REPRISE_STRESS_SLOW_PATHS)
enum { SLOW_PATHS = 1 };
#else
enum { SLOW_PATHS = 0 };
#endif

_Static_assert(TARGET_TABLE == SLOT_TABLES, "the tables are addressed from the slot's base");
_Static_assert(RETURN_TABLE == TARGET_TABLE + TARGET_COUNT * 8, "both tables are one mapping");
_Static_assert(RETURN_TABLE + TARGET_COUNT * 8 <= SLOT_ENGINE_STACK, "the tables must fit");

static uintptr_t *table_of(struct thread *thread, enum entry_kind entry) {
  return (uintptr_t *)((uintptr_t)thread + (entry == ENTRY_RETURN ? RETURN_TABLE : TARGET_TABLE));
}

/* The offset of empty_targets in the engine's file, by its program headers. */
static long empty_targets_offset(void) {
  const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)ENGINE_BASE;
  const Elf64_Phdr *phdr = (const Elf64_Phdr *)(ENGINE_BASE + ehdr->e_phoff);
  uintptr_t address = (uintptr_t)empty_targets;
  for (unsigned i = 0; i < ehdr->e_phnum; i++)
    if (phdr[i].p_type == PT_LOAD && address - phdr[i].p_vaddr < phdr[i].p_filesz)
      return (long)(phdr[i].p_offset + (address - phdr[i].p_vaddr));
  BUG("the engine's file does not hold the empty table");
}

void arch_forget_targets(struct thread *thread) {
  long at = os_call6(__NR_mmap, table_of(thread, ENTRY_INDIRECT), 2 * TARGET_COUNT * 8,
                     PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, engine_fd, empty_targets_offset());
  if (os_failed(at)) fail_to_map("a table for indirect branches", at);
}

/*      mov  rax, -pc                    ; target in rcx
 *      lea  rcx, [rcx + rax]
 *      jrcxz 1f
 *      mov  rax, pc
 *      lea  rcx, [rcx + rax]
 *      jmp  exit_indirect
 *  1:  mov  rax, gs:[0]
 *      mov  rcx, gs:[1]                 */
static void emit_indirect_check(struct code *c, uintptr_t pc) {
  emit_mov_address(c, RAX, -(uint64_t)pc, LASTING_NEGATED);
  emit_lea_sum(c, RCX, RCX, RAX);
  emit8(c, 0xe3);
  const uint8_t *hit = emit_short(c);
  emit_mov_address(c, RAX, pc, LASTING_ADDRESS);
  emit_lea_sum(c, RCX, RCX, RAX);
  emit_jmp_out(c, exit_indirect);
  patch_short(c, hit);
  emit_load(c, RAX, SPILL(SLOT_RAX));
  emit_load(c, RCX, SPILL(SLOT_RCX));
}

/* The displacement just emitted is -(pc >> 16). Where it is a short one the block stays at its address. */
static void mark_high_half(struct code *c, int64_t displacement) {
  bool wide = displacement != (int8_t)displacement;
  mark_behind(c, sizeof(int32_t), wide ? LASTING_HIGH_HALF : LASTING_FIXED);
}

/*      mov  ecx, [rsp - 6]              ; bits 16 to 47 of the address; the low 16 led here
 *      lea  ecx, [rcx - (pc >> 16)]
 *      jrcxz 1f
 *      jmp  exit_return
 *  1:  mov  rcx, gs:[1]                 */
static void emit_return_check(struct code *c, uintptr_t pc) {
  struct x64_mem middle = {.base = RSP, .index = REG_NONE, .scale = 1, .disp = -6};
  struct x64_mem difference = {.base = RCX, .index = REG_NONE, .scale = 1, .disp = (int32_t) - (pc >> 16)};
  emit_mem_op(c, false, 0x8b, RCX, &middle, false);
  emit_mem_op(c, false, 0x8d, RCX, &difference, false);
  mark_high_half(c, difference.disp);
  emit8(c, 0xe3);
  const uint8_t *hit = emit_short(c);
  emit_jmp_out(c, exit_return);
  patch_short(c, hit);
  emit_load(c, RCX, SPILL(SLOT_RCX));
}

void emit_entry_check(struct code *c, uintptr_t pc, enum entry_kind entry) {
  if (entry == ENTRY_RETURN)
    emit_return_check(c, pc);
  else
    emit_indirect_check(c, pc);
}

bool arch_make_entry(struct block *block, enum entry_kind entry) {
  struct code c = {.at = cache_reserve(CACHE_BLOCK_MAX)};
  if (!c.at) return false;
  uint8_t *start = c.at;
  emit_entry_check(&c, block->pc, entry);
  emit_jmp_to(&c, (const void *)block->code);
  cache_commit(c.at);
  block->entries[entry] = (uintptr_t)start;
  return true;
}

/* Here every exit reaches the engine by a jump of its own. */
uint8_t *arch_emit_shared(uint8_t *start) {
  return start;
}

void arch_resolve(struct thread *thread, struct block *to, enum entry_kind entry) {
  if (SLOW_PATHS) return;
  table_of(thread, entry)[(uint16_t)to->pc] = to->entries[entry];
}

/* True if the block starts with the addition alone: an exit that has made it can enter behind it. */
static bool has_joint_entry(const struct block *block) {
  return block->uncount;
}

/* Exit and entry both have something to add to the position, and dead flags to do it with: one addition does for both.
 *     [mov r, gs:[long]]               ; a register borrowed at the exit
 *     add  qword gs:[count], k - N + share of the target
 *     jmp  the poll of the target
 * Only the first thread that comes here fills the room. */
static void link_jointly(struct exit *exit, const struct block *to) {
  uint64_t room = __atomic_exchange_n(&exit->detail, 0, __ATOMIC_ACQ_REL);
  if (!room) return;
  uint8_t *branch;
  memcpy(&branch, (const void *)room, sizeof branch);
  struct code c = {.at = (uint8_t *)room};
  if (exit->borrowed) emit_load(&c, exit->borrowed - 1u, SPILL(SLOT_LONG));
  emit_count(&c, to->count_word, exit->correction + to->instructions);
  emit_jmp_to(&c, (const void *)(to->code + COUNT_BYTES));
  CHECK(c.at == (uint8_t *)room + joint_room(exit));
  patch_branch(branch, (const void *)room);
}

/* Lists the exit, so that replace_block can link it to the new block. */
static void list(struct exit *exit, struct block *to) {
  if (__atomic_exchange_n(&exit->listed, true, __ATOMIC_ACQ_REL)) return;
  exit->next = __atomic_load_n(&to->incoming, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&to->incoming, &exit->next, exit, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    continue;
}

void arch_link(struct exit *exit, struct block *to) {
  if (!exit->patch || SLOW_PATHS) return;
  if (exit->correction && has_joint_entry(to))
    link_jointly(exit, to);
  else
    patch_branch((uint8_t *)exit->patch, (const void *)to->code);
  if (!to->hot) list(exit, to);
  COUNT(links);
  LOG(links, "%lx -> %lx", exit->block->pc, to->pc);
}

static void patch_head(struct block *block, uintptr_t to) {
  uint64_t head;
  uint8_t *bytes = (uint8_t *)&head;
  memcpy(&head, (const void *)block->code, sizeof head);
  int32_t displacement = (int32_t)(to - (block->code + 5));
  bytes[0] = 0xe9;
  memcpy(bytes + 1, &displacement, sizeof displacement);
  __atomic_store_n((uint64_t *)code_written((const void *)block->code), head, __ATOMIC_SEQ_CST);
}

/* The new block's checking entry in every table that has the old one's. */
static void replace_entry(const struct block *old, struct block *new, enum entry_kind entry) {
  if (!old->entries[entry] || (!new->entries[entry] && !arch_make_entry(new, entry))) return;
  for (struct thread *thread = threads; thread; thread = thread->next) {
    if (thread->cache_epoch != cache_epoch()) continue; /* it has no tables yet, or will forget them */
    uintptr_t *target = &table_of(thread, entry)[(uint16_t) new->pc];
    if (*target == old->entries[entry]) *target = new->entries[entry];
  }
}

void replace_block(struct block *old, struct block *new) {
  patch_head(old, new->code);
  lock_take(&threads_lock);
  replace_entry(old, new, ENTRY_INDIRECT);
  replace_entry(old, new, ENTRY_RETURN);
  lock_release(&threads_lock);
  for (struct exit *exit = __atomic_load_n(&old->incoming, __ATOMIC_ACQUIRE); exit; exit = exit->next)
    arch_link(exit, new);
}

/* The first instruction of a block is at least five bytes long and starts on an 8-byte boundary: one store replaces it whole,
 * and no thread can be in the middle of it. Threads that enter behind the addition are sent to code that takes it back and enters the block
 * again: the jump on a condition is the last six bytes of its eight, and becomes a nop and a jump. */
void arch_kill(struct block *block) {
  patch_head(block, block->killed);
  if (!has_joint_entry(block)) return;
  uint64_t joint;
  uint8_t *bytes = (uint8_t *)&joint;
  int32_t displacement = (int32_t)(block->uncount - (block->code + 16));
  memcpy(&joint, (const void *)(block->code + 8), sizeof joint);
  bytes[2] = 0x90, bytes[3] = 0xe9;
  memcpy(bytes + 4, &displacement, sizeof displacement);
  __atomic_store_n((uint64_t *)code_written((const void *)(block->code + 8)), joint, __ATOMIC_SEQ_CST);
}

uintptr_t arch_entry(const struct block *block) {
  return block->code;
}
