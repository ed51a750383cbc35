# shellcheck shell=bash
# A program of another runtime, with threads and stacks of its own.
# needs: /usr/bin/gdb
# needs: /usr/bin/go
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_steps_and_reverses() {
  local order
  local machine=amd64 steps=20
  [ "$MACHINE" = x86_64 ] || machine=arm64
  [ -z "$SYSROOT" ] || steps=1 # without checkpoints each step back is a replay
  cp "$debug_here/programs/sums.go" .
  HOME=$PWD GOARCH=$machine GO111MODULE=off /usr/bin/go build -gcflags '-N -l' -o sums sums.go || fail "no program"
  for order in chunk dag; do
    rm -rf sums.rec
    "$REPRISE" record --order=$order -o sums.rec -- ./sums >sums.out || fail "status $?"
    session sums <<END
handle all nostop noprint pass
break main.add
continue
print amount
stepi $steps
reverse-stepi $steps
print amount
finish
reverse-continue
delete
continue
END
    says 'Breakpoint 1, main.add'
    [ "$(grep -cE '^\$[12] = 1$' out)" = 2 ] || fail "$(cat out)"
    says '^10$'
  done
}
