/* init.c: the first process of Linux on the simulated board: a small shell. It reads lines from the console; each is a program of /bin with its arguments, or `exit`, which
 * powers the machine off, or `crash`, which makes the kernel panic. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 16 };

static void run(char **words) {
  char path[256];
  int status = 0;
  snprintf(path, sizeof path, "/bin/%s", words[0]);
  pid_t child = fork();
  if (!child) {
    execv(path, words);
    perror(path);
    _exit(127);
  }
  waitpid(child, &status, 0);
  if (status) printf("%s: status %d\n", words[0], status);
}

static void crash(void) {
  FILE *trigger = fopen("/proc/sysrq-trigger", "w");
  if (trigger) fputs("c", trigger), fclose(trigger);
  exit(1); /* a kernel whose first process ends panics as well */
}

int main(void) {
  char line[256], *words[WORDS + 1];
  setvbuf(stdout, NULL, _IONBF, 0);
  mount("proc", "/proc", "proc", 0, NULL);
  mount("dev", "/dev", "devtmpfs", 0, NULL);
  printf("init: %ld cpus online\n", sysconf(_SC_NPROCESSORS_ONLN));
  while (printf("# "), fgets(line, sizeof line, stdin)) {
    int count = 0;
    for (char *word = strtok(line, " \n"); word && count < WORDS; word = strtok(NULL, " \n"))
      words[count++] = word;
    words[count] = NULL;
    if (!count) continue;
    if (!strcmp(words[0], "exit")) break;
    if (!strcmp(words[0], "crash")) crash();
    run(words);
  }
  puts("init: power off");
  reboot(RB_POWER_OFF);
  for (;;) pause();
}
