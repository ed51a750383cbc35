# shellcheck shell=bash
# Looks into recordings without a debugger.
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

look() { # STATUS ARGUMENTS…: a command of reprise, its output to the file `out`
  local want=$1 status
  shift
  timeout 100 "$REPRISE" "$@" >out 2>err
  status=$?
  [ "$status" = "$want" ] || fail "reprise $*: status $status: $(cat out err)"
}

address_of() { # PROGRAM SYMBOL: its address; programs are linked to a fixed one
  echo "0x$(nm "$1" | awk -v name="$2" '$3 == name { print $1 }')"
}

case_who_wrote_it() {
  local order address
  for order in chunk dag; do
    ORDER=$order recorded overwritten 139
    address=$(address_of overwritten shared | python3 -c 'print(hex(int(input(), 0) + 64))')
    look 0 who "$address,8" --at=crash overwritten.rec
    says '^at [0-9]+:1:[0-9]+:[0-9]+, thread 1 \(process [0-9]+, id [0-9]+, overwritten\): 0x[0-9a-f]+ fill\+0x[0-9a-f]+ \(overwritten.c:14\) in overwritten$'
    look 0 who --at="$(grep -oE '[0-9]+:1:[0-9]+:[0-9]+' out)" --json "$address,8" overwritten.rec
    says '"written": true, "moment": "[0-9]+:0:[0-9]+:[0-9]+", "thread": 0, .*"symbol": "main.*overwritten.c:26\)", "file": "overwritten"}$'
    look 1 who --json --at="$(grep -oE '[0-9]+:0:[0-9]+:[0-9]+' out)" "$address,8" overwritten.rec
    says '"written": false}$'
  done
}

case_who_in_a_pack() {
  recorded lost
  "$REPRISE" pack lost.rec lost.rpk >/dev/null || fail pack
  look 0 who "$(address_of lost counter),4" lost.rpk
  says 'increment\+0x[0-9a-f]+ \(lost.c:11\) in lost$'
}

case_who_is_a_system_call() {
  recorded received
  local address
  address=$(address_of received received)
  look 0 who "$address" received.rec
  says ': read at 0x[0-9a-f]+ .*in libc.so.6$'
  look 0 who "$address" --at="$(grep -oE '[0-9]+:0:[0-9]+:[0-9]+' out)" received.rec
  says ': 0x[0-9a-f]+ (prepare|memset|__memset).*'
}

case_who_asks_badly() {
  recorded lost
  refuses 2 'no address given' "$REPRISE" who
  refuses 2 'not an address' "$REPRISE" who nonsense lost.rec
  refuses 2 'not an address' "$REPRISE" who 0x10,0 lost.rec
  refuses 2 'not an address' "$REPRISE" who 0x10,5000 lost.rec
  refuses 2 'not an address' "$REPRISE" who 0xffffffffffffffff,8 lost.rec
  refuses 2 'no such option' "$REPRISE" who --nonsense 1 lost.rec
  refuses 2 'no process' "$REPRISE" who --process=x 1 lost.rec
  refuses 2 'this is no moment' "$REPRISE" who --at=nonsense 1 lost.rec
  refuses 125 'no such moment' "$REPRISE" who --at=crash 1 lost.rec
  refuses 125 'there is no process' "$REPRISE" who --process=999999999 1 lost.rec
}

case_goes_to_a_place() {
  local order moment
  for order in chunk dag; do
    ORDER=$order recorded overwritten 139
    look 0 replay --goto=crash overwritten.rec
    [ "$(cat out)" = "$(head -n 1 overwritten.out)" ] || fail "other output: $(cat out)"
    moment=$(sed -n 's/^at //p' err)
    grep -qE '^thread 0  process [0-9]+, id [0-9]+, overwritten, position [0-9]+: has the turn, at 0x[0-9a-f]+ main\+0x[0-9a-f]+ \(overwritten.c:33\) in overwritten$' err ||
      fail "$(cat err)"
    look 0 replay --quiet --json --goto="$moment" overwritten.rec
    [ ! -s out ] || fail "quiet: $(cat out)"
    python3 -c 'import json, sys; [entry] = map(json.loads, open("err")); sys.exit(entry["moment"] != sys.argv[1] or entry["thread"] != 0)' "$moment" || fail "$(cat err)"
  done
}

case_goes_among_threads() {
  recorded counters
  look 0 replay --goto=2@500 counters.rec
  [ ! -s out ] || fail "the program writes when it ends: $(cat out)"
  grep -q '^thread 2 .*position 500: has the turn' err || fail "$(cat err)"
  grep -q '^thread 0 .*: waits for its turn, ' err || fail "$(cat err)"
  look 0 replay --goto=begin counters.rec
  [ ! -s out ] || fail "output before the beginning: $(cat out)"
  look 0 replay --goto=end counters.rec
  cmp out counters.out || fail "other output: $(cat out)"
}

case_goes_nowhere() {
  recorded counters
  refuses 2 'this is no moment' "$REPRISE" replay --goto=nonsense counters.rec
  refuses 2 "can't be combined" "$REPRISE" replay --goto=end --serial counters.rec
  refuses 2 'is for --goto' "$REPRISE" replay --json counters.rec
  refuses 125 'no such moment' "$REPRISE" replay --quiet --goto=0@99999999999 counters.rec
  refuses 125 'no such moment' "$REPRISE" replay --quiet --goto=crash counters.rec
}

# Where the replay does something else than the recording, nothing that follows is what happened.
case_diverged() {
  local step
  for step in 7 9; do
    printf '#include <unistd.h>\nint main(void) { lseek(0, %s, SEEK_SET); return 0; }\n' "$step" >program.c
    gcc -g -O1 -o "program$step" program.c || fail "no program"
  done
  "$REPRISE" record -o recording -- ./program7 </dev/null || fail "status $?"
  "$EXCHANGE" recording changed "$PWD/program7" program9 || fail "the program can't be exchanged"
  refuses 120 'lseek: expected' "$REPRISE" replay changed
  refuses 120 'lseek: expected' "$REPRISE" who 0x10 changed
  refuses 120 'lseek: expected' "$REPRISE" who --at=99% 0x10 changed
  look 120 replay --goto=end changed
  grep -q '^thread 0 .*in lseek, at 0x' err || fail "$(cat err)"
}
