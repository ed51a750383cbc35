/* links.c (x86-64): how blocks find each other.
 *
 * Direct branches are patched in place. Indirect ones index a table of the thread with the low 16 bits of the target and jump to
 * the block's entry of that kind, which makes sure that the block is the right one. The check uses no flags (lea,
 * jrcxz): whether the application's flags are live there only the true target knows. Returns have a table of their
 * own, because the address they went to is still in memory, just below the stack pointer, and need one register less. */
#include "engine/x64/translate.h"

#include <linux/mman.h>
#include <linux/elf.h>

#include "engine/arena.h"
#include "engine/counters.h"
#include "engine/log.h"

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
  if (os_failed(at)) die(125, "cannot map a table for indirect branches (error %ld)", -at);
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
  emit_mov_imm(c, RAX, -(uint64_t)pc);
  emit_lea_sum(c, RCX, RCX, RAX);
  emit8(c, 0xe3);
  uint8_t *hit = c->at++;
  emit_mov_imm(c, RAX, pc);
  emit_lea_sum(c, RCX, RCX, RAX);
  patch_branch(emit_jmp(c), exit_indirect);
  *hit = (uint8_t)(c->at - hit - 1);
  emit_load(c, RAX, SPILL(SLOT_RAX));
  emit_load(c, RCX, SPILL(SLOT_RCX));
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
  emit8(c, 0xe3);
  uint8_t *hit = c->at++;
  patch_branch(emit_jmp(c), exit_return);
  *hit = (uint8_t)(c->at - hit - 1);
  emit_load(c, RCX, SPILL(SLOT_RCX));
}

void emit_entry_check(struct code *c, uintptr_t pc, enum entry_kind entry) {
  if (entry == ENTRY_RETURN)
    emit_return_check(c, pc);
  else
    emit_indirect_check(c, pc);
}

bool arch_make_entry(struct block *block, enum entry_kind entry) {
  struct code c = {cache_reserve(CACHE_BLOCK_MAX)};
  if (!c.at) return false;
  uint8_t *start = c.at;
  emit_entry_check(&c, block->pc, entry);
  patch_branch(emit_jmp(&c), (const void *)block->code);
  cache_commit(c.at);
  block->entries[entry] = (uintptr_t)start;
  return true;
}

void arch_resolve(struct thread *thread, struct block *to, enum entry_kind entry) {
  if (SLOW_PATHS) return;
  table_of(thread, entry)[(uint16_t)to->pc] = to->entries[entry];
  COUNT(indirect_misses);
}

void arch_link(struct exit *exit, struct block *to) {
  if (!exit->patch || SLOW_PATHS) return;
  patch_branch((uint8_t *)exit->patch, (const void *)to->code);
  COUNT(links);
  LOG(links, "%lx -> %lx", exit->block->pc, to->pc);
}

/* The first instruction of a block is at least five bytes long and starts on an 8-byte boundary: one store replaces it whole,
 * and no thread can be in the middle of it. */
void arch_kill(struct block *block) {
  uint64_t head;
  uint8_t *bytes = (uint8_t *)&head;
  memcpy(&head, (const void *)block->code, sizeof head);
  int32_t displacement = (int32_t)(block->killed - (block->code + 5));
  bytes[0] = 0xe9;
  memcpy(bytes + 1, &displacement, sizeof displacement);
  __atomic_store_n((uint64_t *)block->code, head, __ATOMIC_SEQ_CST);
}

uintptr_t arch_entry(const struct block *block) {
  return block->code;
}
