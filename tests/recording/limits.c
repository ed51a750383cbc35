/* limits.c: what the machine refuses and what kills: full disks, size limits, read-only folders, no descriptors, SIGKILL. One clear
 * error each time, and what was logged before can be read. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static struct recording_error error;

#define DONE(call) CHECK(!(call), "%s", error.text)

enum { LENGTH = 3000 };

/* The frame that every writer here appends for a number. */
static void numbered(uint8_t bytes[LENGTH], uint64_t number) {
  fill_hard(bytes, LENGTH, (unsigned)number);
}

static int append(struct recording_writer *w, uint64_t number) {
  uint8_t bytes[LENGTH];
  numbered(bytes, number);
  return recording_append(w, INPUT(number % 3), number, number, bytes, LENGTH, &error);
}

/* The frames that can be read back, all checked. Each stream ends as wanted, or in either way if that is RECORDING_OK. */
static uint64_t read_numbers(const char *path, bool complete, int end) {
  struct recording_reader *r;
  struct recording_stream *s;
  struct recording_frame frame;
  uint8_t want[LENGTH];
  uint64_t count = 0;
  if (!DONE(recording_open(path, 0, &r, &error))) return 0;
  CHECK((recording_reader_state(r) == RECORDING_COMPLETE) == complete);
  for (uint32_t thread = 0; thread < 3; thread++) {
    if (recording_stream_open(r, INPUT(thread), &s, &error)) continue;
    uint64_t next = thread;
    int status;
    while (!(status = recording_next(s, &frame, &error))) {
      numbered(want, next);
      CHECK(frame.first == next && frame.length == LENGTH && !memcmp(frame.bytes, want, LENGTH), "frame %llu",
            (unsigned long long)next);
      next += 3;
      count++;
    }
    bool whole = status == RECORDING_END || status == RECORDING_TRUNCATED;
    CHECK(end ? status == end : whole, "%s", error.text);
    recording_stream_close(s);
  }
  recording_reader_close(r);
  return count;
}

/* Appends until it fails; then makes room and goes on as if nothing had been. */
static void fill_up(const char *path, void (*make_room)(void)) {
  struct recording_writer *w;
  uint64_t number = 0;
  if (!DONE(recording_create(path, &w, &error))) return;
  while (!append(w, number)) number++;
  CHECK(error.kind == RECORDING_SYSTEM &&
            (error.number == ENOSPC || error.number == EFBIG || error.number == EDQUOT),
        "%s", error.text);
  CHECK(is_clear(&error) && number > 3, "%s after %llu", error.text, (unsigned long long)number);
  CHECK(append(w, number), "a second try succeeds without room");
  uint64_t count = read_numbers(path, false, RECORDING_TRUNCATED);
  CHECK(count == number, "%llu of %llu", (unsigned long long)count, (unsigned long long)number);
  make_room();
  for (int i = 0; i < 5; i++, number++) DONE(append(w, number));
  DONE(recording_close(w, &error));
  count = read_numbers(path, true, RECORDING_END);
  CHECK(count == number, "%llu of %llu", (unsigned long long)count, (unsigned long long)number);
}

/* -- A full disk --------------------------------------------------------------------------------------------------- */

static void remove_ballast(void) {
  CHECK(!unlink("disk/ballast"));
}

static void fill_disk(void) {
  shell("cat /dev/zero >>disk/rest 2>/dev/null; [ $(stat -f -c %%a disk) = 0 ]");
}

/* Closing where there is no room but the reserve, which is enough; and none for another one. */
static void close_without_room(void) {
  struct recording_writer *w;
  uint64_t number = 0;
  if (!DONE(recording_create("disk/close", &w, &error))) return;
  while (!append(w, number)) number++;
  fill_disk();
  DONE(recording_close(w, &error));
  uint64_t count = read_numbers("disk/close", true, RECORDING_END);
  CHECK(count == number, "%llu of %llu", (unsigned long long)count, (unsigned long long)number);
  fill_disk();
  CHECK(recording_create("disk/another", &w, &error) == RECORDING_SYSTEM && is_clear(&error), "%s",
        error.text);
  CHECK(access("disk/another", F_OK), "half a recording is left");
}

