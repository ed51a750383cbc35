#!/bin/bash
# commands.sh: what `reprise ls`, `rm` and `pack` say and return, on recordings made by the program built from commands.c ($BUILD says
# where). REPRISE is the command under test.
set -u

make=${BUILD:-build}/tests/recording/commands
reprise=${REPRISE:-${BUILD:-build}/reprise}
make=$(realpath "$make") reprise=$(realpath "$reprise")
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export REPRISE_DIR=$work/home

check() { # NAME COMMAND…
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name: status ${status-}, stdout '$(head -n 5 out)', stderr '$(head -n 5 err)'"
  fi
}

# Runs the command: status, one line on stderr with WORDS or nothing if they are empty, stdout as PATTERN (a glob).
expect() { # STATUS PATTERN WORDS ARGUMENT…
  local want=$1 pattern=$2 words=$3
  shift 3
  "$reprise" "$@" >out 2>err
  status=$?
  check "$* status" [ "$status" = "$want" ]
  check "$* output" matches "$(cat out)" "$pattern"
  if [ -z "$words" ]; then
    check "$* is silent" [ ! -s err ]
  else
    check "$* says one line" [ "$(wc -l <err)" = 1 ]
    check "$* says '$words'" grep -q "^reprise: .*$words" err
  fi
}
# The right side is a pattern on purpose.
# shellcheck disable=SC2053
matches() { [[ $1 == $2 ]]; }

flip() { # FILE OFFSET
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf '%b' "\\x$(printf %02x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# No recordings yet.
expect 0 '' '' ls
expect 2 '' 'no such recording' ls missing
expect 2 '' 'no recording there yet' pack
expect 2 '' 'no such recording' rm missing
expect 2 '' 'no recording given' rm
expect 2 '' 'no such option' rm -f x
expect 2 '' 'no such option' ls --all
expect 2 '' 'too many arguments' pack a b c

# Some.
check "made in the default place" [ "$("$make" default /usr/bin/prog ./prog 'two words' $'new\nline')" = "$work/home/prog-0" ]
"$make" default prog ./prog >/dev/null
"$make" unfinished home/dead
expect 0 "NAME*STATE*SIZE*CREATED*COMMAND
*prog-0 *complete * ./prog 'two words' 'new?line'*" '' ls
check "three" [ "$(wc -l <out)" = 4 ]
check "the dead one" grep -q '^dead  *unfinished ' out
expect 0 '*prog-1 *complete*' '' ls prog-1
expect 0 '*latest *complete*' '' ls latest
expect 0 '*prog-1 *complete*' '' ls -- home/prog-1
expect 121 '' 'not a recording' ls /usr
mkfifo in told
"$make" live home/live <in >told &
maker=$!
exec 3>in
read -r begun <told
check "the writer has begun" [ "$begun" = begun ]
expect 0 '*live *recording *' '' ls live
expect 125 '' 'being recorded' rm live
expect 125 '' 'being recorded' pack live
check "no pack of it" [ ! -e live.reprise ]
exec 3>&-
wait $maker
expect 0 '*live *complete *' '' ls live

# Packing.
expect 0 prog-1.reprise '' pack
expect 2 '' 'exists already' pack
expect 0 other.pack '' pack prog-0 other.pack
expect 0 '*other.pack *packed *two words*' '' ls other.pack
expect 0 again.pack '' pack ./other.pack again.pack
check "a pack of a pack is the same" cmp -s other.pack again.pack
expect 0 dead.pack 'was not closed' pack dead dead.pack
expect 0 '*dead.pack *unfinished *' '' ls dead.pack
expect 125 '' 'make the pack' pack prog-0 no/such/folder/pack
expect 2 '' "no such recording" pack ./prog-0

# Damage.
cp -a home/prog-0 hurt
flip hurt/streams/input-0 70
expect 0 '*hurt *complete*' '' ls hurt
expect 121 '' 'damaged' pack hurt hurt.pack
check "no pack of it" [ ! -e hurt.pack ]
flip hurt/streams/input-0 70
truncate -s -3 hurt/streams/events
expect 121 '' 'truncated at byte 67' pack hurt hurt.pack
rm hurt/streams/events
expect 121 '' 'missing' pack hurt hurt.pack
rm -rf hurt
cp -a home/prog-0 hurt
flip hurt/manifest 60
expect 121 '' 'damaged' ls hurt
sed -i '1s/[0-9]*$/99/' hurt/manifest
expect 121 '' 'version 99' ls hurt
expect 121 '' 'version 99' pack hurt hurt.pack
flip again.pack 100
expect 121 '' damaged pack ./again.pack hurt.pack
cp -a hurt home/hurt
expect 0 '*hurt *version *' '' ls

# Removing.
echo mine >hurt/mine
expect 121 '' mine rm ./hurt
check "it is still there" [ -e hurt/streams/input-0 ]
rm hurt/mine
expect 2 '' 'no such recording' rm missing ./hurt other.pack
check "the others are gone" [ ! -e hurt ] && check "the others are gone" [ ! -e other.pack ]
expect 0 '' '' rm latest
check "latest and what it was are gone" [ ! -L home/latest ] && check "so is prog-1" [ ! -e home/prog-1 ]
expect 121 '' 'not a recording' rm "$work"
expect 0 '' '' rm hurt prog-0 dead live
expect 0 '' '' ls

# Help.
for command in ls rm pack; do expect 0 "Usage: reprise $command *exit status*" '' help $command; done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
