/* A program that executes itself 60 times: same pid, growing environment, alarm and working directory
 * kept. */
#include "sys_helpers.h"

int main(int argc, char **argv) {
  int round = argc > 1 ? atoi(argv[1]) : 0;
  char number[16], pid[16], here[4096];
  if (round == 0) {
    snprintf(pid, sizeof pid, "%d", getpid());
    CHECK(setenv("FIRST_PID", pid, 1) == 0 && setenv("TRAIL", "", 1) == 0 && chdir("/usr") == 0);
    alarm(1000);
  }
  CHECK(atoi(getenv("FIRST_PID")) == getpid() && strlen(getenv("TRAIL")) == (size_t)round);
  if (round < 60) {
    char trail[80];
    snprintf(number, sizeof number, "%d", round + 1);
    snprintf(trail, sizeof trail, "%s%c", getenv("TRAIL"), 'a' + round % 26);
    CHECK(setenv("TRAIL", trail, 1) == 0);
    execl("/proc/self/exe", argv[0], number, (char *)NULL);
    CHECK(!"execl returned");
  }
  say("%s\n%s alarm kept %d\n", getenv("TRAIL"), getcwd(here, sizeof here), alarm(0) > 900);
  return round;
}
