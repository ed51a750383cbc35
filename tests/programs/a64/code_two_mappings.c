/* Code written through one mapping of a file and executed through another. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "check.h"

typedef int (*function)(void);

int main(void) {
  int fd = memfd_create("code", 0);
  CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
  uint32_t *writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  uint32_t *executable = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  CHECK(writable != MAP_FAILED && executable != MAP_FAILED);
  long sum = 0;
  for (unsigned i = 0; i < 300; i++) {
    writable[0] = 0x52800000u | i << 5;
    writable[1] = 0xd65f03c0u;
    __builtin___clear_cache((char *)writable, (char *)(writable + 2));
    __builtin___clear_cache((char *)executable, (char *)(executable + 2));
    sum += ((function)executable)();
  }
  printf("two mappings: %ld\n", sum);
  return 0;
}
