/* A disk that is slow with new files: preloaded, each openat that makes one takes 10 milliseconds and what it takes anyway. The recorder makes the files of its
 * logs with it; the program that is recorded makes none. */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int openat(int folder, const char *path, int flags, ...) {
  struct timespec pause = {0, 10 * 1000000};
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (flags & O_CREAT) nanosleep(&pause, NULL);
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}
