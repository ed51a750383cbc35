/* A signal during a long write or a waiting receive ends it with what was done so far, restart or not. */
#include "sig_interrupt.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int ends[2], pair[2];
static char block[1 << 20];

static long do_write(void) {
  return write(ends[1], block, sizeof block);
}
static long do_writev(void) {
  struct iovec parts[3] = {{block, 1000}, {block, 100000}, {block, 1000}};
  return writev(ends[1], parts, 3);
}
static long do_receive(void) {
  return recv(pair[0], block, 100, MSG_WAITALL);
}

static void drain(void) {
  CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  while (read(ends[0], block, sizeof block) > 0) continue;
}

int main(void) {
  CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  CHECK(fcntl(ends[1], F_SETPIPE_SZ, 16384) == 16384);
  for (int flags = 0;; flags = SA_RESTART) {
    interrupted("write of a megabyte", flags, do_write);
    drain();
    interrupted("writev", flags, do_writev);
    drain();
    CHECK(send(pair[1], "seventeen bytes..", 17, 0) == 17);
    interrupted("recv MSG_WAITALL", flags, do_receive);
    if (flags) return 0;
  }
}
