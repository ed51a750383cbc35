/* readv, writev, preadv2, pwritev, sendfile, copy_file_range: borders, offsets, partial ends, bad vectors. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

int main(void) {
  int file = scratch_file(), other = scratch_file(), ends[2];
  char a[4] = "", b[6] = "", c[16] = "";
  struct iovec out[] = {{"one ", 4}, {"", 0}, {"two ", 4}, {"three", 5}};
  struct iovec in[] = {{a, 3}, {b, 5}, {c, 15}};
  volatile int bad_count = -1; /* or the compiler refuses it */
  CHECK(pipe(ends) == 0);
  say("writev %zd\n", writev(file, out, 4));
  CHECK(lseek(file, 0, SEEK_SET) == 0);
  ssize_t n = readv(file, in, 3);
  say("readv %zd [%s] [%s] [%s]\n", n, a, b, c);
  memset(c, 0, sizeof c);
  n = preadv(file, &(struct iovec){c, 15}, 1, 4);
  say("preadv %zd [%s] offset stays %ld\n", n, c, (long)lseek(file, 0, SEEK_CUR));
  CHECK(pwritev(file, (struct iovec[]){{"AB", 2}, {"CD", 2}}, 2, 1) == 4);
  memset(c, 0, sizeof c);
  CHECK(preadv2(file, &(struct iovec){c, 15}, 1, 0, 0) == 13);
  say("pwritev [%s]\n", c);
  say("bad count: %s\n", outcome(readv(file, in, bad_count)));
  static struct iovec many[IOV_MAX + 1];
  say("too many: %s\n", outcome(writev(file, many, IOV_MAX + 1)));
  say("most: %s\n", outcome(writev(file, many, IOV_MAX)));
  say("length overflow: %s\n", outcome(readv(file, (struct iovec[]){{a, SSIZE_MAX}, {b, SSIZE_MAX}}, 2)));
  say("negative offset: %s, of a pipe: %s\n", outcome(pread(file, c, 1, -1)),
      outcome(pread(ends[0], c, 1, 0)));
  off_t offset = 5;
  n = sendfile(ends[1], file, &offset, 100);
  memset(c, 0, sizeof c);
  CHECK(read(ends[0], c, 15) == n);
  say("sendfile %zd [%s] offset %ld\n", n, c, (long)offset);
  off_t from = 1, to = 3;
  n = copy_file_range(file, &from, other, &to, 4, 0);
  memset(c, 0, sizeof c);
  CHECK(pread(other, c, 15, 3) == 4);
  say("copy_file_range %zd [%s] %ld %ld\n", n, c, (long)from, (long)to);
  say("seek data %ld hole %ld, bad: %s\n", (long)lseek(file, 0, SEEK_DATA), (long)lseek(file, 0, SEEK_HOLE),
      outcome(lseek(file, -5, SEEK_SET)));
  say("beyond the end: %zd\n", pread(file, c, 5, 1000));
  CHECK(ftruncate(file, 4) == 0 && pwrite(file, "z", 1, 8) == 1 && pread(file, c, 15, 0) == 9);
  say("a hole reads as zero %d%d%d%d\n", c[4], c[5], c[6], c[7]);
  return 0;
}
