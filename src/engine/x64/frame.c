/* frame.c (x86-64): the signal frame that a handler finds on its stack, laid out as the kernel does, and
 * the way back.
 *
 *   stack ->  (red zone, or the top of the alternate stack)
 *             magic2
 *             extended state, 64-byte aligned: fxsave area with the software bytes, xsave header, components
 *             siginfo
 *             ucontext
 *   sp ----->  address of the restorer; sp + 8 is 16-byte aligned, as after a call
 *
 * The application's extended state is live in the processor while the engine runs, so it is saved and
 * restored by the instructions that exist for it, through a buffer: the frame itself may be unwritable, or
 * forged. */
#include <asm/prctl.h>
#include <asm/sigcontext.h>
#include <asm/signal.h>
#include <asm/ucontext.h>
#include <linux/elf.h>
#include <linux/ptrace.h>
#include <linux/uio.h>

#include "engine/base/arch_host.h"
#include "engine/base/lib.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/x64/translate.h"

struct frame {
  uint64_t restorer;
  struct ucontext uc;
  siginfo_t info;
};
_Static_assert(offsetof(struct frame, uc) == 8 && sizeof(struct frame) == 440, "the kernel's rt_sigframe");

enum {
  UC_STATE = UC_FP_XSTATE | UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS,
};
#define EFLAGS_ALWAYS 0x202UL /* bit 1, and interrupts are on */
#define EFLAGS_RF 0x10000UL
/* The flags that sigreturn restores: AC RF OF DF SF ZF AF PF CF, and TF apart from them. */
#define EFLAGS_RESTORED 0x50cd5UL

/* -- Extended state -------------------------------------------------------------------------------------- */

enum {
  LEGACY_SIZE = sizeof(struct _fpstate_64), /* what fxsave writes */
  MINIMUM_SIZE = LEGACY_SIZE + sizeof(struct _header),
  XSTATE_MAX = 16384,
  MXCSR_DEFAULT = 0x1f80,
  PKRU_DEFAULT = 0x55555554, /* the kernel's: key 0 alone is open */
};
#define FEATURE_LEGACY 3UL /* x87 and SSE */
#define FEATURE_PKRU (1UL << 9)
#define FEATURE_TILES (1UL << 18) /* large, and allocated by the kernel on first use */

/* The area of XSAVE and of FXSAVE, which is its beginning. */
union xstate {
  struct {
    struct _fpstate_64 legacy;
    struct _header header;
  };
  uint8_t bytes[XSTATE_MAX];
} __attribute__((aligned(64)));

static struct {
  bool xsave, in_use_known, pkru;
  uint64_t features;      /* all that the kernel has enabled */
  uint32_t size;          /* of all of them */
  uint32_t ordinary_size; /* without the tiles */
  uint32_t mxcsr_mask;
} machine;

/* Restoring from this sets every feature to its initial value in a program. */
static union xstate initial;

static void xsave(union xstate *to, uint64_t features) {
  __asm__ volatile("xsave64 %0" : "+m"(*to) : "a"((uint32_t)features), "d"((uint32_t)(features >> 32)));
}

static void xrstor(const union xstate *from, uint64_t features) {
  __asm__ volatile("xrstor64 %0" : : "m"(*from), "a"((uint32_t)features), "d"((uint32_t)(features >> 32)));
}

static void fxsave(union xstate *to) {
  __asm__ volatile("fxsave64 %0" : "+m"(*to));
}

static void fxrstor(const union xstate *from) {
  __asm__ volatile("fxrstor64 %0" : : "m"(*from));
}

static void wrpkru(uint32_t value) {
  __asm__ volatile("wrpkru" : : "a"(value), "c"(0), "d"(0));
}

/* The end of the last of the features in the standard layout. */
static uint32_t size_of(uint64_t features) {
  uint32_t end = MINIMUM_SIZE, component[4];
  for (uint32_t i = 2; i < 63; i++) {
    if (!(features >> i & 1)) continue;
    cpuid(0xd, i, component);
    end = MAX(end, component[0] + component[1]);
  }
  return end;
}

