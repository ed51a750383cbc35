/* vectors.c (AArch64): the vector registers outside generated code.
 *
 * The 128-bit registers stay live in the processor while C runs: it does not touch them, and the kernel keeps them over system
 * calls. Of scalable vectors the kernel forgets all but those 128 bits at a system call, and the engine makes
 * calls of its own; so where the machine has them they wait in the thread's slot, in the layout of a signal frame, from every
 * exit of the cache to the next entry (entry.S). Meanwhile the slot has the valid values, not the registers.
 *
 * Known limit: streaming mode and matrices are not supported, and their instructions undefined to the program. */
#include "engine/a64/vectors.h"

#include "engine/base/lib.h"

enum { SCALABLE_AT = 0x90000, LENGTH_MAX = 256, QUAD = 16 };
_Static_assert(TARGET_TABLE + TARGET_COUNT * 8 <= SCALABLE_AT, "the vectors lie behind the table");
_Static_assert(SCALABLE_AT + SVE_SIG_CONTEXT_SIZE(LENGTH_MAX / QUAD) <= SLOT_ENGINE_STACK - PAGE,
               "and before the engine stack");

static bool has_scalable;

void save_vectors(void *fpsr_onwards);
void load_vectors(const void *fpsr_onwards);
uint64_t vector_length(void);

void arch_init_machine(void) {
  enum { SVE_SHIFT = 32 };
  uint64_t features;
  __asm__ volatile("mrs %0, id_aa64pfr0_el1" : "=r"(features));
  has_scalable = features >> SVE_SHIFT & 15;
  if (has_scalable && vector_length() > LENGTH_MAX)
    die(125, "vectors of %lu bytes are too long for us", vector_length());
}

uint64_t vectors_length(void) {
  return has_scalable ? vector_length() : QUAD;
}

uintptr_t vectors_place(struct thread *thread) {
  return has_scalable ? (uintptr_t)thread + SCALABLE_AT : 0;
}

static size_t registers_size(void) {
  return SVE_SIG_REGS_SIZE(vector_length() / QUAD);
}

void vectors_copy(struct thread *child, const struct thread *parent) {
  if (has_scalable) memcpy((char *)child + SCALABLE_AT, (const char *)parent + SCALABLE_AT, registers_size());
}

/* As in the kernel: 128 bits of each vector stay, all else becomes zero. */
long vectors_change_length(struct thread *thread, const struct call *call) {
  uint64_t low[32][2];
  char *place = (char *)thread->arch.scalable;
  for (unsigned i = 0; i < 32; i++) memcpy(low[i], place + i * vector_length(), QUAD);
  long result =
      arch_syscall6(call->nr, call->args[0], call->args[1], call->args[2], call->args[3], call->args[4], 0);
  if (result < 0) return result;
  if (vector_length() > LENGTH_MAX) die(125, "vectors of %lu bytes are too long for us", vector_length());
  memset(place, 0, registers_size());
  for (unsigned i = 0; i < 32; i++) memcpy(place + i * vector_length(), low[i], QUAD);
  return result;
}

/* -- Records ------------------------------------------------------------------------------------------------------------ */

void vectors_save(const struct thread *thread, struct fpsimd_context *record) {
  record->head = (struct _aarch64_ctx){FPSIMD_MAGIC, sizeof *record};
  save_vectors(&record->fpsr);
  const char *from = (const char *)thread->arch.scalable;
  for (unsigned i = 0; from && i < COUNT_OF(record->vregs); i++)
    memcpy(&record->vregs[i], from + i * vector_length(), QUAD);
}

/* Bits beyond the first 128 become zero, as when the processor writes such a register. */
void vectors_load(struct thread *thread, const struct fpsimd_context *record) {
  load_vectors(&record->fpsr);
  char *to = (char *)thread->arch.scalable;
  if (!to) return;
  memset(to, 0, registers_size());
  for (unsigned i = 0; i < COUNT_OF(record->vregs); i++)
    memcpy(to + i * vector_length(), &record->vregs[i], QUAD);
}

size_t vectors_record_size(const struct thread *thread) {
  return thread->arch.scalable ? ALIGN_UP(SVE_SIG_CONTEXT_SIZE(vector_length() / QUAD), 16) : 0;
}

void vectors_save_scalable(const struct thread *thread, struct sve_context *record) {
  *record = (struct sve_context){.head = {SVE_MAGIC, (uint32_t)vectors_record_size(thread)},
                                 .vl = (uint16_t)vector_length()};
  memcpy((char *)record + SVE_SIG_REGS_OFFSET, (const void *)thread->arch.scalable, registers_size());
}

/* The low parts of the vectors are taken from the other record, which has been taken over already. */
bool vectors_load_scalable(struct thread *thread, const struct sve_context *record, size_t size) {
  char *to = (char *)thread->arch.scalable;
  if (size < sizeof *record || !to || record->vl != vector_length()) return false;
  if (record->head.size == sizeof *record) return true; /* no registers: the program has not used them */
  if (size < vectors_record_size(thread)) return false;
  uint64_t low[32][2];
  for (unsigned i = 0; i < 32; i++) memcpy(low[i], to + i * vector_length(), QUAD);
  memcpy(to, (const char *)record + SVE_SIG_REGS_OFFSET, registers_size());
  for (unsigned i = 0; i < 32; i++) memcpy(to + i * vector_length(), low[i], QUAD);
  return true;
}
