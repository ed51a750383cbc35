/* context.c (AArch64): the application's registers as the rest of the engine sees them, and the precise state behind a fault. */
#include <asm/sigcontext.h>
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <asm/ucontext.h>
#include <linux/prctl.h>

#include "engine/a64/frame.h"
#include "engine/a64/translate.h"
#include "engine/a64/vectors.h"
#include "engine/base/arch_host.h"
#include "engine/base/lib.h"
#include "engine/code/cache.h"
#include "engine/region/value_log.h"
#include "input/digest.h"

#define PENDING (1UL << 63)
/* Without a stop the countdown starts here: it never ends. */
#define COUNTDOWN_MAX (1UL << 62)

_Static_assert(SLOT_ENGINE_STACK + SLOT_ENGINE_STACK_SIZE == 0x440000, "entry.S knows this number");
_Static_assert((int)ARCH_NEAR_STOP > (int)SUPERBLOCK_MAX,
               "else a block that is longer than what is left polls for ever");
_Static_assert(offsetof(struct thread, arch) == 0,
               "generated code addresses the context from the slot's base");

/* -- The running thread ------------------------------------------------------------------------------------------ */

/* C runs on the stacks of the thread's slot, and slots are aligned: the stack pointer tells. Before the first thread has its
 * stack there is one thread at most. */
static struct thread *boot_thread;

struct thread *arch_self(void) {
  uintptr_t sp;
  __asm__("mov %0, sp" : "=r"(sp));
  if (sp - ENGINE_BASE >= ENGINE_END - ENGINE_BASE || sp < THREAD_AREA_BASE) return boot_thread;
  return (struct thread *)(sp & ~(THREAD_AREA_STRIDE - 1));
}
_Static_assert(THREAD_AREA_BASE % THREAD_AREA_STRIDE == 0, "a slot is found by its alignment");

extern const char exit_common[], exit_indirect[], exit_saved[];
extern const char open_helpers_start[], open_helpers_end[], open_helpers_fault[];
extern const uint64_t open_recording[OPEN_HELPERS], open_replaying[OPEN_HELPERS];
_Static_assert(VALUES_LINES == 1 << OPEN_LINES_LOG2 &&
                   offsetof(struct values_seen, lines) == 8 << OPEN_LINES_LOG2 && VALUES_LINE == 64,
               "open.S knows these numbers");
_Static_assert(OPEN_WAY_LOAD == 0 && OPEN_WAY_STORE == 1 && OPEN_WAY_UPDATE == 2, "open.S knows them");
_Static_assert(sizeof(struct open_words) == sizeof((struct arch_context *)0)->open_words, "it lies there");

void arch_set_self(struct thread *thread) {
  thread->arch.self = thread;
  thread->arch.exit_common = (uintptr_t)exit_common;
  thread->arch.exit_indirect = (uintptr_t)exit_indirect;
  thread->arch.permissions = (uintptr_t)thread + SLOT_PERMISSIONS;
  thread->arch.scalable = vectors_place(thread);
  memcpy(thread->arch.open_helpers, replaying() ? open_replaying : open_recording,
         sizeof thread->arch.open_helpers);
  if (!boot_thread) boot_thread = thread;
}

struct open_words *arch_open_words(struct thread *thread) {
  return (struct open_words *)thread->arch.open_words;
}

/* -- Application state ------------------------------------------------------------------------------------------ */

uintptr_t arch_pc(const struct thread *thread) {
  return thread->arch.pc;
}
void arch_set_pc(struct thread *thread, uintptr_t pc) {
  thread->arch.pc = pc;
}
uintptr_t arch_sp(const struct thread *thread) {
  return thread->arch.sp;
}
void arch_set_sp(struct thread *thread, uintptr_t sp) {
  thread->arch.sp = sp;
}

