/* core_notes.c: what a core file tells of a process and its threads. The layouts are the kernel's for 64-bit machines: those of <sys/procfs.h>, without the
 * registers, which the two machines have differently. */
#include <elf.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "debug/core.h"
#include "debug/core_registers.h"

struct status {
  int32_t signo, code, error;
  int16_t signal, unused;
  uint64_t pending, held;
  int32_t pid, parent, group, session;
  int64_t times[8];
};
_Static_assert(sizeof(struct status) == 112, "as in <sys/procfs.h>");

struct information {
  char state, letter, is_zombie, nice;
  uint64_t flags;
  uint32_t user, group;
  int32_t pid, parent, process_group, session;
  char name[16], arguments[80];
};
_Static_assert(sizeof(struct information) == 136, "as in <sys/procfs.h>");

static void put_note(FILE *out, const char *owner, uint32_t type, const void *bytes, size_t count) {
  enum { ALIGNED = 4 };
  static const char zeros[ALIGNED];
  const Elf64_Nhdr header = {(Elf64_Word)strlen(owner) + 1, (Elf64_Word)count, type};
  fwrite(&header, sizeof header, 1, out);
  fwrite(owner, header.n_namesz, 1, out);
  fwrite(zeros, -header.n_namesz % ALIGNED, 1, out);
  fwrite(bytes, count, 1, out);
  fwrite(zeros, -count % ALIGNED, 1, out);
}

/* -- Threads ----------------------------------------------------------------------------------------------------------------- */

/* The signal that the process dies of, if it does. */
static int signal_of(const struct session *session, int32_t pid) {
  const struct debug_stop *stop = &session->stop;
  if (target_thread(session, stop->slot)->pid != pid) return 0;
  if (stop->reason == DEBUG_SIGNAL) return stop->number;
  return stop->reason == DEBUG_ENDS || stop->reason == DEBUG_EXITS ? (int)stop->signo : 0;
}

static void put_status(const struct session *session, uint32_t slot, const struct core_registers *registers,
                       FILE *out) {
  const struct debug_thread *thread = target_thread(session, slot);
  const int32_t has_floating = 1;
  uint8_t bytes[sizeof(struct status) + CORE_REGISTERS_MOST + 8] = {0};
  int signo = signal_of(session, thread->pid);
  struct status status = {.signo = signo, .signal = (int16_t)signo, .pid = thread->tid, .group = thread->pid};
  memcpy(bytes, &status, sizeof status);
  memcpy(bytes + sizeof status, registers->content, registers->bytes);
  memcpy(bytes + sizeof status + registers->bytes, &has_floating, sizeof has_floating);
  put_note(out, registers->owner, registers->note, bytes, sizeof status + registers->bytes + 8);
}

static bool part_of(const struct session *session, uint32_t slot, unsigned part,
                    struct core_registers *registers) {
  return core_registers(part, target_registers(session, slot), target_thread(session, slot)->call, registers);
}

static void put_thread(const struct session *session, uint32_t slot, FILE *out) {
  struct core_registers registers;
  if (part_of(session, slot, 0, &registers)) put_status(session, slot, &registers, out);
}

static void put_further_registers(const struct session *session, uint32_t slot, FILE *out) {
  struct core_registers registers;
  for (unsigned part = 1; part_of(session, slot, part, &registers); part++)
    put_note(out, registers.owner, registers.note, registers.content, registers.bytes);
}

/* -- The process ------------------------------------------------------------------------------------------------------------- */

static uint64_t auxv_value(const char *vector, size_t bytes, uint64_t wanted) {
  Elf64_auxv_t entry;
  for (size_t at = 0; vector && at + sizeof entry <= bytes; at += sizeof entry) {
    memcpy(&entry, vector + at, sizeof entry);
    if (entry.a_type == wanted) return entry.a_un.a_val;
  }
  return 0;
}

static void put_information(const struct session *session, uint32_t slot, const char *vector, size_t bytes,
                            FILE *out) {
  int32_t pid = target_thread(session, slot)->pid;
  struct information information = {.letter = 'R',
                                    .user = (uint32_t)auxv_value(vector, bytes, AT_UID),
                                    .group = (uint32_t)auxv_value(vector, bytes, AT_GID),
                                    .pid = pid,
                                    .process_group = pid};
  target_name(session, slot, information.name);
  target_arguments(session, slot, information.arguments, sizeof information.arguments);
  put_note(out, "CORE", NT_PRPSINFO, &information, sizeof information);
}

static void put_signal(const struct session *session, uint32_t slot, FILE *out) {
  const struct debug_stop *stop = &session->stop;
  int32_t signo = signal_of(session, target_thread(session, slot)->pid);
  uint8_t bytes[sizeof stop->information] = {0};
  if (!signo) return;
  memcpy(bytes, &signo, sizeof signo);
  if (stop->reason == DEBUG_SIGNAL) memcpy(bytes, stop->information, sizeof bytes);
  put_note(out, "CORE", NT_SIGINFO, bytes, sizeof bytes);
}

static void put_recording(const struct session *session, FILE *out) {
  char bytes[PATH_MAX + MOMENT_TEXT], moment[MOMENT_TEXT];
  char *path = realpath(session->path, NULL);
  moment_print(&session->stop.moment, moment);
  int count = snprintf(bytes, sizeof bytes, "%s%c%s", path ? path : session->path, 0, moment);
  free(path);
  put_note(out, CORE_OWNER, CORE_NOTE_RECORDING, bytes, (size_t)count + 1);
}

void core_put_notes(const struct session *session, uint32_t first, const char *files, size_t bytes,
                    FILE *out) {
  int32_t pid = target_thread(session, first)->pid;
  size_t vector_bytes;
  char *vector = target_auxv(session, first, &vector_bytes);
  put_thread(session, first, out);
  put_information(session, first, vector, vector_bytes, out);
  put_signal(session, first, out);
  put_note(out, "CORE", NT_AUXV, vector, vector_bytes);
  put_note(out, "CORE", NT_FILE, files, bytes);
  put_recording(session, out);
  put_further_registers(session, first, out);
  free(vector);
  for (int slot = -1; (slot = target_next(session, (uint32_t)(slot + 1))) >= 0;) {
    if (target_thread(session, (uint32_t)slot)->pid != pid || (uint32_t)slot == first) continue;
    put_thread(session, (uint32_t)slot, out);
    put_further_registers(session, (uint32_t)slot, out);
  }
}
