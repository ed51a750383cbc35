/* A system call writes what the program has written before. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char received[8];

static void prepare(void) {
  memset(received, 'x', sizeof received);
}

int main(void) {
  int ends[2];
  prepare();
  if (pipe(ends) || write(ends[1], "hello", 6) != 6) return 1;
  if (read(ends[0], received, sizeof received) != 6) return 1;
  puts(received);
  return 0;
}
