# The flight recorder: the last part of a recording that begins at a checkpoint. It replays to the very end, with all digests, and shows the last part of the output.

PROGRAMS=$(dirname "${BASH_SOURCE[0]}")/../../build/tests/programs
TIMES=${SOAK:+50}
TIMES=${TIMES:-1}

# A checkpoint every ten milliseconds or so, of a program that takes seconds.
flown() { # PROGRAM [ARGUMENT…]: into ./recording
  rm -rf recording
  "$REPRISE" record --flight=30ms --order="${ORDER:-chunk}" -o recording -- "$@" >recorded 2>recorded.err </dev/null
  STATUS=$?
}

begins() { grep -q '^begins: 0$' recording/manifest; }

# The output of the replay is the last part of the recorded one, and it ends in the same way.
replays() { # WHAT
  local status
  "$REPRISE" replay recording >replayed 2>replayed.err </dev/null
  status=$?
  [ $status = $STATUS ] || fail "$1: status $status, not $STATUS: $(cat replayed.err)"
  tail -c "$(stat -c %s replayed)" recorded | cmp - replayed || fail "$1: another output"
}

ends() { # PROGRAM ROUNDS HOW
  local i
  for ((i = 0; i < TIMES; i++)); do
    flown "$PROGRAMS/$1" "$2" "$3"
    begins || fail "$1, $3: it does not begin at a checkpoint: $(cat recorded.err)"
    replays "$1, $3"
    [ "$(stat -c %s replayed)" -lt "$(stat -c %s recorded)" ] || fail "$1, $3: all of the output"
  done
}
case_flight_exit() { ends rec_ends 1000 exit; }
case_flight_segv() { ends rec_ends 1000 segv; }
case_flight_abort() { ends rec_ends 1000 abort; }
case_flight_kill() { ends rec_ends 1000 kill; }

# Several processes, born and ended all the time.
case_flight_forks() { ends rec_ends_forks 1500 exit; }
case_flight_forks_segv() { ends rec_ends_forks 1500 segv; }
case_flight_forks_kill() { ends rec_ends_forks 1500 kill; }

# Threads that are born and end, files, sockets, programs that are executed.
case_flight_io() { ends rec_ends_io 400 exit; }
case_flight_io_abort() { ends rec_ends_io 400 abort; }

# Threads that run at once.
case_flight_dag_exit() { ORDER=dag ends rec_ends 1000 exit; }
case_flight_dag_segv() { ORDER=dag ends rec_ends 1000 segv; }
case_flight_dag_kill() { ORDER=dag ends rec_ends 1000 kill; }
case_flight_dag_forks() { ORDER=dag ends rec_ends_forks 1500 exit; }
case_flight_dag_forks_kill() { ORDER=dag ends rec_ends_forks 1500 kill; }
case_flight_dag_io() { ORDER=dag ends rec_ends_io 400 abort; }

# The recorder is killed: what it kept stays, and one line says where.
case_flight_killed() {
  local recorder
  "$REPRISE" record --flight=30ms -o recording -- "$PROGRAMS/rec_ends" 100000001 >recorded 2>told &
  recorder=$!
  until [ "$(wc -l <recorded)" -gt 200 ]; do sleep 0.05; done
  kill -KILL $recorder
  wait $recorder
  [ $? = 137 ] || fail "the recorder's status"
  until grep -q "^status: " recording/manifest && ! pgrep -f "^$PROGRAMS/rec_ends 100000001" >/dev/null; do sleep 0.1; done
  [ "$(cat told)" = "reprise: the recorder was killed; the last part is stored in recording" ] || fail "told: $(cat told)"
  begins || fail "it does not begin at a checkpoint"
  STATUS=137
  replays killed
}

# The process that keeps it all is killed: nothing is left to store, and nobody is left behind.
case_flight_lost() {
  local recorder
  "$REPRISE" record --flight=30ms -o recording -- "$PROGRAMS/rec_ends" 100000002 >recorded 2>told &
  recorder=$!
  until [ "$(wc -l <recorded)" -gt 20 ]; do sleep 0.05; done
  kill -KILL "$(pgrep -P $recorder)"
  wait $recorder
  [ $? = 137 ] || fail "the recorder's status"
  [ "$(cat told)" = "reprise: the flight recorder was killed, and what it kept is lost" ] || fail "told: $(cat told)"
  while pgrep -f "^$PROGRAMS/rec_ends 100000002" >/dev/null; do sleep 0.1; done
}

# Killed while it stores: that is told.
case_flight_half_stored() {
  flown "$PROGRAMS/rec_ends" 100 exit
  sed -i '/^stored: /d; s/^state: .*/state: recording/' recording/manifest
  sign recording/manifest
  refuses 125 'has not stored the last part' "$REPRISE" replay recording
}

