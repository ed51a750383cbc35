/* core_files.h: core files that show the program (core_files.c). */
#ifndef REPRISE_ENGINE_CORE_FILES_H
#define REPRISE_ENGINE_CORE_FILES_H

#include "engine/signals/signal_state.h"

/* The signals whose default action would have the kernel write a core file. */
uint64_t core_signals(void);
/* The calling thread dies of the signal, whose action is the default one, after it has made sure that the kernel finds the program's
 * registers in every thread that is in the program. */
_Noreturn void core_die(struct thread *thread, const struct queued_signal *signal);

#endif
