# SIGKILL at random moments and at exact ones, to the program, one of its processes, or the recorder; other ends by signals, and stops: nothing hangs, and what was logged replays.
# ROUNDS kills; SEED makes them the same again, as far as time is.

ROUNDS=${SOAK:+300}
ROUNDS=${ROUNDS:-12}
SEED=${SEED:-1}

programs=(
  'i=0; while :; do i=$((i + 1)); echo $i; done'
  'for i in 1 2 3 4 5 6 7 8 9; do echo $i; /bin/echo $i$i | cat; done; read never'
  'i=0; while :; do i=$((i + 1)); (echo $i); done'
  'exec python3 -u -c "
import threading
def count(n):
    for i in range(1000000): print(n, i)
for n in range(4): threading.Thread(target=count, args=(n,)).start()"'
)

orders=(chunk dag tokens scalar arcs)

descendants() { # PID: all below it, but for the guard that the recorder keeps
  local child
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
    [ "$(cat "/proc/$child/comm" 2>/dev/null)" != reprise-guard ] || continue
    echo "$child"
    descendants "$child"
  done
}

moment() { # a random time below half a second
  printf '0.%03d' $((RANDOM % 500))
}

# Whatever is left of the sphere after its recorder was killed comes to its end by itself.
gone() { # PID…
  local pid n=0
  for pid in "$@"; do
    while [ -d "/proc/$pid" ] && ! grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null; do
      n=$((n + 1))
      [ $n -lt 1000 ] || fail "round $round: process $pid is still there"
      sleep 0.02
    done
  done
}

one_round() {
  local manager victims victim status begun=$SECONDS order=${orders[RANDOM % ${#orders[@]}]}
  rm -rf recording
  "$REPRISE" record --order="$order" -o recording -- /bin/sh -c "${programs[round % 4]}" >recorded 2>recorded.err </dev/null &
  manager=$!
  sleep "$(moment)"
  victims=($(descendants $manager))
  case $((RANDOM % 3)) in
    0) victim=$manager ;;
    1) victim=${victims[0]-$manager} ;;
    2) victim=${victims[RANDOM % (${#victims[@]} + 1)]-$manager} ;;
  esac
  kill -KILL "$victim" 2>/dev/null || victim=gone # it has come to its end by itself
  if [ "$victim" != $manager ] && [ "$victim" != "${victims[0]-}" ]; then # the program may well go on
    sleep "$(moment)"
    kill -KILL "${victims[0]-$manager}" 2>/dev/null
  fi
  wait $manager 2>/dev/null
  gone "${victims[@]}"
  [ -e recording/manifest ] || return 0 # it had not begun
  timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err
  status=$?
  [ $((SECONDS - begun)) -lt 60 ] || fail "round $round: hangs"
  case $status in
    0 | 120 | 121 | 122 | 125) fail "round $round, $order, killed $victim of $manager ${victims[*]}: replay returned $status: $(cat replayed.err)" ;;
  esac
  cmp -s -n "$(stat -c %s replayed)" replayed recorded || fail "round $round: the replay shows what was not recorded"
  total=$((total + $(stat -c %s replayed)))
}

case_at_random() {
  local total=0
  RANDOM=$SEED
  for ((round = 0; round < ROUNDS; round++)); do one_round; done
  [ $total -gt 0 ] || fail "nothing at all was replayed"
}

# Whatever is left of each log, in any order: the replay shows nothing but what was recorded, comes to an end, and takes nobody for one who has diverged.
case_cut_off() {
  local order program seed status cuts=${SOAK:+40}
  for order in "${orders[@]}"; do
    for program in 'race_counters 4 300' 'race_inheritance 4 300' 'thr_fork' 'proc_prefork' 'proc_shell_pipeline'; do
      rm -rf whole
      # shellcheck disable=SC2086
      "$REPRISE" record --order="$order" -o whole -- "$PROGRAMS/"$program >recorded || fail "$order, $program: status $?"
      for ((seed = 1; seed <= ${cuts:-4}; seed++)); do
        rm -rf recording
        "$CUT" whole recording $seed || fail "can't cut it"
        timeout "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err
        status=$?
        case $status in
          120 | 121 | 122 | 124 | 125) fail "$order, $program, seed $seed: replay returned $status: $(cat replayed.err)" ;;
        esac
        cmp -s -n "$(stat -c %s replayed)" replayed recorded || fail "$order, $program, seed $seed: the replay shows what was not recorded"
      done
    done
  done
}

# Kills so many instructions of the engine after a store to memory that processes share.
kill_behind_store() { # ORDER ROLE STEPS: the recording is in recording, what it printed in recorded
  rm -rf recording page
  "$STEPPED" kill page "$3" "$REPRISE" record --order="$1" -o recording -- "$STEPPED" "$2" page >recorded 2>recorded.err
}

# What others saw of a killed process's stores is what its replay makes, wherever it was killed.
case_in_shared_memory() {
  local order role steps every=${SOAK:+3}
  for order in dag scalar arcs; do
    for role in tally rival; do
      for ((steps = 0; steps < 800; steps += ${every:-101})); do
        kill_behind_store $order $role $steps || fail "$order, $role, $steps: recording: $(cat recorded.err)"
        rm -f page
        timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err ||
          fail "$order, $role, $steps: replay: $(cat replayed.err)"
        cmp -s recorded replayed || fail "$order, $role, $steps: $(cat recorded), in replay $(cat replayed)"
      done
    done
  done
}

# A child of vfork that is killed while it takes its parent's memory from it leaves nothing held: the parent goes on, to its end, and finds
# there in replay what the child has left.
case_in_memory_of_parent() {
  local order steps every=${SOAK:+17}
  for order in dag tokens scalar arcs; do
    for ((steps = 2700; steps < 3700; steps += ${every:-251})); do
      kill_behind_store $order borrow $steps || fail "$order, $steps: recording: $(cat recorded.err)"
      grep -q '^9 ' recorded || fail "$order, $steps: not killed: $(cat recorded)"
      rm -f page
      timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err || fail "$order, $steps: replay: $(cat replayed.err)"
      cmp -s recorded replayed || fail "$order, $steps: $(cat recorded), in replay $(cat replayed)"
    done
  done
}

# Of one that is killed from outside while others run in its memory they may have seen anything: the recording says that, and ends, or
# nobody has seen what is not known, and it replays.
case_in_common_memory() {
  local order manager victim
  for order in dag scalar arcs chunk; do
    rm -rf recording page
    timeout -s KILL "$HANGS" "$REPRISE" record --order=$order -o recording -- "$STEPPED" beside page >recorded 2>recorded.err &
    manager=$!
    until victim=$(od -An -N4 -td4 page 2>/dev/null) && [ "${victim:-0}" -gt 0 ]; do sleep 0.01; done
    sleep "$(moment)"
    kill -KILL $victim
    wait $manager
    case $? in
      0)
        rm page
        timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err || fail "$order: replay: $(cat replayed.err)"
        cmp -s recorded replayed || fail "$order: $(cat recorded), in replay $(cat replayed)"
        ;;
      122) grep -q '^reprise: a process was killed' recorded.err || fail "$order: it says: $(cat recorded.err)" ;;
      *) fail "$order: recording: $(cat recorded recorded.err)" ;;
    esac
  done
}