uint64_t arch_registers_digest(const struct thread *thread) {
  uint64_t values[34] = {thread->arch.pc, thread->arch.sp, thread->arch.nzcv};
  memcpy(values + 3, thread->arch.gpr, sizeof thread->arch.gpr);
  return input_digest(0, values, sizeof values);
}

void arch_reset(struct thread *thread, uintptr_t pc, uintptr_t sp) {
  memset(thread->arch.gpr, 0, sizeof thread->arch.gpr);
  thread->arch.sp = sp;
  thread->arch.pc = pc;
  thread->arch.nzcv = 0;
  thread->arch.monitor_size = 0;
  arch_set_position(thread, 0);
}

/* Of PTRACE_GETREGSET. */
enum { COUNT = 31, SP = COUNT, PC, PSTATE };

uintptr_t arch_shown_sp(const uint64_t *registers) {
  return registers[SP];
}
uintptr_t arch_shown_pc(const uint64_t *registers) {
  return registers[PC];
}
uintptr_t arch_shown_context(const uint64_t *registers) {
  return registers[CONTEXT];
}

/* Restores the registers that generated code has borrowed. */
static void take_back(struct arch_context *context, const struct cache_insn *insn) {
  for (unsigned slot = 0; slot < SPILL_SLOTS; slot++)
    if (insn->borrowed >> slot & 1) context->gpr[spill_register(slot)] = context->spill[slot];
  context->pc = insn->pc;
}

void arch_recover_shown(struct arch_context *context, const struct cache_insn *insn,
                        const uint64_t *registers) {
  for (unsigned i = 0; i < COUNT; i++)
    if (!(TAKEN >> i & 1)) context->gpr[i] = registers[i];
  context->sp = registers[SP];
  context->nzcv = registers[PSTATE];
  take_back(context, insn);
}

/* The entry of a block that an indirect branch leads to, and exit_indirect, have the target in a register; the shared exit has not. exit_common has
 * saved what it spoils; on the way into the cache the context has everything. */
bool arch_recover_crossing(struct arch_context *context, const uint64_t *registers) {
  uintptr_t pc = registers[PC];
  struct cache_insn insn = {.pc = context->pc};
  bool shared = pc - CODE_CACHE_BASE - SHARED_EXIT < SHARED_INDIRECT - SHARED_EXIT;
  if ((cache_contains(pc) && !shared) || pc == (uintptr_t)exit_indirect) insn.pc = registers[SCRATCH];
  if (cache_contains(pc) || (pc >= (uintptr_t)exit_indirect && pc < (uintptr_t)exit_saved))
    arch_recover_shown(context, &insn, registers);
  context->sp = registers[SP];
  return true;
}

void arch_show_registers(const struct arch_context *context, bool in_call, uint64_t *registers) {
  const uint64_t flags = 0xf0000000;
  memcpy(registers, context->gpr, sizeof context->gpr);
  registers[SP] = context->sp;
  registers[PC] = in_call ? context->pc - INSN_BYTES : context->pc;
  registers[PSTATE] = (registers[PSTATE] & ~flags) | (context->nzcv & flags);
}

void arch_copy_context(struct thread *child, const struct thread *parent) {
  memcpy(child->arch.gpr, parent->arch.gpr, sizeof child->arch.gpr);
  child->arch.pc = parent->arch.pc;
  child->arch.sp = parent->arch.sp;
  child->arch.nzcv = parent->arch.nzcv;
  child->arch.tsc_mode = parent->arch.tsc_mode;
  vectors_copy(child, parent);
  arch_set_position(child, 0);
}

enum { CALL_NUMBER = 8 };

void arch_call(const struct thread *thread, struct call *call) {
  const uint64_t *gpr = thread->arch.gpr;
  *call = (struct call){.nr = (int)gpr[CALL_NUMBER]};
  for (unsigned i = 0; i < COUNT_OF(call->args); i++) call->args[i] = (long)gpr[i];
}

void arch_set_result(struct thread *thread, long result) {
  thread->arch.gpr[0] = (uint64_t)result;
}

