# A replica beside the recorded program: it tells whether the recording repeats, and the program never notices it.

recorded() { # [OPTION]… -- PROGRAM…: with a replica
  rm -rf recording
  timeout -s KILL "$HANGS" "$REPRISE" record --replica -o recording "$@" >recorded 2>recorded.err
}

replays() { # STATUS: the recording, to the same output
  timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err
  [ $? = "$1" ] || fail "the replay: $(cat replayed.err)"
  cmp recorded replayed || fail "the replay shows something else"
}

verdict() { # WORDS: in the recording, for stat
  "$REPRISE" stat recording >stat || fail "stat"
  grep -q "^replica  *$1" stat || fail "not $1: $(cat recorded.err stat)"
}

verified() { # STATUS [OPTION]… -- PROGRAM…
  recorded "${@:2}"
  [ $? = "$1" ] || fail "$*: another status: $(cat recorded.err)"
  grep -q '^reprise: verified: ' recorded.err || fail "$*: $(cat recorded.err)"
  verdict 'verified$'
  replays "$1"
}

case_verified() {
  local order
  verified 0 --order=sync -- "$PROGRAMS/thr_cond"
  for order in chunk dag sync; do
    verified 7 --order=$order -- /bin/sh -c 'echo a | cat; (exit 3); /bin/echo b; exit 7'
  done
  "$REPRISE" stat --json recording | grep -q '"replica": "verified"' || fail "JSON: $("$REPRISE" stat --json recording)"
}

# What the program inherits, files that it changes while they are mapped, and programs that it goes on to.
case_programs() {
  local name
  for name in thr_exec sig_stop_busy proc_fork_basics map_file_changes map_shared race_shared; do
    [ ! -x "$PROGRAMS/$name" ] || recorded --order=dag -- "$PROGRAMS/$name"
    [ ! -x "$PROGRAMS/$name" ] || verdict 'verified$'
  done
}

# A signal ends the program: its recorder ends in the same way, and says before that what the replica did.
case_killed_program() {
  recorded -- /bin/sh -c 'echo said; kill -SEGV $$'
  [ $? = 139 ] || fail "another status: $(cat recorded.err)"
  verdict 'verified$'
}

case_quiet() {
  recorded -q -- /bin/echo said || fail "status $?"
  [ ! -s recorded.err ] || fail "says: $(cat recorded.err)"
  verdict 'verified$'
}

# The order of synchronisation alone does not tell which number is found.
case_race() {
  recorded --order=sync -- "$PROGRAMS/race_glimpse" 20
  [ $? = 0 ] || fail "the program's status: $(cat recorded.err)"
  [ "$(wc -l <recorded)" = 21 ] || fail "the program's output: $(cat recorded)"
  grep -q '^reprise: not verified: the replica did something else: thread [0-9]* at position ' recorded.err ||
    fail "$(cat recorded.err)"
  verdict 'mismatch: thread [0-9]* at position '
  recorded -q --order=sync -- "$PROGRAMS/race_glimpse" 20 || fail "status $?"
  grep -q '^reprise: not verified: ' recorded.err || fail "quiet: $(cat recorded.err)"
  verified 0 --order=dag -- "$PROGRAMS/race_glimpse" 20
}

# Epochs: their ends are in the log, and a replay that goes another way says in which it was.
case_epochs() {
  local order
  for order in sync dag arcs; do
    verified 0 --order=$order --epoch=20 -- "$PROGRAMS/thr_cond"
    grep -q '^reprise: verified: .*, in [0-9]* epochs' recorded.err || fail "$order: $(cat recorded.err)"
    grep -q '^epochs  *[1-9]' stat || fail "$order: no epochs: $(cat stat)"
    "$REPRISE" dump --kind=check recording >dump
    grep -q 'end of epoch [0-9]*, .*memory #' dump || fail "$order: no digest of memory at the end of any"
  done
  recorded --order=sync --epoch=10 -- "$PROGRAMS/race_glimpse" 40 || fail "status $?"
  verdict 'mismatch: thread [0-9]* at position [0-9]* in epoch [0-9]'
  recorded --order=sync --epoch=0 -- "$PROGRAMS/thr_cond" || fail "status $?"
  verdict 'verified$'
  ! grep -q '^epochs' stat || fail "epochs all the same"
}

# Digests at the end of an epoch are compared: others, put into the recording, are a divergence there; but for memory in the order of synchronisation, which may differ.
case_epoch_compared() {
  local order rounds=30000
  for order in dag sync; do
    rm -rf recording bent
    "$REPRISE" record --order=$order --epoch=20 -o recording -- /bin/bash -c "for ((i = 0; i < $rounds; i++)); do :; done" || fail "status $?"
    "$REPRISE" replay -q recording || fail "the replay"
    bent registers 120 "$order"
    bent memory "$([ $order = dag ] && echo 120 || echo 0)" "$order"
    rounds=3000
  done
}

bent() { # KIND STATUS WORDS
  local status
  "${PROGRAMS%/programs}/bend" recording bent "$1" 0 4711 || fail "$3: no digest of $1"
  "$REPRISE" replay -q bent 2>err
  status=$?
  [ $status = "$2" ] || fail "$3, $1: status $status: $(cat err)"
  [ $status = 0 ] || grep -q "diverged: thread 0 at position [0-9]* in epoch [1-9][0-9]*, .*expected $1 with the digest" err || fail "$3: $(cat err)"
  rm -rf bent
}

