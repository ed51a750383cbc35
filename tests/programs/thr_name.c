/* Thread names: prctl, pthread_setname_np and /proc agree, are inherited, and end after 15 bytes. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "check.h"

static void print_own(const char *who) {
  char name[32] = "", comm[32] = "", path[64];
  CHECK(prctl(PR_GET_NAME, name) == 0);
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)syscall(SYS_gettid));
  FILE *f = fopen(path, "r");
  CHECK(f && fgets(comm, sizeof comm, f));
  fclose(f);
  comm[strcspn(comm, "\n")] = 0;
  printf("%s: %s, %s\n", who, name, comm);
}

static void *worker(void *arg) {
  print_own("inherited");
  CHECK(pthread_setname_np(pthread_self(), "worker") == 0);
  print_own("own");
  CHECK(pthread_setname_np(pthread_self(), "far too long a name") == ERANGE);
  CHECK(prctl(PR_SET_NAME, "far too long a name") == 0);
  print_own("cut");
  return arg;
}

int main(void) {
  char name[32];
  print_own("from the file");
  CHECK(prctl(PR_SET_NAME, "the main one") == 0);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, worker, NULL) == 0 && pthread_join(t, NULL) == 0);
  CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  printf("main: %s\n", name);
  return 0;
}
