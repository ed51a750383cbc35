#!/bin/bash
# Runs one case_NAME function of a file in tests/cli: lib/cli.sh FILE FUNCTION. Its status is the verdict.
# REPRISE is the command under test; the current folder is fresh.

fail() {
  echo "$*"
  exit 1
}

# The user's mistake: nothing on stdout, one line on stderr that starts with "reprise: " and has WORDS in it.
refuses() { # STATUS WORDS COMMAND…
  local want=$1 words=$2 status
  shift 2
  "$@" >out 2>err
  status=$?
  [ "$status" = "$want" ] || fail "$*: status $status, not $want; stderr: $(cat err)"
  [ ! -s out ] || fail "$*: wrote to stdout: $(head -n 3 out)"
  [ "$(wc -l <err)" = 1 ] || fail "$*: stderr is not one line: $(cat err)"
  grep -q '^reprise: ' err || fail "$*: stderr does not start with 'reprise: ': $(cat err)"
  grep -qF -- "$words" err || fail "$*: stderr does not mention '$words': $(cat err)"
}

prints() { # STATUS TEXT COMMAND…: exactly this on stdout, nothing on stderr
  local want=$1 text=$2 status
  shift 2
  "$@" >out 2>err
  status=$?
  [ "$status" = "$want" ] || fail "$*: status $status, not $want; stderr: $(cat err)"
  [ "$(cat out)" = "$text" ] || fail "$*: printed '$(cat out)', not '$text'"
  [ ! -s err ] || fail "$*: stderr: $(cat err)"
}

# Whether the command tells functions and lines: it does when it was built with elfutils.
has_names() { ldd "$REPRISE" | grep -q libdw; }

patched() { # FILE OFFSET BYTES…: a copy of /bin/true with these bytes (octal escapes) in place
  local file=$1 offset=$2
  shift 2
  cp /bin/true "$file"
  # The bytes are a format on purpose.
  # shellcheck disable=SC2059
  printf "$@" | dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
}

checksum() { # FILE: its CRC-32C
  local byte crc=$((0xffffffff)) i
  for byte in $(od -An -v -tu1 "$1"); do
    crc=$((crc ^ byte))
    for i in 1 2 3 4 5 6 7 8; do crc=$((crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0))); done
  done
  printf %08x $((crc ^ 0xffffffff))
}

# shellcheck source=/dev/null
source "$1"
"$2"
exit 0
