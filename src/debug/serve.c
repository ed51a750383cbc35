/* serve.c: opens a recording for one client. */
#include "debug/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "debug/description.h"
#include "debug/server.h"
#include "recording/plain.h"

enum { USAGE = 2, DAMAGED = 121, FAILED = 125 };

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

static int complain(int status, const char *what, const char *why) {
  fputs("reprise: ", stderr);
  plain_write(stderr, what);
  fprintf(stderr, "%s%s\n", *why ? ": " : "", why);
  return status;
}

/* A replay that has ended before it stood anywhere has told why itself. */
static int begin(struct server *server, const char *at) {
  struct session *session = &server->session;
  struct place place;
  server->arrived = session_begin(session);
  if (server->arrived == TRAVEL_OVER) return FAILED;
  if (server->arrived != TRAVEL_STOPPED)
    return complain(FAILED, "no replay could be started", strerror(errno));
  if (!at) return 0;
  if (!place_parse(at, &place)) return complain(USAGE, at, "this is no moment");
  server->arrived = travel_to_place(session, &place);
  if (server->arrived == TRAVEL_STOPPED) return 0;
  session_end(session);
  return complain(FAILED, at, "the recording has no such moment");
}

int serve_recording(const char *path, const struct serve_options *options) {
  int port = options->port;
  static struct server server;
  struct recording_error error;
  struct session *session = &server.session;
  session->path = path;
  session->confined = options->confined;
  session->apart = options->apart;
  session->client = -1;
  session->settings.magic = ENGINE_CONFIG_MAGIC;
  if (recording_open(path, 0, &session->reader, &error))
    return complain(error.kind == RECORDING_SYSTEM || error.kind == RECORDING_ABSENT ? FAILED : DAMAGED,
                    error.text, "");
  if (!description_choose(recording_get(session->reader, "architecture", 0)))
    return complain(DAMAGED, path, "recorded on a machine that can't be debugged here");
  /* Memory that is open holds what the last thread there has seen. */
  if (recording_get(session->reader, "values", 0))
    return complain(FAILED, path, "recorded with --values, which can't be debugged yet");
  signal(SIGPIPE, SIG_IGN);
  if (!port) signal(SIGINT, SIG_IGN); /* which the terminal sends to all when the client is to interrupt us */
  server.in = STDIN_FILENO;
  server.out = STDOUT_FILENO;
  int status = begin(&server, options->at);
  if (status) return status;
  if (port) {
    server.in = server.out = accept_client(port);
    if (server.in < 0) {
      session_end(session);
      return complain(FAILED, "can't listen", strerror(errno));
    }
  }
  status = server_run(&server);
  recording_reader_close(session->reader);
  return status;
}
