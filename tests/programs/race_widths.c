/* Races for a few lines of memory with accesses of every width, aligned or not, atomic or not, across lines, and long ones; and in between all that needs such memory
 * to be whole: calls that read and write it, futexes in it, forks, changes of its protection, threads that begin and end, signals.
 *
 *   race_widths [THREADS [ROUNDS]] */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { THREADS_MAX = 16, LINE = 64, AREA = 6 * LINE, PAGE_BYTES = 4096, PAGES = 16, RARE = 64 };

/* AREA bytes at the start of a page, another page after every PAGES-th of the rounds: what is done to memory may change how it is recorded from then on. */
static uint8_t *pages;
static __thread uint8_t *area;
static unsigned rounds = 400;
static uint64_t results[THREADS_MAX];
static int pipes[2];
static volatile uint64_t handled;

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ b) * 0x9e3779b97f4a7c15;
  return x ^ x >> 29;
}

static uint64_t digest(const void *bytes, size_t count) {
  uint64_t sum = count;
  for (size_t i = 0; i < count; i++) sum = sum * 31 + ((const uint8_t *)bytes)[i];
  return sum;
}

static void on_signal(int signo) {
  (void)signo;
  handled = mix(handled, area[handled % AREA]);
  area[handled % AREA]++;
}

/* A block of so many bytes, which a compiler copies by one or two instructions, is read and something else written. */
#define BLOCK_OF(bytes)                                      \
  static uint64_t block_##bytes(uint8_t *at, uint64_t own) { \
    struct {                                                 \
      uint8_t of[bytes];                                     \
    } block;                                                 \
    memcpy(&block, at, sizeof block);                        \
    __asm__ volatile("" : : "r"(&block) : "memory");         \
    uint64_t got = digest(&block, sizeof block);             \
    memset(&block, (int)own, sizeof block);                  \
    __asm__ volatile("" : : "r"(&block) : "memory");         \
    memcpy(at, &block, sizeof block);                        \
    return got;                                              \
  }
/* clang-format off */
BLOCK_OF(1)
BLOCK_OF(2)
BLOCK_OF(3)
BLOCK_OF(4)
BLOCK_OF(7)
BLOCK_OF(8)
BLOCK_OF(16)
BLOCK_OF(24)
BLOCK_OF(32)
BLOCK_OF(48)
BLOCK_OF(64)
BLOCK_OF(100)
/* clang-format on */

static uint64_t any_block(uint8_t *at, uint64_t own) {
  static uint64_t (*const blocks[])(uint8_t *, uint64_t) = {block_1,  block_2,  block_3,  block_4,
                                                            block_7,  block_8,  block_16, block_24,
                                                            block_32, block_48, block_64, block_100};
  return blocks[own / 7 % (sizeof blocks / sizeof *blocks)](at, own);
}

#define ATOMIC_OF(type)                                                                                      \
  static uint64_t atomic_##type(uint8_t *at, uint64_t own) {                                                 \
    type *word = (type *)(at - (uintptr_t)at % sizeof(type)),                                                \
         seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);                                                     \
    switch (own % 6) {                                                                                       \
      case 0:                                                                                                \
        return __atomic_fetch_add(word, (type)own, __ATOMIC_SEQ_CST);                                        \
      case 1:                                                                                                \
        return __atomic_exchange_n(word, (type)own, __ATOMIC_ACQ_REL);                                       \
      case 2:                                                                                                \
        return __atomic_fetch_xor(word, (type)own, __ATOMIC_RELAXED);                                        \
      case 3:                                                                                                \
        return (uint64_t)__atomic_compare_exchange_n(word, &seen, (type)(own + 1), 0, __ATOMIC_SEQ_CST, 0) + \
               seen;                                                                                         \
      case 4:                                                                                                \
        seen++; /* mostly fails */                                                                           \
        return (uint64_t)__atomic_compare_exchange_n(word, &seen, (type)own, 1, __ATOMIC_ACQUIRE, 0) + seen; \
      default:                                                                                               \
        __atomic_store_n(word, (type)own, __ATOMIC_RELEASE);                                                 \
        return seen;                                                                                         \
    }                                                                                                        \
  }
