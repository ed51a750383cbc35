/* emulate.c (x86-64): the instructions whose result the program cannot compute for itself, performed by the engine.
 *
 * This is the one place where time stamps, random numbers and the processor's identity enter the program. */
#include <linux/prctl.h>

#include "engine/base/arch_host.h"
#include "engine/x64/translate.h"

/* The fields that emulation_detail in ends.c packed. */
static unsigned kind_of(uint64_t detail) {
  return detail & 0xff;
}
static unsigned rm_of(uint64_t detail) {
  return (detail >> 8 & 7) | (detail >> 16 & 1) << 3;
}
static unsigned size_of(uint64_t detail) {
  return detail >> 24 & 0xff;
}
static unsigned length_of(uint64_t detail) {
  return detail >> 32 & 0xff;
}

void refuse(struct thread *thread, uint64_t detail, uint64_t trap_number, uint64_t error_code) {
  arch_set_pc(thread, arch_pc(thread) - length_of(detail));
  uncount_one(thread);
  thread->arch.trap_number = trap_number;
  thread->arch.error_code = error_code;
}

void raise_protection_fault(struct thread *thread, uint64_t detail, uint64_t error_code) {
  refuse(thread, detail, GENERAL_PROTECTION, error_code);
  signals_raise(thread, SIGSEGV, SI_KERNEL, 0);
}

static void set_register(struct thread *thread, unsigned reg, unsigned size, uint64_t value) {
  uint64_t *gpr = &thread->arch.gpr[reg];
  if (size == 8)
    *gpr = value;
  else if (size == 4)
    *gpr = (uint32_t)value;
  else
    *gpr = (*gpr & ~0xffffUL) | (value & 0xffff);
}

/* Hides from recorded programs instructions whose outcome is chance and can't be seen from here. */
static void hide_features(uint32_t leaf, uint32_t subleaf, uint64_t values[4]) {
  enum { HLE = 1 << 4, RTM = 1 << 11, WAITPKG = 1 << 5, RDPRU = 1 << 4 };
  if (leaf == 7 && subleaf == 0) {
    values[1] &= ~(uint64_t)(HLE | RTM);
    values[2] &= ~(uint64_t)WAITPKG; /* umwait and tpause: whether the time was up */
  } else if (leaf == 0x80000008) {
    values[1] &= ~(uint64_t)RDPRU; /* performance counters of another name */
  }
}

static void emulate_cpuid(struct thread *thread) {
  uint64_t *gpr = thread->arch.gpr;
  uint32_t leaf = (uint32_t)gpr[RAX], subleaf = (uint32_t)gpr[RCX];
  uint32_t a = leaf, b, c = subleaf, d;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  uint64_t values[] = {a, b, c, d};
  if (in_sphere()) hide_features(leaf, subleaf, values);
  if (in_sphere()) values_cpuid(thread, values);
  gpr[RAX] = values[0], gpr[RBX] = values[1], gpr[RCX] = values[2], gpr[RDX] = values[3];
}

static void emulate_time_stamp(struct thread *thread, uint64_t detail) {
  if (thread->arch.tsc_mode == PR_TSC_SIGSEGV) {
    raise_protection_fault(thread, detail, 0);
    return;
  }
  uint32_t low, high, id;
  __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(id));
  uint64_t values[] = {(uint64_t)high << 32 | low, id};
  if (in_sphere()) values_time_stamp(thread, values);
  thread->arch.gpr[RAX] = (uint32_t)values[0];
  thread->arch.gpr[RDX] = values[0] >> 32;
  if (kind_of(detail) == INSN_RDTSCP) thread->arch.gpr[RCX] = values[1];
}

/* int 0x80: as on a kernel that knows no 32-bit system calls, where the vector has no gate. */
static void refuse_old_call(struct thread *thread, uint64_t detail) {
  enum { MISSING_GATE = 0x80 << 3 | 2 };
  static atomic_flag told;
  if (!atomic_flag_test_and_set(&told))
    print(2, "reprise: 32-bit system calls (int 0x80) are not supported\n");
  raise_protection_fault(thread, detail, MISSING_GATE);
}

/* rdrand and rdseed report success in CF and clear the other status flags. */
static void emulate_random(struct thread *thread, uint64_t detail) {
  uint64_t value = 0;
  bool ok;
  if (kind_of(detail) == INSN_RDRAND)
    __asm__ volatile("rdrand %0" : "=r"(value), "=@ccc"(ok));
  else
    __asm__ volatile("rdseed %0" : "=r"(value), "=@ccc"(ok));
  uint64_t values[] = {value, ok};
  if (in_sphere()) values_random(thread, values);
  value = values[0], ok = values[1];
  set_register(thread, rm_of(detail), size_of(detail), ok ? value : 0);
  thread->arch.rflags = (thread->arch.rflags & ~(uint64_t)FLAGS_STATUS) | (ok ? FLAG_CF : 0);
}

