/* execve hands over arguments and environment byte for byte, in order, empty ones and duplicates included. */
#include "sys_helpers.h"

extern char **environ;

static void dump(const char *kind, char **list) {
  int count = 0;
  for (char **p = list; *p; p++) {
    say("%s %d:", kind, count++);
    for (unsigned char *c = (unsigned char *)*p; *c; c++) say(*c > 32 && *c < 127 ? "%c" : "\\%02x", *c);
    say("\n");
  }
  say("%s count %d\n", kind, count);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    dump("argument", argv);
    dump("environment", environ);
    CHECK(argv[argc] == NULL);
    return argc;
  }
  static char long_one[5000];
  memset(long_one, 'z', 100);
  char *arguments[] = {"name of\tmine", "",  " ", "a=b", "\xff\xfe\x01\n", "", "--", "-", long_one,
                       "\xe2\x82\xac",  NULL};
  char *environment[] = {"A=1", "EMPTY=", "=odd", "no equals sign", "A=2", "BYTES=\x80\x81\n\t", "", NULL};
  execve("/proc/self/exe", arguments, environment);
  CHECK(!"execve returned");
}
