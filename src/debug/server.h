/* server.h: the remote protocol of gdb (server.c), and the parts that answer it. */
#ifndef REPRISE_DEBUG_SERVER_H
#define REPRISE_DEBUG_SERVER_H

#include "debug/framing.h"
#include "debug/session.h"

enum { SERVER_FILES = 16, SERVER_SYMBOL_TRIES = 2 };

/* A file that the client has opened: of the recording, of this machine, or made up. */
struct served_file {
  bool open;
  int fd; /* -1: the bytes are here: */
  char *bytes;
  size_t count;
};

struct thread_name {
  int32_t pid, tid; /* 0: any; -1: all */
};

struct server {
  struct session session;
  int in, out;
  bool acknowledges;
  bool over, gone; /* gone: nothing can be written to the client any more */
  bool multiprocess, tells_forks, tells_programs, tells_breaks;
  int32_t
      known[DEBUG_DETACHED]; /* recorded ids of processes whose births, but not ends, the client was told */
  uint32_t known_count;
  struct packet_reader reader;
  struct reply reply;
  struct thread_name general, continued;
  enum travel arrived; /* how the last travel ended */
  bool at_end;         /* the client was told that the recording ends here */
  bool backwards;      /* the last travel was */
  bool asked;          /* the client asks why the replay has stopped */
  bool
      interrupted; /* the client wanted a stop when the replay had stopped already: it does not know that yet, and may resume it */
  bool told_diversion; /* the client knows that calls happen in diversions */
  bool moved;          /* by a command: the next reverse-continue only tells where it stands */
  bool leapt; /* the last travel did not only lead forwards, past all that the client wants to know */
  struct served_file files[SERVER_FILES];
  uint64_t module_offset; /* of l_tls_modid in a link_map, 0: not known (glibc) */
  char *xfer;             /* an object that is being read by parts */
  size_t xfer_count;
  char xfer_name[256];
};

/* Serves one client until it is gone: 0, or a status. */
int server_run(struct server *server);

/* -- signals.c: Linux's numbers and the protocol's ------------------------------------------------------------------------- */

int signal_for_client(int signo);
int signal_of_client(int number);

/* -- For the parts ----------------------------------------------------------------------------------------------------------- */

/* The slot of the thread that the client has chosen, -1: it is not there. */
int server_slot(struct server *server);
void server_error(struct server *server, int number, const char *text);
const char *server_parse_thread(const char *text, struct thread_name *name);
void server_name_thread(struct server *server, uint32_t slot);
/* The replay has come to another place: tells the client where and why. */
void server_tell_stop(struct server *server);

/* queries.c: q and Q packets; false: not known. */
bool query_answer(struct server *server, const char *packet);
/* files.c: vFile packets. */
void files_answer(struct server *server, const char *packet);
void files_close(struct server *server);
/* monitor.c: `monitor` commands. Text for the user, allocated. */
char *command_perform(struct server *server, const char *line);

#endif
