/* server.c: speaks the remote protocol with one client. */
#include "debug/server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "debug/description.h"
#include "recording/plain.h"

/* -- Bytes ------------------------------------------------------------------------------------------------------------------- */

static void put(struct server *server, const void *bytes, size_t count) {
  const char *from = bytes;
  while (count && !server->gone) {
    ssize_t n = write(server->out, from, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      struct pollfd on = {.fd = server->out, .events = POLLOUT};
      poll(&on, 1, -1);
      continue;
    }
    if (n <= 0) {
      server->gone = server->over = true;
      return;
    }
    from += n;
    count -= (size_t)n;
  }
}

static void send_reply(struct server *server) {
  static uint8_t frame[2 * PACKET_MAX];
  put(server, frame, reply_frame(&server->reply, frame));
}

/* While the replay runs, the client can only ask it to stop. */
static bool attend(struct session *session) {
  struct server *server = session->context;
  uint8_t bytes[256];
  ssize_t n = read(server->in, bytes, sizeof bytes);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (n <= 0) return false;
  for (ssize_t i = 0; i < n; i++)
    if (bytes[i] == 3) session_interrupt(session);
  return true;
}

/* While the recording is opened: what does not fit is lost, as on a line, and the client sends it again. */
static bool attend_early(struct session *session) {
  struct server *server = session->context;
  uint8_t bytes[256];
  ssize_t n = read(server->in, bytes, sizeof bytes);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  for (ssize_t i = 0; i < n && server->early_count < sizeof server->early; i++)
    server->early[server->early_count++] = bytes[i];
  return n > 0;
}

void server_prepare(struct server *server) {
  server->session.client = server->in;
  server->session.attend = attend_early;
  server->session.context = server;
}

/* The program's output, as the client's console. */
static void show(void *context, int which, const uint8_t *bytes, size_t count) {
  struct server *server = context;
  static struct reply output;
  static uint8_t frame[2 * PACKET_MAX];
  (void)which;
  enum { PART = 4096 };
  for (size_t at = 0; at < count; at += PART) {
    reply_clear(&output);
    reply_text(&output, "O");
    reply_hex(&output, bytes + at, count - at < PART ? count - at : PART);
    put(server, frame, reply_frame(&output, frame));
  }
}

void server_error(struct server *server, int number, const char *text) {
  reply_clear(&server->reply);
  if (text)
    reply_text(&server->reply, "E.%s", text);
  else
    reply_text(&server->reply, "E%02x", number);
}

/* -- Threads ----------------------------------------------------------------------------------------------------------------- */

static const char *parse_id(const char *text, int32_t *id) {
  uint64_t value;
  if (!strncmp(text, "-1", 2)) return *id = -1, text + 2;
  const char *rest = packet_number(text, &value);
  *id = value > INT32_MAX ? -2 : (int32_t)value;
  return rest;
}

const char *server_parse_thread(const char *text, struct thread_name *name) {
  *name = (struct thread_name){0};
  if (*text != 'p') return parse_id(text, &name->tid);
  text = parse_id(text + 1, &name->pid);
  name->tid = -1;
  return *text == '.' ? parse_id(text + 1, &name->tid) : text;
}

void server_name_thread(struct server *server, uint32_t slot) {
  const struct debug_thread *thread = target_thread(&server->session, slot);
  if (server->multiprocess)
    reply_text(&server->reply, "p%x.%x", thread->pid, thread->tid);
  else
    reply_text(&server->reply, "%x", thread->tid);
}

static int slot_of_name(struct server *server, const struct thread_name *name) {
  const struct session *session = &server->session;
  int32_t pid = name->pid > 0 ? name->pid : 0, tid = name->tid > 0 ? name->tid : 0;
  if (!session->run.region) return -1;
  uint32_t here = session->stop.slot;
  const struct debug_thread *stopped = target_thread(session, here);
  bool fits =
      target_shows(session, stopped->pid) && (!pid || stopped->pid == pid) && (!tid || stopped->tid == tid);
  return fits ? (int)here : target_find(session, pid, tid);
}

