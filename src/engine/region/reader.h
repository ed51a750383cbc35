/* reader.h: takes events out of a thread's input log (reader.c). */
#ifndef REPRISE_ENGINE_READER_H
#define REPRISE_ENGINE_READER_H

#include "engine/region/rings.h"

/* The next event of the thread's log, NULL when there is none any more; and takes it out of the log. Values on the way to it are read ahead (value_log.h). */
const struct input_event *replay_peek(struct thread *thread);
void replay_consume(struct thread *thread);

#endif
