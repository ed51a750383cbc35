#!/bin/sh
# decode_objdump.sh: compares the x86-64 decoder's instruction lengths with objdump's.
#
#     decode_objdump.sh [-n COUNT] ELF...
#
# Every instruction that objdump lists is decoded, by the program built from decode_objdump.c ($BUILD says where),
# at its own address. The length must be the same wherever both see an instruction. Whether there is one is
# decode_zydis's question, not this test's: over constants in a code section objdump shows surplus prefixes
# as instructions of their own, lets lock stand before anything, and does not know the old aliases of x87
# instructions. Such lines are counted, and fail a file when they are more than two in a thousand.
set -eu

[ "${1-}" != -n ] || shift 2 # every unit test is given a number of random instructions; here there are none
[ $# -ge 1 ] || { echo "usage: $0 [-n COUNT] ELF..." >&2; exit 2; }
lengths=${BUILD:-build}/tests/engine/x64/decode_objdump
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

for file in "$@"; do
  # Address and length; 0 for (bad), nothing for lone prefixes and for fwait joined to what follows it.
  # intel64: 66 before a near branch does not shorten its displacement, as on Intel's machines.
  objdump -d -w -M intel64 "$file" | awk -F '\t' '
    /^ *[0-9a-f]+:\t/ {
      address = $1
      gsub(/[ :]/, "", address)
      count = split($2, bytes, " ")
      if ($3 ~ /\(bad\)/) count = 0
      if (bytes[1] == "9b" && count > 1) next
      if ($3 ~ /^((data16|addr32|cs|ds|es|ss|fs|gs|lock|repz?|repnz|rex[.WRXB]*) *)+$/ || $3 ~ /^\.byte/) next
      print address, count
    }' > "$work/objdump"
  cut -d ' ' -f 1 "$work/objdump" | "$lengths" "$file" > "$work/ours"
  total=$(wc -l < "$work/objdump")
  [ "$total" -gt 0 ] || { echo "$file: objdump lists nothing" >&2; exit 2; }

  paste -d ' ' "$work/objdump" "$work/ours" > "$work/both"
  doubtful=$(awk '$2 != $4 && ($2 == 0 || $4 == 0)' "$work/both" | wc -l)
  awk '$1 != $3 || ($2 && $4 && $2 != $4) { print "  " $1 ": objdump " $2 ", ours " $4 }' "$work/both" > "$work/wrong"
  wrong=$(wc -l < "$work/wrong")
  echo "$file: $total instructions, $wrong of another length, $doubtful on which the two disagree"
  head -n 20 "$work/wrong"
  if [ $((doubtful * 500)) -gt "$total" ]; then
    echo "  too many disagreements"
    wrong=$((wrong + doubtful))
  fi
  passed=$((passed + total - wrong))
  failed=$((failed + wrong))
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
