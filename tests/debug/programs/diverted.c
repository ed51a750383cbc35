/* Functions for a debugger to call. The program itself calls none of them but `here`. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int counter;
double ratio = 0.5;
int *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int add(int amount) {
  return counter += amount;
}

double half(double of) {
  return of * ratio;
}

int share(int amount) {
  return *shared += amount;
}

int crash(void) {
  return *(volatile int *)8;
}

int leave(void) {
  _exit(7);
}

int shout(const char *text) {
  return (int)write(1, text, strlen(text));
}

int touch(const char *path) {
  return open(path, O_CREAT | O_WRONLY, 0600);
}

int allocate(int bytes) {
  char *memory = malloc((size_t)bytes);
  memset(memory, 1, (size_t)bytes);
  int last = memory[bytes - 1];
  free(memory);
  return last;
}

int take(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 1;
}

int spin(void) {
  for (;;) counter++;
}

int pass(int value) {
  return add(value) + 1;
}

void here(void) {
  __asm__ volatile("" ::: "memory");
}

static void *hold(void *argument) {
  pthread_mutex_lock(&lock);
  here();
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_t thread;
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  counter = 1;
  *shared = 1;
  here();
  pthread_create(&thread, NULL, hold, NULL);
  pthread_join(thread, NULL);
  here();
  printf("%d %d\n", counter, *shared);
  return 0;
}
