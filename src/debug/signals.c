/* signals.c: the protocol has numbers of its own for signals. */
#include "debug/server.h"

enum { UNKNOWN = 143 };

int signal_for_client(int signo) {
  static const unsigned char numbers[] = {0,  1,  2,  3,  4,  5,       6,  10, 8,  9,  30,
                                          11, 31, 13, 14, 15, UNKNOWN, 20, 19, 17, 18, 21,
                                          22, 16, 24, 25, 26, 27,      28, 23, 32, 12};
  if (signo < 0) return UNKNOWN;
  if (signo < (int)sizeof numbers) return numbers[signo];
  if (signo == 32) return 77;
  if (signo == 64) return 78;
  return signo < 64 ? signo + 12 : UNKNOWN;
}

int signal_of_client(int number) {
  for (int signo = 1; signo <= 64; signo++)
    if (signal_for_client(signo) == number) return signo;
  return 0;
}