void arch_restart_call(struct thread *thread, long nr) {
  thread->arch.gpr[0] = thread->arch.first_argument;
  thread->arch.gpr[CALL_NUMBER] = (uint64_t)nr;
  thread->arch.pc -= INSN_BYTES;
}

void arch_lose_monitor(struct thread *thread) {
  thread->arch.monitor_size = 0;
}

void arch_begin_call(struct thread *thread) {
  thread->arch.first_argument = thread->arch.gpr[0];
  arch_lose_monitor(thread);
}

bool time_is_guarded;

bool arch_time_is_guarded(void) {
  return time_is_guarded;
}

/* Code in the cache may read the counter until a thread forbids itself to. */
static void set_tsc_mode(struct thread *thread, uint32_t mode) {
  thread->arch.tsc_mode = mode;
  if (mode != PR_TSC_SIGSEGV || time_is_guarded || in_sphere()) return;
  time_is_guarded = true;
  cache_empty();
}

/* prctl about reading the counter. The kernel is never told, because the engine reads the counter itself: it only says whether it knows the
 * command (since Linux 6.12). execve allows reading again, as in the kernel. */
static bool tsc_call(struct thread *thread, const struct call *call, long *result) {
  uint32_t mode = (uint32_t)call->args[1];
  bool sets = (int)call->args[0] == PR_SET_TSC;
  if (!sets && (int)call->args[0] != PR_GET_TSC) return false;
  uint32_t unused;
  *result = replaying() ? 0 : os_call2(__NR_prctl, PR_GET_TSC, &unused);
  if (*result) return true;
  if (sets) {
    *result = mode == PR_TSC_ENABLE || mode == PR_TSC_SIGSEGV ? 0 : -EINVAL;
    if (!*result) set_tsc_mode(thread, mode);
  } else {
    mode = thread->arch.tsc_mode ? thread->arch.tsc_mode : PR_TSC_ENABLE;
    *result = copy_to_app((uintptr_t)call->args[1], &mode, sizeof mode);
  }
  return true;
}

bool arch_own_call(struct thread *thread, const struct call *call, long *result) {
  if (call->nr != __NR_prctl) return false;
  if (tsc_call(thread, call, result)) return true;
  if ((int)call->args[0] != PR_SVE_SET_VL || !thread->arch.scalable) return false;
  *result = vectors_change_length(thread, call);
  return true;
}

bool arch_keeps_setting(const struct call *call) {
  return call->nr == __NR_prctl && (int)call->args[0] == PR_SET_TSC;
}

/* -- Positions and requests ---------------------------------------------------------------------------------------- */

uint64_t arch_position(const struct thread *thread) {
  return thread->arch.limit - thread->arch.countdown;
}

static void count_down_to(struct thread *thread, uint64_t position, uint64_t stop) {
  uint64_t left = stop > position ? MIN(stop - position, COUNTDOWN_MAX) : 0;
  thread->arch.limit = position + left;
  thread->arch.countdown = left;
}

void arch_set_position(struct thread *thread, uint64_t position) {
  thread->arch.stop = UINT64_MAX;
  count_down_to(thread, position, UINT64_MAX);
}

void arch_set_stop(struct thread *thread, uint64_t position) {
  thread->arch.stop = position;
  count_down_to(thread, arch_position(thread), position);
}

uint64_t arch_stop(const struct thread *thread) {
  return thread->arch.stop;
}

uint64_t arch_until_stop(const struct thread *thread) {
  uint64_t position = arch_position(thread);
  return thread->arch.stop > position ? thread->arch.stop - position : 0;
}

bool arch_stops_late(void) {
  return true;
}

/* There is one countdown. */
unsigned arch_count_word(uintptr_t pc) {
  (void)pc;
  return 0;
}

/* The countdown is exact as it is. */
void arch_favour(struct thread *thread, const struct block *block) {
  (void)thread, (void)block;
}

