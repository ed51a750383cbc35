/* places.c: where recordings go, what they are called, listing and removing. */
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static struct recording_error error;
static char folder[4000]; /* the scratch folder */

#define DONE(call) CHECK(!(call), "%s", error.text)

/* -- The default place --------------------------------------------------------------------------------------------- */

static void set_home(const char *own, const char *data, const char *home) {
  const char *const names[] = {"REPRISE_DIR", "XDG_DATA_HOME", "HOME"}, *const values[] = {own, data, home};
  for (int i = 0; i < 3; i++) values[i] ? setenv(names[i], values[i], 1) : unsetenv(names[i]);
}

static void expect_home(const char *own, const char *data, const char *home, const char *want) {
  char path[RECORDING_PATH_MAX] = "";
  set_home(own, data, home);
  DONE(recording_home(path, &error));
  CHECK(!strcmp(path, want), "%s, not %s", path, want);
}

/* The user's own, from the system. In a container it may not know the user. */
static void expect_home_of_user(void) {
  char path[RECORDING_PATH_MAX] = "";
  set_home(NULL, NULL, NULL);
  if (getpwuid(geteuid()))
    DONE(recording_home(path, &error));
  else
    CHECK(recording_home(path, &error) == RECORDING_ABSENT && is_clear(&error), "%s", error.text);
}

static void home(void) {
  expect_home("/a", "/b", "/c", "/a");
  expect_home("", "/b", "/c", "/b/reprise");
  expect_home(NULL, "relative", "/c", "/c/.local/share/reprise");
  expect_home(NULL, NULL, "/c", "/c/.local/share/reprise");
  expect_home_of_user();
  char *longest = malloc(5000);
  memset(longest, 'a', 4999);
  longest[0] = '/';
  longest[4999] = '\0';
  char path[RECORDING_PATH_MAX];
  setenv("REPRISE_DIR", longest, 1);
  CHECK(recording_home(path, &error) == RECORDING_SYSTEM && is_clear(&error), "%s", error.text);
  free(longest);
  unsetenv("REPRISE_DIR");
  setenv("HOME", folder, 1);
}

static void create(const char *program, const char *want) {
  struct recording_writer *w;
  char link[4096] = "", path[RECORDING_PATH_MAX];
  if (!DONE(recording_create_default(program, &w, &error))) return;
  const char *name = strrchr(recording_writer_path(w), '/') + 1;
  CHECK(!strcmp(name, want), "%s", name);
  DONE(recording_close(w, &error));
  DONE(recording_resolve(NULL, path, &error));
  CHECK(readlink(path, link, sizeof link - 1) > 0 && !strcmp(link, want), "latest is %s", link);
  DONE(recording_resolve(want, path, &error));
  CHECK(strstr(path, folder) == path, "%s", path);
}

static void names(void) {
  char path[RECORDING_PATH_MAX];
  CHECK(recording_resolve(NULL, path, &error) == RECORDING_ABSENT && is_clear(&error), "%s", error.text);
  create("/usr/bin/env", "env-0");
  create("env", "env-1");
  create("./my program\n", "my_program_-0");
  create("..", "_.-0");
  create("-x", "_x-0");
  create("", "program-0");
  shell(
      "mkdir .local/share/reprise/env-7 .local/share/reprise/env-x "
      ".local/share/reprise/env-99999999999999999999");
  create("env", "env-8");
  CHECK(recording_resolve("none", path, &error) == RECORDING_ABSENT && is_clear(&error), "%s", error.text);
  CHECK(recording_resolve("./env-0", path, &error) == RECORDING_ABSENT, "%s", error.text);
  CHECK(recording_resolve("", path, &error) == RECORDING_ABSENT, "%s", error.text);
  shell("mkdir here");
  DONE(recording_resolve("here", path, &error));
  CHECK(!strcmp(path, "here"));
  struct stat info;
  CHECK(!stat(".local/share/reprise/env-0/manifest", &info) && (info.st_mode & 0777) == 0600,
        "others may read it");
  CHECK(!stat(".local/share/reprise/env-0", &info) && (info.st_mode & 0777) == 0700, "others may enter it");
}

