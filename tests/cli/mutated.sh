# A recording with one thing wrong: replay gives one clear line and status 121, whatever it is. ROUNDS random changes; SEED makes
# them the same again.

ROUNDS=${SOAK:+4000}
ROUNDS=${ROUNDS:-150}
SEED=${SEED:-1}

recorded() { # [COMMAND…]
  [ $# -gt 0 ] || set -- -- /bin/sh -c 'echo words; /bin/echo more & wait'
  "$REPRISE" record -o original "$@" >recorded || fail "status $?"
  cp -r original recording # no content is linked to the system's own files any more
  chmod -R u+w recording
  prints 0 "$(cat recorded)" "$REPRISE" replay recording
}

noticed() { # WHAT: the replay of the changed recording
  local status
  timeout -s KILL "$HANGS" "$REPRISE" replay recording >out 2>err
  status=$?
  [ $status = 121 ] || fail "seed $SEED, round ${round-}: $1: status $status: $(cat err)"
  [ "$(grep -c '^reprise: ' err)" = 1 ] || fail "seed $SEED, round ${round-}: $1: not one line: $(cat err)"
}

number() { # LIMIT: a random one below
  echo $(((RANDOM << 30 ^ RANDOM << 15 ^ RANDOM) % $1))
}

byte_at() { # FILE OFFSET
  od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' '
}

set_byte() { # FILE OFFSET VALUE
  # The byte is a format on purpose.
  # shellcheck disable=SC2059
  printf "\\$(printf %03o "$3")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Logs and manifest are most of what can be wrong, contents most of the bytes.
any_file() {
  local files
  case $(number 4) in
    0) files=(recording/files/*) ;;
    1) files=(recording/manifest) ;;
    *) files=(recording/streams/*) ;;
  esac
  echo "${files[$(number ${#files[@]})]}"
}

one_change() {
  local file size offset old
  file=$(any_file)
  size=$(stat -c %s "$file")
  case $(number 8) in
    0)
      mv "$file" aside
      noticed "$file is missing"
      mv aside "$file"
      ;;
    1)
      cp "$file" aside
      offset=$(number "$size")
      truncate -s "$offset" "$file"
      noticed "$file of $size bytes is cut at $offset"
      mv aside "$file"
      ;;
    *)
      offset=$(number "$size")
      old=$(byte_at "$file" "$offset")
      set_byte "$file" "$offset" $((old ^ 1 << $(number 8)))
      noticed "byte $offset of $file, $old, has changed"
      set_byte "$file" "$offset" "$old"
      ;;
  esac
}

case_at_random() {
  recorded
  RANDOM=$SEED
  for ((round = 0; round < ROUNDS; round++)); do one_change; done
  prints 0 "$(cat recorded)" "$REPRISE" replay recording
}

# The same where every thread has an order log of its own.
case_at_random_in_parallel() {
  recorded --order=dag -- "$PROGRAMS/race_racey" 3 200
  RANDOM=$SEED
  for ((round = 0; round < ROUNDS / 3; round++)); do one_change; done
}

# What lies behind the last that a program needs is looked at, too, however it ends.
case_at_the_end() {
  local file size offset old
  ulimit -c 4096
  "$REPRISE" record -o original -- /bin/sh -c 'echo words; kill -SEGV $$' >recorded 2>err
  [ $? = 139 ] || fail "status: $(cat err)"
  cp -r original recording
  chmod -R u+w recording
  for file in recording/streams/*; do
    size=$(stat -c %s "$file")
    for ((offset = size - 48; offset < size; offset += 5)); do
      old=$(byte_at "$file" "$offset")
      set_byte "$file" "$offset" $((old ^ 1))
      noticed "byte $offset of $file, $old, has changed"
      set_byte "$file" "$offset" "$old"
    done
  done
}

case_other_version() {
  recorded
  sed -i '1s/.*/reprise-recording: 99/' recording/manifest
  noticed "another version"
  grep -q 'version' err || fail "$(cat err)"
}

# Of the other architecture, by a manifest that is sound otherwise.
case_other_architecture() {
  recorded
  other=aarch64
  [ "$(uname -m)" = x86_64 ] || other=x86-64
  sed -i "s/^architecture: .*/architecture: $other/" recording/manifest
  sign recording/manifest
  noticed "another architecture"
  grep -q "$other" err || fail "$(cat err)"
}

# What can be decoded and makes no sense: the place is told, nothing is read beyond what there is, and nobody waits for ever.
case_senseless() {
  local order
  for order in chunk dag; do
    rm -rf original recording
    "$REPRISE" record --order=$order -o original -- "$PROGRAMS/rec_everything" >recorded || fail "status $?"
    "$MUTATE" "$REPRISE" original recorded result - recording || fail "can't be changed"
    noticed "calls that wrote more than they had"
    grep -q 'the input log of thread 0 is damaged at position [0-9]*: a call has ' err || fail "$(cat err)"
  done
  rm -rf original recording
  "$REPRISE" record -o original -- "$PROGRAMS/rec_everything" >recorded || fail "status $?"
  "$MUTATE" "$REPRISE" original recorded nobody - recording || fail "can't be changed"
  noticed "nobody comes next"
  for limit in 0 1 x; do
    rm -rf recording
    cp -r original recording
    chmod -R u+w recording
    sed -i "s/^stack-limit: .*/stack-limit: $limit/" recording/manifest
    sign recording/manifest
    noticed "a stack of $limit bytes"
    grep -q 'stack-limit' err || fail "$(cat err)"
  done
}

# A child's log that ends before its exit is not that of one that was killed, and results that the program does not look at are what was recorded.
case_silent() {
  local order status
  for order in dag scalar arcs tokens; do
    rm -rf original recording
    "$REPRISE" record --order=$order -o original -- "$PROGRAMS/rec_everything" >recorded || fail "status $?"
    "$MUTATE" "$REPRISE" original recorded exit - recording || fail "can't be changed"
    noticed "$order: a log without its exit"
    grep -q 'the input log of thread 3 ends before its exit' err || fail "$(cat err)"
  done
  for order in chunk dag; do
    rm -rf original recording
    "$REPRISE" record --order=$order -o original -- "$PROGRAMS/rec_unchecked" >recorded || fail "status $?"
    "$MUTATE" "$REPRISE" original recorded short - recording || fail "can't be changed"
    timeout -s KILL "$HANGS" "$REPRISE" replay recording >out 2>err
    status=$?
    [ $status = 120 ] || fail "$order: writes that were shorter: status $status: $(cat out err)"
    "$MUTATE" "$REPRISE" original recorded "$SEED" $((SEED + ROUNDS / 12)) >out || fail "$order: $(cat out)"
  done
}

# The last thing that a process does before it is killed is to read bytes: nobody misses them.
case_end_of_the_killed() {
  local order
  printf '%s\n' '#include <signal.h>' '#include <sys/wait.h>' '#include <unistd.h>' \
    'int main(void) { char bytes[4]; int ends[2]; if (pipe(ends) || write(ends[1], "abc", 4) != 4) return 1;' \
    'if (!fork()) { int self = getpid(); if (read(ends[0], bytes, 4) == 4) kill(self, SIGKILL); _exit(2); }' \
    'wait(0); return write(1, "end\n", 4) != 4; }' | gcc -O1 -x c -o program - || fail "no program"
  for order in chunk dag scalar arcs; do
    rm -rf original recording
    "$REPRISE" record --order=$order -o original -- ./program >recorded || fail "status $?"
    "$MUTATE" -t 1 "$REPRISE" original recorded last - recording || fail "can't be changed"
    noticed "$order: a log without its last event"
    grep -q 'the input log of thread 1 is not as long as it was' err || fail "$order: $(cat err)"
  done
}

# Logs with something else in them, checksums put right, in all orders: tests/mutations does more of it.
case_with_sums() {
  local order
  for order in chunk dag scalar arcs tokens; do
    rm -rf original
    "$REPRISE" record --order=$order -o original -- "$PROGRAMS/rec_everything" >recorded || fail "status $?"
    "$MUTATE" "$REPRISE" original recorded "$SEED" $((SEED + ROUNDS / 12)) >out || fail "$order: $(cat out)"
  done
}
