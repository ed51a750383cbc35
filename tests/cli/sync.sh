# The order of synchronisation alone: exact without data races, never wrong without a word where there are some.

recorded() { # PROGRAM [ARGUMENT]…
  rm -rf recording
  "$REPRISE" record --order=sync -o recording -- "$PROGRAMS/"$1 "${@:2}" >recorded 2>recorded.err
}

exact() { # PROGRAM [ARGUMENT]…: recorded and replayed some times, always the same
  local i status
  for ((i = 0; i < ${TIMES:-3}; i++)); do
    recorded "$@"
    status=$?
    "$REPRISE" replay recording >replayed 2>replayed.err
    [ "$?" = "$status" ] || fail "$*: recorded with status $status: $(cat recorded.err replayed.err)"
    cmp recorded replayed || fail "$*: another output"
  done
}

case_race_free() {
  exact thr_cond
  TIMES=1 exact thr_mutex_types # its threads wait for each other most of the time
  exact thr_exec
  exact thr_spin
  [ "$(uname -m)" != x86_64 ] || exact x64/insn_locked
}

# The C library reads some words without synchronisation, near its atomics.
case_library() {
  exact thr_malloc
}

# The dynamic linker binds calls while other threads make them.
case_bindings() {
  local i
  for ((i = 0; i < 5; i++)); do exact thr_tgkill; done
}

# A signal comes between a repeated instruction and its next piece, and its handler begins with an atomic.
case_interrupted() {
  [ "$(uname -m)" != x86_64 ] || exact x64/sig_interrupted_atomics
}

# Atomics on words beside code that changes.
case_watched_pages() {
  exact race_code_words 3 500
}

# Several tries: the output is shown once, and the status is the program's, or 120 after the last one.
case_tries() {
  local i status
  exact thr_cond
  "$REPRISE" replay --tries=3 recording >replayed 2>replayed.err || fail "status $?: $(cat replayed.err)"
  cmp recorded replayed || fail "another output"
  rm -rf recording
  "$REPRISE" record --order=sync -o recording -- /bin/sh -c 'echo said; kill -SEGV $$' >recorded 2>recorded.err
  status=$?
  "$REPRISE" replay --tries=3 recording >replayed 2>replayed.err
  [ "$?" = "$status" ] || fail "recorded with status $status: $(cat replayed.err)"
  cmp recorded replayed || fail "another output of a killed program"
  for ((i = 0; i < 4; i++)); do
    recorded race_racey 2 2000 || fail "status $?"
    "$REPRISE" replay --tries=3 recording >replayed 2>replayed.err
    status=$?
    if [ "$status" = 120 ]; then
      grep -q '^reprise: none of 3 tries did what the recording did' replayed.err || fail "$(cat replayed.err)"
    else
      [ "$status" = 0 ] || fail "status $status: $(cat replayed.err)"
      cmp recorded replayed || fail "status 0, and another output"
    fi
  done
  refuses 2 'expected a number of tries' "$REPRISE" replay --tries=0 recording
  refuses 2 "can't be combined" "$REPRISE" replay --tries=2 --goto=end recording
}

# Threads are killed within an instruction whose value is in the log already.
case_killed() {
  exact sig_stop_busy
}

# A replay that is not the same ends with 120, whatever it has printed.
case_racy() {
  never_wrong race_racey 3 3000
}

never_wrong() { # PROGRAM [ARGUMENT]…
  local i status equal=0 diverged=0
  for ((i = 0; i < 12; i++)); do
    recorded "$@" || fail "status $?"
    "$REPRISE" replay recording >replayed 2>replayed.err
    status=$?
    case $status in
      0)
        cmp recorded replayed || fail "status 0, and another output"
        equal=$((equal + 1))
        ;;
      120) diverged=$((diverged + 1)) ;;
      *) fail "status $status: $(cat replayed.err)" ;;
    esac
  done
  echo "$equal equal, $diverged diverged"
}
