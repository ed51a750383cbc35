# Programs that crash, abort or are killed end by the same signal, with the same last words.
# needs: /usr/bin/gcc
cat >crash.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int zero;
static void *thread_fault(void *null) {
  return *(void *volatile *)null;
}
static int endless(int n) {
  volatile char space[256];
  space[0] = (char)n;
  return endless(n + 1) + space[0];
}
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  printf("%s\n", how);
  fflush(stdout);
  if (!strcmp(how, "null")) *(volatile int *)(long)zero = 1;
  if (!strcmp(how, "jump")) ((void (*)(void))(long)zero)();
  if (!strcmp(how, "wild")) ((void (*)(void))0xdeadbeef00)();
  if (!strcmp(how, "readonly")) *(volatile char *)"constant" = 1;
  if (!strcmp(how, "noexec")) ((void (*)(void))memcpy(malloc(16), "\xc3\xc3", 2))();
  if (!strcmp(how, "overflow")) return endless(0);
  if (!strcmp(how, "trap")) __builtin_trap();
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "assert")) assert(!"this");
  if (!strcmp(how, "free")) free((char *)malloc(64) + 8);
  if (!strcmp(how, "bus")) {
    FILE *f = tmpfile();
    return *(volatile char *)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 0);
  }
  if (!strcmp(how, "thread")) {
    pthread_t t;
    pthread_create(&t, NULL, thread_fault, NULL);
    pthread_join(t, NULL);
  }
  if (!strcmp(how, "blocked")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    *(volatile int *)(long)zero = 1;
  }
  if (!strcmp(how, "ignored")) {
    signal(SIGSEGV, SIG_IGN);
    *(volatile int *)(long)zero = 1;
  }
  if (!strncmp(how, "signal", 6)) kill(getpid(), atoi(how + 6));
  if (!strcmp(how, "exit139")) exit(139);
  if (!strcmp(how, "pause")) pause();
}
C
/usr/bin/gcc -O1 -w -pthread crash.c -o crash
for how in null jump wild readonly noexec overflow trap abort assert free bus thread blocked ignored \
  signal1 signal2 signal3 signal6 signal9 signal13 signal14 signal15 signal24 signal31 signal34 signal64 \
  signal17 signal28 exit139; do
  outcome $R ./crash $how
done

# Killed from outside while it waits; the shell sees the signal.
for sig in KILL TERM SEGV; do
  mkfifo up
  # The group's stderr takes the shell's own word about the death, which has a process id in it.
  {
    $R ./crash pause >up &
    victim=$!
    read -r _ <up
    kill -$sig $victim
    wait $victim
  } 2>/dev/null
  echo "$sig: status $?"
  rm up
done
