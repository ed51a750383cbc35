/* contained [--deny CALL[,CALL…] [--error ERROR]] COMMAND ARGS…: run a command where less is allowed than elsewhere.
 *
 * Without --deny: as an ordinary user without capabilities, under the rules that Docker, Podman and Kubernetes (containerd, runc) give to
 * a container that asks for nothing, and in namespaces as a container has them: users, mounts, processes, System V objects, a network
 * with nothing but the loopback, and the parts of /proc and /sys hidden or read-only that are so there, /dev/shm small and without
 * executable files. The published profiles are lists of what is allowed, all else is EPERM; of what the two architectures have, they lack
 * what the table below names. Calls that are newer than the profiles do not exist there. What a container has besides is not made
 * here: files of its own (those here belong to the user), limits of memory and processors. Where the kernel gives no namespace of
 * processes (in a container, say), it does without.
 *
 * With --deny: only the calls named fail, with ENOSYS as on a kernel that does not have them, or with the error named (EPERM, EACCES
 * or ENOSYS). Names that this architecture does not have are passed over. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every call of this architecture. */
static const struct {
  const char *name;
  unsigned nr;
} calls[] = {
#include "calls.h"
};

static const char *const denied[] = {
    /* mounts, namespaces, the whole machine */
    "mount",
    "umount2",
    "pivot_root",
    "fsopen",
    "fsmount",
    "fsconfig",
    "fspick",
    "open_tree",
    "move_mount",
    "mount_setattr",
    "unshare",
    "setns",
    "sethostname",
    "setdomainname",
    "reboot",
    "kexec_load",
    "kexec_file_load",
    "swapon",
    "swapoff",
    "quotactl",
    "quotactl_fd",
    "acct",
    "syslog",
    "vhangup",
    "init_module",
    "finit_module",
    "delete_module",
    "create_module",
    "query_module",
    "get_kernel_syms",
    "iopl",
    "ioperm",
    "nfsservctl",
    "clock_settime",
    "settimeofday",
    "fanotify_init",
    "open_by_handle_at",
    /* looking into the kernel and at other processes */
    "bpf",
    "perf_event_open",
    "lookup_dcookie",
    "kcmp",
    "pidfd_getfd",
    "process_madvise",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    /* keys, which no namespace holds apart; where memory lies */
    "add_key",
    "request_key",
    "keyctl",
    "get_mempolicy",
    "set_mempolicy",
    "set_mempolicy_home_node",
    "mbind",
    "migrate_pages",
    "move_pages",
    /* what nobody should use any more */
    "sysfs",
    "_sysctl",
    "uselib",
    "ustat",
    "vserver",
    "afs_syscall",
    "getpmsg",
    "putpmsg",
    "tuxcall",
    "security",
};
enum {
  NEWEST = 450,                /* the number of the newest call that the profiles know */
  NEW_NAMESPACES = 0x7e020000, /* flags of clone that make one */
  SOCKET_VIRTUAL_MACHINE = 40,
};
static const unsigned personalities[] = {0, 8, 0x20000, 0x20008, 0xffffffff};

static struct sock_filter code[1024];
static unsigned short length;

static void emit(struct sock_filter instruction) {
  if (length == sizeof code / sizeof *code) exit(98);
  code[length++] = instruction;
}

static void answer(unsigned error) {
  emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, error ? SECCOMP_RET_ERRNO | error : SECCOMP_RET_ALLOW));
}

static void load(size_t offset) {
  emit((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static long number(const char *name, size_t bytes) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (strlen(calls[i].name) == bytes && !memcmp(calls[i].name, name, bytes)) return calls[i].nr;
  return -1;
}

static void deny(const char *name, size_t bytes, unsigned error) {
  long nr = number(name, bytes);
  if (nr < 0) return;
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1));
  answer(error);
}

enum { LOWER = offsetof(struct seccomp_data, args[0]), UPPER = LOWER + 4 }; /* halves of the first argument */

/* A call whose first argument decides, of which a half is loaded: skips as many instructions if the call is another. */
static void judge(const char *name, size_t half, unsigned char instructions) {
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number(name, strlen(name)), 0,
                                    (unsigned char)(instructions + 1)));
  load(half);
}

static void default_rules(void) {
  for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) deny(denied[i], strlen(denied[i]), EPERM);
  deny("clone3", 6, ENOSYS); /* its flags can't be looked at: who gets this tries clone */
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1));
  answer(ENOSYS);
  judge("clone", LOWER, 3);
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1));
  answer(EPERM);
  answer(0);
  judge("socket", LOWER, 3);
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCKET_VIRTUAL_MACHINE, 0, 1));
  answer(EPERM);
  answer(0);
  const unsigned char count = sizeof personalities / sizeof *personalities;
  judge("personality", UPPER, (unsigned char)(2 * count + 4));
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
  answer(EPERM);
  load(LOWER);
  for (size_t i = 0; i < count; i++) {
    emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, personalities[i], 0, 1));
    answer(0);
  }
  answer(EPERM);
}

static void install(void) {
  const struct sock_fprog program = {length, code};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return;
  perror("contained: seccomp");
  exit(97);
}

static void write_file(const char *name, const char *text) {
  int fd = open(name, O_WRONLY);
  if (fd < 0 || write(fd, text, strlen(text)) < 0) perror(name);
  if (fd >= 0) close(fd);
}

