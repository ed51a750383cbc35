# Disks, descriptors and limits that are used up: one clear line, status 125, and what was logged until then replays.

# Prints a line, then takes in more than any of these places hold.
program=(/bin/sh -c 'echo begins; exec dd if=/dev/urandom of=/dev/null bs=64k count=100000 status=none')

breaks_off() { # WORDS FOLDER [OPTION…]: the program, recorded there, until it can't be any more
  local status
  "$REPRISE" record "${@:3}" -o "$2/recording" -- "${program[@]}" >recorded 2>err
  status=$?
  [ $status = 125 ] || fail "status $status: $(cat err)"
  [ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
  grep -q "^reprise: .*$1" err || fail "does not say $1: $(cat err)"
  timeout -s KILL "$HANGS" "$REPRISE" replay "$2/recording" >replayed 2>err
  status=$?
  [ $status = 137 ] || fail "the replay, with status $status: $(cat err)"
  [ "$(wc -l <err)" = 1 ] && grep -q "^reprise: the recording breaks off here: " err || fail "the replay says: $(cat err)"
  cmp recorded replayed || fail "the replay shows: $(cat replayed)"
  "$REPRISE" stat "$2/recording" | grep -q 'state *unfinished' || fail "not unfinished"
}

# A mount of one's own needs root, or a user namespace.
case_disk_full() {
  local away=(unshare -m)
  "${away[@]}" true 2>/dev/null || away=(unshare -rm)
  "${away[@]}" true 2>/dev/null || return 0
  mkdir small
  export -f breaks_off fail
  export REPRISE HANGS
  # The inner shell expands these.
  # shellcheck disable=SC2016
  "${away[@]}" bash -uc 'program=("$@"); mount -t tmpfs -o size=12m small small && breaks_off "No space left on device" small' \
    bash "${program[@]}" || exit 1
}

# Few kernels have a quota to try, so the C library's function is made to have one. It ends while files are being kept, within the first
# frames, and later.
case_quota() {
  local quota order
  # By a path in which no space can be: LD_PRELOAD is a list.
  cp "${PROGRAMS%/programs}/quota.so" . || fail "no quota.so"
  for quota in 300000 350000 500000 900000 3000000 6000000; do
    for order in dag chunk; do
      (
        export LD_PRELOAD=./quota.so QUOTA=$quota
        breaks_off 'Disk quota exceeded' . --order $order
      ) || exit 1
      rm -rf recording
    done
  done
}

# The memory that is shared with the sphere is a file, too: a limit far below its size allows nothing at all, one that is a bit too low
# fewer threads.
case_file_size() {
  (
    ulimit -f 16
    refuses 125 'File too large' "$REPRISE" record -o recording -- "${program[@]}"
  ) || exit 1
  (
    ulimit -f 700000
    prints 0 words "$REPRISE" record -o recording -- /bin/echo words
    prints 0 words "$REPRISE" replay recording
  ) || exit 1
}

# A soft limit is the program's alone.
case_soft_limits() {
  (
    ulimit -Sf 1000
    ulimit -Sn 20
    "$REPRISE" record -o recording -- /bin/sh -c 'ulimit -Sf; ulimit -Sn' >recorded || fail "status $?"
    [ "$(tr '\n' ' ' <recorded)" = '2000 20 ' ] || fail "the program has other limits: $(cat recorded)"
    prints 0 "$(cat recorded)" "$REPRISE" replay recording
  ) || exit 1
}

case_descriptors() {
  local limit status
  for limit in 4 6 8 10 12 14 16 18 20 22 24 28 32; do
    (ulimit -n $limit && exec "$REPRISE" record -o "recording$limit" -- /bin/echo words) >out 2>err
    status=$?
    [ $status != 0 ] || continue
    [ $status = 125 ] || fail "$limit descriptors: status $status: $(cat err)"
    [ "$(grep -c '^reprise: ' err)" = 1 ] && [ "$(wc -l <err)" = 1 ] || fail "$limit descriptors: not one line: $(cat err)"
  done
  [ -e recording32/manifest ] || fail "thirty-two descriptors are not enough"
}

case_read_only() {
  local as=()
  mkdir locked
  chmod 555 locked
  [ "$(id -u)" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  refuses 125 "locked/recording: can't make the recording: Permission denied" "${as[@]}" "$REPRISE" record -o locked/recording -- /bin/echo words
}
