#!/bin/bash
# figures.sh: `reprise sim figures` on one program: every table and plot is there, a second run makes nothing again, one that was cut short goes on.
set -u

reprise=$(realpath "${REPRISE:-${BUILD:-build}/reprise}")
workloads=$(realpath "${BUILD:-build}")/tests/sim/workloads
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
    echo "$name"
  fi
}

if [ -z "$(ls "$workloads" 2>/dev/null)" ]; then
  echo "left out: no compiler for riscv64 (gcc-riscv64-linux-gnu, libc6-dev-riscv64-cross)" >&2
  echo "1 passed, 0 failed"
  exit 0
fi

mkdir programs && cp "$workloads/tasks" programs/
make_figures() { "$reprise" sim figures --quick -o figures --programs programs >out 2>errors; }

good "the figures are made" make_figures
good "tables are printed" grep -q 'Karma, figure 8' out
for name in karma-figure-8 karma-recording karma-figure-9 karma-figure-10 fdr-figures-4-5 capo-interrupts; do
  good "$name.csv has the program" grep -q '^tasks,' figures/$name.csv
done
for plot in figures/*.svg; do
  good "$plot is whole" [ "$(head -c 4 "$plot") $(tail -n 1 "$plot")" = "<svg </svg>" ]
done
good "no recordings are left" [ -z "$(find figures -name 'recording-*')" ]

cp figures/runs.csv before && cp out first
good "again" make_figures
good "nothing is run again" cmp -s before figures/runs.csv
good "the same is printed" cmp -s first out

head -c -20 before >figures/runs.csv
good "after a row that was cut off" make_figures
good "that one is run again" [ "$(tail -n 1 figures/runs.csv)" = "$(tail -n 1 before)" ]
good "the same is printed then" cmp -s first out

mkdir empty
"$reprise" sim figures --programs empty -o figures2 >out 2>errors
good "no programs" [ "$?" = 2 ]
good "no programs: one line" [ "$(wc -l <errors)" = 1 ]
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