void arch_init_machine(void) {
  uint32_t out[4];
  cpuid(1, 0, out);
  machine.xsave = out[2] >> 27 & 1;
  static union xstate probe;
  fxsave(&probe);
  machine.mxcsr_mask = probe.legacy.mxcsr_mask ? probe.legacy.mxcsr_mask : 0xffbf;
  initial.legacy.cwd = 0x37f;
  initial.legacy.mxcsr = MXCSR_DEFAULT;
  if (!machine.xsave) return;
  machine.features = xgetbv(0);
  machine.size = size_of(machine.features);
  machine.ordinary_size = size_of(machine.features & ~FEATURE_TILES);
  cpuid(7, 0, out);
  machine.pkru = (machine.features & FEATURE_PKRU) && (out[2] >> 4 & 1); /* the system uses them */
  cpuid(0xd, 1, out);
  machine.in_use_known = out[0] >> 2 & 1;
  if (machine.size >= XSTATE_MAX)
    die(125, "this processor's state takes %u bytes, too many for us", machine.size);
}

/* The features that a frame has to hold now: the tiles only if they are in use. */
static uint64_t features_to_save(void) {
  uint64_t tiles = machine.in_use_known ? xgetbv(1) & FEATURE_TILES : 0;
  return (machine.features & ~FEATURE_TILES) | (machine.features & tiles);
}

/* Fills the buffer as the kernel fills a frame's; returns its size with the closing mark. */
static size_t save_extended(union xstate *state) {
  if (!machine.xsave) {
    fxsave(state);
    memset(&state->legacy.sw_reserved, 0, sizeof state->legacy.sw_reserved);
    return LEGACY_SIZE;
  }
  uint64_t features = features_to_save();
  uint32_t size = features & FEATURE_TILES ? machine.size : machine.ordinary_size;
  xsave(state, features);
  state->header.xfeatures |= FEATURE_LEGACY;
  if (in_sphere())
    state->header.xfeatures = (state->header.xfeatures & FEATURE_TILES) |
                              features_used(features & ~FEATURE_TILES, (uintptr_t)state, 0);
  state->legacy.sw_reserved = (struct _fpx_sw_bytes){
      .magic1 = FP_XSTATE_MAGIC1,
      .extended_size = size + FP_XSTATE_MAGIC2_SIZE,
      .xfeatures = features,
      .xstate_size = size,
  };
  uint32_t magic2 = FP_XSTATE_MAGIC2;
  memcpy(state->bytes + size, &magic2, sizeof magic2);
  return size + sizeof magic2;
}

/* A handler starts with fresh registers. */
static void reset_extended(void) {
  if (!machine.xsave) {
    fxrstor(&initial);
    return;
  }
  xrstor(&initial, machine.features & ~FEATURE_PKRU);
  if (machine.pkru) wrpkru(PKRU_DEFAULT);
}

/* The number of valid bytes at address: the whole xsave area, or the old part alone. 0 when it can't
 * be read. */
static uint32_t extent_of(uintptr_t address, uint64_t *features) {
  struct _fpx_sw_bytes software;
  uintptr_t at = address + offsetof(struct _fpstate_64, sw_reserved);
  if (safe_copy(&software, (void *)at, sizeof software)) return 0;
  *features = FEATURE_LEGACY;
  if (!machine.xsave || software.magic1 != FP_XSTATE_MAGIC1 || software.xstate_size < MINIMUM_SIZE ||
      software.xstate_size > machine.size || software.xstate_size > software.extended_size)
    return LEGACY_SIZE;
  uint32_t magic2;
  if (safe_copy(&magic2, (void *)(address + software.xstate_size), sizeof magic2)) return 0;
  if (magic2 != FP_XSTATE_MAGIC2) return LEGACY_SIZE;
  *features = software.xfeatures & machine.features;
  return software.xstate_size;
}

/* True if the processor would accept the header; otherwise it would raise a fault here in the engine. */
static bool header_is_valid(const struct _header *header) {
  return !(header->xfeatures & ~machine.features) && !header->reserved1[0] && !header->reserved1[1];
}

