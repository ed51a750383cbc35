# shellcheck shell=bash
# Scripted sessions of gdb.
# needs: /usr/bin/gdb
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_breakpoint() {
  recorded counters
  session counters <<'END'
break main
continue
bt
tbreak add
continue
info threads
print amount
print (int)errno
finish
END
  says 'Breakpoint 1, main \(\)'
  says '#0  main \(\)'
  says 'Temporary breakpoint 2, add \(amount=.*1\)'
  says 'R-thread 0 at position'
  says '\$1 = 1'
  says '\$2 = 0'
  says 'in work \(argument=0x0\)'
  says 'Thread .* "counters"'
}

case_runs_to_the_end() {
  recorded counters
  session counters <<'END'
continue
info threads
continue
END
  says '^begin$'
  says '^8000$'
  says 'the program ends here, with status 3'
  says 'exited with code 03'
  [ "$(grep -c '^8000$' out)" = 1 ] || fail "output was shown more than once"
}

case_steps_back_and_forth() {
  recorded counters
  session counters <<'END'
break add
continue
print $pc
stepi 5
reverse-stepi 5
print $pc
next
reverse-next
print $pc
END
  [ "$(grep -o '^\$[123] = .*' out | sed 's/^[^=]*//' | sort -u | wc -l)" = 1 ] || fail "it did not come back: $(cat out)"
}

case_crash_has_a_cause() {
  recorded overwritten 139
  session overwritten <<'END'
continue
print shared.pointer
watch -l shared.pointer
reverse-continue
bt
print i
END
  says 'received signal SIGSEGV'
  says '\$1 = \(long \*\) 0x8'
  says 'Hardware watchpoint 1'
  says 'New value = \(long \*\) 0x[a-f0-9]+ <target>'
  says 'in fill|fill \('
  says '\$2 = 8'
}

# The same where the program has seen it itself.
case_abort_has_a_cause() {
  recorded noticed 134
  session noticed <<'END'
continue
print elements[SEALED]
watch -l elements[SEALED]
reverse-continue
bt
print i
END
  says 'received signal SIGABRT'
  says '\$1 = 7'
  says 'Hardware watchpoint 1'
  says 'New value = -1'
  says 'in number|number \('
  says '\$2 = 7'
}

case_watchpoint_forwards() {
  recorded overwritten 139
  session overwritten <<'END'
break main
continue
watch shared.pointer
continue
continue
bt 1
rwatch shared.pointer
continue
END
  says 'New value = \(long \*\) 0x[a-f0-9]+ <target>'
  says 'New value = \(long \*\) 0x8'
  says 'Hardware read watchpoint 3'
}

case_reverse_to_the_beginning() {
  recorded counters
  session counters <<'END'
break main
continue
delete
reverse-continue
END
  says 'No more reverse-execution history'
}

case_mappings_and_vector() {
  recorded counters
  session counters <<'END'
break add
continue
info proc mappings
info auxv
info sharedlibrary
END
  says "/counters$"
  says '/libc.so.6'
  says 'AT_ENTRY'
  ! grep -q 680000000000 out || fail "the engine's memory is shown"
}

case_catches_calls() {
  recorded counters
  session counters <<'END'
catch syscall write
continue
continue
bt 1
END
  says "call to syscall write"
  says "returned from syscall write"
}

case_child_overwrites() {
  [ -z "$SYSROOT" ] || DEFINES=-DWITHOUT_VFORK # the emulators make a fork of it, for which a recording in parallel waits for ever
  ORDER=dag recorded processes
  session processes <<'END'
set detach-on-fork off
set follow-fork-mode child
break overwrite
continue
info inferiors
watch global
continue
continue
reverse-continue
print global
END
  says 'Attaching after Thread .* fork to child'
  says '^\* 2 +process'
  says 'New value = 2'
  says 'overwrite \(value=.*3\)'
  says '^\$1 = 1$' # where the breakpoint is at the store itself, gdb tells of that
}

# Before its birth a process is gone, and is born again on the way forwards; one that has ended is not shown on the way back.
case_processes_come_and_go() {
  recorded processes
  commands processes <<'END'
set detach-on-fork off
break overwrite
catch fork
continue
continue
continue
continue
inferior 1
continue
delete
reverse-continue
inferior 1
reverse-continue
info threads
catch fork
break overwrite
continue
continue
reverse-continue
info threads
inferior 1
continue
continue
continue
continue
inferior 1
continue
continue
inferior 1
continue
END
  ! grep -qE 'internal-error|packet reply' out || fail "$(cat out)"
  [ "$(grep -c 'exited with code 03' out)" = 2 ] || fail "$(cat out)"
  [ "$(grep -c 'exited normally' out)" = 2 ] || fail "$(cat out)"
  [ "$(grep -c 'hit Breakpoint' out)" = 5 ] || fail "$(cat out)"
  says 'exited with code 04'
  says 'exited with code 05'
}

# A step from where a signal is taken leads to the first instruction of its handler.
case_steps_into_handlers() {
  recorded workers
  session workers <<'END'
break work
continue
delete
continue
stepi
print $pc
print on_signal
stepi
reverse-stepi
print $pc
END
  says 'received signal SIGUSR1'
  [ "$(grep -cE '^\$[123] = .* <?on_signal>?$|^\$2 = .*<on_signal>$' out)" = 3 ] || fail "$(cat out)"
}

# The store is the instruction that is stepped, and the one at the breakpoint: it is told all the same. Pieces of blocks near a stop have no checks of their own.
case_watched_at_a_stop() {
  recorded counters
  client <<'END'
from visits import *
total = symbol("counters", "total")
remote = Remote("counters.rec")
expect(remote.ask(f"Z2,{total:x},4"), "OK")
expect(remote.ask("c"), "T05.*watch:.*")
place = remote.monitor("when")
hits = []
for _ in range(5):
    expect(remote.ask("c"), "T05.*watch:.*")
    hits.append(remote.monitor("when"))
# The same by steps, however many instructions of others are between them.
seek(remote, place)
steps = []
while len(steps) < len(hits):
    if "watch" in remote.ask("s"):
        steps.append(remote.monitor("when"))
assert steps == hits, (steps, hits)
# And with a breakpoint at the instruction itself.
seek(remote, "begin")
expect(remote.ask("c"), "T05.*watch:.*")
if os.environ["MACHINE"] == "x86_64":  # told when the access is made, not before
    expect(remote.ask("bc"), "T05.*")
store = int.from_bytes(bytes.fromhex(remote.ask(f"p{PC:x}")), "little")
expect(remote.ask(f"Z0,{store:x},1"), "OK")
seek(remote, "begin")
replies = ["watch" in remote.ask("c") for _ in range(6)]
assert replies == [False, True] * 3, replies
assert remote.close() == 0
END
}

case_programs_and_borrowers() {
  recorded processes
  session processes <<'END'
catch vfork
continue
continue
continue
END
  says 'Catchpoint 1 \(vforked process'
  says 'Detaching after vfork from child'
  says '^3 4 5 1$'
  says 'exited normally'
  session processes <<'END'
set detach-on-fork off
set schedule-multiple on
catch exec
continue
inferior 1
continue
info inferiors
END
  says "Catchpoint 1 \(exec'd /.*/processes\)"
  # The child that is followed is the first one, which ends without going to a program.
  session processes <<'END'
set follow-fork-mode child
catch exec
continue
continue
END
  ! grep -q "exec'd" out || fail "a child of a process that was let go: $(cat out)"
  says 'the program ends here, with status 3'
}
