/* emulate.c (AArch64): the instructions whose result the program cannot compute for itself, and those that announce new code.
 *
 * This is the one place where time, random numbers and the processor's identity enter the program. Generated code has
 * already read the register (so a machine that lacks it has raised the fault); the value is in the context. */
#include <linux/auxvec.h>
#include <linux/prctl.h>

#include "engine/a64/translate.h"
#include "engine/base/arch_host.h"
#include "engine/base/log.h"
#include "engine/code/code.h"

/* op1, CRn, CRm and op2 of a register as mrs names it (op0 is 3), and how its value enters the log. */
#define NAME(op1, n, m, op2) ((op1) << 11 | (n) << 7 | (m) << 3 | (op2))
enum {
  CTR = NAME(3, 0, 0, 1),
  RNDR = NAME(3, 2, 4, 0),
  RNDRRS = NAME(3, 2, 4, 1),
  TPIDRRO = NAME(3, 13, 0, 3),
  CNTFRQ = NAME(3, 14, 0, 0),
  CNTVCT = NAME(3, 14, 0, 2),
  CNTVCTSS = NAME(3, 14, 0, 6),
  ID_PFR0 = NAME(0, 0, 4, 0),
  ID_PFR1 = NAME(0, 0, 4, 1),
  ID_ZFR0 = NAME(0, 0, 4, 4),
  ID_SMFR0 = NAME(0, 0, 4, 5),
};

/* -- Not offered: matrices with their streaming mode, and the second version of scalable vectors plus one, which has psel
 * (decode_vector.c) -------------------------------------------------------------------------------------------------------- */

enum { OFFERED_SVE_VERSION = 1 };

static uint64_t offered_register(uint32_t name, uint64_t value) {
  if (name == ID_PFR0 && demands.told_accesses) return value & ~(15UL << 32);
  if (name == ID_PFR1) return value & ~(15UL << 24);
  if (name == ID_SMFR0) return 0;
  if (name == ID_ZFR0 && (value & 15) > OFFERED_SVE_VERSION) return (value & ~15UL) | OFFERED_SVE_VERSION;
  return value;
}

uint64_t arch_offered(uint64_t type, uint64_t value) {
  /* The kernel's bits for the above, those of which its older headers do not know included. */
  const uint64_t matrices = 0xffUL << 23, newer = ~0UL << 36;
  const uint64_t scalable = 1UL << 22,
                 scalable2 = 0x7eUL | 15UL << 9; /* not where accesses have to be told: checks.c */
  if (type == AT_HWCAP && demands.told_accesses) return value & ~scalable;
  if (type == AT_HWCAP2 && demands.told_accesses) value &= ~scalable2;
  return type == AT_HWCAP2 ? value & ~(matrices | newer) : value;
}

/* -- Registers ------------------------------------------------------------------------------------------------------------- */

/* As on a machine with incoherent caches, so that programs announce the code they write. */
static uint64_t faked_cache_type(uint64_t value) {
  enum { IDC = 1u << 28, DIC = 1u << 29 };
  return value & ~(uint64_t)(IDC | DIC);
}

#define FLAG_Z 0x40000000UL

static uint64_t read_special(struct thread *thread, uint32_t name) {
  unsigned number = name >> 7 & 15;
  uint64_t values[] = {thread->arch.value, thread->arch.nzcv & FLAG_Z ? 0 : 1};
  values[0] = name == CTR ? faked_cache_type(values[0]) : offered_register(name, values[0]);
  if (!in_sphere()) return values[0];
  if (name == RNDR || name == RNDRRS) {
    values_random(thread, values);
    thread->arch.nzcv = values[1] ? 0 : FLAG_Z;
  } else if (name == TPIDRRO) {
    values_processor(thread, values);
  } else if (number == 14) {
    values_timer(thread, values);
  } else if (number == 9) {
    values_counter(thread, values);
  } else {
    values_id_register(thread, values);
  }
  return values[0];
}

/* ic ivau: the line may be as small as the cache type register says, which is never more than a page. */
static void code_line_changed(uintptr_t address) {
  enum { LINE = 64 };
  uintptr_t line = ALIGN_DOWN(address, LINE);
  LOG(code, "line %lx announced", line);
  code_overwritten(line, line + LINE);
}

/* The program has forbidden itself to read the time (prctl PR_SET_TSC). */
static bool is_forbidden(const struct thread *thread, uint32_t name) {
  return thread->arch.tsc_mode == PR_TSC_SIGSEGV && (name == CNTFRQ || name == CNTVCT || name == CNTVCTSS);
}

static void forbid(struct thread *thread) {
  arch_set_pc(thread, arch_pc(thread) - INSN_BYTES);
  thread->arch.countdown++; /* it was not executed */
  thread->arch.fault_address = thread->arch.fault_syndrome = 0;
  signals_raise(thread, SIGSEGV, SI_KERNEL, 0);
}

void arch_emulate(struct thread *thread, const struct exit *exit) {
  struct a64_insn insn;
  a64_decode((uint32_t)exit->detail, &insn);
  if (insn.kind == A64_CODE_CHANGED) {
    code_line_changed(thread->arch.value);
    return;
  }
  CHECK(insn.kind == A64_READ_SPECIAL);
  unsigned to = a64_register(insn.word, FIELD_D);
  uint32_t name = a64_bits(insn.word, 18, 5);
  if (is_forbidden(thread, name)) {
    forbid(thread);
    return;
  }
  uint64_t value = read_special(thread, name);
  if (to != ZERO) thread->arch.gpr[to] = value;
}
