/* sync.h: the order `sync`: only synchronisation is ordered, and no access is checked (sync.c). See order/sync.h for its clocks and predictors.
 *
 * The translator ends blocks at instructions that synchronise threads: atomics, exclusive loads and stores, loads that acquire, stores that release, and
 * fences. The engine performs each as one step under the lock of its clock, adds an arc from the last thread that was there, and logs what the atomic
 * found if that can't be predicted. System calls have a clock of their own: a call begins after all calls that have begun before it, and ends
 * after all that have begun before it returns. All other accesses run at full speed. Whatever stops all threads in a parallel order (changes of
 * mappings, forks, ends of threads) does so here, too, by the stage (permissions.h).
 *
 * Loads that acquire are ordinary ones on some processors, and relaxed ones are on all. So ordinary loads in code near an atomic are watched: what they find is
 * logged as that of an atomic load is. Calls that the dynamic linker binds while other threads make them have a place in the log as well.
 *
 * Replay has no locks: the arcs order the atomics of a clock. An atomic that changes memory waits until memory holds the value that it found in the recording: it may
 * be an ordinary store that puts it there, as of a lock that is released so, or one that has overwritten it already. An atomic that leaves memory as it is gets the recorded value, whatever
 * memory holds by now. So atomics do the same as in the recording, or never end; a program without data races is replayed exactly. Whether it was is verified
 * by all that calls are given, by the registers at each call and at each end of a thread, and by the whole memory at the end of a process. */
#ifndef REPRISE_ENGINE_SYNC_H
#define REPRISE_ENGINE_SYNC_H

#include "engine/region/rings.h"

/* A program begins, or a process with memory of its own: nothing has been ordered yet. */
void sync_start(void);
/* A thread begins: it has seen nothing. */
void sync_forget(struct thread *thread);

/* Performs the instruction at arch_pc, which synchronises; false: it can't be, and has to be executed, since it faults. In replay
 * thread->took_value is set if an event was consumed: then the next stop has to be found. */
bool sync_perform(struct thread *thread);

/* Replay, at a safepoint: true if the next event says that the thread is to have a call bound here: it is sent there, and the event is done with. */
struct input_event;
bool sync_binding_is_due(struct thread *thread, const struct input_event *event);

/* Recording, around a system call: before it uses the thread's memory, and when it has returned. */
void sync_call_begins(struct thread *thread, const struct call *call);
void sync_call_returns(struct thread *thread, const struct call *call);
/* Recording: a signal is delivered, perhaps sent by a call of another thread. */
void sync_signal_arrives(struct thread *thread);

#endif
