/* arch.h: the interface of an instruction set to the rest of the engine.
 *
 * A backend is a folder (x64/, a64/) that implements these functions and one type, struct arch_context. Nothing
 * outside those folders names a register or an opcode. */
#ifndef REPRISE_ENGINE_ARCH_H
#define REPRISE_ENGINE_ARCH_H

#include <asm/siginfo.h>
#include <asm/signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arch_syscall.h"
#if defined(__x86_64__)
#include "engine/x64/context.h"
#elif defined(__aarch64__)
#include "engine/a64/context.h"
#endif

struct thread;
struct block;
struct exit;
struct ucontext;
struct path;
struct cache_insn;

/* How a block is entered: by a linked branch, by an indirect one, by a return. The latter two check that their target is this block. */
enum entry_kind {
  ENTRY_DIRECT,
  ENTRY_INDIRECT,
  ENTRY_RETURN,
  ENTRY_KINDS,
  ENTRY_STEP,  /* by the dispatcher only: the block has at most as many instructions as requested */
  ENTRY_PROBE, /* by the dispatcher only: the block ends at its first branch */
  ENTRY_PATH   /* as ENTRY_DIRECT; the block follows the path that was noted */
};

/* -- The running thread ------------------------------------------------------------------------------------- */

struct thread *arch_self(void);
void arch_set_self(struct thread *thread);

/* Leaves the C world for good: switches to the thread's engine stack and runs dispatch_run(thread). */
_Noreturn void arch_start(struct thread *thread);

/* -- Application state, whole at every safepoint ----------------------------------------------------------------- */

uintptr_t arch_pc(const struct thread *thread);
void arch_set_pc(struct thread *thread, uintptr_t pc);
uintptr_t arch_sp(const struct thread *thread);
void arch_set_sp(struct thread *thread, uintptr_t sp);
/* The value of an entry of the program's auxiliary vector, without the features that the engine does not offer. */
uint64_t arch_offered(uint64_t type, uint64_t value);
/* Replaces the registers that the kernel gave a tracer of a thread in the engine by the application's, in the order of
 * PTRACE_GETREGSET. in_call: the thread is in a system call, as if it were about to restart it. */
void arch_show_registers(const struct arch_context *context, bool in_call, uint64_t *registers);
/* From registers as the kernel gave them; the context of a thread that is not in the engine's C code. */
uintptr_t arch_shown_pc(const uint64_t *registers);
uintptr_t arch_shown_sp(const uint64_t *registers);
uintptr_t arch_shown_context(const uint64_t *registers);
/* The application's registers, put into a copy of its context, of a thread that is in the cache. */
void arch_recover_shown(struct arch_context *context, const struct cache_insn *insn,
                        const uint64_t *registers);
/* The same of a thread between blocks, or between the cache and the engine's C code; false: they can't be recovered. */
bool arch_recover_crossing(struct arch_context *context, const uint64_t *registers);
/* All registers for a debugger, in the order of its target description (DEBUG_REGISTERS bytes at most); by the thread itself. */
void arch_export_registers(const struct thread *thread, uint8_t *to);
void arch_import_registers(struct thread *thread, const uint8_t *from);
/* A digest of the program counter and of those registers whose values the instruction set defines in every case. */
uint64_t arch_registers_digest(const struct thread *thread);
/* A new thread starts with its parent's registers, at position 0. */
void arch_copy_context(struct thread *child, const struct thread *parent);
/* A fresh program: every register zero but the stack pointer. */
void arch_reset(struct thread *thread, uintptr_t pc, uintptr_t sp);
/* Notes for signal frames that the instruction at address could not be fetched, though its page may be present. False: the
 * processor has no such address, and reports none. */
bool arch_set_fetch_fault(struct thread *thread, uintptr_t address, bool present);
/* After a fault in a recording or a replay. Whether the processor found a page there depends on what the kernel has brought in, which need not be the same in both. Usually
 * there is one if a write was denied; whatever else was shown is logged. */
void arch_settle_fault(struct thread *thread, bool denied);