/* Register 0 has the features that the system has enabled; 1 the state in use, about which the processor may be wrong. */
static void emulate_xgetbv(struct thread *thread, uint64_t detail) {
  uint32_t which = (uint32_t)thread->arch.gpr[RCX], low = 0, high = 0;
  if (which > 1) {
    raise_protection_fault(thread, detail, 0);
    return;
  }
  if (!replaying()) __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(which));
  uint64_t values[] = {(uint64_t)high << 32 | low};
  if (in_sphere()) values_state_mask(thread, values);
  thread->arch.gpr[RAX] = (uint32_t)values[0];
  thread->arch.gpr[RDX] = values[0] >> 32;
}

void arch_emulate(struct thread *thread, const struct exit *exit) {
  uint64_t detail = exit->detail;
  switch (kind_of(detail)) {
    case INSN_CPUID:
      emulate_cpuid(thread);
      break;
    case INSN_RDTSC:
    case INSN_RDTSCP:
      emulate_time_stamp(thread, detail);
      break;
    case INSN_XGETBV:
      emulate_xgetbv(thread, detail);
      break;
    case INSN_RDRAND:
    case INSN_RDSEED:
      emulate_random(thread, detail);
      break;
    case INSN_FAR:
      emulate_iretq(thread, detail);
      break;
    case INSN_POPF:
      emulate_popf(thread, detail, size_of(detail));
      break;
    case INSN_PUSHF:
      emulate_pushf(thread, detail, size_of(detail));
      break;
    case INSN_INT:
      refuse_old_call(thread, detail);
      break;
    case INSN_RDPID: {
      uint32_t low, high, id;
      __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(id));
      uint64_t values[] = {id};
      if (in_sphere()) values_processor(thread, values);
      set_register(thread, rm_of(detail), 8, values[0]);
      break;
    }
    case INSN_RDGSBASE:
      set_register(thread, rm_of(detail), size_of(detail), thread->arch.gs_base);
      break;
    case INSN_WRGSBASE:
      thread->arch.gs_base =
          size_of(detail) == 8 ? thread->arch.gpr[rm_of(detail)] : (uint32_t)thread->arch.gpr[rm_of(detail)];
      break;
    case INSN_XSAVE:
      repair_fip(thread, detail);
      break; /* the instruction itself has run */
    case INSN_MOV_TO_SEG:
      thread->arch.gs_base = 0;
      break; /* a selector of the flat segments: base 0 */
    default:
      BUG("no emulation for instruction kind %u", kind_of(detail));
  }
}

long vsyscall_call(uint64_t first, uint64_t second, uint64_t third, uintptr_t address);

static long kernel_entry_call(struct thread *thread, unsigned which) {
  static const long numbers[] = {__NR_gettimeofday, __NR_time, __NR_getcpu};
  const uint64_t *gpr = thread->arch.gpr;
  struct call call = {numbers[which], {(long)gpr[RDI], (long)gpr[RSI], (long)gpr[RDX]}};
  return in_sphere() ? syscall_in_sphere(thread, &call)
                     : vsyscall_call(gpr[RDI], gpr[RSI], gpr[RDX], thread->arch.rip);
}

bool arch_kernel_entry(struct thread *thread) {
  enum { STRIDE = 0x400, LAST = 0x800 }; /* gettimeofday, time, getcpu */
  uintptr_t offset = thread->arch.rip - VSYSCALL_PAGE;
  if (offset >= PAGE) return false;
  bool absent = vsyscall_call(0, 0, 0, VSYSCALL_PAGE + STRIDE) == -EFAULT;
  if (absent) return false;
  uint64_t back;
  long result = -EFAULT;
  if (offset % STRIDE == 0 && offset <= LAST && !safe_copy(&back, (const void *)arch_sp(thread), sizeof back))
    result = kernel_entry_call(thread, offset / STRIDE);
  if (result == -EFAULT) {
    signals_raise(thread, SIGSEGV, SI_KERNEL, 0);
    return true;
  }
  arch_set_result(thread, result);
  arch_set_sp(thread, arch_sp(thread) + sizeof back);
  arch_set_pc(thread, back);
  return true;
}
