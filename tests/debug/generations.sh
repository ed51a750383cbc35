# shellcheck shell=bash
# Which processes gdb is shown: what it lets go, and what descends from that, does not concern it.
# needs: /usr/bin/gdb
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

in_grandchild() { # records, and has later sessions begin in the grandchild's last step
  recorded generations
  session generations <<'END'
set detach-on-fork off
set schedule-multiple on
break step if now == 22
continue
monitor when
END
  SERVER=--at=$(grep -oE '^[0-9]+:[0-9]+:[0-9]+:[0-9]+$' out)
  [ "$SERVER" != --at= ] || fail "it does not come to the grandchild: $(cat out)"
}

values() { # NUMBER…: those that the breakpoint at step was hit with
  local want="$*" got
  got=$(grep -oE 'Breakpoint .* step \(now=(now@entry=)?[0-9]+' out | grep -oE '[0-9]+$' | paste -sd' ')
  [ "$got" = "$want" ] || fail "hits: $got, not $want: $(cat out)"
  ! grep -qE 'internal-error|packet reply' out || fail "$(cat out)"
}

# The grandchild's parent was let go.
case_what_was_let_go_does_not_stop() {
  recorded generations
  session generations <<'END'
break step
continue
continue
continue
reverse-continue
reverse-continue
continue
END
  values 0 3 4 3 0 3
}

case_begins_in_a_grandchild() {
  in_grandchild
  session generations <<'END'
break step
reverse-continue
reverse-continue
info threads
print value
reverse-stepi
continue
continue
monitor seek begin
continue
continue
info inferiors
reverse-continue
continue
END
  values 2 2 22 22
  says 'Detaching after fork from child process'
  says '^\$1 = 1$' # as its parent had it
  says 'begin: the process that is shown does not live there'
  says '^\* 1 +process'
  [ "$(grep -c 'No more reverse-execution history' out)" = 5 ] || fail "$(cat out)"
}

# Also the one that has gone to another program.
case_shows_those_that_live() {
  in_grandchild
  session generations <<'END'
set detach-on-fork off
set schedule-multiple on
break step
stepi
continue
inferior 1
info inferiors
inferior 2
continue
continue
inferior 4
continue
END
  values 11 3
  [ "$(grep -c 'New inferior' out)" = 3 ] || fail "$(cat out)"
  says 'is executing new program: .*/cat$'
  says 'process [0-9]+ .*target:/.*/cat'
}
