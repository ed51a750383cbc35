/* O_ASYNC with F_SETOWN and F_SETSIG: the signal, its descriptor and the poll band. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

static int pair[2];
static volatile int handled;

static void show(int sig, siginfo_t *info, void *context) {
  (void)context;
  handled++;
  if (sig == SIGIO)
    say("SIGIO\n");
  else
    say("signal %d code %d descriptor %d band %lx\n", sig, info->si_code, info->si_fd == pair[0],
        info->si_band);
}

int main(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  handle(SIGIO, show, 0);
  handle(SIGRTMIN + 4, show, 0);
  CHECK(fcntl(pair[0], F_SETOWN, getpid()) == 0);
  say("owner %d signal %d\n", fcntl(pair[0], F_GETOWN) == getpid(), fcntl(pair[0], F_GETSIG));
  CHECK(fcntl(pair[0], F_SETFL, fcntl(pair[0], F_GETFL) | O_ASYNC) == 0);
  CHECK(write(pair[1], "x", 1) == 1);
  say("handled %d\n", handled);
  CHECK(fcntl(pair[0], F_SETSIG, SIGRTMIN + 4) == 0);
  CHECK(write(pair[1], "x", 1) == 1);
  say("handled %d\n", handled);
  struct f_owner_ex owner = {F_OWNER_TID, gettid()};
  CHECK(fcntl(pair[0], F_SETOWN_EX, &owner) == 0 && write(pair[1], "x", 1) == 1);
  say("handled %d\n", handled);
  CHECK(fcntl(pair[0], F_SETFL, 0) == 0 && write(pair[1], "x", 1) == 1);
  say("off: handled %d\n", handled);
  return 0;
}
