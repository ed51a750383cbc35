/* wedge.c: plants a deadlock in a sphere, as a mistake in the engine would make one. It takes a lock of the region, found among the
 * descriptors of the manager, in the name of a process that lives, and keeps it.
 *
 *     wedge MANAGER
 *
 * It prints the id of the sphere's first process. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contract/region.h"

static struct region *find(const char *manager) {
  for (int fd = 3; fd < 1024; fd++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/fd/%d", manager, fd);
    int own = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (own < 0) continue;
    struct region *region = mmap(NULL, sizeof *region, PROT_READ | PROT_WRITE, MAP_SHARED, own, 0);
    uint32_t magic = 0;
    if (region != MAP_FAILED && pread(own, &magic, sizeof magic, 0) == sizeof magic && magic == REGION_MAGIC)
      return region;
    close(own);
  }
  return NULL;
}

int main(int count, char **arguments) {
  struct region *region = count == 2 ? find(arguments[1]) : NULL;
  if (!region) return 1;
  while (!atomic_load(&region->slots[0].tid)) usleep(1000);
  uint32_t nobody = 0,
           manager = (uint32_t)atoi(arguments[1]); /* which only tries the lock, and waits for nobody */
  while (!atomic_compare_exchange_weak(&region->lock, &nobody, manager)) nobody = 0;
  printf("%d\n", region->slots[0].pid);
  return 0;
}
