/* context.c (x86-64): the application's registers as the rest of the engine sees them, and the precise state behind a fault. */
#include <asm/prctl.h>
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <asm/sigcontext.h>
#include <asm/ucontext.h>
#include <linux/prctl.h>

#include "engine/base/arch_host.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/x64/translate.h"
#include "input/digest.h"

/* Bits of a word of the position: cleared by a requester. Allowances are far smaller, so both are set otherwise. */
#define COUNT_IDLE (3UL << 62)
#define COUNT_POLLS(word) (!((word) >> 63))
#define ALLOWANCE_MAX (1UL << 40)
#define ALLOWANCE_NONE 1 /* the next block to count in the word polls */

_Static_assert(SLOT_ENGINE_STACK + SLOT_ENGINE_STACK_SIZE == 0x440000, "entry.S knows this number");
_Static_assert(ARCH_NEAR_STOP / COUNT_WORDS > SUPERBLOCK_MAX,
               "else a block that is longer than its share polls for ever");
_Static_assert(offsetof(struct thread, arch) == 0,
               "generated code addresses the context from the slot's base");

/* -- The running thread ------------------------------------------------------------------------------------------ */

static bool self_is_set; /* before the first thread has its slot GS leads nowhere */

struct thread *arch_self(void) {
  if (!self_is_set) return NULL;
  struct thread *self;
  __asm__("movq %%gs:0, %0" : "=r"(self));
  return self;
}

void arch_set_self(struct thread *thread) {
  thread->arch.self = thread;
  os_call2(__NR_arch_prctl, ARCH_SET_GS, thread);
  self_is_set = true;
}

struct open_words *arch_open_words(struct thread *thread) {
  _Static_assert(sizeof(struct open_words) == sizeof thread->arch.open_words, "it lies there");
  return (struct open_words *)thread->arch.open_words;
}

/* -- Application state ------------------------------------------------------------------------------------------ */

uintptr_t arch_pc(const struct thread *thread) {
  return thread->arch.rip;
}
void arch_set_pc(struct thread *thread, uintptr_t pc) {
  thread->arch.rip = pc;
}
uintptr_t arch_sp(const struct thread *thread) {
  return thread->arch.gpr[RSP];
}
void arch_set_sp(struct thread *thread, uintptr_t sp) {
  thread->arch.gpr[RSP] = sp;
}

/* Some instructions leave flags undefined, so another processor may have others; and every system call puts them in r11. Vector
 * registers are not in the context. */
uint64_t arch_offered(uint64_t type, uint64_t value) {
  (void)type;
  return value;
}

uint64_t arch_registers_digest(const struct thread *thread) {
  uint64_t values[17];
  memcpy(values, thread->arch.gpr, 16 * sizeof *values);
  values[R11] = 0;
  values[16] = thread->arch.rip;
  return input_digest(0, values, sizeof values);
}

/* With frequent stops several words would hardly be of use: all blocks count in the first then, and one word is exact. */
bool arch_stops_late(void) {
  return demands.frequent_stops;
}

static unsigned count_words(void) {
  return arch_stops_late() ? 1 : COUNT_WORDS;
}

/* Sets the words for this position, which is base plus all words. */
static void set_words(struct thread *thread, uint64_t position, uint64_t allowance) {
  for (unsigned i = 0, n = count_words(); i < n; i++)
    __atomic_store_n(&thread->arch.counts[i], -allowance, __ATOMIC_RELAXED);
  thread->arch.base = position + count_words() * allowance;
}

void arch_set_position(struct thread *thread, uint64_t position) {
  thread->arch.stop = UINT64_MAX;
  set_words(thread, position, ALLOWANCE_MAX);
}

void arch_reset(struct thread *thread, uintptr_t pc, uintptr_t sp) {
  memset(thread->arch.gpr, 0, sizeof thread->arch.gpr);
  thread->arch.gpr[RSP] = sp;
  thread->arch.rip = pc;
  thread->arch.rflags = 0x202;
  arch_set_position(thread, 0);
}

/* Of PTRACE_GETREGSET. */
static const uint8_t order[] = {R15, R14, R13, R12, RBP, RBX, R11, R10, R9, R8, RAX, RCX, RDX, RSI, RDI};
enum { ORIGINAL = COUNT_OF(order), PC, CS, FLAGS, SP, SS, FS_BASE, GS_BASE, RAX_PLACE = 10 };

