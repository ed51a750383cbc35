/* signal_actions.h: signals as sets, and the application's action for each. */
#ifndef REPRISE_ENGINE_SIGNAL_ACTIONS_H
#define REPRISE_ENGINE_SIGNAL_ACTIONS_H

#include <linux/signal.h>

#include "engine/base/thread.h"

enum { SIGNAL_COUNT = 64 };

#define SIGNAL_BIT(signo) (1UL << ((signo)-1))
#define ALL_SIGNALS (~0UL)
#define SYNCHRONOUS                                                                     \
  (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGFPE) | \
   SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSYS))
#define ASYNCHRONOUS (~SYNCHRONOUS)
#define UNBLOCKABLE (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))

/* Signals whose default action is nothing, or a stop. */
#define HARMLESS                                                                           \
  (SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH) | \
   SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU))

#define HANDLER_DEFAULT 0UL
#define HANDLER_IGNORE 1UL

/* As the kernel lays it out, with plain types. */
struct action {
  uintptr_t handler;
  unsigned long flags;
  uintptr_t restorer;
  uint64_t mask;
};

struct signal_actions {
  struct lock lock;
  _Atomic uint32_t users;
  struct action of[SIGNAL_COUNT + 1];
};

/* True if the application catches or ignores the signal: its default action is not taken. */
static inline bool signals_is_handled(const struct thread *thread, int signo) {
  if (signo < 1 || signo > SIGNAL_COUNT) return false;
  return thread->process->actions->of[signo].handler != HANDLER_DEFAULT;
}

#endif
