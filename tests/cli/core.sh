# Core files show the program, as a debugger reads them.

# Four threads, two that never rest and two that sleep, all in functions with names that can be told; then the end of MODE.
build() {
  cat >crash.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile long rounds;
static volatile int started;
static __attribute__((noinline)) void never_rests(void) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  for (;;) rounds++;
}
static __attribute__((noinline)) void sleeps(void) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  for (;;) pause(), rounds++;
}
static void *thread(void *which) {
  which ? never_rests() : sleeps();
  return NULL;
}
static __attribute__((noinline)) void write_to(volatile int *where, int value) { *where = value; }
static __attribute__((noinline)) void fails(const char *mode) {
  if (!strcmp(mode, "abort")) abort();
  write_to((int *)0x10, 4711);
  rounds++;
}
int main(int argc, char **argv) {
  pthread_t ignored;
  for (int i = 0; argc > 2 && i < 4; i++) pthread_create(&ignored, NULL, thread, i % 2 ? argv : NULL);
  while (argc > 2 && started < 4) usleep(1000);
  fails(argv[1]);
  return 0;
}
EOF
  gcc -g -O1 -pthread -o crash crash.c || fail "can't compile"
}

# The kernel writes core files into the working folder, and there are tools to read them.
cores_possible() {
  if [[ $(cat /proc/sys/kernel/core_pattern) == core ]] && command -v gdb gcc >/dev/null && (ulimit -c unlimited) 2>/dev/null; then
    return 0
  fi
  echo "no core files here, or no debugger to read them"
  return 1
}

dies() { # STATUS ARGUMENTS COMMAND…: leaves a core file
  local want=$1 arguments=$2 status
  shift 2
  rm -rf core* recording
  # The arguments are words.
  # shellcheck disable=SC2086
  (ulimit -Hc unlimited && ulimit -Sc unlimited && exec timeout -s KILL "$HANGS" "$@" ./crash $arguments) >out 2>err
  status=$?
  [ $status = "$want" ] || fail "$* ./crash $arguments: status $status: $(cat err)"
  [ "$(echo core*)" != 'core*' ] || fail "$* ./crash $arguments: no core file"
  # A variable of the debugger.
  # shellcheck disable=SC2016
  gdb -batch -ex 'thread apply all backtrace' -ex 'print $_siginfo.si_signo' ./crash core* >trace 2>&1 </dev/null
}

shows() { # COUNT WORDS: so many lines of the backtraces
  [ "$(grep -cE "$2" trace)" = "$1" ] || fail "not $1 times \`$2': $(cat trace)"
}

case_shows_program() {
  local order command
  cores_possible || return 0
  build
  for order in run chunk dag; do
    command=("$REPRISE" record --order="$order" -o recording --)
    [ $order != run ] || command=("$REPRISE" run --)
    dies 139 fault "${command[@]}"
    shows 2 '^#0 .*write_to \(where=0x10,? ?value=4711|^#0 .*write_to \(where=where@entry=0x10, value=value@entry=4711'
    shows 1 'fails \(mode='
    shows 1 ' main \(argc='
    shows 1 ' = 11$'
    dies 134 abort "${command[@]}"
    shows 1 'abort \(\)'
    shows 1 'fails \(mode='
    shows 1 ' = 6$'
  done
}

case_shows_threads() {
  local order command mode
  cores_possible || return 0
  build
  for order in run chunk dag; do
    command=("$REPRISE" record --order="$order" -o recording --)
    [ $order != run ] || command=("$REPRISE" run --)
    for mode in 139:fault 134:abort; do
      dies "${mode%:*}" "${mode#*:} threads" "${command[@]}"
      shows 1 'fails \(mode='
      shows 2 'in never_rests|#0 *never_rests'
      shows 2 'in sleeps'
      shows 4 'start_thread'
    done
  done
}
