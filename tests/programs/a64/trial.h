/* trial.h: single instructions, each run with chosen registers.
 *
 * Handlers do the work: a breakpoint behind the instruction, or the fault that it raises, shows all registers in its context, and
 * a handler's return sets them all, the stack pointer included (the handlers have a stack of their own). What comes out
 * is folded into a digest, together with the memory around MEMORY, which every register points into. Code and memory
 * lie at fixed addresses, so that two runs can be compared. */
#ifndef TESTS_PROGRAMS_A64_TRIAL_H
#define TESTS_PROGRAMS_A64_TRIAL_H

#include <asm/sigcontext.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check.h"

#define CODE ((uint32_t *)0x10000000UL)
#define MEMORY 0x20000000UL
enum { MEMORY_BYTES = 1 << 16, BREAK = 0xd4200000 };

static uint64_t trial_state = 88172645463325252u, trial_digest = 0xcbf29ce484222325u;
static unsigned trials_run, trials_faulted;

static inline uint64_t trial_random(void) {
  trial_state ^= trial_state << 13, trial_state ^= trial_state >> 7, trial_state ^= trial_state << 17;
  return trial_state;
}

static inline void trial_fold(uint64_t value) {
  trial_digest = (trial_digest ^ value) * 0x100000001b3u;
  trial_digest ^= trial_digest >> 29;
}

/* The next instruction to try; 0 ends. Set by the program. */
static uint32_t (*trial_next)(void);
/* Whether registers are numbers rather than addresses. */
static bool trial_numbers;

static struct fpsimd_context *vectors_of(ucontext_t *uc) {
  struct fpsimd_context *record = (void *)uc->uc_mcontext.__reserved;
  CHECK(record->head.magic == FPSIMD_MAGIC);
  return record;
}

/* Where scalable vectors are saved too, their low parts are those of the others (an emulator is known to go by them). */
static void trial_scalable(ucontext_t *uc) {
  const struct fpsimd_context *vectors = vectors_of(uc);
  for (struct _aarch64_ctx *record = (void *)vectors; record->magic;
       record = (void *)((char *)record + record->size)) {
    struct sve_context *scalable = (void *)record;
    unsigned quads = scalable->vl / 16;
    if (record->magic != SVE_MAGIC || record->size < SVE_SIG_CONTEXT_SIZE(quads)) continue;
    memset((char *)record + SVE_SIG_REGS_OFFSET, 0, SVE_SIG_REGS_SIZE(quads));
    for (unsigned i = 0; i < 32; i++)
      memcpy((char *)record + SVE_SIG_ZREG_OFFSET(quads, i), &vectors->vregs[i], 16);
  }
}

/* All registers get values that lead into the memory, in different places. */
static void trial_prepare(ucontext_t *uc) {
  for (unsigned i = 0; i < 31; i++)
    uc->uc_mcontext.regs[i] = trial_numbers ? trial_random() >> (i & 3) * 16
                                            : MEMORY + MEMORY_BYTES / 2 + trial_random() % 2048 * 8;
  uc->uc_mcontext.sp = MEMORY + MEMORY_BYTES / 2 + trial_random() % 512 * 16;
  uc->uc_mcontext.pstate = trial_random() & 0xf0000000u;
  unsigned char *v = (void *)vectors_of(uc)->vregs;
  for (unsigned i = 0; i < sizeof vectors_of(uc)->vregs; i++) v[i] = (unsigned char)trial_random();
  trial_scalable(uc);
}

static void trial_record(const ucontext_t *uc, int signo, const siginfo_t *info) {
  for (unsigned i = 0; i < 31; i++) trial_fold(uc->uc_mcontext.regs[i]);
  trial_fold(uc->uc_mcontext.sp);
  trial_fold(uc->uc_mcontext.pc);
  trial_fold(uc->uc_mcontext.pstate & 0xf0000000u);
  const uint64_t *v = (const void *)vectors_of((ucontext_t *)uc)->vregs;
  for (unsigned i = 0; i < 64; i++) trial_fold(v[i]);
  trial_fold(vectors_of((ucontext_t *)uc)->fpsr);
  const uint64_t *m = (const uint64_t *)MEMORY;
  uint64_t sum = 0;
  for (unsigned i = 0; i < MEMORY_BYTES / 8; i++) sum = (sum << 7 | sum >> 57) ^ m[i];
  trial_fold(sum);
  if (signo == SIGTRAP) return;
  trials_faulted++;
  trial_fold((uint64_t)signo);
  trial_fold((uint64_t)(uintptr_t)info->si_addr);
}

static void trial_step(int signo, siginfo_t *info, void *context) {
  static bool begun;
  ucontext_t *uc = context;
  if (begun) trial_record(uc, signo, info);
  begun = true;
  if (getenv("TRIAL")) printf("%u %lx\n", trials_run, (unsigned long)trial_digest), fflush(stdout);
  uint32_t word = trial_next();
  if (!word) {
    printf("%u tried, %u faulted, digest %016lx\n", trials_run, trials_faulted, (unsigned long)trial_digest);
    exit(0);
  }
  trials_run++;
  if (getenv("TRIAL")) printf("%08x\n", word), fflush(stdout);
  CODE[0] = word;
  __builtin___clear_cache((char *)CODE, (char *)(CODE + 1));
  trial_prepare(uc);
  uc->uc_mcontext.pc = (uintptr_t)CODE;
}

/* Tries what next gives. Does not return. */
static void trial_run(uint32_t (*next)(void)) {
  static char handler_stack[1 << 16];
  stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
  struct sigaction action = {.sa_sigaction = trial_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  CHECK(sigaltstack(&stack, NULL) == 0);
  CHECK(mmap(CODE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) == CODE);
  CHECK(mmap((void *)MEMORY, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0) == (void *)MEMORY);
  for (unsigned i = 0; i < MEMORY_BYTES / 8; i++) ((uint64_t *)MEMORY)[i] = trial_random();
  for (unsigned i = 1; i < 64; i++) CODE[i] = BREAK;
  static const int signals[] = {SIGTRAP, SIGILL, SIGSEGV, SIGBUS};
  for (unsigned i = 0; i < 4; i++) CHECK(sigaction(signals[i], &action, NULL) == 0);
  trial_next = next;
  __asm__ volatile("brk #0");
  abort();
}

/* A template with its register fields (bits 0, 5, 10, 16 as asked) filled from registers that are worth trying. */
static uint32_t trial_fields(uint32_t word, unsigned fields) {
  static const unsigned char registers[] = {13, 14, 15, 18, 13, 14, 15, 18, 0, 1, 12, 19, 29, 30, 31};
  static const unsigned char at[] = {0, 5, 10, 16};
  for (unsigned i = 0; i < 4; i++)
    if (fields >> i & 1)
      word = (word & ~(31u << at[i])) | (uint32_t)registers[trial_random() % sizeof registers] << at[i];
  return word;
}

#endif
