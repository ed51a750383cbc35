/* getrandom, rdrand, cpuid, rdtsc, uname, sysinfo: usable, sane, and the same question gives the same
 * answer where it must. */
#include "sys_helpers.h"
#include <cpuid.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

int main(void) {
  unsigned char a[64], b[64];
  CHECK(getrandom(a, sizeof a, 0) == 64 && getentropy(b, sizeof b) == 0);
  say("random differ %d, bad flags: %s\n", memcmp(a, b, 64) != 0, outcome(getrandom(a, 8, 0x1000)));
  unsigned eax, ebx, ecx, edx, again[4];
  __cpuid(0, eax, ebx, ecx, edx);
  char vendor[13] = "";
  memcpy(vendor, &ebx, 4), memcpy(vendor + 4, &edx, 4), memcpy(vendor + 8, &ecx, 4);
  say("vendor %s highest leaf %u\n", vendor, eax);
  __cpuid_count(7, 0, eax, ebx, ecx, edx);
  __cpuid_count(7, 0, again[0], again[1], again[2], again[3]);
  say("features repeat %d\n", ebx == again[1] && ecx == again[2] && edx == again[3]);
  unsigned long mask;
  if (__builtin_cpu_supports("avx")) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    mask = (unsigned long)high << 32 | low;
    say("xcr0 %lx\n", mask & 0xe7);
  }
  __cpuid(1, eax, ebx, ecx, edx);
  if (ecx & 1 << 30) {
    unsigned long value = 0, other = 0;
    unsigned char ok = 0;
    for (int i = 0; i < 10 && !ok; i++) __asm__ volatile("rdrand %0\n setc %1" : "=r"(value), "=q"(ok)::"cc");
    unsigned char ok_again = 0;
    for (int i = 0; i < 10 && !ok_again; i++)
      __asm__ volatile("rdrand %0\n setc %1" : "=r"(other), "=q"(ok_again)::"cc");
    say("rdrand %d\n", ok && ok_again && value != other);
  }
  unsigned long before = __builtin_ia32_rdtsc();
  volatile int spin = 0;
  while (spin < 1000) spin++;
  unsigned long after = __builtin_ia32_rdtsc();
  unsigned processor;
  unsigned long with_processor = __builtin_ia32_rdtscp(&processor);
  say("time stamps advance %d\n", before < after && after < with_processor + 1000000);
  struct utsname system;
  struct sysinfo information;
  CHECK(uname(&system) == 0 && sysinfo(&information) == 0);
  say("%s %s, memory %d, processors %d\n", system.sysname, system.machine, information.totalram > 0,
      get_nprocs() > 0);
  say("page size %ld, open files limit %d\n", sysconf(_SC_PAGESIZE), sysconf(_SC_OPEN_MAX) > 0);
  return 0;
}
