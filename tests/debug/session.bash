# shellcheck shell=bash
# What the tests of the debugger share. REPRISE is the command, COMPILERS what the names of compilers of its programs begin with, MACHINE these programs' machine,
# GDB a debugger for them, SYSROOT where their libraries are, if this is another machine;
# the current folder is fresh.

DEFINES= # of programs
SERVER=  # options of gdbserver in sessions
debug_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

recorded() { # NAME [STATUS]: compiles the program, NAME.c or NAME.cc, and records it to NAME.rec
  local name=$1 want=${2:-0} status compiler=${COMPILERS}gcc source=$debug_here/programs/$1.c
  [ "$name" != counters ] || want=3
  [ -e "$source" ] || { compiler=${COMPILERS}g++ && source+=c; }
  # At a fixed address: also where the kernel chooses addresses at random.
  $compiler -g "${OPTIMIZE:--O1}" -fno-inline -fno-pie -no-pie $DEFINES -D_GNU_SOURCE -pthread -o "$name" "$source" || fail "$name can't be compiled"
  rm -rf "$name.rec"
  "$REPRISE" record --order="${ORDER:-chunk}" -o "$name.rec" -- "./$name" >"$name.out" 2>&1
  status=$?
  [ "$status" = "$want" ] || fail "recording $name: status $status: $(cat "$name.out")"
}

# What a session with a program of another machine begins with: its interpreter and libraries do not have here the names that it knows. Nor are there checkpoints.
foreign_symbols() { # NAME
  [ -z "$SYSROOT" ] || printf '%s\n' "set sysroot $SYSROOT" "file ./$1"
}

session() { # NAME, commands on standard input: their output to the file `out`
  local name=$1
  {
    printf '%s\n' 'set pagination off' 'set confirm off' 'set width 0' 'set debuginfod enabled off' 'set remotetimeout 86400'
    foreign_symbols "$name"
    echo "target remote | $REPRISE gdbserver $SERVER $name.rec"
    cat
  } >commands
  timeout "$HANGS" "$GDB" -nx -batch -x commands >out 2>&1 || fail "gdb: status $?: $(cat out)"
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
  PYTHONPATH=$debug_here PYTHONDONTWRITEBYTECODE=1 timeout "${CLIENT_SECONDS:-$HANGS}" python3 script.py >out 2>&1 || fail "client: $(cat out)"
}

commands() { # NAME, commands on standard input: as session, under `reprise debug`
  local name=$1
  {
    printf '%s\n' 'set pagination off' 'set confirm off' 'set width 0'
    cat
  } >commands
  foreign_symbols "$name" >before
  timeout "$HANGS" "$REPRISE" debug --gdb="$GDB" "$name.rec" -- -nx -batch -ix before -x commands >out 2>&1
}

look() { # STATUS ARGUMENTS…: a command of reprise, its output to the file `out`
  local want=$1 status
  shift
  timeout "$HANGS" "$REPRISE" "$@" >out 2>err
  status=$?
  [ "$status" = "$want" ] || fail "reprise $*: status $status: $(cat out err)"
}

address_of() { # PROGRAM SYMBOL: its address; programs are linked to a fixed one
  echo "0x$(nm "$1" | awk -v name="$2" '$3 == name { print $1 }')"
}
