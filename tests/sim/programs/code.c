/* code.c: generated and changed code: FENCE.I by the one who writes it, the system call for all threads. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "program.h"

static uint32_t *code;
static pthread_barrier_t barrier;

/* li a0, value; ret */
static void generate(int value) {
  code[0] = 0x00000513 | (uint32_t)value << 20;
  code[1] = 0x00008067;
}

static int call(void) {
  return ((int (*)(void))code)();
}

static void *other(void *argument) {
  long sum = 0;
  (void)argument;
  for (int i = 0; i < 50; i++) {
    pthread_barrier_wait(&barrier);
    sum += call();
    pthread_barrier_wait(&barrier);
  }
  return (void *)sum;
}

int main(void) {
  pthread_t thread;
  void *sum;
  code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long mine = 0;
  for (int i = 0; i < 100; i++) {
    generate(i);
    __asm__ volatile("fence.i" ::: "memory");
    mine += call();
  }
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, other, NULL);
  for (int i = 0; i < 50; i++) {
    generate(i * 2);
    __builtin___clear_cache((char *)code, (char *)(code + 2));
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
  }
  pthread_join(thread, &sum);
  printf("%ld %ld\n", mine, (long)sum);
  return 0;
}
