/* disk.c: threads look at a buffer while the disk writes to it and other threads overwrite it: what they see depends on when each line came. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "program.h"

enum { BYTES = 8192, READERS = 2, LOOKERS = 2, ROUNDS = 6 };
static volatile unsigned char buffer[BYTES];
static volatile int over;
static uint64_t seen[LOOKERS];
static int file;

static void *read_file(void *argument) {
  long me = (long)argument;
  for (int i = 0; i < ROUNDS; i++) {
    CHECK(read(file, (void *)(buffer + me * 1000), 3000 + i * 100) >= 0);
    for (int j = 0; j < BYTES; j += 256) buffer[j + me] ^= (unsigned char)i;
  }
  return NULL;
}

static void *look(void *argument) {
  long me = (long)argument;
  for (int at = (int)me; !over; at = (at + 67) % BYTES) {
    seen[me] = mix(seen[me], buffer[at]);
    if (at % 32 == 0) buffer[at] = (unsigned char)seen[me];
  }
  return NULL;
}

int main(void) {
  pthread_t reader[READERS], looker[LOOKERS];
  unsigned char bytes[512];
  uint64_t state = 1, digest = 0;
  CHECK((file = open("made", O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0);
  for (int i = 0; i < 100; i++) {
    for (int j = 0; j < 512; j++) bytes[j] = (unsigned char)next_random(&state);
    CHECK(write(file, bytes, 512) == 512);
  }
  lseek(file, 0, SEEK_SET);
  for (long i = 0; i < LOOKERS; i++) pthread_create(&looker[i], NULL, look, (void *)i);
  for (long i = 0; i < READERS; i++) pthread_create(&reader[i], NULL, read_file, (void *)i);
  for (int i = 0; i < READERS; i++) pthread_join(reader[i], NULL);
  over = 1;
  for (int i = 0; i < LOOKERS; i++) pthread_join(looker[i], NULL);
  for (int i = 0; i < BYTES; i++) digest = mix(digest, buffer[i]);
  printf("%016lx %016lx %016lx\n", seen[0], seen[1], digest);
  return unlink("made");
}
