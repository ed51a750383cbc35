/* machine.c: what files tell a program about the machine and about itself: processors, memory, its mappings, its own program. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "program.h"

static int lines_with(const char *path, const char *word) {
  char line[512];
  int count = 0;
  FILE *file = fopen(path, "r");
  CHECK(file);
  while (fgets(line, sizeof line, file)) count += strstr(line, word) != NULL;
  fclose(file);
  return count;
}

int main(void) {
  cpu_set_t set;
  struct stat about;
  pthread_attr_t attributes;
  void *start;
  size_t bytes;
  int here;
  char magic[4] = {0};
  CHECK(!sched_getaffinity(0, sizeof set, &set));
  printf("processors: %d\n",
         CPU_COUNT(&set) == get_nprocs() && get_nprocs() == sysconf(_SC_NPROCESSORS_ONLN));
  printf("cpuinfo: %d\n", lines_with("/proc/cpuinfo", "processor") == get_nprocs());
  printf("meminfo: %d\n", lines_with("/proc/meminfo", "MemTotal"));
  CHECK(!pthread_getattr_np(pthread_self(), &attributes) &&
        !pthread_attr_getstack(&attributes, &start, &bytes));
  printf("stack: %d\n", (char *)&here > (char *)start && (char *)&here < (char *)start + bytes);
  CHECK(!stat("/proc/cpuinfo", &about) && S_ISREG(about.st_mode) && !access("/proc/stat", R_OK));
  CHECK(access("/proc/nothing", F_OK) && errno == ENOENT);
  int program = open("/proc/self/exe", O_RDONLY);
  CHECK(read(program, magic, 4) == 4 && !memcmp(magic, "\177ELF", 4));
  return 0;
}
