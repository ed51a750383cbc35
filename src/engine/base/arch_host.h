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
/* The address of the last x87 instruction, which is about to be stored where the program sees it; 0: it is not known. Nothing is logged in that case. */
uint64_t values_x87_pointer(struct thread *thread, uint64_t address);
/* What the program is shown of a fault; only what is not the usual is logged. */
uint64_t values_fault(struct thread *thread, uint64_t told, uint64_t usual);

/* An access to open memory that emitted code does not complete by itself (order/by_value.c), by a thread that is in the cache. Returns the address at which the
 * instruction finds the bytes, or puts them: those that the thread has seen, or a copy; 0: the check has missed. */
enum open_way {
  OPEN_WAY_LOAD,
  OPEN_WAY_STORE,  /* the same instruction stores to memory while recording */
  OPEN_WAY_UPDATE, /* it reads and writes in one: while recording by_value_learn comes next */
  OPEN_WAY_MODIFY, /* it reads, and then writes: while recording what it has made of the bytes is stored to memory then */
};
uintptr_t by_value_access(struct thread *thread, uintptr_t address, unsigned bytes, enum open_way way);
/* Recording: what an update has found in memory; seen: the address that by_value_access has returned. */
void by_value_learn(struct thread *thread, uintptr_t seen, unsigned bytes, const uint8_t *found);
/* A fault in code for open memory, which is not expected. */
_Noreturn void by_value_faulted(void);
/* The store has gone to the copy. */
void by_value_stored(struct thread *thread);

/* Queues a synchronous signal for the instruction at arch_pc (an unfetchable pc, an unsupported instruction). */
void signals_raise(struct thread *thread, int signo, int code, uintptr_t address);
/* True if an instruction there must be executed alone, after its bytes were taken like the memory that it accesses (shared.c). */
bool code_is_shared(uintptr_t pc, size_t bytes);
/* Performs a call of a thread that is recorded or replayed. */
long syscall_in_sphere(struct thread *thread, const struct call *call);

#endif