struct call {
  long nr;
  long args[6];
};
/* The system call the thread has just trapped with; its result; its re-execution after a signal handler. */
void arch_call(const struct thread *thread, struct call *call);
void arch_set_result(struct thread *thread, long result);
void arch_restart_call(struct thread *thread, long nr);
/* Applies the effects of the trapping instruction itself, before the call is performed. */
void arch_begin_call(struct thread *thread);
/* The monitor of an exclusive load is lost, as on the way through the kernel: by a call, or where a handler is entered. Nowhere else, because
 * the store's success must be the same in replay: not by a fault that the program does not see. */
void arch_lose_monitor(struct thread *thread);
/* System calls only this architecture has or that act on its registers. True when handled, with *result set. */
bool arch_own_call(struct thread *thread, const struct call *call, long *result);
/* True if this prctl or arch_prctl changes nothing that the kernel knows of, besides what a mark holds. */
bool arch_keeps_setting(const struct call *call);

/* -- Positions and requests ----------------------------------------------------------------------------------- */

/* Application instructions executed so far; exact at a safepoint. */
uint64_t arch_position(const struct thread *thread);
/* Sets it: 0 at birth, or where the thread was before execve. There is no stop then. */
void arch_set_position(struct thread *thread, uint64_t position);
/* The cache is left before an instruction beyond this position is executed; often earlier. */
void arch_set_stop(struct thread *thread, uint64_t position);
uint64_t arch_stop(const struct thread *thread);
/* Instructions from here to the stop. */
uint64_t arch_until_stop(const struct thread *thread);
/* The word of the position that a new block for pc is to count in. */
unsigned arch_count_word(uintptr_t pc);
/* True if the cache is left no earlier than at the last block that the stop does not cut in two. */
bool arch_stops_late(void);
/* Near the stop, where it is left earlier: the thread is about to enter this block, which does not reach beyond the stop; hardly any other will be
 * entered before the next safepoint. */
void arch_favour(struct thread *thread, const struct block *block);
/* Makes the thread leave the code cache at its next safepoint. From any thread, and from signal handlers. A request
 * from another thread can be lost to the owner's own update of the word: repeat while waiting. */
void arch_request(struct thread *thread);
/* Sets whether a signal is queued: while it is, arch_blocking_call returns CALL_INTERRUPTED at once. Safe in handlers. */
void arch_set_signal_queued(struct thread *thread, bool queued);
/* No request is pending, and the stop is not nearer than ARCH_NEAR_STOP. */
bool arch_quiet(const struct thread *thread);
bool arch_requested(const struct thread *thread);
void arch_clear_request(struct thread *thread);

/* -- System calls that can block -------------------------------------------------------------------------------- */

/* The result of arch_blocking_call when a signal came before the kernel was entered, or the kernel wants the call
 * restarted after the handler: nothing has happened yet. */
enum { CALL_INTERRUPTED = -512 };
/* Besides CALL_INTERRUPTED, a result that no call returns: the context is already as it must be
 * (sigreturn). */
enum { CALL_DONE = -513 };
/* Performs the call unless a signal is already queued for this thread. */
long arch_blocking_call(struct thread *thread, const struct call *call);
/* Where the kernel finds the process when it performs such a call. */
uintptr_t arch_blocking_call_pc(void);
/* The same at another place: there the filters of the program answer the call, and nothing performs it (view/sandbox.c). */
long arch_judged_call(struct thread *thread, const struct call *call);
uintptr_t arch_judged_call_pc(void);

/* -- Access to application memory that may fault ------------------------------------------------------------------ */

/* Returns 0, or -EFAULT when a byte is not accessible (some may have been copied). Never raises. */
long safe_copy(void *to, const void *from, size_t bytes);
/* The same, but what an instruction of the program could have loaded as one is loaded as one. */
long safe_load_whole(void *to, const void *from, size_t bytes);
/* Compare-and-swap of an aligned word of the application: the value found (as an unsigned number), or -EFAULT. */
long safe_swap(uint32_t *word, uint32_t expected, uint32_t replacement);

/* -- Threads -------------------------------------------------------------------------------------------------- */

/* clone(2) whose child runs thread_begin(child) on the child's engine stack, with the given thread as self.
 * flags are passed to the kernel as they are. Returns the child's id or -errno, in the parent only. */
