/* takeover.c: a program for tests/cli/hostile.sh that takes the engine over when it is replayed, and then tries to get out.
 *
 * It is recorded with HOSTILE 0, when it only says hello, and replayed with the same code but HOSTILE 1. It fills the code cache, which lies
 * at a known address of its own address space, with instructions that lead to a few of its own, executed by the processor itself:
 * these make the program's own text executable and go there. From then on nobody is between it and the kernel. It makes every call
 * that would do something outside and tells which of them were not refused.
 *
 * A test must do no harm when what it tests fails: files are those of the current folder, signals are of the kind that nobody heeds, and
 * calls that could change the machine have arguments that make no sense. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define ENGINE 0x680000000000UL
static volatile int hostile = HOSTILE;
static volatile char others[4 << 20] __attribute__((aligned(4096)));
__attribute__((used)) static char stack[65536] __attribute__((aligned(16)));

static long call(long nr, long a, long b, long c, long d, long e, long f) {
#if defined(__aarch64__)
  register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                   x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  long result = nr;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#endif
}

static void say(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  call(SYS_write, 1, (long)text, (long)length, 0, 0, 0);
}

static unsigned tried, escaped;

/* Whatever is refused is refused with EPERM, or was not there to begin with. */
static void attempt(const char *name, long nr, long a, long b, long c, long d, long e, long f) {
  long result = call(nr, a, b, c, d, e, f);
  tried++;
  if (result == -1) return;
  escaped++;
  say("not refused: ");
  say(name);
  say("\n");
}
#define TRY(nr, a, b, c, d, e, f)                                                                      \
  attempt(#nr " " #a ", " #b ", " #c, SYS_##nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), \
          (long)(f))

