/* accept, recv, recvmsg, send: EINTR or restart; never restarted when the socket has a timeout. */
#include "sig_interrupt.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

static int pair[2], listener;
static struct sockaddr_in address = {.sin_family = AF_INET};
static char buffer[256];

static long do_accept(void) {
  return accept(listener, NULL, NULL) >= 0 ? 0 : -1;
}
static long do_recv(void) {
  return recv(pair[0], buffer, sizeof buffer, 0);
}
static long do_recvmsg(void) {
  struct iovec part = {buffer, sizeof buffer};
  return recvmsg(pair[0], &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1}, 0);
}
static long do_send(void) {
  return send(pair[1], buffer, sizeof buffer, 0);
}

static void feed(void) {
  CHECK(send(pair[1], "hello", 5, 0) == 5);
}
static void connect_to_us(void) {
  int client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
}
static void drain(void) {
  while (recv(pair[0], (char[4096]){0}, 4096, MSG_DONTWAIT) > 0) continue;
}

int main(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  CHECK(bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 5) == 0);
  CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);

  interrupted("accept", 0, do_accept);
  interrupted("recv", 0, do_recv);
  interrupted("recvmsg", 0, do_recvmsg);
  restarted("accept", do_accept, connect_to_us);
  restarted("recv", do_recv, feed);
  restarted("recvmsg", do_recvmsg, feed);
  while (send(pair[1], buffer, sizeof buffer, MSG_DONTWAIT) > 0) continue;
  interrupted("send", 0, do_send);
  restarted("send", do_send, drain);
  drain();

  struct timeval minute = {60, 0};
  CHECK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute) == 0);
  interrupted("recv with SO_RCVTIMEO", 0, do_recv);
  interrupted("recv with SO_RCVTIMEO", SA_RESTART, do_recv);
  return 0;
}
