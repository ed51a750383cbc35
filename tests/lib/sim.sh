# sim.sh: what scripts of tests/sim begin and end with; sourced. A folder of their own to work in, and what was good is counted.
set -u
# shellcheck source=tests/lib/checksum.sh
. "$(dirname "${BASH_SOURCE[0]}")/checksum.sh"

reprise=$(realpath "${REPRISE:-${BUILD:-build}/reprise}")
build=$(realpath "${BUILD:-build}")/tests/sim
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

good() { # NAME CONDITION…
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name: $(head -n 2 errors)"
  fi
}

# The simulator's coroutines have ASan warn that it may be mistaken about their stacks: those are no lines of the command's.
one_line_said() { [ "$(grep -vcE '^(==[0-9]+==WARNING: ASan |False positive error reports may follow|For details see )' errors)" = 1 ]; }

needs_programs() { # FOLDER: whether there are programs to simulate, or one line and the end
  [ -z "$(ls "$1" 2>/dev/null)" ] || return 0
  echo "left out: no compiler for riscv64 (gcc-riscv64-linux-gnu, libc6-dev-riscv64-cross)" >&2
  echo "1 passed, 0 failed"
  exit 0
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