uintptr_t arch_shown_sp(const uint64_t *registers) {
  return registers[SP];
}
uintptr_t arch_shown_pc(const uint64_t *registers) {
  return registers[PC];
}
uintptr_t arch_shown_context(const uint64_t *registers) {
  return registers[GS_BASE];
}

/* Restores the registers that generated code has borrowed, and the rest of a repeated instruction that is run in parts. */
static void take_back(struct arch_context *context, const struct cache_insn *insn) {
  for (unsigned slot = 0; slot < BORROWED_SLOTS; slot++) {
    unsigned reg = insn->borrowed >> 5 * slot & BORROWED_MASK;
    if (reg) context->gpr[reg - 1] = context->spill[slot];
  }
  context->cut = context->rest ? context->gpr[RCX] : 0;
  context->gpr[RCX] += context->rest;
  context->rest = 0;
  context->rip = insn->pc;
}

void arch_recover_shown(struct arch_context *context, const struct cache_insn *insn,
                        const uint64_t *registers) {
  for (size_t i = 0; i < COUNT_OF(order); i++) context->gpr[order[i]] = registers[i];
  context->gpr[RSP] = registers[SP];
  context->rflags = registers[FLAGS];
  take_back(context, insn);
}

/* In the checking entry of a block the target is half computed: the tracee has to be stepped on first. */
bool arch_recover_crossing(struct arch_context *context, const uint64_t *registers) {
  (void)context, (void)registers;
  return false;
}

void arch_show_registers(const struct arch_context *context, bool in_call, uint64_t *registers) {
  const uint64_t flags = 0xcd5 | 1UL << 18 | 1UL << 21; /* CF PF AF ZF SF DF OF; AC, ID */
  for (size_t i = 0; i < COUNT_OF(order); i++) registers[i] = context->gpr[order[i]];
  registers[ORIGINAL] = in_call ? context->gpr[RAX] : UINT64_MAX;
  if (in_call) registers[RAX_PLACE] = (uint64_t)CALL_INTERRUPTED;
  registers[PC] = context->rip;
  registers[FLAGS] = (registers[FLAGS] & ~flags) | (context->rflags & flags);
  registers[SP] = context->gpr[RSP];
  registers[GS_BASE] = context->gs_base;
}

void arch_copy_context(struct thread *child, const struct thread *parent) {
  memcpy(child->arch.gpr, parent->arch.gpr, sizeof child->arch.gpr);
  child->arch.rip = parent->arch.rip;
  child->arch.rflags = parent->arch.rflags;
  child->arch.gs_base = parent->arch.gs_base;
  child->arch.trap_flag = parent->arch.trap_flag;
  child->arch.tsc_mode = parent->arch.tsc_mode;
  arch_set_position(child, 0);
}

void arch_call(const struct thread *thread, struct call *call) {
  const uint64_t *gpr = thread->arch.gpr;
  *call = (struct call){
      .nr = (long)gpr[RAX],
      .args = {(long)gpr[RDI], (long)gpr[RSI], (long)gpr[RDX], (long)gpr[R10], (long)gpr[R8], (long)gpr[R9]},
  };
}

void arch_set_result(struct thread *thread, long result) {
  thread->arch.gpr[RAX] = (uint64_t)result;
}

enum { SYSCALL_LENGTH = 2 };

void arch_restart_call(struct thread *thread, long nr) {
  thread->arch.gpr[RAX] = (uint64_t)nr;
  thread->arch.rip -= SYSCALL_LENGTH;
}

void arch_lose_monitor(struct thread *thread) {
  (void)thread; /* there are no exclusive loads */
}

/* The effect of the syscall instruction itself on registers. */
void arch_begin_call(struct thread *thread) {
  thread->arch.gpr[RCX] = thread->arch.rip;
  thread->arch.gpr[R11] = visible_flags(thread);
}

bool time_is_guarded;

bool arch_time_is_guarded(void) {
  return time_is_guarded;
}

/* Code in the cache may read the time stamps until a thread forbids itself to. */
static void set_tsc_mode(struct thread *thread, uint32_t mode) {
  thread->arch.tsc_mode = mode;
  if (mode != PR_TSC_SIGSEGV || time_is_guarded || in_sphere()) return;
  time_is_guarded = true;
  cache_empty();
}

