/* mutate.c: recordings whose logs say something else, with all checksums put right, and what replay makes of them.
 *
 *     mutate [-t THREAD] REPRISE RECORDING OUTPUT FROM TO [COPY]
 *     mutate [-t THREAD] REPRISE RECORDING OUTPUT result|short|exit|last|nobody - COPY
 *
 * For each seed from FROM up to TO (not included) one log of the RECORDING, of a program that printed what is in OUTPUT and ended with 0, is changed
 * in a few places: a field of an event, a record, a byte, a piece. Its replay must end with 120 or 121; or with 0, if it printed the same. It
 * must not hang, need more memory than the original by a gigabyte, or end in any other way. What fails is told with its seed; a range of one
 * seed makes the same recording again, and COPY keeps it. With -t only logs of that thread are changed.
 * In the second form COPY has one thing in it that makes no sense: calls that wrote more
 * than they had, or less than they did (short); a log of a forked child without its exit, as if it had been killed; the log of the THREAD without its
 * last event (last); a chunk in the middle after which nobody comes. The last line is "N passed, N failed". */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../recording/forge.h"
#include "copying.h"
#include "input/events.h"
#include "order/chunk.h"

enum { STREAMS = 64, ROOM = 1 << 22, EVENTS = 1 << 16, SECONDS = 60, MEMORY_KB = 1 << 20 };
enum { FIRST_CHILD = 3 }; /* of tests/programs/rec_everything: the first process that it forks */

struct log {
  struct recording_stream_id id;
  uint8_t *bytes;
  size_t length;
};

static struct log logs[STREAMS];
static unsigned log_count;
static uint64_t recording_id;
static int only = -1; /* the thread whose logs are changed, -1: any */
static char work[64], original[4096];

/* -- Random numbers ------------------------------------------------------------------------------------------------------- */

static uint64_t state;
static uint64_t next(void) { /* splitmix64: seeds that follow each other are as good as any */
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}
static uint64_t below(uint64_t limit) {
  return limit ? next() % limit : 0;
}

/* What a field that was v might be, too. */
static uint64_t other(uint64_t v) {
  static const uint64_t corners[] = {0,
                                     1,
                                     2,
                                     64,
                                     4096,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     1UL << 32,
                                     1UL << 47,
                                     1UL << 63,
                                     UINT64_MAX,
                                     0x680000000000,
                                     0x680010000000,
                                     16777215,
                                     16777216,
                                     (uint64_t)-512};
  switch (below(6)) {
    case 0:
      return v ^ 1UL << below(64);
    case 1:
      return v + below(16) - 8;
    case 2:
      return v * 2;
    case 3:
      return next() >> below(64);
    case 4:
      return v + (below(2) ? 4096 : (uint64_t)-4096);
    default:
      return corners[below(sizeof corners / sizeof *corners)];
  }
}

/* -- Reading -------------------------------------------------------------------------------------------------------------- */

static int read_log(struct recording_stream_id id, void *context, struct recording_error *problem) {
  struct recording_stream *stream;
  struct recording_frame frame;
  (void)context;
  if (id.kind == RECORDING_FILES || log_count == STREAMS) return 0;
  struct log *log = &logs[log_count++];
  log->id = id;
  log->bytes = malloc(ROOM);
  must(recording_stream_open(reader, id, &stream, problem));
  while (!recording_next(stream, &frame, problem)) {
    if (log->length + frame.length > ROOM / 2) break;
    memcpy(log->bytes + log->length, frame.bytes, frame.length);
    log->length += frame.length;
  }
  recording_stream_close(stream);
  return 0;
}

/* -- Mutations ------------------------------------------------------------------------------------------------------------ */

static void change_bytes(struct log *log) {
  size_t at = below(log->length), count = 1 + below(below(4) ? 4 : 64);
  if (!log->length || log->length + 64 > ROOM) return;
  if (count > log->length - at) count = log->length - at;
  switch (below(7)) {
    case 0: /* missing */
      memmove(log->bytes + at, log->bytes + at + count, log->length - at - count);
      log->length -= count;
      break;
    case 1: /* twice */
      memmove(log->bytes + at + count, log->bytes + at, log->length - at);
      log->length += count;
      break;
    case 2: /* too short */
      log->length = at;
      break;
    case 3: /* too long */
      for (size_t i = 0; i < count; i++) log->bytes[log->length++] = (uint8_t)next();
      break;
    case 4:
      log->bytes[at] = (uint8_t)next();
      break;
    default:
      log->bytes[at] ^= (uint8_t)(1 << below(8));
      break;
  }
}

