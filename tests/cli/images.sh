# Images: checkpoints that are stored in a recording. A replay that begins at one shows the rest of the output, with all digests and the same end.

PROGRAMS=$(dirname "${BASH_SOURCE[0]}")/../../build/tests/programs
ROUNDS=${SOAK:+10}
ROUNDS=${ROUNDS:-1}

recorded() { # ORDER PROGRAM: into ./recording
  rm -rf recording
  "$REPRISE" record --order="$1" --check-memory=100000 -o recording -- "$PROGRAMS/$2" >recorded 2>recorded.err </dev/null
  STATUS=$?
}

images() { "$REPRISE" checkpoint --list recording | awk '{ print $1 }'; }

# The output of a replay from image N on is the last part of the recorded one.
begins_at() { # N WHAT
  local status
  "$REPRISE" replay --from="$1" recording >replayed 2>replayed.err </dev/null
  status=$?
  [ $status = $STATUS ] || fail "$2, from image $1: status $status, not $STATUS: $(cat replayed.err)"
  tail -c "$(stat -c %s replayed)" recorded | cmp - replayed || fail "$2, from image $1: another output"
  tail -c "$(stat -c %s replayed.err)" recorded.err | cmp - replayed.err || fail "$2, from image $1: another standard error: $(cat replayed.err)"
}

# At random places; behind the last place where a checkpoint can be made there is none.
stored() { # ORDER PROGRAM
  local round image place
  recorded "$1" "$2"
  for ((round = 0; round < ROUNDS; round++)); do
    for place in 0@1 $((RANDOM % 60 + 20)).$((RANDOM % 10))%; do
      "$REPRISE" checkpoint --at=$place recording >told 2>err || grep -q 'no checkpoint can be made behind\|no such moment' err || fail "$2, $1, $place: $(cat err)"
    done
  done
  [ -n "$(images)" ] || fail "$2, $1: no image"
  for image in $(images); do begins_at "$image" "$2, $1"; done
  "$REPRISE" replay --verify --jobs=2 recording >out 2>err || fail "$2, $1: not verified: $? $(cat err)"
  [ ! -s out ] || fail "$2, $1: verifying writes"
}

case_images_chunk() {
  local program
  for program in thr_cond race_lockfree_stack race_signal mem_mremap sig_nested code_rewrite exec_chain; do stored chunk $program; done
}
case_images_dag() {
  local program
  for program in thr_cond race_shared thr_exec race_signal mem_shared_private code_rewrite; do stored dag $program; done
}
# Several processes, shared memory and programs that are executed.
case_images_processes() {
  local program
  for program in proc_prefork proc_fork_basics; do
    stored chunk $program
    stored dag $program
  done
}
case_images_other_orders() {
  stored scalar thr_cond
  stored arcs thr_cond
}

# Images are made while time passes; the same moments are found with and without them.
case_images_every() {
  local place
  recorded dag thr_cond
  for place in 30% 77.7% 0@50000 end; do "$REPRISE" replay --quiet --goto=$place recording 2>"at-$place" || fail "$place: $(cat "at-$place")"; done
  "$REPRISE" checkpoint --every=1ms recording >told || fail "not stored: $?"
  grep -q '^image 0 at ' told || fail "told: $(cat told)"
  [ "$(images | wc -l)" = "$(wc -l <told)" ] || fail "listed: $(images)"
  for place in 30% 77.7% 0@50000 end; do
    "$REPRISE" replay --quiet --goto=$place recording 2>at || fail "$place: $(cat at)"
    cmp at "at-$place" || fail "$place: elsewhere: $(cat at)"
  done
  [ "$("$REPRISE" replay --verify --print-jobs recording | wc -l)" -gt 1 ] || fail "one job"
  "$REPRISE" replay --verify --print-jobs recording | while read -r _ command; do
    # shellcheck disable=SC2086 # the words are the command's
    "$REPRISE" $command || fail "$command: $?"
  done || exit 1
}

# It begins where it has to: the replay from an image executes the engine for it, and does not write what came before.
case_images_begin_there() {
  "$REPRISE" record -o recording -- /bin/sh -c 'echo one; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo two; exit 3' >recorded
  "$REPRISE" checkpoint --at=50% recording >told || fail "not stored"
  "$REPRISE" replay --from=0 recording >replayed
  [ $? = 3 ] || fail "another status"
  [ "$(cat replayed)" = two ] || fail "output: $(cat replayed)"
  prints 0 '' "$REPRISE" replay --verify --until=0 recording
  prints 0 '' "$REPRISE" replay --verify --from=0 recording
  "$REPRISE" pack recording packed || fail "not packed"
  [ "$("$REPRISE" replay --from=0 packed)" = two ] || fail "not from the pack"
  [ "$("$REPRISE" checkpoint --list packed)" = "$("$REPRISE" checkpoint --list recording)" ] || fail "not listed in the pack"
  refuses 125 "a pack can't be added to" "$REPRISE" checkpoint packed
  "$REPRISE" checkpoint --remove=0 recording || fail "not removed"
  [ -z "$(images)" ] || fail "still there"
  refuses 2 'has no image 0' "$REPRISE" checkpoint --remove=0 recording
  "$REPRISE" rm ./recording || fail "the recording can't be removed"
}

