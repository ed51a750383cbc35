#!/bin/bash
# programs.sh: static RV64 programs on the simulated machine, at 1, 4, 8 and 16 harts, with and without caches: what they print and return must be
# what qemu-riscv64 gives, or NAME.expected where an emulated process can't do it (execve), and the same everywhere.
sources=$(realpath "$(dirname "$0")")/programs
. "$(dirname "$0")/../lib/sim.sh"
programs=$build/programs
export QEMU_CPU=rv64,v=true,vlen=128,vext_spec=v1.0

oracle() { # PROGRAM: writes expected and returns true if there is anything to compare with
  local name=${1##*/}
  if [ -e "$sources/$name.expected" ]; then
    cp "$sources/$name.expected" expected
    sed -n 's,^.*/\* status: \([0-9]*\) \*/.*,exit \1,p' "$sources/$name.c" >>expected
  elif command -v qemu-riscv64 >/dev/null; then
    timeout 60 qemu-riscv64 "$1" >expected 2>/dev/null
    echo "exit $?" >>expected
  else
    timeout 60 "$reprise" sim run --flat --harts 1 "$1" >expected 2>/dev/null
    echo "exit $?" >>expected
  fi
}

compare() { # PROGRAM OPTION…
  local program=$1
  shift
  timeout 120 "$reprise" sim run "$@" "$program" >got 2>errors
  echo "exit $?" >>got
  good "${program##*/} $*: $(diff expected got | head -n 3)" cmp -s expected got
}

needs_programs "$programs"
command -v qemu-riscv64 >/dev/null || echo "no qemu-riscv64 (qemu-user): compared with one hart instead" >&2
for program in "$programs"/*; do
  [[ $program != *.d ]] || continue
  oracle "$program"
  compare "$program" --flat --harts 1
  for harts in 1 4 8 16; do compare "$program" --harts $harts --seed $harts; done
  # So little memory that pages are used again while lines of them are in caches.
  [[ $program != */reuse ]] || for harts in 1 4 8 16; do compare "$program" --harts $harts --set ram=2M; done
done
finish
