#!/bin/bash
# figures.sh: `reprise sim figures` on one program: every table and plot is there, a second run makes nothing again, one that was cut short goes on; the same
# in jobs, as on many machines, with GNU parallel; a program of the user's own.
. "$(dirname "$0")/../lib/sim.sh"
workloads=$build/workloads

needs_programs "$workloads"

mkdir programs && cp "$workloads/tasks" programs/
make_figures() { "$reprise" sim figures --quick --seeds 2 -o figures --programs programs >out 2>errors; }

good "the figures are made" make_figures
good "tables are printed" grep -q 'Karma, figure 8' out
good "with intervals" grep -q '[0-9]+-[0-9]' out
good "the page holds papers against them" grep -q '^| Karma, figure 10 |' figures/fidelity.md
for name in karma-figure-8 karma-recording karma-figure-9 karma-figure-10 karma-figure-10-counted karma-ends karma-sensitivity fdr-figures-4-5-4 \
  fdr-figures-4-5-16 capo-interrupts; do
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

# The same rows, made as jobs; what was made twice counts once.
jobs() { "$reprise" sim figures --quick --seeds 2 --programs programs --print-jobs >jobs 2>errors; }
good "jobs are printed" jobs
good "one for each row" [ "$(wc -l <jobs)" = $(($(wc -l <before) - 1)) ]
head -n 6 jobs >some && tail -n 2 jobs >>some
if command -v parallel >/dev/null; then
  parallel --will-cite <some >rows 2>errors
else
  sh <some >rows 2>errors
fi
good "rows come back" [ "$(wc -l <rows)" = 8 ]
good "they are the same as those made here" [ -z "$(sort rows | comm -23 - <(sort before))" ]
"$reprise" sim figures --quick --seeds 2 --programs programs --collect -o elsewhere <rows >out 2>errors
good "some are missing: status" [ "$?" = 1 ]
good "some are missing: said" grep -q '8 rows taken' errors
collect() { cat before rows | "$reprise" sim figures --quick --seeds 2 --programs programs --collect -o elsewhere >out 2>errors; }
good "the rest" collect
"$reprise" sim figures --quick --seeds 2 --programs programs -o elsewhere >out 2>errors
good "nothing is run again after that" cmp -s <(sort before) <(sort elsewhere/runs.csv)
good "the same tables" cmp -s first out

# A manifest: a program with arguments and input.
cat >mine.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int count, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *n) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    sum += count;
    pthread_mutex_unlock(&lock);
  }
  return n;
}
int main(int argc, char **argv) {
  pthread_t thread[64];
  int threads = argc > 2 ? atoi(argv[2]) : 0;
  if (scanf("%d", &count) != 1 || threads < 1 || threads > 64) return 3;
  for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  return sum != 20 * threads * count;
}
END
riscv64-linux-gnu-gcc -O2 -static -pthread -o mine mine.c
printf '# ours\nmine: mine -t {threads} < number\n' >manifest && echo 7 >number
job() { "$reprise" sim figures --quick --seeds 1 --manifest manifest --job mine,karma,tokens,-,4,1,256,1 >row 2>errors; }
good "a program of a manifest" job
good "its row" grep -q '^mine,karma,tokens,-,4,1,256,1,' row
"$reprise" sim figures --manifest manifest --job mine,karma,tokens,-,5,1,256,1 >out 2>errors
good "no such run" [ "$?" = 2 ]
echo 'mine mine' >manifest
"$reprise" sim figures --manifest manifest --print-jobs >out 2>errors
good "a bad manifest: status" [ "$?" = 2 ]
good "a bad manifest: line" grep -qF 'manifest:1: ' errors

mkdir empty
"$reprise" sim figures --programs empty -o figures2 >out 2>errors
good "no programs" [ "$?" = 2 ]
good "no programs: one line" one_line_said
finish
