#!/bin/bash
# Runs the one test that tests/run names and reports it: a line in $RESULTS, and on failure what differs.
set -u

id=$1
test=${id%@*}
stress=
[[ $id != *@* ]] || stress=${id#*@}
suite=${test%%/*}
name=${test#*/}
dir=$OUT/$test
seconds=60

known= # what tests/known-failures says about this test: it must then fail
# The list of what can't be where the tests are run, and what it says about this one: likewise.
limits=
[ -z "$CONTAINED" ] || limits=tests/container-limits
[ -z "$SANITIZED" ] || limits=tests/sanitizer-limits
outside=
[ -z "$limits" ] || outside=$(awk -F '\t' -v name="$test" '$1 == name { print $2 }' "$ROOT/$limits")

report() { # pass|fail|skip [WHY [EXCERPT]]
  if [ -n "$known" ]; then
    case $1 in
      pass) set -- fail "passes, but is listed in tests/known-failures" ;;
      fail) set -- known "$known" ;;
    esac
  fi
  if [ -n "$outside" ]; then
    case $1 in
      pass) set -- fail "passes, but is listed in $limits" ;;
      fail) set -- skip "$outside" ;;
    esac
  fi
  printf '%s\ntime %s %s\n' "$1 $id${2:+ ($2)}" "$SECONDS" "$id" >>"$RESULTS"
  case $1 in
    known) [ -z "$VERBOSE" ] || echo "known: $id: $known" ;;
    fail) printf 'FAIL %s: %s (outputs in %s)\n%s' "$id" "$2" "${dir#"$ROOT"/}" "${3:+$3$'\n'}" ;;
    pass) [ -z "$VERBOSE" ] || echo "ok   $id" ;;
  esac
  exit 0
}

if [ "$REPRISE_CACHE" = cold ]; then
  REPRISE_CACHE=$OUT/$id.code
  rm -rf "$REPRISE_CACHE" && mkdir -p "$REPRISE_CACHE"
fi

# A script that needs programs which are not there is left out; it names them in lines "# needs: PATH". For programs of the other machine gdb is another one.
check_needs() { # SCRIPT
  local program
  for program in $(sed -n 's/^# needs: //p' "$1"); do
    [ "$program" != /usr/bin/gdb ] || program=$gdb
    [ -e "$program" ] || report skip "no $program"
  done
}

# What could not be built for want of a header that its source says it needs is left out; everything else must be there.
must_be_built() { # PROGRAM SOURCE
  local header
  [ ! -x "$1" ] || return 0
  header=$(sed -n 's,^/\* needs: \(.*\) \*/$,\1,p' "$2" 2>/dev/null)
  [ -z "$header" ] || echo "#include <$header>" | gcc -E - >/dev/null 2>&1 || report skip "no $header"
  report fail "not built"
}

excerpt() { head -n 8 | cut -c 1-200 | sed 's/^/     /'; }

# Runs a command in a fresh folder, always the same one, and with the same few variables, so that nothing but
# the engine differs between two runs. Stdout, stderr and status go to $dir/KIND.
limited() { # KIND COMMAND…
  local kind=$1
  shift
  rm -rf "${dir:?}/$kind" "$dir/cwd"
  mkdir -p "$dir/$kind" "$dir/cwd"
  prepare
  (
    cd "$dir/cwd" || exit
    mapfile -t engine_variables < <(env | grep '^REPRISE_')
    exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME="$dir/cwd" LC_ALL=C.UTF-8 TZ=UTC TERM=dumb \
      PYTHONDONTWRITEBYTECODE=1 "${engine_variables[@]}" "${variables[@]}" \
      "$ROOT/build/tests/limit" "$seconds" "$dir/$kind/status" "$@"
  ) </dev/null >"$dir/$kind/stdout" 2>"$dir/$kind/stderr"
  rm -rf "$dir/cwd"
}
prepare() { :; }
variables=()

# The reason why this can't be recorded in this order, if tests/not-recorded has one.
not_recorded() {
  awk -F '\t' -v name="$test" -v order="$order" \
    '$1 == name && ($2 == "all" || index(" " $2 " ", " " order " ")) { print $3 }' "$ROOT/tests/not-recorded"
}

