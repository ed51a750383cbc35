# The code cache that lasts: it is used, shown, cleared and switched off; it never changes what a program does, whatever lies in its folder.

export REPRISE_CACHE=$PWD/code

taken() { # COMMAND…: how many blocks came from stored code
  "$REPRISE" run --counters -- "$@" 2>&1 >/dev/null | sed -n 's/^ *\([0-9]*\)  blocks taken from stored code$/\1/p' | head -n 1
}

files() { find code -type f | wc -l; }

case_cold_and_warm() {
  local count
  [ "$(taken /bin/true)" = 0 ] || fail "blocks taken from nowhere"
  [ "$(files)" -ge 2 ] || fail "not stored"
  count=$(taken /bin/true)
  [ "$count" -gt 300 ] || fail "only $count blocks are taken"
  prints 0 'a b' "$REPRISE" run -- /bin/echo a b
  prints 0 'a b' "$REPRISE" run -- /bin/echo a b
  prints 7 '3' "$REPRISE" run -- /bin/sh -c 'echo $((1 + 2)) | cat; exit 7'
  prints 7 '3' "$REPRISE" run -- /bin/sh -c 'echo $((1 + 2)) | cat; exit 7'
}

mapped() { # COMMAND…: how many files of stored code are used
  REPRISE_LOG=code "$@" 2>&1 | grep -c 'code: stored code: [1-9]'
}

# What was stored by a run is used by recordings in chunks and all replays, confined or not; what was stored by a parallel recording, by the next one.
case_recorded() {
  local order confinement
  "$REPRISE" run -- /bin/echo a
  for order in chunk dag; do
    prints 0 a "$REPRISE" record --order=$order -o $order -- /bin/echo a
    [ "$(mapped "$REPRISE" record --order=$order -o again -- /bin/echo a)" -ge 2 ] || fail "$order: a recording uses no stored code"
    rm -rf again
    find code -type f | sort >before
    for confinement in '' --unconfined; do
      # shellcheck disable=SC2086
      [ "$(mapped "$REPRISE" replay $confinement $order)" -ge 2 ] || fail "$order: a replay $confinement uses no stored code"
      # shellcheck disable=SC2086
      prints 0 a "$REPRISE" replay $confinement $order
    done
    find code -type f | sort | cmp - before || fail "a replay has stored code"
    [ "$(mapped "$REPRISE" record --no-cache --order=$order -o again -- /bin/echo a)" = 0 ] || fail "$order: used in spite of --no-cache"
    [ "$(mapped "$REPRISE" replay --no-cache again)" = 0 ] || fail "$order: the replay uses it in spite of --no-cache"
    rm -rf again
  done
}