/* prctl about reading time stamps. The kernel is never told: the engine reads them itself. Known limit: execve forgets the setting. */
static bool tsc_call(struct thread *thread, const struct call *call, long *result) {
  uint32_t mode = (uint32_t)call->args[1];
  switch ((int)call->args[0]) {
    case PR_SET_TSC:
      *result = mode == PR_TSC_ENABLE || mode == PR_TSC_SIGSEGV ? 0 : -EINVAL;
      if (!*result) set_tsc_mode(thread, mode);
      return true;
    case PR_GET_TSC:
      mode = thread->arch.tsc_mode ? thread->arch.tsc_mode : PR_TSC_ENABLE;
      *result = copy_to_app((uintptr_t)call->args[1], &mode, sizeof mode);
      return true;
    default:
      return false;
  }
}

bool arch_own_call(struct thread *thread, const struct call *call, long *result) {
  if (call->nr == __NR_prctl) return tsc_call(thread, call, result);
  if (call->nr != __NR_arch_prctl) return false;
  uint64_t value = (uint64_t)call->args[1];
  switch (call->args[0]) {
    case ARCH_SET_GS:
      *result = value >> 47 ? -EPERM : 0;
      if (!*result) thread->arch.gs_base = value;
      return true;
    case ARCH_GET_GS:
      *result = safe_copy((void *)value, &thread->arch.gs_base, sizeof(uint64_t));
      return true;
    default:
      return false;
  }
}

bool arch_keeps_setting(const struct call *call) {
  if (call->nr == __NR_prctl) return (int)call->args[0] == PR_SET_TSC;
  return call->args[0] == ARCH_SET_FS || call->args[0] == ARCH_GET_FS || call->args[0] == ARCH_SET_GS ||
         call->args[0] == ARCH_GET_GS;
}

/* -- Positions and requests ---------------------------------------------------------------------------------------- */

/* A word as it would be if no requester had cleared its bits. One whose bits a requester has cleared is still large; one whose
 * allowance is used up is small. */
static uint64_t counted(const struct thread *thread, unsigned i) {
  uint64_t word = __atomic_load_n(&thread->arch.counts[i], __ATOMIC_RELAXED);
  return COUNT_POLLS(word) && word >= ALLOWANCE_MAX ? word + COUNT_IDLE : word;
}

/* All words together: every system call asks twice, so there is no loop where there are several. */
struct words {
  uint64_t sum, all;
};
static inline struct words words_of(const struct thread *thread) {
  uint64_t word = __atomic_load_n(&thread->arch.counts[0], __ATOMIC_RELAXED);
  struct words words = {word, word};
  if (count_words() == 1) return words;
#pragma GCC unroll 8
  for (unsigned i = 1; i < COUNT_WORDS; i++) {
    word = __atomic_load_n(&thread->arch.counts[i], __ATOMIC_RELAXED);
    words.sum += word;
    words.all &= word;
  }
  return words;
}

/* Mostly no word has its bit clear, and the sum is all there is to it. */
uint64_t arch_position(const struct thread *thread) {
  uint64_t position = thread->arch.base;
  struct words words = words_of(thread);
  if (!COUNT_POLLS(words.all)) return position + words.sum;
  for (unsigned i = 0, n = count_words(); i < n; i++) position += counted(thread, i);
  return position;
}

void arch_request(struct thread *thread) {
  if (permissions_on()) { /* the thread reads poll in every block: do not take its line away for nothing */
    if (!__atomic_load_n(&thread->arch.poll, __ATOMIC_SEQ_CST))
      __atomic_store_n(&thread->arch.poll, 1, __ATOMIC_RELEASE);
    return;
  }
  for (unsigned i = 0, n = count_words(); i < n; i++)
    __atomic_and_fetch(&thread->arch.counts[i], ~COUNT_IDLE, __ATOMIC_SEQ_CST);
}

/* Every word may use an equal share of the instructions left, so the thread never passes the stop, and gets nearer by an eighth at
 * least before the next poll. The last stretch is for arch_favour. */
static void deal_out(struct thread *thread) {
  uint64_t position = arch_position(thread);
  uint64_t left = thread->arch.stop > position ? thread->arch.stop - position : 0;
  uint64_t share = arch_stops_late() ? MIN(left, ALLOWANCE_MAX) + ALLOWANCE_NONE : left / COUNT_WORDS;
  if (share < ALLOWANCE_NONE) share = ALLOWANCE_NONE;
  set_words(thread, position, MIN(share, ALLOWANCE_MAX));
}