static void change_call(struct input_event *e) {
  unsigned argument = (unsigned)below(6);
  switch (below(8)) {
    case 0:
      e->syscall.nr = (uint32_t)other(e->syscall.nr) & 0xffff;
      break;
    case 1:
      e->syscall.pc = other(e->syscall.pc);
      break;
    case 2:
    case 3:
      e->syscall.args[argument] = other(e->syscall.args[argument]);
      break;
    case 4:
      e->syscall.digest = other(e->syscall.digest);
      break;
    case 5:
      e->syscall.time = other(e->syscall.time);
      break;
    default:
      e->syscall.result = (int64_t)other((uint64_t)e->syscall.result);
      break;
  }
}

static void change_event(struct input_event *e) {
  uint64_t *word = NULL;
  uint32_t *number = NULL;
  bool *flag = NULL;
  switch (e->kind) {
    case EVENT_SYSCALL:
      change_call(e);
      return;
    case EVENT_COPY_IN:
      if (below(3))
        ((uint8_t *)(uintptr_t)e->copy_in.bytes)[below(e->copy_in.count)] ^= (uint8_t)(1 << below(8));
      else
        word = &e->copy_in.address;
      break;
    case EVENT_SIGNAL:
      if (below(2))
        e->signal.info[below(EVENT_INFO_LIMIT)] = (uint8_t)next();
      else if (below(2))
        number = &e->signal.signo;
      else
        flag = below(2) ? &e->signal.synchronous : &e->signal.ended_wait;
      break;
    case EVENT_INSN:
      if (below(4))
        word = &e->insn.values[below(e->insn.count)];
      else
        number = below(2) ? &e->insn.insn : &e->insn.count;
      break;
    case EVENT_FILE:
      if (below(2))
        word = below(2) ? &e->file.address : below(2) ? &e->file.bytes : &e->file.offset;
      else if (below(2))
        number = &e->file.file;
      else
        flag = &e->file.writable;
      break;
    case EVENT_OPEN:
      if (below(2) && e->open.count)
        ((uint8_t *)(uintptr_t)e->open.bytes)[below(e->open.count)] ^= (uint8_t)(1 << below(8));
      else if (below(2))
        word = &e->open.address;
      else
        number = below(2) ? &e->open.what : &e->open.count;
      break;
    case EVENT_OUTPUT:
      if (below(2) && !e->output.named)
        ((uint8_t *)(uintptr_t)e->output.bytes)[below(e->output.count)] ^= (uint8_t)(1 << below(8));
      else
        number = below(2) ? &e->output.descriptor : &e->output.count;
      break;
    case EVENT_CHANGE:
      if (below(2))
        word = below(2) ? &e->change.offset : &e->change.size;
      else if (below(2))
        number = &e->change.file;
      else
        flag = &e->change.opened;
      break;
    case EVENT_THREAD:
      number = below(2) ? &e->thread.thread : &e->thread.id;
      break;
    case EVENT_PROCESS:
      number = below(3) ? &e->process.thread : below(2) ? &e->process.process : &e->process.id;
      break;
    case EVENT_EXIT:
      if (below(3))
        number = below(2) ? &e->exit.signo : (uint32_t *)&e->exit.status;
      else
        flag = &e->exit.group;
      break;
    default:
      if (below(2))
        number = &e->check.registers;
      else
        word = below(2) ? &e->check.pc : &e->check.memory;
      break;
  }
  if (word) *word = other(*word);
  if (number) *number = (uint32_t)other(*number);
  if (flag) *flag = !*flag;
}

/* The position of an event and all behind it, or the event itself, or its place. */
static void change_list(struct input_event *events, size_t *count) {
  size_t at = below(*count);
  uint64_t shift = below(2) ? 1 : other(0);
  switch (below(8)) {
    case 0:
      memmove(events + at, events + at + 1, (--*count - at) * sizeof *events);
      break;
    case 1:
      if (*count < EVENTS) memmove(events + at + 1, events + at, ((*count)++ - at) * sizeof *events);
      break;
    case 2:
      for (; at < *count; at++) events[at].position += shift;
      break;
    case 3:
      *count = at;
      break;
    default:
      change_event(&events[at]);
      break;
  }
}

