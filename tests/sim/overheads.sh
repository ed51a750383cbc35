#!/bin/bash
# overheads.sh: what recording costs follows from what it needs: wider links or larger log buffers make it cheaper, schemes differ, and a machine without
# limits makes nobody wait. Cycles of five seeds each: a simulation is a function of its seed, of the program and of its stack, so these are the same
# wherever the program has the same name and an empty environment.
. "$(dirname "$0")/../lib/sim.sh"
program=./radix

needs_programs "$build/workloads"
cp "$build/workloads/radix" radix

field() { tr ',{}' '\n' <stats | sed -n "s/^ *\"$1\": //p"; }
of_run() { # FIELD SCHEME OPTION…: the sum over the seeds; scheme none: not recorded
  local field=$1 scheme=$2 sum=0 seed
  shift 2
  for seed in 1 2 3 4 5; do
    rm -rf recording
    if [ "$scheme" = none ]; then
      env -i "$reprise" sim run --preset karma --harts 8 --set l2-banks=8 --seed $seed --json "$@" "$program" 8 1 >/dev/null 2>stats
    else
      env -i "$reprise" sim record -o recording --scheme "$scheme" --max-episode 256 --preset karma --harts 8 --set l2-banks=8 --seed $seed --json "$@" \
        "$program" 8 1 >/dev/null 2>stats
    fi
    sum=$((sum + $(field "$field")))
  done
  echo $sum
}
overhead() { # SCHEME OPTION…: cycles with recording, in millionths of those without
  local scheme=$1
  shift
  echo $(($(of_run cycles "$scheme" "$@") * 1000000 / $(of_run cycles none "$@")))
}

: >errors
narrow=$(overhead tokens --set link-rate=1000)
wide=$(overhead tokens --set link-rate=2000)
good "narrow links: recording costs something ($narrow)" [ "$narrow" -gt 1000000 ]
good "links twice as wide: it costs less ($wide of $narrow)" [ "$wide" -lt "$narrow" ]

small=$(overhead arcs --set race-log=2K)
large=$(overhead arcs --set race-log=4K)
good "a small log buffer: recording costs something ($small)" [ "$small" -gt 1000000 ]
good "a buffer twice as large: it costs less ($large of $small)" [ "$large" -lt "$small" ]
slow=$(of_run race_stall_cycles arcs --set race-log=4K)
fast=$(of_run race_stall_cycles arcs --set race-log=4K --set race-log-rate=20)
good "a buffer that is emptied twice as fast: stalls ($fast of $slow)" [ "$fast" -lt "$slow" ]
good "schemes differ" [ "$(overhead scalar --set race-log=4K)" != "$large" ]
good "no limit: no stalls" [ "$(of_run race_stall_cycles arcs --set race-log=0)" = 0 ]

good "one miss at a time, one request a bank: slower" \
  [ "$(of_run cycles none --set bank-requests=1)" -gt "$(of_run cycles none --set bank-requests=0)" ]
good "a divider that takes longer: slower" [ "$(of_run cycles none --set divide-cycles=60)" -gt "$(of_run cycles none --set divide-cycles=0)" ]
finish
