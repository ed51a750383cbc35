/* Races for the actions of signals: a signal that is on its way is handled, or ignored, by the action that is set when it is delivered; a
 * one-shot handler is that of whoever comes first. */
#include <signal.h>

#include "race.h"

static __thread volatile uint32_t handled;

static void on_signal(int sig) {
  handled += (uint32_t)sig;
}

static void set(int sig, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  CHECK(!sigaction(sig, &action, NULL));
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    uint32_t chance = race_mix(i, me);
    if (chance % 4 == 0) set(SIGUSR1, chance & 8 ? on_signal : SIG_IGN, 0);
    if (chance % 4 == 1) set(SIGURG, on_signal, SA_RESETHAND); /* ignored without a handler */
    CHECK(!raise(SIGUSR1) && !raise(SIGURG));
    race_note(me, handled);
  }
}

int main(int argc, char **argv) {
  set(SIGUSR1, SIG_IGN, 0);
  return race_run(argc, argv, 600, run, NULL);
}