__attribute__((used)) static void evil(void) {
  static const char made[] = "made", read[] = "secret", empty[] = "", none[] = "/none/none",
                    memory[] = "/proc/self/mem", maps[] = "/proc/self/maps";
  static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "none"};
  static const char *const arguments[] = {none, NULL};
  static long words[64];
  long parent = PARENT; /* of the test, which knows it */
  TRY(openat, AT_FDCWD, made, O_CREAT | O_RDWR, 0666, 0, 0);
  TRY(openat, AT_FDCWD, read, O_RDONLY, 0, 0, 0);
  TRY(openat, AT_FDCWD, read, O_RDONLY | O_CLOEXEC, 0, 0, 0);
  TRY(openat, AT_FDCWD, memory, O_RDWR, 0, 0, 0);
  TRY(openat, AT_FDCWD, maps, O_RDONLY | O_CLOEXEC, 0, 0, 0);
  TRY(statx, AT_FDCWD, read, 0, 0, words, 0);
  TRY(statx, AT_FDCWD, read, AT_EMPTY_PATH, 0, words, 0);
  TRY(mkdirat, AT_FDCWD, "folder", 0777, 0, 0, 0);
  TRY(mknodat, AT_FDCWD, "pipe", 0010666, 0, 0, 0);
  TRY(unlinkat, AT_FDCWD, made, 0, 0, 0, 0);
  TRY(symlinkat, read, AT_FDCWD, "link", 0, 0, 0);
  TRY(linkat, AT_FDCWD, read, AT_FDCWD, "hard", 0, 0);
  TRY(renameat2, AT_FDCWD, "link", AT_FDCWD, "moved", 0, 0);
  TRY(fchmodat, AT_FDCWD, made, 0777, 0, 0, 0);
  TRY(fchownat, AT_FDCWD, made, -1, -1, 0, 0);
  TRY(utimensat, AT_FDCWD, read, 0, 0, 0, 0);
  TRY(truncate, made, 0, 0, 0, 0, 0);
  TRY(readlinkat, AT_FDCWD, "/proc/self/exe", words, sizeof words, 0, 0);
  TRY(faccessat, AT_FDCWD, read, 0, 0, 0, 0);
  TRY(chdir, none, 0, 0, 0, 0, 0);
  TRY(chroot, none, 0, 0, 0, 0, 0);
  TRY(mount, 1, 1, 1, 0, 0, 0);
  TRY(socket, AF_INET, SOCK_STREAM, 0, 0, 0, 0);
  TRY(socket, AF_UNIX, SOCK_STREAM, 0, 0, 0, 0);
  TRY(socketpair, AF_UNIX, SOCK_STREAM, 0, words, 0, 0);
  TRY(connect, 1, &address, sizeof address, 0, 0, 0);
  TRY(sendto, 1, made, 1, 0, 0, 0);
  TRY(sendmsg, 1, words, 0, 0, 0, 0);
  TRY(kill, parent, SIGURG, 0, 0, 0, 0);
  TRY(tkill, parent, SIGURG, 0, 0, 0, 0);
  TRY(tgkill, parent, parent, SIGURG, 0, 0, 0);
  TRY(rt_sigqueueinfo, parent, SIGURG, words, 0, 0, 0);
  TRY(rt_tgsigqueueinfo, parent, parent, SIGURG, words, 0, 0);
  TRY(pidfd_open, parent, 0, 0, 0, 0, 0);
  TRY(ptrace, PTRACE_SEIZE, 0x7fffffff, 0, 0, 0, 0);
  TRY(process_vm_readv, parent, words, 0, words, 0, 0);
  TRY(process_vm_writev, parent, words, 0, words, 0, 0);
  TRY(execve, none, arguments, arguments + 1, 0, 0, 0);
  TRY(execveat, AT_FDCWD, none, arguments, arguments + 1, 0, 0);
  TRY(execveat, AT_FDCWD, empty, arguments, arguments + 1, AT_EMPTY_PATH, 0);
  TRY(clone3, words, 88, 0, 0, 0, 0);
  TRY(clone, CLONE_NEWUSER | CLONE_THREAD, 0, 0, 0, 0, 0);
  TRY(clone, CLONE_SIGHAND | SIGKILL, 0, 0, 0, 0, 0);
  TRY(unshare, CLONE_THREAD | CLONE_NEWUSER, 0, 0, 0, 0, 0);
  TRY(setns, 1, 0, 0, 0, 0, 0);
  TRY(bpf, 1 << 20, 0, 0, 0, 0, 0);
  TRY(perf_event_open, 1, 0, 0, 0, 0, 0);
  TRY(userfaultfd, -1, 0, 0, 0, 0, 0);
  TRY(io_uring_setup, 1, 1, 0, 0, 0, 0);
  TRY(inotify_init1, 0, 0, 0, 0, 0, 0);
  TRY(shmget, 1, 0, 0, 0, 0, 0);
  TRY(msgget, 1, 0, 0, 0, 0, 0);
  TRY(semget, 1, 1, 0, 0, 0, 0);
  TRY(mq_open, 1, 0, 0, 0, 0, 0);
  TRY(keyctl, 1 << 20, 0, 0, 0, 0, 0);
  TRY(timer_create, 0, 0, words, 0, 0, 0);
  TRY(setitimer, 0, 1, 0, 0, 0, 0);
  TRY(setpgid, 0x7fffffff, 0, 0, 0, 0, 0);
  TRY(getsid, 0, 0, 0, 0, 0, 0);
  TRY(sethostname, 1, 1, 0, 0, 0, 0);
  TRY(prlimit64, parent, 0, 0, words, 0, 0);
  TRY(sched_setaffinity, parent, 8, 1, 0, 0, 0);
  TRY(sched_getaffinity, parent, 128, words, 0, 0, 0);
  TRY(prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0, 0);
  TRY(prctl, PR_SET_PTRACER, 0, 0, 0, 0, 0);
  TRY(ioctl, 1, 0x5401, words, 0, 0, 0);
  TRY(fcntl, 1, F_SETFL, O_APPEND, 0, 0, 0);
  TRY(fcntl, 1, F_SETOWN, 0, 0, 0, 0);
  TRY(fcntl, 1, F_DUPFD, 10, 0, 0, 0);
  TRY(dup, 1, 0, 0, 0, 0, 0);
  TRY(read, 0, words, 1, 0, 0, 0);
  TRY(read, 1, words, 1, 0, 0, 0);
  TRY(pread64, 2, words, 1, 0, 0, 0);
  TRY(ftruncate, 0, 0, 0, 0, 0, 0);
  TRY(fsync, 1, 0, 0, 0, 0, 0);
  TRY(sendfile, 1, 0, 0, 1, 0, 0);
  TRY(splice, 0, 0, 1, 0, 1, 0);
  TRY(mmap, 0, 4096, PROT_READ, MAP_PRIVATE, 1, 0);
  TRY(mmap, 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TRY(mprotect, others, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0);
  /* The engine's own code, by which the filter knows the names that it lets through. */
  TRY(mprotect, ENGINE, 4096, PROT_READ, 0, 0, 0);
  TRY(mprotect, ENGINE - 4096, 8192, PROT_READ | PROT_WRITE, 0, 0, 0);
  TRY(munmap, ENGINE - (1UL << 33), (1UL << 33) + 4096, 0, 0, 0, 0);
  TRY(munmap, ENGINE + 4096, -4096, 0, 0, 0, 0);
  TRY(mmap, ENGINE, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  TRY(mremap, others, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, ENGINE, 0);
  TRY(mremap, ENGINE, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, 0x10000000000, 0);
  TRY(madvise, ENGINE, 4096, MADV_DONTNEED, 0, 0, 0);
  TRY(brk, 0, 0, 0, 0, 0, 0);
  say(tried > 80 ? "tried all; " : "tried some; ");
  say(escaped ? "escaped\n" : "nothing done\n");
  call(SYS_exit_group, 77, 0, 0, 0, 0, 0);
}

/* Executed by the processor, somewhere else. */
extern const char payload[], payload_end[];
#if defined(__aarch64__)
__asm__(
    ".globl payload, payload_end\n.text\n.balign 16\npayload:\n"
    "ldr x9, 1f\nmov sp, x9\nldr x0, 2f\nldr x1, 3f\nsub x1, x1, x0\nmov x2, #5\nmov x8, #226\nsvc #0\nldr "
    "x9, 4f\nbr x9\n"
    ".balign 8\n1: .quad stack + 65536\n2: .quad __executable_start\n3: .quad etext\n"
    "4: .quad evil\npayload_end:\n.zero 16\n");
static void fill(uintptr_t from, uintptr_t to) {
  for (uintptr_t at = to; at > from; at -= 4) *(volatile uint32_t *)(at - 4) = 0xd503201f;
}
#else
__asm__(
    ".globl payload, payload_end\n.text\n.balign 16\npayload:\n"
    "movabs $stack + 65536, %rsp\nmovabs $__executable_start, %rdi\nmovabs $etext, %rsi\nsub %rdi, %rsi\n"
    "mov $5, %edx\nmov $10, %eax\nsyscall\nmovabs $evil, %rax\njmp *%rax\npayload_end:\n.zero 16\n");
static void fill(uintptr_t from, uintptr_t to) {
  for (uintptr_t at = to; at > from; at -= 8) *(volatile uint64_t *)(at - 8) = 0x9090909090909090;
}
#endif

static void take_over(void) {
  enum { CACHE = 1 << 20 };
  uintptr_t base = VIEW, end = base + CACHE;
  for (size_t i = 0; i < (size_t)(payload_end - payload); i++) ((volatile char *)end)[i] = payload[i];
  /* Out of the data cache, for the processor to fetch: the engine does not do it for the program. */
  for (size_t i = 0; i < sizeof others; i += 16) others[i]++;
  fill(base, end); /* backwards: whatever is overwritten already leads to the payload */
}

int main(void) {
  if (hostile) take_over();
  return puts("hello") < 0;
}
