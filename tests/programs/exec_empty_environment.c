/* A program without any environment: nothing found, entries can be added, children get exactly what is there. */
#include "exec_helpers.h"

extern char **environ;

int main(int argc, char **argv) {
  if (argc > 1) {
    int count = 0;
    for (char **p = environ; p && *p; p++) count++;
    say("%s: count %d PATH %s HOME %s A %s\n", argv[1], count, getenv("PATH") ? "set" : "unset",
        getenv("HOME") ? "set" : "unset", getenv("A") ? getenv("A") : "unset");
    if (strcmp(argv[1], "none") != 0) return 0;
    CHECK(setenv("A", "1", 1) == 0 && setenv("A", "2", 0) == 0 && putenv("B=3") == 0);
    execute("one more", "/proc/self/exe", (char *[]){argv[0], "two", NULL}, environ);
    CHECK(unsetenv("B") == 0);
    execute("one less", "/proc/self/exe", (char *[]){argv[0], "one", NULL}, environ);
    CHECK(clearenv() == 0);
    char *empty[] = {NULL};
    execute("cleared", "/proc/self/exe", (char *[]){argv[0], "cleared", NULL}, environ ? environ : empty);
    char *shell[] = {"sh", "-c", "echo shell knows ${HOME-nothing}; /usr/bin/env | grep -c .", NULL};
    execute("shell", "/bin/sh", shell, empty);
    return 0;
  }
  execute("null list", "/proc/self/exe", (char *[]){argv[0], "null", NULL}, NULL);
  execute("none", "/proc/self/exe", (char *[]){argv[0], "none", NULL}, (char *[]){NULL});
  return 0;
}
