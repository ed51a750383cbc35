# What was recorded stays, however the recording ends, and says how far it goes; replays end as other commands do, and leave nobody behind.

orders=(chunk dag)

kept() { # STATUS WORDS ERR: the recorder has said that, where the recording is and how far it goes, in one line; it replays, and says why it ends
  [ "$1" = "$status" ] || fail "$order: status $status: $(cat "$3")"
  [ "$(wc -l <"$3")" = 1 ] || fail "$order: not one line: $(cat "$3")"
  grep -Eq "^reprise: .*$2.*; recorded until then, [0-9.]+ s and [0-9]+ instructions, in recording$" "$3" || fail "$order: it says: $(cat "$3")"
  "$REPRISE" stat recording >stat
  grep -q '^state *unfinished' stat || fail "$order: not unfinished"
  grep -q "^breaks off .*$2" stat || fail "$order: stat does not say why: $(head stat)"
  timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>err
  status=$?
  [ $status = 137 ] || fail "$order: replay: status $status: $(cat err)"
  [ "$(wc -l <err)" = 1 ] && grep -q "^reprise: the recording breaks off here: .*$2" err || fail "$order: replay says: $(cat err)"
}

case_refused() {
  local order status
  for order in "${orders[@]}" scalar arcs; do
    rm -rf recording
    "$REPRISE" record --order=$order -o recording -- "$VICTIM" refused >recorded 2>recorded.err
    status=$?
    kept 122 "remap_file_pages can't be recorded" recorded.err
    cmp recorded replayed || fail "$order: the replay shows: $(cat replayed)"
    grep -qx 'an hour of work' replayed || fail "$order: the work is lost"
  done
}

# It stays where it is by default, too, and is the latest.
case_refused_by_default() {
  export REPRISE_DIR=$PWD/recordings
  "$REPRISE" record -- "$VICTIM" refused >recorded 2>err
  [ $? = 122 ] || fail "status: $(cat err)"
  grep -q "in $REPRISE_DIR/victim-0$" err || fail "it says: $(cat err)"
  "$REPRISE" replay >replayed 2>err
  cmp recorded replayed || fail "the latest is another"
}

# A process that is killed in its turn, while others have memory in common.
case_killed_process() {
  local status order=chunk
  "$STEPPED" kill page 0 "$REPRISE" record --order=chunk -o recording -- "$STEPPED" tally page >recorded 2>recorded.err
  status=$?
  kept 122 'a process was killed in the middle of its turn' recorded.err
  cmp -s -n "$(stat -c %s replayed)" replayed recorded || fail "the replay shows what was not recorded: $(cat replayed)"
}

await() { # FILE WORDS
  until grep -qs "$2" "$1"; do sleep 0.01; done
}

# Once, and a second time for who does not want to end.
case_left_behind() {
  local order role manager signal status
  for order in "${orders[@]}"; do
    for role in daemon stubborn; do
      for signal in TERM HUP; do
        rm -rf recording recorded
        status=0
        "$REPRISE" record --order=$order -o recording -- "$VICTIM" $role >recorded 2>err &
        manager=$!
        await recorded 'left behind'
        until ended $manager; do sleep 0.01; done
        kill -$signal $manager
        [ $role = daemon ] || kill -$signal $manager
        wait $manager || status=$?
        [ "$status" = 3 ] || fail "$order, $role, $signal: status $status: $(cat err)"
        [ ! -s err ] || fail "$order, $role, $signal: it says: $(cat err)"
        "$REPRISE" stat recording | grep -q '^state *complete' || fail "$order, $role, $signal: not complete"
        prints 3 'left behind' timeout -s KILL "$HANGS" "$REPRISE" replay recording
      done
    done
  done
}