/* -- What makes no sense ---------------------------------------------------------------------------------------------------- */

typedef void change_plan(struct input_event *events, size_t *count);

static change_plan *planned; /* NULL: by chance */

static void add_to_results(struct input_event *events, size_t count, int64_t more) {
  for (size_t i = 0; i < count; i++) {
    struct input_event *e = &events[i];
    bool writes = e->kind == EVENT_SYSCALL && (e->syscall.nr == SYS_write || e->syscall.nr == SYS_writev);
    if (writes && e->syscall.result > 0) e->syscall.result += more;
  }
}

static void enlarge_results(struct input_event *events, size_t *count) {
  add_to_results(events, *count, 100000);
}

static void shorten_results(struct input_event *events, size_t *count) {
  add_to_results(events, *count, -1);
}

/* With the check before it. */
static void drop_exit(struct input_event *events, size_t *count) {
  if (*count && events[*count - 1].kind == EVENT_EXIT) --*count;
  if (*count && events[*count - 1].kind == EVENT_CHECK) --*count;
}

static void drop_last(struct input_event *events, size_t *count) {
  (void)events;
  if (*count) --*count;
}

static void leave_to_nobody(struct log *log) {
  static struct chunk_end ends[EVENTS];
  size_t count = 0, length = 0;
  int used;
  for (size_t at = 0; count < EVENTS && at < log->length; at += (size_t)used, count++)
    if ((used = chunk_decode(&ends[count], log->bytes + at, log->length - at)) <= 0) break;
  ends[count / 2].next = UINT32_MAX;
  for (size_t i = 0; i < count; i++) length += chunk_encode(&ends[i], log->bytes + length);
  log->length = length;
}

/* False if the outcome is none that can be written. */
static bool change_input(struct log *log) {
  static struct input_event events[EVENTS + 1];
  static struct input_codec from, to;
  size_t count = 0, room = 2 * log->length + 4096;
  uint8_t *made = malloc(room);
  long used = 1, length = 0;
  memset(&from, 0, sizeof from);
  memset(&to, 0, sizeof to);
  for (size_t at = 0; at < log->length && count < EVENTS; at += (size_t)used, count++) {
    memset(&events[count], 0, sizeof events[count]);
    used = input_decode(&from, &events[count], log->bytes + at, log->length - at);
    if (used <= 0) break;
  }
  if (planned)
    planned(events, &count);
  else
    for (uint64_t changes = 1 + below(3) / 2; changes && count; changes--) change_list(events, &count);
  for (size_t i = 0; i < count && used > 0; i++, length += used)
    used = input_encode(&to, &events[i], made + length, room - (size_t)length);
  bool good = used > 0 && (size_t)length <= ROOM;
  if (good) memcpy(log->bytes, made, log->length = (size_t)length);
  free(made);
  return good;
}

static void change_chunks(struct log *log) {
  static struct chunk_end ends[EVENTS];
  size_t count = 0, length = 0;
  int used;
  for (size_t at = 0; count < EVENTS && at < log->length; at += (size_t)used, count++)
    if ((used = chunk_decode(&ends[count], log->bytes + at, log->length - at)) <= 0) break;
  if (!count || count * CHUNK_END_LARGEST > ROOM) return;
  struct chunk_end *end = &ends[below(count)];
  switch (below(4)) {
    case 0:
      end->length = other(end->length) & UINT64_MAX >> 2;
      break;
    case 1:
      end->reason = (uint8_t)below(4);
      break;
    case 2:
      *end = ends[below(count)];
      break;
    default:
      end->next = (uint32_t)(below(2) ? below(8) : other(end->next));
      break;
  }
  for (size_t i = 0; i < count; i++) length += chunk_encode(&ends[i], log->bytes + length);
  log->length = length;
}

static void mutate(struct log *log) {
  bool chunks = log->id.kind == RECORDING_ORDER && log->id.thread == RECORDING_SPHERE;
  if (log->id.kind == RECORDING_INPUT && below(4) && change_input(log)) return;
  if (chunks && below(3)) {
    change_chunks(log);
    return;
  }
  for (uint64_t changes = 1 + below(3) / 2; changes; changes--) change_bytes(log);
}

/* -- Writing -------------------------------------------------------------------------------------------------------------- */

