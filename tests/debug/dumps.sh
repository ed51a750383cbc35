# shellcheck shell=bash
# Recordings that a flight recorder has stored: they begin in the middle, and are looked into as any other.
# needs: /usr/bin/gdb
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

flown() { # NAME STATUS [TRIGGER]: records the last part of the program to NAME.rec
  local name=$1 want=$2 trigger=${3:-signal} status
  gcc -g -O1 -fno-inline -fno-pie -no-pie -D_GNU_SOURCE -pthread -o "$name" "$debug_here/programs/$name.c" || fail "$name can't be compiled"
  rm -rf "$name.rec"
  "$REPRISE" record --flight=400ms --trigger="$trigger" --order="${ORDER:-chunk}" -o "$name.rec" -- "./$name" >"$name.out" 2>"$name.err"
  status=$?
  [ "$status" = "$want" ] || fail "recording $name: status $status: $(cat "$name.err")"
  grep -q '^begins: 0$' "$name.rec/manifest" || fail "it does not begin at a checkpoint: $(cat "$name.err")"
}

case_dump_has_a_cause() {
  flown late 139
  session late <<'END'
info threads
print shared.cell
print getpid
watch -l shared.cell
reverse-continue
backtrace
print round
delete
info inferiors
info auxv
info proc mappings
reverse-stepi
stepi
break use
continue
delete
continue
END
  says 'received signal SIGSEGV'
  says '^\$1 = \(long \*\) 0x0$'
  says '^#0 .* take_away \(round=.*1000\)|^#0 +take_away \(round=.*1000\)'
  says '^#1 .* culprit \('
  says 'AT_ENTRY'
  says '/late$'
  says 'Breakpoint [0-9]+, use \(round=.*[0-9]+\)'
  [ "$(grep -c 'received signal SIGSEGV' out)" = 1 ] || fail "it does not crash once more: $(cat out)"
}

case_dump_has_a_beginning() {
  flown late 139
  SERVER=--at=begin # on the first thread, not on the one that has the turn
  session late <<'END'
break use
continue
reverse-continue
info threads
delete
watch -l shared.rounds
continue
reverse-continue
END
  says 'reached end of reverse-execution history|Reached end of reverse-execution history|No more reverse-execution history'
  says 'New value = 1000'
}

# The child has the first turn: what is shown is its parent all the same.
case_dump_begins_with_parent() {
  flown apprentice 139
  SERVER=--at=begin
  session apprentice <<'END'
print rounds > 0
print work
break count
continue
END
  says '^\$1 = 1$'
  says '^\$2 = 0$'
  says 'Breakpoint 1, count'
}

# One process, and none is killed: the session begins where the program ends.
case_dump_opens_at_its_end() {
  flown ends 3 exit=3
  commands ends <<'END'
when
print rounds
watch rounds
reverse-continue
seek begin
print rounds < 600
END
  says '^\$1 = 600$'
  says 'Old value = 600'
  says '^\$2 = 1$'
}

# The same moments from the front, from behind and again.
case_dump_moments() {
  flown late 139
  commands late <<'END'
seek 60%
when
stepi 20
when
reverse-stepi 20
when
seek crash
when
seek begin
when
seek 60%
when
END
  [ "$(grep -cE '^[0-9]+:[0-9]+:[0-9]+:[0-9]+' out)" -ge 6 ] || fail "$(cat out)"
}

case_dump_is_looked_into() {
  flown late 139
  look 0 backtrace --at=crash late.rec
  ! has_names || says '^#0 .* use '
  look 0 replay --goto=crash late.rec
  tail -n "$(wc -l <out)" late.out | cmp - out || fail "another output: $(cat out)"
  grep -q '^thread 0 .*has the turn' err || fail "$(cat err)"
  look 0 replay --goto=begin late.rec
  [ ! -s out ] || fail "output before the beginning: $(cat out)"
}

# Its image is of use to the build alone that made it; that is told once.
case_dump_of_other_build() {
  flown ends 3 exit=3
  mkdir other
  cp "$REPRISE" other/reprise
  { cat "$(dirname "$REPRISE")/reprise-engine" && printf x; } >other/reprise-engine
  chmod +x other/reprise-engine
  refuses 125 'image 0 was made by another build of reprise' other/reprise gdbserver ends.rec
  refuses 125 'image 0 was made by another build of reprise' other/reprise replay --goto=end ends.rec
}

# The same of threads that ran at once, and take turns from the checkpoint on.
case_dump_has_a_cause_in_dag() { ORDER=dag case_dump_has_a_cause; }
case_dump_has_a_beginning_in_dag() { ORDER=dag case_dump_has_a_beginning; }
case_dump_begins_with_parent_in_dag() { ORDER=dag case_dump_begins_with_parent; }
case_dump_opens_at_its_end_in_dag() { ORDER=dag case_dump_opens_at_its_end; }
case_dump_moments_in_dag() { ORDER=dag case_dump_moments; }
case_dump_is_looked_into_in_dag() { ORDER=dag case_dump_is_looked_into; }