static uint64_t permitted_features(void) {
  enum { GET_PERMISSIONS = 0x1022 }; /* ARCH_GET_XCOMP_PERM */
  uint64_t permitted = 0;
  os_call2(__NR_arch_prctl, GET_PERMISSIONS, &permitted);
  return permitted;
}

static long restore_extended(uintptr_t address) {
  if (!address) {
    reset_extended();
    return 0;
  }
  uint64_t features;
  uint32_t size = extent_of(address, &features);
  union xstate state;
  memset(&state, 0, MINIMUM_SIZE);
  if (!size || safe_copy(&state, (void *)address, size)) return -EFAULT;
  if (state.legacy.mxcsr & ~machine.mxcsr_mask) return -EFAULT;
  if (size == LEGACY_SIZE) {
    if (address % 16) return -EFAULT;
    fxrstor(&state);
    if (machine.xsave) xrstor(&initial, machine.features & ~(FEATURE_LEGACY | FEATURE_PKRU));
    return 0;
  }
  if (address % 64 || !header_is_valid(&state.header)) return -EFAULT;
  if (state.header.xfeatures & features & FEATURE_TILES) features &= permitted_features();
  memset(state.bytes + size, 0, XSTATE_MAX - size);
  xrstor(&state, features);
  xrstor(&initial, machine.features & ~(features | FEATURE_PKRU));
  return 0;
}

/* -- Marks ----------------------------------------------------------------------------------------------- */

void mark_save_rest(struct arch_mark *mark);
void mark_load_rest(const struct arch_mark *mark);
_Static_assert((int)MARK_VECTORS_MAX == (int)XSTATE_MAX, "a mark has room for all vectors");

void mark_save_rest(struct arch_mark *mark) {
  union xstate *state = (union xstate *)mark->vectors;
  mark->self = arch_self();
  os_call2(__NR_arch_prctl, ARCH_GET_FS, &mark->tls);
  memset(&state->header, 0, sizeof state->header); /* xsave leaves most of it as it is */
  if (machine.xsave)
    xsave(state, features_to_save());
  else
    fxsave(state);
}

void mark_load_rest(const struct arch_mark *mark) {
  const union xstate *state = (const union xstate *)mark->vectors;
  if (machine.xsave)
    xrstor(state, machine.features);
  else
    fxrstor(state);
}

/* -- The frame ------------------------------------------------------------------------------------------- */

/* Where the application is about to overwrite its status flags, generated code does not keep them, and their values depend on
 * the position: in a sphere they are shown as zero then, in the recording and in replay. After a single step
 * they are the instruction's own. */
uint64_t shown_flags(const struct thread *thread) {
  static struct superblock ahead = {.looks = true};
  uint64_t flags = visible_flags(thread) | EFLAGS_ALWAYS;
  if (!in_sphere() || thread->arch.trap_flag) return flags;
  lock_take(&cache_lock);
  superblock_read(&ahead, thread->arch.rip, PLAIN_MAX, false);
  if (superblock_may_lose_flags(&ahead)) flags &= ~(uint64_t)FLAGS_STATUS;
  lock_release(&cache_lock);
  return flags;
}

static void save_registers(const struct thread *thread, struct sigcontext_64 *to) {
  const uint64_t *gpr = thread->arch.gpr;
  to->ax = gpr[RAX], to->cx = gpr[RCX], to->dx = gpr[RDX], to->bx = gpr[RBX];
  to->sp = gpr[RSP], to->bp = gpr[RBP], to->si = gpr[RSI], to->di = gpr[RDI];
  to->r8 = gpr[R8], to->r9 = gpr[R9], to->r10 = gpr[R10], to->r11 = gpr[R11];
  to->r12 = gpr[R12], to->r13 = gpr[R13], to->r14 = gpr[R14], to->r15 = gpr[R15];
  to->ip = thread->arch.rip;
  to->flags = shown_flags(thread);
  to->cs = SELECTOR_CODE, to->ss = SELECTOR_DATA;
  to->trapno = thread->arch.trap_number;
  to->err = thread->arch.error_code;
  to->cr2 = thread->arch.fault_address;
}