/* Many at the same time: every one gets a name of its own, with no gap. */
static void race(void) {
  enum { PROCESSES = 8, EACH = 20 };
  fflush(stdout);
  for (int i = 0; i < PROCESSES; i++) {
    if (fork()) continue;
    for (int k = 0; k < EACH; k++) {
      struct recording_writer *w;
      if (recording_create_default("race", &w, &error) || recording_close(w, &error)) _exit(1);
    }
    _exit(0);
  }
  int status, failures = 0;
  while (wait(&status) > 0) failures += status != 0;
  CHECK(!failures, "%d processes failed", failures);
  for (int i = 0; i < PROCESSES * EACH; i++) {
    char path[256];
    struct recording_reader *r;
    snprintf(path, sizeof path, ".local/share/reprise/race-%d", i);
    if (DONE(recording_open(path, 0, &r, &error))) recording_reader_close(r);
  }
  shell("[ -L .local/share/reprise/latest ] && [ -z \"$(ls -A .local/share/reprise | grep latest-)\" ]");
}

/* -- Listing ------------------------------------------------------------------------------------------------------- */

struct seen {
  unsigned complete, unfinished, live, packed, damaged, version;
  uint64_t bytes;
};

static int see(const struct recording_info *info, void *context) {
  struct seen *seen = context;
  seen->damaged += info->status == RECORDING_DAMAGED || info->status == RECORDING_NOT_ONE;
  seen->version += info->status == RECORDING_OTHER_VERSION;
  if (info->status) return 0;
  seen->complete += info->state == RECORDING_COMPLETE && !info->packed;
  seen->packed += info->packed;
  seen->unfinished += info->state == RECORDING_UNFINISHED;
  seen->live += info->state == RECORDING_LIVE;
  seen->bytes += info->bytes;
  CHECK(recording_get(info->details, "created", 0));
  return 0;
}

static void list(void) {
  struct recording_writer *w;
  struct recording_reader *r;
  struct seen seen = {0};
  DONE(recording_list("no/such/folder", see, &seen, &error));
  shell("mkdir list; cd list; mkdir folder; echo text >file; ln -s complete latest; mkfifo pipe");
  make_small("list/complete", true);
  make_small("list/unfinished", false);
  make_small("list/damaged", true);
  make_small("list/version", true);
  make_small("list/unlike", true);
  DONE(recording_create("list/live", &w, &error));
  DONE(recording_open("list/complete", 0, &r, &error));
  DONE(recording_pack(r, "list/pack", &error));
  recording_reader_close(r);
  shell(
      "cd list; echo x >>damaged/manifest; sed -i 's/g: 7/g: 9/' version/manifest; sed -i "
      "s/reprise/surprise/ unlike/manifest");
  DONE(recording_list("list", see, &seen, &error));
  CHECK(seen.complete == 1 && seen.unfinished == 1 && seen.live == 1 && seen.packed == 1, "%u %u %u %u",
        seen.complete, seen.unfinished, seen.live, seen.packed);
  CHECK(seen.damaged == 2 && seen.version == 1, "%u %u", seen.damaged, seen.version);
  CHECK(seen.bytes > 5000, "%llu", (unsigned long long)seen.bytes);
  CHECK(recording_list("list/file", see, &seen, &error) == RECORDING_SYSTEM && is_clear(&error), "%s",
        error.text);
  CHECK(recording_describe("list/none", see, &seen, &error) == RECORDING_ABSENT, "%s", error.text);
  DONE(recording_close(w, &error));
}

/* -- Removing ------------------------------------------------------------------------------------------------------ */

static void refuse(const char *path, int want) {
  shell("cp -a %s before 2>/dev/null || :", path);
  CHECK(recording_remove(path, &error) == want && is_clear(&error), "%s: %s", path, error.text);
  if (want != RECORDING_ABSENT) shell("diff -r --no-dereference %s before", path);
  shell("rm -rf before");
}

