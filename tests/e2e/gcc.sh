# gcc compiling, assembling and linking C: the objects must come out byte for byte the same.
# needs: /usr/bin/gcc
cat >life.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <pthread.h>
enum { N = 64 };
static unsigned char world[N][N], next[N][N];
static void *step(void *rows) {
  int first = *(int *)rows;
  for (int y = first; y < first + N / 2; y++)
    for (int x = 0; x < N; x++) {
      int around = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          if (dy || dx) around += world[(y + dy + N) % N][(x + dx + N) % N];
      next[y][x] = around == 3 || (around == 2 && world[y][x]);
    }
  return NULL;
}
int main(void) {
  srand(1);
  for (int i = 0; i < N * N; i++) world[i / N][i % N] = rand() % 3 == 0;
  for (int generation = 0; generation < 50; generation++) {
    pthread_t t[2];
    int rows[2] = {0, N / 2};
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, step, &rows[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    memcpy(world, next, sizeof world);
  }
  int alive = 0;
  for (int i = 0; i < N * N; i++) alive += world[i / N][i % N];
  printf("%d alive, root %.3f\n", alive, sqrt(alive));
}
C
for flags in -O0 '-O2 -g' '-O3 -fPIC -fno-inline' '-O2 -S'; do
  # The flags are words.
  # shellcheck disable=SC2086
  $R /usr/bin/gcc $flags -Wall -c life.c -o "life$flags.o"
  sha256sum <"life$flags.o"
done
$R /usr/bin/gcc -O2 -pthread life.c -o life -lm
sha256sum life
./life
echo 'int main(void) { return undeclared; }' >bad.c
$R /usr/bin/gcc -c bad.c
echo "status $?"
$R /usr/bin/gcc -O2 life.c no_such_file.o
echo "status $?"
