/* The auxiliary vector: header table, entry and interpreter agree with what is loaded; the constants are
 * right. */
#include "sys_helpers.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>

struct seen {
  uintptr_t program_base, headers, header_count, interpreter_base;
};

static int visit(struct dl_phdr_info *info, size_t size, void *argument) {
  struct seen *seen = argument;
  (void)size;
  if (info->dlpi_name[0] == 0 && !seen->headers) {
    seen->program_base = info->dlpi_addr;
    seen->headers = (uintptr_t)info->dlpi_phdr;
    seen->header_count = info->dlpi_phnum;
  }
  if (strstr(info->dlpi_name, "ld-linux")) seen->interpreter_base = info->dlpi_addr;
  return 0;
}

int main(int argc, char **argv) {
  struct seen seen = {0};
  Elf64_Ehdr header;
  CHECK(argc == 1 && dl_iterate_phdr(visit, &seen) == 0);
  int fd = open("/proc/self/exe", O_RDONLY);
  CHECK(fd >= 0 && read(fd, &header, sizeof header) == sizeof header);
  say("AT_PHDR %d AT_PHNUM %d AT_PHENT %lu\n", getauxval(AT_PHDR) == seen.headers,
      getauxval(AT_PHNUM) == seen.header_count && header.e_phnum == seen.header_count, getauxval(AT_PHENT));
  say("AT_ENTRY %d AT_BASE %d\n", getauxval(AT_ENTRY) == seen.program_base + header.e_entry,
      getauxval(AT_BASE) == seen.interpreter_base);
  say("AT_PAGESZ %lu AT_CLKTCK %lu AT_FLAGS %lu AT_SECURE %lu\n", getauxval(AT_PAGESZ), getauxval(AT_CLKTCK),
      getauxval(AT_FLAGS), getauxval(AT_SECURE));
  say("ids %d %d %d %d\n", getauxval(AT_UID) == getuid(), getauxval(AT_EUID) == geteuid(),
      getauxval(AT_GID) == getgid(), getauxval(AT_EGID) == getegid());
  say("AT_EXECFN is argv[0] %d, above the environment %d\n",
      strcmp((char *)getauxval(AT_EXECFN), argv[0]) == 0, (char *)getauxval(AT_EXECFN) > argv[0]);
  say("AT_RANDOM %d AT_PLATFORM %s\n", getauxval(AT_RANDOM) != 0, (char *)getauxval(AT_PLATFORM));
  say("AT_HWCAP %lx AT_HWCAP2 %lx AT_MINSIGSTKSZ %lu\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2),
      getauxval(AT_MINSIGSTKSZ));
  errno = 0;
  unsigned long unknown = getauxval(9999);
  say("unknown entry %lu %s\n", unknown, strerrorname_np(errno));
  return 0;
}