int server_slot(struct server *server) {
  return slot_of_name(server, &server->general);
}

/* -- Stops ------------------------------------------------------------------------------------------------------------------- */

static void tell_over(struct server *server) {
  int status = server->session.run.status;
  if (WIFSIGNALED(status))
    reply_text(&server->reply, "X%02x", signal_for_client(WTERMSIG(status)));
  else
    reply_text(&server->reply, "W%02x", WEXITSTATUS(status));
}

static void tell_process_end(struct server *server, const struct debug_stop *stop) {
  int32_t pid = target_thread(&server->session, stop->slot)->pid;
  if (stop->signo)
    processes_tell_gone(server, "X", signal_for_client((int)stop->signo), pid);
  else
    processes_tell_gone(server, "W", stop->number, pid);
}

static void tell_reason(struct server *server, const struct debug_stop *stop) {
  struct reply *reply = &server->reply;
  static const char *const watches[] = {"watch", "watch", "rwatch", "awatch"};
  switch ((enum debug_reason)stop->reason) {
    case DEBUG_BREAK:
      if (server->tells_breaks) reply_text(reply, "swbreak:;");
      break;
    case DEBUG_WATCH:
      reply_text(reply, "%s:%lx;", watches[stop->access & 3], (unsigned long)stop->address);
      break;
    case DEBUG_CALL_BEGINS:
      reply_text(reply, "syscall_entry:%x;", stop->number);
      break;
    case DEBUG_CALL_ENDS:
      reply_text(reply, "syscall_return:%x;", stop->number);
      break;
    case DEBUG_FORKED:
      processes_born(server, stop->number);
      reply_text(reply, "%s:p%x.%x;", stop->is_vfork ? "vfork" : "fork", stop->number, stop->number);
      break;
    case DEBUG_FREED:
      reply_text(reply, "vforkdone:;");
      break;
    case DEBUG_EXECUTED: {
      char *program = target_program(&server->session, stop->slot);
      reply_text(reply, "exec:");
      reply_hex(reply, program ? program : "?", strlen(program ? program : "?"));
      reply_text(reply, ";");
      free(program);
      break;
    }
    case DEBUG_EXITS:
    case DEBUG_ENDS:
      reply_text(reply, "replaylog:end;");
      break;
    default:
      break;
  }
}

static int signal_of_stop(const struct debug_stop *stop) {
  enum { TRAP = 5, INTERRUPT = 2 };
  if (stop->reason == DEBUG_SIGNAL) return signal_for_client(stop->number);
  return stop->reason == DEBUG_INTERRUPT ? INTERRUPT : TRAP;
}

/* A line for the user where the recording has come to an end that no reply can tell. */
static void explain_end(struct server *server, const struct debug_stop *stop) {
  char line[DEBUG_TEXT + 128];
  int n;
  if (stop->outcome == OUTCOME_LOG_ENDS || stop->outcome == OUTCOME_NONE) {
    if (stop->outcome == OUTCOME_NONE && stop->signo)
      n = snprintf(line, sizeof line, "[reprise: the program ends here, by signal %u]\n", stop->signo);
    else if (stop->outcome == OUTCOME_NONE)
      n = snprintf(line, sizeof line, "[reprise: the program ends here, with status %d]\n", stop->number);
    else
      n = snprintf(line, sizeof line, "[reprise: the recording breaks off here%s%s]\n",
                   *stop->text ? ": " : "", stop->text);
  } else {
    n = snprintf(line, sizeof line, "[reprise: the replay can't go on: %s]\n", stop->text);
  }
  plain_text(line);
  line[n > 0 ? n - 1 : 0] = '\n';
  show(server, 1, (const uint8_t *)line, (size_t)n);
}

