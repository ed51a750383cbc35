/* Races on stacks in hot use: a thread calls, returns and works on the frames around a local variable, first alone, then while the
 * others read and write that variable, then alone again. On its own stack, on one that it has made (makecontext), and on that of
 * a signal handler. */
#include <signal.h>
#include <ucontext.h>

#include "race.h"

enum { STACK_BYTES = 96 << 10, AROUND = 40, WORDS = 6, DEPTH = 5 };

static volatile uint32_t *volatile reachable[RACE_THREADS];
static pthread_barrier_t all;
static __thread unsigned self;
static __thread ucontext_t back, away;

/* Frames below the one that others reach into. */
static __attribute__((noinline)) uint32_t descend(uint32_t seed, unsigned depth) {
  volatile uint32_t local[AROUND];
  for (unsigned i = 0; i < AROUND; i += 7) local[i] = race_mix(seed, i);
  if (depth) local[7 * depth] += descend(seed + local[7], depth - 1);
  return local[seed % 6 * 7] ^ local[14];
}

static __attribute__((noinline)) void work(void) {
  struct {
    volatile uint32_t before[AROUND], own[WORDS], after[AROUND];
  } frame = {{0}, {0}, {0}};
  unsigned me = self;
  reachable[me] = frame.own;
  pthread_barrier_wait(&all);
  for (unsigned i = 0; i < race_rounds; i++) {
    /* All at places in the frame that the compiler knows. */
    frame.before[1] += frame.after[30] + descend(i, i % DEPTH);
    frame.after[30] ^= frame.own[1] + frame.before[1];
    frame.own[2] += 3;
    frame.own[4] = frame.own[2] + i;
    race_note(me, frame.own[3] + frame.own[0] + frame.after[30]);
    if (i < race_rounds / 3 || i >= race_rounds / 3 * 2 || i % 5) continue;
    volatile uint32_t *other = reachable[race_mix(i, me) % race_threads];
    race_note(me, other[i % WORDS]);
    if (i % 2) other[(i + 3) % WORDS] = me + i;
  }
  pthread_barrier_wait(&all); /* nobody leaves while others look */
}

static void in_context(void) {
  work();
}

static void in_handler(int signo) {
  (void)signo;
  work();
}

static void run(unsigned me) {
  self = me;
  work();
  /* Side by side with those of the other threads, without guards, and not at the start of a block. */
  char *stack = malloc(STACK_BYTES + 24);
  CHECK(stack && !getcontext(&away));
  away.uc_stack = (stack_t){.ss_sp = stack + 24, .ss_size = STACK_BYTES};
  away.uc_link = &back;
  makecontext(&away, in_context, 0);
  CHECK(!swapcontext(&back, &away));
  CHECK(!sigaltstack(&(stack_t){.ss_sp = stack + 24, .ss_size = STACK_BYTES}, NULL));
  CHECK(!pthread_kill(pthread_self(), SIGUSR1));
  CHECK(!sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL));
  free(stack);
}

int main(int argc, char **argv) {
  CHECK(!pthread_barrier_init(&all, NULL, argc > 1 ? (unsigned)atoi(argv[1]) : 1));
  CHECK(!sigaction(SIGUSR1, &(struct sigaction){.sa_handler = in_handler, .sa_flags = SA_ONSTACK}, NULL));
  return race_run(argc, argv, 3000, run, NULL);
}