static void removal(void) {
  struct recording_writer *w;
  struct recording_reader *r;
  shell("mkdir rm rm/empty; echo text >rm/file; echo manifest >rm/manifest");
  refuse("rm/empty", RECORDING_NOT_ONE);
  refuse("rm/file", RECORDING_NOT_ONE);
  refuse("rm", RECORDING_NOT_ONE);
  refuse("rm/none", RECORDING_ABSENT);
  refuse("rm/file/below", RECORDING_ABSENT);
  static const char *const strangers[] = {"notes", "streams/notes", "streams/input-01", "files/notes",
                                          "files/incoming.c"};
  for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
    make_small("rm/strange", true);
    shell("echo mine >rm/strange/%s", strangers[i]);
    refuse("rm/strange", RECORDING_NOT_ONE);
    shell("rm rm/strange/%s; mkdir rm/strange/%s", strangers[i], strangers[i]);
    refuse("rm/strange", RECORDING_NOT_ONE);
    shell("rm -r rm/strange");
  }
  make_small("rm/nested", true);
  shell(
      "rm rm/nested/streams/input-0; mkdir rm/nested/streams/input-0; echo mine "
      ">rm/nested/streams/input-0/file");
  refuse("rm/nested", RECORDING_NOT_ONE);

  make_small("rm/small", true);
  DONE(recording_open("rm/small", 0, &r, &error));
  CHECK(recording_remove("rm/small", &error) == RECORDING_BUSY && is_clear(&error), "%s", error.text);
  DONE(recording_pack(r, "rm/pack", &error));
  recording_reader_close(r);
  shell("cd rm; ln -s small latest; echo outside >outside; touch small/manifest.new small/files/incoming");
  shell(
      "cd rm/small/streams; rm input-0; ln -s ../../outside input-0"); /* the link goes, not what it points to */
  DONE(recording_remove("rm/latest", &error));
  shell("cd rm; [ ! -e small ] && [ ! -L latest ] && [ \"$(cat outside)\" = outside ]");
  DONE(recording_remove("rm/pack", &error));
  CHECK(access("rm/pack", F_OK));
  DONE(recording_create("rm/live", &w, &error));
  CHECK(recording_remove("rm/live", &error) == RECORDING_BUSY, "%s", error.text);
  recording_abandon(w);
  shell("cd rm; ln -s other latest; truncate -s 30 live/manifest");
  DONE(recording_remove("rm/live", &error)); /* unfinished and damaged */
  shell("[ -L rm/latest ]");
}

/* -- Contents that recordings share ----------------------------------------------------------------------------------- */

static bool lasting; /* the files that are kept next */

/* A recording in the default place, or at path, with this file in it; *content is what it has kept. */
static void keep_one(const char *path, const char *file, struct stat *content) {
  struct recording_writer *w;
  uint32_t number;
  int fd = open(file, O_RDONLY);
  char found[4096];
  memset(content, 0, sizeof *content);
  if (!DONE(path ? recording_create(path, &w, &error) : recording_create_default("kept", &w, &error))) return;
  DONE(lasting ? recording_add_lasting_file(w, fd, file, &number, &error)
               : recording_add_file(w, fd, file, &number, &error));
  close(fd);
  snprintf(found, sizeof found, "%s", recording_writer_path(w));
  DONE(recording_close(w, &error));
  shell("ls -d %s/files/* >found", found);
  size_t length;
  char *name = (char *)slurp("found", &length);
  name[length - 1] = '\0';
  CHECK(!stat(name, content), "%s", name);
  free(name);
}

static void verify_one(const char *path) {
  struct recording_reader *r;
  if (!DONE(recording_open(path, 0, &r, &error))) return;
  DONE(recording_verify(r, &error));
  recording_reader_close(r);
}

static void shared_contents(void) {
  struct stat original, one, two, three;
  setenv("REPRISE_DIR", "place", 1);
  shell("seq 50000 >original; touch -d '1 hour ago' original");
  keep_one(NULL, "original", &one);
  keep_one(NULL, "original", &two);
  keep_one("outside", "original", &three);
  keep_one("place/inside", "original", &original);
  CHECK(one.st_ino == two.st_ino && one.st_ino == original.st_ino, "two copies in one place");
  CHECK(three.st_ino != one.st_ino, "a link to the outside");
  CHECK(!stat("original", &original) && original.st_nlink == 1, "a link to the original");

  DONE(recording_remove("place/kept-0", &error)); /* in any order, by any means */
  verify_one("place/kept-1");
  shell("rm -rf place/inside");
  verify_one("place/kept-1");
  shell("[ $(ls place/.contents-* | wc -l) = 1 ]");
  DONE(recording_remove("place/kept-1", &error));
  shell("[ $(ls place/.contents-* | wc -l) = 0 ]");

  keep_one(NULL, "original", &one);
  shell("rm -rf place/.contents-*");
  verify_one("place/kept-0");
  keep_one(NULL, "original", &two);
  CHECK(one.st_ino != two.st_ino);
  /* One that was damaged is not given to others. */
  shell("cd place/.contents-*; chmod 600 *; printf x | dd of=$(ls) conv=notrunc status=none; chmod 400 *");
  keep_one(NULL, "original", &three);
  CHECK(two.st_ino != three.st_ino, "damaged content was taken");
  verify_one("place/kept-2");
  /* Nor is one from a folder that others can write to. */
  shell("chmod 777 place/.contents-*");
  keep_one(NULL, "original", &two);
  CHECK(two.st_ino != three.st_ino, "taken from where others can write");
  shell("rm -rf place/.contents-*; ln -s ../elsewhere place/.contents-$(id -u); mkdir elsewhere");
  keep_one(NULL, "original", &two);
  shell("[ $(ls elsewhere | wc -l) = 0 ]");
  shell("rm -rf place");
}

