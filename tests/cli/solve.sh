# `reprise solve`: an order of the accesses that were recorded by value, and a replay in that order.

PROGRAMS=$(dirname "${BASH_SOURCE[0]}")/../../build/tests/programs
ROUNDS=${SOAK:+50}
ROUNDS=${ROUNDS:-4}

recorded() { # VALUES PROGRAM ARGUMENT…: into ./recording
  local values=$1
  shift
  rm -rf recording
  "$REPRISE" record --order=dag --values="$values" -o recording -- "$PROGRAMS/$1" "${@:2}" >recorded 2>recorded.err </dev/null
  STATUS=$?
}

replays() { # OPTION…: with the same output and status
  local status
  "$REPRISE" replay "$@" recording >replayed 2>replayed.err </dev/null
  status=$?
  [ $status = $STATUS ] || fail "replay $*: status $status, not $STATUS: $(cat replayed.err)"
  cmp recorded replayed || fail "replay $*: another output"
}

# Solves the recording, and replays it. A processor may make accesses out of turn: these are told, and are exceptions in the replay. If there is no order even so, the
# values are as good as before.
solves() { # WHAT
  local status
  "$REPRISE" solve recording >told 2>err
  status=$?
  [ ! -s err ] || fail "$1: $(cat err)"
  case $status in
    0)
      grep -q '^solved, with [0-9]* constraint' told || fail "$1: told: $(cat told)"
      replays --solved
      replays --solved --serial
      SOLVED=$((SOLVED + 1))
      ;;
    1)
      grep -q '^epoch [0-9]*, slice [0-9]* .*: no order was found$' told || fail "$1: told: $(cat told)"
      refuses 125 'it has no solved order' "$REPRISE" replay --solved recording
      ;;
    *) fail "$1: status $status: $(cat told)" ;;
  esac
  replays
}

case_racey() {
  local round
  SOLVED=0
  for ((round = 0; round < ROUNDS; round++)); do
    recorded all race_racey $((2 + round % 3)) 30000
    solves racey
  done
  [ $SOLVED -gt 0 ] || fail "nothing was solved"
}

case_others() {
  local name values
  SOLVED=0
  for values in auto all; do
    for name in race_counters race_spin race_lockfree_stack; do
      recorded $values $name 2
      solves "$name, $values"
    done
  done
  [ $SOLVED -gt 0 ] || fail "nothing was solved"
}

# Nothing that the recording has is changed, and a second order takes the place of the first.
case_again() {
  recorded all race_counters 2
  (cd recording && find . -type f -exec sha256sum {} + | sort) >before
  "$REPRISE" solve --jobs=1 recording >told || fail "not solved: $(cat told)"
  (cd recording && find . -type f ! -name solved -exec sha256sum {} + | sort) | cmp before - || fail "the recording was changed"
  mv recording/streams/solved first
  : >recording/streams/solved.new
  "$REPRISE" solve recording >again || fail "not solved again: $(cat again)"
  cmp first recording/streams/solved || fail "another order"
  [ ! -e recording/streams/solved.new ] || fail "left behind"
  "$REPRISE" pack recording packed >out || fail "not packed"
  "$REPRISE" replay --solved packed >replayed || fail "the pack is not replayed"
  cmp recorded replayed || fail "the pack has another output"
  refuses 125 "can't be added to" "$REPRISE" solve packed
  "$REPRISE" rm ./recording || fail "the recording can't be removed"
}

case_refused() {
  local size
  refuses 2 'no such recording' "$REPRISE" solve ./none
  refuses 2 'expected' "$REPRISE" solve --jobs=0 ./none
  mkdir empty
  refuses 121 'not a recording' "$REPRISE" solve ./empty
  "$REPRISE" record -o recording -- "$PROGRAMS/race_counters" 2 >recorded
  refuses 125 'recorded without --values' "$REPRISE" solve ./recording
  refuses 125 'it has no solved order' "$REPRISE" replay --solved ./recording
  recorded all race_counters 2
  "$REPRISE" solve recording >told || fail "not solved: $(cat told)"
  size=$(stat -c %s recording/streams/solved)
  truncate -s $((size / 2)) recording/streams/solved
  refuses 121 'streams/solved' "$REPRISE" replay --solved recording
  size=$(stat -c %s recording/streams/order-1)
  printf '\x5a\xa5' | dd of=recording/streams/order-1 bs=1 seek=$((size / 2)) conv=notrunc status=none
  refuses 121 'order-1' "$REPRISE" solve recording
}

descendants() { # PID
  local child
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
    echo "$child"
    descendants "$child"
  done
}

# Signals end it at once, and nothing of it stays.
case_ended() {
  local signal pid child
  recorded all race_racey 4 300000
  for signal in TERM INT HUP KILL; do
    env --default-signal=INT "$REPRISE" solve recording >told 2>err &
    pid=$!
    until [ "$(descendants $pid | wc -l)" -ge 3 ]; do
      [ -d /proc/$pid ] || fail "$signal: it was over before: $(cat told err)"
      sleep 0.01
    done
    descendants $pid >there
    kill -$signal $pid
    wait $pid
    [ $? = $((128 + $(kill -l $signal))) ] || fail "$signal: another status: $(cat told err)"
    while read -r child; do
      while [ -d "/proc/$child" ] && ! grep -q '^State:.*Z' "/proc/$child/status" 2>/dev/null; do sleep 0.02; done
    done <there
  done 2>/dev/null
  replays
}

# A mount of one's own needs root, or a user namespace.
case_disk_full() {
  local away=(unshare -m)
  "${away[@]}" true 2>/dev/null || away=(unshare -rm)
  "${away[@]}" true 2>/dev/null || return 0
  recorded all race_counters 2
  mkdir small
  # The inner shell expands these.
  # shellcheck disable=SC2016
  REPRISE=$REPRISE "${away[@]}" bash -uc 'mount -t tmpfs -o size=16m small small && cp -r recording small && cat /dev/zero >small/filler 2>/dev/null
    "$REPRISE" solve small/recording >out 2>err; echo $? >status; ls small/recording/streams >streams; "$REPRISE" replay small/recording >replayed' \
    || fail "not replayed: $(cat err)"
  [ "$(cat status)" = 125 ] || fail "status $(cat status): $(cat out err)"
  [ "$(wc -l <err)" = 1 ] && grep -q '^reprise: .*No space left on device$' err || fail "told: $(cat err)"
  grep solved streams && fail "left behind"
  cmp recorded replayed || fail "another output"
}
