# shellcheck shell=bash
# The commands of Reprise's own in gdb.
# needs: /usr/bin/gdb
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_seek_and_when() {
  ORDER=dag recorded counters
  commands counters <<'END'
when
break add
continue
when
checkpoint
delete
seek end
seek begin
when
restart 1
when
checkpoint list
reprise threads
END
  [ "$(grep -cE '^[0-9]+:0:0:0$' out)" = 2 ] || fail "the beginning has another name: $(cat out)"
  [ "$(grep -E '^[0-9]+:[1-4]:[0-9]+:[0-9]+$' out | sort | uniq -c | awk '{ print $1 }')" = 2 ] || fail "not the same moment: $(cat out)"
  says 'the program ends here, with status 3'
  says 'Checkpoint 1 at'
  says 'thread 0 +process [0-9]+, id [0-9]+, counters, position [0-9]+: waits for its turn'
  says 'has the turn'
}

case_seek_crash_and_last() {
  recorded overwritten 139
  commands overwritten <<'END'
seek crash
last shared.pointer
last shared.pointer
last shared.pointer
END
  says 'overwritten.c:3[23]|in main'
  says 'the last write of shared.pointer: at .*thread'
  [ "$(grep -c '^the last write of' out)" = 3 ] || fail "$(cat out)"
  says 'it was not written before'
}

# What can't be done is told in a line, and a place in a library that is loaded on the way has its name.
case_last_of_nothing() {
  recorded overwritten 139
  commands overwritten <<'END'
last nothing
END
  says '^No symbol "nothing" in current context.|commands:[0-9]+: Error in sourced command file:'
  says 'No symbol "nothing" in current context'
  ! grep -q 'Python' out || fail "$(cat out)"
  commands overwritten <<'END'
seek end
END
  tail -n 3 out | grep -qE 'main \(\)|abort|exit' || fail "no name: $(cat out)"
}

case_lost_update() {
  ORDER=dag recorded lost
  commands lost <<'END'
seek end
last counter
print counter
last counter
print counter
END
  says '^\$1 = 1$'
  says '^\$2 = 0$'
  [ "$(grep -c 'in increment' out)" = 2 ] || fail "$(cat out)"
}

case_backtrace() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded counters
    timeout "$HANGS" "$REPRISE" backtrace --at=2@500 counters.rec >out 2>err || fail "$(cat out err)"
    says '^at [0-9]+:2:500:[0-9]+$'
    says '^thread 2  process [0-9]+, id [0-9]+, counters, position 500: has the turn$'
    says '^#[0-9]+ .* in work \(argument=.*counters.c:15$'
    [ "$(grep -c ^thread out)" = 1 ] || fail "$(cat out)"
    [ ! -s err ] || fail "$(cat err)"
    ! grep -vE '^(at |thread |#[0-9])' out || fail "gdb's own messages are there"
    timeout "$HANGS" "$REPRISE" backtrace --at=2@500 --all-threads counters.rec >out 2>err || fail "$(cat out err)"
    says '^thread 0 .*waits for its turn'
    says '^#[0-9]+ .*in main \(\) at '
    timeout "$HANGS" "$REPRISE" backtrace --at=2@500 --all-threads --json counters.rec >out 2>err || fail "$(cat out err)"
    python3 - <<'END' || fail "$(cat out)"
import json
threads = {entry["thread"]: entry for entry in map(json.loads, open("out"))}
assert 0 in threads and threads[2]["position"] == 500, threads.keys()
[work] = [frame for frame in threads[2]["frames"] if frame.get("function") == "work"]
assert work["line"] == 15 and work["file"].endswith("counters.c") and work["object"].endswith("/counters"), work
assert "argument" in work["arguments"], work
assert threads[0]["frames"][-1]["function"], threads[0]
END
  done
}

case_backtrace_of_the_end() {
  recorded overwritten 139
  "$REPRISE" pack overwritten.rec overwritten.rpk >/dev/null || fail pack
  timeout "$HANGS" "$REPRISE" backtrace overwritten.rpk >out 2>err </dev/null || fail "$(cat out err)"
  says '^#0 .*in main \(\) at .*overwritten.c:3[23]$'
  timeout "$HANGS" "$REPRISE" backtrace overwritten.rec >out 2>err <&- || fail "$(cat out err)"
  says '^#0 .*in main \(\) at .*overwritten.c:3[23]$'
  nobody_left
}

