#!/bin/bash
# kills.sh: recorders that are killed, or give up, leave what they had: it replays up to there, on another machine, and every thread stands where it stood.
#
# A recorder is killed when its recording has so many cuts on the disk, each time another number. In a soak it is killed 100 times.
. "$(dirname "$0")/../lib/sim.sh"

needs_programs "$build/workloads"
tries=6
[ -z "${SOAK:-}" ] || tries=100

cut_bytes() { stat -c %s recording/streams/order 2>/dev/null || echo 0; }

killed_at() { # BYTES OPTION… PROGRAM ARGUMENT…
  local bytes=$1 pid
  shift
  rm -rf recording
  "$reprise" sim record -o recording --set cut-cycles=20000 "$@" >recorded 2>errors &
  pid=$!
  while [ "$(cut_bytes)" -lt "$bytes" ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
}

# What the replay prints is the beginning of what the recording printed, or some more that was on its way when it was killed.
replays() { # NAME
  timeout 300 "$reprise" sim replay --harts 3 --seed 99 recording >replayed 2>errors
  good "$1: status" [ $? = 0 ]
  good "$1: says where it breaks off" grep -q 'breaks off here' errors
}

schemes=(dag scalar arcs named chunk)
programs=('racey 6 2000' 'bank 6 40' 'scan 6 40' 'web 6 60' 'store 6 20')
for n in $(seq $tries); do
  scheme=${schemes[n % 5]}
  read -ra program <<<"${programs[(n + n / 5) % 5]}"
  more=()
  [ $((n % 3)) != 0 ] || [ "$scheme" = chunk ] || more=(--tso)
  killed_at $((n * 397 % 9000 + 100)) --scheme "$scheme" --seed "$n" "${more[@]}" "$build/workloads/${program[0]}" "${program[@]:1}"
  replays "$scheme ${more[*]} ${program[*]}, killed"
done

# A program that does what is not supported, after it has done other things.
cat >refused.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *n) {
  for (int i = 0; i < 1000; i++) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
  }
  return n;
}
int main(void) {
  pthread_t thread[3];
  for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
  printf("%d\n", count);
  fflush(stdout);
  return (int)syscall(SYS_bpf, 0, 0, 0);
}
END
riscv64-linux-gnu-gcc -O2 -static -pthread -o refused refused.c
for scheme in "${schemes[@]}"; do
  rm -rf recording
  "$reprise" sim record --scheme $scheme -o recording ./refused >recorded 2>errors
  good "$scheme, refused: status" [ $? = 122 ]
  replays "$scheme, refused"
  good "$scheme, refused: prints the same" cmp -s recorded replayed
done

# Nothing had been kept yet.
rm -r recording/streams/order
"$reprise" sim replay recording >out 2>errors
good "no cut: status" [ $? = 121 ]
good "no cut: one line" one_line_said
finish
