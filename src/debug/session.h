/* session.h: a debugged recording: where the replay stands, and the ways to go elsewhere.
 *
 * travel.c goes forwards and backwards, target.c reads threads and memory where the replay stands, moments.c has the names of moments. No part of
 * it knows a protocol: server.c speaks the debugger's. */
#ifndef REPRISE_DEBUG_SESSION_H
#define REPRISE_DEBUG_SESSION_H

#include <stdio.h>

#include "debug/run.h"
#include "recording/recording.h"
#include "travel/stored.h"

struct session {
  const char *path;
  bool confined;
  int apart; /* milliseconds between checkpoints, -1: as usual */
  struct engine_config settings;
  struct recording_reader *reader;
  struct stored stored; /* images in it */
  struct run run;
  struct debug_stop stop; /* where it stands, and why */
  struct debug_stop
      other;         /* a hit at the same moment, which comes next on the way back; DEBUG_NOTHING: none */
  uint64_t shown[2]; /* bytes of the program's output that were shown so far, in whichever run */
  int client;        /* a descriptor that is looked at while the replay runs, -1: none */
  /* There is something to read from the client. False: the client is gone. */
  bool (*attend)(struct session *session);
  run_shows *shows;
  void *context; /* of both */
  bool gone;     /* the client is */

  /* A diversion (diversion.c), if pid is not 0. */
  struct {
    pid_t pid;
    int32_t process;                 /* recorded id of the process that it is a copy of … */
    uint32_t slot;                   /* … and the thread of it whose registers the client has changed … */
    uint8_t before[DEBUG_REGISTERS]; /* … what they were before that … */
    uint32_t running; /* … and the thread that ran last: it has the registers in the region */
    struct diverted_thread {
      uint32_t slot;
      uint8_t registers[DEBUG_REGISTERS];
    } * others; /* threads that have run besides */
    size_t other_count;
    bool is_written; /* memory, since it last ran */
  } diversion;

  /* Breakpoints, watchpoints and catchpoints. */
  struct debug_break breaks[DEBUG_BREAKS];
  struct debug_watch watches[DEBUG_WATCHES];
  uint64_t seams[DEBUG_BREAKS];             /* where breaks are, or have been … */
  struct debug_watch guards[DEBUG_WATCHES]; /* … and watches */
  uint32_t break_count, watch_count, seam_count, guard_count, chosen_count;
  uint32_t generation;          /* of seams and guards */
  bool has_chosen;              /* only these processes are shown to the client: */
  int32_t chosen[DEBUG_CHOSEN]; /* recorded ids */
  uint64_t passed_signals;
  bool catches_calls, catches_processes;
  uint64_t caught_calls[DEBUG_CALLS / 64];
};

/* -- opening.c --------------------------------------------------------------------------------------------------------------- */

/* Opens a recording, starts the replay and goes to a place; NULL: it stands at its beginning, or at the end of what a flight recorder has stored. What the caller may
 * have set: confined, apart, shows, and client, attend and context, so that it learns that the client is gone meanwhile. 0, or the exit status, after one line on standard error. */
int session_open(struct session *session, const char *path, const char *at);
void session_close(struct session *session);
/* Whether the replay stands where it could not go on, because it has diverged, for instance: the exit status, after one line, or 0. */
int session_verdict(const struct session *session);

/* -- travel.c ---------------------------------------------------------------------------------------------------------------- */

enum travel {
  TRAVEL_STOPPED, /* session->stop says where */
  TRAVEL_BEGIN,   /* there is nothing before; it stands at the beginning */
  TRAVEL_OVER,    /* the replay has ended: session->run.status */
  TRAVEL_GONE,    /* the client is gone */
  TRAVEL_FAILED,  /* the moment does not exist, or no replay could be started */
};

/* Starts the replay: it stands at its beginning. */
enum travel session_begin(struct session *session);
void session_end(struct session *session);
/* Forwards to the next hit; after an instruction of a thread, or after those within a range. */
enum travel travel_on(struct session *session);
enum travel travel_step(struct session *session, uint32_t thread, uint64_t range_start, uint64_t range_end);
/* Backwards to the last hit; to the thread's instruction before. */
enum travel travel_back(struct session *session);
enum travel travel_step_back(struct session *session, uint32_t thread);
/* To a moment, past all hits; to the first instruction of the thread at this position or later; to the end; to the signal that ended it. */
enum travel travel_to(struct session *session, const struct debug_moment *moment);
enum travel travel_to_position(struct session *session, uint32_t thread, uint64_t position);
enum travel travel_to_end(struct session *session);
enum travel travel_to_crash(struct session *session);
/* Back to the last write of the memory, past all other hits; TRAVEL_BEGIN: there was none. */
enum travel travel_to_last_write(struct session *session, const struct debug_watch *watch);
/* To be called when breakpoints, watchpoints or catchpoints have changed. */
void session_changed(struct session *session);

/* -- diversion.c ------------------------------------------------------------------------------------------------------------- */

/* Begins a diversion of the thread's process, unless there is one, and gives it the registers of this thread if they are wanted. NULL, or why that is not possible. */
const char *diversion_begin(struct session *session, uint32_t slot, bool registers);
/* Throws it away, if there is one. */
void diversion_end(struct session *session);
/* True if the thread is of the process that the diversion is a copy of; its registers there, or NULL. */
bool diversion_has(const struct session *session, uint32_t slot);
uint8_t *diversion_registers(const struct session *session, uint32_t slot);
/* Returns how many bytes could be written, from the address on. */
size_t diversion_write(struct session *session, uint64_t address, const void *from, size_t bytes);
/* True if its registers are not what they were before the client changed them: it is the diversion that is to go on. */
bool diversion_is_away(const struct session *session);
/* Runs this thread of it until it stops; with steps for one instruction and those in the range. The region's part tells why it has stopped. TRAVEL_OVER: it has
 * ended. */
