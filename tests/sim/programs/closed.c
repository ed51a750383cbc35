/* closed.c: a descriptor that is closed while another thread reads there. What is written then still arrives. Nothing tells the writer that the reader waits,
   so it gives the reader ten milliseconds of the machine's own time: that is exact in the simulator, and would be a hope under an emulator. */
/* status: 0 */
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "program.h"

static int ends[2];

static void *read_there(void *argument) {
  CHECK(!prctl(PR_SET_NAME, "reader") && read(ends[0], argument, 1) == 1);
  return NULL;
}

int main(void) {
  char byte = 0;
  pthread_t thread;
  CHECK(!pipe(ends) && !pthread_create(&thread, NULL, read_there, &byte));
  usleep(10000);
  CHECK(!close(ends[0]) && write(ends[1], "z", 1) == 1 && !pthread_join(thread, NULL));
  printf("%c\n", byte);
  return 0;
}
