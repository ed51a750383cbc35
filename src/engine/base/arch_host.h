/* arch_host.h: functions of the engine that a backend calls while it executes an instruction itself. The rooms above the backends implement them. */
#ifndef REPRISE_ENGINE_ARCH_HOST_H
#define REPRISE_ENGINE_ARCH_HOST_H

#include "engine/base/thread.h"

/* The results of nondeterministic instructions (border/instruction_values.c): logged in a recording, replaced in a replay. Only for threads of a sphere. */
void values_time_stamp(struct thread *thread, uint64_t values[2]); /* time, processor */
void values_processor(struct thread *thread, uint64_t values[1]);
void values_cpuid(struct thread *thread, uint64_t values[4]);
void values_state_mask(struct thread *thread,
                       uint64_t values[1]); /* which processor state is kept, or in use */
void values_timer(struct thread *thread, uint64_t values[1]);
void values_counter(struct thread *thread, uint64_t values[1]);     /* of events */
void values_id_register(struct thread *thread, uint64_t values[1]); /* what the processor is and has */
void values_random(struct thread *thread, uint64_t values[2]);      /* value, success */

/* Queues a synchronous signal for the instruction at arch_pc (an unfetchable pc, an unsupported instruction). */
void signals_raise(struct thread *thread, int signo, int code, uintptr_t address);
/* True if an instruction there must be executed alone, after its bytes were taken like the memory that it accesses (shared.c). */
bool code_is_shared(uintptr_t pc, size_t bytes);
/* Performs a call of a thread that is recorded or replayed. */
long syscall_in_sphere(struct thread *thread, const struct call *call);

#endif
