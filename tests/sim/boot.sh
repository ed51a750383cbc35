#!/bin/bash
# boot.sh: operating systems on the simulated board: a small one of our own, which checks supervisor mode, page tables, timer, user mode, and harts
# that start and interrupt each other; on other numbers of harts, with and without caches, under total store order. Another one, in which everything races
# while interrupts and fences come, recorded and replayed on machines with other caches. And Linux, where LINUX names a folder that linux/build.sh has made.
. "$(dirname "$0")/../lib/sim.sh"
needs_programs "$build/boards"
seeds=3 boots=1
[ -z "${SOAK:-}" ] || seeds=500 boots=20

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
  timeout 60 "$reprise" sim boot "$@" >out 2>errors
  good "$* status" [ "$?" = "$want" ]
  good "$* says '$words'" grep -qF -- "$words" errors
}
refuses 126 'is no RISC-V kernel image' /bin/true
refuses 126 "can't be opened" nothing
refuses 2 'ram: at least 16M' --set ram=3M nothing
refuses 2 'one kernel is needed'

refuses 2 'chunks is not supported' -o recording --scheme chunk nothing
refuses 2 'total store order is not supported' -o recording --tso nothing

recorded() { # FOLDER SCHEME OPTION…: what KERNEL does with its OPTIONS
  local folder=$1 scheme=$2
  shift 2
  rm -rf "$folder"
  timeout 600 "$reprise" sim boot -o "$folder" --scheme "$scheme" "$@" >recorded 2>errors
  good "$scheme $*: recording" [ $? = 0 ]
}
replayed() { # FOLDER NAME OPTION…
  local folder=$1 name=$2
  shift 2
  timeout 600 "$reprise" sim boot --replay "$folder" "$@" >replayed 2>errors
  good "$name $*: replay" [ $? = 0 ]
  good "$name $*: the replay prints the same" cmp -s recorded replayed
}
small=(--set l1-size=1K --set l2-size=32K)

for seed in $(seq "$seeds"); do
  for scheme in dag scalar arcs named; do
    recorded recording $scheme --harts 4 --seed "$seed" --set ram=16M "$build/boards/races"
    cat recorded >>results
    replayed recording $scheme --seed $((seed + 7)) "${small[@]}"
    recorded recording $scheme --harts 4 --seed "$seed" --set ram=16M "${small[@]}" "$build/boards/races"
    replayed recording "$scheme small" --seed $((seed + 9))
  done
done
good "recordings differ" [ "$(sort -u results | wc -l)" -gt 2 ]

recorded recording dag --harts 3 --set ram=64M "$build/boards/basic"
replayed recording basic --seed 2
"$reprise" stat recording >out 2>errors
good "stat of a boot" grep -qx 'threads        3' out
timeout 60 "$reprise" sim replay recording >out 2>errors
good "sim replay of a boot: status" [ $? = 121 ]
good "sim replay of a boot: what to use" grep -qF 'reprise sim boot --replay' errors
# Another input than was recorded is a divergence, and is said.
input=recording/streams/input-1
printf 'x' | dd of="$input" bs=1 seek=$(($(stat -c %s "$input") / 2)) conv=notrunc 2>/dev/null
timeout 60 "$reprise" sim boot --replay recording >out 2>errors
good "a damaged recording" [ $? = 121 ]

if [ -n "${LINUX:-}" ]; then
  printf '%s\n' 'racey 4 1' threads exit >typed
  printf '%s\n' 'racey 4 1' crash >crash
  linux=(--harts 4 --set ram=64M --type typed --initrd "$LINUX/initrd" "$LINUX/Image")
  timeout 600 "$reprise" sim boot "${linux[@]}" >got 2>errors
  good "Linux status" [ $? = 0 ]
  good "Linux comes to its shell" grep -q 'init: 4 cpus online' got
  good "Linux runs what is typed there" grep -q '^19800 506 1' got
  timeout 600 "$reprise" sim boot -o crashed --append 'console=hvc0 panic=-1' "${linux[@]/typed/crash}" >recorded 2>errors
  good "a kernel that crashes: status" [ $? = 1 ]
  timeout 600 "$reprise" sim boot --replay crashed --seed 3 --set l1-size=16K >replayed 2>errors
  good "a kernel that crashes: status of the replay" [ $? = 1 ]
  good "a kernel that crashes: the replay" cmp -s recorded replayed
  good "a kernel that crashes" grep -q 'Kernel panic' recorded
  for scheme in dag scalar arcs; do
    for seed in $(seq "$boots"); do
      recorded linux $scheme --seed "$seed" "${linux[@]}"
      replayed linux "Linux $scheme" --seed $((seed + 30)) --set l1-size=16K --set l2-size=1M
    done
  done
fi
finish
