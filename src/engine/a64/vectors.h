/* vectors.h (AArch64): the vector registers outside generated code (vectors.c). */
#ifndef REPRISE_A64_VECTORS_H
#define REPRISE_A64_VECTORS_H

#include <asm/sigcontext.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/thread.h"

/* Where the thread's scalable vectors wait; 0 when the machine has none. */
uintptr_t vectors_place(struct thread *thread);
/* A new thread starts with its parent's. */
void vectors_copy(struct thread *child, const struct thread *parent);

/* Bytes of a scalable vector; of the others where there are none. */
uint64_t vectors_length(void);

/* prctl(PR_SVE_SET_VL): the vectors keep what they have in common. */
long vectors_change_length(struct thread *thread, const struct call *call);

/* Records of signal frames: fills them, takes them over. The scalable one is there only where vectors_record_size is not 0. */
void vectors_save(const struct thread *thread, struct fpsimd_context *record);
void vectors_load(struct thread *thread, const struct fpsimd_context *record);
size_t vectors_record_size(const struct thread *thread);
void vectors_save_scalable(const struct thread *thread, struct sve_context *record);
/* size: bytes that may be read of it. False: no such record can be. */
bool vectors_load_scalable(struct thread *thread, const struct sve_context *record, size_t size);

#endif