/* clang-format off */
ATOMIC_OF(uint8_t)
ATOMIC_OF(uint16_t)
ATOMIC_OF(uint32_t)
ATOMIC_OF(uint64_t)
/* clang-format on */

static uint64_t any_atomic(uint8_t *at, uint64_t own) {
  switch (own / 11 % 4) {
    case 0:
      return atomic_uint8_t(at, own);
    case 1:
      return atomic_uint16_t(at, own);
    case 2:
      return atomic_uint32_t(at, own);
    default:
      return atomic_uint64_t(at, own);
  }
}

static uint64_t through_pipe(uint8_t *at, uint64_t own) {
  uint8_t small[24];
  ssize_t sent = write(pipes[1], at, 16), got = read(pipes[0], own & 1 ? at : small, 16);
  return mix((uint64_t)sent, (uint64_t)got) + (got > 0 && !(own & 1) ? digest(small, (size_t)got) : 0);
}

static uint64_t at_futex(uint8_t *at, uint64_t own) {
  uint32_t *word = (uint32_t *)(at - (uintptr_t)at % 4);
  struct timespec soon = {0, 20000};
  if (own & 1) return (uint64_t)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  return (uint64_t)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, (uint32_t)own, &soon, NULL, 0);
}

static uint64_t in_child(void) {
  int status;
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    for (unsigned i = 0; i < AREA; i += 8) area[i] += area[i + 1];
    _exit((int)(digest(area, AREA) & 0x7f));
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return (uint64_t)WEXITSTATUS(status);
}

static void *short_life(void *argument) {
  uint8_t *at = argument;
  area = at - (uintptr_t)at % PAGE_BYTES;
  uint64_t own = digest(at, 8);
  for (unsigned i = 0; i < 20; i++) own = mix(own, any_atomic(area + own % AREA, own));
  return (void *)(uintptr_t)(own >> 8);
}

static uint64_t in_thread(uint8_t *at) {
  pthread_t id;
  void *result;
  CHECK(!pthread_create(&id, NULL, short_life, at) && !pthread_join(id, &result));
  return (uint64_t)(uintptr_t)result;
}

static uint64_t rarely(uint8_t *at, uint64_t own) {
  switch (own / 13 % 8) {
    case 0:
      return in_child();
    case 1:
      CHECK(!mprotect(area, PAGE_BYTES, PROT_READ | PROT_WRITE | (own & 1 ? PROT_EXEC : 0)));
      return 1;
    case 2:
      return in_thread(at);
    case 3:
      CHECK(!pthread_kill(pthread_self(), SIGUSR1));
      return handled;
    case 4:
      return at_futex(at, own);
    case 5:
      memset(area, 0, AREA);
      return 5;
    case 6:
      CHECK(!madvise(area, PAGE_BYTES, MADV_NORMAL));
      return 6;
    default:
      return through_pipe(at, own);
  }
}

static void *run(void *argument) {
  uint64_t own = (uint64_t)(uintptr_t)argument + 1;
  for (unsigned i = 0; i < rounds; i++) {
    area = pages + (size_t)i * PAGES / rounds * PAGE_BYTES;
    uint8_t *at = area + own / 3 % (AREA - LINE);
    uint64_t got = own % RARE == 0 ? rarely(at, own / RARE)
                   : own & 64      ? any_block(at, own)
                                   : any_atomic(at, own);
    own = mix(own + i, got);
  }
  results[(uintptr_t)argument] = own;
  return NULL;
}

int main(int argc, char **argv) {
  unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  if (argc > 2) rounds = (unsigned)atoi(argv[2]);
  CHECK(threads >= 1 && threads <= THREADS_MAX);
  struct sigaction action = {.sa_handler = on_signal};
  CHECK(!sigaction(SIGUSR1, &action, NULL) && !pipe2(pipes, O_NONBLOCK));
  pages = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  pthread_t ids[THREADS_MAX];
  for (unsigned i = 0; i < threads; i++) CHECK(!pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)i));
  for (unsigned i = 0; i < threads; i++) CHECK(!pthread_join(ids[i], NULL));
  uint64_t all = digest(pages, (size_t)PAGES * PAGE_BYTES);
  for (unsigned i = 0; i < threads; i++) all = mix(all, results[i]);
  printf("widths %016lx\n", (unsigned long)all);
  return 0;
}
