/* gdb.c: gdb as a child, spoken to in its machine interface. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dap/adapter.h"

/* -- Its process ------------------------------------------------------------------------------------------------------------- */

/* In the child. gdb reads nothing while the replay runs: it would not see that the adapter was killed. */
static void become(const char *program, pid_t parent, int in, int out, int failure) {
  const char *argv[] = {program, "-q", "--interpreter=mi3", "-iex", "set debuginfod enabled off", NULL};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGPIPE, SIG_DFL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  execvp(program, (char **)(uintptr_t)argv);
  int error = errno;
  if (write(failure, &error, sizeof error) < 0) _exit(1);
  _exit(1);
}

static int spawn(struct adapter *adapter, const char *program, int in, int out) {
  int failure[2], error = 0;
  pid_t parent = getpid();
  if (pipe2(failure, O_CLOEXEC)) return errno;
  adapter->gdb = fork();
  if (!adapter->gdb) become(program, parent, in, out, failure[1]);
  if (adapter->gdb < 0) error = errno;
  close(failure[1]);
  /* The pipe closes when gdb is there. */
  while (!error && read(failure[0], &error, sizeof error) < 0 && errno == EINTR) continue;
  close(failure[0]);
  if (error && adapter->gdb > 0) waitpid(adapter->gdb, NULL, 0);
  return error;
}

int gdb_start(struct adapter *adapter, const char *program) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC)) return errno;
  if (pipe2(from, O_CLOEXEC)) {
    int failed = errno;
    close(to[0]);
    close(to[1]);
    return failed;
  }
  int error = spawn(adapter, program, to[0], from[1]);
  close(to[0]);
  close(from[1]);
  adapter->to_gdb = to[1];
  adapter->from_gdb = from[0];
  if (!error) return 0;
  adapter->gdb = 0;
  close(to[1]);
  close(from[0]);
  adapter->to_gdb = adapter->from_gdb = -1;
  return error;
}

/* gdb goes when its input ends, unless the replay runs. The server goes when gdb has gone. */
void gdb_end(struct adapter *adapter) {
  enum { PATIENCE_MS = 1000 };
  if (!adapter->gdb) return;
  close(adapter->to_gdb);
  close(adapter->from_gdb);
  int watch = (int)syscall(SYS_pidfd_open, adapter->gdb, 0);
  struct pollfd gone = {.fd = watch, .events = POLLIN};
  if (watch < 0 || poll(&gone, 1, PATIENCE_MS) <= 0) kill(adapter->gdb, SIGKILL);
  if (watch >= 0) close(watch);
  while (waitpid(adapter->gdb, NULL, 0) < 0 && errno == EINTR) continue;
  adapter->gdb = 0;
  adapter->to_gdb = adapter->from_gdb = -1;
  adapter->connected = adapter->runs = false;
}

void gdb_interrupt(const struct adapter *adapter) {
  if (adapter->gdb) kill(adapter->gdb, SIGINT);
}

/* -- What it writes ---------------------------------------------------------------------------------------------------------- */

static void take_stream(struct adapter *adapter, const struct mi_record *record) {
  /* gdb 13 gives no reason for this stop. */
  if (record->kind == '~' && strstr(record->text, "No more reverse-execution history"))
    adapter->at_edge = true;
  if (record->kind == '@')
    tell_output(adapter, "stdout", record->text);
  else if (adapter->capture)
    fputs(record->text, adapter->capture);
  else
    tell_output(adapter, "console", record->text);
}

static void take_record(struct adapter *adapter, struct mi_record *record) {
  if (record->kind == '^' && record->token == adapter->token && !adapter->result) {
    adapter->result = record;
    return;
  }
  if (record->kind == '*' || record->kind == '=') {
    struct mi_record **last = &adapter->news;
    while (*last) last = &(*last)->next;
    *last = record;
    return;
  }
  if (record->kind && strchr("~@&", record->kind)) take_stream(adapter, record);
  mi_free(record);
}

static void take_line(struct adapter *adapter) {
  adapter->line[adapter->line_count] = 0;
  if (adapter->line_count && adapter->line[adapter->line_count - 1] == '\r')
    adapter->line[adapter->line_count - 1] = 0;
  adapter->line_count = 0;
  struct mi_record *record = mi_read(adapter->line);
  if (record) take_record(adapter, record);
}

static void take_byte(struct adapter *adapter, char byte) {
  enum { LEAST = 4096 };
  if (adapter->line_count + 1 >= adapter->line_room) {
    size_t room = adapter->line_room ? 2 * adapter->line_room : LEAST;
    char *larger = realloc(adapter->line, room);
    if (!larger) return;
    adapter->line = larger;
    adapter->line_room = room;
  }
  if (byte == '\n')
    take_line(adapter);
  else
    adapter->line[adapter->line_count++] = byte;
}

void gdb_read(struct adapter *adapter) {
  char bytes[4096];
  ssize_t n = read(adapter->from_gdb, bytes, sizeof bytes);
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) {
    gdb_end(adapter);
    return;
  }
  for (ssize_t i = 0; i < n; i++) take_byte(adapter, bytes[i]);
}

/* -- What it is asked -------------------------------------------------------------------------------------------------------- */

const char *quote(struct adapter *adapter, const char *text) {
  char **place = &adapter->quoted[adapter->quotes++ % (sizeof adapter->quoted / sizeof *adapter->quoted)];
  free(*place);
  *place = mi_quoted(text);
  return *place ? *place : "\"\"";
}

static bool put_line(struct adapter *adapter, const char *line, size_t count) {
  while (count && adapter->gdb) {
    ssize_t n = write(adapter->to_gdb, line, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    line += n;
    count -= (size_t)n;
  }
  return adapter->gdb;
}

/* The editor's own requests are not served before this has its answer. */
static struct value *give(struct adapter *adapter, bool fails, const char *pattern, va_list args) {
  char *line = NULL;
  size_t count = 0;
  FILE *to = open_memstream(&line, &count);
  if (!to) return NULL;
  fprintf(to, "%llu-", (unsigned long long)++adapter->token);
  vfprintf(to, pattern, args);
  fputc('\n', to);
  fclose(to);
  bool given = put_line(adapter, line, count);
  free(line);
  while (given && !adapter->result && adapter->gdb && !adapter->gone) adapter_wait(adapter);
  struct mi_record *result = adapter->result;
  adapter->result = NULL;
  if (!result) {
    adapter_fail(adapter, "gdb has ended");
    return NULL;
  }
  struct value *results = result->results;
  result->results = NULL;
  if (!strcmp(result->text, "running")) adapter->runs = true;
  if (!strcmp(result->text, "error")) {
    const char *said = value_text(results, "msg");
    if (fails) adapter_fail(adapter, "%s", said ? said : "gdb refuses it");
    value_free(results);
    results = NULL;
  }
  mi_free(result);
  return results;
}

struct value *ask(struct adapter *adapter, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  struct value *results = give(adapter, true, pattern, args);
  va_end(args);
  return results;
}

struct value *try(struct adapter *adapter, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  struct value *results = give(adapter, false, pattern, args);
  va_end(args);
  return results;
}

char *console(struct adapter *adapter, const char *command) {
  char *text = NULL;
  size_t count = 0;
  adapter->capture = open_memstream(&text, &count);
  if (!adapter->capture) return NULL;
  struct value *results = ask(adapter, "interpreter-exec console %s", quote(adapter, command));
  fclose(adapter->capture);
  adapter->capture = NULL;
  if (!results) {
    free(text);
    return NULL;
  }
  value_free(results);
  return text;
}
