/* connection.c: waits for one client, and opens a recording for it. */
#include "debug/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "debug/server.h"

enum { FAILED = 125 };

/* One connection, at a port of the loopback interface; -1 with errno. */
static int accept_client(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)(port < 0 ? 0 : port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1)) return -1;
  if (port < 0 && !getsockname(listener, (struct sockaddr *)&address, &size))
    fprintf(stderr, "reprise: listening at 127.0.0.1:%d\n", ntohs(address.sin_port));
  int client;
  do client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  while (client < 0 && errno == EINTR);
  int error = errno;
  close(listener);
  errno = error;
  if (client >= 0) setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return client;
}

int serve_recording(const char *path, const struct serve_options *options) {
  int port = options->port;
  static struct server server;
  struct session *session = &server.session;
  session->confined = options->confined;
  session->apart = options->apart;
  signal(SIGPIPE, SIG_IGN);
  if (!port) signal(SIGINT, SIG_IGN); /* which the terminal sends to all when the client is to interrupt us */
  server.in = STDIN_FILENO;
  server.out = STDOUT_FILENO;
  if (!port) server_prepare(&server);
  int status = session_open(session, path, options->at);
  if (status) return status;
  if (session->gone) return session_close(session), 0;
  server.arrived = TRAVEL_STOPPED;
  processes_begin(&server);
  if (port) {
    server.in = server.out = accept_client(port);
    if (server.in < 0) {
      fprintf(stderr, "reprise: can't listen: %s\n", strerror(errno));
      session_close(session);
      return FAILED;
    }
  }
  status = server_run(&server);
  session_close(session);
  return status;
}
