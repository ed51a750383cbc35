/* /proc/self/maps: sorted, own program, heap and stack where they are, no file mapped that the program
 * lacks. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <inttypes.h>

static int data = 1;

static int compare(const void *a, const void *b) {
  return strcmp(a, b);
}

int main(void) {
  static char names[64][256], exe[4096];
  int used = 0, local = 0, unsorted = 0, code = 0, own_data = 0, heap = 0, stack = 0;
  uintptr_t previous = 0, low, high;
  char *block = sbrk(4096);
  ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
  CHECK(length > 0 && block != (void *)-1);
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  for (char line[5000]; fgets(line, sizeof line, maps);) {
    char rights[5], path[4096] = "";
    CHECK(sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %4095[^\n]", &low, &high, rights, path) >=
          3);
    unsorted += low < previous || high <= low;
    previous = high;
    int mine = strcmp(path, exe) == 0;
    uintptr_t at = (uintptr_t)compare;
    if (at >= low && at < high) code = mine && strcmp(rights, "r-xp") == 0;
    at = (uintptr_t)&data;
    if (at >= low && at < high) own_data = mine && strcmp(rights, "rw-p") == 0;
    at = (uintptr_t)block;
    if (at >= low && at < high) heap = strcmp(path, "[heap]") == 0 && strcmp(rights, "rw-p") == 0;
    at = (uintptr_t)&local;
    if (at >= low && at < high) stack = strcmp(path, "[stack]") == 0 && strcmp(rights, "rw-p") == 0;
    if (path[0] == '/' && !mine) {
      int known = 0;
      for (int i = 0; i < used; i++) known |= strcmp(names[i], path) == 0;
      if (!known) snprintf(names[used++], sizeof names[0], "%.255s", path);
    }
  }
  fclose(maps);
  say("unsorted %d code %d data %d heap %d stack %d\n", unsorted, code, own_data, heap, stack);
  qsort(names, used, sizeof names[0], compare);
  for (int i = 0; i < used; i++) say("mapped %s\n", names[i]);
  return 0;
}
