/* Bad pointers in system calls give EFAULT, no signal; transfers over a page's end are cut there. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

static void unexpected(int sig, siginfo_t *info, void *context) {
  (void)info, (void)context;
  say("unexpected signal %d\n", sig);
  _exit(1);
}

int main(void) {
  int ends[2], file = scratch_file(), pair[2];
  char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED && mprotect(page + 4096, 4096, PROT_NONE) == 0 && pipe(ends) == 0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  char *bad = page + 4096, *edge = page + 4096 - 10;
  handle(SIGSEGV, unexpected, 0);
  handle(SIGBUS, unexpected, 0);
  memset(page, 'p', 4096);
#define TRY(call)                                                          \
  do {                                                                     \
    long result = (long)(call);                                            \
    say("%s: %ld %s\n", #call, result < 0 ? -1 : result, outcome(result)); \
  } while (0)
  TRY(write(ends[1], bad, 5));
  TRY(write(ends[1], edge, 20));
  TRY(write(file, edge, 20));
  TRY(write(1000, bad, 5));
  CHECK(write(ends[1], "0123456789abcdefghij", 20) == 20 &&
        pwrite(file, "0123456789abcdefghij", 20, 0) == 20);
  TRY(read(ends[0], bad, 4));
  TRY(pread(file, edge, 20, 0));
  TRY(pread(file, bad, 20, 0));
  TRY(readv(file, (struct iovec *)bad, 1));
  TRY(writev(ends[1], (struct iovec[]){{page, 5}, {bad, 5}}, 2));
  TRY(open(bad, O_RDONLY));
  TRY(syscall(SYS_newfstatat, AT_FDCWD, "/", bad, 0));
  TRY(syscall(SYS_pipe2, bad, 0));
  TRY(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, bad));
  TRY(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, edge));
  TRY(syscall(SYS_nanosleep, bad, NULL));
  TRY(syscall(SYS_ppoll, bad, 1, &(struct timespec){0}, NULL, 8));
  TRY(syscall(SYS_uname, bad));
  TRY(syscall(SYS_getcwd, bad, 100));
  TRY(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, bad, 8));
  TRY(syscall(SYS_rt_sigaction, SIGUSR1, NULL, bad, 8));
  TRY(syscall(SYS_sigaltstack, NULL, bad));
  TRY(syscall(SYS_wait4, -1, NULL, 0, NULL));
  TRY(syscall(SYS_futex, bad, 0, 0, NULL));
  TRY(syscall(SYS_getrandom, bad, 10, 0));
  TRY(syscall(SYS_getrlimit, RLIMIT_CORE, bad));
  TRY(send(pair[0], bad, 5, 0));
  TRY(syscall(SYS_sendmsg, pair[0], bad, 0));
  TRY(syscall(SYS_getsockname, pair[0], bad, bad));
  TRY(syscall(SYS_getdents64, open("/", O_RDONLY), bad, 1000));
  TRY(syscall(SYS_mincore, page, 4096, bad));
  TRY(syscall(SYS_write, ends[1], (void *)0xffff800000000000, 8));
  return 0;
}
