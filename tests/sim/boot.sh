#!/bin/bash
# boot.sh: operating systems on the simulated board: a small one of our own, which checks supervisor mode, page tables, timer, user mode, and harts
# that start and interrupt each other; on other numbers of harts, with and without caches, under total store order. Others, in which everything races, with vectors too, or
# traps while interrupts and fences come, or the disk writes to memory, recorded and replayed on machines with other caches. And Linux, where LINUX names a folder that linux/build.sh has made.
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
refuses 2 "nowhere: can't be opened" --disk nowhere nothing
refuses 2 'has no whole sectors' --disk expected nothing
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
yes reprise | head -c 32768 >sectors
echo 'hello, board' >hello

for seed in $(seq "$seeds"); do
  for scheme in tokens scalar arcs dag; do
    for board in races traps devices vectors; do
      machine=(--harts 4 --seed "$seed" --set ram=16M --disk sectors --type hello)
      recorded recording $scheme "${machine[@]}" "$build/boards/$board"
      cat recorded >>results
      replayed recording "$board $scheme" --seed $((seed + 7)) "${small[@]}"
      recorded recording $scheme "${machine[@]}" "${small[@]}" "$build/boards/$board"
      replayed recording "$board $scheme small" --seed $((seed + 9))
    done
  done
done
good "recordings differ" [ "$(sort -u results | wc -l)" -gt 2 ]

for harts in 1 16; do
  recorded recording tokens --harts $harts --set ram=16M --disk sectors --type hello "$build/boards/devices"
  good "$harts harts: what is typed" grep -qx 'hello, board' recorded
  replayed recording "devices, $harts harts" --flat
done

# FDR's six logs all have something of a system with devices.
recorded recording arcs --preset fdr --set ram=16M --set l1-size=4K --set checkpoint-cycles=100000 --disk sectors --type hello --stats "$build/boards/devices"
for log in race cache_checkpoint memory_checkpoint input interrupt dma; do
  good "FDR's log: $log" grep -qE "^${log}_hardware_bytes +[1-9]" errors
done
replayed recording "devices with FDR's logs" --seed 5

recorded recording tokens --harts 3 --set ram=64M "$build/boards/basic"
replayed recording basic --seed 2
"$reprise" stat recording >out 2>errors
good "stat of a boot" grep -qx 'threads        3' out
timeout 60 "$reprise" sim replay recording >out 2>errors
good "sim replay of a boot: status" [ $? = 121 ]
good "sim replay of a boot: what to use" grep -qF 'reprise sim boot --replay' errors
# So little memory that the kernel would lie behind it.
sed 's/^argument: 67108864$/argument: 1048576/' recording/manifest >manifest && sign manifest
mv recording/manifest kept && mv manifest recording/
refuses 121 'makes no sense as one of a board' --replay recording
mv kept recording/manifest
# Another input than was recorded is a divergence, and is said.
input=recording/streams/input-1
printf 'x' | dd of="$input" bs=1 seek=$(($(stat -c %s "$input") / 2)) conv=notrunc 2>/dev/null
timeout 60 "$reprise" sim boot --replay recording >out 2>errors
good "a damaged recording" [ $? = 121 ]

if [ -n "${LINUX:-}" ]; then
  printf '%s\n' 'racey 4 1' threads disk exit >typed
  printf '%s\n' 'racey 4 1' crash >crash
  linux=(--harts 4 --set ram=64M --type typed --disk sectors --initrd "$LINUX/initrd" "$LINUX/Image")
  serial=(--append 'console=ttyS0 panic=-1')
  timeout 600 "$reprise" sim boot "${linux[@]}" >got 2>errors
  good "Linux status" [ $? = 0 ]
  good "Linux comes to its shell" grep -q 'init: 4 cpus online' got
  good "Linux runs what is typed there" grep -q '^19800 506 1' got
  good "Linux uses its disk" grep -q '^disk: reprise' got
  timeout 600 "$reprise" sim boot -o crashed "${serial[@]}" "${linux[@]/typed/crash}" >recorded 2>errors
  good "a kernel that crashes: status" [ $? = 1 ]
  timeout 600 "$reprise" sim boot --replay crashed --seed 3 --set l1-size=16K >replayed 2>errors
  good "a kernel that crashes: status of the replay" [ $? = 1 ]
  good "a kernel that crashes: the replay" cmp -s recorded replayed
  good "a kernel that crashes" grep -q 'Kernel panic' recorded
  for scheme in tokens scalar arcs; do
    for seed in $(seq "$boots"); do
      if [ $((seed % 2)) = 1 ]; then console=("${serial[@]}"); else console=(); fi
      recorded linux $scheme --seed "$seed" "${console[@]}" "${linux[@]}"
      replayed linux "Linux $scheme" --seed $((seed + 30)) --set l1-size=16K --set l2-size=1M
    done
  done
fi
finish
