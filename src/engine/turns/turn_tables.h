/* turn_tables.h: the two ways of taking turns (region/turns.h), and what they share with the border. */
#ifndef REPRISE_ENGINE_TURN_TABLES_H
#define REPRISE_ENGINE_TURN_TABLES_H

#include "engine/region/turns.h"

extern const struct turns baton_recording, baton_replaying, parallel_recording, parallel_replaying;
/* Chooses that of this sphere. */
void turns_choose(void);

/* Whether a call may wait for another thread, or end or stop the caller. */
bool call_may_wait(const struct thread *thread, const struct call *call);
/* Recording with the baton: whether the thread keeps it in the call. */
bool baton_stays(const struct thread *thread, const struct call *call);
/* Replay with the baton: whether the chunk ends here for this reason; then others run, and the thread goes on with its next one. */
bool chunk_ends_here(const struct thread *thread, enum chunk_reason reason);
void change_chunks(struct thread *thread);

#endif
