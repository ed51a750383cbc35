/* Reads into buffers far larger than what there is to read, by threads that use other parts of them meanwhile: what a read costs, and
 * what it takes from others, is what was read. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "sys_helpers.h"

enum { ROUNDS = 500, THREADS = 3 };
#define BUFFER (64UL << 20)

static char *buffer;
static int empty[2];

/* Counts far behind what is read, in the same buffer. */
static void *count(void *place) {
  volatile int *word = (int *)(buffer + BUFFER / 2) + (long)place * 1024;
  for (int i = 0; i < ROUNDS; i++) {
    CHECK(read(empty[0], buffer, BUFFER) == -1 && errno == EAGAIN);
    ++*word;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int ends[2], sockets[2];
  buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(buffer != MAP_FAILED && !pipe2(empty, O_NONBLOCK) && !pipe(ends));
  CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets));
  for (int i = 0; i < ROUNDS; i++) CHECK(read(empty[0], buffer, BUFFER) == -1);
  for (long i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, count, (void *)i));
  for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(threads[i], NULL));
  for (int i = 0; i < THREADS; i++) say("%d ", ((int *)(buffer + BUFFER / 2))[i * 1024]);
  CHECK(write(ends[1], "pipe", 4) == 4 && send(sockets[0], "socket", 6, 0) == 6);
  long got = read(ends[0], buffer + 10, BUFFER - 10);
  say("%ld %.4s ", got, buffer + 10);
  got = recv(sockets[1], buffer + 20, BUFFER - 20, 0);
  say("%ld %.6s ", got, buffer + 20);
  struct iovec parts[2] = {{buffer, 3}, {buffer + BUFFER / 4, BUFFER / 4}};
  CHECK(write(ends[1], "vector", 6) == 6);
  got = readv(ends[0], parts, 2);
  say("%ld %.3s %.3s\n", got, buffer, buffer + BUFFER / 4);
  return 0;
}
