/* queries.c: answers q and Q packets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/description.h"
#include "debug/server.h"

static bool begins(const char *text, const char *with, const char **rest) {
  size_t n = strlen(with);
  if (strncmp(text, with, n)) return false;
  *rest = text + n;
  return true;
}

/* -- What both sides can do -------------------------------------------------------------------------------------------------- */

static void agree(struct server *server, const char *features) {
  server->multiprocess = strstr(features, "multiprocess+");
  server->tells_forks = strstr(features, "fork-events+");
  server->tells_programs = strstr(features, "exec-events+");
  server->tells_breaks = strstr(features, "swbreak+");
  server->session.catches_processes = server->multiprocess && server->tells_forks && server->tells_programs;
  session_changed(&server->session);
  reply_text(
      &server->reply,
      "PacketSize=%x;QStartNoAckMode+;multiprocess+;swbreak+;hwbreak+;vContSupported+;ReverseStep+;"
      "ReverseContinue+;QPassSignals+;QProgramSignals+;QCatchSyscalls+;qXfer:features:read+;qXfer:auxv:read+;"
      "qXfer:exec-file:read+;qXfer:threads:read+;qXfer:siginfo:read+;fork-events+;vfork-events+;exec-events+",
      PACKET_MAX);
}

/* For lldb, which asks before it reads anything. */
static void describe_machine(struct server *server) {
  const char *triple = description_triple();
  reply_text(&server->reply, "triple:");
  reply_hex(&server->reply, triple, strlen(triple));
  reply_text(&server->reply, ";ostype:linux;endian:little;ptrsize:8;");
}

static void describe_process(struct server *server) {
  int slot = server_slot(server);
  if (slot < 0) {
    server_error(server, 1, NULL);
    return;
  }
  reply_text(&server->reply, "pid:%x;", target_thread(&server->session, (uint32_t)slot)->pid);
  describe_machine(server);
}

/* -- Threads ----------------------------------------------------------------------------------------------------------------- */

static void list_threads(struct server *server) {
  bool first = true;
  for (int slot = -1; (slot = target_next(&server->session, (uint32_t)(slot + 1))) >= 0; first = false) {
    reply_text(&server->reply, first ? "m" : ",");
    server_name_thread(server, (uint32_t)slot);
  }
  if (first) reply_text(&server->reply, "l");
}

static void describe_thread(struct server *server, const char *text) {
  struct thread_name name;
  char line[128], comm[16];
  server_parse_thread(text, &name);
  int slot = target_find(&server->session, name.pid > 0 ? name.pid : 0, name.tid);
  if (slot < 0) {
    server_error(server, 1, NULL);
    return;
  }
  target_name(&server->session, (uint32_t)slot, comm);
  const struct debug_thread *thread = target_thread(&server->session, (uint32_t)slot);
  int n = snprintf(line, sizeof line, "%s, R-thread %u at position %" PRIu64, comm,
                   server->session.run.region->slots[slot].number, thread->position);
  reply_hex(&server->reply, line, (size_t)n);
}

/* -- Objects that are read by parts -------------------------------------------------------------------------------------------- */

static void write_quoted(FILE *out, const char *text) {
  for (; *text; text++)
    if (strchr("<>&\"'", *text) || *text < ' ')
      fprintf(out, "&#%d;", (unsigned char)*text);
    else
      fputc(*text, out);
}

static void write_threads(struct server *server, FILE *out) {
  char name[16];
  fputs("<?xml version=\"1.0\"?>\n<threads>\n", out);
  for (int slot = -1; (slot = target_next(&server->session, (uint32_t)(slot + 1))) >= 0;) {
    const struct debug_thread *thread = target_thread(&server->session, (uint32_t)slot);
    target_name(&server->session, (uint32_t)slot, name);
    if (server->multiprocess)
      fprintf(out, "<thread id=\"p%x.%x\" name=\"", thread->pid, thread->tid);
    else
      fprintf(out, "<thread id=\"%x\" name=\"", thread->tid);
    write_quoted(out, name);
    fprintf(out, "\">R-thread %u at position %" PRIu64 "</thread>\n",
            server->session.run.region->slots[slot].number, thread->position);
  }
  fputs("</threads>\n", out);
}

