# A sphere in which no thread can move is ended, and one that is idle or stopped is not.

says_stuck() { # says where each thread is, and ends all of them
  grep -q '^reprise: no thread can move any more:$' err || fail "$order: $(cat err)"
  grep -q '^reprise: thread [0-9]* at position [0-9]*, pc 0x[0-9a-f]*[ :].*waits for the lock of the region (task ' err ||
    fail "$order: no thread's place: $(cat err)"
  ! kill -0 "$program" 2>kill.err || fail "$order: the program is still there"
}

recorded() { # ORDER: what was recorded until then stays, and can be replayed
  order=$1
  "$REPRISE" record -o "$order" --order="$order" "$WEDGED" 1000000 >out 2>err &
  manager=$!
  until [ -s out ]; do sleep 0.01; done
  program=$("$WEDGE" $manager) || fail "$order: no region"
  wait $manager
  status=$?
  [ $status = 125 ] || fail "$order: status $status: $(cat err)"
  says_stuck
  grep -q '^reprise: all threads wait for each other; recorded until then, ' err || fail "$order: $(cat err)"
  "$REPRISE" replay "$order" >again 2>err
  grep -q 'the recording breaks off here: all threads wait for each other' err || fail "$order: $(cat err)"
  cmp out again || fail "$order: the replay prints something else"
}
case_record_chunk() { recorded chunk; }
case_record_dag() { recorded dag; }

replayed() { # ORDER
  order=$1
  "$REPRISE" record -o "$order" --order="$order" "$WEDGED" 2000 >out || fail "$order: can't be recorded"
  "$REPRISE" replay "$order" >again 2>err &
  manager=$!
  until [ -s again ]; do sleep 0.01; done
  program=$("$WEDGE" $manager) || fail "$order: no region"
  wait $manager
  status=$?
  [ $status = 120 ] || fail "$order: status $status: $(cat err)"
  says_stuck
}
case_replay_chunk() { replayed chunk; }
case_replay_dag() { replayed dag; }
case_replay_tokens() { replayed tokens; }

# Longer than the watchdog needs where nobody can move.
enough() { sleep 8; }

stopped() { # ORDER: nobody is said to be stuck before it has been continued
  order=$1
  "$REPRISE" record -o "$order" --order="$order" "$WEDGED" 1000000 >out 2>err &
  manager=$!
  until [ -s out ]; do sleep 0.01; done
  program=$("$WEDGE" $manager) || fail "$order: no region"
  kill -STOP "$program"
  enough
  [ ! -s err ] || fail "$order: stopped: $(cat err)"
  kill -CONT "$program"
  wait $manager
  says_stuck
}
case_stopped_chunk() { stopped chunk; }
case_stopped_dag() { stopped dag; }

case_idle() { # all threads sleep in calls of the program
  mkfifo go
  cat >idle.py <<'END'
import threading, time
threads = [threading.Thread(target=threading.Event().wait, daemon=True), threading.Thread(target=time.sleep, args=(3600,), daemon=True)]
for thread in threads: thread.start()
print(open("go").read().strip(), flush=True)
END
  for order in chunk dag; do
    rm -f out again err
    "$REPRISE" record -o "$order" --order="$order" python3 idle.py >out 2>err &
    manager=$!
    enough
    echo gone >go
    wait $manager
    status=$?
    [ $status = 0 ] || fail "$order: status $status: $(cat err)"
    [ "$(cat out)" = gone ] || fail "$order: $(cat out err)"
    prints 0 gone "$REPRISE" replay "$order"
  done
}

full_pipe() { # ORDER: a thread sleeps with standard output, which another wants
  order=$1
  { enough && cat; } < <("$REPRISE" record -o "$order" --order="$order" "$WEDGED" 2000 2>err) >out
  [ ! -s err ] || fail "$order: $(cat err)"
  [ "$(tail -n 1 out)" = 120000 ] || fail "$order: printed until $(tail -n 1 out)"
}
case_full_pipe_chunk() { full_pipe chunk; }
case_full_pipe_dag() { full_pipe dag; }