static void full_disk(void) {
  CHECK(!mkdir("disk", 0700));
  if (mount("reprise-test", "disk", "tmpfs", 0, "size=400k,mode=700")) {
    CHECK(errno == EPERM, "%s", strerror(errno)); /* only root may; size limits are tried by everyone */
    return;
  }
  shell("head -c 60k /dev/zero >disk/ballast");
  fill_up("disk/full", remove_ballast);
  struct recording_reader *r;
  DONE(recording_open("disk/full", 0, &r, &error));
  fill_disk();
  CHECK(recording_pack(r, "disk/pack", &error) == RECORDING_SYSTEM && error.number == ENOSPC, "%s",
        error.text);
  CHECK(access("disk/pack", F_OK), "half a pack is left");
  recording_reader_close(r);
  DONE(recording_remove("disk/full", &error));
  CHECK(!unlink("disk/rest"));
  close_without_room();
  CHECK(!umount2("disk", MNT_DETACH));
}

/* -- Limits -------------------------------------------------------------------------------------------------------- */

static void set_file_limit(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
}

static void lift_file_limit(void) {
  set_file_limit(RLIM_INFINITY);
}

static void size_limit(void) {
  set_file_limit(100000);
  fill_up("limited", lift_file_limit);
}

static void no_descriptors(void) {
  struct rlimit old, none;
  struct recording_writer *w, *second;
  struct recording_reader *r;
  struct recording_stream_id ended = {RECORDING_INPUT, 7};
  DONE(recording_create("descriptors", &w, &error));
  DONE(append(w, 0));
  DONE(recording_append(w, ended, 0, 1, "x", 1, &error));
  DONE(recording_end(w, ended, &error)); /* so that the next one has to be opened */
  getrlimit(RLIMIT_NOFILE, &old);
  int lowest = dup(0);
  close(lowest);
  none = (struct rlimit){(rlim_t)lowest, old.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  CHECK(append(w, 1) == RECORDING_SYSTEM && error.number == EMFILE && is_clear(&error), "%s", error.text);
  CHECK(recording_create("second", &second, &error) == RECORDING_SYSTEM, "%s", error.text);
  CHECK(recording_open("descriptors", 0, &r, &error) == RECORDING_SYSTEM, "%s", error.text);
  setrlimit(RLIMIT_NOFILE, &old);
  CHECK(access("second", F_OK), "half a recording is left");
  DONE(append(w, 1));
  DONE(recording_close(w, &error));
  CHECK(read_numbers("descriptors", true, RECORDING_END) == 2);
}

/* In a child without privileges, since root may write anywhere. */
static void read_only(void) {
  shell("mkdir -m 755 locked; chmod 755 .");
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    struct recording_writer *w;
    if (geteuid() == 0 && setuid(65534)) _exit(3);
    if (geteuid() == getuid() && access("locked", W_OK) == 0) chmod("locked", 0555);
    int status = recording_create("locked/recording", &w, &error);
    _exit(status == RECORDING_SYSTEM && error.number == EACCES && is_clear(&error) ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  CHECK(status == 0, "status %x", (unsigned)status);
}

/* -- SIGKILL ------------------------------------------------------------------------------------------------------- */

/* A writer that tells after each frame how far it is, and is killed somewhere on its way. */
static void killed(const char *path, unsigned after) {
  int ends[2];
  CHECK(!pipe(ends));
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    struct recording_writer *w;
    if (recording_create(path, &w, &error)) _exit(1);
    for (uint64_t number = 0;; number++) {
      if (append(w, number)) _exit(1);
      if (write(ends[1], "", 1) != 1) _exit(1);
    }
  }
  close(ends[1]);
  char byte;
  uint64_t known = 0;
  while (known < after && read(ends[0], &byte, 1) == 1) known++;
  kill(child, SIGKILL);
  while (read(ends[0], &byte, 1) == 1) known++;
  int status;
  waitpid(child, &status, 0);
  close(ends[0]);
  CHECK(WIFSIGNALED(status) && known >= after, "status %x after %llu", (unsigned)status,
        (unsigned long long)known);
  uint64_t count = read_numbers(path, false, RECORDING_TRUNCATED);
  CHECK(count == known || count == known + 1, "%llu frames of %llu", (unsigned long long)count,
        (unsigned long long)known);
  DONE(recording_remove(path, &error)); /* the lock died with its holder */
}

int main(void) {
  signal(SIGXFSZ, SIG_IGN);
  enter_scratch();
  full_disk();
  size_limit();
  no_descriptors();
  read_only();
  for (unsigned i = 1; i <= 60; i++) killed("killed", i);
  return verdict();
}
