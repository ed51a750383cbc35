/* planted.c: makes calls of which the recorder does not know what they write.
 *
 *   planted            one that it does know
 *   planted planted    the one whose row the audit engine has wrong on purpose (src/input/walk.c, is_planted)
 *   planted address    an ioctl that is in no table, and is given an address; `planted number`: the same with another number */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SET_TICKS _IOW('T', 0, uint64_t) /* of a timer: how often it has fired. Any number will do, but 0 */

static int give_ioctl(uint64_t word) {
  int timer = timerfd_create(0, 0);
  int result = ioctl(timer, SET_TICKS, &word);
  puts(result ? "refused" : "taken");
  return 0;
}

int main(int count, char **arguments) {
  unsigned processor = ~0U;
  if (count > 1 && !strcmp(arguments[1], "address")) return give_ioctl((uintptr_t)&processor);
  if (count > 1 && !strcmp(arguments[1], "number")) return give_ioctl(12345);
  if (syscall(SYS_getcpu, &processor, NULL, count > 1 ? 0x706c616eL : 0L)) return 1;
  puts(processor == ~0U ? "nothing" : "written");
  return 0;
}