enum travel diversion_run(struct session *session, uint32_t slot, bool steps, uint64_t range_start,
                          uint64_t range_end);
/* The client wants it to stop, or the replay. */
void session_interrupt(struct session *session);

/* -- breaks.c ---------------------------------------------------------------------------------------------------------------- */

/* False: there are too many, or it is too large. */
bool breaks_add(struct session *session, uint64_t address, int32_t pid);
void breaks_remove(struct session *session, uint64_t address, int32_t pid);
bool watches_add(struct session *session, const struct debug_watch *watch);
void watches_remove(struct session *session, const struct debug_watch *watch);

/* -- target.c ---------------------------------------------------------------------------------------------------------------- */

/* The slots of threads that live where the replay stands: the next one from `slot` on, or -1; of all, and of those that are shown to the client. */
int target_next_of_all(const struct session *session, uint32_t slot);
int target_next(const struct session *session, uint32_t slot);
/* The slot of the thread with these recorded ids, -1: none; pid or tid 0: any. */
int target_find(const struct session *session, int32_t pid, int32_t tid);
const struct debug_thread *target_thread(const struct session *session, uint32_t slot);
/* All its registers, in the order of the description; in a diversion those that it has there. */
const uint8_t *target_registers(const struct session *session, uint32_t slot);
/* Returns how many bytes could be read, from the address on. */
size_t target_read(const struct session *session, uint32_t slot, uint64_t address, void *to, size_t bytes);
/* How many of the bytes are not the engine's, from the address on. */
size_t target_allowed(uint64_t address, size_t bytes);
/* The thread's name, 16 bytes. */
void target_name(const struct session *session, uint32_t slot, char name[16]);
/* A file of the process's folder in /proc: a descriptor, -1: none; all of it, allocated; NULL: none. */
int target_open(const struct session *session, uint32_t slot, const char *name);
char *target_proc_file(const struct session *session, uint32_t slot, const char *name, size_t *bytes);
/* Whether the process with this recorded id is shown to the client; and changes of that. */
bool target_shows(const struct session *session, int32_t pid);
void target_show(struct session *session, int32_t pid);
void target_hide(struct session *session, int32_t pid);

/* -- program.c --------------------------------------------------------------------------------------------------------------- */

/* The auxiliary vector of the thread's program, allocated, or NULL. */
char *target_auxv(const struct session *session, uint32_t slot, size_t *bytes);
/* The path of its file when it was recorded, allocated, or NULL. */
char *target_program(const struct session *session, uint32_t slot);
/* As much of its arguments as there is room for, with blanks between them. */
void target_arguments(const struct session *session, uint32_t slot, char *to, size_t room);

/* -- mappings.c -------------------------------------------------------------------------------------------------------------- */

struct memory {
  uint64_t start, end;
  bool has_file;
};

struct mapping {
  struct memory memory;
  uint64_t offset;
  bool is_recorded; /* it is of a file of the recording, with this number */
  uint32_t file;
  char access[8], path[RECORDING_PATH_MAX];
};

/* The mappings of the thread's process, as text, allocated; NULL: none. */
char *mappings_open(const struct session *session, uint32_t slot);
/* The program's mappings, one after the other, from that text; false: there are no more. */
bool mapping_next(const struct session *session, char **text, struct mapping *mapping);
/* What the kernel maps into every process: it is this machine's, and not of the recording. */
bool mapping_is_of_kernel(const struct mapping *mapping);

enum { MEMORY_PAGE = 4096 };
typedef bool page_visitor(void *context, uint64_t address, const uint8_t *page);
/* Visits all pages of the memory that do not hold zeros, in order, until the visitor returns false; so does this function then. */
bool memory_visit(const struct session *session, uint32_t slot, const struct memory *memory,
                  page_visitor *visit, void *context);

/* Code, as users name it. What is not known is empty. */
struct code_place {
  uint64_t address;
  char symbol[256]; /* "function+0x12 (file.c:34)" */
  char file[256];   /* the name of the executable or library */
};

/* The thread's program counter. */
uint64_t target_pc(const struct session *session, uint32_t slot);
void target_place(const struct session *session, uint32_t slot, uint64_t address, struct code_place *place);
/* "0x1234 function+0x12 (file.c:34) in program" */
void code_place_print(const struct code_place *place, FILE *out);

/* -- digest.c ---------------------------------------------------------------------------------------------------------------- */

/* Of the registers of all threads and the memory of all processes where the replay stands: the same in every replay. */
uint64_t session_digest(const struct session *session);

/* -- moments.c --------------------------------------------------------------------------------------------------------------- */

enum { MOMENT_TEXT = 96, PLACE_WHOLE = 100000 };
void moment_print(const struct debug_moment *moment, char text[MOMENT_TEXT]);
/* A moment as a user may name it. */
struct place {
  enum { PLACE_MOMENT, PLACE_POSITION, PLACE_BEGIN, PLACE_END, PLACE_CRASH, PLACE_EVENT, PLACE_SHARE } kind;
  struct debug_moment moment; /* PLACE_POSITION: thread and position of it */
  uint64_t event;             /* PLACE_EVENT: as `reprise dump` counts them */
  uint64_t share;             /* PLACE_SHARE: of PLACE_WHOLE */
};
bool place_parse(const char *text, struct place *place);
enum travel travel_to_place(struct session *session, const struct place *place);

#endif
