/* Standard output and error under other names: received over a socket, fetched from a process, opened again by their paths; copied, kept over
 * an execve, and closed. What was shown in the recording is shown in replay. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "sys_helpers.h"

static void put(int fd, const char *text) {
  CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static void pass(int socket, int *fds, int count) {
  char control[CMSG_SPACE(2 * sizeof(int))] = {0};
  struct iovec part = {"F", 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * count);
  memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
  CHECK(sendmsg(socket, &message, 0) == 1);
}

static void receive(int socket, int fds[2]) {
  char control[CMSG_SPACE(2 * sizeof(int))] = {0}, byte;
  struct iovec part = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  CHECK(recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  CHECK(header && header->cmsg_len == CMSG_LEN(2 * sizeof(int)));
  memcpy(fds, CMSG_DATA(header), 2 * sizeof(int));
}

/* A process that has closed its own gets its parent's. */
static void over_a_socket(void) {
  int pair[2], fds[2];
  CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
  pid_t child = fork();
  if (!child) {
    CHECK(!close(1) && !close(2));
    receive(pair[1], fds);
    put(fds[0], "received output\n");
    put(fds[1], "received error\n");
    _exit(0);
  }
  pass(pair[0], (int[]){1, 2}, 2);
  CHECK(reap(child) == 0);
}

static void by_pidfd(void) {
  int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
  CHECK(process >= 0);
  int fd = (int)syscall(SYS_pidfd_getfd, process, 1, 0);
  CHECK(fd >= 0);
  put(fd, "fetched output\n");
  CHECK(!close(fd) && !close(process));
}

static void by_path(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_APPEND);
  CHECK(fd >= 0);
  put(fd, text);
  int copy = dup(fd);
  CHECK(copy >= 0 && !close(fd));
  put(copy, "and its copy\n");
  CHECK(!close(copy));
}

/* Numbers that meant the output, and do not any more. */
static void not_shown(void) {
  int fd = open("/proc/self/fd/1", O_WRONLY | O_APPEND), null = open("/dev/null", O_WRONLY);
  CHECK(fd >= 0 && null >= 0 && dup2(null, fd) == fd);
  put(fd, "not shown\n");
  CHECK(!close(fd) && !close(null));
}

static void after_exec(char *self) {
  int fd = open("/dev/stderr", O_WRONLY | O_APPEND);
  char number[16];
  CHECK(fd >= 0);
  snprintf(number, sizeof number, "%d", fd);
  execl(self, self, number, (char *)NULL);
  CHECK(!"executed");
}

int main(int argc, char **argv) {
  if (argc > 1) {
    put(atoi(argv[1]), "kept over execve\n");
    return 3;
  }
  over_a_socket();
  by_pidfd();
  by_path("/proc/self/fd/1", "opened output\n");
  by_path("/dev/stdout", "the device\n");
  by_path("/dev/stderr", "the other device\n");
  not_shown();
  after_exec(argv[0]);
}