# A file that a killed process has changed by a call can't be changed back.
case_in_shared_file() {
  kill_behind_store dag write 0
  [ $? = 122 ] || fail "the recording did not end with 122: $(cat recorded recorded.err)"
  grep -q '^reprise: a process was killed in the middle' recorded.err || fail "it says: $(cat recorded.err)"
}

# One at a time, stores are not logged: the recording ends rather than have a replay that differs.
case_in_turn() {
  local role
  for role in tally write; do
    kill_behind_store chunk $role 0
    [ $? = 122 ] || fail "$role: the recording did not end with 122: $(cat recorded recorded.err)"
    grep -q '^reprise: a process was killed in the middle' recorded.err || fail "$role: it says: $(cat recorded.err)"
  done
}

# A signal that a process does not catch ends it in its turn: what it has written is shown again, its robust mutexes are left as they were.
case_by_uncaught_signals() {
  local order i
  for order in dag scalar arcs; do
    for i in 1 2 3; do
      rm -rf recording
      "$REPRISE" record --order=$order -o recording -- "$PROGRAMS/thr_robust_signalled" >recorded 2>recorded.err ||
        fail "$order: recording: $(cat recorded.err)"
      timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err || fail "$order: replay: $(cat replayed.err)"
      cmp -s recorded replayed || fail "$order: $(diff recorded replayed)"
    done
    rm -rf recording
    "$REPRISE" record --order=$order -o recording -- /bin/sh -c 'echo last words; kill -TERM $$; sleep 100' >recorded 2>recorded.err
    [ "$(cat recorded)" = 'last words' ] || fail "$order: recorded $(cat recorded recorded.err)"
    timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err
    [ $? = 143 ] || fail "$order: replay: $(cat replayed.err)"
    cmp -s recorded replayed || fail "$order: in replay $(cat replayed)"
  done
}