/* The object anew; NULL: there is none. */
static char *make_object(struct server *server, const char *object, const char *annex, size_t *count) {
  char *bytes = NULL;
  int slot = server_slot(server);
  uint64_t pid;
  *count = 0;
  if (!strcmp(object, "features") || !strcmp(object, "threads")) {
    FILE *out = open_memstream(&bytes, count);
    if (!out) return NULL;
    if (*object == 'f')
      description_write(out);
    else
      write_threads(server, out);
    fclose(out);
    return bytes;
  }
  if (slot < 0) return NULL;
  if (!strcmp(object, "auxv")) return target_auxv(&server->session, (uint32_t)slot, count);
  if (!strcmp(object, "exec-file")) {
    packet_number(annex, &pid);
    int process = pid ? target_find(&server->session, (int32_t)pid, 0) : slot;
    bytes = process < 0 ? NULL : target_program(&server->session, (uint32_t)process);
    *count = bytes ? strlen(bytes) : 0;
    return bytes;
  }
  if (!strcmp(object, "siginfo") && server->session.stop.reason == DEBUG_SIGNAL) {
    *count = sizeof server->session.stop.information;
    bytes = malloc(*count);
    if (!bytes) return NULL;
    return memcpy(bytes, server->session.stop.information, *count);
  }
  return NULL;
}

/* OBJECT:read:ANNEX:OFFSET,LENGTH */
static bool transfer(struct server *server, const char *text) {
  static const char *const known[] = {"features", "threads", "auxv", "exec-file", "siginfo"};
  char object[32], annex[200], name[256];
  uint64_t offset, length;
  int at = 0;
  if (sscanf(text, "%31[^:]:read:%n", object, &at) != 1 || !at) return false;
  bool is_known = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) is_known |= !strcmp(object, known[i]);
  if (!is_known) return false;
  const char *end = strchr(text + at, ':');
  if (!end || (size_t)(end - text - at) >= sizeof annex) return false;
  snprintf(annex, sizeof annex, "%.*s", (int)(end - text - at), text + at);
  const char *rest = packet_number(end + 1, &offset);
  if (*rest != ',') return false;
  packet_number(rest + 1, &length);
  snprintf(name, sizeof name, "%s:%s", object, annex);
  if (!offset || strcmp(name, server->xfer_name)) {
    free(server->xfer);
    server->xfer = make_object(server, object, annex, &server->xfer_count);
    snprintf(server->xfer_name, sizeof server->xfer_name, "%s", name);
  }
  if (!server->xfer) {
    server->xfer_name[0] = 0;
    server_error(server, 0, NULL);
    return true;
  }
  if (offset > server->xfer_count) offset = server->xfer_count;
  size_t left = server->xfer_count - offset;
  size_t count = length < left ? (size_t)length : left;
  reply_text(&server->reply, "m");
  size_t sent = reply_binary(&server->reply, server->xfer + offset, count);
  if (sent == left) server->reply.content[0] = 'l';
  return true;
}

/* -- Thread-local storage ------------------------------------------------------------------------------------------------------ */

/* glibc says in a table of its own where a link_map has the number of its module: { bits, count, offset }. */
static const char module_symbol[] = "_thread_db_link_map_l_tls_modid";

static void ask_symbol(struct server *server) {
  reply_text(&server->reply, "qSymbol:");
  reply_hex(&server->reply, module_symbol, strlen(module_symbol));
}

/* qSymbol:VALUE:NAME */
static void take_symbol(struct server *server, const char *text) {
  uint64_t value;
  uint32_t description[3];
  const char *rest = packet_number(text, &value);
  int slot = server_slot(server);
  if (rest == text && !server->module_offset && *rest == ':' && !rest[1]) {
    ask_symbol(server);
    return;
  }
  bool read = slot >= 0 && rest != text &&
              target_read(&server->session, (uint32_t)slot, value, description, sizeof description) ==
                  sizeof description;
  if (read && description[2] < 1 << 16) server->module_offset = description[2];
  reply_text(&server->reply, "OK");
}

static bool read_word(struct server *server, uint32_t slot, uint64_t address, uint64_t *word) {
  return target_read(&server->session, slot, address, word, sizeof *word) == sizeof *word;
}

