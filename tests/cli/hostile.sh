# Recordings that were made to do harm: nothing happens outside of the replay, whatever they do inside.

LIBRARY=$(dirname "${BASH_SOURCE[0]}")/../lib

takeover() { # OUTPUT HOSTILE VIEW
  gcc -D_GNU_SOURCE -O1 -static -fno-stack-protector -DHOSTILE="$2" -DVIEW="$3" -DPARENT=$$ -o "$1" "$LIBRARY/takeover.c" ||
    fail "no program"
}

taken_over() { # VIEW [OPTION]: replays a program that has taken the engine over
  takeover program 0 "$1"
  takeover other 1 "$1"
  echo secret >secret
  "$REPRISE" record -o recording -- ./program >recorded || fail "status $?"
  "$EXCHANGE" recording changed "$PWD/program" other || fail "the program can't be exchanged"
  "$REPRISE" replay "${@:2}" changed >out 2>err
}

# It has the processor for itself, and can do nothing.
case_takes_the_engine_over() {
  taken_over 0x680180000000
  grep -qx 'tried all; nothing done' out || fail "$(cat out err)"
  for file in made folder pipe link hard moved; do
    [ ! -e $file ] && [ ! -L $file ] || fail "it has made $file"
  done
}

# The same without confinement, in which the test must see that calls succeed.
case_is_seen_without_confinement() {
  taken_over 0x680010000000 --unconfined
  grep -qx 'tried all; escaped' out || fail "$(cat out err)"
  [ -d folder ] || fail "it can't make a folder even so"
}

recorded() { # [OPTION…]: a program of two processes, and a copy of its recording that can be changed
  "$REPRISE" record -o recording "$@" -- /bin/sh -c 'echo words; /bin/echo more & wait' >recorded || fail "status $?"
}

ends() { # WHAT STATUS…: the replay of ./bent, with one line, in time, with one of these
  local status
  timeout -s KILL "$HANGS" "$REPRISE" replay bent >out 2>err
  status=$?
  [[ " ${*:2} " == *" $status "* ]] || fail "$1: status $status: $(cat out err)"
  [ "$(grep -c '^reprise: ' err)" -le 1 ] || fail "$1: not one line: $(cat err)"
  rm -rf bent
}

bent() { # KIND NUMBER VALUE STATUS…
  "$BEND" recording bent "$1" "$2" "$3" || fail "$1 $2 can't be bent"
  ends "$1 $2 is $3" "${@:4}"
}

# Logs that name memory of the engine: its code, the cache in both views, its tables, the region and the rings that it shares with the manager,
# threads, and what reaches into it from below.
case_addresses_of_the_engine() {
  local place
  recorded
  for place in 0x680000000000 0x680000100000 0x680010000000 0x680180000000 0x680080000000 0x680300000000 0x680400000000 \
    0x681000000000 0x68ffffffffff 0x67ffffffffff; do
    bent copy-in 3 $place 121
  done
  for place in 0x680010000000 0x680180000000 0x680300000000; do
    bent file 1 $place 121
    bent mapped 0 $place 121
  done
}

case_addresses_of_the_engine_in_parallel() {
  recorded --order=dag
  bent copy-in 3 0x680180000000 121
  bent mapped 0 0x680010000000 121
}

# Whatever else is wrong, the replay ends, and with no other output than a diverged one.
case_senseless_events() {
  recorded
  bent copy-in 3 0x10 120 121
  bent signal 40 9 120 121
  bent signal 40 19 120 121
  bent signal 40 64 120 121
  bent numbered 1 99 121 # a file that the recording does not have
}

forger() { # OUTPUT HOSTILE WHICH VICTIM
  gcc -D_GNU_SOURCE -I "$LIBRARY/../../src" -O1 -static -DHOSTILE="$2" -DWHICH="$3" -DVICTIM="$4" -o "$1" "$LIBRARY/forger.c" || fail "no program"
}

# Whatever a program puts into the memory that it shares with the manager: that ends the replay in one of its own ways, in time and without much
# memory, and signals nobody.
case_forged_region() {
  local order which status victim
  sleep 1000 &
  victim=$!
  for which in 0 1 2 3 4 5 6 7 8 9 10 11; do
    forger program 0 $which $victim
    forger other 1 $which $victim
    for order in chunk dag; do
      rm -rf recording changed
      "$REPRISE" record --order=$order -o recording -- ./program >recorded || fail "status $?"
      "$EXCHANGE" recording changed "$PWD/program" other || fail "the program can't be exchanged"
      (ulimit -v 8000000 && exec timeout -s KILL "$HANGS" "$REPRISE" replay changed) >out 2>err
      status=$?
      # What it executes for that is not in the recording.
      [ $status != 0 ] || fail "$which, $order: nothing was forged"
      [[ " 120 121 125 " == *" $status "* ]] || fail "$which, $order: status $status: $(cat err)"
      LC_ALL=C grep -q "$(printf '\033')" err && fail "$which, $order: control characters"
      kill -0 $victim || fail "$which, $order: another process was signalled"
    done
  done
  kill $victim
}

