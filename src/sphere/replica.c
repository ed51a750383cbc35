/* replica.c: see replica.h.
 *
 * The recorder forks a **keeper** before the program begins, and the keeper a process that replays the recording while it is being made (follow.h). If that is
 * killed, or fails, the keeper starts another one, from the beginning. All of them are in a process group of their own, where no signal of the terminal
 * comes; they hold nothing that the program or its user could wait for, and read nothing but the files of the recording: so the program never notices them. */
#include "sphere/replica.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recording/plain.h"
#include "recording/scratch.h"
#include "sphere/feed.h"
#include "sphere/manager.h"
#include "sphere/progress.h"
#include "sphere/replay.h"

enum { DIVERGED = 120 };
enum { BEGINNINGS = 5 }; /* of the replay, at most */
enum { NICENESS = 5 };   /* where processors are few, the program comes first */

enum verdict { VERDICT_NONE, VERDICT_VERIFIED, VERDICT_MISMATCH, VERDICT_GIVEN_UP };

/* In memory that the keeper, the replay and the recorder share. */
struct replica_board {
  _Atomic uint64_t instructions; /* that were replayed */
  _Atomic uint32_t threads;      /* at a time, at most */
  _Atomic uint32_t epochs;       /* whose ends it has passed … */
  _Atomic uint32_t unlike;       /* … and where memory was not the same, without being a divergence */
  _Atomic uint32_t verdict;      /* enum verdict */
  char text[REPLICA_TEXT / 2];   /* the mismatch, or why it was given up */
};

/* -- The replay ------------------------------------------------------------------------------------------------------------------- */

static void nothing(struct manager *manager, void *context) {
  (void)manager, (void)context;
}

static void note_progress(struct manager *manager, void *context) {
  struct replica_board *board = context;
  const struct feed *feed = manager->context;
  uint64_t done = feed->instructions;
  uint32_t threads = 0;
  for (uint32_t i = 0; i < region_slots(manager->region); i++) {
    const struct rthread *slot = &manager->region->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE) continue;
    done += *(const volatile uint64_t *)&slot->input.codec.position;
    threads++;
  }
  atomic_store(&board->instructions, done);
  atomic_store(&board->epochs, atomic_load(&manager->region->epochs.last));
  atomic_store(&board->unlike, atomic_load(&manager->region->epochs.unlike));
  if (atomic_load(&board->threads) < threads) atomic_store(&board->threads, threads);
}

static _Noreturn void follow(struct replica_board *board, const char *path, struct engine_config *settings,
                             int messages) {
  struct replay_watcher watcher = {nothing, note_progress, board};
  struct replay_options options = {
      .quiet = true, .confined = CAN_CONFINE, .verifies = true, .follows = true, .watcher = &watcher};
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) || dup2(messages, STDERR_FILENO) < 0) _exit(1);
  int status = replay(path, &options, settings);
  fflush(NULL);
  _exit(status);
}

/* -- Its keeper --------------------------------------------------------------------------------------------------------------------- */

/* The last line of what the replay has written, without what each such line begins with. */
static void read_message(int messages, char *text, size_t size) {
  char bytes[4096];
  off_t end = lseek(messages, 0, SEEK_END),
        from = end > (off_t)sizeof bytes - 1 ? end - (off_t)sizeof bytes + 1 : 0;
  ssize_t n = pread(messages, bytes, sizeof bytes - 1, from);
  while (n > 0 && bytes[n - 1] == '\n') n--;
  bytes[n > 0 ? n : 0] = 0;
  const char *line = strrchr(bytes, '\n');
  line = line ? line + 1 : bytes;
  static const char *const begins[] = {"reprise: ", "replay diverged: "};
  for (int i = 0; i < 2; i++)
    if (!strncmp(line, begins[i], strlen(begins[i]))) line += strlen(begins[i]);
  snprintf(text, size, "%.*s", (int)size - 1, line);
  plain_text(text);
}

static void judge(struct replica_board *board, enum verdict verdict, int messages) {
  read_message(messages, board->text, sizeof board->text);
  if (!*board->text && verdict == VERDICT_GIVEN_UP)
    snprintf(board->text, sizeof board->text, "it was killed");
  atomic_store(&board->verdict, verdict);
}

/* Replays once; false: to no end that says anything. */
static bool replay_once(struct replica_board *board, const char *path, const struct engine_config *settings,
                        bool last) {
  struct engine_config own = *settings;
  int status, messages = scratch_file("messages", 0);
  fflush(NULL);
  pid_t pid = messages < 0 ? -1 : fork();
  if (!pid) follow(board, path, &own, messages);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  enum verdict verdict = last ? VERDICT_GIVEN_UP : VERDICT_NONE;
  if (pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status)) verdict = VERDICT_VERIFIED;
  if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == DIVERGED) verdict = VERDICT_MISMATCH;
  if (verdict) judge(board, verdict, messages);
  if (messages >= 0) close(messages);
  return verdict;
}

