/* TCP and UDP over the loopback: connect, accept, half-close, shutdown, reset, refused, options, peer
 * names. */
#include "sys_helpers.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

static struct sockaddr_in local(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int main(void) {
  struct sockaddr_in address = local(0), peer;
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  CHECK(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0);
  CHECK(bind(listener, (void *)&address, length) == 0 && listen(listener, 4) == 0);
  CHECK(getsockname(listener, (void *)&address, &length) == 0);
  pid_t child = fork();
  if (child == 0) {
    int client = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(client, (void *)&address, sizeof address) == 0);
    static char block[100000], reply[64];
    for (unsigned i = 0; i < sizeof block; i++) block[i] = i * 13;
    for (size_t sent = 0; sent < sizeof block;) sent += send(client, block + sent, sizeof block - sent, 0);
    CHECK(shutdown(client, SHUT_WR) == 0);
    ssize_t n = recv(client, reply, sizeof reply, MSG_WAITALL);
    say("client got %zd %s\n", n, reply);
    _exit(0);
  }
  int server = accept4(listener, (void *)&peer, &length, SOCK_CLOEXEC);
  CHECK(server >= 0);
  say("peer is loopback %d, other port %d\n", peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK),
      peer.sin_port != address.sin_port);
  static char block[4096];
  long total = 0, wrong = 0;
  for (ssize_t n; (n = recv(server, block, sizeof block, 0)) > 0;)
    for (ssize_t i = 0; i < n; i++) wrong += block[i] != (char)(total++ * 13);
  say("received %ld wrong %ld\n", total, wrong);
  CHECK(setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0 &&
        send(server, "answer", 7, 0) == 7);
  CHECK(close(server) == 0 && reap(child) == 0 && close(listener) == 0);
  int client = socket(AF_INET, SOCK_STREAM, 0),
      idle = socket(AF_INET, SOCK_STREAM, 0); /* bound, never listening */
  address = local(0);
  length = sizeof address;
  CHECK(bind(idle, (void *)&address, length) == 0 && getsockname(idle, (void *)&address, &length) == 0);
  say("refused: %s\n", outcome(connect(client, (void *)&address, sizeof address)));
  say("not connected: %s, accept on it: %s\n", outcome(send(client, "x", 1, MSG_NOSIGNAL)),
      outcome(accept(client, NULL, NULL)));
  int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in there = local(0);
  length = sizeof there;
  CHECK(bind(b, (void *)&there, length) == 0 && getsockname(b, (void *)&there, &length) == 0);
  say("no datagram: %s\n", outcome(recv(b, block, 10, 0)));
  CHECK(sendto(a, "datagram", 8, 0, (void *)&there, length) == 8 &&
        sendto(a, "", 0, 0, (void *)&there, length) == 0);
  CHECK(poll(&(struct pollfd){b, POLLIN, 0}, 1, 5000) == 1);
  say("cut to %zd of", recv(b, block, 4, MSG_PEEK));
  say(" %zd,", recv(b, block, 4, MSG_TRUNC));
  say(" empty one %zd\n", recv(b, block, 4, 0));
  int type = 0;
  length = sizeof type;
  CHECK(getsockopt(b, SOL_SOCKET, SO_TYPE, &type, &length) == 0);
  say("type %d, bad option: %s, bad family: %s\n", type,
      outcome(setsockopt(b, SOL_SOCKET, 9999, &one, sizeof one)), outcome(socket(999, SOCK_STREAM, 0)));
  return 0;
}
