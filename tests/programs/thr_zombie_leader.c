/* Threads that leave by the bare exit system call: whose status counts, and who keeps the process alive. */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

static void *outlive(void *arg) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
  while (state != 'Z') { /* the leader stays as a zombie while a thread lives */
    FILE *f = fopen(path, "r");
    CHECK(f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1);
    fclose(f);
  }
  syscall(SYS_exit, (int)(long)arg);
  return NULL;
}

static void *early(void *arg) {
  syscall(SYS_exit, 9);
  return arg;
}

int main(void) {
  for (long variant = 0; variant < 3; variant++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      pthread_t t;
      if (variant == 0) CHECK(pthread_create(&t, NULL, outlive, (void *)6) == 0);
      if (variant == 1) CHECK(pthread_create(&t, NULL, outlive, (void *)0) == 0);
      if (variant == 2) {
        CHECK(pthread_create(&t, NULL, early, NULL) == 0);
        CHECK(pthread_join(t, NULL) == 0); /* the kernel still clears the tid word */
      }
      syscall(SYS_exit, 5);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    printf("variant %ld: exited %d, status %d\n", variant, WIFEXITED(status), WEXITSTATUS(status));
  }
  return 0;
}
