/* links.c (AArch64): links between blocks.
 *
 * Direct branches are patched in place. Indirect ones, returns among them, index a table of the thread with sixteen bits of the
 * target and jump to the block's checking entry, which makes sure that the block is the right one, without touching the
 * flags. */
#include "engine/a64/translate.h"

#include <linux/elf.h>
#include <linux/mman.h>

#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"

extern const char empty_targets[];

_Static_assert(sizeof(struct thread) <= TARGET_TABLE, "the table lies behind the thread");

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

static uintptr_t *table_of(struct thread *thread) {
  return (uintptr_t *)((uintptr_t)thread + TARGET_TABLE);
}

static unsigned place_of(uintptr_t pc) {
  return pc / INSN_BYTES % TARGET_COUNT;
}

void arch_forget_targets(struct thread *thread) {
  long at = os_call6(__NR_mmap, table_of(thread), TARGET_COUNT * 8, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_FIXED, engine_fd, empty_targets_offset());
  if (os_failed(at)) fail_to_map("a table for indirect branches", at);
}

/*      pc
 *  other:
 *      b    shared indirect exit
 *  entry:                               ; target in x15
 *      ldr  x13, pc
 *      sub  x13, x13, x15
 *      cbnz x13, other
 *  code:                                */
uintptr_t emit_entry_check(struct code *c, uintptr_t pc) {
  const uint32_t *constant = c->at, *other = constant + 2;
  mark(c, LASTING_ADDRESS);
  emit_word(c, pc);
  emit_b_to(c, CODE_CACHE_BASE + SHARED_INDIRECT);
  uintptr_t entry = (uintptr_t)c->at;
  emit(c, LOAD_LITERAL | SCRATCH2);
  patch_literal(c->at - 1, constant);
  emit_sub(c, SCRATCH2, SCRATCH2, SCRATCH);
  patch_branch(emit_cbnz(c, SCRATCH2), other);
  return entry;
}

/*      ldr  x13, [x18, #exit_common]    ; the arena offset of the exit in x15
 *      br   x13
 *      ldr  x13, [x18, #exit_indirect]  ; the target in x15
 *      br   x13                         */
uint8_t *arch_emit_shared(uint8_t *start) {
  struct code c = {.at = (uint32_t *)(void *)start};
  emit_load(&c, SCRATCH2, CTX_EXIT_COMMON);
  emit_br(&c, SCRATCH2);
  emit_load(&c, SCRATCH2, CTX_EXIT_INDIRECT);
  emit_br(&c, SCRATCH2);
  sync_code(start, c.at);
  CHECK((uint8_t *)c.at == start + SHARED_BYTES);
  return (uint8_t *)c.at;
}

bool arch_make_entry(struct block *block, enum entry_kind entry) {
  struct code c = {.at = (uint32_t *)(void *)cache_reserve(CACHE_BLOCK_MAX)};
  if (!c.at) return false;
  uint32_t *start = c.at;
  block->entries[entry] = emit_entry_check(&c, block->pc);
  patch_branch(emit_b(&c), (const void *)block->code);
  sync_code(start, c.at);
  cache_commit((uint8_t *)c.at);
  return true;
}

void arch_resolve(struct thread *thread, struct block *to, enum entry_kind entry) {
  if (SLOW_PATHS) return;
  table_of(thread)[place_of(to->pc)] = to->entries[entry];
}

/* An instruction that is patched while others may execute it is a direct branch or a nop, before and after: for these the architecture
 * promises that the old or the new one is executed. */
static void redirect(uintptr_t at, uintptr_t target) {
  enum { REACH = 1 << 27 };
  CHECK(at - target + REACH < 2UL * REACH);
  patch_branch((uint32_t *)at, (const void *)target);
  sync_code((const void *)at, (const void *)(at + INSN_BYTES));
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
  redirect(exit->patch, to->code);
  if (!to->hot) list(exit, to);
  COUNT(links);
  LOG(links, "%lx -> %lx", exit->block->pc, to->pc);
}

/* The first instruction of a block, a nop, becomes a branch. */
static void patch_head(struct block *block, uintptr_t to) {
  int64_t words = ((int64_t)to - (int64_t)block->code) / INSN_BYTES;
  __atomic_store_n((uint32_t *)code_written((const void *)block->code),
                   0x14000000u | ((uint32_t)words & 0x3ffffffu), __ATOMIC_SEQ_CST);
  sync_code((const void *)block->code, (const void *)(block->code + INSN_BYTES));
}

/* The new block's checking entry in every table that has the old one's. */
static void replace_entry(const struct block *old, struct block *new) {
  uintptr_t entry = old->entries[ENTRY_INDIRECT];
  if (!entry || (!new->entries[ENTRY_INDIRECT] && !arch_make_entry(new, ENTRY_INDIRECT))) return;
  for (struct thread *thread = threads; thread; thread = thread->next) {
    if (thread->cache_epoch != cache_epoch()) continue; /* it has no table yet, or will forget it */
    uintptr_t *target = &table_of(thread)[place_of(new->pc)];
    if (*target == entry) *target = new->entries[ENTRY_INDIRECT];
  }
}

void replace_block(struct block *old, struct block *new) {
  patch_head(old, new->code);
  lock_take(&threads_lock);
  replace_entry(old, new);
  lock_release(&threads_lock);
  for (struct exit *exit = __atomic_load_n(&old->incoming, __ATOMIC_ACQUIRE); exit; exit = exit->next)
    arch_link(exit, new);
}

void arch_kill(struct block *block) {
  patch_head(block, block->killed);
}

uintptr_t arch_entry(const struct block *block) {
  return block->code;
}
