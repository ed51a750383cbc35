#!/bin/bash
# recording.sh: simulated programs recorded and replayed: on another number of harts, with other caches and another seed, under every scheme. A replay
# itself compares registers, positions and memory with the recording; here also what it prints and returns.
. "$(dirname "$0")/../lib/sim.sh"

record() { # OPTION… PROGRAM ARGUMENT…
  rm -rf recording
  timeout 300 "$reprise" sim record -o recording "$@" >recorded 2>errors
  echo "exit $?" >>recorded
}

replay() { # OPTION…
  timeout 300 "$reprise" sim replay "$@" recording >replayed 2>errors
  echo "exit $?" >>replayed
}

both() { # NAME RECORD-OPTIONS REPLAY-OPTIONS PROGRAM ARGUMENT…
  local name=$1 first=$2 second=$3
  shift 3
  # Options are several words on purpose.
  # shellcheck disable=SC2086
  record $first "$@"
  # shellcheck disable=SC2086
  replay $second
  # A record that fails as its replay does is no success.
  good "$name" eval "cmp -s recorded replayed && ! grep -qE '^exit (2|12[0-7])$' recorded"
}

refuses() { # STATUS WORDS ARGUMENT…
  local want=$1 words=$2
  shift 2
  "$reprise" sim "$@" >out 2>errors
  good "$* status" [ "$?" = "$want" ]
  good "$* says one line" one_line_said
  good "$* says '$words'" grep -qF -- "$words" errors
}

needs_programs "$build/programs"

# What other commands say of such a recording.
record --harts 4 "$build/workloads/racey" 4 1
"$reprise" stat recording >stat 2>errors
good "stat status" [ $? = 0 ]
for words in 'machine        simulated, RV64' 'order          tokens' 'threads        4' 'state          complete'; do
  good "stat says '$words'" grep -qxF "$words" stat
done
good "stat counts instructions" [ "$(sed -n 's/^instructions *//p' stat)" -gt 1000 ]
"$reprise" stat --json recording >stat
good "stat --json: a line for the recording and each thread" [ "$(wc -l <stat)" = 5 ]
# Numbers of harts and banks add up to those of the machine; the trace has every episode.
total() { # SERIES
  sed -n "s/.*\"$1\": \[\([^]]*\)\].*/\1/p" errors | tr ',' '\n' | awk '{ sum += $1 } END { print sum + 0 }'
}
number() { sed -n "s/.*\"$1\": \([0-9]*\)[,}].*/\1/p" errors; }
# Replay without caches.
for scheme in tokens scalar arcs dag; do
  for program in 'workloads/racey 8 1' 'programs/processes' 'programs/shared' 'workloads/bank 6 1'; do
    # shellcheck disable=SC2086
    both "$program $scheme, replayed flat" "--harts 8 --scheme $scheme" "--flat --harts 5" "$build"/$program
  done
done
record --harts 4 --tso "$build/workloads/racey" 4 1
refuses 2 'need caches to be replayed' replay --flat recording
record --harts 4 --scheme chunk "$build/workloads/racey" 4 1
refuses 2 'need caches to be replayed' replay --flat recording
refuses 2 'recording needs caches' record --flat "$build/workloads/racey" 4 1

for scheme in tokens scalar arcs chunk; do
  record --harts 4 --scheme $scheme --trace trace --json "$build/workloads/racey" 6 1
  good "$scheme: instructions of harts" [ "$(total hart_instructions)" = "$(number instructions)" ]
  good "$scheme: references of harts" [ "$(total hart_references)" = "$(number references)" ]
  good "$scheme: episodes of a size" [ "$(total episode_instructions)" = "$(number episodes)" ]
  good "$scheme: episodes in the trace" [ "$(grep -c '"ph": "X"' trace)" = "$(number episodes)" ]
  [ $scheme = chunk ] || good "$scheme: misses of a length" [ "$(total miss_cycles)" = "$(total hart_misses)" ]
  [ $scheme = chunk ] || good "$scheme: requests of banks" [ "$(total bank_requests)" -gt 100 ]