static void restore_registers(struct thread *thread, const struct sigcontext_64 *from) {
  uint64_t *gpr = thread->arch.gpr;
  gpr[RAX] = from->ax, gpr[RCX] = from->cx, gpr[RDX] = from->dx, gpr[RBX] = from->bx;
  gpr[RSP] = from->sp, gpr[RBP] = from->bp, gpr[RSI] = from->si, gpr[RDI] = from->di;
  gpr[R8] = from->r8, gpr[R9] = from->r9, gpr[R10] = from->r10, gpr[R11] = from->r11;
  gpr[R12] = from->r12, gpr[R13] = from->r13, gpr[R14] = from->r14, gpr[R15] = from->r15;
  thread->arch.rip = from->ip;
  thread->arch.rflags =
      (thread->arch.rflags & ~EFLAGS_RESTORED) | (from->flags & EFLAGS_RESTORED) | EFLAGS_ALWAYS;
  thread->arch.trap_flag = from->flags & FLAG_TF;
}

static struct sigcontext_64 *registers_of(struct frame *frame) {
  return (struct sigcontext_64 *)&frame->uc.uc_mcontext;
}

static void fill(const struct thread *thread, const struct frame_request *request, struct frame *frame,
                 uintptr_t state_at) {
  memset(frame, 0, sizeof *frame);
  frame->restorer = request->restorer;
  frame->uc.uc_flags = machine.xsave ? UC_STATE : UC_STATE & ~UC_FP_XSTATE;
  frame->uc.uc_stack.ss_sp = request->altstack.ss_sp;
  frame->uc.uc_stack.ss_flags = request->altstack.ss_flags;
  frame->uc.uc_stack.ss_size = request->altstack.ss_size;
  save_registers(thread, registers_of(frame));
  registers_of(frame)->oldmask = request->mask;
  registers_of(frame)->fpstate = state_at;
  *arch_uc_mask(&frame->uc) = request->mask;
  frame->info = *request->info;
}

long arch_push_frame(struct thread *thread, const struct frame_request *request) {
  if (!(request->flags & SA_RESTORER)) return -EFAULT;
  union xstate state;
  memset(&state, 0, machine.xsave ? machine.size : LEGACY_SIZE);
  size_t state_size = save_extended(&state);
  if (!request->unseen) state.legacy.rip = shown_fip(thread, state.legacy.rip);
  uintptr_t state_at = ALIGN_DOWN(request->stack - state_size, 64);
  uintptr_t at = ALIGN_DOWN(state_at - sizeof(struct frame), 16) - 8;
  if (request->stack_limit && at <= request->stack_limit) return -EFAULT;

  struct frame frame;
  fill(thread, request, &frame, state_at);
  size_t used = request->flags & SA_SIGINFO ? sizeof frame : offsetof(struct frame, info);
  if (copy_to_app(state_at, &state, state_size) || copy_to_app(at, &frame, used)) return -EFAULT;

  uint64_t *gpr = thread->arch.gpr;
  gpr[RDI] = (uint64_t)request->signo;
  gpr[RSI] = at + offsetof(struct frame, info);
  gpr[RDX] = at + offsetof(struct frame, uc);
  gpr[RAX] = 0;
  gpr[RSP] = at;
  thread->arch.rip = request->handler;
  thread->arch.rflags &= ~(FLAG_DF | EFLAGS_RF);
  thread->arch.trap_flag = 0;
  reset_extended();
  return 0;
}

void arch_become_program(const struct thread *thread, const struct frame_request *request) {
  union xstate state;
  struct frame frame;
  memset(&state, 0, machine.xsave ? machine.size : LEGACY_SIZE);
  save_extended(&state);
  if (cache_contains(state.legacy.rip)) state.legacy.rip = application_address(state.legacy.rip);
  fill(thread, request, &frame, (uintptr_t)&state);
  /* The last use of GS is behind us. The handler's return would have taken the restorer. */
  os_call2(__NR_arch_prctl, ARCH_SET_GS, thread->arch.gs_base);
  __asm__ volatile("mov %0, %%rsp; syscall"
                   :
                   : "r"((uintptr_t)&frame + sizeof frame.restorer), "a"((long)__NR_rt_sigreturn)
                   : "memory");
  __builtin_unreachable();
}

