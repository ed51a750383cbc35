#!/bin/bash
# figures.sh: `reprise sim figures` on one program: every table and plot is there, a second run makes nothing again, one that was cut short goes on.
. "$(dirname "$0")/../lib/sim.sh"
workloads=$build/workloads

needs_programs "$workloads"

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
finish
