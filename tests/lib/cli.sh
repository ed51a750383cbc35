#!/bin/bash
# Runs one case_NAME function of a file in tests/cli: lib/cli.sh FILE FUNCTION. Its status is the verdict.
# REPRISE is the command under test; the current folder is fresh.

# Seconds after which a command that hangs is ended, so that the test can say which it was. How long one may take is judged by limit.c, which knows how crowded the
# machine is.
HANGS=1200

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

# Whether the command tells functions and lines: it does when it was built with elfutils, which it loads when it needs them.
has_names() { grep -q 'libdw\.so' "$REPRISE" && /sbin/ldconfig -p | grep -q 'libdw\.so\.1'; }

patched() { # FILE OFFSET BYTES…: a copy of /bin/true with these bytes (octal escapes) in place
  local file=$1 offset=$2
  shift 2
  cp /bin/true "$file"
  # The bytes are a format on purpose.
  # shellcheck disable=SC2059
  printf "$@" | dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
}

# shellcheck source=tests/lib/checksum.sh
. "$(dirname "${BASH_SOURCE[0]}")/checksum.sh"

# shellcheck source=/dev/null
source "$1"
"$2"
exit 0
