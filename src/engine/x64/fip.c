/* fip.c (x86-64): the address of the last x87 instruction, which some instructions store to memory.
 *
 * The processor remembers where the last floating-point instruction was: in the code cache. Every instruction that stores this
 * address (fnstenv, fnsave, fxsave, xsave and its kin) is the last of its block, and the engine then puts the
 * application's address in its place. So the cache does not show. The address may be of code that a flush has thrown away, and the cache is flushed at other
 * times in a replay: there it is what the recording has logged. */
#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/x64/translate.h"

/* The place of the address in the image, and its width. */
enum form { FORM_ENVIRONMENT, FORM_FXSAVE, FORM_FXSAVE64 };
static const struct {
  uint8_t offset, size;
} forms[] = {
    [FORM_ENVIRONMENT] = {12, 4},
    [FORM_FXSAVE] = {8, 4},
    [FORM_FXSAVE64] = {8, 8},
};

bool stores_fip(const struct x64_insn *insn) {
  if (insn->encoding != ENC_LEGACY || !insn->has_mem) return false;
  unsigned reg = insn->modrm >> 3 & 7;
  if (insn->map == 0) return (insn->opcode == 0xd9 || insn->opcode == 0xdd) && reg == 6;
  if (insn->map != 1 || insn->kind != INSN_XSAVE) return false; /* clwb is the same with a prefix */
  return (insn->opcode == 0xae && (reg == 0 || reg == 4 || reg == 6)) || (insn->opcode == 0xc7 && reg == 4);
}

/* xsave, xsaveopt, xsavec: a header follows that says which state is in use (in_use.c). */
static bool has_header(const struct x64_insn *insn) {
  return insn->map == 1 && (insn->opcode == 0xc7 || (insn->modrm >> 3 & 7) != 0);
}

/* How the operand's address is made, for repair_fip: kind 8, form 2, base 5, index 5, scale 2, segment 2, header 1, disp 32 bits. */
uint64_t fip_detail(const struct item *item) {
  const struct x64_insn *insn = &item->insn;
  const struct x64_mem *mem = &insn->mem;
  enum form form = insn->map == 0 ? FORM_ENVIRONMENT : insn->rex & 8 ? FORM_FXSAVE64 : FORM_FXSAVE;
  int64_t disp = mem->disp;
  uint64_t detail =
      INSN_XSAVE | (uint64_t)form << 8 | (uint64_t)has_header(insn) << 24 | (uint64_t)disp << 32;
  if (mem->base == REG_RIP) return detail | (uint64_t)REG_RIP << 10;
  return detail | (uint64_t)mem->base << 10 | (uint64_t)mem->index << 15 |
         (uint64_t)__builtin_ctz(mem->scale) << 20 | (uint64_t)mem->segment << 22;
}

/* The application address behind a cache address; 0 when its block is gone. */
uint64_t application_address(uint64_t code) {
  lock_take(&cache_lock);
  struct cache_insn insn;
  uint64_t address = cache_insn_at(code, &insn) ? insn.pc : 0;
  lock_release(&cache_lock);
  return address;
}

uint64_t shown_fip(struct thread *thread, uint64_t fip) {
  uint64_t address = cache_contains(fip) ? application_address(fip) : 0;
  if (in_sphere()) address = values_x87_pointer(thread, address);
  return address || cache_contains(fip) ? address : fip;
}

void repair_fip(struct thread *thread, uint64_t detail) {
  enum form form = detail >> 8 & 3;
  unsigned base = detail >> 10 & 31, index = detail >> 15 & 31;
  uint64_t address = (uint64_t)((int64_t)detail >> 32);
  if (base == REG_RIP)
    address += thread->arch.rip;
  else if (base != REG_NONE)
    address += thread->arch.gpr[base];
  if (index < 16 && base != REG_RIP) address += thread->arch.gpr[index] << (detail >> 20 & 3);
  if ((detail >> 22 & 3) == SEG_GS) address += thread->arch.gs_base;
  if ((detail >> 22 & 3) == SEG_FS) {
    uint64_t fs;
    os_call2(__NR_arch_prctl, 0x1003 /* ARCH_GET_FS */, &fs);
    address += fs;
  }
  if (in_sphere() && detail >> 24 & 1) complete_saved_state(thread, address);
  address += forms[form].offset;
  uint64_t fip = 0;
  if (safe_copy(&fip, (const void *)address, forms[form].size)) return;
  /* The short forms hold the low half of an address only. */
  uint64_t code = forms[form].size == 8 ? fip : (CODE_CACHE_BASE & ~0xffffffffUL) | fip;
  uint64_t shown = shown_fip(thread, code);
  if (shown != code) copy_to_app(address, &shown, forms[form].size);
}
