# Recording and replay from the outside: what is printed, which status, and what becomes of the recording.

same_again() { # COMMAND…: recorded; the replay, elsewhere, prints and returns the same
  local recorded replayed
  "$REPRISE" record -o recording -- "$@" >recorded.out 2>recorded.err
  recorded=$?
  mkdir -p elsewhere
  (cd elsewhere && exec "$REPRISE" replay ../recording) >replayed.out 2>replayed.err
  replayed=$?
  [ "$recorded" = "$replayed" ] || fail "$*: recorded with status $recorded, replayed with $replayed: $(cat replayed.err)"
  cmp recorded.out replayed.out || fail "$*: standard output differs"
  cmp recorded.err replayed.err || fail "$*: standard error differs: $(cat replayed.err)"
  [ -z "$(ls elsewhere)" ] || fail "$*: the replay left files behind"
  rm -rf recording
}

# Recordings that all came out alike prove nothing. Two threads often do: then it takes some more to see them differ.
must_have_raced() { # ORDER PROGRAM, both with their options; reads what its recordings printed so far, a line each
  local i
  sort -u >seen
  for ((i = 0; i < 120 && $(sort -u seen | wc -l) < 2; i++)); do
    # shellcheck disable=SC2086
    "$REPRISE" record --order=$1 -o recording -- "$PROGRAMS/"$2 >>seen || fail "$1: $2: status $?"
    rm -rf recording
  done
  [ "$(sort -u seen | wc -l)" -gt 1 ] || fail "$1: $2: nothing raced"
}

# Which interleaving comes up is up to the machine; the signature depends on every bit of it.
races() { # THREADS
  local i rounds=$((400000 / $1))
  : >signatures
  for ((i = 0; i < RACES / 4 + 1; i++)); do
    "$REPRISE" record -o recording -- "$PROGRAMS/race_racey" "$1" $rounds >recorded || fail "$1 threads, number $i: status $?"
    "$REPRISE" replay recording >replayed || fail "$1 threads, number $i: replay returned $?"
    cmp recorded replayed || fail "$1 threads, number $i: the signatures differ"
    cat recorded >>signatures
    rm -rf recording
  done
  must_have_raced chunk "race_racey $1 $rounds" <signatures
}
case_races_2() { races 2; }
case_races_4() { races 4; }
case_races_8() { races 8; }
case_races_16() { races 16; }

replays_in() { # ORDER PROGRAM, both with their options
  # shellcheck disable=SC2086
  "$REPRISE" record --order=$1 -o recording -- "$PROGRAMS/"$2 >recorded || fail "$1: $2: status $?"
  "$REPRISE" replay recording >replayed || fail "$1: $2: replay returned $?"
  cmp recorded replayed || fail "$1: $2: the replay differs"
  rm -rf recording
}

# Memory recorded by what is read of it: each of these goes another way there.
case_races_by_value() {
  local values threads program
  for values in auto all; do
    for threads in 2 4; do
      for program in "race_racey $threads 2000" "race_memory $threads 20" "race_spin $threads 200" "race_stack $threads" "race_signal $threads" "race_munmap $threads"; do
        replays_in "dag --values=$values" "$program"
      done
    done
  done
  replays_in 'dag --values=all' proc_spawn # children that close what is open when they go to another program
  "$REPRISE" record --order=dag --values=all -o recording -- "$PROGRAMS/race_counters" 2 >/dev/null || fail "status $?"
  "$REPRISE" dump recording | grep -q ' open .* values' || fail 'nothing was recorded by values'
}

case_values_are_not_debugged() {
  "$REPRISE" record --order=dag --values=auto -o recording -- /bin/true || fail "status $?"
  "$REPRISE" gdbserver recording </dev/null >/dev/null 2>err && fail 'it was debugged'
  grep -q 'debugged yet' err || fail "$(cat err)"
}

case_values_need_dag() {
  local order
  for order in chunk scalar arcs tokens; do
    "$REPRISE" record --order=$order --values=auto -o recording -- /bin/true >/dev/null 2>err
    [ $? = 2 ] || fail "$order: not refused"
    grep -q 'not supported yet' err || fail "$order: $(cat err)"
  done
  "$REPRISE" record --order=dag --values=some -o recording -- /bin/true 2>/dev/null
  [ $? = 2 ] || fail 'an unknown value was taken'
  "$REPRISE" record --values=off -o recording -- /bin/true || fail 'off needs no order'
}

