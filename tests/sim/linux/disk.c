/* disk.c: threads write to the disk and read it again, each its own part, through the kernel's cache and past it; prints what they found. The first line of the disk is printed as it was. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, PART = 4096, ROUNDS = 6 };
static uint64_t sums[THREADS];

static void *work(void *argument) {
  int number = (int)(intptr_t)argument, file = open("/dev/vda", O_RDWR),
      direct = open("/dev/vda", O_RDWR | O_DIRECT);
  uint8_t *bytes = aligned_alloc(PART, PART);
  for (int round = 0; round < ROUNDS; round++) {
    off_t at = (off_t)(number + 1) * PART;
    memset(bytes, number * 16 + round, PART);
    if (pwrite(file, bytes, PART, at) != PART || fsync(file)) abort();
    memset(bytes, 0, PART);
    if (pread(direct, bytes, PART, at) != PART) abort();
    for (int i = 0; i < PART; i++) sums[number] = sums[number] * 31 + bytes[i];
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  char line[16] = "";
  int file = open("/dev/vda", O_RDONLY);
  if (file < 0 || read(file, line, sizeof line - 1) < 0) {
    perror("/dev/vda");
    return 1;
  }
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("disk: %.7s", line);
  for (int i = 0; i < THREADS; i++) printf(" %lx", (unsigned long)sums[i]);
  printf("\n");
  return 0;
}