/* THREAD,OFFSET,LINK_MAP: the module's block of the thread is in its table, unless the thread has none yet. */
static void find_local(struct server *server, const char *text) {
  struct thread_name name;
  uint64_t offset, map, module, pointer, table, block;
  unsigned table_at;
  size_t at, bytes;
  text = server_parse_thread(text, &name);
  int slot = target_find(&server->session, name.pid > 0 ? name.pid : 0, name.tid);
  if (*text++ != ',' || *(text = packet_number(text, &offset)) != ',' || slot < 0) {
    server_error(server, 1, NULL);
    return;
  }
  packet_number(text + 1, &map);
  uint32_t thread = (uint32_t)slot;
  description_register(description_thread_pointer(&table_at), &at, &bytes);
  memcpy(&pointer, target_registers(&server->session, thread) + at, sizeof pointer);
  enum { ENTRY = 16, MODULES_MOST = 1 << 16 };
  bool found = server->module_offset && read_word(server, thread, map + server->module_offset, &module) &&
               module && module < MODULES_MOST && read_word(server, thread, pointer + table_at, &table) &&
               read_word(server, thread, table + module * ENTRY, &block) && block != UINT64_MAX && block;
  if (found)
    reply_text(&server->reply, "%" PRIx64, block + offset);
  else
    server_error(server, 1, NULL);
}

/* -- Settings ------------------------------------------------------------------------------------------------------------------ */

static void pass_signals(struct server *server, const char *text) {
  uint64_t number, passed = 0;
  while (*text) {
    const char *rest = packet_number(text, &number);
    int signo = number < 256 ? signal_of_client((int)number) : 0;
    if (signo) passed |= 1UL << (signo - 1);
    text = *rest == ';' ? rest + 1 : rest;
    if (rest == text && *rest) break;
  }
  server->session.passed_signals = passed;
  session_changed(&server->session);
  reply_text(&server->reply, "OK");
}

/* 0, or 1 with the calls that are meant; without any all are. */
static void catch_calls(struct server *server, const char *text) {
  struct session *session = &server->session;
  session->catches_calls = *text == '1';
  memset(session->caught_calls, *text == '1' && !text[1] ? 0xff : 0, sizeof session->caught_calls);
  while (*text && *++text == ';') {
    uint64_t number;
    text = packet_number(text + 1, &number);
    if (number < DEBUG_CALLS) session->caught_calls[number / 64] |= 1UL << number % 64;
    text--;
  }
  session_changed(session);
  reply_text(&server->reply, "OK");
}

static void perform_command(struct server *server, const char *text) {
  char line[512];
  size_t n = packet_bytes(text, line, sizeof line - 1);
  line[n] = 0;
  char *output = command_perform(server, line);
  reply_clear(&server->reply);
  if (output && *output)
    reply_hex(&server->reply, output, strlen(output));
  else
    reply_text(&server->reply, "OK");
  free(output);
}

bool query_answer(struct server *server, const char *packet) {
  const char *rest;
  if (begins(packet, "qSupported", &rest)) {
    agree(server, rest);
  } else if (!strcmp(packet, "QStartNoAckMode")) {
    server->acknowledges = false;
    reply_text(&server->reply, "OK");
  } else if (!strcmp(packet, "qC")) {
    int slot = server_slot(server);
    reply_text(&server->reply, "QC");
    if (slot >= 0) server_name_thread(server, (uint32_t)slot);
  } else if (!strcmp(packet, "qHostInfo")) {
    describe_machine(server);
  } else if (!strcmp(packet, "qProcessInfo")) {
    describe_process(server);
  } else if (!strcmp(packet, "qfThreadInfo")) {
    list_threads(server);
  } else if (!strcmp(packet, "qsThreadInfo")) {
    reply_text(&server->reply, "l");
  } else if (begins(packet, "qThreadExtraInfo,", &rest)) {
    describe_thread(server, rest);
  } else if (begins(packet, "qAttached", &rest)) {
    reply_text(&server->reply, "1");
  } else if (begins(packet, "qXfer:", &rest)) {
    return transfer(server, rest);
  } else if (begins(packet, "qSymbol:", &rest)) {
    take_symbol(server, rest);
  } else if (begins(packet, "qGetTLSAddr:", &rest)) {
    find_local(server, rest);
  } else if (begins(packet, "QPassSignals:", &rest)) {
    pass_signals(server, rest);
  } else if (begins(packet, "QProgramSignals:", &rest)) {
    reply_text(&server->reply, "OK"); /* all signals are as recorded */
  } else if (begins(packet, "QCatchSyscalls:", &rest)) {
    catch_calls(server, rest);
  } else if (begins(packet, "qRcmd,", &rest)) {
    perform_command(server, rest);
  } else {
    return false;
  }
  return true;
}
