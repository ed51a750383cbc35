/* Constructors, init arrays with arguments, ifuncs, weak symbols, atexit order and destructors. */
#include <stdlib.h>

#include "check.h"

static int steps[16], count;

static __attribute__((constructor(101))) void first(void) {
  steps[count++] = 1;
}
static __attribute__((constructor(102))) void second(void) {
  steps[count++] = 2;
}
static __attribute__((constructor)) void with_arguments(int argc, char **argv, char **envp) {
  CHECK(argc >= 1 && argv[0] && argv[argc] == NULL && envp);
  steps[count++] = 3;
}
static __attribute__((destructor(101))) void last(void) {
  puts("destructor 101");
}
static __attribute__((destructor(102))) void before_last(void) {
  puts("destructor 102");
}

extern int missing(void) __attribute__((weak));

#ifdef __x86_64__
static int implementation_a(int x) {
  return x + 1;
}
static __attribute__((used)) int (*resolve(void))(int) {
  __builtin_cpu_init();
  return implementation_a;
}
int chosen(int x) __attribute__((ifunc("resolve")));
#else
static int chosen(int x) {
  return x + 1;
}
#endif

static void on_exit_a(void) {
  puts("atexit a");
}
static void nested(void) {
  puts("atexit registered while exiting");
}
static void on_exit_b(void) {
  puts("atexit b");
  CHECK(atexit(nested) == 0);
}

int main(void) {
  for (int i = 0; i < count; i++) printf("constructor %d\n", steps[i]);
  printf("weak %d, ifunc %d\n", missing != NULL, chosen(41));
  CHECK(atexit(on_exit_a) == 0 && atexit(on_exit_b) == 0);
  puts("main");
  return 0;
}
