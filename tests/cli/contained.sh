# Where calls are denied: the rules that containers have by default, kernels without the newer calls, no /proc, low limits. Everything
# works, or one line says what is missing; nothing waits for ever.

# Many processes and threads, files, and a look at what lies where.
# The shell that is recorded expands it.
# shellcheck disable=SC2016
work='
  "$PROGRAMS/race_racey" 4 2000 | cut -c 1-20
  echo /* | cut -c 1-9; cat /proc/self/maps >/dev/null
  (exit 3) || echo "status $?"
  echo done | { read -r line; echo "$line"; }'

# The same work, recorded and replayed by the launcher. Without ORDER the orders take turns.
as_natively() { # LAUNCHER…
  local order=${ORDER:-${turn:-dag}}
  [ "$order" = chunk ] && turn=dag || turn=chunk
  "$@" /bin/sh -c "$work" >native 2>err || fail "$*: natively: $(cat err)"
  rm -rf recording
  timeout -s KILL "$HANGS" "$@" "$REPRISE" record --order="$order" -o recording -- /bin/sh -c "$work" >recorded 2>err ||
    fail "$*: record, $order: status $?: $(cat err)"
  [ ! -s err ] || fail "$*: record, $order, says: $(cat err)"
  [ "$(wc -l <recorded)" = "$(wc -l <native)" ] || fail "$*: record, $order, shows: $(cat recorded)"
  prints 0 "$(cat recorded)" timeout -s KILL "$HANGS" "$@" "$REPRISE" replay recording
}

# In a container already (CONTAINED), there are no further namespaces to be had.
case_default_rules() {
  [ -z "$CONTAINED" ] || return 0
  # Both come from the driver.
  # shellcheck disable=SC2153
  "$CONTAINER" /bin/true 2>/dev/null || return 0 # no user namespaces here
  local order
  for order in chunk dag scalar arcs; do
    ORDER=$order as_natively "$CONTAINER"
    prints 0 "$(cat recorded)" "$REPRISE" replay recording
  done
  prints 0 word "$CONTAINER" "$REPRISE" run -- /bin/echo word
}

# Recorded elsewhere, where addresses are not chosen at random.
case_replayed_in_container() {
  "$REPRISE" record -o recording -- /bin/sh -c "$work" >recorded || fail "record: status $?"
  [ -n "$CONTAINED" ] || "$CONTAINER" /bin/true 2>/dev/null || return 0
  local launcher=("$CONTAINER")
  [ -z "$CONTAINED" ] || launcher=(env)
  prints 0 "$(cat recorded)" "${launcher[@]}" "$REPRISE" replay recording
}

# Addresses are chosen at random: each recording has others, and each replay those of its recording.
case_random_places() {
  local i
  for i in 1 2 3 4 5 6 7 8; do
    rm -rf recording
    "$CONTAINER" --deny personality --error EPERM "$REPRISE" record -o recording -- /bin/cat /proc/self/maps >recorded$i 2>err ||
      fail "record: $(cat err)"
    prints 0 "$(cat recorded$i)" "$CONTAINER" --deny personality --error EPERM "$REPRISE" replay recording
  done
  [ "$(cat /proc/sys/kernel/randomize_va_space)" = 0 ] || ! cmp -s recorded1 recorded2 || fail "the addresses are the same"
}

# What kernels lack that are newer than the oldest one supported (README), each alone and all of it together.
# Some elements are lists.
# shellcheck disable=SC2054
newer=(clone3 openat2 pidfd_getfd faccessat2 close_range process_madvise epoll_pwait2 mount_setattr quotactl_fd
  landlock_create_ruleset,landlock_add_rule,landlock_restrict_self memfd_secret process_mrelease futex_waitv set_mempolicy_home_node)

case_missing_calls() {
  local call
  for call in "${newer[@]}"; do as_natively "$CONTAINER" --deny "$call"; done
}

case_oldest_kernel() {
  local order
  for order in chunk dag; do ORDER=$order as_natively "$CONTAINER" --deny "$(IFS=, && echo "${newer[*]}")"; done
}

denied() { # CALL…: each alone
  local call
  for call in "$@"; do
    "$CONTAINER" --deny "$call" --error EPERM /bin/true || continue # nothing runs without it
    as_natively "$CONTAINER" --deny "$call" --error EPERM
  done
}

case_denied_calls() { denied personality close_range memfd_create getrandom statx faccessat2 membarrier; }

case_denied_calls_of_others() {
  denied userfaultfd perf_event_open process_vm_readv,process_vm_writev pidfd_open,pidfd_send_signal,pidfd_getfd kcmp \
    sched_setscheduler prlimit64 mincore
}

case_denied_together() {
  as_natively "$CONTAINER" --deny memfd_create,close_range,statx,getrandom,faccessat2,membarrier,personality
}

# Nothing can be done without these: the line says so, and nobody waits for an end that can't come.
case_denied_ends() {
  local call command
  "$REPRISE" record -o original -- /bin/true || fail "status $?"
  for call in exit_group exit exit,exit_group; do
    for command in "run /bin/true" "record -o recording -- /bin/true" "replay original"; do
      # Words on purpose; a process that may not end by a call is ended by a signal.
      # shellcheck disable=SC2086
      timeout -s KILL "$HANGS" "$CONTAINER" --deny $call --error EPERM "$REPRISE" $command >out 2>err
      [ $? != 137 ] || fail "$command without $call hangs"
      [ "$(cat err)" = "reprise: a filter of system calls denies ${call#exit,}: no process could end here" ] || fail "$command without $call: $(cat err)"
      [ ! -e recording ] || fail "a recording is left"
    done
  done
}

# A limit that an ordinary user can't raise.
case_address_space() {
  local launcher=("$CONTAINER") size order status
  [ -z "$CONTAINED" ] || launcher=(env)
  "${launcher[@]}" /bin/true 2>/dev/null || return 0
  for size in 20000 100000 200000 400000 1000000; do
    for order in chunk dag; do
      rm -rf recording
      (ulimit -v $size && exec timeout -s KILL "$HANGS" "${launcher[@]}" "$REPRISE" record --order=$order -o recording -- /bin/echo word) >out 2>err
      status=$?
      [ $status != 0 ] || continue
      [ $status = 125 ] || fail "$size KiB, $order: status $status: $(cat err)"
      [ "$(wc -l <err)" = 1 ] || fail "$size KiB, $order: not one line: $(cat err)"
      grep -q '^reprise: .*ulimit -v' err || fail "$size KiB, $order: does not name the limit: $(cat err)"
    done
  done
  rm -rf recording
  (ulimit -v 4000000 && prints 0 word "${launcher[@]}" "$REPRISE" record -o recording -- /bin/echo word) || exit 1
}

# Those that follow need mounts of their own.
has_mounts() {
  away=(unshare -m)
  "${away[@]}" true 2>/dev/null || away=(unshare -rm)
  "${away[@]}" true 2>/dev/null
}

# Without memfd_create: folders that are small, read-only, or not there.
case_shared_memory() {
  has_mounts || return 0
  case $PWD in /tmp/* | /var/tmp/*) return 0 ;; esac # all of this would be hidden
  local folders order small='mount -t tmpfs -o size=128k none' sealed='mount -t tmpfs -o ro none'
  local usual='mount -t tmpfs -o size=64m,noexec none' # as containers have it
  for folders in "$usual /dev/shm && $sealed /tmp && $sealed /var/tmp" "$sealed /dev/shm" "$small /dev/shm" "$sealed /dev/shm && $small /tmp"; do
    for order in chunk dag; do
      ORDER=$order as_natively "${away[@]}" sh -c "$folders"' && exec "$@"' sh "$CONTAINER" --deny memfd_create --error EPERM
    done
  done
  rm -rf recording
  for folders in "$sealed" "$small"; do
    refuses 125 'none of /dev/shm, /tmp and /var/tmp' timeout -s KILL "$HANGS" "${away[@]}" \
      sh -c "$folders /dev/shm && $folders /tmp && $folders /var/tmp"' && exec "$@"' sh \
      "$CONTAINER" --deny memfd_create --error EPERM "$REPRISE" record -o recording -- /bin/echo word
  done
}

# … and one that is full before the program has ended.
case_shared_memory_full() {
  has_mounts || return 0
  case $PWD in /tmp/* | /var/tmp/*) return 0 ;; esac
  local order sealed='mount -t tmpfs -o ro none'
  # Each process that lives has logs of its own.
  local program='head -c 100000000 /dev/zero >/dev/shm/full; for i in $(seq 300); do sleep 1000 & done; wait; echo over'
  for order in chunk dag; do
    rm -rf recording
    timeout -s KILL "$HANGS" "${away[@]}" sh -c "mount -t tmpfs -o size=64m,noexec none /dev/shm && $sealed /tmp && $sealed /var/tmp"' && exec "$@"' sh \
      "$CONTAINER" --deny memfd_create --error EPERM "$REPRISE" record --order=$order -o recording -- /bin/bash -c "$program" >out 2>err
    status=$?
    [ "$status" = 125 ] || fail "$order: status $status: $(cat err)"
    [ "$(grep -c '^reprise: the file system that holds the logs on their way is full' err)" = 1 ] || fail "$order: $(cat err)"
    [ "$(grep -c '^reprise' err)" = 1 ] || fail "$order: not one line: $(cat err)"
    ! grep -q over out || fail "$order: it came to its end"
  done
}

case_no_proc() {
  has_mounts || return 0
  away+=(sh -c 'mount -t tmpfs none /proc && exec "$@"' sh)
  prints 0 word "${away[@]}" "$REPRISE" run -- /bin/echo word
  refuses 125 '/proc is not mounted' "${away[@]}" "$REPRISE" record -o recording -- /bin/echo word
}
