/* vectors.h (AArch64): the vector registers outside generated code (vectors.c). */
#ifndef REPRISE_A64_VECTORS_H
#define REPRISE_A64_VECTORS_H

#include <asm/sigcontext.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/thread.h"

/* The address at which the thread's scalable vectors are saved; 0 when the machine has none. */
uintptr_t vectors_place(struct thread *thread);
/* A new thread starts with its parent's vectors. */
void vectors_copy(struct thread *child, const struct thread *parent);

/* Bytes of a scalable vector; of an ordinary vector on machines without them. */
uint64_t vectors_length(void);

/* prctl(PR_SVE_SET_VL): the vectors keep their low 128 bits. */
long vectors_change_length(struct thread *thread, const struct call *call);

/* Records of signal frames: fills them, takes them over. The scalable one is there only where vectors_record_size is not 0. */
void vectors_save(const struct thread *thread, struct fpsimd_context *record);
void vectors_load(struct thread *thread, const struct fpsimd_context *record);
size_t vectors_record_size(const struct thread *thread);
void vectors_save_scalable(const struct thread *thread, struct sve_context *record);
/* size: bytes of the record that may be read. False: the record is invalid. */
bool vectors_load_scalable(struct thread *thread, const struct sve_context *record, size_t size);

#endif
