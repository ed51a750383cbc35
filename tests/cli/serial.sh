# Replay of one thread at a time: whatever the order of the recording, the turns come in the same sequence every time, and the output is that of the recording.

PROGRAMS=$(dirname "${BASH_SOURCE[0]}")/../../build/tests/programs
REPLAYS=${SOAK:+20}
REPLAYS=${REPLAYS:-3}

same_turns() { # ORDER PROGRAM
  local status n
  "$REPRISE" record --order="$1" -o "$2-$1" -- "$PROGRAMS/$2" >recorded 2>recorded.err </dev/null
  status=$?
  for n in $(seq "$REPLAYS"); do
    "$REPRISE" replay --serial --turns "$2-$1" >replayed 2>all.err </dev/null
    [ $? = $status ] || fail "$2, $1: the replay ended otherwise: $(cat all.err)"
    grep ' turns, digest ' all.err >"turns-$n" || fail "$2, $1: no turns were told: $(cat all.err)"
    grep -v ' turns, digest ' all.err >replayed.err
    cmp recorded replayed && cmp recorded.err replayed.err || fail "$2, $1: another output"
    cmp turns-1 "turns-$n" || fail "$2, $1: another sequence of turns: $(cat turns-1 "turns-$n")"
  done
  [ "$(sed 's/^reprise: \([0-9]*\) .*/\1/' turns-1)" -gt 1 ] || fail "$2, $1: nobody gave the turn away: $(cat turns-1)"
}

each_program() { # ORDER
  local program
  for program in thr_cond race_lockfree_stack race_shared proc_vfork proc_fork_basics thr_exec thr_exit_group_compute; do
    same_turns "$1" "$program"
  done
}

case_serial_chunk() { each_program chunk; }
case_serial_dag() { each_program dag; }
case_serial_tokens() { each_program tokens; }
case_serial_scalar() { each_program scalar; }
case_serial_arcs() { each_program arcs; }

# A replay in parallel has no sequence of turns.
case_turns_need_serial() {
  "$REPRISE" record --order=dag -o recording -- "$PROGRAMS/race_flags" >/dev/null || fail "can't be recorded"
  "$REPRISE" replay --turns -q recording 2>err || fail "can't be replayed"
  [ ! -s err ] || fail "turns of a parallel replay: $(cat err)"
}

# What was cut off is replayed as far as it goes in parallel, and no turn is waited for that can't come.
case_serial_cut_off() {
  local order seed
  for order in dag scalar arcs tokens; do
    "$REPRISE" record --order=$order -o $order -- "$PROGRAMS/thr_cond" >/dev/null || fail "can't be recorded"
    for seed in 1 2 3 4; do
      "$PROGRAMS/../cut" $order cut-$order-$seed $seed || fail "$order: can't be cut"
      timeout "$HANGS" "$REPRISE" replay --serial cut-$order-$seed >serial 2>err
      [ $? != 124 ] || fail "$order, $seed: the replay hangs"
      grep -q 'breaks off here' err || fail "$order, $seed: $(cat err)"
    done
  done
}