case_backtrace_among_processes() {
  ORDER=dag recorded processes
  timeout "$HANGS" "$REPRISE" backtrace --at=1@120 --all-threads processes.rec >out 2>err || fail "$(cat out err)"
  says '^thread 1 .*position 120: has the turn$'
  says '^#[0-9]+ .*main \(.*processes.c:[0-9]+$'
  [ "$(grep -c ^thread out)" = 1 ] || fail "$(cat out)"
}

case_backtrace_of_nothing() {
  recorded counters
  refuses 2 'this is no moment' "$REPRISE" backtrace --at=nonsense counters.rec
  refuses 2 'no such option' "$REPRISE" backtrace --nonsense counters.rec
  refuses 2 'too many arguments' "$REPRISE" backtrace counters.rec counters.rec
  refuses 125 'no such moment' "$REPRISE" backtrace --at=0@99999999999 counters.rec
  refuses 127 'not found: the debugger has to be installed' "$REPRISE" backtrace --gdb=/nonexistent/gdb counters.rec
  rm -f counters.rec/manifest*
  refuses 121 'reprise: ' "$REPRISE" backtrace counters.rec
}

case_bad_places() {
  recorded counters
  local place
  for place in nonsense 101% 100.1% 5.% 5 % 1.2345% 0@99999999999 7777:0:1:0 event:123456789 crash ''; do
    if commands counters <<<"seek $place" 2>/dev/null && ! grep -qE 'no moment|no such moment|seek where' out; then
      fail "seek $place: $(cat out)"
    fi
  done
}

case_begin_at_the_crash() {
  recorded overwritten 139
  echo 'bt 1' >script
  timeout "$HANGS" "$REPRISE" debug --at=crash overwritten.rec -- -nx -batch -x script >out 2>&1 || fail "$(cat out)"
  says '#0 .*main'
  refuses 127 'not found' "$REPRISE" debug --gdb=/nonexistent/gdb overwritten.rec
  refuses 2 'no such option' "$REPRISE" debug --nonsense
}

case_seek_by_share() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded overwritten 139
    commands overwritten <<'END'
seek 50%
when
seek 90.5%
when
seek 50%
when
seek 100%
when
seek 0%
when
END
    grep -E '^[0-9]+:[0-9]+:[0-9]+:[0-9]+$' out | tr : ' ' >moments
    awk 'NR == 1 { turn = $1; half = $3 } NR == 2 { more = $3 } NR == 3 && $3 != half { exit 1 } NR == 4 && $1 < turn { exit 1 }
      NR == 5 && $3 { exit 1 } END { exit NR != 5 || half < 1000 || more * 1000 < half * 1809 || more * 1000 > half * 1811 }' moments || fail "$(cat out)"
  done
}

# gdb's own scripts for a library are there, though the library comes from the recording. Where gdb came without the compiler's script there is none to be had.
case_printers_of_libraries() {
  ls /usr/share/gdb/auto-load/usr/lib/*/libstdc++.so.*-gdb.py >/dev/null 2>&1 || return 0
  printf '%s\n' '#include <string>' '#include <vector>' 'std::vector<std::string> words;' 'void done() {}' \
    'int main() { words = {"one", "two"}; done(); }' >words.cc
  "${COMPILERS}g++" -g -O0 -fno-pie -no-pie -o words words.cc || fail "no program"
  "$REPRISE" record -o words.rec -- ./words || fail "status $?"
  commands words <<'END'
break done
continue
print words
END
  says 'vector of length 2, capacity 2 = .*"one".*"two"'
}

# gdb gives up when the first packets are not answered in time, and the replay may take long to come to the place.
case_patience_of_gdb() {
  recorded counters
  commands counters <<'END'
show remotetimeout
END
  says 'Timeout limit to wait for target to respond is 86400'
}
