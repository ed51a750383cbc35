/* entry.c: how the entries of a recording's logs are shown. See entry.h. */
#include "cli/entry.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "inspect/json.h"
#include "cli/recordings.h"
#include "recording/plain.h"
#include "input/input.h"
#include "input/times.h"

enum { SHOWN_BYTES = 32, INTERRUPTED = -512, ERRORS = 4096 };

const char *entry_name(const struct log_entry *entry) {
  return entry->kind == LOG_CHUNK ? "chunk" : input_event_name(entry->event.kind);
}

bool entry_pc(const struct log_entry *entry, uint64_t *pc) {
  const struct input_event *e = &entry->event;
  if (entry->kind != LOG_EVENT) return false;
  switch (e->kind) {
    case EVENT_SYSCALL:
      *pc = e->syscall.pc;
      return true;
    case EVENT_SIGNAL:
      *pc = e->signal.pc;
      return true;
    case EVENT_CHECK:
      *pc = e->check.pc;
      return true;
    default:
      return false;
  }
}

const char *entry_reason(uint8_t reason) {
  static const char *const names[CHUNK_REASONS] = {"full", "call", "exit", "dead"};
  return reason < CHUNK_REASONS ? names[reason] : "?";
}

/* -- Parts -------------------------------------------------------------------------------------------------------------------- */

static long read_nothing(void *context, void *to, uintptr_t from, size_t bytes) {
  (void)context, (void)to, (void)from, (void)bytes;
  return -EFAULT;
}

/* The command of a call that has several, or NULL. */
static const char *command_of(const struct input_event *e) {
  static struct input_call call;
  long args[6];
  for (int i = 0; i < 6; i++) args[i] = (long)e->syscall.args[i];
  input_begin(&call, (long)e->syscall.nr, args, read_nothing, NULL);
  return input_command(&call);
}

static const char *call_name(const struct input_event *e) {
  const struct input_row *row = input_row((long)e->syscall.nr);
  return row ? row->name : "unknown";
}

static const char *signal_name(uint32_t signo, char buffer[16]) {
  const char *name = sigabbrev_np((int)signo);
  if (name)
    snprintf(buffer, 16, "SIG%s", name);
  else if (signo >= 32)
    snprintf(buffer, 16, "SIGRT%u", signo - 32);
  else
    snprintf(buffer, 16, "%u", signo);
  return buffer;
}

static const char *error_name(int64_t result) {
  if (result == INTERRUPTED) return "interrupted";
  return result < 0 && result > -ERRORS ? strerrorname_np((int)-result) : NULL;
}

static void call_text(FILE *to, const struct input_event *e) {
  const struct input_row *row = input_row((long)e->syscall.nr);
  const char *command = command_of(e), *error = error_name(e->syscall.result);
  fprintf(to, "%s(", call_name(e));
  for (int i = 0; i < 6; i++) {
    uint8_t kind = row ? row->args[i].kind : (uint8_t)INPUT_VALUE;
    uint64_t value = e->syscall.args[i];
    if (kind == INPUT_NONE) break;
    if (i) fputs(", ", to);
    if (kind == INPUT_FD)
      fprintf(to, "%d", (int)value);
    else if (kind == INPUT_VALUE && value < 1 << 20)
      fprintf(to, "%" PRIu64, value);
    else
      fprintf(to, "0x%" PRIx64, value);
  }
  putc(')', to);
  if (command) fprintf(to, " [%s]", command);
  if (error)
    fprintf(to, " = %s", error);
  else if (e->syscall.result > 1 << 20)
    fprintf(to, " = 0x%" PRIx64, (uint64_t)e->syscall.result);
  else
    fprintf(to, " = %" PRId64, e->syscall.result);
  if (e->syscall.digest) fprintf(to, " sends #%016" PRIx64, e->syscall.digest);
  uint64_t unit = input_time(e->syscall.nr).unit;
  if (e->syscall.has_time && unit)
    fprintf(to, " tells %" PRIu64 ".%0*" PRIu64, e->syscall.time / unit, unit == 1000000 ? 6 : 9,
            e->syscall.time % unit);
}

/* The first bytes, as a string of C would have them. */
static void bytes_text(FILE *to, const uint8_t *bytes, size_t count) {
  size_t shown = count < SHOWN_BYTES ? count : SHOWN_BYTES;
  putc('"', to);
  for (size_t i = 0; i < shown; i++)
    if (bytes[i] == '"' || bytes[i] == '\\')
      fprintf(to, "\\%c", bytes[i]);
    else if (bytes[i] >= ' ' && bytes[i] < 0x7f)
      putc(bytes[i], to);
    else
      fprintf(to, "\\x%02x", bytes[i]);
  fputs(shown < count ? "\"…" : "\"", to);
}

static int signal_code(const struct input_event *e) {
  siginfo_t info = {0};
  memcpy(&info, e->signal.info, e->signal.count < sizeof info ? e->signal.count : sizeof info);
  return info.si_code;
}