/* Where the replay stands because of a process that the client does not know, it is told of another thread. */
static uint32_t told_slot(const struct server *server) {
  const struct session *session = &server->session;
  uint32_t slot = session->stop.slot;
  int other = target_shows(session, target_thread(session, slot)->pid) ? -1 : target_next(session, 0);
  return other < 0 ? slot : (uint32_t)other;
}

void server_tell_stop(struct server *server) {
  const struct debug_stop *stop = &server->session.stop;
  reply_clear(&server->reply);
  if (server->arrived == TRAVEL_OVER) {
    tell_over(server);
    return;
  }
  if (server->arrived == TRAVEL_FAILED) {
    server_error(server, 0, "the replay could not be started again");
    return;
  }
  server->general = (struct thread_name){0};
  bool ends = stop->reason == DEBUG_ENDS || stop->reason == DEBUG_EXITS;
  if (stop->reason == DEBUG_EXITS &&
      processes_have_others(server, target_thread(&server->session, stop->slot)->pid)) {
    tell_process_end(server, stop);
    return;
  }
  if (ends && !server->asked) explain_end(server, stop);
  reply_text(&server->reply, "T%02xthread:", server->moved ? 0 : signal_of_stop(stop));
  server_name_thread(server, told_slot(server));
  reply_text(&server->reply, ";");
  if (server->arrived == TRAVEL_BEGIN && server->backwards)
    reply_text(&server->reply, "replaylog:begin;");
  else if (!server->moved)
    tell_reason(server, stop);
}

/* -- Diversions ------------------------------------------------------------------------------------------------------------- */

static void tell_user(struct server *server, const char *line) {
  show(server, 1, (const uint8_t *)line, strlen(line));
}

/* The diversion has stopped. */
static void tell_diverted(struct server *server) {
  const struct session *session = &server->session;
  const struct region_diversion *diversion = &session->run.region->debug.diversion;
  struct debug_stop stop = {.reason = diversion->reason, .number = diversion->number};
  const struct debug_thread *thread = target_thread(session, session->diversion.running);
  reply_clear(&server->reply);
  server->general = (struct thread_name){thread->pid, thread->tid};
  reply_text(&server->reply, "T%02xthread:", signal_of_stop(&stop));
  server_name_thread(server, session->diversion.running);
  reply_text(&server->reply, ";");
  tell_reason(server, &stop);
}

/* The thread that is to run. Before a client lets one thread call a function, it steps others past the breakpoints that they stand at (gdb). */
static uint32_t diverted_slot(struct server *server, const struct thread_name *name) {
  int slot = name && name->tid > 0 ? slot_of_name(server, name) : -1;
  bool fits = slot >= 0 && diversion_has(&server->session, (uint32_t)slot);
  return fits ? (uint32_t)slot : server->session.diversion.slot;
}

/* What it did is gone: the client stands where the replay does. */
static void tell_diversion_over(struct server *server, enum travel result) {
  char line[128];
  int status = server->session.run.region->debug.diversion.number;
  if (result == TRAVEL_OVER)
    snprintf(line, sizeof line,
             "[reprise: diversion: the program would end here, with status %d; thrown away]\n", status);
  else
    snprintf(line, sizeof line, "[reprise: diversion: it could not go on; thrown away]\n");
  diversion_end(&server->session);
  tell_user(server, line);
  server->moved = true;
  server_tell_stop(server);
  server->moved = false;
}

/* A client that has changed registers calls a function: the diversion goes on, and not the replay. False: the replay does; what was written is thrown
 * away. Clients restore the registers after a call. */