case_races_in_parallel() {
  local order threads program
  for order in dag tokens scalar arcs 'dag --max-episode=1' 'dag --max-episode=0'; do
    for threads in 2 4; do
      for program in "race_racey $threads 5000" "race_memory $threads 20" "race_frames $threads 900" "race_actions $threads" "race_code_words $threads 900"; do
        replays_in "$order" "$program"
      done
      must_have_raced "$order" "race_racey $threads 5000" </dev/null
    done
  done
}

# Predictors decide about speed only: threads that race are replayed the same without each of them, and without any.
case_races_without_predictors() {
  local root without threads program names
  root=$(dirname "$LIB")/../..
  names=$(sed -n 's/^  X(\([a-z]*\),.*/\1/p' "$root/src/contract/predictor_names.h")
  [ -n "$names" ] || fail "no predictors"
  for without in $names "$(paste -sd, <<<"$names")"; do
    [[ $without == *,* ]] || grep -qx "\.B $without" "$root/docs/reprise-record.1" || fail "$without is not in the manual"
    for threads in 2 4; do
      for program in "race_racey $threads 3000" "race_memory $threads 10" "race_frames $threads 400"; do
        replays_in "dag --without=$without" "$program"
      done
    done
  done
}

# Of a program that was one thread, and went to this one, nothing is left in the order.
case_races_after_exec() {
  local order program
  for order in chunk dag tokens scalar arcs; do
    for program in 'race_racey 4 5000' thr_cond; do
      "$REPRISE" record --order=$order -o recording -- /bin/sh -c "exec \"\$PROGRAMS\"/$program" >recorded || fail "$order: $program: status $?"
      "$REPRISE" replay recording >replayed || fail "$order: $program: replay returned $?"
      cmp recorded replayed || fail "$order: $program: the replay differs"
      rm -rf recording
    done
  done
}

# Processes that share memory, in parallel.
case_races_of_processes() {
  local order program
  for order in dag scalar arcs; do
    for program in "race_shared 2" "race_shared_alias 3" "race_shared_calls 2" "race_shared_locks 4" "race_inheritance 2" "race_own_memory 3" "race_shared_pointers 3" proc_prefork proc_reused_slot proc_wait_effects thr_robust_killed mem_file_changes; do
      replays_in "$order" "$program"
    done
  done
}

case_races_in_chaos() {
  local seed signatures=
  for seed in 1 2 3 4 5 6 7 8; do
    "$REPRISE" record -o recording --chaos=$seed -- "$PROGRAMS/race_racey" 4 50000 >recorded || fail "seed $seed: status $?"
    "$REPRISE" replay recording >replayed || fail "seed $seed: replay returned $?"
    cmp recorded replayed || fail "seed $seed: the signatures differ"
    signatures+=" $(cat recorded)"
    rm -rf recording
  done
  [ "$(printf '%s\n' $signatures | grep -v signature | sort -u | wc -l)" -gt 1 ] || fail "chaos changes nothing: $signatures"
}

case_unknowable() { same_again /usr/bin/python3 -c 'import os, random, time; print(random.random(), time.time(), os.getpid())'; }

case_processes() { same_again /bin/bash -c 'for i in 1 2 3; do echo $i $$ $RANDOM & done; wait; (exit 3); echo $? | cat; exit 7'; }

case_fatal_signal() {
  "$REPRISE" record -o recording -- /bin/sh -c 'echo before; kill -SEGV $$; echo after' >recorded 2>&1
  [ $? = 139 ] || fail "recorded: not killed by SIGSEGV"
  "$REPRISE" replay recording >replayed 2>&1
  [ $? = 139 ] || fail "replayed: not killed by SIGSEGV"
  cmp <(grep -a before recorded) <(grep -a before replayed) || fail "outputs differ"
}

# All that was logged before the kill is there: the replay shows it and ends the same way.
case_killed() {
  mkfifo pipe
  "$REPRISE" record -o recording -- /bin/sh -c 'echo $$ >pipe; echo shown; read never <pipe' >recorded 2>&1 &
  manager=$!
  read -r program <pipe
  while ! grep -q shown recorded; do :; done
  kill -KILL "$program"
  wait "$manager"
  [ $? = 137 ] || fail "recorded: not killed"
  "$REPRISE" replay recording >replayed 2>&1
  [ $? = 137 ] || fail "replayed: not killed: $(cat replayed)"
  grep -qx shown replayed || fail "the replay does not show what was written before"
}

