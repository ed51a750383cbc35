# reprise stat and reprise dump: the numbers and the events of a recording.

recorded() { # COMMAND…
  "$REPRISE" record -o recording -- "$@" >recorded 2>&1 || fail "status $? of $*"
}

value() { # NAME: that line's number
  sed -n "s/^$1 *//p" stat | head -n 1
}

case_stat() {
  recorded "$PROGRAMS/race_racey" 4 20000
  "$REPRISE" stat recording >stat || fail "status $?"
  [ "$(value threads)" = 5 ] || fail "not five threads: $(cat stat)"
  [ "$(value processes)" = 1 ] || fail "not one process: $(cat stat)"
  [ "$(value exits)" = 5 ] || fail "not five exits: $(cat stat)"
  [ "$(value ended)" = 'exit 0' ] || fail "ended otherwise: $(cat stat)"
  grep -q "^duration *[0-9.]* s$" stat || fail "no duration: $(cat stat)"
  grep -q ' clone3\?$' stat || fail "clone is not among the calls: $(cat stat)"
  # The threads' instructions add up.
  awk -v all="$(value instructions)" '/^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]/ { sum += $3 } END { exit sum != all }' stat ||
    fail "the sum is not that of the threads: $(cat stat)"
}

# What is on the disk is what the frames take, but for the frame that ends each stream.
case_stat_bytes() {
  recorded /bin/echo words
  "$REPRISE" stat recording >stat || fail "status $?"
  stored=$(sed -n 's/^input log .*, \([0-9]*\) on disk/\1/p' stat)
  size=$(stat -c %s recording/streams/input-0)
  [ $((stored + 56)) = "$size" ] || fail "$stored bytes and an end are not $size"
}

case_dump() {
  recorded /bin/sh -c 'echo words; exit 3 &
    wait'
  "$REPRISE" dump recording >dump || fail "status $?"
  grep -qE '^ +0 +[0-9]+ +syscall +write\(1, 0x[0-9a-f]+, 6\) = 6 sends #[0-9a-f]{16}' dump || fail "the write is missing: $(cat dump)"
  grep -qE '^ +0 +[0-9]+ +process +1 is born with thread 1' dump || fail "no birth of the child"
  grep -qE '^ +1 +[0-9]+ +exit +process, status 3' dump || fail "no end of the child"
  grep -qE 'file +0 at .*/(dash|bash|sh)$' dump || fail "the program's file has no name"
  ! has_names || grep -qE ' at [A-Za-z_]+.* in (libc|ld-linux)' dump || fail "no place has a name"
  # Positions of a thread never run backwards.
  awk '{ if ($2 < last[$1]) exit 1; last[$1] = $2 }' dump || fail "positions run backwards"
}

# Chunks and events together give the thread that runs: the one named last.
case_dump_in_order() {
  recorded "$PROGRAMS/race_racey" 4 50000
  "$REPRISE" dump recording >dump || fail "status $?"
  [ "$(grep -c ' chunk ' dump)" -gt 4 ] || fail "hardly any chunks"
  awk 'BEGIN { running = 0 } $1 != running { exit 1 } $3 == "chunk" { running = $NF }' dump ||
    fail "an event of a thread that does not run"
}

case_dump_filters() {
  recorded "$PROGRAMS/race_racey" 4 20000
  "$REPRISE" dump --thread=1,3-4 recording >dump || fail "status $?"
  [ "$(awk '{ print $1 }' dump | sort -u | tr '\n' ' ')" = '1 3 4 ' ] || fail "other threads: $(cat dump)"
  "$REPRISE" dump --kind=exit,chunk recording >dump || fail "status $?"
  [ "$(awk '{ print $3 }' dump | sort -u | tr '\n' ' ')" = 'chunk exit ' ] || fail "other kinds: $(cat dump)"
  "$REPRISE" dump --thread=0 --from=1000 --to=25000 recording >dump || fail "status $?"
  awk '$2 < 1000 || $2 > 25000 { exit 1 }' dump && [ -s dump ] || fail "other positions: $(cat dump)"
  refuses 2 'expected kinds' "$REPRISE" dump --kind=nonsense recording
  refuses 2 'expected numbers' "$REPRISE" dump --thread=one recording
  refuses 2 'expected numbers' "$REPRISE" dump --thread=4-2 recording
  refuses 2 'expected a position' "$REPRISE" dump --from=-1 recording
  refuses 2 'no such option' "$REPRISE" dump --nonsense recording
  refuses 2 'no such option' "$REPRISE" stat --nonsense recording
  refuses 2 'no such recording' "$REPRISE" stat ./nowhere
  refuses 2 'no such recording' "$REPRISE" dump ./nowhere
}

case_json() {
  "$REPRISE" record -o json -- /bin/sh -c 'trap "echo got" USR1; printf "a\"b\\\\\377"; kill -USR1 $$' >out || fail "status $?"
  "$REPRISE" dump --json json >dump || fail "status $?"
  "$REPRISE" stat --json json >stat || fail "status $?"
  python3 - <<'END' || fail "no JSON, or not what was recorded"
import json
events = [json.loads(line) for line in open("dump")]
calls = [e for e in events if e["kind"] == "syscall"]
writes = [e for e in calls if e["call"] == "write"]
assert [e["result"] for e in writes] == [5, 4], writes
assert any(e["kind"] == "signal" and e["signal"] == "SIGUSR1" for e in events)
assert all(len(e["bytes"]) == 2 * e["count"] for e in events if e["kind"] == "copy-in")
numbers = [json.loads(line) for line in open("stat")]
assert numbers[0]["is"] == "recording" and numbers[0]["syscall"] == len(calls), numbers[0]
assert sum(n["count"] for n in numbers if n["is"] == "call") == len(calls)
assert numbers[0]["instructions"] == sum(n["instructions"] for n in numbers if n["is"] == "thread")
END
}

# A pack is as good as a folder.
case_packed() {
  recorded /bin/echo words
  "$REPRISE" pack ./recording pack >out || fail "status $?"
  cmp <("$REPRISE" dump recording) <("$REPRISE" dump ./pack) || fail "the pack's events differ"
  cmp <("$REPRISE" stat recording | tail -n +2) <("$REPRISE" stat ./pack | tail -n +2) || fail "the pack's numbers differ"
}

case_damaged() {
  recorded /bin/echo words
  printf '\377\377\377\377' | dd of=recording/streams/input-0 bs=1 seek=600 conv=notrunc status=none
  refuses 121 damaged "$REPRISE" stat recording
  "$REPRISE" dump recording >out 2>err
  [ $? = 121 ] || fail "dump: status is not 121"
  [ "$(wc -l <err)" = 1 ] || fail "dump: not one line: $(cat err)"
}