static bool go_on_diverted(struct server *server, const struct thread_name *name, bool steps, uint64_t start,
                           uint64_t end) {
  struct session *session = &server->session;
  if (!diversion_is_away(session)) {
    if (session->diversion.is_written)
      tell_user(server,
                "[reprise: diversion: what was written is thrown away; the replay goes on as recorded]\n");
    return false;
  }
  if (!server->told_diversion)
    tell_user(server,
              "[reprise: diversion: this runs in a copy of the process, which is thrown away when the replay "
              "goes on]\n");
  server->told_diversion = true;
  enum travel result = diversion_run(session, diverted_slot(server, steps ? name : NULL), steps, start, end);
  if (result == TRAVEL_STOPPED) {
    if (session->run.region->debug.diversion.waits)
      tell_user(server, "[reprise: diversion: it waits for another thread, and no other thread runs here]\n");
    tell_diverted(server);
  } else if (result == TRAVEL_GONE) {
    server->arrived = TRAVEL_GONE;
    server->over = true;
  } else {
    tell_diversion_over(server, result);
  }
  return true;
}

/* -- Travels ----------------------------------------------------------------------------------------------------------------- */

static uint32_t thread_of(struct server *server, const struct thread_name *name) {
  int slot = slot_of_name(server, name);
  return server->session.run.region->slots[slot < 0 ? (int)server->session.stop.slot : slot].number;
}

/* Where clients expect to be told of an access when it is made, the instruction is executed first; backwards where they expect it before. */
static void settle_watch(struct server *server) {
  struct session *session = &server->session;
  if (server->arrived != TRAVEL_STOPPED || server->moved || session->stop.reason != DEBUG_WATCH) return;
  if (description_stops_before() != server->backwards || (session->stop.done && !server->backwards)) return;
  struct debug_stop hit = session->stop;
  uint32_t thread = hit.moment.thread;
  server->arrived = travel_step(session, thread, 0, 0);
  if (server->arrived == TRAVEL_STOPPED && session->stop.reason == DEBUG_ARRIVED) {
    session->stop.reason = DEBUG_WATCH;
    session->stop.address = hit.address;
    session->stop.access = hit.access;
  }
}

static void arrive(struct server *server, enum travel result, bool backwards) {
  server->arrived = result;
  server->backwards = backwards;
  if (result == TRAVEL_GONE) {
    server->over = true;
    return;
  }
  settle_watch(server);
  server->leapt = backwards || server->moved;
  if (!processes_tell_lost(server)) server_tell_stop(server);
  server->moved = false;
  if (result == TRAVEL_OVER) server->session.stop = (struct debug_stop){0};
}

/* An interrupt that came when the replay had stopped is obeyed by the next run, which does not begin: while clients look whether a condition
 * holds, the replay stands most of the time. */
static bool obeys_interrupt(struct server *server) {
  if (!server->interrupted) return false;
  server->interrupted = false;
  enum { INTERRUPT = 2 };
  reply_text(&server->reply, "T%02xthread:", INTERRUPT);
  server_name_thread(server, told_slot(server));
  reply_text(&server->reply, ";");
  return true;
}

static bool can_travel(struct server *server) {
  if (processes_tell_lost(server)) return false;
  if (server->session.run.region) return !obeys_interrupt(server);
  server_error(server, 1, "the replay has ended");
  return false;
}

/* The process that the client knows has ended, and others go on: for the client the recording ends there. */
static bool is_at_end(struct server *server) {
  const struct debug_stop *stop = &server->session.stop;
  if (stop->reason != DEBUG_EXITS ||
      processes_have_others(server, target_thread(&server->session, stop->slot)->pid))
    return false;
  server_tell_stop(server);
  return true;
}

static void go_on(struct server *server) {
  if (!can_travel(server) || go_on_diverted(server, NULL, false, 0, 0) || is_at_end(server)) return;
  if (!processes_tell_untold(server, told_slot(server), false))
    arrive(server, travel_on(&server->session), false);
}

static void step(struct server *server, const struct thread_name *name, uint64_t start, uint64_t end) {
  if (!can_travel(server) || go_on_diverted(server, name, true, start, end) || is_at_end(server)) return;
  int slot = slot_of_name(server, name);
  if (slot >= 0 && processes_tell_untold(server, (uint32_t)slot, true)) return;
  arrive(server, travel_step(&server->session, thread_of(server, name), start, end), false);
}

