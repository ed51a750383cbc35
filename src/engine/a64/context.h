/* context.h (AArch64): the thread's state that generated code reaches through x18.
 *
 * Four registers are the engine's while generated code runs: x18 is the thread's slot, x14 counts down the instructions left
 * until the next stop, x13 and x15 are free for use inside the code of one instruction. The application's own values of
 * these four are words of the context. The offsets are spelled out for the assembler files and the emitter; the
 * static assertions keep them true. */
#ifndef REPRISE_A64_CONTEXT_H
#define REPRISE_A64_CONTEXT_H

#define CTX_PENDING 0x08
#define CTX_EXIT 0x10
#define CTX_ENGINE_SP 0x18
#define CTX_EXIT_COMMON 0x20
#define CTX_EXIT_INDIRECT 0x28
#define CTX_COUNTDOWN 0x30
#define CTX_PERMISSIONS 0x38
#define CTX_PC 0x40
#define CTX_SP 0x48
#define CTX_NZCV 0x50
#define CTX_VALUE 0x58
#define CTX_SIGNAL_QUEUED 0x60
#define CTX_MONITOR_SIZE 0x68
#define CTX_MONITOR_ADDRESS 0x70
#define CTX_MONITOR_VALUE 0x78 /* two words */
#define CTX_SCALABLE 0x88
#define CTX_GPR 0x90         /* thirty-one words */
#define CTX_OPEN_SAVED 0x188 /* four words */
#define CTX_OPEN_LINK 0x1a8
#define CTX_OPEN_SEEN 0x1b0
#define CTX_OPEN_COUNT 0x1b8
#define CTX_OPEN_BOUNCED 0x1c0
#define CTX_OPEN_BYTES 0x1c8
#define CTX_SPILL 0x1d0 /* SPILL_SLOTS words */
#define CTX_OPEN_AT 0x250
#define CTX_OPEN_HELPERS 0x258

#define SPILL_SLOTS 16

/* The thread's table for indirect branches from its slot's base on: one code address per sixteen bits of a target. It begins before
 * SLOT_TABLES, where one `ldr` still reaches. */
#define TARGET_TABLE 0x1000
#define TARGET_COUNT 0x10000

/* Accesses to open memory (open.S): a thread's seen lines are 2^OPEN_LINES_LOG2 tags, and the lines behind them. */
#define OPEN_LINES_LOG2 10
/* Its routines, in their order in the context: those for accesses of 1, 2, 4, 8, 16, 32 and any other number of bytes, … */
#define OPEN_HELP_LOAD 0
#define OPEN_HELP_STORE 7
#define OPEN_HELP_UPDATE 14 /* … of 1, 2, 4 and 8 … */
#define OPEN_HELP_LEARN 18
#define OPEN_HELP_STORED 22
#define OPEN_HELPERS 23

/* struct arch_mark. */
#define MARK_SP 96
#define MARK_VECTORS 112

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct thread;

/* The state of a thread in C (entry.S). */
struct arch_mark {
  uint64_t saved[12]; /* x19 to x30 */
  uint64_t sp, tls;
  uint32_t fpsr, fpcr;
  uint8_t vectors[32][16];
};
_Static_assert(offsetof(struct arch_mark, sp) == MARK_SP, "offset");
_Static_assert(offsetof(struct arch_mark, fpsr) == MARK_VECTORS, "offset");

struct arch_context {
  struct thread *self;
  uint64_t pending; /* bit 63: leave the cache at the next block */
  uint64_t exit; /* arena offset of the struct exit through which the cache was left; 0: an indirect branch */
  uint64_t engine_sp;   /* top of the engine stack while the thread is in the cache */
  uint64_t exit_common; /* code addresses out of a direct branch's reach (entry.S) */
  uint64_t exit_indirect;
  uint64_t countdown;   /* instructions from here to limit, in x14 while the thread is in the cache */
  uint64_t permissions; /* address of the permission map */
  uint64_t pc;
  uint64_t sp;
  uint64_t nzcv;          /* the application's flags, as in PSTATE */
  uint64_t value;         /* passed from generated code to the engine: a system register, a block number */
  uint32_t signal_queued; /* nonzero: arch_blocking_call does not enter the kernel */
  uint32_t tsc_mode;      /* what prctl(PR_SET_TSC) has set; 0: as at the start */
  /* The monitor of an exclusive load: size in bytes (0: none), address, and the value loaded (exclusive.c). */
  uint64_t monitor_size, monitor_address, monitor_value[2];
  uint64_t scalable; /* where the scalable vectors wait while C runs (vectors.c); 0: the machine has none */
  uint64_t gpr[31];
  uint64_t open_saved[4];              /* registers while an access to open memory is made: x0 to x3, … */
  uint64_t open_link;                  /* … x30 */
  uint64_t open_words[3];              /* struct open_words */
  uint64_t open_bytes;                 /* of the access, where the routine is for any number */
  uint64_t spill[SPILL_SLOTS];         /* application registers that generated code has borrowed */
  uint64_t open_at;                    /* the bytes seen, while the register is needed for the address */
  uint64_t open_helpers[OPEN_HELPERS]; /* addresses */
  uint64_t limit;                      /* the position at which the countdown is 0 */
  uint64_t stop;                       /* the position not to be passed */
  uint64_t first_argument;             /* of the system call, whose result goes to the same register */
  uint64_t fault_address;              /* of the last fault, as every later signal frame shows it … */
  uint64_t fault_syndrome;             /* … and its syndrome, 0 when the kernel does not tell */
  uint64_t last_granted;               /* block whose permission was granted last (stress builds) */
};