void arch_request(struct thread *thread) {
  __atomic_store_n(&thread->arch.pending, PENDING, __ATOMIC_SEQ_CST);
}

bool arch_requested(const struct thread *thread) {
  return __atomic_load_n(&thread->arch.pending, __ATOMIC_SEQ_CST) != 0;
}

bool arch_quiet(const struct thread *thread) {
  return !arch_requested(thread) && arch_until_stop(thread) >= ARCH_NEAR_STOP;
}

void arch_clear_request(struct thread *thread) {
  __atomic_store_n(&thread->arch.pending, 0, __ATOMIC_SEQ_CST);
}

void arch_uncount(struct thread *thread, const struct block *block, unsigned instructions) {
  (void)block;
  thread->arch.countdown += instructions;
}

void uncount_one(struct thread *thread) {
  thread->arch.countdown++;
}

void arch_set_signal_queued(struct thread *thread, bool queued) {
  __atomic_store_n(&thread->arch.signal_queued, queued, __ATOMIC_RELAXED);
}

enum entry_kind arch_wanted_entry(const struct thread *thread) {
  (void)thread;
  return ENTRY_INDIRECT;
}

struct exit *arch_exit(const struct thread *thread) {
  return thread->arch.exit ? (struct exit *)(ARENA_BASE + thread->arch.exit) : NULL;
}

/* User code has no trap flag. */
bool arch_stepping(const struct thread *thread) {
  (void)thread;
  return false;
}

void arch_stepped(struct thread *thread) {
  (void)thread;
}

/* Nor does the kernel perform calls at fixed addresses. */
bool arch_kernel_entry(struct thread *thread) {
  (void)thread;
  return false;
}

/* Here the fault is at the target. */
bool arch_branch_refused(struct thread *thread, const struct exit *branch) {
  (void)thread, (void)branch;
  return false;
}

/* -- Interrupted code -------------------------------------------------------------------------------------------- */

long blocking_call(const struct call *call, struct arch_context *context);
long judged_call(const struct call *call, struct arch_context *context);
extern const char blocking_call_window[], blocking_call_done[], blocking_call_interrupted[];
extern const char judged_call_window[], judged_call_done[], judged_call_interrupted[];
extern const char safe_copy_start[], safe_copy_end[], safe_copy_fault[];
extern const char resume_after_fault[];

long arch_blocking_call(struct thread *thread, const struct call *call) {
  return blocking_call(call, &thread->arch);
}

uintptr_t arch_blocking_call_pc(void) {
  return (uintptr_t)blocking_call_done;
}

long arch_judged_call(struct thread *thread, const struct call *call) {
  return judged_call(call, &thread->arch);
}

uintptr_t arch_judged_call_pc(void) {
  return (uintptr_t)judged_call_done;
}

static bool within(uintptr_t pc, const char *start, const char *end) {
  return pc >= (uintptr_t)start && pc < (uintptr_t)end;
}

bool arch_uc_divert(struct ucontext *uc, bool fault) {
  uintptr_t pc = uc->uc_mcontext.pc;
  if (fault && within(pc, safe_copy_start, safe_copy_end)) {
    uc->uc_mcontext.pc = (uintptr_t)safe_copy_fault;
    return true;
  }
  if (fault && within(pc, open_helpers_start, open_helpers_end)) {
    uc->uc_mcontext.pc = (uintptr_t)open_helpers_fault;
    return true;
  }
  if (!fault && within(pc, blocking_call_window, blocking_call_done)) {
    uc->uc_mcontext.pc = (uintptr_t)blocking_call_interrupted;
    return true;
  }
  if (!fault && within(pc, judged_call_window, judged_call_done)) {
    uc->uc_mcontext.pc = (uintptr_t)judged_call_interrupted;
    return true;
  }
  return false;
}

#define NZCV_BITS 0xf0000000UL