static enum travel back_to_known(struct server *server) {
  enum travel result;
  do result = travel_back(&server->session);
  while (result == TRAVEL_STOPPED && !processes_concern(server));
  return result;
}

static void go_back(struct server *server) {
  uint32_t oldest = processes_oldest(server);
  if (!can_travel(server)) return;
  if (server->moved)
    arrive(server, TRAVEL_STOPPED, true);
  else if (!processes_tell_untold(server, told_slot(server), false))
    arrive(server, processes_return(server, back_to_known(server), oldest), true);
}

static void step_back(struct server *server) {
  uint32_t oldest = processes_oldest(server);
  if (!can_travel(server) || processes_tell_untold(server, told_slot(server), true)) return;
  enum travel result = travel_step_back(&server->session, thread_of(server, &server->continued));
  arrive(server, processes_return(server, result, oldest), true);
}

/* One action for each thread: of those that step one is taken, and all others go on as the recording has it. */
static void perform_actions(struct server *server, const char *text) {
  while (*text == ';') {
    char action = text[1];
    uint64_t signal, start = 0, end = 0;
    struct thread_name name = {0};
    text += 2;
    if (action == 'C' || action == 'S') text = packet_number(text, &signal);
    if (action == 'r') {
      text = packet_number(text, &start);
      if (*text == ',') text = packet_number(text + 1, &end);
    }
    bool named = *text == ':';
    if (named) text = server_parse_thread(text + 1, &name);
    if (action == 's' || action == 'S' || action == 'r') {
      if (!named) name = server->continued;
      step(server, &name, start, end);
      return;
    }
    if (action != 'c' && action != 'C') {
      server_error(server, 1, NULL);
      return;
    }
  }
  go_on(server);
}

/* -- Memory and registers ---------------------------------------------------------------------------------------------------- */

static void tell_registers(struct server *server) {
  int slot = server_slot(server);
  if (slot < 0)
    server_error(server, 1, NULL);
  else
    reply_hex(&server->reply, target_registers(&server->session, (uint32_t)slot), description_bytes());
}

static void tell_register(struct server *server, const char *text) {
  uint64_t number;
  size_t offset, bytes;
  int slot = server_slot(server);
  packet_number(text, &number);
  if (slot < 0 || number > UINT32_MAX || !description_register((unsigned)number, &offset, &bytes))
    server_error(server, 1, NULL);
  else
    reply_hex(&server->reply, target_registers(&server->session, (uint32_t)slot) + offset, bytes);
}

static void tell_memory(struct server *server, const char *text) {
  static uint8_t bytes[PACKET_MAX / 2];
  uint64_t address, count;
  int slot = server_slot(server);
  text = packet_number(text, &address);
  if (slot < 0 || *text++ != ',') {
    server_error(server, 1, NULL);
    return;
  }
  packet_number(text, &count);
  if (count > sizeof bytes) count = sizeof bytes;
  size_t read = target_read(&server->session, (uint32_t)slot, address, bytes, count);
  if (!read && count)
    server_error(server, 14, NULL);
  else
    reply_hex(&server->reply, bytes, read);
}

/* -- Changes ----------------------------------------------------------------------------------------------------------------- */

/* True if there is a diversion of the chosen thread's process. */
static bool divert(struct server *server, bool registers, uint32_t *slot) {
  int chosen = server_slot(server);
  *slot = (uint32_t)chosen;
  const char *error =
      chosen < 0 ? "there is no such thread" : diversion_begin(&server->session, *slot, registers);
  if (error) server_error(server, 1, error);
  return !error;
}

/* All registers at once. */
static void change_registers(struct server *server, const char *text) {
  uint8_t bytes[DEBUG_REGISTERS];
  uint32_t slot;
  if (packet_bytes(text, bytes, sizeof bytes) != description_bytes()) {
    server_error(server, 1, NULL);
  } else if (divert(server, true, &slot)) {
    memcpy(diversion_registers(&server->session, slot), bytes, description_bytes());
    reply_text(&server->reply, "OK");
  }
}