done

for command in dump replay; do
  "$reprise" $command recording >out 2>errors
  good "$command: what to use instead" grep -qF 'reprise sim replay' errors
done

schemes=(tokens scalar arcs dag chunk)
seeds=4
[ -z "${SOAK:-}" ] || seeds=60
tiny="--set l1-size=1K --set l2-size=32K"
n=0
for program in "$build"/programs/*; do
  scheme=${schemes[n++ % 5]}
  [[ $program != */insn_* ]] || continue
  both "${program##*/} $scheme" "--scheme $scheme --seed $n" "--harts 3 --seed 77 $tiny" "$program"
done
for program in "$build"/workloads/*; do
  scheme=${schemes[n++ % 5]}
  both "${program##*/} $scheme" "--scheme $scheme --harts 8 --max-episode 256" "--harts 4 --seed 5 $tiny" "$program" 8 1
done

# What threads, and the disk, do to each other differs from seed to seed, and every replay repeats it. (What threads do to each other: races.sh.)
for scheme in "${schemes[@]}"; do
  : >results
  for seed in $(seq $seeds); do
    both "disk $scheme seed $seed" "--scheme $scheme --seed $seed $tiny" "--seed 99 --set disk-cycles=200" "$build/races/disk"
    head -n 1 recorded >>results
  done
  good "disk $scheme: seeds differ" [ "$(sort -u results | wc -l)" -gt 1 ]
done

# Pages that are used again while lines of them are in caches or in chunks, in the recording or in the replay alone.
for scheme in "${schemes[@]}"; do
  both "reuse $scheme" "--scheme $scheme --harts 8 --set ram=2M" "--seed 9 --harts 3" "$build/programs/reuse"
done
both "reuse in replay" "--tso" "--set ram=2M --harts 16 $tiny" "$build/programs/reuse"
both "reuse in replay of chunks" "--scheme chunk" "--set ram=2M --harts 16 $tiny" "$build/programs/reuse"

# Total store order: every scheme but chunk, whose commits are its order.
for scheme in tokens scalar arcs dag; do
  both "code $scheme tso" "--scheme $scheme --tso" "--seed 99" "$build/programs/code"
done
# More threads than harts, whose chunks are interrupted; a system call that is given a bad address.
for policy in squash commit finish; do
  both "bank chunk, $policy" "--scheme chunk --harts 2 --set slice-cycles=20000 --set interrupts=$policy" "--harts 3 --seed 9 $tiny" \
    "$build/workloads/bank" 6 1
done
both "files chunk" "--scheme chunk" "--seed 9 $tiny" "$build/programs/files"
both "racey chunk, small" "--scheme chunk --max-episode 50 --harts 16" "--harts 16 --seed 9 $tiny" "$build/workloads/racey" 16 1

# From one of FDR's checkpoints: a replay prints the end of what the recording printed, and comes to the same, with fewer instructions. Threads
# wait in calls, take turns, and their pages come and go.
instructions() { tr ',{}' '\n' <errors | sed -n 's/^ *"instructions": //p'; }
from_checkpoint() { # NAME SEED PROGRAM ARGUMENT…
  local name=$1 seed=$2 all
  shift 2
  record --json --scheme arcs --seed "$seed" --harts 2 --set slice-cycles=20000 --set checkpoint-cycles=17000 "$@"
  all=$(instructions)
  replay --from-checkpoint --harts $((seed % 5 + 1)) --seed 77 --json
  tail -c "$(stat -c %s replayed)" recorded | cmp -s - replayed
  good "$name from a checkpoint, seed $seed" [ $? = 0 ]
  good "$name: not from the beginning" [ "$(instructions)" -lt "$all" ]
}
for seed in $(seq $((seeds / 4))); do
  for program in programs/threads programs/many programs/signals programs/waiting 'workloads/racey 4 1' 'workloads/bank 6 1'; do
    # The program's arguments are words of their own.
    # shellcheck disable=SC2086
    from_checkpoint "$program" "$seed" $build/$program
  done