static void stream_name(char *name, size_t size, struct recording_stream_id id) {
  const char *kind = id.kind == RECORDING_INPUT ? "input" : id.kind == RECORDING_ORDER ? "order" : "events";
  if (id.thread == RECORDING_SPHERE)
    snprintf(name, size, "%s/streams/%s", work, kind);
  else
    snprintf(name, size, "%s/streams/%s-%u", work, kind, id.thread);
}

static void write_log(const struct log *log) {
  static uint8_t out[56 + (1 << 20)];
  char name[128];
  stream_name(name, sizeof name, log->id);
  unlink(name);
  FILE *file = fopen(name, "w");
  if (!file) {
    perror(name);
    exit(2);
  }
  struct forged_frame frame = {
      .kind = (uint8_t)log->id.kind, .recording = recording_id, .thread = log->id.thread};
  for (size_t at = 0; at < log->length; at += frame.raw, frame.sequence++) {
    frame.flags = 1; /* stored */
    frame.raw = frame.length = log->length - at < 1 << 16 ? (uint32_t)(log->length - at) : 1 << 16;
    frame.payload = log->bytes + at;
    frame.payload_size = frame.raw;
    fwrite(out, 1, forge_frame(out, &frame), file);
  }
  frame.flags = 2; /* end */
  frame.raw = frame.length = 0;
  frame.payload_size = 0;
  fwrite(out, 1, forge_frame(out, &frame), file);
  fclose(file);
}

static void link_all(const char *folder) {
  char from[8192], to[512];
  snprintf(from, sizeof from, "%s/%s", original, folder);
  snprintf(to, sizeof to, "%s/%s", work, folder);
  mkdir(to, 0700);
  DIR *list = opendir(from);
  for (struct dirent *entry; list && (entry = readdir(list));) {
    if (entry->d_name[0] == '.' || entry->d_type == DT_DIR) continue;
    snprintf(from, sizeof from, "%s/%s/%s", original, folder, entry->d_name);
    snprintf(to, sizeof to, "%s/%s/%.200s", work, folder, entry->d_name);
    if (link(from, to) && errno != EEXIST) {
      perror(to);
      exit(2);
    }
  }
  if (list) closedir(list);
}

/* The recording's id is in every frame. */
static void read_id(void) {
  char name[8192];
  uint8_t header[16] = {0};
  snprintf(name, sizeof name, "%s/streams/input-0", original);
  int fd = open(name, O_RDONLY);
  if (fd < 0 || read(fd, header, sizeof header) != sizeof header) exit(2);
  close(fd);
  memcpy(&recording_id, header + 8, 8);
}

/* -- Replay --------------------------------------------------------------------------------------------------------------- */

static char *slurp(const char *path, size_t *length) {
  static char bytes[2][1 << 16];
  static unsigned which;
  char *to = bytes[which++ % 2];
  int fd = open(path, O_RDONLY);
  ssize_t n = fd < 0 ? 0 : read(fd, to, sizeof bytes[0] - 1);
  if (fd >= 0) close(fd);
  *length = n < 0 ? 0 : (size_t)n;
  to[*length] = 0;
  return to;
}

static void ring(int signo) {
  (void)signo;
}

