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
  says 'overwritten.c:33|in main'
  says 'the last write of shared.pointer: at .*thread'
  [ "$(grep -c '^the last write of' out)" = 3 ] || fail "$(cat out)"
  says 'it was not written before'
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
  timeout 100 "$REPRISE" debug --at=crash overwritten.rec -- -nx -batch -x script >out 2>&1 || fail "$(cat out)"
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