# Damage is found before anything is done with it. A replay that does not need the image is none the worse.
case_images_damaged() {
  local size n
  recorded chunk thr_cond
  "$REPRISE" checkpoint --at=50% recording >told || fail "not stored"
  "$REPRISE" replay --quiet --goto=60% recording 2>at
  size=$(stat -c %s recording/streams/image-0)
  cp recording/streams/image-0 sound
  for n in 1 2 3; do
    cp sound recording/streams/image-0
    printf '\x5a\xa5' | dd of=recording/streams/image-0 bs=1 seek=$((RANDOM * 32768 % size + RANDOM % 1000)) conv=notrunc status=none
    cmp -s sound recording/streams/image-0 && continue
    refuses 121 'image-0' "$REPRISE" replay --from=0 recording
    "$REPRISE" replay recording >replayed 2>err || fail "the replay needs it: $(cat err)"
    "$REPRISE" replay --quiet --goto=60% recording 2>there || fail "a place can't be found: $(cat there)"
    cmp at there || fail "elsewhere: $(cat there)"
  done
  head -c $((size / 2)) sound >recording/streams/image-0
  refuses 121 'image-0' "$REPRISE" replay --from=0 recording
  refuses 121 'image-0' "$REPRISE" pack recording packed
  : >recording/streams/image-0
  refuses 121 'image-0' "$REPRISE" replay --from=0 recording
  "$REPRISE" rm ./recording || fail "the recording can't be removed"
}

# Whatever a killed writer leaves is no image, and in nobody's way.
case_images_killed() {
  local n pid
  recorded chunk thr_cond
  for n in 1 2 3; do
    "$REPRISE" checkpoint --every=1us recording >told &
    pid=$!
    until [ -s told ]; do sleep 0.01; done
    kill -KILL $pid
    wait $pid
    : >told
  done 2>/dev/null
  for n in $(images); do [ "$n" -gt 3 ] || begins_at "$n" "killed"; done
  "$REPRISE" checkpoint --at=50% recording >told || fail "not stored any more"
  [ ! -e recording/streams/image.new ] || fail "left behind"
  : >recording/streams/image.new
  "$REPRISE" replay recording >replayed || fail "not replayed"
  "$REPRISE" rm ./recording || fail "the recording can't be removed"
}

# A mount of one's own needs root, or a user namespace.
case_images_disk_full() {
  local away=(unshare -m)
  "${away[@]}" true 2>/dev/null || away=(unshare -rm)
  "${away[@]}" true 2>/dev/null || return 0
  recorded chunk thr_cond
  mkdir small
  # The inner shell expands these.
  # shellcheck disable=SC2016
  REPRISE=$REPRISE "${away[@]}" bash -uc 'mount -t tmpfs -o size=16m small small && cp -r recording small && cat /dev/zero >small/filler 2>/dev/null
    "$REPRISE" checkpoint --at=50% small/recording >out 2>err; echo $? >status; ls small/recording/streams >streams; "$REPRISE" replay small/recording >replayed' \
    || fail "not replayed: $(cat err)"
  [ "$(cat status)" = 125 ] || fail "status $(cat status): $(cat err)"
  [ "$(wc -l <err)" = 1 ] && grep -q '^reprise: .*No space left on device$' err || fail "told: $(cat err)"
  grep image streams && fail "left behind"
  cmp recorded replayed || fail "another output"
}

# Another build's images are of no use, and do no harm.
case_images_other_build() {
  recorded chunk thr_cond
  "$REPRISE" checkpoint --at=50% recording >told || fail "not stored"
  "$REPRISE" replay --quiet --goto=60% recording 2>at
  mkdir other
  cp "$REPRISE" other/reprise
  { cat "$(dirname "$REPRISE")/reprise-engine" && printf x; } >other/reprise-engine
  chmod +x other/reprise-engine
  refuses 125 'image 0 was made by another build of reprise' other/reprise replay --from=0 recording
  other/reprise replay --quiet --goto=60% recording 2>there || fail "a place can't be found: $(cat there)"
  cmp at there || fail "elsewhere: $(cat there)"
  other/reprise checkpoint --list recording | grep -q 'not usable here' || fail "not told"
  [ "$(other/reprise replay --verify --print-jobs recording | wc -l)" = 1 ] || fail "windows"
}

# Vessels that were restored end with their replay.
case_images_leave_nothing() {
  recorded chunk thr_cond
  "$REPRISE" checkpoint --at=50% recording >told || fail "not stored"
  setsid --wait bash -c 'echo $$ >session; "$1" replay -q --from=0 recording' bash "$REPRISE" || fail "can't be replayed"
  [ -z "$(ps -o pid= -s "$(cat session)")" ] || fail "left behind: $(ps -s "$(cat session)")"
}

case_images_usage() {
  refuses 2 'expected a time' "$REPRISE" checkpoint --every=soon nothing
  refuses 2 'expected a time' "$REPRISE" checkpoint --every=0s nothing
  refuses 2 "can't be combined" "$REPRISE" checkpoint --every=1s --list nothing
  refuses 2 'expected the number of an image' "$REPRISE" checkpoint --remove=first nothing
  refuses 2 'expected the number of an image' "$REPRISE" replay --from=first nothing
  refuses 2 'for --verify' "$REPRISE" replay --jobs=2 nothing
  refuses 2 'expected a number of jobs' "$REPRISE" replay --verify --jobs=0 nothing
  refuses 2 "can't be combined" "$REPRISE" replay --from=0 --goto=end nothing
  "$REPRISE" record -o recording -- /bin/true || fail "can't be recorded"
  refuses 125 'has no streams/image-7' "$REPRISE" replay --from=7 recording
  refuses 2 'this is no moment' "$REPRISE" checkpoint --at=never recording
}