/* Nearer to a stop than this, the dispatcher looks at every block. */
enum { ARCH_NEAR_STOP = 256 };
/* Words of PTRACE_GETREGSET that a tracer sees; 1 if the requests of older kernels exist as well. */
enum { ARCH_SHOWN_REGISTERS = 34, ARCH_OLD_TRACING = 0 };
/* Indices of the last two arguments of clone(2) on this architecture. */
enum { ARCH_CLONE_TLS = 3, ARCH_CLONE_CHILD_TID = 4 };
/* The end of the addresses that a program can use, at most. */
#define ARCH_ADDRESS_SPACE 0x1000000000000UL
/* e_machine in the ELF header of this architecture's programs. */
enum { ARCH_ELF_MACHINE = 183 };
/* 1 if the processor executes changed code without an announcement. Here the program must execute IC IVAU. */
enum { ARCH_COHERENT_CODE = 0 };
/* Where its code lies modulo this decides how a block is emitted. */
enum { ARCH_CODE_ALIGNMENT = 16 };
/* Bytes of code that tell which exit was taken. */
enum { ARCH_EXIT_BYTES = 8 };
/* 1 if marks are noted in emitted code (code/lasting_marks.h). */
enum { ARCH_CODE_LASTS = 1 };
/* 1 if the engine can perform the instructions that synchronise threads (struct atomic in base/arch.h). */
enum { ARCH_PERFORMS_ATOMICS = 1, ARCH_ATOMIC_UNIT = 4 };
/* Bytes that a function's return takes off the stack. */
enum { ARCH_RETURN_BYTES = 0 };
/* Bytes below the stack pointer that belong to the application. */
enum { ARCH_RED_ZONE = 0 };

_Static_assert(offsetof(struct arch_context, pending) == CTX_PENDING, "offset");
_Static_assert(offsetof(struct arch_context, exit) == CTX_EXIT, "offset");
_Static_assert(offsetof(struct arch_context, engine_sp) == CTX_ENGINE_SP, "offset");
_Static_assert(offsetof(struct arch_context, exit_common) == CTX_EXIT_COMMON, "offset");
_Static_assert(offsetof(struct arch_context, exit_indirect) == CTX_EXIT_INDIRECT, "offset");
_Static_assert(offsetof(struct arch_context, countdown) == CTX_COUNTDOWN, "offset");
_Static_assert(offsetof(struct arch_context, permissions) == CTX_PERMISSIONS, "offset");
_Static_assert(offsetof(struct arch_context, pc) == CTX_PC, "offset");
_Static_assert(offsetof(struct arch_context, sp) == CTX_SP, "offset");
_Static_assert(offsetof(struct arch_context, nzcv) == CTX_NZCV, "offset");
_Static_assert(offsetof(struct arch_context, value) == CTX_VALUE, "offset");
_Static_assert(offsetof(struct arch_context, signal_queued) == CTX_SIGNAL_QUEUED, "offset");
_Static_assert(offsetof(struct arch_context, monitor_size) == CTX_MONITOR_SIZE, "offset");
_Static_assert(offsetof(struct arch_context, monitor_address) == CTX_MONITOR_ADDRESS, "offset");
_Static_assert(offsetof(struct arch_context, monitor_value) == CTX_MONITOR_VALUE, "offset");
_Static_assert(offsetof(struct arch_context, scalable) == CTX_SCALABLE, "offset");
_Static_assert(offsetof(struct arch_context, gpr) == CTX_GPR, "offset");
_Static_assert(offsetof(struct arch_context, open_saved) == CTX_OPEN_SAVED, "offset");
_Static_assert(offsetof(struct arch_context, open_link) == CTX_OPEN_LINK, "offset");
_Static_assert(offsetof(struct arch_context, open_words) == CTX_OPEN_SEEN, "offset");
_Static_assert(offsetof(struct arch_context, open_bytes) == CTX_OPEN_BYTES, "offset");
_Static_assert(offsetof(struct arch_context, spill) == CTX_SPILL, "offset");
_Static_assert(offsetof(struct arch_context, open_at) == CTX_OPEN_AT, "offset");
_Static_assert(offsetof(struct arch_context, open_helpers) == CTX_OPEN_HELPERS, "offset");
/* True if some thread has forbidden itself to read the time: instructions that read it then leave the cache. */
extern bool time_is_guarded;

#endif

#endif
