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
