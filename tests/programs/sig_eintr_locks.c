/* flock and F_SETLKW: EINTR without SA_RESTART, restarted with it until the other process lets go. */
#include "sig_interrupt.h"
#include <fcntl.h>
#include <sys/file.h>

static char path[] = "/tmp/lock-XXXXXX";
static int file, release_pipe[2];
static struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

static long do_flock(void) {
  return flock(file, LOCK_EX);
}
static long do_fcntl(void) {
  return fcntl(file, F_SETLKW, &whole);
}
static void let_go(void) {
  CHECK(write(release_pipe[1], "g", 1) == 1);
}

/* A child that holds the lock until it is told to let go. */
static pid_t start_holder(int by_flock) {
  int ready[2];
  char byte;
  CHECK(pipe(ready) == 0 && pipe(release_pipe) == 0);
  pid_t child = fork();
  if (child == 0) {
    int mine = open(path, O_RDWR);
    CHECK((by_flock ? flock(mine, LOCK_EX) : fcntl(mine, F_SETLKW, &whole)) == 0);
    CHECK(write(ready[1], "r", 1) == 1);
    _exit(read(release_pipe[0], &byte, 1) != 1);
  }
  CHECK(child > 0 && read(ready[0], &byte, 1) == 1);
  return child;
}

int main(void) {
  CHECK((file = mkstemp(path)) >= 0);
  pid_t holder = start_holder(1);
  interrupted("flock", 0, do_flock);
  say("flock without waiting: %s\n", outcome(flock(file, LOCK_EX | LOCK_NB)));
  restarted("flock", do_flock, let_go);
  CHECK(reap(holder) == 0);
  CHECK(flock(file, LOCK_UN) == 0);
  holder = start_holder(0);
  interrupted("F_SETLKW", 0, do_fcntl);
  say("F_SETLK: %s\n", outcome(fcntl(file, F_SETLK, &whole)));
  struct flock query = whole;
  CHECK(fcntl(file, F_GETLK, &query) == 0);
  say("F_GETLK names the holder: %d\n", query.l_pid == holder);
  restarted("F_SETLKW", do_fcntl, let_go);
  CHECK(reap(holder) == 0 && unlink(path) == 0);
  return 0;
}