/* NUMBER=BYTES */
static void change_register(struct server *server, const char *text) {
  uint8_t value[DEBUG_REGISTERS];
  uint64_t number;
  size_t offset, bytes;
  uint32_t slot;
  text = packet_number(text, &number);
  if (*text != '=' || number > UINT32_MAX || !description_register((unsigned)number, &offset, &bytes) ||
      packet_bytes(text + 1, value, sizeof value) != bytes) {
    server_error(server, 1, NULL);
  } else if (divert(server, true, &slot)) {
    memcpy(diversion_registers(&server->session, slot) + offset, value, bytes);
    reply_text(&server->reply, "OK");
  }
}

/* MADDRESS,COUNT:HEXADECIMAL or XADDRESS,COUNT:BYTES */
static void change_memory(struct server *server, const char *packet) {
  static uint8_t bytes[PACKET_MAX];
  uint64_t address, count = 0;
  uint32_t slot;
  const char *text = packet_number(packet + 1, &address);
  if (*text == ',') text = packet_number(text + 1, &count);
  size_t given = server->reader.count - (size_t)(text + 1 - server->reader.content);
  const void *from = text + 1;
  if (*packet == 'M' && *text == ':') {
    given = packet_bytes(text + 1, bytes, sizeof bytes);
    from = bytes;
  }
  if (*text != ':' || given != count)
    server_error(server, 1, NULL);
  else if (count && divert(server, false, &slot) &&
           diversion_write(&server->session, address, from, count) != count)
    server_error(server, 14, NULL);
  else if (!server->reply.count)
    reply_text(&server->reply,
               "OK"); /* without bytes: the client asks whether it may send them as they are */
}

/* -- Breaks ------------------------------------------------------------------------------------------------------------------ */

static void change_break(struct server *server, const char *text) {
  bool adds = text[0] == 'Z';
  char kind = text[1];
  uint64_t address, bytes;
  int slot = server_slot(server);
  int32_t pid = server->multiprocess && slot >= 0 ? target_thread(&server->session, (uint32_t)slot)->pid : 0;
  if (text[2] != ',' || *(text = packet_number(text + 3, &address)) != ',') {
    server_error(server, 1, NULL);
    return;
  }
  packet_number(text + 1, &bytes);
  static const uint8_t accesses[] = {['2'] = DEBUG_WRITES, ['3'] = DEBUG_READS, ['4'] = DEBUG_ACCESSES};
  struct debug_watch watch = {.address = address, .bytes = bytes, .pid = pid};
  bool fits = true;
  if (kind == '0' || kind == '1') {
    if (adds)
      fits = breaks_add(&server->session, address, pid);
    else
      breaks_remove(&server->session, address, pid);
  } else if (kind >= '2' && kind <= '4') {
    watch.access = accesses[(unsigned char)kind];
    if (adds)
      fits = watches_add(&server->session, &watch);
    else
      watches_remove(&server->session, &watch);
  } else {
    return; /* an empty reply: not known */
  }
  if (fits)
    reply_text(&server->reply, "OK");
  else
    server_error(server, 28, NULL);
}

/* -- Packets ----------------------------------------------------------------------------------------------------------------- */

static void detach(struct server *server, const char *text) {
  uint64_t pid = 0;
  if (*text == ';') packet_number(text + 1, &pid);
  reply_text(&server->reply, "OK");
  if (!pid || !processes_have_others(server, (int32_t)pid)) {
    server->over = true;
  } else {
    processes_let_go(server, (int32_t)pid);
  }
}

