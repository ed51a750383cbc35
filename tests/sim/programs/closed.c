/* closed.c: descriptors that are closed, and timers that are deleted, while another thread is in a call with them. What is written then still arrives. Nothing tells
   the closer that the other waits, so it gives it ten milliseconds of the machine's own time: that is exact in the simulator, and would be a hope under an
   emulator. */
/* status: 0 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static int ends[2];

static void *read_there(void *argument) {
  CHECK(!prctl(PR_SET_NAME, "reader") && read(ends[0], argument, 1) == 1);
  return NULL;
}

static void *receive_there(void *argument) {
  CHECK(recv(ends[0], argument, 1, MSG_WAITALL) == 1);
  return NULL;
}

static void closed_under(void *(*reader)(void *argument), const char *name) {
  char byte = 0;
  pthread_t thread;
  CHECK(!pthread_create(&thread, NULL, reader, &byte));
  usleep(10000);
  CHECK(!close(ends[0]) && write(ends[1], "z", 1) == 1 && !pthread_join(thread, NULL) && !close(ends[1]));
  printf("%s %c\n", name, byte);
}

static void *accept_there(void *argument) {
  int connection = accept(ends[0], NULL, NULL);
  CHECK(connection >= 0 && read(connection, argument, 1) == 1);
  return NULL;
}

static void closed_under_accept(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "closed"};
  char byte = 0;
  pthread_t thread;
  ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
  ends[1] = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(!bind(ends[0], (void *)&name, sizeof name) && !listen(ends[0], 4));
  CHECK(!pthread_create(&thread, NULL, accept_there, &byte));
  usleep(10000);
  CHECK(!close(ends[0]) && !connect(ends[1], (void *)&name, sizeof name) && write(ends[1], "z", 1) == 1);
  CHECK(!pthread_join(thread, NULL) && !close(ends[1]));
  printf("accept %c\n", byte);
  unlink("closed");
}

/* The bytes come out of memory for a long time before they go into the file. */
enum { MANY = 1 << 19 };
static char many[MANY];

static void *write_there(void *argument) {
  long *result = argument;
  *result = pwrite(ends[0], many, MANY, 0);
  return NULL;
}

static void closed_under_write(void) {
  long result = 0;
  pthread_t thread;
  char bytes[64] = "";
  memset(many, 'm', MANY);
  ends[0] = memfd_create("closed", 0);
  ends[1] = dup(ends[0]);
  CHECK(ends[1] >= 0 && !close(ends[0]) && (ends[0] = memfd_create("another", 0)) >= 0);
  CHECK(!pthread_create(&thread, NULL, write_there, &result));
  usleep(20);
  CHECK(!close(ends[0]) && !pthread_join(thread, NULL));
  CHECK(read(ends[1], bytes, sizeof bytes) == 0);
  printf("pwrite %ld\n", result);
  close(ends[1]);
}

/* One thread makes timers and deletes them, the other sets whatever there is. */
static void *set_timers(void *unused) {
  struct itimerspec never = {{0, 0}, {0, 0}}, old;
  for (long n = 0; n < 400; n++) timer_settime((timer_t)(n % 200), 0, &never, &old);
  return unused;
}

static void deleted_under(void) {
  pthread_t thread;
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  CHECK(!pthread_create(&thread, NULL, set_timers, NULL));
  for (int n = 0; n < 200; n++) {
    timer_t timer;
    CHECK(!timer_create(CLOCK_MONOTONIC, &event, &timer) && !timer_delete(timer));
  }
  CHECK(!pthread_join(thread, NULL));
  printf("timers\n");
}

int main(void) {
  CHECK(!pipe(ends));
  closed_under(read_there, "read");
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  closed_under(receive_there, "recv");
  closed_under_accept();
  closed_under_write();
  deleted_under();
  return 0;
}