void arch_clear_request(struct thread *thread) {
  /* Before requests are read, or one that comes meanwhile would be lost. */
  if (permissions_on()) __atomic_exchange_n(&thread->arch.poll, 0, __ATOMIC_SEQ_CST);
  deal_out(thread);
}

void arch_set_stop(struct thread *thread, uint64_t position) {
  thread->arch.stop = position;
  deal_out(thread);
}

uint64_t arch_stop(const struct thread *thread) {
  return thread->arch.stop;
}

uint64_t arch_until_stop(const struct thread *thread) {
  uint64_t position = arch_position(thread);
  return thread->arch.stop > position ? thread->arch.stop - position : 0;
}

/* The first word alone would tell of a request: it reaches all of them. But one that is being made right now may have come to the
 * last only. */
bool arch_quiet(const struct thread *thread) {
  struct words words = words_of(thread);
  uint64_t position = thread->arch.base + words.sum;
  return !__atomic_load_n(&thread->arch.poll, __ATOMIC_RELAXED) && !COUNT_POLLS(words.all) &&
         thread->arch.stop >= ARCH_NEAR_STOP && position <= thread->arch.stop - ARCH_NEAR_STOP;
}

bool arch_requested(const struct thread *thread) {
  bool requested = __atomic_load_n(&thread->arch.poll, __ATOMIC_RELAXED);
  for (unsigned i = 0, n = count_words(); i < n; i++)
    requested |= COUNT_POLLS(__atomic_load_n(&thread->arch.counts[i], __ATOMIC_RELAXED));
  return requested;
}

void arch_favour(struct thread *thread, const struct block *block) {
  if (arch_stops_late()) return;
  uint64_t position = arch_position(thread), left = thread->arch.stop - position;
  set_words(thread, position, ALLOWANCE_NONE);
  thread->arch.counts[block->count_word] -= left;
  thread->arch.base += left;
}

void count_back(struct thread *thread, unsigned word, int64_t instructions) {
  uint64_t *count = &thread->arch.counts[word];
  if (permissions_on())
    *count -= (uint64_t)instructions;
  else
    __atomic_sub_fetch(count, (uint64_t)instructions, __ATOMIC_SEQ_CST);
}

void arch_uncount(struct thread *thread, const struct block *block, unsigned instructions) {
  count_back(thread, block->count_word, instructions);
}

/* Any word may be changed: only their sum counts. */
void uncount_one(struct thread *thread) {
  __atomic_sub_fetch(&thread->arch.counts[0], 1, __ATOMIC_SEQ_CST);
}

void arch_set_signal_queued(struct thread *thread, bool queued) {
  thread->arch.signal_queued = queued;
}

enum entry_kind arch_wanted_entry(const struct thread *thread) {
  return thread->arch.returned ? ENTRY_RETURN : ENTRY_INDIRECT;
}

struct exit *arch_exit(const struct thread *thread) {
  return (struct exit *)(ARENA_BASE + thread->arch.exit);
}

/* Known limit: a return to an address whose low 48 bits are those of a return that is known goes there. */
bool arch_branch_refused(struct thread *thread, const struct exit *branch) {
  if (is_canonical(thread->arch.rip)) return false;
  thread->arch.rip = branch->target;
  thread->arch.gpr[RSP] -= branch->detail;
  uncount_one(thread);
  thread->arch.trap_number = GENERAL_PROTECTION;
  thread->arch.error_code = 0;
  return true;
}

/* -- Interrupted code -------------------------------------------------------------------------------------------- */

long blocking_call(const struct call *call, struct arch_context *context);
long judged_call(const struct call *call, struct arch_context *context);
extern const char blocking_call_window[], blocking_call_done[], blocking_call_interrupted[];
extern const char judged_call_window[], judged_call_done[], judged_call_interrupted[];
extern const char safe_copy_start[], safe_copy_end[], safe_copy_fault[];
extern const char open_helpers_start[], open_helpers_end[], open_helpers_fault[];
extern const char resume_after_fault[], exit_return[];

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

