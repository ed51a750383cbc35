/* A vector gather that faults half way keeps what it has, clears those mask bits, and goes on after the
 * handler. */
#include "sys_helpers.h"
#include <immintrin.h>
#include <sys/mman.h>

static char *area;
static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  faults++;
  say("fault in page %ld\n", (long)((char *)info->si_addr - area) / 4096);
  CHECK(mprotect((char *)((long)info->si_addr & -4096L), 4096, PROT_READ | PROT_WRITE) == 0);
}

__attribute__((target("avx2"))) static void gather(void) {
  int result[8];
  __m256i index = _mm256_setr_epi32(0, 1024 * 3, 1, 1024 * 5, 2, 1024 * 3 + 1, 3, 1024 * 7);
  __m256i values = _mm256_i32gather_epi32((int *)area, index, 4);
  _mm256_storeu_si256((__m256i *)result, values);
  for (int i = 0; i < 8; i++) say("%d ", result[i]);
  say("faults %d\n", faults);
}

int main(void) {
  if (!__builtin_cpu_supports("avx2")) return 0;
  area = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(area != MAP_FAILED);
  for (int i = 0; i < 8 * 1024; i++) ((int *)area)[i] = i;
  handle(SIGSEGV, on_fault, 0);
  CHECK(mprotect(area + 4096, 7 * 4096, PROT_NONE) == 0);
  gather();
  return 0;
}