/* The exit status, 128 and the signal, or -1: it hangs. */
static int replay_one(const char *reprise) {
  int status;
  pid_t child = fork();
  if (!child) {
    char out[128], err[128];
    struct rlimit none = {0, 0};
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &none);
    snprintf(out, sizeof out, "%s.out", work);
    snprintf(err, sizeof err, "%s.err", work);
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(open(out, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600), 1);
    dup2(open(err, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600), 2);
    execl(reprise, reprise, "replay", work, (char *)NULL);
    _exit(127);
  }
  alarm(SECONDS);
  pid_t ended = waitpid(child, &status, 0);
  alarm(0);
  if (ended < 0) {
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* It breaks off where a thread was killed, says the log; or the log wants more memory than there is. */
static bool is_told(void) {
  char name[128];
  size_t length;
  snprintf(name, sizeof name, "%s.err", work);
  const char *errors = slurp(name, &length);
  return strstr(errors, "this is as far as can be replayed") ||
         strstr(errors, "as in the recording (error 12)");
}

static const char *judge(int status, const char *expected, size_t length) {
  char name[128];
  size_t got;
  struct rusage usage;
  snprintf(name, sizeof name, "%s.out", work);
  const char *output = slurp(name, &got);
  getrusage(RUSAGE_CHILDREN, &usage);
  if (status < 0) return "hangs";
  if (usage.ru_maxrss > MEMORY_KB) return "needs too much memory";
  if (status == 120 || status == 121) return NULL;
  if (status && is_told()) return NULL;
  if (status) return "ends in another way";
  return got == length && !memcmp(output, expected, length) ? NULL : "ends well with another output";
}

static bool try_seed(const char *reprise, uint64_t seed, const char *expected, size_t length,
                     unsigned counts[3]) {
  static uint8_t kept[ROOM];
  char name[128];
  size_t said;
  state = seed * 0xd1342543de82ef95 + 1;
  struct log *log = &logs[below(log_count)];
  while (only >= 0 && log->id.thread != (uint32_t)only) log = &logs[below(log_count)];
  size_t before = log->length;
  memcpy(kept, log->bytes, before);
  mutate(log);
  write_log(log);
  int status = replay_one(reprise);
  const char *problem = judge(status, expected, length);
  if (status == 0 || status == 120 || status == 121) counts[status ? status - 119 : 0]++;
  snprintf(name, sizeof name, "%s.err", work);
  if (problem)
    printf("seed %lu, %s of %d: %s, status %d: %.300s\n", (unsigned long)seed,
           log->id.kind == RECORDING_INPUT ? "input" : "order", (int)log->id.thread, problem, status,
           slurp(name, &said));
  fflush(stdout);
  memcpy(log->bytes, kept, log->length = before);
  return !problem;
}

static change_plan *plan_named(const char *name) {
  if (!strcmp(name, "result")) return enlarge_results;
  if (!strcmp(name, "short")) return shorten_results;
  if (!strcmp(name, "last")) return drop_last;
  return strcmp(name, "exit") ? NULL : drop_exit;
}

int main(int argc, char **argv) {
  char expected[1 << 16], command[256];
  unsigned passed = 0, failed = 0, counts[3] = {0};
  if (argc > 2 && !strcmp(argv[1], "-t")) {
    only = atoi(argv[2]);
    argc -= 2, argv += 2;
  }
  if (argc < 6 || !realpath(argv[2], original)) return 2;
  snprintf(work, sizeof work, "%.50s", argc > 6 ? argv[6] : "");
  if (argc <= 6) snprintf(work, sizeof work, "mutated-%d", (int)getpid());
  must(recording_open(argv[2], 0, &reader, &error));
  must(recording_each_stream(reader, read_log, NULL, &error));
  recording_reader_close(reader);
  read_id();
  size_t length;
  memcpy(expected, slurp(argv[3], &length), sizeof expected);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = ring}, NULL);
  mkdir(work, 0700);
  link_all(".");
  link_all("files");
  link_all("streams");
  if (replay_one(argv[1]) || judge(0, expected, length)) {
    printf("%s does not replay as it is\n", argv[2]);
    return 1;
  }
  if (argc > 6 && argv[5][0] == '-') {
    planned = plan_named(argv[4]);
    for (unsigned i = 0; i < log_count; i++) {
      bool concerned = planned == drop_exit   ? logs[i].id.thread == FIRST_CHILD
                       : planned == drop_last ? logs[i].id.thread == (uint32_t)only
                                              : true;
      if (planned && concerned && logs[i].id.kind == RECORDING_INPUT) change_input(&logs[i]);
      if (!planned && logs[i].id.kind == RECORDING_ORDER) leave_to_nobody(&logs[i]);
      write_log(&logs[i]);
    }
    return 0;
  }
  for (uint64_t seed = strtoul(argv[4], NULL, 10); seed < strtoul(argv[5], NULL, 10); seed++) {
    bool good = try_seed(argv[1], seed, expected, length, counts);
    passed += good;
    failed += !good;
    if (argc > 6) continue;
    char name[128];
    link_all("streams");                       /* what is there stays */
    for (unsigned i = 0; i < log_count; i++) { /* the changed one comes back */
      stream_name(name, sizeof name, logs[i].id);
      struct stat there;
      if (!stat(name, &there) && there.st_nlink == 1) unlink(name);
    }
    link_all("streams");
  }
  snprintf(command, sizeof command, "rm -rf %s %s.out %s.err", work, work, work);
  if (argc <= 6 && system(command)) return 2;
  printf("%u the same, %u diverged, %u damaged; %u passed, %u failed\n", counts[0], counts[1], counts[2],
         passed, failed);
  return failed != 0;
}