# The disk is full at the end: the last part waits in memory until there is room.
case_flight_disk_full() {
  local away=(unshare -m) i
  "${away[@]}" true 2>/dev/null || away=(unshare -rm)
  "${away[@]}" true 2>/dev/null || return 0
  mkdir small
  cat >inside <<'END'
mount -t tmpfs -o size=40m small small || exit 1
("$REPRISE" record --flight=30ms -o small/recording -- "$PROGRAMS/rec_ends" 300 exit >recorded 2>told; echo $? >status) &
until grep -q '^flight: ' small/recording/manifest 2>/dev/null; do sleep 0.05; done
dd if=/dev/zero of=small/filler bs=64k status=none 2>/dev/null
until grep -q "stays in memory until there is room" told; do sleep 0.1; done
rm small/filler
wait
cp -r small/recording-1 recording
ls small >left
END
  REPRISE=$REPRISE PROGRAMS=$PROGRAMS "${away[@]}" bash -u inside || fail "inside"
  [ "$(cat status)" = 3 ] || fail "status $(cat status)"
  [ "$(wc -l <told)" = 2 ] && grep -q '^reprise: the last part is stored in small/recording-1$' told || fail "told: $(cat told)"
  [ "$(cat left)" = recording-1 ] || fail "left: $(cat left)"
  begins || fail "it does not begin at a checkpoint"
  STATUS=3
  replays "after a full disk"
}

# Nothing is kept of a program that ends as it should; and `latest' points where it did before.
case_flight_nothing() {
  export REPRISE_DIR=$PWD/place
  "$REPRISE" record -q -- /bin/true || fail "can't be recorded"
  "$REPRISE" record --flight=30ms -- "$PROGRAMS/rec_ends" 100 >recorded || fail "status $?"
  [ "$(cd place && echo true-* rec_ends*)" = 'true-0 rec_ends*' ] || fail "kept: $(ls place)"
  "$REPRISE" replay || fail "the latest is another one"
}

# Before the first checkpoint all is kept, from the beginning.
case_flight_short() {
  "$REPRISE" record --flight=1h --trigger=end -o recording -- /bin/echo words >recorded || fail "status $?"
  ! begins || fail "a checkpoint"
  [ "$("$REPRISE" replay recording)" = words ] || fail "another output"
}

case_flight_trigger() {
  "$REPRISE" record --flight=1h --trigger=exit=2-4 -o recording -- /bin/sh -c 'exit 5'
  [ ! -e recording ] || fail "kept for 5"
  "$REPRISE" record --flight=1h --trigger=signal -o recording -- /bin/sh -c 'exit 3'
  [ ! -e recording ] || fail "kept for a status"
  "$REPRISE" record --flight=1h --trigger=signal,exit=2-4 -o recording -- /bin/sh -c 'exit 3'
  "$REPRISE" replay recording
  [ $? = 3 ] || fail "another status"
}

# While the program goes on: what it does itself, and what happens to it. TRIGGER's text may come in two writes.
triggered_by() { # HOW TRIGGER…
  local how=$1
  shift
  rm -rf recording*
  [ -e held ] || mkfifo held
  "$REPRISE" record -q --flight=30ms "$@" -o recording -- "$PROGRAMS/rec_triggers" "$how" <held >recorded 2>told &
  exec 9>held
  until grep -q 'stored in recording-1$' told; do sleep 0.05; done
  exec 9>&-
  wait $! || fail "$how: status $?: $(cat told)"
  [ "$(grep -c stored told)" = 1 ] || fail "$how: told: $(cat told)"
  [ "$(tail -n 1 recorded)" = "done" ] || fail "$how: $(tail -n 1 recorded)"
  "$REPRISE" replay recording-1 >replayed 2>replayed.err || fail "$how: $?: $(cat replayed.err)"
  ! grep -q '^done' replayed || fail "$how: it goes on after the trigger"
  grep -qF "$(tail -n 1 replayed)" recorded || fail "$how: another output: $(tail -n 1 replayed)"
}
case_flight_triggered_by_call() { triggered_by call; }
case_flight_triggered_by_text() { triggered_by text --trigger=exit,output='some words, and'; }
case_flight_triggered_by_signal() { triggered_by signals --trigger=caught=SIGUSR1; }
case_flight_triggered_by_memory() { triggered_by memory --trigger=memory=90M; }

