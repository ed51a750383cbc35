# Debuggers and tracers that are recorded themselves, with those whom they trace: what can't be recorded they are refused, and they end by
# themselves, with their own message.

left_out() { # TOOL
  command -v "$1" >/dev/null && return 1
  echo "left out: no $1"
}

# Records the command in chunks and in parallel, looks at what it says, and replays it.
recorded() { # STATUS WORDS COMMAND…: on stdout or stderr
  local want=$1 words=$2 order status
  shift 2
  for order in chunk dag; do
    rm -rf recording there
    "$REPRISE" record -q --order=$order -o recording -- "$@" >out 2>err </dev/null
    status=$?
    [ $status = "$want" ] || fail "$order: $*: status $status, not $want: $(cat out err)"
    cat out err | grep -qE -- "$words" || fail "$order: $*: no word of \`$words': $(cat out err)"
    ! grep '^reprise' err || fail "$order: $*: not its own message"
    "$REPRISE" replay recording >again 2>again.err </dev/null
    status=$?
    [ $status = "$want" ] || fail "$order: $*: replayed with status $status, not $want: $(cat again.err)"
    { cmp out again && cmp err again.err; } || fail "$order: $*: replayed with another output"
  done
}

# Attaches to a process that computes and to one that waits, which must go on as if nothing had been.
attaching() { # COMMAND…: in a script that it makes
  cat >attach.sh <<'EOF2'
computes() { echo >there && while :; do :; done; }
waits() { echo >there && read -r _ <never; }
mkfifo there never
for kind in computes waits; do
  $kind &
  read -r _ <there
  "$@" $!
  echo "status of the tracer: $?"
  kill $!
  wait $!
  echo "$kind: ended with $?"
done
rm there never
EOF2
  echo bash attach.sh "$@"
}

case_strace() {
  left_out strace && return
  recorded 1 'Operation not permitted' strace /bin/true
  recorded 1 'Operation not permitted' strace -f -c sh -c '/bin/true & wait'
}

case_strace_attaches() {
  local command
  left_out strace && return
  read -ra command <<<"$(attaching strace -p)"
  recorded 0 'attach: .*Operation not permitted' "${command[@]}"
  [ "$(grep -cE '^(computes|waits): ended with 143$' out)" = 2 ] || fail "not all have ended: $(cat out err)"
}

case_debugger() {
  left_out gdb && return
  recorded 1 'Operation not permitted' gdb -nx -batch -ex run --args /bin/true
}

case_debugger_attaches() {
  local command
  left_out gdb && return
  read -ra command <<<"$(attaching gdb -nx -batch -p)"
  recorded 0 'Inferior 1 .*detached' "${command[@]}"
  [ "$(grep -cE '^(computes|waits): ended with 143$' out)" = 2 ] || fail "not all have ended: $(cat out err)"
}

# A tracee that would run on, and stop at the next signal, is let go instead.
case_continued() {
  command -v gcc >/dev/null || fail "no compiler"
  cat >tracer.c <<'EOF2'
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long counter;
int main(void) {
  int status;
  pid_t pid = fork();
  if (!pid) for (;;) counter++;
  if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid) return 1;
  if (ptrace(PTRACE_CONT, pid, NULL, NULL)) perror("PTRACE_CONT");
  kill(pid, SIGUSR1);
  if (waitpid(pid, &status, 0) != pid) return 1;
  if (WIFSTOPPED(status)) ptrace(PTRACE_KILL, pid, NULL, NULL);
  printf("%s by signal %d\n", WIFSTOPPED(status) ? "stopped" : "ended", WIFSTOPPED(status) ? WSTOPSIG(status) : WTERMSIG(status));
  return 0;
}
EOF2
  gcc -O1 -o tracer tracer.c || fail "can't compile"
  recorded 0 'PTRACE_CONT: Operation not permitted' ./tracer
  grep -qx 'ended by signal 10' out || fail "the other was not let go: $(cat out)"
}