/* A file that lasts is read once: what was noted of it then is good for as long as file and content are the same. */
static void known_originals(void) {
  struct stat one, two, three;
  setenv("REPRISE_DIR", "place", 1);
  shell("mkdir place; seq 50000 >original; touch -d '1 hour ago' original");
  lasting = true;
  keep_one(NULL, "original", &one);
  shell("[ $(ls place/.contents-* | grep -c ^from-) = 1 ]");
  /* It is not read again: the content may even be wrong, as long as that does not show. */
  shell(
      "cd place/.contents-*; c=$(ls | grep -v ^from-); chmod 600 $c; touch -r $c ../time; "
      "printf x | dd of=$c conv=notrunc status=none; touch -r ../time $c; chmod 400 $c; rm ../time");
  keep_one(NULL, "original", &two);
  CHECK(one.st_ino == two.st_ino, "a file that lasts was read again");
  /* But a content that was written to, or replaced, is not the one that was noted. */
  shell(
      "cd place/.contents-*; c=$(ls | grep -v ^from-); chmod 600 $c; printf y | dd of=$c conv=notrunc "
      "status=none; chmod 400 $c");
  keep_one(NULL, "original", &two);
  CHECK(one.st_ino != two.st_ino, "a content that was written to was taken");
  verify_one("place/kept-2");
  shell("cd place/.contents-*; c=$(ls | grep -v ^from-); cp -p $c ../other; mv -f ../other $c");
  keep_one(NULL, "original", &three);
  CHECK(two.st_ino != three.st_ino, "a content of another inode was taken");
  verify_one("place/kept-3");
  /* A file that was changed has another identity, even if its size and time of modification are as before. */
  shell("touch -r original time; printf z | dd of=original conv=notrunc status=none; touch -r time original");
  keep_one(NULL, "original", &one);
  CHECK(one.st_ino != three.st_ino, "the content of before was taken");
  verify_one("place/kept-4");
  /* Garbage leads nowhere. */
  shell("cd place/.contents-*; for n in from-*; do rm $n; ln -s ../../original $n; done");
  keep_one(NULL, "original", &two);
  verify_one("place/kept-5");
  for (int i = 0; i < 6; i++) {
    char name[32];
    snprintf(name, sizeof name, "place/kept-%d", i);
    DONE(recording_remove(name, &error));
  }
  shell("[ $(ls place/.contents-* | wc -l) = 0 ]");
  lasting = false;
  shell("rm -rf place");
}

/* Whoever comes first, there is one copy. */
static void shared_at_once(void) {
  enum { WRITERS = 6 };
  struct stat content;
  pid_t children[WRITERS];
  shell("mkdir -p place; seq 400000 >original; touch -d '1 hour ago' original");
  for (int i = 0; i < WRITERS; i++) {
    children[i] = fork();
    if (children[i]) continue;
    struct recording_writer *w;
    uint32_t number;
    bool fine = !recording_create_default("kept", &w, &error) &&
                !recording_add_file(w, open("original", O_RDONLY), "original", &number, &error) &&
                !recording_close(w, &error);
    _exit(!fine);
  }
  for (int i = 0; i < WRITERS; i++) {
    int status;
    CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0, "a writer failed");
  }
  keep_one(NULL, "original", &content);
  CHECK(content.st_nlink == WRITERS + 2, "%d links", (int)content.st_nlink);
  shell("rm -rf place");
}

int main(void) {
  enter_scratch();
  if (!getcwd(folder, sizeof folder)) return 2;
  home();
  names();
  race();
  list();
  removal();
  shared_contents();
  known_originals();
  shared_at_once();
  return verdict();
}