# No value of a manifest is a path that a replay would open: who opened this one would wait for ever.
case_paths_in_manifest() {
  local key value status
  mkfifo secret
  recorded
  for key in program argument directory order streams-input exits changing-file architecture id; do
    for value in ../secret 0/../../secret "$PWD/secret" "0-1,../secret"; do
      cp -r recording bent && chmod -R u+w bent
      sed -i "s|^$key: .*|$key: $value|" bent/manifest
      grep -q "^$key: " bent/manifest || sed -i "2i$key: $value" bent/manifest
      sign bent/manifest
      ends "$key is $value" 0 121
    done
  done
}

# Files of a recording that are no files.
case_files_that_are_none() {
  local file
  recorded
  for file in manifest $(cd recording && echo streams/* files/*); do
    for kind in link pipe device folder; do
      cp -r recording bent && chmod -R u+w bent && rm -f "bent/$file"
      case $kind in
        link) ln -s "$PWD/recorded" "bent/$file" ;;
        pipe) mkfifo "bent/$file" ;;
        device) ln -s /dev/zero "bent/$file" ;;
        folder) mkdir "bent/$file" ;;
      esac
      ends "$file is a $kind" 121 125
    done
  done
}

# Names that would do something to a terminal.
case_names() {
  local name command escape
  escape=$(printf '\033]0;title\007\302\233\342\200\256\n\rname')
  name="./$escape"
  cp /bin/true "$name"
  "$REPRISE" record -o recording -- "$name" "$escape" || fail "status $?"
  for command in "stat recording" "stat --json recording" "dump recording" "dump --json recording" "replay recording"; do
    # Words on purpose.
    # shellcheck disable=SC2086
    "$REPRISE" $command >out 2>&1 || fail "$command: status $?"
    LC_ALL=C grep -q "$(printf '[\033\007\r]')" out && fail "$command: control characters"
    LC_ALL=C grep -q "$(printf '\302\233\\|\342\200\256')" out && fail "$command: controls of a terminal"
  done
  REPRISE_DIR=$PWD "$REPRISE" ls >out || fail "ls: status $?"
  LC_ALL=C grep -q "$(printf '\033')" out && fail "ls: control characters"
  rm -rf recording/files
  "$REPRISE" replay recording >out 2>&1
  LC_ALL=C grep -q "$(printf '[\033\007\r]')" out && fail "messages: control characters"
  "$REPRISE" replay "./no $escape" 2>out
  LC_ALL=C grep -q "$(printf '[\033\007\r]')" out && fail "messages: control characters"
  [ "$(wc -l <out)" = 1 ] || fail "more than a line: $(cat out)"
}

# `latest' is one's own.
case_latest_of_another_user() {
  [ "$(id -u)" = 0 ] || exit 0
  export REPRISE_DIR=$PWD/place
  "$REPRISE" record -- /bin/true || fail "status $?"
  prints 0 "" "$REPRISE" replay latest
  chown -R 12345 place/true-0
  refuses 2 'belongs to another user' "$REPRISE" replay
  refuses 2 'belongs to another user' "$REPRISE" stat latest
  prints 0 "" "$REPRISE" replay true-0
  chown -R 0 place/true-0
  chown -h 12345 place/latest
  refuses 2 'belongs to another user' "$REPRISE" replay latest
}

# A replay gets no descriptor from whoever started it but those that it writes to.
case_inherits_nothing() {
  "$REPRISE" record -o recording -- /bin/sleep 0 || fail "status $?"
  "$REPRISE" record -o busy -- /bin/sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' || fail "status $?"
  echo secret >secret
  "$REPRISE" replay busy 5<secret 7<secret <secret &
  local manager=$! program=
  until program=$(pgrep -P $manager -x 'sh') && [ -n "$program" ]; do
    kill -0 $manager 2>/dev/null || exit 0
  done
  if ls -l "/proc/$program/fd" >fds 2>/dev/null && grep -q secret fds; then fail "it has: $(cat fds)"; fi
  grep -qE '^(Seccomp:.2|NoNewPrivs:.1)' "/proc/$program/status" || fail "not confined"
  wait $manager
}
