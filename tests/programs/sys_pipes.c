/* Pipes: capacity, atomic writes, non-blocking ends, O_DIRECT packets, end of file, tee, splice, FIONREAD. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>

int main(void) {
  int ends[2], other[2], waiting = -1;
  static char block[1 << 17];
  CHECK(pipe2(ends, O_NONBLOCK) == 0 && pipe2(other, O_NONBLOCK | O_CLOEXEC) == 0);
  say("size %d, flags %x %x\n", fcntl(ends[0], F_GETPIPE_SZ), (unsigned)fcntl(ends[0], F_GETFL),
      (unsigned)fcntl(ends[1], F_GETFL));
  say("empty: %s\n", outcome(read(ends[0], block, 10)));
  say("fills: %zd", write(ends[1], block, sizeof block));
  say(" then %s\n", outcome(write(ends[1], block, 1)));
  CHECK(ioctl(ends[0], FIONREAD, &waiting) == 0);
  say("waiting %d\n", waiting);
  CHECK(read(ends[0], block, 5000) == 5000);
  say("an atomic write fits: %zd", write(ends[1], block, 4096));
  say(", another does not: %s", outcome(write(ends[1], block, 4096)));
  CHECK(read(ends[0], block, 4000) == 4000);
  say(", part of a larger: %zd\n", write(ends[1], block, 8192));
  while (read(ends[0], block, sizeof block) > 0) continue;
  CHECK(fcntl(ends[1], F_SETPIPE_SZ, 5000) == 8192);
  say("resized %d", fcntl(ends[0], F_GETPIPE_SZ));
  say(", holds %zd\n", write(ends[1], block, sizeof block));
  while (read(ends[0], block, sizeof block) > 0) continue;
  CHECK(write(ends[1], "hello pipes", 11) == 11);
  ssize_t copied = tee(ends[0], other[1], 5, SPLICE_F_NONBLOCK);
  memset(block, 0, 64);
  CHECK(read(other[0], block, 64) == 5);
  say("tee %zd %s", copied, block);
  int file = scratch_file();
  ssize_t moved = splice(ends[0], NULL, file, NULL, 100, SPLICE_F_NONBLOCK);
  memset(block, 0, 64);
  CHECK(pread(file, block, 64, 0) == 11);
  say(", splice %zd %s\n", moved, block);
  struct pollfd polled = {ends[0], POLLIN, 0};
  close(ends[1]);
  poll(&polled, 1, 0);
  say("closed: revents %x read %zd\n", (unsigned)polled.revents, read(ends[0], block, 10));
  CHECK(pipe2(ends, O_DIRECT | O_NONBLOCK) == 0);
  CHECK(write(ends[1], "one", 3) == 3 && write(ends[1], "two!", 4) == 4);
  say("packets %zd", read(ends[0], block, 64));
  say(" %zd", read(ends[0], block, 2));
  say(" then %s\n", outcome(read(ends[0], block, 64)));
  return 0;
}
