/*
 * Interrupting a blocked system call, for the programs about EINTR and restart. SIGALRM ticks until the call
 * is over, so it does not matter when the call really starts to block. A call that should have ended and did
 * not is stopped by the last tick, with status 98.
 */
#ifndef SIG_INTERRUPT_H
#define SIG_INTERRUPT_H

#include "sys_helpers.h"

enum { TICK_MICROSECONDS = 3000, RELEASE_TICK = 3, LAST_TICK = 1000 };

static volatile int interrupt_ticks;
static void (*volatile interrupt_release)(void); /* lets a restarted call finish */

static inline void interrupt_on_tick(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  int saved = errno;
  interrupt_ticks++;
  if (interrupt_ticks == RELEASE_TICK && interrupt_release) interrupt_release();
  if (interrupt_ticks == LAST_TICK) {
    dprintf(2, "the call never returned\n");
    _exit(98);
  }
  errno = saved;
}

static inline void interrupt_start(int flags, void (*release)(void)) {
  interrupt_ticks = 0;
  interrupt_release = release;
  handle(SIGALRM, interrupt_on_tick, flags);
  tick_every(TICK_MICROSECONDS);
}

/* Runs `call` with a handler installed with `flags`: it is to end with EINTR. Prints how it did end. */
static inline void interrupted(const char *name, int flags, long (*call)(void)) {
  interrupt_start(flags, NULL);
  long result = call();
  const char *how = outcome(result);
  tick_every(0);
  say("%s%s: %ld %s\n", name, flags & SA_RESTART ? " with SA_RESTART" : "", result, how);
}

/* Runs `call` with SA_RESTART over several ticks; it ends because `release` gave it what it waits for. */
static inline void restarted(const char *name, long (*call)(void), void (*release)(void)) {
  interrupt_start(SA_RESTART, release);
  long result = call();
  const char *how = outcome(result);
  tick_every(0);
  say("%s restarts: %ld %s, enough ticks %d\n", name, result, how, interrupt_ticks >= RELEASE_TICK);
}

#endif
