# shellcheck shell=bash
# What the tests of the debugger share. ROOT is the repository, REPRISE the command; the current folder is fresh.

debug_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

recorded() { # NAME [STATUS]: compiles the program and records it to NAME.rec
  local name=$1 want=${2:-0} status
  [ "$name" != counters ] || want=3
  # At a fixed address: also where the kernel chooses addresses at random.
  gcc -g -O1 -fno-inline -fno-pie -no-pie -D_GNU_SOURCE -pthread -o "$name" "$debug_here/programs/$name.c" || fail "$name can't be compiled"
  rm -rf "$name.rec"
  "$REPRISE" record --order="${ORDER:-chunk}" -o "$name.rec" -- "./$name" >"$name.out" 2>&1
  status=$?
  [ "$status" = "$want" ] || fail "recording $name: status $status: $(cat "$name.out")"
}

session() { # NAME, commands on standard input: their output to the file `out`
  local name=$1
  {
    printf '%s\n' 'set pagination off' 'set confirm off' 'set width 0' 'set debuginfod enabled off'
    echo "target remote | $REPRISE gdbserver $name.rec"
    cat
  } >commands
  timeout 100 gdb -nx -batch -x commands >out 2>&1 || fail "gdb: status $?: $(cat out)"
  nobody_left
}

says() { # PATTERN: a line of the session
  grep -qE -- "$1" out || fail "not said: $1: $(cat out)"
}

nobody_left() { # no process of the session is there any more
  local tries
  for tries in $(seq 100); do
    pgrep -f -- "$REPRISE gdbserver .*$PWD" >/dev/null || return 0
    sleep 0.1
  done
  fail "processes are left: $tries"
}

client() { # a script on standard input, for tests/debug/remote.py
  { echo 'from remote import *' && cat; } >script.py
  PYTHONPATH=$debug_here PYTHONDONTWRITEBYTECODE=1 timeout 100 python3 script.py >out 2>&1 || fail "client: $(cat out)"
}

commands() { # NAME, commands on standard input: as session, under `reprise debug`
  local name=$1
  {
    printf '%s\n' 'set pagination off' 'set confirm off' 'set width 0'
    cat
  } >commands
  timeout 100 "$REPRISE" debug "$name.rec" -- -nx -batch -x commands >out 2>&1
}
