/* context.h (x86-64): the thread's state that generated code reaches through GS.
 *
 * The GS base of a running thread is its slot, so that gs:[OFFSET] is a field of this structure without any register
 * taken from the application. The offsets are spelled out for the assembler files and the emitter; the static
 * assertions keep them true. */
#ifndef REPRISE_X64_CONTEXT_H
#define REPRISE_X64_CONTEXT_H

#define CTX_SELF 0x00
#define CTX_RETURNED 0x08
#define CTX_EXIT 0x10
#define CTX_ENGINE_SP 0x18
#define CTX_SPILL 0x20 /* four words */
#define CTX_SPILL_FLAGS 0x40
#define CTX_GS_BASE 0x48
#define CTX_RIP 0x50
#define CTX_RFLAGS 0x58
#define CTX_GPR 0x60 /* sixteen words, by hardware number */
#define CTX_SIGNAL_QUEUED 0xe0
#define CTX_ENTRY 0xe8
#define CTX_COUNTS 0x100 /* COUNT_WORDS words, one cache line */
#define CTX_POLL 0x180   /* one to itself */
#define CTX_STACK_FLOOR 0x1c0
#define CTX_STACK_REACH 0x1c8
#define CTX_STACK_PATIENCE 0x1d0
#define CTX_OPEN_SEEN 0x1e8
#define CTX_OPEN_COUNT 0x1f0
#define CTX_OPEN_BOUNCED 0x1f8
#define CTX_OPEN_AT 0x200
#define CTX_OPEN_SEEN_AT 0x208
#define CTX_OPEN_SP 0x210
#define CTX_OPEN_BYTES 0x218
#define CTX_OPEN_SAVED 0x220 /* two words */
#define CTX_OPEN_COPY 0x230  /* two words */
#define CTX_OPEN_VECTOR 0x240
#define CTX_OPEN_FOUND 0x250 /* eight words */

/* Accesses to open memory (open.S): a thread's seen lines are 2^OPEN_LINES_LOG2 tags, and the lines behind them. */
#define OPEN_LINES_LOG2 10

#define COUNT_WORDS 8

/* struct arch_mark. */
#define MARK_SP 48
#define MARK_PC 56
#define MARK_TLS 64
#define MARK_SELF 72
#define MARK_VECTORS 128

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct thread;

/* Words of PTRACE_GETREGSET that a tracer sees; 1 if the requests of older kernels exist as well. */
enum { ARCH_SHOWN_REGISTERS = 27, ARCH_OLD_TRACING = 1 };

/* The state of a thread in C (entry.S). */
enum { MARK_VECTORS_MAX = 16384 };
struct arch_mark {
  uint64_t saved[6]; /* rbx, rbp, r12 to r15 */
  uint64_t sp, pc;
  uint64_t tls; /* the base of fs */
  struct thread *self;
  _Alignas(64) uint8_t vectors[MARK_VECTORS_MAX]; /* what xsave writes (frame.c) */
};
_Static_assert(offsetof(struct arch_mark, sp) == MARK_SP, "offset");
_Static_assert(offsetof(struct arch_mark, tls) == MARK_TLS, "offset");
_Static_assert(offsetof(struct arch_mark, self) == MARK_SELF, "offset");
_Static_assert(offsetof(struct arch_mark, vectors) == MARK_VECTORS, "offset");

struct arch_context {
  struct thread *self;
  uint64_t returned;    /* the last indirect exit was a return */
  uint64_t exit;        /* arena offset of the struct exit through which the cache was left */
  uint64_t engine_sp;   /* top of the engine stack while the thread is in the cache */
  uint64_t spill[4];    /* application registers that generated code has borrowed */
  uint64_t spill_flags; /* lahf and seto of the application's flags */
  uint64_t gs_base;     /* the application's own GS base */
  uint64_t rip;
  uint64_t rflags;
  uint64_t gpr[16];
  uint32_t signal_queued; /* nonzero: arch_blocking_call does not enter the kernel */
  uint32_t unused;
  uint64_t entry;        /* code address that arch_run jumps to */
  uint64_t last_granted; /* block whose permission was granted last (stress builds) */
  uint64_t scratch;      /* what the register of a check held when it missed */
  /* The position and the poll. Every block has one of these words: it adds its size to it and leaves the cache when bit 63 is
   * then clear. A word starts at minus its allowance, so bit 63 goes when the allowance is used up; a requester clears it, and
   * bit 62, in all of them. The position is base plus all words. There
   * are several because blocks follow each other faster than one word in memory can be updated. */
  uint64_t counts[COUNT_WORDS];
  uint64_t base; /* the position when the words were last set, and their allowances */
  uint64_t stop; /* the position not to be passed */
  /* The last fault's trap number, error code and address, as every later signal frame shows them. */
  uint64_t trap_number, error_code, fault_address;
  uint64_t rest;      /* iterations of a repeated instruction beyond the piece that runs (accesses.c) */
  uint32_t trap_flag; /* the application's; rflags never has it (flags.c) */
  uint32_t tsc_mode;  /* PR_TSC_SIGSEGV: time stamps fault; 0 or PR_TSC_ENABLE: they are read */
  /* With permissions (permissions.c) requests are frequent, and a lost one waits too long: every block then polls this word
   * as well, and requesters do not write to counts. */
  _Alignas(64) uint32_t poll;
  uint8_t rest_of_line[60];
  /* The private stack (hulls.c): the lowest address at which a hull may end, the bytes above it at which one still may, and how often
   * code looks into the permission map instead before the engine is asked for another private stack. */
  uint64_t stack_floor, stack_reach;
  int32_t stack_patience;
  uint32_t last_granted_blocks; /* how many, from last_granted on */
  /* Pieces of repeated instructions (accesses.c): what was left of one at the last fault, 0 if it was the last; how many iterations the next
   * one has, 0: as many as usual. */
  uint64_t cut, piece;
  uint64_t open_words[3]; /* struct open_words */
  /* An access to open memory (open.S): its address, that of the bytes seen, the application's stack pointer meanwhile, and how many bytes it has where
   * the routine is for any number; */
  uint64_t open_at, open_seen_at, open_sp, open_bytes;
  uint64_t open_saved[2];  /* registers that an update of memory changes; */
  uint64_t open_copy[2];   /* what the update makes of the bytes found; */
  uint64_t open_vector[2]; /* xmm0; */
  uint64_t open_found[8];  /* and the bytes loaded from memory */
};