long arch_clone(struct thread *child, unsigned long flags, int *parent_tid, int *child_tid, uintptr_t tls);
/* Ends the calling thread without touching its stacks again: *released = 1 (and a futex wake) happens by the kernel
 * through the child-cleartid word given at arch_clone. */
_Noreturn void arch_exit_thread(int status);

/* Notes where the calling thread is in its C code, with all that the hardware holds of the application: returns 0. In a copy of the process
 * arch_clone_marked makes a thread that returns from there once more, with 1. The caller's frame then has the content that it had when the copy was made. */
struct arch_mark;
long arch_mark(struct arch_mark *mark) __attribute__((returns_twice));
/* flags: of clone(2), with CLONE_SETTLS. */
long arch_clone_marked(const struct arch_mark *mark, unsigned long flags, int *child_tid);
/* Makes the calling thread the one that made the mark: it returns from there once more, with 1. Its stack is left as it is. */
_Noreturn void arch_return_to_mark(const struct arch_mark *mark);
/* The stack of the engine's first steps. */
extern char boot_stack[], boot_stack_top[];

/* -- Signals -------------------------------------------------------------------------------------------------- */

/* The kernel's signal handler: saves nothing, calls signal_arrived(signo, info, uc) on the thread's signal stack. */
void arch_signal_entry(int signo, siginfo_t *info, void *uc);
void arch_signal_restorer(void);

/* The interrupted code, as the kernel's handler sees it. */
uintptr_t arch_uc_pc(const struct ucontext *uc);
uint64_t *arch_uc_mask(struct ucontext *uc); /* the 64-bit signal mask to be restored on return */
bool arch_uc_in_cache(const struct ucontext *uc);
/* If the interrupted pc lies in safe_copy or in the window of arch_blocking_call, makes it leave there (with -EFAULT,
 * or CALL_INTERRUPTED) and returns true. fault tells which of the two is meant; it also covers other code of the engine that
 * may fault. */
bool arch_uc_divert(struct ucontext *uc, bool fault);
/* Turns a fault in the code cache into the precise application state: fills the thread's context (pc = the faulting
 * application instruction) and adjusts info where the kernel's view differs (si_addr of illegal instructions, …).
 * False when the pc belongs to no application instruction: the engine's own mistake. */
bool arch_uc_recover(struct thread *thread, struct ucontext *uc, siginfo_t *info);
/* Makes the handler return to the thread's engine stack, into dispatch_after_fault(thread), extended state kept. */
void arch_uc_to_engine(struct thread *thread, struct ucontext *uc);

/* Builds the frame for a handler at stack (already chosen: the top of the alternate stack, or the application's sp
 * minus its red zone), saving the context, extended state, mask and altstack as the kernel would, and sets the
 * context to enter the handler. Returns 0 or -EFAULT (nothing changed). */
struct frame_request {
  int signo;
  const siginfo_t *info;
  uintptr_t handler, restorer;
  unsigned long flags; /* SA_* */
  uint64_t mask;       /* to be restored by sigreturn */
  stack_t altstack;    /* to be stored in uc_stack */
  uintptr_t stack;
  uintptr_t stack_limit; /* on the alternate stack: the frame must lie above this address; otherwise 0 */
  bool unseen;           /* no program looks at it: nothing in it is put right or logged (signal_stress.c) */
};
long arch_push_frame(struct thread *thread, const struct frame_request *request);
/* rt_sigreturn: takes the context back from the frame at the stack pointer. 0 or -EFAULT. */
long arch_pop_frame(struct thread *thread, uint64_t *mask, stack_t *altstack);

/* Leaves the engine for ever: the kernel takes the application's registers and the request's mask. A signal that ends the process must
 * be pending. */
_Noreturn void arch_become_program(const struct thread *thread, const struct frame_request *request);
/* Gives a thread that is stopped by ptrace the application's registers. The others, vectors, are in the processor all the time. */
void arch_give_registers(int tid, const struct thread *thread);

/* -- Translation (cache.c calls, dispatch.c resumes) ------------------------------------------------------------- */