/* As ptrace hands them out (struct user_regs_struct of the C library). */
struct traced_registers {
  uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax;
  uint64_t rip, cs, eflags, rsp, ss, fs_base, gs_base, ds, es, fs, gs;
};

void arch_give_registers(int tid, const struct thread *thread) {
  struct traced_registers to;
  struct iovec all = {&to, sizeof to};
  if (os_call4(__NR_ptrace, PTRACE_GETREGSET, tid, NT_PRSTATUS, &all)) return;
  const uint64_t *gpr = thread->arch.gpr;
  to.rax = gpr[RAX], to.rcx = gpr[RCX], to.rdx = gpr[RDX], to.rbx = gpr[RBX];
  to.rsp = gpr[RSP], to.rbp = gpr[RBP], to.rsi = gpr[RSI], to.rdi = gpr[RDI];
  to.r8 = gpr[R8], to.r9 = gpr[R9], to.r10 = gpr[R10], to.r11 = gpr[R11];
  to.r12 = gpr[R12], to.r13 = gpr[R13], to.r14 = gpr[R14], to.r15 = gpr[R15];
  to.rip = thread->arch.rip;
  to.eflags = visible_flags(thread) | EFLAGS_ALWAYS;
  to.orig_rax = ~0UL;
  to.gs_base = thread->arch.gs_base;
  os_call4(__NR_ptrace, PTRACE_SETREGSET, tid, NT_PRSTATUS, &all);
}

long arch_pop_frame(struct thread *thread, uint64_t *mask, stack_t *altstack) {
  struct frame frame;
  uintptr_t at = arch_sp(thread) - sizeof frame.restorer; /* the handler's return has taken the restorer */
  if (safe_copy(&frame, (void *)at, offsetof(struct frame, info))) return -EFAULT;
  const struct sigcontext_64 *registers = registers_of(&frame);
  if ((registers->cs | 3) != SELECTOR_CODE) return -EFAULT; /* 32-bit code can't be run */
  if (restore_extended(registers->fpstate)) return -EFAULT;
  restore_registers(thread, registers);
  *mask = *arch_uc_mask(&frame.uc);
  *altstack = frame.uc.uc_stack;
  return 0;
}

/* -- What the kernel's handler asks about its own frame -------------------------------------------------- */

uintptr_t arch_uc_pc(const struct ucontext *uc) {
  return uc->uc_mcontext.rip;
}

uint64_t *arch_uc_mask(struct ucontext *uc) {
  return (uint64_t *)&uc->uc_sigmask;
}

bool arch_uc_in_cache(const struct ucontext *uc) {
  return cache_contains(arch_uc_pc(uc));
}

#define USER_END 0x7ffffffff000UL /* the last page of the lower half is never mapped */

enum { PAGE_FAULT = 14, PRESENT = 1, WRITE = 2, USER = 4, FETCH = 16, BY_KEY = 32 };

void arch_settle_fault(struct thread *thread, bool denied) {
  uint64_t *error = &thread->arch.error_code;
  if (thread->arch.trap_number != PAGE_FAULT || thread->arch.fault_address >= USER_END || *error & BY_KEY)
    return;
  uint64_t usual = *error & ~(uint64_t)PRESENT;
  if (denied && *error & WRITE) usual |= PRESENT;
  *error = values_fault(thread, *error, usual);
}

bool arch_set_fetch_fault(struct thread *thread, uintptr_t address, bool present) {
  if (!is_canonical(address)) {
    thread->arch.trap_number = GENERAL_PROTECTION;
    thread->arch.error_code = 0;
    return false;
  }
  thread->arch.trap_number = PAGE_FAULT;
  /* For addresses that no program can map the kernel reports only a protection violation. */
  thread->arch.error_code = USER | FETCH | (present || address >= USER_END ? PRESENT : 0);
  thread->arch.fault_address = address;
  return true;
}