refused() { # LINE: the recorder ended with 122 and said this
  local reason
  reason=$(not_recorded)
  [ -n "$reason" ] || report fail "can't be recorded" "$1"
  report skip "$reason"
}

# What the audit engine has looked at in these recordings, and how often it could not, by reason.
count_audited() { # RECORDING…
  sed -sn 's/^audit: */audit /p' "${@/%//manifest}" 2>/dev/null >>"$RESULTS"
}

# How the engine runs a program. Modes that take more than one command belong here.
translated() { # PROGRAM ARGS…
  if [ "$kind" != record ]; then
    limited "$kind" "${foreign[@]}" "$REPRISE" run -- "$@"
    return
  fi
  rm -rf "$dir/recording"
  limited record "$REPRISE" record --order="${order%+*}" $by_value $check_memory -o "$dir/recording" -- "$@"
  if [ "$(cat "$dir/record/status")" = "exit 122" ]; then refused "$(head -n 1 "$dir/record/stderr")"; fi
  [ -z "$(not_recorded)" ] || report fail "can be recorded, but is listed in tests/not-recorded"
  count_audited "$dir/recording"
  prepare() { :; }
  limited replay "$REPRISE" replay "$dir/recording"
  equal record replay "the recording"
  if [ -n "${RESTARTS-}" ]; then
    local restarts=--restarts=$RESTARTS,$RANDOM
    limited restarts "$REPRISE" replay "$restarts" "$dir/recording"
    equal record restarts "the recording, with $restarts"
  fi
  rm -rf "$dir/recording"
}

# A script of tests/e2e with each of its programs recorded; then, with its folder gone, in an empty one and without a network, each
# recording is replayed. What a replay prints and how it ends must be what the program printed and how it ended.
recorded() { # SCRIPT
  local recordings=$dir/recordings folder expected line
  rm -rf "$recordings" && mkdir -p "$recordings"
  variables[2]="R=$PLAIN_ROOT/build/tests/recorded"
  variables+=(RECORDINGS="$recordings" REPRISE="$REPRISE" RECORD_ORDER="$order")
  limited record /bin/bash -u "$1"
  line=$(cat "$dir/record/stderr" "$recordings"/*/std* 2>/dev/null | grep -am 1 "^reprise: .*can't be recorded\|^reprise: .*can be recorded with")
  [ -z "$line" ] || refused "$line"
  [ -z "$(not_recorded)" ] || report fail "can be recorded, but is listed in tests/not-recorded"
  count_audited "$recordings"/*/recording
  alone=(unshare -n)
  [ "$(id -u)" = 0 ] || alone=(unshare -rn)
  [ -z "$CONTAINED" ] || alone=(env) # there are no further namespaces to be had
  for folder in "$recordings"/*; do
    [ -e "$folder/recording/manifest" ] ||
      report fail "a program was not recorded" "$(tail -n 3 "$dir/record/stderr" | excerpt)"
    expected=$(sed -n 's/^status: *//p' "$folder/recording/manifest")
    # The manager was killed: the recording ends with what it had written by then.
    [ -n "$expected" ] || : >"$folder/killed"
    : "${expected:=signal 9}"
    rm -rf "$dir/expected" && mkdir -p "$dir/expected"
    cp "$folder"/std* "$dir/expected/" 2>/dev/null
    echo "$expected" >"$dir/expected/status"
    replays_like "$folder"
  done
  rm -rf "$recordings"
}

replays_like() { # FOLDER: the replay of FOLDER/recording against $dir/expected
  local command=("${alone[@]}" "$REPRISE" replay "$1/recording")
  # Standard output and error were the same pipe.
  [ ! -e "$1/together" ] || command=(/bin/sh -c 'exec "$@" 2>&1' sh "${command[@]}")
  limited replay "$(command -v "${command[0]}")" "${command[@]:1}"
  for what in stdout stderr; do
    [ -e "$dir/expected/$what" ] || : >"$dir/replay/$what"
    [ -e "$dir/expected/$what" ] || : >"$dir/expected/$what"
    [ ! -e "$1/killed" ] || truncate -s "<$(stat -c %s "$dir/replay/$what")" "$dir/expected/$what"
    # Its reader went away: what the program wrote just before it noticed was not kept.
    [ ! -e "$dir/expected/$what.cut" ] || truncate -s "<$(stat -c %s "$dir/expected/$what")" "$dir/replay/$what"
  done
  equal expected replay "that of $(sed -n 's/^program: //p' "$1/recording/manifest")"
}

equal() { # KIND KIND NAME: fails unless the two runs agree; the first one's name
  local what
  for what in status stderr stdout; do
    cmp -s "$dir/$1/$what" "$dir/$2/$what" ||
      report fail "$what differs from $3" "$(cd "$dir" && diff -a "$1/$what" "$2/$what" | excerpt)"
  done
}

# The native result is the same for all engines of one driver run.
native() { # PROGRAM ARGS…
  [ "$(cat "$dir/native/run-id" 2>/dev/null)" != "$RUN_ID" ] || return 0
  limited native "$@"
  echo "$RUN_ID" >"$dir/native/run-id"
}

compare() {
  case $(cat "$dir/native/status") in
    "time limit") report fail "hangs natively" ;;
    "exit 125") report fail "can't be started natively" "$(excerpt <"$dir/native/stderr")" ;; # see foreign.sh
    "exit 99") report fail "its own checks fail natively" "$(excerpt <"$dir/native/stderr")" ;; # see CHECK
  esac
  known=$(awk -F '\t' -v name="$test" '$1 == name { print $2 }' "$ROOT/tests/known-failures")
  equal native "$kind" native
  report pass
}