/* Emits code for the application code at pc. The caller holds the cache lock. NULL: no room (flush and try again).
 * A pc that can't be fetched gives a block that raises the fault when run. */
struct block *arch_translate(uintptr_t pc, enum entry_kind entry, unsigned limit);
/* The same along a path, in place of the existing block for its head. Threads that enter the old block go to the new one from now
 * on. NULL also when the path is of no use. */
struct block *arch_translate_path(const struct path *path, struct block *old);
/* A marked place of a block's code (code/lasting_marks.h), in a copy of the code that was made at start: puts it into the form that knows no place. */
struct lasting_place;
void arch_detach(struct lasting_place place, uint8_t *code, uintptr_t start, uintptr_t pc,
                 const struct exit *exits);
/* The same backwards, for all places of code that has been written to start, for the block with these exits; the code can be executed then. False: a
 * place does not fit. */
bool arch_attach(const struct lasting_place *places, unsigned count, uintptr_t start, size_t bytes,
                 const struct block *block, struct exit *exits, unsigned exit_count);
/* True if some thread has forbidden itself to read the time: instructions that do are then emitted in another way. */
bool arch_time_is_guarded(void);
/* The arena offset of the exit at a mark, and how many bytes it takes there. */
uint32_t arch_exit_in_code(const uint8_t *at);
/* Connects a direct exit to a block; makes a block's entry lead back to the engine for ever. */
void arch_link(struct exit *exit, struct block *to);
void arch_kill(struct block *block);
/* Gives the block an entry of the kind (under cache_lock; false: no room); enters it in the thread's table. */
bool arch_make_entry(struct block *block, enum entry_kind entry);
void arch_resolve(struct thread *thread, struct block *to, enum entry_kind entry);
void arch_forget_targets(struct thread *thread);
/* Emits what the exits of all blocks share, at the beginning of the cache; returns where the first block may begin. */
uint8_t *arch_emit_shared(uint8_t *start);
/* Where generated code enters a block with all application state in registers. */
uintptr_t arch_entry(const struct block *block);
/* Enters the cache at a code address with the application state of the context; returns after the next exit, with the state
 * back in the context. */
void arch_run(struct thread *thread, uintptr_t code);
/* The exit just taken; perhaps NULL for an indirect branch, whose target is arch_pc, and then the kind of entry it wants. */
struct exit *arch_exit(const struct thread *thread);
enum entry_kind arch_wanted_entry(const struct thread *thread);
/* The position counts the whole block from its entry on; undoes that when nothing of the block was executed. */
void arch_uncount(struct thread *thread, const struct block *block, unsigned instructions);
/* A check has missed inside a block: */
struct miss {
  uintptr_t retry, pc; /* where to check again, and the application's instruction */
  uintptr_t address;   /* the checked range, as far as the rest of the block relies on it */
  size_t bytes;
  bool write;
  bool stack;      /* the range is not of the instruction itself, but of the block's stack accesses */
  bool opens;      /* the code could have made the access to open memory */
  uint64_t detail; /* the architecture's */
  unsigned word, instructions; /* how many of the block have not been executed, and where they were counted */
};
/* Makes the application's registers (but not its flags) and position what they are before the instruction. */
void arch_miss(struct thread *thread, const struct exit *exit, struct miss *miss);
/* Goes on in the block, at the code address returned; or leaves it, with the whole state in the context. */
uintptr_t arch_miss_resume(struct thread *thread, const struct miss *miss);
void arch_miss_leave(struct thread *thread, const struct miss *miss);
/* Without a directory: everything is permitted. */
void arch_permit(struct thread *thread, const struct miss *miss);

/* The thread has all blocks from low up to high for writing, and its stack is there (private_stack.h): generated code may rely
 * on it. Nothing if they are the same. */
void arch_set_private(struct thread *thread, uintptr_t low, uintptr_t high);

