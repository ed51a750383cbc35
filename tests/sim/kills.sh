#!/bin/bash
# kills.sh: recorders that are killed, or give up, leave what they had: it replays up to there, on another machine, and every thread stands where it stood.
#
# A recorder is killed when its recording has so many cuts on the disk, each time another number; a short one may have finished by then. In a soak it is killed 100 times.
. "$(dirname "$0")/../lib/sim.sh"

needs_programs "$build/workloads"
tries=6
[ -z "${SOAK:-}" ] || tries=100

cut_bytes() { stat -c %s recording/streams/order 2>/dev/null || echo 0; }

killed_at() { # BYTES COMMAND OPTION… PROGRAM ARGUMENT…
  local bytes=$1 command=$2 pid
  shift 2
  rm -rf recording
  "$reprise" sim "$command" -o recording "$@" >recorded 2>errors &
  pid=$!
  while [ "$(cut_bytes)" -lt "$bytes" ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  was_killed=$?
}

# What the replay prints is the beginning of what the recording printed, or some more that was on its way when it was killed.
replays() { # NAME COMMAND…
  local name=$1
  shift
  timeout 300 "$reprise" sim "$1" --seed 99 "${@:2}" recording >replayed 2>errors
  good "$name: status" [ $? = 0 ]
  [ "$was_killed" = 0 ] || good "$name: says where it breaks off" grep -q 'breaks off here' errors
}

schemes=(tokens scalar arcs dag chunk)
programs=('racey 6 2000' 'bank 6 40' 'scan 6 40' 'web 6 60' 'store 6 20')
for n in $(seq $tries); do
  scheme=${schemes[n % 5]}
  read -ra program <<<"${programs[(n + n / 5) % 5]}"
  more=()
  [ $((n % 3)) != 0 ] || [ "$scheme" = chunk ] || more=(--tso)
  killed_at $((n * 397 % 9000 + 100)) record --set cut-cycles=20000 --scheme "$scheme" --seed "$n" "${more[@]}" "$build/workloads/${program[0]}" "${program[@]:1}"
  replays "$scheme ${more[*]} ${program[*]}, killed" replay --harts 3
done

# Operating systems: while the disk writes, and while harts trap and race.
yes reprise | head -c 32768 >sectors
boards=(devices races traps)
for n in $(seq $tries); do
  scheme=${schemes[n % 4]} board=${boards[n % 3]}
  killed_at $((n * 397 % 9000 + 100)) boot --set cut-cycles=1000 --set ram=16M --disk sectors --scheme "$scheme" --seed "$n" "$build/boards/$board"
  replays "$scheme $board, killed" boot --set l1-size=1K --set l2-size=32K --replay
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
was_killed=yes
for scheme in "${schemes[@]}"; do
  rm -rf recording
  "$reprise" sim record --scheme $scheme -o recording ./refused >recorded 2>errors
  good "$scheme, refused: status" [ $? = 122 ]
  replays "$scheme, refused" replay
  good "$scheme, refused: prints the same" cmp -s recorded replayed
done

# Nothing had been kept yet.
rm -r recording/streams/order
"$reprise" sim replay recording >out 2>errors
good "no cut: status" [ $? = 121 ]
good "no cut: one line" one_line_said
finish
