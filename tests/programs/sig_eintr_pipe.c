/* read, write, readv and FIFO open: EINTR without SA_RESTART, restarted with it. */
#include "sig_interrupt.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

static int empty[2], full[2];
static char byte;
static char fifo[] = "/tmp/fifo-XXXXXX";

static long do_read(void) {
  return read(empty[0], &byte, 1);
}
static long do_readv(void) {
  return readv(empty[0], &(struct iovec){&byte, 1}, 1);
}
static long do_write(void) {
  return write(full[1], "x", 1);
}
static long do_writev(void) {
  return writev(full[1], &(struct iovec){"x", 1}, 1);
}
static long do_open(void) {
  return open(fifo, O_RDONLY) >= 0 ? 0 : -1;
}

static void feed(void) {
  CHECK(write(empty[1], "y", 1) == 1);
}
static void drain(void) {
  static char page[4096];
  CHECK(read(full[0], page, sizeof page) == sizeof page);
}
static void refill(void) {
  static const char page[4096];
  CHECK(fcntl(full[1], F_SETFL, O_NONBLOCK) == 0);
  while (write(full[1], page, sizeof page) > 0) continue;
  CHECK(fcntl(full[1], F_SETFL, 0) == 0);
}
static void open_writer(void) {
  CHECK(open(fifo, O_RDWR) >= 0);
}

int main(void) {
  CHECK(pipe(empty) == 0 && pipe(full) == 0);
  CHECK(mkdtemp(fifo) && rmdir(fifo) == 0 && mkfifo(fifo, 0600) == 0);
  refill();
  interrupted("read", 0, do_read);
  interrupted("readv", 0, do_readv);
  interrupted("write", 0, do_write);
  interrupted("writev", 0, do_writev);
  interrupted("open of a FIFO", 0, do_open);
  restarted("read", do_read, feed);
  restarted("readv", do_readv, feed);
  restarted("write", do_write, drain);
  while (read(full[0], (char[65536]){0}, 65536) == 65536) continue;
  refill();
  restarted("writev", do_writev, drain);
  restarted("open of a FIFO", do_open, open_writer);
  CHECK(unlink(fifo) == 0);
  return 0;
}
