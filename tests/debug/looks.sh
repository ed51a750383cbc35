# shellcheck shell=bash
# Looks into recordings without a debugger.
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_who_asks_badly() {
  recorded lost
  refuses 2 'no address given' "$REPRISE" who
  refuses 2 'not an address' "$REPRISE" who nonsense lost.rec
  refuses 2 'not an address' "$REPRISE" who 0x10,0 lost.rec
  refuses 2 'not an address' "$REPRISE" who 0x10,5000 lost.rec
  refuses 2 'not an address' "$REPRISE" who 0xffffffffffffffff,8 lost.rec
  refuses 2 'no such option' "$REPRISE" who --nonsense 1 lost.rec
  refuses 2 'expected the recorded id' "$REPRISE" who --process=x 1 lost.rec
  refuses 2 'this is no moment' "$REPRISE" who --at=nonsense 1 lost.rec
  refuses 125 'no such moment' "$REPRISE" who --at=crash 1 lost.rec
  refuses 125 'there is no process' "$REPRISE" who --process=999999999 1 lost.rec
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
  refuses 120 'lseek: expected' "$REPRISE" who --at=99.9% 0x10 changed
  look 120 replay --goto=end changed
  grep -q '^thread 0 .*in lseek, at 0x' err || fail "$(cat err)"
}