static void leave_descriptors(void) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    close(fd);
    if (null >= 0) dup2(null, fd);
  }
  manager_close_from(STDERR_FILENO + 1);
}

static _Noreturn void keep(struct replica_board *board, const char *path, const struct allowance *allowance,
                           const struct engine_config *settings, pid_t recorder) {
  allowance_return(allowance);
  setpgid(0, 0);
  prctl(PR_SET_NAME, "reprise-replica");
  leave_descriptors();
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != recorder) _exit(1);
  if (nice(NICENESS) == -1) errno = 0; /* it is only polite */
  for (unsigned i = 1; i <= BEGINNINGS && !replay_once(board, path, settings, i == BEGINNINGS); i++) {
  }
  _exit(0);
}

bool replica_begin(struct replica *replica, const char *path, const struct allowance *allowance,
                   const struct engine_config *settings) {
  struct engine_config own = {
      .magic = ENGINE_CONFIG_MAGIC, .first = 1, .program_fd = -1, .keeps_code = settings->keeps_code};
  pid_t recorder = getpid();
  replica->board =
      mmap(NULL, sizeof *replica->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (replica->board == MAP_FAILED) return false;
  fflush(NULL);
  replica->keeper = fork();
  if (!replica->keeper) keep(replica->board, path, allowance, &own, recorder);
  if (replica->keeper > 0) setpgid(replica->keeper, replica->keeper);
  return replica->keeper > 0;
}

/* -- The recorder's side ---------------------------------------------------------------------------------------------------------- */

void replica_drop(struct replica *replica) {
  if (replica->keeper <= 0) return;
  kill(-replica->keeper, SIGKILL);
  while (waitpid(replica->keeper, NULL, 0) < 0 && errno == EINTR) {
  }
  replica->keeper = 0;
}

/* False when the manager is told to wait no longer. Whoever has stopped the replica wants it out of the program's way: the program has ended. */
static bool wait_for(struct replica *replica, uint64_t instructions) {
  struct progress progress;
  struct timespec pause = {0, 5000000};
  progress_begin(&progress, true);
  manager_listen();
  while (!manager_was_told() && waitpid(replica->keeper, NULL, WNOHANG) != replica->keeper) {
    kill(-replica->keeper, SIGCONT);
    if (progress_is_due(&progress))
      progress_tell(&progress, atomic_load(&replica->board->instructions), instructions, " verified");
    nanosleep(&pause, NULL);
  }
  progress_end(&progress);
  return !manager_was_told();
}

/* Where there are too few processors for the replica's threads beside those of the program, says so. */
static void tell_crowd(const struct replica_board *board) {
  cpu_set_t set;
  int processors = sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
  unsigned threads = atomic_load(&board->threads);
  if (processors && 2 * threads > (unsigned)processors)
    fprintf(
        stderr,
        "reprise: up to %u threads, and as many of the replica, on %d processor%s: the program may have been "
        "slower for it\n",
        threads, processors, processors == 1 ? "" : "s");
}

/* Memory may differ for a while in the order of synchronisation (engine/turns/epochs.c). */
static void tell_verified(const struct replica_board *board, bool quiet, char text[REPLICA_TEXT]) {
  unsigned epochs = atomic_load(&board->epochs), unlike = atomic_load(&board->unlike);
  char more[REPLICA_TEXT / 2] = "";
  if (unlike)
    snprintf(more, sizeof more, ", though memory differed at the end%s of %u epoch%s in between",
             unlike == 1 ? "" : "s", unlike, unlike == 1 ? "" : "s");
  snprintf(text, REPLICA_TEXT, "verified%s", more);
  if (quiet) return;
  tell_crowd(board);
  fprintf(stderr, "reprise: verified: the replica did what the program did, in %u epoch%s%s\n", epochs + 1,
          epochs ? "s" : "", more);
}

void replica_end(struct replica *replica, uint64_t instructions, bool quiet, char text[REPLICA_TEXT]) {
  struct replica_board *board = replica->board;
  if (wait_for(replica, instructions))
    replica->keeper = 0;
  else
    replica_drop(replica);
  const char *why = board->text;
  switch (atomic_load(&board->verdict)) {
    case VERDICT_VERIFIED:
      tell_verified(board, quiet, text);
      return;
    case VERDICT_MISMATCH:
      snprintf(text, REPLICA_TEXT, "mismatch: %s", why);
      fprintf(stderr, "reprise: not verified: the replica did something else: %s\n", why);
      return;
    case VERDICT_NONE:
      why = manager_was_told() ? "its recorder was told to wait no longer" : "its keeper was killed";
      break;
  }
  snprintf(text, REPLICA_TEXT, "given up: %s", why);
  fprintf(stderr, "reprise: not verified: the replica was given up: %s\n", why);
}
