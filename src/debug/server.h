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
  struct process_ids {
    uint32_t count;
    int32_t list[DEBUG_CHOSEN];
  } untold,        /* they lived when the session began: the client is told of them */
      let_go,      /* the client was told their births, and does not want to see them */
      programless; /* of those that were untold: the client does not know whether they have other programs */
  struct packet_reader reader;
  struct reply reply;
  struct thread_name general, continued;
  enum travel arrived; /* how the last travel ended */
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
  uint8_t early[PACKET_MAX]; /* what the client has sent while the recording was opened */
  size_t early_count;
};

/* The client is looked at while the recording is opened; session->gone: it is gone. */
void server_prepare(struct server *server);
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

/* processes.c: which processes the client knows. At first that in which the replay stands. */
void processes_begin(struct server *server);
/* The client is told of the birth; lets it go. */
void processes_born(struct server *server, int32_t pid);
void processes_let_go(struct server *server, int32_t pid);
/* The end of the process, as the reply: W or X. */
void processes_tell_gone(struct server *server, const char *how, int status, int32_t pid);
/* Another one than this that the client knows is there. */
bool processes_have_others(const struct server *server, int32_t pid);
/* A process that is not there any more where the replay has leapt, or has gone back: the client is told its end before anything else, one at a time. One process stays. */
bool processes_tell_lost(struct server *server);
/* One that the client was not told of yet is told before the replay goes on or steps; slot: of the thread that the client takes for the parent. */
bool processes_tell_untold(struct server *server, uint32_t slot, bool steps);
/* Any that the client knows is there; the R-thread of them that was born first. */
bool processes_live(const struct server *server);
uint32_t processes_oldest(const struct server *server);
/* What a travel back has led to: where it is a beginning at which none of them was born yet, the replay goes on to the first instruction of the oldest thread. */
enum travel processes_return(struct server *server, enum travel result, uint32_t oldest);
/* On the way back: true if the client is to be told of the hit. */
bool processes_concern(const struct server *server);
/* queries.c: q and Q packets; false: not known. */
bool query_answer(struct server *server, const char *packet);
/* files.c: vFile packets. */
void files_answer(struct server *server, const char *packet);
void files_close(struct server *server);
/* monitor.c: `monitor` commands. Text for the user, allocated. */
char *command_perform(struct server *server, const char *line);

#endif
