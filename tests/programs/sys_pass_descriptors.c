/* Unix sockets: SCM_RIGHTS between processes, credentials, truncation of control data, peer ids, packet
 * borders. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <sys/socket.h>

static void send_fds(int socket, int *fds, int count) {
  char control[CMSG_SPACE(sizeof(int) * 4)] = {0};
  struct iovec part = {"F", 1};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control,
                           .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS,
  header->cmsg_len = CMSG_LEN(sizeof(int) * count);
  memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
  CHECK(sendmsg(socket, &message, 0) == 1);
}

static int receive_fds(int socket, int *fds, size_t room, int flags) {
  char control[CMSG_SPACE(sizeof(int) * 4)] = {0}, byte = 0;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = room};
  CHECK(recvmsg(socket, &message, flags) == 1 && byte == 'F');
  int count = 0;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS) {
    count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(fds, CMSG_DATA(header), count * sizeof(int));
  }
  say("received %d truncated %d\n", count, (message.msg_flags & MSG_CTRUNC) != 0);
  return count;
}

int main(void) {
  int pair[2], ends[2], fds[4] = {-1, -1, -1, -1};
  char text[32] = "";
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0 && pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    int file = scratch_file();
    CHECK(write(file, "in the child's file", 19) == 19 && lseek(file, 3, SEEK_SET) == 3);
    send_fds(pair[1], (int[]){file, ends[1]}, 2);
    send_fds(pair[1], (int[]){file, ends[1], file}, 3);
    CHECK(write(ends[1], "pipe", 4) == 4 && send(pair[1], "first", 5, 0) == 5 &&
          send(pair[1], "second", 6, 0) == 6);
    _exit(0);
  }
  CHECK(reap(child) == 0);
  CHECK(receive_fds(pair[0], fds, CMSG_SPACE(sizeof(int) * 2), MSG_CMSG_CLOEXEC) == 2);
  ssize_t n = read(fds[0], text, 31);
  say("file at its offset: %zd %s, close-on-exec %d\n", n, text, fcntl(fds[0], F_GETFD));
  say("passed pipe end: %s, can write %d\n", outcome(fcntl(fds[1], F_GETFD)),
      (fcntl(fds[1], F_GETFL) & O_ACCMODE) == O_WRONLY);
  receive_fds(pair[0], fds, CMSG_LEN(sizeof(int)), 0);
  memset(text, 0, sizeof text);
  n = recv(pair[0], text, 3, 0);
  say("packet cut: %zd %s", n, text);
  memset(text, 0, sizeof text);
  n = recv(pair[0], text, 31, 0);
  say(", next: %zd %s\n", n, text);
  struct ucred peer;
  socklen_t length = sizeof peer;
  CHECK(getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0);
  say("peer is this process %d uid %d\n", peer.pid == getpid(), peer.uid == getuid());
  return 0;
}
