/* A child of vfork has read and written its parent's memory and is another program by now, which waits in the kernel: the parent gets at
 * what the child has touched without waiting for it. */
#include "sys_helpers.h"

enum { WORDS = 4096, STEP = 16 };

static volatile int written[WORDS], only_read[WORDS];

static int wait_for_word(int in) {
  char word;
  if (read(in, &word, 1) != 1) return 1;
  say("the child goes on\n");
  return 3;
}

static void until_asleep(pid_t child) {
  char path[32], text[256] = "", *state;
  snprintf(path, sizeof path, "/proc/%d/stat", child);
  do {
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) exit(1);
    fclose(file);
    state = strrchr(text, ')') + 2;
  } while (*state != 'S');
}

int main(int count, char **arguments) {
  int ends[2];
  if (count > 1) return wait_for_word(atoi(arguments[1]));
  if (pipe(ends)) return 1;
  char in[16];
  snprintf(in, sizeof in, "%d", ends[0]);
  for (int i = 0; i < WORDS; i += STEP) only_read[i] = i;
  pid_t child = vfork();
  if (child == 0) {
    for (int i = 0; i < WORDS; i += STEP) written[i] = only_read[i] + 1;
    execl("/proc/self/exe", "proc_vfork_asked", in, (char *)NULL);
    _exit(127);
  }
  until_asleep(child);
  int sum = 0;
  for (int i = 0; i < WORDS; i += STEP) sum += written[i]++ + only_read[i]++;
  say("the parent has seen %d\n", sum);
  if (write(ends[1], "x", 1) != 1) return 1;
  say_status("child", reap(child));
  return 0;
}
