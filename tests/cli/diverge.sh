# A changed program under an unchanged log: the replay stops where it first does something else, and says where.

source_of() { # the same code in the same places, whatever STEP is
  cat >program.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile unsigned long long sum;
__attribute__((noinline)) void compute(void) {
  for (int i = 0; i < LOOPS; i++) sum = sum * 5 + STEP;
}
static void *other(void *unused) {
  (void)unused;
  for (int i = 0; i < LOOPS; i++) sum = sum * 3 + 1;
  return NULL;
}
int main(int argc, char **argv) {
  pthread_t thread;
  if (argv[1][0] == 't') pthread_create(&thread, NULL, other, NULL);
  compute();
  if (argv[1][0] == 't') pthread_join(thread, NULL);
  if (argv[1][0] == 'p') write(1, (const void *)&sum, argc);
  if (argv[1][0] == 's') lseek(0, (long)(sum & 0xffff), SEEK_SET);
  return 0;
}
END
}

build() { # OUTPUT STEP LOOPS
  gcc -g -O1 -pthread -DSTEP="$2" -DLOOPS="$3" -o "$1" program.c || fail "no program"
}

changed() { # LOOPS ARGUMENT…: recorded with one step, replayed with another; what replay says is in err
  local status
  source_of
  build program 7 "$1"
  build other 9 "$1"
  shift
  "$REPRISE" record -o recording -- ./program "$@" >recorded </dev/null || fail "status $?"
  "$EXCHANGE" recording changed "$PWD/program" other || fail "the program can't be exchanged"
  "$EXCHANGE" recording same "$PWD/program" program || fail "the program can't be exchanged by itself"
  "$REPRISE" replay same >out 2>err || fail "the copy does not replay: $(cat err)"
  "$REPRISE" replay changed >out 2>err
  status=$?
  [ $status = 120 ] || fail "status $status: $(cat err)"
  [ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
}

says() { # FUNCTION PATTERN: where it happened, by name if the command knows names, and what
  local place="$1 in "
  has_names || place='(in )?'
  grep -qE "^reprise: replay diverged: thread 0 at position [0-9]+, $place$2\$" err ||
    fail "expected $place$2, got: $(cat err)"
}

# Nothing but registers tells, where the first chunk is full.
case_registers() {
  changed 3000000 alone
  says 'compute\+0x[0-9a-f]+ \(program\.c:6\)' 'program, pc 0x[0-9a-f]+: expected registers with the digest 0x[0-9a-f]+, got 0x[0-9a-f]+'
}

case_registers_of_threads() {
  changed 3000000 threads
  says 'compute\+0x[0-9a-f]+ \(program\.c:6\)' 'program, pc 0x[0-9a-f]+: expected registers .*'
}

# With little to compute, what differs first is what goes out.
case_output() {
  changed 300 print
  says '.*write.*' 'libc\.so\.6, pc 0x[0-9a-f]+: write: expected to send bytes with the digest 0x[0-9a-f]+, got 0x[0-9a-f]+'
}

# Every byte of what goes out counts, however short the piece is.
case_short_output() {
  local length
  cat >program.c <<'END'
#include <stdlib.h>
#include <unistd.h>
static char text[] = TEXT "0123456789abcdef0123456789abcdef0123456789abcdef";
int main(int argc, char **argv) { return argc > 1 && write(1, text, (size_t)atoi(argv[1])) > 0 ? 0 : 1; }
END
  gcc -O1 -DTEXT='"A"' -o program program.c && gcc -O1 -DTEXT='"B"' -o other program.c || fail "no program"
  for length in 1 3 4 8 9 12 16 17 24 31 32 33; do
    rm -rf recording changed
    "$REPRISE" record -o recording -- ./program $length >recorded </dev/null || fail "status $?"
    "$EXCHANGE" recording changed "$PWD/program" other || fail "the program can't be exchanged"
    "$REPRISE" replay changed >out 2>err
    [ $? = 120 ] || fail "$length bytes, of which the first differs: status $?, '$(cat out)'"
    grep -q ': write: expected to send bytes with the digest ' err || fail "$length bytes: $(cat err)"
  done
}

case_argument() {
  changed 300 seek
  says '.*lseek.*' 'libc\.so\.6, pc 0x[0-9a-f]+: lseek: expected 0x[0-9a-f]+ as argument 2, got 0x[0-9a-f]+'
}

# Two threads whose order logs make them wait for each other: that is told at once, with who waits for whom. At its very beginning the
# second waits for an arc from where the first never comes, and so the first for the second.
case_circle() {
  local status
  source_of
  build program 7 300
  "$REPRISE" record --order=arcs -o recording -- ./program threads </dev/null || fail "status $?"
  printf '\001\000\000\001\000\200\200\200\200\200\001' >log
  "$EXCHANGE" recording changed order/1 log || fail "the order log can't be exchanged"
  timeout -s KILL "$HANGS" "$REPRISE" replay changed >out 2>err
  status=$?
  [ $status = 120 ] || fail "status $status: $(cat err)"
  grep -qE '^reprise: replay diverged: (thread [01] at position [0-9]+, .*: )?threads wait for each other: thread 0 at position [0-9]+ waits for (the end of )?thread 1, thread 1 at position 0 waits for thread 0$' err ||
    fail "it says: $(cat err)"
}

# A process of the replay that dies without a word leaves its log unread: what the others show must not pass for the whole.
case_dies_silently() {
  local order name=counted$$ manager status kid
  cp /bin/dd $name
  for order in dag chunk; do
    "$REPRISE" record --order=$order -o recording -- \
      /bin/sh -c "./$name if=/dev/zero of=/dev/null bs=1 count=1000000 2>/dev/null & wait; echo end" >recorded || fail "status $?"
    "$REPRISE" replay recording >replayed 2>err &
    manager=$!
    until kid=$(pgrep -f "^./$name if=") || ! kill -0 $manager 2>/dev/null; do :; done
    [ -n "$kid" ] || fail "no process to kill"
    kill -KILL "$kid"
    wait $manager
    status=$?
    [ $status = 120 ] || fail "$order: status $status: $(cat err)"
    [ "$(wc -l <err)" = 1 ] && grep -q '^reprise: replay diverged: thread ' err || fail "$order: says: $(cat err)"
    rm -rf recording
  done
}

# An order log that ends early, in a recording that was closed: what comes after must not be missing without a word.
case_order_ends_early() {
  local order thread bytes status
  source_of
  build program 7 20000
  for order in chunk dag scalar arcs tokens; do
    rm -rf recording
    "$REPRISE" record --order=$order -o recording -- ./program threads </dev/null || fail "status $?"
    for thread in sphere 0 1; do
      [ -e "recording/streams/order-$thread" ] || { [ $thread = sphere ] && [ $order = chunk ]; } || continue
      for bytes in 1 2 3 5 8 100000; do
        rm -rf changed
        "$EXCHANGE" recording changed order/$thread -$bytes || fail "the order log can't be shortened"
        timeout -s KILL "$HANGS" "$REPRISE" replay changed >out 2>err
        status=$?
        [ $status = 120 ] || [ $status = 121 ] || fail "$order, thread $thread, -$bytes: status $status: $(cat err)"
        [ "$(wc -l <err)" = 1 ] || fail "$order, thread $thread, -$bytes: not one line: $(cat err)"
      done
    done
  done
}

# What a program was given and never showed to anybody is in its memory at the end: there it is compared, however the process ends.
case_in_memory() {
  local order end status
  cat >program.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static char secret[16];
static void *wait_for_ever(void *unused) {
  for (;;) pause();
  return unused;
}
int main(int argc, char **argv) {
  pthread_t thread;
  if (argc < 2 || read(0, secret, sizeof secret) != sizeof secret) return 9;
  if (!strcmp(argv[1], "threads") && pthread_create(&thread, NULL, wait_for_ever, NULL)) return 9;
  if (!strcmp(argv[1], "signal")) abort();
  if (!strcmp(argv[1], "thread")) syscall(SYS_exit, 0);
  return 0;
}
END
  gcc -O1 -pthread -o program program.c || fail "no program"
  ulimit -c 0
  for order in chunk dag scalar arcs; do
    for end in return threads signal thread; do
      [ $end != thread ] || [ $order = chunk ] || continue
      rm -rf recording changed
      printf 0123456789abcdef | "$REPRISE" record --check-memory --order=$order -o recording -- ./program $end 2>err
      status=$?
      "$REPRISE" stat recording >out || fail "status $?"
      grep -q '^memory checked whole, at 1 place$' out || fail "$order, $end: $(cat out)"
      last=$("$REPRISE" dump --thread=0 --kind=copy-in recording | awk '/0123456789abcdef/ { print NR - 1 }')
      "$BEND" recording changed copied "$last" 65 || fail "$order, $end: can't be changed"
      "$REPRISE" replay recording 2>err
      [ $? = $status ] || fail "$order, $end: another status than $status: $(cat err)"
      "$REPRISE" replay changed 2>err
      [ $? = 120 ] || fail "$order, $end: $(cat err)"
      grep -q 'expected memory with the digest' err || fail "$order, $end: $(cat err)"
    done
  done
}

# Memory that would take too long to look at is looked at by sample.
case_in_much_memory() {
  cat >program.c <<'END'
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *memory = malloc(32 << 20);
  if (!memory) return 9;
  memset(memory, 1, 32 << 20);
  return memory[4711] - 1;
}
END
  gcc -O0 -o program program.c || fail "no program"
  "$REPRISE" record -o recording -- ./program || fail "status $?"
  "$REPRISE" stat recording >out || fail "status $?"
  grep -qE '^memory checked one page in [0-9]+, at 1 place$' out || fail "$(cat out)"
  prints 0 '' "$REPRISE" replay recording
}
