# shellcheck shell=bash
# lldb, where it is installed.
# needs: /usr/bin/lldb
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_breakpoint_steps_and_stack() {
  local port commands=() line
  OPTIMIZE=-O0 recorded overwritten 139
  timeout "$HANGS" "$REPRISE" gdbserver --port=0 "$PWD/overwritten.rec" 2>said &
  until port=$(grep -oE '[0-9]+$' said); do kill -0 $! || fail "$(cat said)"; done
  while read -r line; do commands+=(-o "$line"); done <<END
target create ./overwritten
gdb-remote 127.0.0.1:$port
breakpoint set -n fill
continue
bt
thread list
frame variable argument
next
thread step-inst
breakpoint delete -f
continue
END
  timeout "$HANGS" lldb -b "${commands[@]}" >out 2>&1 || fail "lldb: status $?: $(cat out)"
  says 'stop reason = breakpoint 1.1'
  says 'frame #0: .* overwritten`fill\(argument=0x0+\) at overwritten.c:14'
  says 'frame #1: .* libc.so.6`'
  says 'thread #1: .* libc.so.6`'
  says 'stop reason = step over'
  says '\(void \*\) argument = 0x0+$'
  says 'stop reason = instruction step into'
  says 'stop reason = signal SIGSEGV'
  nobody_left
}