/* What emitted code for open memory uses (order/open_blocks.h). */
struct open_words {
  uint64_t seen;    /* address of what the thread has seen: struct values_seen of order/values.h */
  uint64_t count;   /* of parts, see region/value_log.h */
  uint64_t bounced; /* not 0: the store goes to a copy, and by_value_stored has to be called behind it */
};
struct open_words *arch_open_words(struct thread *thread);
/* True if code can be emitted for the instruction at pc that makes its access to open memory. */
bool arch_opens(uintptr_t pc);
/* True if the instruction at pc may store only some of the bytes of its operand. */
bool arch_stores_some(uintptr_t pc);

/* An instruction's access to memory. */
struct access {
  uintptr_t address;
  size_t bytes;
  bool write;
};
enum { ARCH_ACCESSES_MAX = 40, ARCH_INSN_MOST = 15 };
/* The accesses of the instruction at pc, with the registers of the context: all blocks that it could touch, perhaps some more. 0
 * if it can't be read. */
unsigned arch_accesses(struct thread *thread, uintptr_t pc, struct access to[ARCH_ACCESSES_MAX]);
/* An instruction that synchronises threads, performed by the engine (order/sync.h). */
enum atomic_kind {
  ATOMIC_NONE,  /* it touches no memory, since it is known to fail */
  ATOMIC_FENCE, /* it touches none, and orders accesses to all */
  ATOMIC_LOAD,
  ATOMIC_WATCHED, /* an ordinary load in code that has atomics near it: perhaps it reads a word that those write */
  ATOMIC_BINDING, /* the way from a linkage table to the dynamic linker, taken while the word that the call reads leads there */
  ATOMIC_STORE,
  ATOMIC_UPDATE /* what it leaves depends on what it finds */
};
struct atomic {
  enum atomic_kind kind;
  uintptr_t address;
  unsigned bytes;    /* 1, 2, 4, 8 or 16 */
  uint64_t found[2]; /* what is there before it, as unsigned numbers; the rest is zero */
  uint64_t left[2];  /* … and after it; of a store known from the beginning */
  uint64_t detail;   /* the architecture's */
};
/* Sets a bit for each ARCH_ATOMIC_UNIT bytes of a page of code in which an atomic may begin, or a call of a function that begins with one. What it
 * finds depends on the code alone. */
void arch_find_atomics(uintptr_t page, const uint8_t *bytes, uint64_t *units);
/* The instruction at arch_pc; false: it is none of these. */
bool arch_atomic(struct thread *thread, struct atomic *atomic);
/* What it leaves, from what it has found. Nothing is changed. */
void arch_atomic_compute(const struct thread *thread, struct atomic *atomic);
/* Makes the registers what they are after it; it is executed now, and counts. */
void arch_atomic_finish(struct thread *thread, const struct atomic *atomic);
/* Accesses of so many bytes of the application in one step: 0, or -EFAULT. The last puts `left` there if it finds `found`; else 1, with found as it
 * is. */
long safe_load(const void *from, unsigned bytes, uint64_t found[2]);
long safe_store(void *to, unsigned bytes, const uint64_t left[2]);
long safe_exchange(void *at, unsigned bytes, uint64_t found[2], const uint64_t left[2]);
/* A repeated instruction runs in pieces, each of which counts as one: before and after the step over it. */
void arch_begin_piece(struct thread *thread);
void arch_end_piece(struct thread *thread, uintptr_t pc);
/* After a fault that is none of the application's: the rest of the piece is run before the next begins. */
void arch_resume_piece(struct thread *thread);
/* True if the program wants a trap after each instruction; raises that trap. */
bool arch_stepping(const struct thread *thread);
void arch_stepped(struct thread *thread);
/* Once per process start: finds out the machine's properties (extended state size, …). */
void arch_init_machine(void);
/* If pc lies where the kernel performs calls at fixed addresses, performs the call and returns from it, or raises: true. */
bool arch_kernel_entry(struct thread *thread);
/* After an indirect exit: true if no processor could go to its target. The context is then as before the branch, with the
 * numbers of the fault. */
bool arch_branch_refused(struct thread *thread, const struct exit *branch);
/* Performs the part of an instruction that the engine emulates (cpuid, time stamps, …). pc is already behind it. */
void arch_emulate(struct thread *thread, const struct exit *exit);
/* Prints the application registers, for crash reports. */
void arch_print_state(int fd, const struct thread *thread);

#endif
