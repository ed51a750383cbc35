/* A megabyte through a pipe between processes while both take signals all the time: every byte arrives, in
 * order. */
#include "sys_helpers.h"

static volatile int ticks;

static void on_tick(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  ticks++;
}

static unsigned next(unsigned *state) {
  return *state = *state * 1103515245 + 12345;
}

int main(void) {
  enum { TOTAL = 1 << 20 };
  int ends[2];
  unsigned state = 1;
  long done = 0, wrong = 0;
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  handle(SIGALRM, on_tick, child == 0 ? SA_RESTART : 0);
  tick_every(100);
  static unsigned char block[3000];
  if (child == 0) {
    while (done < TOTAL) {
      long size = TOTAL - done < (long)sizeof block ? TOTAL - done : (long)sizeof block, sent = 0;
      for (long i = 0; i < size; i++) block[i] = next(&state) >> 16;
      while (sent < size) {
        ssize_t n = write(ends[1], block + sent, size - sent);
        CHECK(n > 0);
        sent += n;
      }
      done += size;
    }
    _exit(0);
  }
  close(ends[1]);
  for (;;) {
    ssize_t n = read(ends[0], block, 777);
    if (n == 0) break;
    CHECK(n > 0 || errno == EINTR);
    for (ssize_t i = 0; i < n; i++) wrong += block[i] != (unsigned char)(next(&state) >> 16);
    if (n > 0) done += n;
  }
  int status = reap(child);
  while (ticks < 10) continue;
  tick_every(0);
  say("bytes %ld wrong %ld\n", done, wrong);
  say_status("child", status);
  return 0;
}