# The other instruction set: natively is under the emulator, and so is the engine, whichever it is.
built=$ROOT/build
check_memory=${CHECK_MEMORY---check-memory}
[ "${ORDER-}" != sync ] || check_memory= # between its synchronisation memory may differ
emulator=()
foreign=()
compilers= # what the names of its compilers begin with
machine=$(uname -m)
gdb=/usr/bin/gdb
sysroot=
if [[ $stress == "$OTHER"* ]]; then
  stress=${stress#"$OTHER"}
  stress=${stress#-}
  built=$ROOT/build/$OTHER
  seconds=$((seconds * 5))
  check_memory= # the emulator's own memory would be looked at too
  REPRISE=$built/reprise
  dir=$OUT/$OTHER/$test
  compilers=$TARGET-
  machine=${TARGET%%-*}
  gdb=/usr/bin/gdb-multiarch
  sysroot=/usr/$TARGET
  emulator=("/usr/bin/qemu-${TARGET%%-*}" -L "/usr/$TARGET")
  ! "$ROOT/tests/lib/foreign.sh" "$TARGET" --probe || foreign=("$ROOT/tests/lib/foreign.sh" "$TARGET")
  emulator=("${foreign[@]}" "${emulator[@]}")
fi

order=${ORDER:-chunk}
if [[ $stress =~ ^(record.*)-(dag|scalar|arcs|tokens|dag\+auto|dag\+all)$ ]]; then
  stress=${BASH_REMATCH[1]} order=${BASH_REMATCH[2]}
fi

by_value=
[[ $order != *+* ]] || by_value=--values=${order#*+}

if [ ! -x "$ROOT/build/tests/limit" ]; then report fail "build/tests/limit is not built: make test-programs"; fi

kind=run${stress:+-$stress}
if [ "$stress" = record ]; then
  kind=record
elif [[ $stress == record-* ]]; then
  kind=record
  REPRISE=$built/stress-${stress#record-}/reprise
  seconds=$((seconds * 5))
elif [ -n "$stress" ]; then
  REPRISE=$built/stress-$stress/reprise
  seconds=$((seconds * 5))
fi

[ -x "$REPRISE" ] || report fail "no ${REPRISE#"$ROOT"/}"

# One run of a test at a time: all its engines share its folder.
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9

case $suite in
  programs)
    [ -x "$built/tests/$test" ] || report fail "not built"
    native_built=$built
    if [ "$built" != "$ROOT/build" ] && grep -qP "^$test\t.*\there$" "$ROOT/tests/emulator-limits" "$ROOT/tests/emulator-limits.$OTHER"; then
      native_built=$ROOT/build
      emulator=()
    fi
    prepare() { cp "$native_built/tests/$test" "$dir/cwd/${name##*/}"; }
    native "${emulator[@]}" "./${name##*/}"
    prepare() { cp "$built/tests/$test" "$dir/cwd/${name##*/}"; }
    translated "./${name##*/}"
    compare
    ;;
  e2e)
    script=$ROOT/tests/$test.sh
    check_needs "$script"
    seconds=$((seconds * 5))
    variables=(BASH_ENV="$ROOT/tests/lib/e2e.sh" LIMIT="$ROOT/build/tests/limit" R=)
    native /bin/bash -u "$script"
    if [ "$kind" = record ]; then
      recorded "$script"
    else
      variables[2]="R=${REPRISE/#"$ROOT"/"$PLAIN_ROOT"} run --"
      [ -z "$stress" ] || seconds=7200 # some start hundreds of programs, each of which is translated over and over again
      limited "$kind" /bin/bash -u "$script"
    fi
    compare
    ;;
  cli | debug)
    check_needs "$ROOT/tests/$suite/${name%.*}.sh"
    variables=(REPRISE="$REPRISE" CONTAINED="$CONTAINED" LIB="$ROOT/tests/lib/cli.sh" PROGRAMS="$ROOT/build/tests/programs" SOAK="$SOAK" RACES="$RACES"
      CONTAINER="$ROOT/build/tests/contained" COMPILERS="$compilers" MACHINE="$machine" GDB="$gdb" SYSROOT="$sysroot")
    for tool in exchange bend cut planted wedge wedged mutate poison answer stepped victim terminal; do variables+=("${tool^^}=$ROOT/build/tests/$tool"); done
    [ -z "$SANITIZED" ] || seconds=$((seconds * 5))
    [ -z "$SOAK" ] || seconds=3600
    limited "$kind" "${foreign[@]}" /bin/bash -u "$ROOT/tests/lib/cli.sh" "$ROOT/tests/$suite/${name%.*}.sh" "case_${name#*.}"
    [ "$(cat "$dir/$kind/status")" = "exit 0" ] && report pass
    report fail "$(cat "$dir/$kind/status")" "$(cat "$dir/$kind/stdout" "$dir/$kind/stderr" | excerpt)"
    ;;
  engine | recording | input | sphere | sim | order | search)
    seconds=3600
    [ -z "$SOAK" ] || seconds=14400
    program=$ROOT/$UNITS/$test
    [ ! -e "$ROOT/tests/$test.sh" ] || program=$ROOT/tests/$test.sh
    must_be_built "$program" "$ROOT/tests/$test.c"
    variables=(BUILD="$ROOT/build" SOURCES="$ROOT/src" REPRISE="$REPRISE")
    arguments=()
    # The libraries and programs whose every instruction the decoders are tried on.
    [ "$suite" != engine ] || arguments=(-n "$UNIT_COUNT"
      /usr/lib/*-linux-gnu/{libc.so.6,libstdc++.so.6,libcrypto.so.3} /usr/bin/python3)
    # Where all rows of a table have to be taken, fewer steps are not enough, and they are cheap.
    [ "$suite" != sim ] || arguments=(-n "$([ "$name" = protocol ] && [ "$SIM_COUNT" -lt 500000 ] && echo 500000 || echo "$SIM_COUNT")")
    [ "$suite" != order ] || [ -z "$SOAK" ] || arguments=("$SOAK")
    limited "$kind" "$program" "${arguments[@]}"
    grep -q '^[1-9][0-9]* passed, 0 failed$' "$dir/$kind/stdout" && [ "$(cat "$dir/$kind/status")" = "exit 0" ] &&
      report pass
    report fail "$(cat "$dir/$kind/status")" "$(cat "$dir/$kind/stderr" "$dir/$kind/stdout" | excerpt)"
    ;;
esac
report fail "no suite '$suite'"