# The recording has its own copy of what it needs.
case_program_gone() {
  cp /bin/echo program
  "$REPRISE" record -o recording -- ./program said >recorded || fail "status $?"
  rm program
  prints 0 said "$REPRISE" replay recording
}

case_quiet() {
  "$REPRISE" record -o recording -- /bin/echo words >recorded || fail "status $?"
  prints 0 '' "$REPRISE" replay --quiet recording
}

case_latest() {
  export REPRISE_DIR=$PWD/recordings
  "$REPRISE" record /bin/echo one >recorded && "$REPRISE" record /bin/echo two >recorded || fail "status $?"
  prints 0 two "$REPRISE" replay
  prints 0 two "$REPRISE" replay latest
  prints 0 one "$REPRISE" replay echo-0
}

case_nothing_there() { refuses 2 'no such recording' "$REPRISE" replay ./nowhere; }

case_damaged() {
  local stream
  "$REPRISE" record -o recording -- /bin/echo words >recorded || fail "status $?"
  stream=$(find recording/streams -type f -size +1k | head -n 1)
  [ -n "$stream" ] || fail "no stream to damage"
  printf '\377\377\377\377' | dd of="$stream" bs=1 seek=600 conv=notrunc status=none
  "$REPRISE" replay recording >out 2>err
  [ $? = 121 ] || fail "status is not 121: $(cat err)"
  grep -q '^reprise: ' err || fail "no line that says why: $(cat err)"
}