/* What a container does not see of the machine, and what it may only read. */
static const char *const masked[] = {
    "/proc/acpi",        "/proc/asound",        "/proc/interrupts", "/proc/kcore",
    "/proc/keys",        "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats",
    "/proc/sched_debug", "/proc/scsi",          "/sys/firmware",    "/sys/devices/virtual/powercap",
};
static const char *const only_read[] = {"/proc/bus",           "/proc/fs", "/proc/irq", "/proc/sys",
                                        "/proc/sysrq-trigger", "/sys"};
enum { HARMLESS = MS_NOSUID | MS_NODEV | MS_NOEXEC };

static bool is_folder(const char *name) {
  struct stat status;
  return !stat(name, &status) && S_ISDIR(status.st_mode);
}

static bool hide(const char *name) {
  if (access(name, F_OK)) return true;
  return !(is_folder(name) ? mount("none", name, "tmpfs", HARMLESS | MS_RDONLY, NULL)
                           : mount("/dev/null", name, NULL, MS_BIND, NULL));
}

static bool protect(const char *name) {
  if (access(name, F_OK)) return true;
  return !mount(name, name, NULL, MS_BIND | MS_REC, NULL) &&
         !mount(NULL, name, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | HARMLESS, NULL);
}

static bool make_mounts(bool processes) {
  bool made = !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
              (!processes || !mount("proc", "/proc", "proc", HARMLESS, NULL));
  for (size_t i = 0; made && i < sizeof masked / sizeof *masked; i++) made = hide(masked[i]);
  for (size_t i = 0; made && i < sizeof only_read / sizeof *only_read; i++) made = protect(only_read[i]);
  return made &&
         (!is_folder("/dev/shm") || !mount("shm", "/dev/shm", "tmpfs", HARMLESS, "mode=1777,size=65536k"));
}

static void raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request)) perror("contained: lo");
  if (fd >= 0) close(fd);
}

/* In the namespace whoever calls is an ordinary user, who loses all capabilities with the next execve; files that are its own stay
 * its own. */
static bool become_ordinary(int namespaces) {
  enum { USER = 1000 };
  char line[64];
  uid_t user = geteuid();
  gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | namespaces)) return false;
  write_file("/proc/self/setgroups", "deny");
  snprintf(line, sizeof line, "%d %u 1", USER, user);
  write_file("/proc/self/uid_map", line);
  snprintf(line, sizeof line, "%d %u 1", USER, group);
  write_file("/proc/self/gid_map", line);
  return true;
}

static int status_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static pid_t inner; /* a process, or a group */

static void pass_on(int signal) {
  kill(inner, signal);
}

/* Until the process ends, whose status it returns; other children that end are orphans of the container. */
static int wait_for(pid_t process, pid_t signalled) {
  static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  inner = signalled;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], pass_on);
  for (;;) {
    int status;
    pid_t ended = wait(&status);
    if (ended == process) return status_of(status);
    if (ended < 0 && errno != EINTR) return 97;
  }
}

static pid_t forked(void) {
  pid_t child = fork();
  if (child >= 0) return child;
  perror("contained: fork");
  exit(97);
}

static bool enter(int namespaces) {
  if (!become_ordinary(namespaces)) return false;
  raise_loopback();
  if (!(namespaces & CLONE_NEWPID)) return make_mounts(false);
  pid_t first = forked();
  if (first) exit(wait_for(first, first));
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* and with the first process end all others of its namespace */
  return make_mounts(true);
}

static bool possible(int namespaces) {
  pid_t child = forked();
  if (!child) {
    if (!freopen("/dev/null", "w", stderr)) _exit(1);
    _exit(!enter(namespaces));
  }
  int status;
  return waitpid(child, &status, 0) == child && !status;
}

/* The command is not the first process, which signals do not end, but in a session of the container. */
static void start_container(void) {
  const int namespaces = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET;
  bool processes = possible(namespaces | CLONE_NEWPID);
  if (!enter(namespaces | (processes ? CLONE_NEWPID : 0))) {
    fprintf(stderr, "contained: no namespaces: %s\n", strerror(errno));
    exit(97);
  }
  if (!processes) return;
  setsid();
  pid_t command = forked();
  if (command) exit(wait_for(command, -command));
  setpgid(0, 0);
}

static unsigned error_named(const char *name) {
  return !strcmp(name, "EPERM") ? EPERM : !strcmp(name, "EACCES") ? EACCES : ENOSYS;
}

int main(int argc, char **argv) {
  char *names = NULL;
  unsigned error = ENOSYS;
  int i = 1;
  for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
    if (!strcmp(argv[i], "--deny"))
      names = argv[i + 1];
    else if (!strcmp(argv[i], "--error"))
      error = error_named(argv[i + 1]);
    else
      break;
  }
  if (i >= argc || argv[i][0] == '-') {
    fprintf(stderr, "usage: contained [--deny CALL[,CALL…] [--error ERROR]] COMMAND ARGS…\n");
    return 2;
  }
  load(offsetof(struct seccomp_data, nr));
  for (char *name = names; name && *name;) {
    size_t bytes = strcspn(name, ",");
    deny(name, bytes, error);
    name += bytes + (name[bytes] == ',');
  }
  if (!names) {
    start_container();
    default_rules();
  }
  answer(0);
  install();
  execvp(argv[i], argv + i);
  fprintf(stderr, "contained: %s: %s\n", argv[i], strerror(errno));
  return 127;
}