static void context_from_uc(struct thread *thread, const struct ucontext *uc) {
  for (unsigned i = 0; i < 31; i++)
    if (!(TAKEN >> i & 1)) thread->arch.gpr[i] = uc->uc_mcontext.regs[i];
  thread->arch.sp = uc->uc_mcontext.sp;
  thread->arch.nzcv = uc->uc_mcontext.pstate & NZCV_BITS;
  thread->arch.countdown = uc->uc_mcontext.regs[COUNTDOWN];
  thread->arch.fault_address = uc->uc_mcontext.fault_address;
  thread->arch.fault_syndrome = frame_syndrome(uc);
}

bool arch_uc_recover(struct thread *thread, struct ucontext *uc, siginfo_t *info) {
  uintptr_t pc = uc->uc_mcontext.pc;
  struct cache_insn insn;
  if (!cache_insn_at(pc, &insn)) return false;
  if (pc >= insn.block->code + insn.block->body_size) by_value_faulted();
  context_from_uc(thread, uc);
  take_back(&thread->arch, &insn);
  arch_uncount(thread, insn.block, insn.block->instructions - insn.number);
  /* Where the processor reports the instruction itself, the kernel has reported our copy of it. */
  if ((uintptr_t)info->si_addr == pc) info->si_addr = (void *)thread->arch.pc;
  return true;
}

void arch_uc_to_engine(struct thread *thread, struct ucontext *uc) {
  uc->uc_mcontext.pc = (uintptr_t)resume_after_fault;
  uc->uc_mcontext.regs[0] = (uintptr_t)thread;
  uc->uc_mcontext.sp = (uintptr_t)thread + SLOT_ENGINE_STACK + SLOT_ENGINE_STACK_SIZE;
}

uintptr_t arch_uc_pc(const struct ucontext *uc) {
  return uc->uc_mcontext.pc;
}

uint64_t *arch_uc_mask(struct ucontext *uc) {
  return (uint64_t *)&uc->uc_sigmask;
}

bool arch_uc_in_cache(const struct ucontext *uc) {
  return cache_contains(arch_uc_pc(uc));
}

enum {
  INSTRUCTION_ABORT = 0x82000000u,
  DATA_ABORT_CLASS = 0x24, /* in bits 26 to 31 */
  WRITE = 1 << 6,
  STATUS = 0x3f,
  TRANSLATION_FAULT = 7, /* at the last level */
  PERMISSION_FAULT = 15
};

/* Other levels are other depths of the page tables. */
static bool is_of_page_tables(unsigned status) {
  return (status & ~3u) == (TRANSLATION_FAULT & ~3u) || (status & ~3u) == (PERMISSION_FAULT & ~3u);
}

void arch_settle_fault(struct thread *thread, bool denied) {
  uint64_t *syndrome = &thread->arch.fault_syndrome;
  if ((*syndrome >> 26 & 63) != DATA_ABORT_CLASS || !is_of_page_tables(*syndrome & STATUS)) return;
  bool present = denied && *syndrome & WRITE;
  uint64_t usual = (*syndrome & ~(uint64_t)STATUS) | (present ? PERMISSION_FAULT : TRANSLATION_FAULT);
  *syndrome = values_fault(thread, *syndrome, usual);
}

bool arch_set_fetch_fault(struct thread *thread, uintptr_t address, bool present) {
  thread->arch.fault_address = address;
  thread->arch.fault_syndrome = INSTRUCTION_ABORT | (present ? PERMISSION_FAULT : TRANSLATION_FAULT);
  return true;
}

void arch_print_state(int fd, const struct thread *thread) {
  const uint64_t *gpr = thread->arch.gpr;
  for (unsigned i = 0; i < 30; i += 3)
    print(fd, "reprise:   x%u %lx  x%u %lx  x%u %lx\n", i, gpr[i], i + 1, gpr[i + 1], i + 2, gpr[i + 2]);
  print(fd, "reprise:   x30 %lx  sp %lx  pc %lx\n", gpr[30], thread->arch.sp, thread->arch.pc);
}