done
record --scheme arcs "$build/programs/threads"
refuses 2 'has no checkpoint' replay --from-checkpoint recording
refuses 2 'only for replay' record --from-checkpoint "$build/programs/threads"

# Who gets which addresses is the kernel's to say.
for scheme in "${schemes[@]}"; do
  for seed in $(seq $((seeds / 2))); do
    both "arenas $scheme seed $seed" "--scheme $scheme --seed $seed --harts 8" "--harts 8 --seed 50" "$build/programs/arenas"
  done
done

# Several spheres at once.
"$reprise" sim record -o kept "$build/workloads/racey" 4 1 >first 2>errors
"$reprise" sim record -o one "$build/workloads/racey" 4 1 ::: record -o two "$build/workloads/bank" 4 1 ::: replay kept >out 2>errors
good "three spheres" [ "$?" = 0 ]
good "the replay among them prints the same" grep -qxf first out
for name in one two; do
  rm -rf recording && mv $name recording
  replay --harts 2
  good "$name of two replays alone" grep -qx 'exit 0' replayed
done

# More threads than there is room for: one after the other, and all at once.
both "500 threads" "" "" "$build/races/crowd" 500
rm -rf recording
for scheme in tokens chunk; do
  rm -rf recording
  refuses 122 'more than 4032 threads in one recording' record --scheme $scheme -o recording "$build/races/crowd" 4100
done
refuses 122 'more than 1024 threads at once' run "$build/races/crowd" 1100 at-once

# Another program's recording, and programs that can't run here.
record "$build/programs/libc" && mv recording another
record "$build/programs/threads"
rm -r recording/streams && cp -r another/streams recording/
"$reprise" sim replay recording >out 2>errors
good "another program's streams: status" [ "$?" = 121 ]
good "another program's streams: one line" one_line_said
if [ "$(uname -m)" = x86_64 ]; then
  "$reprise" record -o live -- /bin/true
  refuses 121 'no recording of the simulator' replay live
fi
refuses 2 "can't be made or replayed beside" record --scheme chunk -o mixed "$build/programs/libc" ::: replay another
refuses 2 'not with chunks' record --scheme chunk --tso -o mixed "$build/programs/libc"
echo 'int main(void) { return 0; }' >dynamic.c && riscv64-linux-gnu-gcc -o dynamic dynamic.c
refuses 126 'is dynamically linked' run ./dynamic

rm -rf recording
record "$build/programs/libc"
refuses 2 'no such recording' replay nowhere
refuses 2 'already' record -o recording "$build/programs/libc"
mkdir empty && refuses 121 'empty' replay empty
sed -i 's/^scheme: .*/scheme: other/' recording/manifest && sign recording/manifest
refuses 121 'order scheme that is not known' replay recording
sed -i 's/^scheme: .*/scheme: tokens/; /^sim-version: /d' recording/manifest && sign recording/manifest
refuses 121 'by another version of the simulator' replay recording
record --scheme tokens "$build/workloads/racey" 4 1
stream=$(find recording/streams -name 'input-1*' | head -n 1)
truncate -s -3 "$stream"
refuses 121 '' replay recording

# A hostile recording, with all checksums right, says what no program has done.
hostile() { # WORDS BENT…: see lib/bend_simulated.c
  rm -rf bent
  good "there is something to bend: ${*:2}" "${build%/sim}/bend_simulated" recording bent "${@:2}"
  refuses 121 "$1" replay bent
}
rm -rf recording
record --harts 2 "$build/programs/files"
hostile 'bytes go out' 6 3 1 18446744073709551615
hostile 'bytes go out' 6 3 1 274877906944
hostile 'memory is mapped at' 4 0 0 18446744073709547520
hostile 'memory is mapped at' 4 0 0 5
finish
