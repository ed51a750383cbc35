/* export.c (x86-64): a thread's registers, out and in, in the order of the debugger's target description (debug/description.c). */
#include <asm/sigcontext.h>

#include "engine/base/lib.h"
#include "engine/code/cache.h"
#include "engine/x64/translate.h"
#include "contract/region_debug.h"

struct exported {
  uint64_t gpr[16], rip; /* rax rbx rcx rdx rsi rdi rbp rsp r8 … r15 */
  uint32_t eflags, cs, ss, ds, es, fs, gs;
  uint8_t st[8][10];
  uint32_t fctrl, fstat, ftag, fiseg, fioff, foseg, fooff, fop;
  uint8_t xmm[16][16];
  uint32_t mxcsr;
  uint64_t orig_rax, fs_base, gs_base;
  uint8_t ymm_high[16][16];
} __attribute__((packed));
_Static_assert(sizeof(struct exported) <= DEBUG_REGISTERS, "room for the registers");

#define FEATURE_AVX 4UL
enum { AREA = 4096 };

/* The area of XSAVE: its beginning, and where the upper halves of the vectors are in it. */
union area {
  struct _fpstate_64 legacy;
  uint8_t bytes[AREA];
} __attribute__((aligned(64)));

static bool has_avx(uint32_t *offset) {
  uint32_t out[4];
  cpuid(1, 0, out);
  if (!(out[2] >> 27 & 1) || !(xgetbv(0) & FEATURE_AVX)) return false;
  cpuid(0xd, 2, out);
  *offset = out[1];
  return out[1] + out[0] <= AREA;
}

/* One bit of the abridged tag is two of the full one, which the debugger wants: empty, or not. */
static uint32_t full_tag(uint8_t abridged) {
  uint32_t tag = 0;
  for (unsigned i = 0; i < 8; i++)
    if (!(abridged >> i & 1)) tag |= 3u << 2 * i;
  return tag;
}

static void export_vectors(struct exported *out) {
  union area area;
  uint32_t offset = 0;
  memset(&area, 0, sizeof area);
  __asm__ volatile("fxsave64 %0" : "+m"(area.legacy));
  const struct _fpstate_64 *from = &area.legacy;
  for (unsigned i = 0; i < 8; i++) memcpy(out->st[i], (const uint8_t *)from->st_space + (size_t)i * 16, 10);
  out->fctrl = from->cwd;
  out->fstat = from->swd;
  out->ftag = full_tag((uint8_t)from->twd);
  /* The cache forgets which instruction it was, and in each replay at other times (fip.c). */
  uint64_t rip = cache_contains(from->rip) ? 0 : from->rip;
  out->fioff = (uint32_t)rip;
  out->fiseg = (uint32_t)(rip >> 32);
  out->fooff = (uint32_t)from->rdp;
  out->foseg = (uint32_t)(from->rdp >> 32);
  out->fop = from->fop;
  memcpy(out->xmm, from->xmm_space, sizeof out->xmm);
  out->mxcsr = from->mxcsr;
  memset(out->ymm_high, 0, sizeof out->ymm_high);
  if (!has_avx(&offset)) return;
  __asm__ volatile("xsave64 %0" : "+m"(area) : "a"((uint32_t)FEATURE_AVX), "d"(0));
  memcpy(out->ymm_high, area.bytes + offset, sizeof out->ymm_high);
}

static const uint8_t order[16] = {RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP,
                                  R8,  R9,  R10, R11, R12, R13, R14, R15};

void arch_export_registers(const struct thread *thread, uint8_t *to) {
  struct exported *out = (struct exported *)to;
  for (unsigned i = 0; i < 16; i++) out->gpr[i] = thread->arch.gpr[order[i]];
  out->rip = thread->arch.rip;
  out->eflags = (uint32_t)shown_flags(thread);
  out->cs = SELECTOR_CODE;
  out->ss = SELECTOR_DATA;
  out->ds = out->es = out->fs = out->gs = 0;
  export_vectors(out);
  out->orig_rax = ~0UL;
  uint64_t base;
  __asm__ volatile("rdfsbase %0" : "=r"(base));
  out->fs_base = base;
  out->gs_base = thread->arch.gs_base;
}

/* Bits of MXCSR that the processor does not have would fault. */
static void import_vectors(const struct exported *in) {
  union area area;
  uint32_t offset = 0;
  memset(&area, 0, sizeof area);
  __asm__ volatile("fxsave64 %0" : "+m"(area.legacy));
  struct _fpstate_64 *to = &area.legacy;
  for (unsigned i = 0; i < 8; i++) memcpy((uint8_t *)to->st_space + (size_t)i * 16, in->st[i], 10);
  to->cwd = (uint16_t)in->fctrl;
  to->swd = (uint16_t)in->fstat;
  memcpy(to->xmm_space, in->xmm, sizeof in->xmm);
  to->mxcsr = in->mxcsr & (to->mxcsr_mask ? to->mxcsr_mask : 0xffbf);
  __asm__ volatile("fxrstor64 %0" : : "m"(area.legacy));
  if (!has_avx(&offset)) return;
  enum { HEADER = 512 };
  __asm__ volatile("xsave64 %0" : "+m"(area) : "a"((uint32_t)FEATURE_AVX), "d"(0));
  memcpy(area.bytes + offset, in->ymm_high, sizeof in->ymm_high);
  area.bytes[HEADER] |= FEATURE_AVX;
  __asm__ volatile("xrstor64 %0" : : "m"(area), "a"((uint32_t)FEATURE_AVX), "d"(0));
}

void arch_import_registers(struct thread *thread, const uint8_t *from) {
  const struct exported *in = (const struct exported *)from;
  enum { FLAGS = 0xcd5 }; /* carry, parity, adjust, zero, sign, direction, overflow */
  import_vectors(in);
  for (unsigned i = 0; i < 16; i++) thread->arch.gpr[order[i]] = in->gpr[i];
  thread->arch.rip = in->rip;
  thread->arch.rflags = (thread->arch.rflags & ~(uint64_t)FLAGS) | (in->eflags & FLAGS);
  uint64_t base = in->fs_base;
  __asm__ volatile("wrfsbase %0" : : "r"(base));
  thread->arch.gs_base = in->gs_base;
}
