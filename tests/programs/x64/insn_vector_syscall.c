/* System calls leave every vector and mask register alone, also those that block or deliver a signal. */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "check.h"
#include "digest.h"

/* Loads all registers from `in`, makes the system call rax(rdi, rsi, rdx), stores them to `out`. */
__asm__(
    ".text\n"
    "ymm_call:\n"
    "  mov %rcx, %rax\n"
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "  vmovdqu vector_in+32*\\n(%rip), %ymm\\n\n"
    ".endr\n"
    "  syscall\n"
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "  vmovdqu %ymm\\n, vector_out+32*\\n(%rip)\n"
    ".endr\n"
    "  vzeroupper\n"
    "  ret\n"
    "zmm_call:\n"
    "  mov %rcx, %rax\n"
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "  vmovdqu64 vector_in+64*\\n(%rip), %zmm\\n\n"
    ".endr\n"
    ".irp n,0,1,2,3,4,5,6,7\n"
    "  kmovq vector_in+8*\\n(%rip), %k\\n\n"
    ".endr\n"
    "  syscall\n"
    ".irp n,0,1,2,3,4,5,6,7\n"
    "  kmovq %k\\n, vector_masks+8*\\n(%rip)\n"
    ".endr\n"
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "  vmovdqu64 %zmm\\n, vector_out+64*\\n(%rip)\n"
    ".endr\n"
    "  vzeroupper\n"
    "  ret\n");

extern long ymm_call(long, long, long, long), zmm_call(long, long, long, long);
unsigned char vector_in[2048], vector_out[2048], vector_masks[64];
static volatile int handled;

static void handler(int signo) {
  handled += signo == SIGUSR1;
  memset((void *)vector_masks, 0, sizeof vector_masks); /* uses vector registers */
}

static void check(const char *name, long (*call)(long, long, long, long), size_t size, long number, long a,
                  long b, long c) {
  for (int i = 0; i < 2048; i++) vector_in[i] = (unsigned char)(i * 31 + i / 7 + (int)number);
  memset(vector_out, 0, sizeof vector_out);
  long result = call(a, b, c, number);
  int same = memcmp(vector_in, vector_out, size) == 0;
  int masks = call == zmm_call ? memcmp(vector_in, vector_masks, 64) == 0 : 1;
  printf("%s: result %s, vectors %d, masks %d, handled %d\n", name, result < 0 ? "negative" : "fine", same,
         masks, handled);
}

static void all(long (*call)(long, long, long, long), size_t size) {
  struct timespec brief = {0, 1000000};
  int fd[2];
  char text[16];
  CHECK(pipe(fd) == 0);
  check("getpid", call, size, SYS_getpid, 0, 0, 0);
  check("bad", call, size, SYS_close, -1, 0, 0);
  check("write", call, size, SYS_write, fd[1], (long)"vector registers", 16);
  check("read", call, size, SYS_read, fd[0], (long)text, 16);
  check("nanosleep", call, size, SYS_nanosleep, (long)&brief, 0, 0);
  check("kill self", call, size, SYS_kill, getpid(), SIGUSR1, 0);
  check("yield", call, size, SYS_sched_yield, 0, 0, 0);
}

int main(void) {
  CHECK(signal(SIGUSR1, handler) != SIG_ERR);
  if (!__builtin_cpu_supports("avx2")) {
    puts("skipped: needs avx2");
    return 0;
  }
  all(ymm_call, 512);
  if (__builtin_cpu_supports("avx512bw"))
    all(zmm_call, 2048);
  else
    puts("skipped: avx512");
  return 0;
}