# Who is stopped has nothing that others need to go on, in any order.
case_stopped() {
  local order
  for order in dag scalar arcs; do
    rm -rf recording
    timeout -s KILL "$HANGS" "$REPRISE" record --order=$order -o recording -- "$PROGRAMS/sig_stop_output" >recorded 2>recorded.err ||
      fail "$order: recording: $(cat recorded.err)"
    timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>replayed.err || fail "$order: replay: $(cat replayed.err)"
    cmp -s recorded replayed || fail "$order: the replay shows something else"
  done
}

# Programs of three kinds, killed anywhere (tests/kills says what must hold).
case_three_kinds() {
  local kills=${SOAK:+500}
  "${LIB%/lib/*}/kills" -s "$SEED" "${kills:-12}" >out 2>&1 || fail "$(cat out)"
}

# A program that forks faster than the files of its processes can be made does not keep the recorder from the log of the first one, without which nothing can be
# replayed: when the hundredth has its files, what the first dozen did is there in full.
case_with_slow_files() {
  local order manager preload=${PROGRAMS%/programs}/slow_files.so
  [ -e "$preload" ] || fail "no $preload"
  for order in dag chunk; do
    rm -rf recording recorded
    LD_PRELOAD=$preload "$REPRISE" record --order=$order -o recording -- "$VICTIM" forks 1000000 >recorded 2>err </dev/null &
    manager=$!
    until [ -e recording/streams/input-100 ]; do
      kill -0 $manager 2>/dev/null || fail "$order: the recorder ended: $(cat err)"
      sleep 0.02
    done
    kill -KILL $manager
    wait $manager 2>/dev/null
    timeout -s KILL "$HANGS" "$REPRISE" replay recording >replayed 2>err
    [ "$(grep -c '^parent 3:' replayed)" = 3 ] || fail "$order: only $(wc -c <replayed) bytes of $(wc -c <recorded) are replayed: $(cat err)"
    cmp -s -n "$(wc -c <replayed)" replayed recorded || fail "$order: another output"
  done
}

# Recorder and guard at once, while the program and a process that it has left behind sleep for ever: nobody of them stays.
case_with_guard() {
  local order manager victims guard child round=0
  for order in chunk dag; do
    rm -rf recording recorded
    "$REPRISE" record --order=$order -o recording -- "$VICTIM" stubborn >recorded 2>err </dev/null &
    manager=$!
    until grep -q 'left behind' recorded; do sleep 0.02; done
    # It has its name as soon as it has run, which the program may have done before.
    guard=''
    until [ -n "$guard" ]; do
      for child in $(cat /proc/$manager/task/*/children); do
        [ "$(cat "/proc/$child/comm" 2>/dev/null)" != reprise-guard ] || guard=$child
      done
    done
    # The process was left to the first of all, or to whoever takes it up: its memory tells whose it is.
    victims=($(grep -ls "^Name:.victim\|^Name:.reprise" /proc/[0-9]*/status | cut -d/ -f3 | while read -r child; do
      [ "$child" = $manager ] || [ "$child" = "$guard" ] || ! grep -qs "$PWD/recorded" <(readlink /proc/"$child"/fd/1) || echo "$child"
    done))
    [ ${#victims[@]} -ge 1 ] || fail "$order: nobody was left behind"
    kill -KILL $manager "$guard"
    wait $manager 2>/dev/null
    gone "${victims[@]}"
  done
}

# A signal ends a process one of whose threads is held by the kernel, for a child that has its memory: whether the child is still there makes no difference.
case_while_it_spawns() {
  local i order recorder program status
  RANDOM=$SEED
  for ((i = 0; i < ROUNDS; i++)); do
    for order in chunk dag; do
      rm -rf recording
      "$REPRISE" record -q --order=$order -o recording -- "$PROGRAMS/proc_spawn_beside" for-ever >recorded 2>recorded.err &
      recorder=$!
      sleep 0.$((RANDOM % 200 + 200))
      program=$(pgrep -P $recorder proc_spawn) || fail "$order: it has not begun"
      kill -SEGV "$program"
      wait $recorder
      status=$?
      [ $status = 139 ] || fail "$order: recorded with status $status: $(cat recorded.err)"
      "$REPRISE" replay recording >replayed 2>replayed.err
      status=$?
      [ $status = 139 ] && [ ! -s replayed.err ] || fail "$order: replayed with status $status: $(cat replayed.err)"
    done 2>/dev/null
  done
}
