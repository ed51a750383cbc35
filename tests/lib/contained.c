/* contained [--deny CALL[,CALL…] [--error ERROR]] COMMAND ARGS…: run a command where less is allowed than elsewhere.
 *
 * Without --deny: as an ordinary user without capabilities, in a user namespace of its own where there are any, under the rules that
 * Docker, Podman and Kubernetes (containerd, runc) give to a container that asks for nothing. The published profiles are lists of
 * what is allowed; of what the two architectures have, they lack what the table below names. Calls that are newer than the
 * profiles do not exist there. What a container has besides is not made here: other mounts, and namespaces of processes, networks and System V objects.
 *
 * With --deny: only the calls named fail, with ENOSYS as on a kernel that does not have them, or with the error named (EPERM, EACCES
 * or ENOSYS). Names that this architecture does not have are passed over. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

/* A call whose first argument decides: skips as many instructions if the call is another. */
static void judge(const char *name, unsigned char instructions) {
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number(name, strlen(name)), 0,
                                    (unsigned char)(instructions + 1)));
  load(offsetof(struct seccomp_data, args[0]));
}

static void default_rules(void) {
  for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) deny(denied[i], strlen(denied[i]), EPERM);
  deny("clone3", 6, ENOSYS); /* its flags can't be looked at: who gets this tries clone */
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1));
  answer(ENOSYS);
  judge("clone", 3);
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1));
  answer(EPERM);
  answer(0);
  judge("socket", 3);
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCKET_VIRTUAL_MACHINE, 0, 1));
  answer(EPERM);
  answer(0);
  const unsigned char count = sizeof personalities / sizeof *personalities;
  judge("personality", (unsigned char)(2 * count + 1));
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

/* In the namespace whoever calls is an ordinary user, who loses all capabilities with the next execve; files that are its own stay
 * its own. */
static void become_ordinary(void) {
  enum { USER = 1000 };
  char line[64];
  uid_t user = geteuid();
  gid_t group = getegid();
  if (unshare(CLONE_NEWUSER)) {
    if (user) return; /* an ordinary user already */
    fprintf(stderr, "contained: no user namespaces: %s\n", strerror(errno));
    exit(97);
  }
  write_file("/proc/self/setgroups", "deny");
  snprintf(line, sizeof line, "%d %u 1", USER, user);
  write_file("/proc/self/uid_map", line);
  snprintf(line, sizeof line, "%d %u 1", USER, group);
  write_file("/proc/self/gid_map", line);
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
    become_ordinary();
    default_rules();
  }
  answer(0);
  install();
  execvp(argv[i], argv + i);
  fprintf(stderr, "contained: %s: %s\n", argv[i], strerror(errno));
  return 127;
}
