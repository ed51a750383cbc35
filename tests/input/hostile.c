/* hostile.c: the walks with arguments and memory full of nonsense.
 *
 *     hostile [COUNT] [SEED]
 *
 * Whatever the application points to, a walk ends, reports only memory that could be the application's, touches none
 * itself, and stays bounded. */
#include "input/bounce.h"
#include "trial.h"

enum { PIECES = 100000, WORLD = 1 << 12 };

static uint64_t state = 1;
static uint64_t next(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dUL;
}

/* Numbers as programs get them wrong. */
static uint64_t odd_number(void) {
  switch (next() % 8) {
    case 0:
      return 0;
    case 1:
      return next() % 64;
    case 2:
      return 0 - next() % 64;
    case 3:
      return 1UL << next() % 64;
    case 4:
      return (1UL << next() % 64) - 1;
    case 5:
      return next() % 0x10000;
    case 6:
      return 0x10000 + next() % WORLD;
    default:
      return next();
  }
}

static uint64_t world[WORLD / 8];
static bool all_readable;

/* Some addresses hold the little world, over and over; others can't be read. */
static long read_world(void *context, void *to, uintptr_t from, size_t bytes) {
  (void)context;
  uint8_t *out = to;
  if (!all_readable && (from < 0x10000 || from >= 0x10000 + WORLD - bytes)) return -EFAULT;
  for (size_t i = 0; i < bytes; i++) out[i] = ((const uint8_t *)world)[(from + i) % WORLD];
  return 0;
}

struct seen {
  unsigned long pieces;
  bool bad;
  unsigned needs; /* the flag that every piece must have */
};

static long look(void *visitor, const struct input_piece *piece) {
  struct seen *seen = visitor;
  if (!piece->bytes || !piece->address || piece->bytes > 0x7ffff000UL ||
      piece->address > (1UL << 63) - piece->bytes)
    seen->bad = true;
  if (piece->argument > 5 || (seen->needs && !(piece->flags & seen->needs))) seen->bad = true;
  return ++seen->pieces >= PIECES ? 77 : 0;
}

static bool walk_all(long nr, const long args[6], long result) {
  static struct input_call call;
  struct seen outgoing = {.needs = INPUT_READS}, reach = {0}, sent = {.needs = INPUT_READS},
              incoming = {.needs = INPUT_WRITES};
  input_begin(&call, nr, args, read_world, NULL);
  call.pid = (int)args[0];
  call.semaphores = (uint32_t)next();
  long ends[4] = {input_outgoing(&call, look, &outgoing), input_reach(&call, look, &reach),
                  input_sent(&call, result, look, &sent), input_incoming(&call, result, look, &incoming)};
  const struct seen *seen[4] = {&outgoing, &reach, &sent, &incoming};
  bool good = true;
  for (unsigned i = 0; i < 4; i++)
    good = good && !seen[i]->bad && ends[i] == (seen[i]->pieces >= PIECES ? 77 : 0);
  return good && call.note_count <= INPUT_NOTES;
}

static uint8_t copies[1 << 16] __attribute__((aligned(16)));

static long look_at_write(void *visitor, const struct bounce_write *write) {
  struct seen *seen = visitor;
  size_t at = (size_t)(write->from - copies);
  if (write->from && (at > sizeof copies || write->bytes > sizeof copies - at)) seen->bad = true;
  return ++seen->pieces >= PIECES ? 77 : 0;
}

/* Copies stay within their memory, and so does what is told of them, whatever the kernel is said to have done. */
static bool bounce_all(long nr, const long args[6], long result) {
  static struct input_call call;
  struct bounce bounce;
  struct seen seen = {0};
  input_begin(&call, nr, args, read_world, NULL);
  call.semaphores = (uint32_t)next();
  memset(copies, (int)next(), 1024);
  long entered = bounce_enter(&bounce, &call, copies, sizeof copies);
  if (entered) return entered == -ENOMEM;
  long left = bounce_leave(&bounce, result, look_at_write, &seen);
  return !seen.bad && left == (seen.pieces >= PIECES ? 77 : 0) && call.read == read_world;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 300000;
  if (argc > 2) state = strtoul(argv[2], NULL, 0) | 1;
  unsigned long bad = 0;
  for (long i = 0; i < count; i++) {
    if (i % 16 == 0)
      for (size_t j = 0; j < WORLD / 8; j++) world[j] = odd_number();
    all_readable = i % 4 == 0;
    long nr = (long)(next() % (uint64_t)input_limit()), args[6];
    for (unsigned j = 0; j < 6; j++) args[j] = (long)odd_number();
    long result = next() % 2 ? (long)odd_number() : -(long)(next() % 200);
    if ((!walk_all(nr, args, result) || !bounce_all(nr, args, result)) && bad++ < 10)
      printf("%ld(%lx, %lx, %lx, %lx, %lx, %lx) = %ld\n", nr, args[0], args[1], args[2], args[3], args[4],
             args[5], result);
  }
  trial_check("hostile arguments", !bad);
  return trial_end();
}
