/*
 * What the programs about signals, processes and system calls share: output that passes no buffer (so it
 * survives fork, exec and signal handlers in order), and the few lines of signal and wait boilerplate that
 * nearly all of them need. A program's output must be the same on every run: no addresses, process ids,
 * times or thread orders.
 */
#ifndef SYS_HELPERS_H
#define SYS_HELPERS_H

#include "check.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <stdint.h>
#include <ucontext.h>

/* One register of a signal handler's third argument, e.g. REG(context, REG_RIP); and what both instruction sets have: the program
 * counter, the stack pointer, the address of the last fault, whether it was a write (-1 where that is not told). */
#if defined(__x86_64__)
#define REG(context, name) (((ucontext_t *)(context))->uc_mcontext.gregs[name])

static inline uintptr_t pc_of(const void *context) {
  return (uintptr_t)REG(context, REG_RIP);
}

static inline void set_pc(void *context, const void *pc) {
  REG(context, REG_RIP) = (long)pc;
}

static inline uintptr_t stack_of(const void *context) {
  return (uintptr_t)REG(context, REG_RSP);
}

static inline uintptr_t fault_address(const void *context) {
  return (uintptr_t)REG(context, REG_CR2);
}

static inline int fault_was_write(const void *context) {
  return REG(context, REG_ERR) >> 1 & 1;
}
#else
static inline uintptr_t pc_of(const void *context) {
  return ((const ucontext_t *)context)->uc_mcontext.pc;
}

static inline void set_pc(void *context, const void *pc) {
  ((ucontext_t *)context)->uc_mcontext.pc = (uintptr_t)pc;
}

static inline uintptr_t stack_of(const void *context) {
  return ((const ucontext_t *)context)->uc_mcontext.sp;
}

static inline uintptr_t fault_address(const void *context) {
  return ((const ucontext_t *)context)->uc_mcontext.fault_address;
}

static inline int fault_was_write(const void *context) {
  const char *at = (const char *)((const ucontext_t *)context)->uc_mcontext.__reserved;
  const struct _aarch64_ctx *record = (const void *)at;
  for (; record->magic; at += record->size, record = (const void *)at) {
    enum { DATA_ABORT = 0x24 };
    uint64_t syndrome = record->magic == ESR_MAGIC ? ((const struct esr_context *)record)->esr : 0;
    if (syndrome >> 26 == DATA_ABORT) return syndrome >> 6 & 1;
  }
  return -1;
}
#endif

/* printf straight to descriptor 1, one write per call. Keeps errno. */
__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...) {
  int saved = errno;
  char text[4096];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  CHECK(length >= 0 && length < (int)sizeof text);
  for (int done = 0; done < length;) {
    ssize_t n = write(1, text + done, length - done);
    CHECK(n > 0 || (n < 0 && errno == EINTR));
    if (n > 0) done += n;
  }
  errno = saved;
}

/* "ok" for a result that is not negative, else the name of errno. */
static inline const char *outcome(long result) {
  return result >= 0 ? "ok" : strerrorname_np(errno);
}

static inline void handle(int sig, void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  CHECK(sigaction(sig, &action, NULL) == 0);
}

/* Blocks (how = SIG_BLOCK) or unblocks (SIG_UNBLOCK) one signal in this thread. */
static inline void mask_one(int how, int sig) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, sig);
  CHECK(sigprocmask(how, &set, NULL) == 0);
}

static inline int is_blocked(int sig) {
  sigset_t set;
  CHECK(sigprocmask(SIG_BLOCK, NULL, &set) == 0);
  return sigismember(&set, sig);
}

static inline int is_pending(int sig) {
  sigset_t set;
  CHECK(sigpending(&set) == 0);
  return sigismember(&set, sig);
}

/* SIGALRM every `microseconds` of wall-clock time until called with 0. */
static inline void tick_every(int microseconds) {
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

/* Waits for `pid` whatever handlers run meanwhile; returns its wait status. */
static inline int reap(pid_t pid) {
  int status;
  pid_t got;
  while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR) continue;
  CHECK(got == pid);
  return status;
}

static inline void say_status(const char *what, int status) {
  if (WIFEXITED(status))
    say("%s: exit %d\n", what, WEXITSTATUS(status));
  else if (WIFSIGNALED(status))
    say("%s: killed by SIG%s\n", what, sigabbrev_np(WTERMSIG(status)));
  else if (WIFSTOPPED(status))
    say("%s: stopped by SIG%s\n", what, sigabbrev_np(WSTOPSIG(status)));
  else
    say("%s: continued %d\n", what, WIFCONTINUED(status));
}

/* A fatal signal must not leave a core file behind. */
static inline void no_core(void) {
  struct rlimit none = {0, 0};
  CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
}

/* An open, already unlinked file for reading and writing. */
static inline int scratch_file(void) {
  char name[] = "/tmp/check-XXXXXX";
  int fd = mkstemp(name);
  CHECK(fd >= 0);
  CHECK(unlink(name) == 0);
  return fd;
}

#endif
