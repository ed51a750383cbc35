# A sphere in which no thread can move is ended, and one that is idle or stopped is not.

says_stuck() { # says where each thread is, and ends all of them
  grep -q '^reprise: no thread can move any more:$' err || fail "$order: $(cat err)"
  grep -q '^reprise: thread [0-9]* at position [1-9][0-9]*, pc 0x[0-9a-f]* .*waits for the lock of the region (task ' err ||
    fail "$order: no thread's place: $(cat err)"
  ! kill -0 "$program" 2>kill.err || fail "$order: the program is still there"
}

case_record() { # what was recorded until then stays, and can be replayed
  for order in chunk dag; do
    rm -f out again err
    "$REPRISE" record -o "$order" --order=$order "$WEDGED" 1000000 >out 2>err &
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
  done
}

case_replay() {
  for order in chunk dag tokens; do
    rm -f out again err
    "$REPRISE" record -o "$order" --order=$order "$WEDGED" 2000 >out || fail "$order: can't be recorded"
    "$REPRISE" replay "$order" >again 2>err &
    manager=$!
    until [ -s again ]; do sleep 0.01; done
    program=$("$WEDGE" $manager) || fail "$order: no region"
    wait $manager
    status=$?
    [ $status = 120 ] || fail "$order: status $status: $(cat err)"
    says_stuck
  done
}

# Longer than the watchdog needs where nobody can move.
enough() { sleep 8; }

case_stopped() { # nobody is said to be stuck before it has been continued
  for order in chunk dag; do
    rm -f out again err
    "$REPRISE" record -o "$order" --order=$order "$WEDGED" 1000000 >out 2>err &
    manager=$!
    until [ -s out ]; do sleep 0.01; done
    program=$("$WEDGE" $manager) || fail "$order: no region"
    kill -STOP "$program"
    enough
    [ ! -s err ] || fail "$order: stopped: $(cat err)"
    kill -CONT "$program"
    wait $manager
    says_stuck
  done
}

case_idle() { # threads that sleep in calls of the program, with one that nobody lets write
  mkfifo go
  cat >idle.py <<'END'
import signal, sys, threading, time
threads = [threading.Thread(target=threading.Event().wait, daemon=True), threading.Thread(target=time.sleep, args=(3600,), daemon=True)]
for thread in threads: thread.start()
print(open("go").read().strip(), flush=True)
END
  for order in chunk dag; do
    rm -f out again err
    "$REPRISE" record -o "$order" --order=$order python3 idle.py >out 2>err &
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

case_full_pipe() { # a thread sleeps with standard output, which another wants
  for order in chunk dag; do
    rm -f out again err
    { enough && cat; } < <("$REPRISE" record -o "$order" --order=$order "$WEDGED" 2000 2>err) >out
    [ ! -s err ] || fail "$order: $(cat err)"
    [ "$(tail -n 1 out)" = 120000 ] || fail "$order: printed until $(tail -n 1 out)"
  done
}
