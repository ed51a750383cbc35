/* Transfers larger than any buffer of the engine's, between threads that wait for each other; and without the kernel's cache, which
 * wants aligned buffers. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "check.h"

enum { LARGE = 40 << 20, DIRECT = 64 << 10 };

static int ends[2];

static void *drain(void *arg) {
  char *buffer = malloc(LARGE);
  uint64_t sum = 0;
  size_t total = 0;
  for (ssize_t n; total < LARGE && (n = read(ends[0], buffer, LARGE)) > 0; total += (size_t)n)
    for (ssize_t i = 0; i < n; i++) sum = sum * 31 + (unsigned char)buffer[i];
  printf("%zu bytes, sum %lx\n", total, (unsigned long)sum);
  free(buffer);
  return arg;
}

static void through_pipe(void) {
  pthread_t thread;
  char *buffer = malloc(LARGE);
  for (size_t i = 0; i < LARGE; i++) buffer[i] = (char)(i * 2654435761U >> 13);
  CHECK(pipe(ends) == 0 && pthread_create(&thread, NULL, drain, NULL) == 0);
  struct iovec parts[2] = {{buffer, LARGE / 2}, {buffer + LARGE / 2, LARGE / 2}};
  CHECK(writev(ends[1], parts, 2) == LARGE);
  CHECK(pthread_join(thread, NULL) == 0);
  free(buffer);
}

/* The other thread is there only so that this one is not alone. */
static void *wait_for_end(void *arg) {
  char byte;
  CHECK(read(ends[0], &byte, 1) == 1);
  return arg;
}

static void without_cache(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_for_end, NULL) == 0);
  char *buffer = aligned_alloc(4096, DIRECT);
  memset(buffer, 'd', DIRECT);
  int fd = open("file", O_RDWR | O_CREAT | O_DIRECT, 0600);
  if (fd < 0) fd = open("file", O_RDWR | O_CREAT, 0600); /* a file system without it */
  CHECK(fd >= 0 && pwrite(fd, buffer, DIRECT, 0) == DIRECT);
  memset(buffer, 0, DIRECT);
  CHECK(pread(fd, buffer + 4096, DIRECT / 2, 4096) == DIRECT / 2);
  printf("%c%d\n", buffer[4096], buffer[0]);
  CHECK(write(ends[1], "", 1) == 1 && pthread_join(thread, NULL) == 0);
}

int main(void) {
  through_pipe();
  without_cache();
  return 0;
}