# The processes of the replica that runs, its keeper first.
replica_of() { # RECORDER
  local child
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
    [ "$(cat "/proc/$child/comm" 2>/dev/null)" = reprise-replica ] || continue
    echo "$child"
    below "$child"
  done
}

below() {
  local child
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
    echo "$child"
    below "$child"
  done
}

# Says a line now and then, for about a second in all.
talks=(/bin/bash -c 'for ((i = 0; i < 20; i++)); do echo $i; read -t 0.05 <> <(:); done; exit 5')

# Begins to record $talks, and waits until its replica is there: $recorder.
begin_talking() {
  rm -rf recording
  "$REPRISE" record --replica -o recording -- "${talks[@]}" >recorded 2>recorded.err &
  recorder=$!
  until [ "$(replica_of $recorder | wc -l)" -ge 2 ]; do
    kill -0 $recorder 2>/dev/null || break
  done
}

end_talking() {
  wait $recorder
  [ $? = 5 ] || fail "the program's status: $(cat recorded.err)"
  [ "$(wc -l <recorded)" = 20 ] || fail "the program's output: $(cat recorded)"
  grep -q '^reprise: ' recorded.err || fail "the recorder says nothing"
  replays 5
}

# Any process of the replica, at any moment, again and again.
case_killed() {
  local i pids pid
  RANDOM=${SEED:-1}
  for ((i = 0; i < ${SOAK:+60} + 4; i++)); do
    begin_talking
    for ((j = 0; j < i % 3 + 1; j++)); do
      read -r -t "0.$((RANDOM % 50 + 10))" <> <(:)
      mapfile -t pids < <(replica_of $recorder)
      pid=${pids[RANDOM % (${#pids[@]} + 1)]:-}
      [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
    done
    end_talking
    verdict 'verified$\|given up: '
  done
}

# All of it stays stopped until the program has ended; then it goes on.
case_stopped() {
  local pids
  begin_talking
  mapfile -t pids < <(replica_of $recorder)
  [ ${#pids[@]} -ge 2 ] || fail "no replica"
  kill -STOP "${pids[@]}"
  end_talking
  verdict 'verified$'
}

# It is begun again only so often.
case_given_up() {
  local pids pid
  begin_talking
  while kill -0 $recorder 2>/dev/null; do
    mapfile -t pids < <(replica_of $recorder)
    for pid in "${pids[@]:1}"; do kill -KILL "$pid" 2>/dev/null; done
  done
  end_talking
  verdict 'given up: '
  grep -q '^reprise: not verified: the replica was given up: ' recorded.err || fail "$(cat recorded.err)"
}

# Ctrl-C ends the wait for the replica, which is behind: the program computes, and says at its end only how far it came.
case_interrupted() {
  local state=recording
  rm -rf recording
  (
    trap - INT
    exec "$REPRISE" record --replica -o recording -- /bin/bash -c 'for ((i = 0; i < 300000; i++)); do :; done; exit 5'
  ) >recorded 2>recorded.err &
  recorder=$!
  while [ "$state" != complete ] && kill -0 $recorder 2>/dev/null; do
    state=$(sed -n 's/^state: //p' recording/manifest 2>/dev/null)
  done
  kill -INT $recorder 2>/dev/null
  end_interrupted
}

end_interrupted() {
  wait $recorder
  [ $? = 5 ] || fail "another status: $(cat recorded.err)"
  verdict 'verified$\|given up: its recorder was told to wait no longer'
  replays 5
}

# The recorder is killed: nothing of its replica stays.
case_recorder_killed() {
  local pids pid
  begin_talking
  mapfile -t pids < <(replica_of $recorder)
  kill -KILL $recorder
  wait $recorder 2>/dev/null
  for pid in "${pids[@]}"; do
    while kill -0 "$pid" 2>/dev/null && ! grep -q ' Z ' "/proc/$pid/stat" 2>/dev/null; do :; done
  done
}

# On a full disk there is no more to say than without a replica.
case_disk_full() {
  local away=(unshare -m)
  "${away[@]}" true 2>/dev/null || away=(unshare -rm)
  "${away[@]}" true 2>/dev/null || return 0
  mkdir small
  export REPRISE
  # The inner shell expands these.
  # shellcheck disable=SC2016
  "${away[@]}" bash -uc 'mount -t tmpfs -o size=12m small small || exit 9
    "$REPRISE" record --replica -o small/recording -- \
      /bin/sh -c "echo begins; exec dd if=/dev/urandom of=/dev/null bs=64k count=100000 status=none" >out 2>err
    [ $? = 125 ] || exit 1
    [ "$(wc -l <err)" = 1 ] && grep -q "No space left on device" err || exit 2' || fail "$?: $(cat err)"
}

case_refused() {
  refuses 2 "--replica can't be combined" "$REPRISE" record --replica --flight=1s -- /bin/true
  refuses 2 "--epoch is for" "$REPRISE" record --epoch=20 -- /bin/true
  refuses 2 "expected a number of milliseconds" "$REPRISE" record --order=dag --epoch=5 -- /bin/true
  refuses 127 "not found" "$REPRISE" record --replica -o recording -- ./nothing
  [ ! -e recording ] || fail "there is a recording of nothing"
}