# What a call wrote beyond what its result tells, flags that nobody will read: memory is the same in replay to the last bit.
# Who has left an address space, by execve or fork, may still be asked for what it had there.
# And a child counts from its birth on, whatever its parent waits for next. Who is ended by another thread's exit comes as far as it
# came, and no further. Who becomes another program may be told meanwhile that somebody waits for it.
case_parallel_processes() {
  local program round order
  for program in dag:exec_at dag:exec_names dag:proc_fork_basics dag:thr_fork scalar:exec_inherit scalar:thr_exit_race \
    scalar:proc_exit_together dag:thr_exit_race arcs:exec_at arcs:proc_fork_in_handler; do
    order=${program%:*} program=${program#*:}
    for round in 1 2 3; do
      "$REPRISE" record --order=$order --check-memory -o recording -- "$PROGRAMS/$program" >recorded || fail "$program: status $?"
      "$REPRISE" replay recording >replayed || fail "$program: replay returned $?"
      cmp recorded replayed || fail "$program: the replay differs"
      rm -rf recording
    done
  done
}

# make starts programs with the C library's own signals ignored.
case_inherited_signals() {
  printf 'all:\n\t@"%s" record --check-memory -o recording -- "%s" >recorded\n' "$REPRISE" "$PROGRAMS/sig_action_errors" |
    make -s -f - || fail "recording failed"
  "$REPRISE" replay recording >replayed || fail "replay returned $?"
  cmp recorded replayed || fail "the replay differs"
}

# Memory that a socket fills can't be recorded: the program learns that there is none.
case_mapped_socket() {
  same_again /usr/bin/python3 -c '
import mmap, socket
try:
    s = socket.socket()
    mmap.mmap(s.fileno(), 4096, prot=mmap.PROT_READ)
except OSError as error:
    print(error.errno)'
  [ "$(cat recorded.out)" = 19 ] || fail "printed $(cat recorded.out), not 19 for ENODEV"
}

case_memory_checked() {
  local program own=a64/sig_context
  [ "$(uname -m)" != x86_64 ] || own=x64/sig_red_zone
  for program in fault_efault sys_fd_listing sig_to_process sig_timers_interval proc_exit_status thr_signal_storm $own; do
    "$REPRISE" record -o recording --check-memory=100000 -- "$PROGRAMS/$program" >recorded 2>&1
    recorded=$?
    "$REPRISE" replay recording >replayed 2>&1
    [ $? = $recorded ] || fail "$program: recorded with $recorded, replayed: $(tail -n 1 replayed)"
    cmp recorded replayed || fail "$program: outputs differ"
    rm -rf recording
  done
}

# What can't be recorded: remap_file_pages. It is told even if the program has closed its standard error.
unsupported() {
  local number=216
  [ "$(uname -m)" = x86_64 ] || number=234
  refuses 122 "can't be recorded" "$REPRISE" record -o recording -- /usr/bin/perl -e "${1}syscall($number)"
}
case_unsupported() { unsupported ''; }
case_unsupported_silent() { unsupported 'close(STDERR); '; }

# Another numbering of processes than the recorder's own is refused, as in a container without privileges.
case_id_namespace() {
  same_again /usr/bin/unshare --pid true
  grep -q "Operation not permitted" recorded.err || fail "unshare says: $(cat recorded.err)"
  same_again /usr/bin/unshare --user --pid --fork true
  grep -q "Operation not permitted" recorded.err || fail "unshare of two namespaces says: $(cat recorded.err)"
  same_again /usr/bin/nsenter --pid=/proc/self/ns/pid true
  grep -q "Operation not permitted" recorded.err || fail "nsenter says: $(cat recorded.err)"
  same_again /usr/bin/python3 -c 'import ctypes, errno, os, platform
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
new_pid, child_signal = 0x20000000, 17
flags = (ctypes.c_uint64 * 8)(new_pid, 0, 0, 0, child_signal)
for call in (lambda: libc.syscall(ctypes.c_long(56 if platform.machine() == "x86_64" else 220), ctypes.c_long(new_pid | child_signal), None, None, None, None),
             lambda: libc.syscall(ctypes.c_long(435), flags, ctypes.c_long(64)),
             lambda: libc.setns(os.open("/proc/self/ns/pid", 0), 0)):
    print(call(), errno.errorcode[ctypes.get_errno()])'
  [ "$(uniq recorded.out)" = "-1 EPERM" ] || fail "clone says: $(cat recorded.out)"
}

# Threads and processes that write to one file in parallel and ask where they are in it, as dprintf does: all is where it was.
case_output_in_parallel() {
  local order role status
  for order in dag scalar arcs; do
    for role in 'threads 150' 'forks 20'; do
      # shellcheck disable=SC2086
      "$REPRISE" record --order=$order -o recording -- "$VICTIM" $role >recorded
      status=$?
      [ $status = 7 ] || fail "$order, $role: status $status"
      "$REPRISE" replay recording >replayed
      status=$?
      [ $status = 7 ] || fail "$order, $role: replay returned $status"
      cmp recorded replayed || fail "$order, $role: the replay differs"
      rm -rf recording
    done
  done
}

# Output that never was in the program's memory; and what is no output, on a number that was one before an execve.
case_moved_output() {
  seq 1 20000 >file
  same_again /bin/cat file
  same_again /usr/bin/python3 -c 'import os
f = os.open("file", os.O_RDONLY)
os.sendfile(1, f, 5, 1000)
os.lseek(f, 3000, 0)
print(os.sendfile(1, f, None, 100), flush=True)
r, w = os.pipe()
os.write(w, b"piped")
try: os.splice(r, 1, 5)
except OSError as e: os.write(1, os.read(r, 5))'
  same_again /bin/bash -c 'exec 5>&1; /usr/bin/python3 -c "
import fcntl, os
fcntl.fcntl(5, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
os.execv(\"/usr/bin/python3\", [\"python3\", \"-c\", \"\"\"
import os
f = os.open('"'other'"', os.O_WRONLY | os.O_CREAT)
os.dup2(f, 5)
os.write(5, b'"'hidden'"')
os.write(1, b'"'shown'"')\"\"\"])"'
}

# A program that goes back in its own output; the replay's may have begun already.
case_output_sought() {
  cat >seek.py <<'PY'
import os
os.lseek(1, 0, os.SEEK_CUR)
os.write(1, b"0123456789")
os.lseek(1, 3, os.SEEK_SET)
os.write(1, b"three")
os.lseek(1, -1, os.SEEK_CUR)
os.pwrite(1, b"one", 1)
os.lseek(1, 0, os.SEEK_END)
os.write(1, b"end")
PY
  same_again /usr/bin/python3 seek.py
  "$REPRISE" record -o recording -- /usr/bin/python3 seek.py >recorded
  [ "$(cat recorded)" = 0onehree89end ] || fail "recorded $(cat recorded)"
  { echo before && "$REPRISE" replay recording; } >behind
  { echo before && cat recorded; } | cmp - behind || fail "the replay behind something else: $(cat behind)"
}

# What can't be recorded leaves the recordings as they were.
case_latest_stays() {
  export REPRISE_DIR=$PWD/home
  prints 0 one "$REPRISE" record -- /bin/echo one
  "$REPRISE" record -- /does/not/exist 2>/dev/null && fail "recorded what is not there"
  prints 0 one "$REPRISE" replay
}

# Memory that changes from outside can't be in the recording; the user is told.
case_changed_by_others() {
  printf 'abc' >file
  mkfifo go gone
  cat >map.py <<'PY'
import mmap
f = open("file")
m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE)
open("gone", "w").close()
open("go").close()
print(m[:])
PY
  "$REPRISE" record -o recording -- /usr/bin/python3 map.py >recorded 2>err &
  cat gone
  printf 'x' | dd of=file conv=notrunc status=none
  : >go
  wait $! || fail "status $?"
  grep -q 'file was changed by another program' err || fail "nothing was said: $(cat err)"
}

# A thread that sends itself a signal which it catches stays at its turn: nobody changes the handler in between.
case_signal_to_itself() {
  local chunks
  same_again "$PROGRAMS/sig_raise_beside"
  "$REPRISE" record -o recording -- "$PROGRAMS/sig_raise_beside" >recorded || fail "status $?"
  chunks=$("$REPRISE" stat recording | awk '$1 == "chunks" { print $2 }')
  [ "$chunks" -lt 100 ] || fail "500 signals in $chunks chunks"
}

# Signals to the manager are meant for the program.
case_signals_passed_on() {
  local signo
  for signo in HUP TERM USR1 ALRM; do
    mkfifo up
    "$REPRISE" record -o recording -- /bin/bash -c "trap 'echo $signo; exit 3' $signo; echo >up; while :; do sleep 0.01; done" >out &
    manager=$!
    read -r _ <up
    kill -$signo $manager
    wait $manager
    [ $? = 3 ] && [ "$(cat out)" = $signo ] || fail "$signo: not passed on"
    rm -rf up recording
  done
}

# The engine executes itself once more for the script's interpreter, before it has made itself known to the manager.
case_script() {
  local order
  printf '#!/usr/bin/env sh\necho "$0 $1"\nexit 3\n' >script
  chmod +x script
  for order in chunk dag; do
    prints 3 './script a' "$REPRISE" record --order=$order -o recording -- ./script a
    prints 3 './script a' "$REPRISE" replay recording
    rm -rf recording
  done
}

case_bad_options() {
  refuses 2 'no program' "$REPRISE" record
  refuses 2 'no such option' "$REPRISE" record --unknown /bin/true
  refuses 2 'expected chunk, dag' "$REPRISE" record --order=other /bin/true
  refuses 2 'expected a number' "$REPRISE" record --chunk=few /bin/true
  refuses 2 'expected a number' "$REPRISE" record --max-episode=any /bin/true
  refuses 2 "no predictor named \`luck'" "$REPRISE" record --without=leases,luck /bin/true
  refuses 2 'no such option' "$REPRISE" replay --unknown
  refuses 2 'too many' "$REPRISE" replay one two
}

# The version of the format is told in three places of its page, and by every recording.
case_format_version() {
  local page version
  page=$(dirname "$LIB")/../../docs/format.md
  "$REPRISE" record -o recording -- /bin/true || fail "status $?"
  version=$(sed -n '1s/^reprise-recording: //p' recording/manifest)
  [ -n "$version" ] || fail "no version in the manifest"
  for text in "Version $version." "    reprise-recording: $version" "version: $version |"; do
    grep -qF -- "$text" "$page" || fail "docs/format.md does not say '$text'"
  done
  [ "$(grep -oE 'Version [0-9]+\.|reprise-recording: [0-9]+|version: [0-9]+' "$page" | grep -oE '[0-9]+' | sort -u)" = "$version" ] ||
    fail "docs/format.md names another version besides"
}

# An ioctl that is in no table: what it is given is looked at. With an address in it nobody knows what the kernel writes; without, all of it is compared.
case_unknown_ioctl() {
  [ "$("$PLANTED" number)" = taken ] || return 0 # not on every kernel
  for order in chunk dag; do
    "$REPRISE" record --order=$order -o unknown -- "$PLANTED" address >out 2>err
    status=$?
    [ "$status" = 122 ] || fail "$order: status $status: $(cat err)"
    grep -q "^reprise: ioctl 0x40085400 is not known, and was given an address to look through: it can't be recorded" err || fail "$order: $(cat err)"
    rm -rf unknown
    "$REPRISE" record --order=$order -o unknown -- "$PLANTED" number >out 2>err || fail "$order: $(cat err)"
    "$REPRISE" replay unknown >again 2>err || fail "$order: replay: $(cat err)"
    cmp out again || fail "$order: another output"
    rm -rf unknown
  done
}
