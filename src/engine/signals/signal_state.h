/* signal_state.h: declarations shared by the files behind signals.h (signals.c, signal_calls.c,
 * signal_delivery.c).
 *
 * Masks. The application's view of its mask is thread->mask. The kernel's mask of the thread is one of
 * three:
 *   - nothing queued: thread->mask without the synchronous signals, which our handler must always get;
 *   - a signal is queued: everything but the synchronous ones, so that no second one arrives;
 *   - everything: for moments in which even the engine's own handler would find a half-made state. */
#ifndef REPRISE_ENGINE_SIGNAL_STATE_H
#define REPRISE_ENGINE_SIGNAL_STATE_H

#include "engine/base/signal_actions.h"
#include "engine/signals/signals.h"

/* Outside of a sphere: signals whose default action the engine takes, so that core files show the program. */
extern uint64_t signals_for_core;

/* True if the engine itself takes the default action of a signal that ends the process. It does so in a sphere: the kernel could end the
 * process at any moment, with a call made and not logged, and would leave robust mutexes out of
 * turn. */
static inline bool ends_in_turn(int signo) {
  return (in_sphere() || signals_for_core & SIGNAL_BIT(signo)) &&
         !((SYNCHRONOUS | UNBLOCKABLE | HARMLESS) & SIGNAL_BIT(signo));
}

/* Sets the kernel's action that implements the application's action. */
void kernel_set_action(int signo, const struct action *wanted);
/* Sets the kernel's mask of the calling thread. */
void kernel_set_mask(uint64_t mask);

/* The element of thread->held_info for a synchronous signal. */
siginfo_t *held_info(struct thread *thread, int signo);
/* If there is a held signal that mask does not block, and nothing is queued, queues it: true. */
bool queue_held(struct thread *thread, uint64_t mask);
/* Sends the calling thread a signal that it already had from the kernel, with the information it came
 * with. */
void send_again(struct thread *thread, int signo, const siginfo_t *info);
/* The application's mask changes while the engine runs; held signals that it lets in are queued. */
void change_mask(struct thread *thread, uint64_t mask);
/* The application's alternate stack: whether sp lies on it, and sigaltstack(2) without its access to
 * memory. */
bool on_altstack(const struct thread *thread, uintptr_t sp);
long change_altstack(struct thread *thread, const stack_t *wanted);

#endif
