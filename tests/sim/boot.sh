#!/bin/bash
# boot.sh: operating systems on the simulated board: a small one of our own, which checks supervisor mode, page tables, timer, user mode, and harts
# that start and interrupt each other; on other numbers of harts, with and without caches, under total store order. And Linux, where LINUX names a
# folder with its Image and an initrd whose init ends with "init: done".
. "$(dirname "$0")/../lib/sim.sh"
needs_programs "$build/boards"

boots() { # OPTION…
  timeout 120 "$reprise" sim boot --set ram=64M "$@" "$build/boards/basic" >got 2>errors
  good "$* status" [ $? = 0 ]
  good "$* prints" cmp -s expected got
}

printf '%s\n' begin 'timer 1' memory 'user mode' harts >expected
for harts in 1 4 16; do
  boots --flat --harts $harts
  boots --harts $harts --seed $harts
  boots --harts $harts --tso
  boots --harts $harts --set l1-size=1K --set l2-size=32K
done
boots --harts 64
boots --preset karma

refuses() { # STATUS WORDS ARGUMENT…
  local want=$1 words=$2
  shift 2
  "$reprise" sim boot "$@" >out 2>errors
  good "$* status" [ "$?" = "$want" ]
  good "$* says '$words'" grep -qF -- "$words" errors
}
refuses 126 'is no RISC-V kernel image' /bin/true
refuses 126 "can't be opened" nothing
refuses 2 'ram: at least 16M' --set ram=3M nothing
refuses 2 'one kernel is needed'

if [ -n "${LINUX:-}" ]; then
  timeout 3600 "$reprise" sim boot --harts 4 --set ram=128M --initrd "$LINUX/initrd" "$LINUX/Image" >got 2>errors
  good "Linux status" [ $? = 0 ]
  good "Linux comes to its init: $(tail -n 1 got)" grep -q '^init: 4 cpus online' got
fi
finish