/* Nearer to a stop than this, a word's share of the instructions left may be less than a block. */
enum { ARCH_NEAR_STOP = 1024 };
/* Indices of the last two arguments of clone(2) on this architecture. */
enum { ARCH_CLONE_CHILD_TID = 3, ARCH_CLONE_TLS = 4 };
/* The end of the addresses that a program can use. */
#define ARCH_ADDRESS_SPACE 0x7ffffffff000UL
/* e_machine in the ELF header of this architecture's programs. */
enum { ARCH_ELF_MACHINE = 62 };
/* 1 if the processor executes changed code without an announcement by the program. */
enum { ARCH_COHERENT_CODE = 1 };
/* Bytes that a function's return takes off the stack. */
enum { ARCH_RETURN_BYTES = 8 };
/* Bytes below the stack pointer that belong to the application. */
enum { ARCH_RED_ZONE = 128 };
/* Where its code lies modulo this decides how a block is emitted. */
enum { ARCH_CODE_ALIGNMENT = 64 };
/* Bytes of code that tell which exit was taken. */
enum { ARCH_EXIT_BYTES = 4 };
/* 1 if marks are noted in emitted code (code/lasting_marks.h). */
enum { ARCH_CODE_LASTS = 1 };
/* 1 if the engine can perform the instructions that synchronise threads (struct atomic in base/arch.h). */
enum { ARCH_PERFORMS_ATOMICS = 1, ARCH_ATOMIC_UNIT = 4 };

_Static_assert(offsetof(struct arch_context, returned) == CTX_RETURNED, "offset");
_Static_assert(offsetof(struct arch_context, counts) == CTX_COUNTS, "offset");
_Static_assert(offsetof(struct arch_context, poll) == CTX_POLL, "offset");
_Static_assert(offsetof(struct arch_context, stack_floor) == CTX_STACK_FLOOR, "offset");
_Static_assert(offsetof(struct arch_context, stack_reach) == CTX_STACK_REACH, "offset");
_Static_assert(offsetof(struct arch_context, stack_patience) == CTX_STACK_PATIENCE, "offset");
_Static_assert(offsetof(struct arch_context, open_words) == CTX_OPEN_SEEN, "offset");
_Static_assert(offsetof(struct arch_context, open_at) == CTX_OPEN_AT, "offset");
_Static_assert(offsetof(struct arch_context, open_seen_at) == CTX_OPEN_SEEN_AT, "offset");
_Static_assert(offsetof(struct arch_context, open_sp) == CTX_OPEN_SP, "offset");
_Static_assert(offsetof(struct arch_context, open_bytes) == CTX_OPEN_BYTES, "offset");
_Static_assert(offsetof(struct arch_context, open_saved) == CTX_OPEN_SAVED, "offset");
_Static_assert(offsetof(struct arch_context, open_copy) == CTX_OPEN_COPY, "offset");
_Static_assert(offsetof(struct arch_context, open_vector) == CTX_OPEN_VECTOR, "offset");
_Static_assert(offsetof(struct arch_context, open_found) == CTX_OPEN_FOUND, "offset");
_Static_assert(offsetof(struct arch_context, exit) == CTX_EXIT, "offset");
_Static_assert(offsetof(struct arch_context, engine_sp) == CTX_ENGINE_SP, "offset");
_Static_assert(offsetof(struct arch_context, spill) == CTX_SPILL, "offset");
_Static_assert(offsetof(struct arch_context, spill_flags) == CTX_SPILL_FLAGS, "offset");
_Static_assert(offsetof(struct arch_context, gs_base) == CTX_GS_BASE, "offset");
_Static_assert(offsetof(struct arch_context, rip) == CTX_RIP, "offset");
_Static_assert(offsetof(struct arch_context, rflags) == CTX_RFLAGS, "offset");
_Static_assert(offsetof(struct arch_context, gpr) == CTX_GPR, "offset");
_Static_assert(offsetof(struct arch_context, signal_queued) == CTX_SIGNAL_QUEUED, "offset");
_Static_assert(offsetof(struct arch_context, entry) == CTX_ENTRY, "offset");
/* True if some thread has forbidden itself to read the time: instructions that read it then leave the cache. */
extern bool time_is_guarded;

#endif

#endif