# The recording is one as any other for those who read it; what does not work yet says so.
case_flight_tools() {
  flown "$PROGRAMS/rec_ends" 300 exit
  begins || fail "it does not begin at a checkpoint"
  "$REPRISE" dump recording >dumped || fail "can't be dumped"
  grep -q 'syscall     clock_gettime' dumped || fail "no calls"
  "$REPRISE" stat recording | grep -q '^images  *1$' || fail "no image"
  "$REPRISE" pack recording packed || fail "can't be packed"
  "$REPRISE" replay packed >replayed
  [ $? = 3 ] || fail "the pack does not replay"
  tail -c "$(stat -c %s replayed)" recorded | cmp - replayed || fail "the pack: another output"
  "$REPRISE" replay --verify recording || fail "not verified"
  [ "$("$REPRISE" replay --verify --print-jobs recording)" = 'reprise replay --verify --from=0 recording' ] || fail "other jobs"
  "$REPRISE" replay --checkpoints recording >replayed 2>told
  [ $? = 3 ] && tail -c "$(stat -c %s replayed)" recorded | cmp - replayed || fail "with checkpoints: $(cat told)"
  "$REPRISE" replay --restarts=12,3 recording >replayed 2>told
  [ $? = 3 ] && tail -c "$(stat -c %s replayed)" recorded | cmp - replayed || fail "with restarts: $(cat told)"
}

# No vessel is left behind, and the program has no child that it does not know.
case_flight_leaves_nothing() {
  setsid --wait bash -c 'echo $$ >session; "$1" record --flight=30ms -o recording -- "$2" 500 exit >recorded' bash "$REPRISE" "$PROGRAMS/rec_ends"
  grep -q '^begins: 0$' recording/manifest || fail "it does not begin at a checkpoint"
  [ -z "$(ps -o pid= -s "$(cat session)")" ] || fail "left behind: $(ps -s "$(cat session)")"
  ! pgrep -f "^$PROGRAMS/rec_ends 500 exit" || fail "a vessel is left behind"
}

case_flight_usage() {
  refuses 2 'expected a time and a size' "$REPRISE" record --flight=soon -- true
  refuses 2 'expected a time and a size' "$REPRISE" record --flight=10s,little -- true
  refuses 2 'expected a time and a size' "$REPRISE" record --flight=1ms -- true
  refuses 2 'not supported yet with other orders' "$REPRISE" record --flight=10s --order=scalar -- true
  refuses 2 'expected signal' "$REPRISE" record --flight=10s --trigger=rain -- true
  refuses 2 'expected signal' "$REPRISE" record --flight=10s --trigger=exit=5-2 -- true
  refuses 2 'expected signal' "$REPRISE" record --flight=10s --trigger=caught=RAIN -- true
  refuses 2 'expected signal' "$REPRISE" record --flight=10s --trigger=memory=little -- true
  refuses 2 'expected signal' "$REPRISE" record --flight=10s --trigger=output= -- true
  refuses 2 'are for --flight' "$REPRISE" record --trigger=end -- true
  refuses 2 'expected the name of a file' "$REPRISE" record --core= -- true
}

# Checkpoints interrupt waits far more often than their timeouts take: these must end all the same.
case_flight_timeouts() {
  flown "$PROGRAMS/rec_timeouts" 1
  [ $STATUS = 1 ] || fail "status $STATUS: $(cat recorded.err)"
  begins || fail "it does not begin at a checkpoint: $(cat recorded.err)"
  replays timeouts
}

# While the program goes on: each trigger stores a recording that replays up to that moment; the oldest are removed. The first ones reach back to the
# program's beginning.
case_flight_triggered() {
  local recorder i=0 last
  "$REPRISE" record --flight=30ms --keep=2 -o recording -- "$PROGRAMS/rec_ends" 100000000 >recorded 2>told &
  recorder=$!
  until grep -q '^flight: ' recording/manifest 2>/dev/null; do sleep 0.1; done
  until [ $i -gt 2 ] && grep -q '^begins: 0$' recording-$last/manifest; do
    last=$i i=$((i + 1))
    [ $i -le 100 ] || fail "the window never begins at a checkpoint"
    "$REPRISE" trigger recording || fail "not triggered: $?"
    until grep -q "stored in recording-$i$" told; do sleep 0.1; done
  done
  kill -KILL "$(pgrep -P "$(pgrep -P $recorder)" -x rec_ends)"
  wait $recorder
  [ $? = 137 ] || fail "the recorder's status"
  [ ! -e recording-$((i - 2)) ] || fail "three are kept"
  for i in $last $i; do
    grep -q '^begins: 0$' recording-$i/manifest || fail "recording-$i does not begin at a checkpoint"
    "$REPRISE" replay recording-$i >replayed 2>err || fail "recording-$i: $? $(cat err)"
    grep -qF "$(tail -n 1 replayed)" recorded || fail "recording-$i: another output"
    "$REPRISE" rm ./recording-$i || fail "recording-$i can't be removed"
  done
  "$REPRISE" replay recording >replayed 2>err
  [ $? = 137 ] || fail "the last part: $(cat err)"
  tail -c "$(stat -c %s replayed)" recorded | cmp - replayed || fail "the last part: another output"
  refuses 125 'not being recorded any more' "$REPRISE" trigger recording
  "$REPRISE" record -q -o plain -- /bin/true
  refuses 125 'not made by a flight recorder' "$REPRISE" trigger plain
}
