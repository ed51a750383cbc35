/* Scripts: "#!" with and without an argument, blanks, no newline, nested four deep and too deep, missing
 * interpreter. */
#include "exec_helpers.h"

int main(int argc, char **argv) {
  if (argc > 1) { /* as an interpreter: show what it was given */
    say("  called with %d:", argc);
    for (int i = 0; i < argc; i++) say(" ["), say_path(argv[i]), say("]");
    say("\n");
    return 0;
  }
  scratch_start();
  char text[5000], *environment[] = {NULL}, *arguments[] = {"my own name", "one", "two words", "", NULL};
  struct {
    const char *what, *format;
  } plain[] = {
      {"no argument", "#!%s\n"},
      {"one argument", "#!%s -x\n"},
      {"words stay one", "#!%s -x  -y z\n"},
      {"blanks", "#! \t %s \t -x \t \n"},
      {"no newline", "#!%s -x"},
      {"carriage return", "#!%s -x\r\n"},
  };
  for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++) {
    snprintf(text, sizeof text, plain[i].format, own_path());
    say("%s\n", plain[i].what);
    execute(plain[i].what, scratch_text("script", text, 0755), arguments, environment);
  }
  char below[4096];
  snprintf(below, sizeof below, "%s", own_path());
  for (int level = 1; level <= 6; level++) {
    char name[16];
    snprintf(name, sizeof name, "level%d", level);
    snprintf(text, sizeof text, "#!%s level%d\n", below, level);
    snprintf(below, sizeof below, "%s", scratch_text(name, text, 0755));
    say("nested %d\n", level);
    execute(name, below, arguments, environment);
  }
  scratch_text("level1", "#!/nonexistent/shell\n", 0755); /* found to be missing before there are too many */
  execute("nested, missing interpreter", below, arguments, environment);
  execute("missing interpreter", scratch_text("s", "#!/nonexistent/shell\n", 0755), arguments, environment);
  execute("empty first line", scratch_text("s", "#!\n", 0755), arguments, environment);
  execute("not executable", scratch_text("s", "#!/bin/sh\n", 0644), arguments, environment);
  execute("interpreter is a directory", scratch_text("s", "#!/tmp\n", 0755), arguments, environment);
  execute("text without #!", scratch_text("s", "echo hello\n", 0755), arguments, environment);
  execute("shell script", scratch_text("s", "#!/bin/sh -e\necho \"shell $# $1 $2\"\nexit 3\n", 0755),
          arguments, environment);
  scratch_end();
  return 0;
}
