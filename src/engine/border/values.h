/* values.h: what nondeterministic instructions return (values.c): logged in a recording, replaced in a replay. Only for
 * threads of a sphere. */
#ifndef REPRISE_ENGINE_VALUES_H
#define REPRISE_ENGINE_VALUES_H

#include "engine/base/thread.h"

void values_time_stamp(struct thread *thread, uint64_t values[2]); /* time, processor */
void values_processor(struct thread *thread, uint64_t values[1]);
void values_cpuid(struct thread *thread, uint64_t values[4]);
void values_state_mask(struct thread *thread,
                       uint64_t values[1]); /* which processor state is kept, or in use */
void values_timer(struct thread *thread, uint64_t values[1]);
void values_counter(struct thread *thread, uint64_t values[1]);     /* of events */
void values_id_register(struct thread *thread, uint64_t values[1]); /* what the processor is and has */
void values_random(struct thread *thread, uint64_t values[2]);      /* value, success */

#endif
