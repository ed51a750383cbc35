# shellcheck shell=bash
# Calls and writes by the debugger, which happen in a copy that is thrown away.
# needs: /usr/bin/gdb
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_calls_and_writes() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded diverted
    session diverted <<'END'
break here
continue
print add(5)
print counter
print half(3)
print share(6)
print allocate(1000000)
print (int)strlen("four")
print touch("made")
call shout("a cry\n")
set var counter = 70
print counter
delete
next
print counter
print *shared
continue
END
    says '^\$1 = 6$'
    says '^\$2 = 6$'
    says '^\$3 = 1.5$'
    says '^\$4 = 7$'
    says '^\$5 = 1$'
    says '^\$6 = 4$'
    says '^\$7 = -1$'
    says '^a cry$'
    says '^\$8 = 6$'
    says '^\$9 = 70$'
    says '^\$10 = 1$'
    says '^\$11 = 1$'
    says '^1 1$'
    [ "$(grep -c 'diversion: this runs in a copy' out)" = 1 ] || fail "told more than once: $(cat out)"
    says 'diversion: what was written is thrown away'
    [ ! -e made ] || fail "a file was made"
  done
}

# What ends, breaks or blocks the diversion leaves the replay as it is.
case_calls_that_go_wrong() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded diverted
    session diverted <<'END'
set unwindonsignal on
break here
continue
python
def attempt(command):
    try:
        gdb.execute(command)
    except gdb.error as error:
        print("failed:", error)
attempt("print crash()")
attempt("print add(1)")
attempt("print leave()")
attempt("print add(1)")
attempt("continue")
attempt("print take()")
attempt("reverse-continue")
attempt("print counter")
end
END
    says 'failed: The program being debugged was signaled while in a function called from GDB'
    [ "$(grep -c '^\$[0-9]* = 2$' out)" = 2 ] || fail "not each in a copy of its own: $(cat out)"
    says 'would end here, with status 7; thrown away'
    says 'it waits for another thread'
    [ "$(grep -c 'hit Breakpoint 1, here' out)" -ge 2 ] || fail "it did not come back: $(cat out)"
    says '^\$[0-9]* = 1$'
  done
}

case_stops_in_a_call() {
  recorded diverted
  session diverted <<'END'
break here
continue
break add
python
try:
    gdb.execute("print pass(4)")
except gdb.error as error:
    print("failed:", error)
end
backtrace
next
print counter
END
  says '^Breakpoint 2, add \(amount=.*4\)'
  says '^\$1 = 5$'
  says 'in pass'
  says '<function called from gdb>'
}

case_condition_that_calls() {
  recorded counters
  session counters <<'END'
break main
continue
break add if (int)abs(-amount) == 1 && total == 20
continue
print total
END
  says '^\$1 = 20$'
}

# Of a process that is not the one with the turn, and of one at its very end.
case_other_threads_and_ends() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded diverted
    session diverted <<'END'
break here
continue
continue
thread 1
print add(2)
thread 2
print add(3)
delete
continue
print add(4)
continue
END
    says '^\$1 = 3$'
    says '^\$2 = 6$'
    says '^\$3 = 5$'
    says 'exited normally'
  done
  ORDER=dag recorded processes
  session processes <<'END'
set detach-on-fork off
set follow-fork-mode child
break overwrite
continue
delete
call overwrite(9)
print global
inferior 1
print global
next
inferior 2
print global
END
  says '^\$1 = 9$'
  says '^\$2 = 1$'
  says '^\$3 = [123]$'
}

# The state of the replay is the same before and after, by its digest.
case_replay_is_unchanged() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded diverted
    client <<'END'
import time
remote = Remote("diverted.rec")
here, counter = symbol("diverted", "here"), symbol("diverted", "counter")
expect(remote.ask(f"Z0,{here:x},4"), "OK")
for stop in range(3):
    expect(remote.ask("c"), "T05.*")
    moment, digest = remote.monitor("when"), remote.monitor("digest")
    expect(remote.ask(f"M{counter:x},4:2a000000"), "OK")
    expect(remote.ask(f"X{counter + 4:x},0:"), "OK")
    assert remote.memory(counter, 1) == b"\x2a"
    registers = remote.registers()
    expect(remote.ask("G" + "11" * 8 + registers[16:]), "OK")
    assert remote.registers()[:16] == "11" * 8
    expect(remote.ask("P0=2222222222222222"), "OK")
    assert remote.monitor("digest") != digest
    assert remote.monitor("when") == moment
    expect(remote.monitor("seek " + moment), "at " + moment)
    expect(remote.ask("bc"), "T00.*")
    assert remote.monitor("digest") == digest
    assert remote.registers() == registers
expect(remote.ask(f"z0,{here:x},4"), "OK")
expect(remote.ask("c"), ".*replaylog:end;")
assert remote.output.startswith(b"1 1\n"), remote.output
expect(remote.ask("c"), "W00")
assert remote.close() == 0
END
  done
  nobody_left
}

# A call that never returns is stopped as a replay is, and ends with the client.
case_endless_call() {
  recorded diverted
  client <<'END'
pc_name = {"aarch64": "20", "x86_64": "10"}[os.environ["MACHINE"]]
def call_spin(remote):
    expect(remote.ask(f"Z0,{symbol('diverted', 'here'):x},4"), "OK")
    expect(remote.ask("c"), "T05.*")
    spin = symbol("diverted", "spin").to_bytes(8, "little").hex()
    expect(remote.ask(f"P{pc_name}={spin}"), "OK")
    remote.send("c")
remote = Remote("diverted.rec")
call_spin(remote)
while b"diversion: this runs in a copy" not in remote.output:
    remote.take()
remote.raw(b"\x03")
expect(remote.receive().decode(), "T02thread:.*")
expect(remote.ask("s"), "T05thread:.*")
expect(remote.ask("bs"), "T05thread:.*")
assert remote.close() == 0
remote = Remote("diverted.rec")
call_spin(remote)
assert remote.close() == 0
remote = Remote("diverted.rec")
call_spin(remote)
while b"diversion: this runs in a copy" not in remote.output:
    remote.take()
remote.process.kill()
remote.process.wait()
END
  nobody_left
}