# A replay's manager passes on only what is the user's own, and whole.
case_replay_not_trusted() {
  local file
  "$REPRISE" record -o recording -- /bin/echo a >out
  [ "$(mapped "$REPRISE" replay recording)" -ge 2 ] || fail "a replay uses no stored code"
  chmod 660 code/*
  [ "$(mapped "$REPRISE" replay recording)" = 0 ] || fail "files that others may write are used"
  chmod 600 code/*
  for file in code/*; do mv "$file" "${file#code/}" && ln -s "../${file#code/}" "$file"; done
  [ "$(mapped "$REPRISE" replay recording)" = 0 ] || fail "links are followed"
  rm code/* && mv ./*.code code
  for file in code/*; do truncate -s -8 "$file"; done
  [ "$(mapped "$REPRISE" replay recording)" = 0 ] || fail "files that were cut are used"
  prints 0 a "$REPRISE" replay recording
}

# Stored files that are links, or whose owner is another user, are not used, nor is the folder of another user.
case_two_users() {
  local file
  "$REPRISE" run -- /bin/true
  for file in code/*; do mv "$file" "${file#code/}" && ln -s "../${file#code/}" "$file"; done
  [ "$(taken /bin/true)" = 0 ] || fail "links are followed"
  rm -rf code ./*.code
  [ "$(id -u)" = 0 ] || return 0
  "$REPRISE" run -- /bin/true
  chown 12345 code/* 2>/dev/null || return 0
  [ "$(taken /bin/true)" = 0 ] || fail "another user's files are used"
  prints 0 a "$REPRISE" run -- /bin/echo a
  rm -rf code
  mkdir -m 700 code
  chown 12345 code
  prints 0 a "$REPRISE" run -- /bin/echo a
  prints 0 a "$REPRISE" record -q -o recording -- /bin/echo a
  prints 0 a "$REPRISE" replay recording
  [ "$(files)" = 0 ] || fail "stored in another user's folder: $(ls code)"
  refuses 125 'Operation not permitted' "$REPRISE" cache
}

# Another version of the engine keeps files of its own beside those of this one: here it differs in its build's digest alone.
case_two_versions() {
  local at count this=$REPRISE
  mkdir version
  cp "$REPRISE" "$(dirname "$REPRISE")/reprise-engine" version
  at=$(LC_ALL=C grep -obUaP '\x03\x00\x00\x00GNU\x00' version/reprise-engine | head -n 1 | cut -d: -f1)
  printf '\125\252\125\252' | dd of=version/reprise-engine bs=1 seek=$((at + 8)) conv=notrunc status=none
  "$REPRISE" run -- /bin/true
  count=$(files)
  REPRISE=$PWD/version/reprise
  [ "$(taken /bin/true)" = 0 ] || fail "one version uses what the other has stored"
  [ "$(files)" = $((2 * count)) ] || fail "not stored beside it: $(ls code)"
  [ "$(taken /bin/true)" -gt 300 ] || fail "the other version does not use its own"
  REPRISE=$this
  [ "$(taken /bin/true)" -gt 300 ] || fail "this version does not use its own any more"
}

# Files that are not the engine's stay, however many bytes they have.
case_foreign_files() {
  mkdir -m 700 code
  truncate -s 400M code/mine
  touch -d '2 days ago' code/mine
  prints 0 a "$REPRISE" run -- /bin/echo a
  [ -e code/mine ] && [ "$(files)" -gt 2 ] || fail "left: $(ls code)"
}

case_show_and_clear() {
  "$REPRISE" run -- /bin/true
  "$REPRISE" cache >out || fail "status $?"
  grep -Eqx "$REPRISE_CACHE: [0-9]+ files, [0-9.]+ MB" out || fail "it says: $(cat out)"
  touch code/mine
  "$REPRISE" cache --clear >out || fail "status $?"
  grep -q "^removed from $REPRISE_CACHE: " out || fail "it says: $(cat out)"
  [ "$(files)" = 1 ] || fail "left: $(ls code)"
  prints 0 'switched off' env REPRISE_CACHE=off "$REPRISE" cache
  refuses 2 'no such argument' "$REPRISE" cache --all
}

case_off() {
  "$REPRISE" run --no-cache -- /bin/true
  REPRISE_CACHE=off "$REPRISE" run -- /bin/true
  [ ! -e code ] || fail "made: $(ls code)"
}

# A folder where others may write is not used, nor is one that is none, or can't be made.
case_not_trusted() {
  mkdir -m 777 code
  chmod 777 code
  [ "$(taken /bin/echo a)" = 0 ] && [ "$(files)" = 0 ] || fail "stored where others may write"
  refuses 125 'Operation not permitted' "$REPRISE" cache
  ln -s code link
  REPRISE_CACHE=$PWD/link prints 0 a "$REPRISE" run -- /bin/echo a
  REPRISE_CACHE=/dev/null/code prints 0 a "$REPRISE" run -- /bin/echo a
  REPRISE_CACHE=code prints 0 a "$REPRISE" run -- /bin/echo a
  [ "$(files)" = 0 ] || fail "stored: $(ls code)"
  chmod 700 code
  "$REPRISE" run -- /bin/true
  chmod 666 code/*
  [ "$(taken /bin/true)" = 0 ] || fail "files that others may write are used"
}

# Where nothing more may be written, nothing is left behind, and the program is not disturbed.
case_full() {
  (ulimit -f 16 && prints 0 a "$REPRISE" run -- /bin/echo a) || exit 1
  [ "$(files)" = 0 ] || fail "stored: $(ls code)"
  unshare -rm true 2>/dev/null || return 0
  # shellcheck disable=SC2016 # for the inner shell
  unshare -rm sh -c 'mount -t tmpfs -o size=64k,mode=700 none code && for i in 1 2 3; do "$REPRISE" run -- /bin/echo a || exit 1; done >out
    [ "$(cat out)" = "a
a
a" ] && [ -z "$(ls code/new-* 2>/dev/null)" ]' || fail "on a full disk: $(cat out)"
  mkdir -m 700 code2
  # shellcheck disable=SC2016
  REPRISE_CACHE=$PWD/code2 unshare -rm sh -c 'mount -t tmpfs -o ro,mode=700 none code2 && "$REPRISE" run -- /bin/echo a' >out 2>&1
  [ "$(cat out)" = a ] || fail "in a read-only folder: $(cat out)"
}

# The file changes in place, and nothing but its content tells.
case_changed() {
  local at
  cp "$ANSWER" program
  prints 0 5ca1ab1e "$REPRISE" run -- ./program
  [ "$(taken ./program)" -gt 300 ] || fail "not stored"
  touch -r program time
  at=$(LC_ALL=C grep -obUaP '\x1e\xab\xa1\x5c' program | head -n 1 | cut -d: -f1)
  printf '\001' | dd of=program bs=1 seek="$at" conv=notrunc status=none
  touch -r time program
  prints 0 5ca1ab01 "$REPRISE" run -- ./program
  prints 0 5ca1ab01 "$REPRISE" run -- ./program
}

# Processes that store at the same time.
case_at_once() {
  local i
  for i in 1 2 3 4 5 6 7 8; do
    "$REPRISE" run -- /bin/sh -c "echo $i; ls -d /; expr $i + 1" >"out$i" 2>&1 &
  done
  wait
  for i in 1 2 3 4 5 6 7 8; do
    [ "$(cat "out$i")" = "$i"$'\n/\n'"$((i + 1))" ] || fail "$i: $(cat "out$i")"
  done
  [ -z "$(find code -name 'new-*')" ] || fail "left: $(ls code)"
  [ "$(taken /bin/sh -c 'ls -d /')" -gt 300 ] || fail "nothing is stored"
}

poisoned() { # TIMES COMMAND…
  local most=$1
  shift
  [ -z "$SOAK" ] || most=$((most * 60))
  "$POISON" "$PWD/code" 0 "$most" "$@" >out 2>&1 || fail "$(tail -n 5 out)"
  grep -qx "$most passed, 0 failed" out || fail "$(tail -n 5 out)"
}
case_poisoned() {
  "$REPRISE" run -- "$ANSWER"
  poisoned 168 "$REPRISE" run -- "$ANSWER"
}
case_poisoned_recordings() {
  local order
  "$REPRISE" run -- "$ANSWER"
  for order in chunk dag; do
    "$REPRISE" record --order=$order -o $order -- "$ANSWER"
    # shellcheck disable=SC2016 # for the inner shell
    poisoned 14 sh -c 'rm -rf again; exec "$REPRISE" record --order="$0" -o again -- "$ANSWER"' $order
    poisoned 14 "$REPRISE" replay $order
  done
}
