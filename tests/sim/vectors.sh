#!/bin/bash
# vectors.sh: vector instructions: random ones compared with qemu-riscv64, and a program that races with all kinds of vector loads and stores, recorded and
# replayed: every scheme, sequential consistency and total store order, several numbers of harts, with caches and store buffers of every size.
. "$(dirname "$0")/../lib/sim.sh"

needs_programs "$build/programs"
seeds=8
[ -z "${SOAK:-}" ] || seeds=400

# programs.sh tries the first seed.
export QEMU_CPU=rv64,v=true,vlen=128,vext_spec=v1.0
if command -v qemu-riscv64 >/dev/null; then
  for seed in $(seq 2 $((seeds / 2))); do
    timeout 100 qemu-riscv64 "$build/programs/vectors" "$seed" 1500 >expected 2>errors
    timeout 100 "$reprise" sim run --flat --harts 1 "$build/programs/vectors" "$seed" 1500 >got 2>>errors
    good "seed $seed: $(diff expected got | head -n 3)" cmp -s expected got
  done
else
  echo "no qemu-riscv64 (qemu-user): nothing to compare random instructions with" >&2
fi

races() { # SEED SCHEME OPTION…
  local seed=$1 name=$*
  shift 2
  rm -rf recording
  timeout 100 "$reprise" sim record -o recording --scheme "$scheme" --harts $harts --seed "$seed" "$@" "$build/races/vectors" $harts 1 >recorded 2>errors
  good "$name, recorded" [ $? = 0 ]
  timeout 100 "$reprise" sim replay --harts $((harts / 2 + 1)) --seed $((seed + 5000)) recording >replayed 2>errors
  good "$name, replayed" [ $? = 0 ]
  good "$name prints the same" cmp -s recorded replayed
  cat recorded >>results
}

for seed in $(seq $seeds); do
  harts=$((2 << seed % 3)) small=()
  [ $((seed % 2)) = 0 ] || small=(--set l1-size=1K --set l2-size=32K)
  for scheme in tokens scalar arcs dag; do
    races "$seed" $scheme "${small[@]}"
    races "$seed" $scheme "${small[@]}" --tso --set store-buffer=$((seed % 3 * 4 + 1))
  done
  scheme=chunk
  races "$seed" chunk --max-episode $((seed * 7))
done
good "recordings differ" [ "$(sort -u results | wc -l)" -gt $((seeds * 2)) ]
finish