/* -- Text --------------------------------------------------------------------------------------------------------------------- */

static void event_text(FILE *to, const struct input_event *e, const char *file) {
  char name[16];
  switch (e->kind) {
    case EVENT_SYSCALL:
      call_text(to, e);
      break;
    case EVENT_COPY_IN:
      fprintf(to, "0x%" PRIx64 ", %" PRIu32 " bytes ", e->copy_in.address, e->copy_in.count);
      bytes_text(to, e->copy_in.bytes, e->copy_in.count);
      if (e->copy_in.foreign) fprintf(to, ", by another process");
      break;
    case EVENT_SIGNAL:
      fprintf(to, "%s, code %d%s", signal_name(e->signal.signo, name), signal_code(e),
              e->signal.ended_wait ? ", ends a wait" : "");
      break;
    case EVENT_INSN:
      fputs(input_insn_name(e->insn.insn), to);
      for (uint32_t i = 0; i < e->insn.count; i++) fprintf(to, " 0x%" PRIx64, e->insn.values[i]);
      break;
    case EVENT_FILE:
      fprintf(to, "%" PRIu32 " at 0x%" PRIx64 ", 0x%" PRIx64 " bytes from 0x%" PRIx64 " ", e->file.file,
              e->file.address, e->file.bytes, e->file.offset);
      if (file) plain_write(to, file);
      break;
    case EVENT_THREAD:
      fprintf(to, "%" PRIu32 " is born, id %" PRIu32, e->thread.thread, e->thread.id);
      break;
    case EVENT_PROCESS:
      fprintf(to, "%" PRIu32 " is born with thread %" PRIu32 ", id %" PRIu32, e->process.process,
              e->process.thread, e->process.id);
      break;
    case EVENT_EXIT:
      fprintf(to, "%s, ", e->exit.group ? "process" : "thread");
      if (e->exit.signo)
        fprintf(to, "by %s", signal_name(e->exit.signo, name));
      else
        fprintf(to, "status %" PRId32, e->exit.status);
      break;
    case EVENT_CHANGE:
      if (e->change.opened) {
        fprintf(to, "%" PRIu32 " opened for writing ", e->change.file);
      } else {
        fprintf(to, "%" PRIu32 " has %" PRIu64 " bytes, at 0x%" PRIx64 " %" PRIu32 " new ones ",
                e->change.file, e->change.size, e->change.offset, e->change.count);
        bytes_text(to, e->change.bytes, e->change.count);
      }
      if (file) plain_write(to, file);
      break;
    case EVENT_OUTPUT:
      if (e->output.named) {
        fprintf(to, "%" PRIu32 " is descriptor %" PRIu32 ", too", e->output.descriptor, e->output.count);
        break;
      }
      fprintf(to, "%" PRIu32 " gets %" PRIu32 " bytes ", e->output.descriptor, e->output.count);
      bytes_text(to, e->output.bytes, e->output.count);
      break;
    case EVENT_OPEN:
      if (e->open.what == OPEN_VIEW)
        fprintf(to, "block 0x%" PRIx64 " is open", e->open.address);
      else if (e->open.what == OPEN_CLOSES)
        fprintf(to, "all is closed, %" PRIu64 " lines follow", e->open.address);
      else if (e->open.what == OPEN_STOP)
        fprintf(to, e->open.closes ? "stop, all is about to be closed" : "stop");
      else if (e->open.what == OPEN_TIME)
        fprintf(to, "the time is %" PRIu64, e->open.address);
      else if (e->open.what == OPEN_LINE)
        fprintf(to, "line 0x%" PRIx64 " ", e->open.address);
      else
        fprintf(to, "values, %" PRIu32 " bytes ", e->open.count);
      if (e->open.count) bytes_text(to, e->open.bytes, e->open.count);
      break;
    default:
      if (e->check.epoch) fprintf(to, "end of epoch %" PRIu32 ", ", e->check.epoch);
      fprintf(to, "registers #%08" PRIx32, e->check.registers);
      if (e->check.has_memory) fprintf(to, ", memory #%016" PRIx64, e->check.memory);
      if (e->check.has_memory && e->check.sample) fprintf(to, " of one page in %lu", 1UL << e->check.sample);
      break;
  }
}

void entry_text(FILE *to, const struct log_entry *entry, const char *place, const char *file) {
  fprintf(to, "%4" PRIu32 " %12" PRIu64 "  %-11s ", entry->thread, entry->position, entry_name(entry));
  if (entry->kind == LOG_EVENT) {
    event_text(to, &entry->event, file);
  } else {
    fprintf(to, "%" PRIu64 " instructions, ends: %s", entry->chunk.length, entry_reason(entry->chunk.reason));
    if (entry->chunk.next != CHUNK_NOBODY) fprintf(to, "; then thread %" PRIu32, entry->chunk.next);
  }
  if (*place) {
    fputs("  at ", to);
    plain_write(to, place);
  }
  putc('\n', to);
}