ended() { # PID of the recorder: its program has ended
  local child
  for child in $(cat /proc/"$1"/task/*/children); do
    [ "$(cat "/proc/$child/comm" 2>/dev/null)" = reprise-guard ] || return 1
  done
}

case_left_behind_on_terminal() {
  {
    echo 'expect left behind'
    echo 'running '
    echo 'key c'
    echo 'key c'
  } | timeout -s KILL "$HANGS" "$TERMINAL" "$REPRISE" record -o recording -- "$VICTIM" stubborn >out
  tail -n 1 out | grep -qx 'exit 3' || fail "it ended with: $(cat out)"
  grep -q 'reprise: recorded in recording$' out || fail "it does not say where: $(cat out)"
  prints 3 'left behind' timeout -s KILL "$HANGS" "$REPRISE" replay recording
}

case_place_on_terminal() {
  timeout -s KILL "$HANGS" "$TERMINAL" "$REPRISE" record -o recording -- /bin/echo words >out </dev/null
  [ "$(cat out)" = $'words\nreprise: recorded in recording\nexit 0' ] || fail "on a terminal: $(cat out)"
}

# Who reads no more has read enough; what can't be written is an error.
case_replayed_output() {
  local order status role
  for order in "${orders[@]}"; do
    for role in 'threads 1500' 'forks 300'; do # more than fits into a pipe
      rm -rf recording
      # shellcheck disable=SC2086
      "$REPRISE" record --order=$order -o recording -- "$VICTIM" $role >recorded
      "$REPRISE" replay recording 2>err | head -n 1 >out
      status=${PIPESTATUS[0]}
      [ "$status" = 141 ] || fail "$order, $role: nobody reads: status $status: $(cat err)"
      [ ! -s err ] || fail "$order, $role: nobody reads: $(cat err)"
      refuses_full "$REPRISE" replay recording
    done
  done
}

refuses_full() { # COMMAND…
  local status
  "$@" >/dev/full 2>err
  status=$?
  [ $status = 125 ] || fail "$*: status $status, not 125: $(cat err)"
  [ "$(cat err)" = 'reprise: standard output: No space left on device' ] || fail "$*: it says: $(cat err)"
}

case_printed_output() {
  local command
  "$REPRISE" record -o recording -- /bin/echo words >recorded
  for command in 'stat ./recording' 'stat --json ./recording' 'dump ./recording' 'dump --json ./recording' 'ls ./recording' \
    'pack ./recording packed' 'help' 'help record' 'record --help' '--version'; do
    # shellcheck disable=SC2086
    refuses_full "$REPRISE" $command
    # shellcheck disable=SC2086
    rm -f packed && "$REPRISE" $command 2>err | :
    [ ! -s err ] || fail "$command: nobody reads: $(cat err)"
  done
}

# A replay that somebody ends has not diverged.
case_replay_ended() {
  local order role signal replay status
  mkfifo pipe
  for order in "${orders[@]}"; do
    for role in 'threads 1500' 'forks 300'; do
      rm -rf recording
      # shellcheck disable=SC2086
      "$REPRISE" record --order=$order -o recording -- "$VICTIM" $role >recorded
      for signal in TERM HUP INT QUIT USR1; do
        env --default-signal=INT,QUIT "$REPRISE" replay recording >pipe 2>err & # of which the shell has turned two off
        replay=$!
        exec 3<pipe
        read -r _ <&3 # it is at work, and can't come to its end while nobody reads on
        kill -$signal $replay
        wait $replay
        status=$?
        cat <&3 >/dev/null # all who could write are gone
        exec 3<&-
        [ $status = $((128 + $(kill -l $signal))) ] || fail "$order, $role, $signal: status $status: $(cat err)"
        [ ! -s err ] || fail "$order, $role, $signal: $(cat err)"
      done
    done
  done
}

# What is kept of a mapped file is no link to it, here or in the default place, where recordings share it among themselves.
case_own_copies() {
  local file
  export REPRISE_DIR=$PWD/recordings
  cp /bin/echo program
  "$REPRISE" record -o recording -- ./program words >out || fail "status $?"
  "$REPRISE" record -- ./program words >out && "$REPRISE" record -- ./program words >out || fail "status $?"
  for file in recording/files/*; do
    [ "$(stat -c %h "$file")" = 1 ] || fail "$file has other names"
  done
  for file in recordings/program-0/files/*; do
    [ "$file" -ef "recordings/program-1/files/${file##*/}" ] || fail "$file: two copies"
    [ "$(stat -c %h "$file")" = 3 ] || fail "$file has other names"
  done
  "$REPRISE" rm program-0 && prints 0 words "$REPRISE" replay program-1
  "$REPRISE" pack program-1 packed >out && "$REPRISE" rm program-1 && prints 0 words "$REPRISE" replay ./packed
  [ -z "$(ls recordings/.contents-*)" ] || fail "contents stay behind"
}
