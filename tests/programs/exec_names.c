/* What a program can learn of its own name: argv[0] of any kind, links, copies, deleted and anonymous
 * files. */
#include "exec_helpers.h"
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>

static int show(int argc, char **argv) {
  char name[17] = "", link[4096];
  CHECK(prctl(PR_GET_NAME, name) == 0);
  ssize_t length = readlink("/proc/self/exe", link, sizeof link - 1);
  CHECK(length > 0);
  link[length] = 0;
  char *file = (char *)getauxval(AT_EXECFN);
  say("  argc %d argv0 [%s] comm [%s] exe [%s] file [%s]\n", argc,
      argv[0] ? strncmp(argv[0], "/tmp", 4) ? argv[0] : "DIR" : "null", name, strrchr(link, '/'),
      strncmp(file, "/dev/fd", 7) ? strrchr(file, '/') ? strrchr(file, '/') : file : "/dev/fd/N");
  return argc;
}

int main(int argc, char **argv) {
  if (getenv("CHILD")) return show(argc, argv);
  scratch_start();
  char *environment[] = {"CHILD=1", NULL}, *copy = scratch_copy_self("a-name-longer-than-fifteen");
  CHECK(symlink(copy, scratch_path("link")) == 0 && link(copy, scratch_path("hard")) == 0);
  execute("other name", copy, (char *[]){"something else entirely", NULL}, environment);
  execute("empty name", copy, (char *[]){"", NULL}, environment);
  execute("no arguments at all", copy, (char *[]){NULL}, environment);
  execute("symbolic link", scratch_path("link"), (char *[]){"x", NULL}, environment);
  execute("hard link", scratch_path("hard"), (char *[]){"x", NULL}, environment);
  CHECK(chdir(scratch) == 0);
  execute("relative", "./hard", (char *[]){"x", NULL}, environment);
  execute("without a slash", "hard", (char *[]){"x", NULL}, environment);
  execute("through ..", "../../proc/self/cwd/hard", (char *[]){"x", NULL}, environment);
  int opened = open(copy, O_RDONLY);
  CHECK(opened >= 0 && unlink(copy) == 0 && unlink(scratch_path("hard")) == 0);
  pid_t child = fork();
  if (child == 0) _exit(fexecve(opened, (char *[]){"deleted", NULL}, environment));
  say_status("deleted file", reap(child));
  int memory = memfd_create("in memory", 0), self = open("/proc/self/exe", O_RDONLY);
  for (ssize_t n; (n = sendfile(memory, self, NULL, 1 << 20)) > 0;) continue;
  child = fork();
  if (child == 0) _exit(fexecve(memory, (char *[]){"anonymous", NULL}, environment));
  say_status("memory file", reap(child));
  CHECK(chdir("/") == 0);
  scratch_end();
  return 0;
}