static void choose_thread(struct server *server, const char *text) {
  struct thread_name name;
  char operation = *text;
  server_parse_thread(text + 1, &name);
  if (slot_of_name(server, &name) < 0 || (operation != 'g' && operation != 'c')) {
    server_error(server, 1, NULL);
    return;
  }
  if (operation == 'g')
    server->general = name;
  else
    server->continued = name;
  reply_text(&server->reply, "OK");
}

static bool begins(const char *text, const char *with, const char **rest) {
  size_t n = strlen(with);
  if (strncmp(text, with, n)) return false;
  *rest = text + n;
  return true;
}

static void answer_verbose(struct server *server, const char *packet) {
  const char *rest;
  if (!strcmp(packet, "vCont?"))
    reply_text(&server->reply, "vCont;c;C;s;S;r");
  else if (begins(packet, "vCont", &rest))
    perform_actions(server, rest);
  else if (begins(packet, "vFile:", &rest))
    files_answer(server, rest);
  else if (begins(packet, "vKill", &rest)) {
    reply_text(&server->reply, "OK");
    server->over = true;
  }
}

static void answer(struct server *server, const char *packet) {
  struct thread_name name;
  reply_clear(&server->reply);
  switch (*packet) {
    case '?':
      server->asked = true; /* nothing runs: the reply comes alone */
      if (diversion_is_away(&server->session))
        tell_diverted(server);
      else
        server_tell_stop(server);
      server->asked = false;
      break;
    case 'g':
      tell_registers(server);
      break;
    case 'p':
      tell_register(server, packet + 1);
      break;
    case 'm':
      tell_memory(server, packet + 1);
      break;
    case 'G':
      change_registers(server, packet + 1);
      break;
    case 'P':
      change_register(server, packet + 1);
      break;
    case 'M':
    case 'X':
      change_memory(server, packet);
      break;
    case 'H':
      choose_thread(server, packet + 1);
      break;
    case 'T':
      server_parse_thread(packet + 1, &name);
      if (slot_of_name(server, &name) < 0)
        server_error(server, 1, NULL);
      else
        reply_text(&server->reply, "OK");
      break;
    case 'c':
    case 'C':
      go_on(server);
      break;
    case 's':
    case 'S':
      step(server, &server->continued, 0, 0);
      break;
    case 'b':
      if (packet[1] == 'c')
        go_back(server);
      else if (packet[1] == 's')
        step_back(server);
      break;
    case 'Z':
    case 'z':
      change_break(server, packet);
      break;
    case 'D':
      detach(server, packet + 1);
      break;
    case 'k':
      server->over = true;
      return; /* without a reply */
    case 'q':
    case 'Q':
      if (!query_answer(server, packet)) reply_clear(&server->reply);
      break;
    case 'v':
      answer_verbose(server, packet);
      break;
    default:
      break;
  }
  if (server->arrived != TRAVEL_GONE) send_reply(server);
}

static void take(struct server *server, uint8_t byte) {
  enum packet_news news = packet_read(&server->reader, byte);
  bool acknowledges = server->acknowledges;
  switch (news) {
    case PACKET_COMPLETE:
      if (acknowledges) put(server, "+", 1);
      answer(server, server->reader.content);
      break;
    case PACKET_WRONG:
      if (acknowledges) put(server, "-", 1);
      break;
    case PACKET_REFUSED:
      if (acknowledges) send_reply(server);
      break;
    case PACKET_INTERRUPT:
      server->interrupted = true;
      break;
    default:
      break;
  }
}

int server_run(struct server *server) {
  struct session *session = &server->session;
  server->acknowledges = true;
  session->client = server->in;
  session->attend = attend;
  session->shows = show;
  session->context = server;
  for (size_t i = 0; i < server->early_count && !server->over; i++) take(server, server->early[i]);
  while (!server->over) {
    uint8_t bytes[4096];
    ssize_t n = read(server->in, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    for (ssize_t i = 0; i < n && !server->over; i++) take(server, bytes[i]);
  }
  files_close(server);
  free(server->xfer);
  session_end(session);
  return 0;
}
