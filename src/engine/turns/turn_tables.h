/* turn_tables.h: the two ways of taking turns (region/turns.h), and the functions that they share with the border. */
#ifndef REPRISE_ENGINE_TURN_TABLES_H
#define REPRISE_ENGINE_TURN_TABLES_H

#include "engine/region/turns.h"

extern const struct turns baton_recording, baton_replaying, parallel_recording, parallel_replaying;
/* Chooses the table of this sphere. */
void turns_choose(void);

/* True if a call may wait for another thread, or end or stop the caller. */
bool call_may_wait(const struct thread *thread, const struct call *call);
/* Recording with the baton: true if the thread keeps the baton in the call. */
bool baton_stays(const struct thread *thread, const struct call *call);
/* Replay with the baton: true if the chunk ends here for this reason; lets other threads run, and goes on with the thread's next chunk. */
bool chunk_ends_here(const struct thread *thread, enum chunk_reason reason);
void change_chunks(struct thread *thread);

#endif