/* Of all that is emitted only the check of a return's target (links.c) reads memory at an odd address, where the application may
 * have alignment checked. No state has changed there since the return. */
static bool in_return_check(const struct ucontext *uc) {
  return uc->uc_mcontext.eflags & FLAG_AC && cache_contains(uc->uc_mcontext.rip) &&
         !cache_block_at(uc->uc_mcontext.rip);
}

bool arch_uc_divert(struct ucontext *uc, bool fault) {
  uintptr_t pc = uc->uc_mcontext.rip;
  if (fault && ALIGN_DOWN(pc, PAGE) == VSYSCALL_PAGE) {
    uc->uc_mcontext.rip = *(const uint64_t *)uc->uc_mcontext.rsp;
    uc->uc_mcontext.rsp += sizeof(uint64_t);
    uc->uc_mcontext.rax = (uint64_t)-EFAULT;
    return true;
  }
  if (fault && in_return_check(uc)) {
    uc->uc_mcontext.rip = (uintptr_t)exit_return;
    return true;
  }
  if (fault && within(pc, safe_copy_start, safe_copy_end)) {
    uc->uc_mcontext.rip = (uintptr_t)safe_copy_fault;
    return true;
  }
  if (fault && within(pc, open_helpers_start, open_helpers_end)) {
    uc->uc_mcontext.rip = (uintptr_t)open_helpers_fault;
    return true;
  }
  if (!fault && within(pc, blocking_call_window, blocking_call_done)) {
    uc->uc_mcontext.rip = (uintptr_t)blocking_call_interrupted;
    return true;
  }
  if (!fault && within(pc, judged_call_window, judged_call_done)) {
    uc->uc_mcontext.rip = (uintptr_t)judged_call_interrupted;
    return true;
  }
  return false;
}

static void context_from_uc(struct thread *thread, const struct ucontext *uc) {
  const struct sigcontext_64 *m = (const struct sigcontext_64 *)&uc->uc_mcontext;
  uint64_t *gpr = thread->arch.gpr;
  gpr[RAX] = m->ax, gpr[RCX] = m->cx, gpr[RDX] = m->dx, gpr[RBX] = m->bx;
  gpr[RSP] = m->sp, gpr[RBP] = m->bp, gpr[RSI] = m->si, gpr[RDI] = m->di;
  gpr[R8] = m->r8, gpr[R9] = m->r9, gpr[R10] = m->r10, gpr[R11] = m->r11;
  gpr[R12] = m->r12, gpr[R13] = m->r13, gpr[R14] = m->r14, gpr[R15] = m->r15;
  thread->arch.rflags = m->flags & ~0x10000UL; /* RF is the processor's own mark of a fault */
  thread->arch.trap_number = m->trapno, thread->arch.error_code = m->err, thread->arch.fault_address = m->cr2;
}

bool arch_uc_recover(struct thread *thread, struct ucontext *uc, siginfo_t *info) {
  uintptr_t pc = uc->uc_mcontext.rip;
  struct cache_insn insn;
  if (!cache_insn_at(pc, &insn)) return false;
  if (pc >= insn.block->code + insn.block->body_size) by_value_faulted();
  context_from_uc(thread, uc);
  take_back(&thread->arch, &insn);
  arch_uncount(thread, insn.block, insn.block->instructions - insn.number);
  /* Where the processor reports the instruction itself, the kernel has reported our copy of it. */
  if ((uintptr_t)info->si_addr == pc) info->si_addr = (void *)thread->arch.rip;
  return true;
}

void arch_uc_to_engine(struct thread *thread, struct ucontext *uc) {
  uc->uc_mcontext.rip = (uintptr_t)resume_after_fault;
  uc->uc_mcontext.rdi = (uintptr_t)thread;
  uc->uc_mcontext.rsp = (uintptr_t)thread + SLOT_ENGINE_STACK + SLOT_ENGINE_STACK_SIZE;
}

void arch_print_state(int fd, const struct thread *thread) {
  static const char names[16][4] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
  for (unsigned i = 0; i < 16; i += 4)
    print(fd, "reprise:   %s %016lx  %s %016lx  %s %016lx  %s %016lx\n", names[i], thread->arch.gpr[i],
          names[i + 1], thread->arch.gpr[i + 1], names[i + 2], thread->arch.gpr[i + 2], names[i + 3],
          thread->arch.gpr[i + 3]);
}