/* -- JSON --------------------------------------------------------------------------------------------------------------------- */

static void call_json(struct json *json, const struct input_event *e) {
  const struct input_row *row = input_row((long)e->syscall.nr);
  size_t count = row ? 0 : 6;
  while (row && count < 6 && row->args[count].kind != INPUT_NONE) count++;
  json_string(json, "call", call_name(e));
  json_number(json, "number", e->syscall.nr);
  json_string(json, "command", command_of(e));
  json_addresses(json, "arguments", e->syscall.args, count);
  json_signed(json, "result", e->syscall.result);
  json_string(json, "error", error_name(e->syscall.result));
  if (e->syscall.digest) json_address(json, "digest", e->syscall.digest);
  uint64_t unit = input_time(e->syscall.nr).unit;
  if (e->syscall.has_time && unit) {
    json_number(json, "seconds", e->syscall.time / unit);
    json_number(json, "fraction", e->syscall.time % unit);
  }
}

static void event_json(struct json *json, const struct input_event *e, const char *file) {
  char name[16];
  switch (e->kind) {
    case EVENT_SYSCALL:
      call_json(json, e);
      break;
    case EVENT_COPY_IN:
      json_address(json, "address", e->copy_in.address);
      json_number(json, "count", e->copy_in.count);
      json_bytes(json, "bytes", e->copy_in.bytes, e->copy_in.count);
      break;
    case EVENT_SIGNAL:
      json_string(json, "signal", signal_name(e->signal.signo, name));
      json_signed(json, "code", signal_code(e));
      json_bool(json, "ended_wait", e->signal.ended_wait);
      json_bytes(json, "info", e->signal.info, e->signal.count);
      break;
    case EVENT_INSN:
      json_string(json, "instruction", input_insn_name(e->insn.insn));
      json_addresses(json, "values", e->insn.values, e->insn.count);
      break;
    case EVENT_FILE:
      json_number(json, "file", e->file.file);
      json_string(json, "path", file);
      json_address(json, "address", e->file.address);
      json_number(json, "count", e->file.bytes);
      json_number(json, "offset", e->file.offset);
      break;
    case EVENT_THREAD:
      json_number(json, "child", e->thread.thread);
      json_number(json, "id", e->thread.id);
      break;
    case EVENT_PROCESS:
      json_number(json, "process", e->process.process);
      json_number(json, "child", e->process.thread);
      json_number(json, "id", e->process.id);
      break;
    case EVENT_EXIT:
      json_bool(json, "group", e->exit.group);
      if (e->exit.signo) json_string(json, "signal", signal_name(e->exit.signo, name));
      if (!e->exit.signo) json_signed(json, "status", e->exit.status);
      break;
    case EVENT_CHANGE:
      json_number(json, "file", e->change.file);
      json_string(json, "path", file);
      json_bool(json, "opened", e->change.opened);
      json_number(json, "offset", e->change.offset);
      json_number(json, "size", e->change.size);
      json_bytes(json, "bytes", e->change.bytes, e->change.count);
      break;
    case EVENT_OUTPUT:
      json_number(json, "descriptor", e->output.descriptor);
      if (e->output.named)
        json_number(json, "name", e->output.count);
      else
        json_bytes(json, "bytes", e->output.bytes, e->output.count);
      break;
    case EVENT_OPEN: {
      static const char *const whats[OPEN_WHATS] = {"values", "view", "closes", "line", "stop", "time"};
      json_string(json, "what", whats[e->open.what]);
      if (e->open.what != OPEN_VALUES && e->open.what != OPEN_STOP)
        json_address(json, "address", e->open.address);
      if (e->open.count) json_bytes(json, "bytes", e->open.bytes, e->open.count);
      break;
    }
    default:
      if (e->check.epoch) json_number(json, "epoch", e->check.epoch);
      json_address(json, "registers", e->check.registers);
      if (e->check.has_memory) json_address(json, "memory", e->check.memory);
      if (e->check.has_memory) json_number(json, "one_page_in", 1UL << e->check.sample);
      break;
  }
}

void entry_json(FILE *to, const struct log_entry *entry, const char *place, const char *file) {
  struct json json = json_begin(to);
  uint64_t pc;
  json_number(&json, "thread", entry->thread);
  json_number(&json, "position", entry->position);
  json_string(&json, "kind", entry_name(entry));
  if (entry_pc(entry, &pc)) json_address(&json, "pc", pc);
  if (*place) json_string(&json, "place", place);
  if (entry->kind == LOG_EVENT) {
    event_json(&json, &entry->event, file);
  } else {
    json_number(&json, "instructions", entry->chunk.length);
    json_string(&json, "ends", entry_reason(entry->chunk.reason));
    if (entry->chunk.next != CHUNK_NOBODY) json_number(&json, "next", entry->chunk.next);
  }
  json_end(&json);
}
