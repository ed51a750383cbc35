/* planted.c: makes the one call whose row the audit engine has wrong on purpose (src/input/walk.c, is_planted). */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  unsigned processor = ~0U;
  (void)arguments;
  if (syscall(SYS_getcpu, &processor, NULL, count > 1 ? 0x706c616eL : 0L)) return 1;
  puts(processor == ~0U ? "nothing" : "written");
  return 0;
}
