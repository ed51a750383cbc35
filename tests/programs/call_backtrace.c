/* backtrace() sees the right number of frames with the right names, also from threads and signal handlers. */
/* cflags: -rdynamic -fno-optimize-sibling-calls -fno-inline */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "check.h"

void *frames[200];
int count;

static void show(int limit) {
  for (int i = 0; i < count && i < limit; i++) {
    Dl_info info;
    if (dladdr((char *)frames[i] - 1, &info) && info.dli_sname) printf(" %s", info.dli_sname);
  }
  puts("");
}

void capture(void) {
  count = backtrace(frames, 200);
}

int descend(int depth) {
  if (depth == 0)
    capture();
  else
    descend(depth - 1);
  return depth + count;
}

void outer(int depth) {
  descend(depth);
  __asm__ volatile("");
}

void on_signal(int signo) {
  (void)signo;
  capture();
}

void raise_here(void) {
  raise(SIGUSR1);
  __asm__ volatile("");
}

void *in_thread(void *arg) {
  outer(2);
  return arg;
}

int main(void) {
  outer(3);
  printf("frames %d:", count);
  show(7);
  outer(0);
  int shallow = count;
  outer(100);
  printf("100 deeper: %d\n", count - shallow);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, in_thread, NULL) == 0 && pthread_join(t, NULL) == 0);
  printf("thread:");
  show(6);
  CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
  raise_here();
  int found = 0;
  for (int i = 0; i < count; i++) {
    Dl_info info;
    if (dladdr((char *)frames[i] - 1, &info) && info.dli_sname)
      found += strcmp(info.dli_sname, "raise_here") == 0;
  }
  printf("through the signal frame: %d\n", found);
  return 0;
}
