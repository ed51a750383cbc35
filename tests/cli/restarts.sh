# Checkpoints: a replay that goes back to them at random shows what the recording showed, once, with all digests, and leaves nothing behind.

PROGRAMS=$(dirname "${BASH_SOURCE[0]}")/../../build/tests/programs
RESTARTS=${SOAK:+300}
RESTARTS=${RESTARTS:-10}

restarted() { # ORDER PROGRAM [RESTARTS]
  local status
  "$REPRISE" record --order="$1" --check-memory=100000 -o "$2-$1" -- "$PROGRAMS/$2" >recorded 2>recorded.err </dev/null
  status=$?
  "$REPRISE" replay --restarts="${3:-$RESTARTS},$RANDOM" "$2-$1" >replayed 2>replayed.err </dev/null
  [ $? = $status ] || fail "$2, $1: ended otherwise: $(cat replayed.err)"
  cmp recorded.err replayed.err || fail "$2, $1: another standard error: $(cat replayed.err)"
  cmp recorded replayed || fail "$2, $1: another output"
}

each_program() { # ORDER
  local program
  for program in thr_cond thr_exec race_lockfree_stack race_shared race_signal proc_fork_basics proc_vfork mem_shared_private mem_mremap \
    sig_nested sig_compute_kernels code_rewrite exec_chain thr_exit_group_compute; do
    restarted "$1" $program
  done
  restarted "$1" mem_fault_of_page 20 # in a copy of a process, pages of files are not there
  restarted "$1" thr_mutex_pi 60 # it rests with events that are decoded and not consumed
}

case_restarts_chunk() { each_program chunk; }
case_restarts_dag() { each_program dag; }
case_restarts_scalar() { each_program scalar; }
case_restarts_arcs() { each_program arcs; }

# With few descriptors to be had none may be lost, and in a session of its own no process stays.
case_restarts_leave_nothing() {
  (
    ulimit -n 256
    restarted dag proc_prefork 150
  ) || exit 1
  "$REPRISE" record -o recording -- "$PROGRAMS/thr_cond" >/dev/null || fail "can't be recorded"
  setsid --wait bash -c 'echo $$ >session; "$1" replay -q --restarts=100 recording' bash "$REPRISE" || fail "can't be restarted"
  [ -z "$(ps -o pid= -s "$(cat session)")" ] || fail "left behind: $(ps -s "$(cat session)")"
}

# Whoever waits for the manager ends with it: vessels by the end of their channels, the others by the guard.
case_restarts_manager_killed() {
  local n=0
  "$REPRISE" record -o recording -- "$PROGRAMS/thr_cond" >/dev/null || fail "can't be recorded"
  setsid bash -c 'echo $$ >session; exec "$1" replay -q --restarts=100000 recording' bash "$REPRISE" &
  until [ -s session ] && [ "$(ps -o pid= -s "$(cat session)" | wc -l)" -gt 6 ]; do
    n=$((n + 1))
    [ $n -lt 500 ] || fail "no checkpoints are made"
    sleep 0.02
  done
  kill -KILL "$(cat session)"
  for ((n = 0; n < 500; n++)); do
    [ -n "$(ps -o pid= -s "$(cat session)" --no-headers | head -n 1)" ] || return 0
    sleep 0.02
  done
  fail "left behind: $(ps -s "$(cat session)")"
}

case_restarts_usage() {
  refuses 2 'expected a number of restarts' "$REPRISE" replay --restarts=many nothing
  refuses 2 'expected a number of restarts' "$REPRISE" replay --restarts=0 nothing
}

# A program that asks where it is in its output, as dprintf does, finds a file where it was left.
case_restarts_output_is_file() {
  local n
  "$REPRISE" record -o recording -- "$PROGRAMS/proc_job_control" >recorded || fail "can't be recorded"
  for n in 1 2 3 4; do
    "$REPRISE" replay --restarts=10,$n recording >replayed 2>err || fail "$n: $(cat err)"
    cmp recorded replayed || fail "$n: another output"
  done
}

# A recording that breaks off does so after restarts as well.
case_restarts_cut_off() {
  local order
  for order in chunk dag arcs; do
    "$REPRISE" record --order=$order -o $order -- "$PROGRAMS/thr_cond" >/dev/null || fail "can't be recorded"
    "$PROGRAMS/../cut" $order cut-$order 2 || fail "can't be cut"
    "$REPRISE" replay --serial cut-$order >straight 2>straight.err
    "$REPRISE" replay --restarts=$RESTARTS cut-$order >restarted 2>restarted.err
    cmp straight restarted && cmp straight.err restarted.err || fail "$order: $(cat restarted.err)"
    grep -q 'breaks off here' restarted.err || fail "$order: it goes on: $(cat restarted.err)"
  done
}

# Checkpoints that are only kept change nothing. How many there are depends on the machine.
case_checkpoints_kept() {
  "$REPRISE" record --order=dag -o recording -- "$PROGRAMS/proc_prefork" >recorded || fail "can't be recorded"
  "$REPRISE" replay --checkpoints recording >replayed 2>err || fail "can't be replayed: $(cat err)"
  cmp recorded replayed || fail "another output"
  grep -q '^reprise: [0-9]* checkpoints, [0-9]* kept with [0-9]* KiB of their own, [0-9]* us each$' err || fail "told: $(cat err)"
}
