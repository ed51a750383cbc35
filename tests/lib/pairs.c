/* pairs: records a program and replays the recording, again and again, several pairs at a time.
 *
 *   pairs REPRISE FOLDER PAIRS JOBS ORDER CHAOS WITHOUT PROGRAM [ARGUMENT…]
 *     FOLDER   for the recordings, of which only the bad ones stay: FOLDER/NUMBER with recording, recorded, replayed and what was said
 *     ORDER    the order scheme, or SCHEME+VALUES: with --values=VALUES
 *     CHAOS    1: with chunks of random sizes, another seed for each pair
 *     WITHOUT  predictors that are switched off, may be empty
 *
 * A pair is good when both end with 0 and have printed the same, and something. Prints "GOOD BAD DIFFERENT": how many pairs, and how many
 * different outputs the good ones have. Nothing it started is left when it is ended.
 *
 * (A shell would take longer for a pair than the recorder does.) */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MOST = 1 << 16, SECONDS = 300, DEPTH = 16 };

static const char *reprise, *order, *folder, *without;
static char **program;
static int is_chaotic;

static void die(const char *what) {
  fprintf(stderr, "pairs: %s: %s\n", what, strerror(errno));
  _exit(2);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)status, (void)type, (void)place;
  return remove(path);
}

static void remove_all(const char *path) {
  if (nftw(path, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS) && errno != ENOENT) die(path);
}

static void send_to(const char *path, int fd) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, fd) < 0) die(path);
  close(file);
}

/* Whether the command ends with 0, in time. */
static int succeeds(char **command, const char *output, const char *errors) {
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (!pid) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    send_to(output, STDOUT_FILENO);
    send_to(errors, STDERR_FILENO);
    alarm(SECONDS); /* stays in force for the program */
    execv(command[0], command);
    die(command[0]);
  }
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) die("waitpid");
  return !status;
}

static size_t content(const char *path, char *bytes) {
  int fd = open(path, O_RDONLY);
  ssize_t n = fd < 0 ? -1 : read(fd, bytes, OUTPUT_MOST);
  if (n < 0 || n == OUTPUT_MOST) die(path);
  close(fd);
  return (size_t)n;
}

static uint64_t digest(const char *bytes, size_t count) { /* FNV-1a */
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; i++) hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001b3;
  return hash;
}

/* 0: not equal; else what it printed, in short. The current directory is the pair's. */
static uint64_t run_pair(unsigned long number) {
  static char recorded[OUTPUT_MOST], replayed[OUTPUT_MOST], option[64], chaos[64], off[256], by_value[64];
  char *record[64] = {(char *)reprise, "record", option, "-o", "recording"},
       *replay[] = {(char *)reprise, "replay", "recording", NULL};
  size_t n = 5;
  const char *values = strchr(order, '+');
  int length = values ? (int)(values - order) : (int)strlen(order);
  snprintf(option, sizeof option, "--order=%.*s", length, order);
  snprintf(by_value, sizeof by_value, "--values=%s", values ? values + 1 : "off");
  if (values) record[n++] = by_value;
  snprintf(chaos, sizeof chaos, "--chaos=%lu", number);
  snprintf(off, sizeof off, "--without=%s", without);
  if (is_chaotic) record[n++] = chaos;
  if (*without) record[n++] = off;
  record[n++] = "--";
  for (char **argument = program; *argument && n < 63; argument++) record[n++] = *argument;
  if (!succeeds(record, "recorded", "record.err") || !succeeds(replay, "replayed", "replay.err")) return 0;
  size_t count = content("recorded", recorded);
  if (!count || content("replayed", replayed) != count || memcmp(recorded, replayed, count)) return 0;
  return digest(recorded, count) | 1;
}

/* Every JOBS-th pair; what they printed goes to the pipe, eight bytes a pair. */
static void work(unsigned long first, unsigned long pairs, unsigned long jobs, int results) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (unsigned long number = first; number < pairs; number += jobs) {
    char own[4096];
    snprintf(own, sizeof own, "%s/%lu", folder, number);
    remove_all(own);
    if (mkdir(own, 0700) || chdir(own)) die(own);
    uint64_t result = run_pair(number);
    if (result) remove_all(own);
    if (write(results, &result, sizeof result) != sizeof result) die("write");
  }
  _exit(0);
}

static int compare(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

int main(int argc, char **argv) {
  if (argc < 9) {
    fprintf(stderr, "usage: pairs REPRISE FOLDER PAIRS JOBS ORDER CHAOS WITHOUT PROGRAM [ARGUMENT…]\n");
    return 2;
  }
  reprise = realpath(argv[1], NULL), folder = realpath(argv[2], NULL), order = argv[5], program = argv + 8;
  unsigned long pairs = strtoul(argv[3], NULL, 10), jobs = strtoul(argv[4], NULL, 10);
  is_chaotic = !strcmp(argv[6], "1"), without = argv[7];
  program[0] = realpath(program[0], NULL);
  if (!reprise || !folder || !program[0] || !jobs) die("arguments");
  int results[2];
  if (pipe(results)) die("pipe");
  for (unsigned long job = 0; job < jobs; job++) {
    pid_t pid = fork();
    if (pid < 0) die("fork");
    if (!pid) work(job, pairs, jobs, results[1]);
  }
  close(results[1]);
  uint64_t *printed = calloc(pairs + 1, sizeof *printed);
  unsigned long good = 0, different = 0, seen = 0;
  if (!printed) die("calloc");
  while (seen < pairs && read(results[0], &printed[good], sizeof *printed) == sizeof *printed) {
    seen++;
    good += printed[good] != 0;
  }
  qsort(printed, good, sizeof *printed, compare);
  for (unsigned long i = 0; i < good; i++) different += !i || printed[i] != printed[i - 1];
  printf("%lu %lu %lu\n", good, pairs - good, different);
  return good != pairs;
}
