/* events.c: the encoding of input-log events, and the digest.
 *
 *     events [COUNT] [SEED]
 *
 * Random events come back as they were; a stream cut anywhere is noticed as cut; random and damaged bytes are decoded
 * to nothing that could not have been encoded. */
#include "input/events.h"

#include "input/digest.h"
#include "trial.h"

enum { STREAM = 64, ROOM = 8192 };

static uint64_t state = 1;
static uint64_t next(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dUL;
}
static uint64_t number(void) {
  return next() >> next() % 64;
}

static uint8_t contents[4096];

/* -- Events at random ------------------------------------------------------------------------------------ */

static void random_call(struct input_event *e) {
  e->syscall.nr = (uint32_t)(next() % 4 ? next() % 4 : next() % 0x10000);
  for (unsigned i = 0; i < 6; i++) e->syscall.args[i] = next() % 3 ? i : number();
  e->syscall.result = next() % 2 ? -(int64_t)(next() % 200) : (int64_t)number();
  e->syscall.digest = next() % 2 ? next() : 0;
  e->syscall.pc = next() % 2 ? 16 : number();
  e->syscall.has_registers = next() % 2;
  if (e->syscall.has_registers) e->syscall.registers = (uint32_t)next();
  if (next() % 4) return;
  e->syscall.nr = next() % 2 ? __NR_gettimeofday : __NR_clock_gettime;
  e->syscall.has_time = true;
  e->syscall.time = number();
}

static void random_signal(struct input_event *e) {
  e->signal.signo = (uint32_t)(1 + next() % 64);
  e->signal.pc = number();
  e->signal.synchronous = next() % 2;
  e->signal.ended_wait = next() % 2;
  e->signal.count = (uint32_t)(next() % (EVENT_INFO_LIMIT + 1));
  for (uint32_t i = 0; i < e->signal.count; i++) e->signal.info[i] = (uint8_t)next();
  if (e->signal.count) e->signal.info[e->signal.count - 1] |= 1;
}

static void random_event(struct input_event *e, uint64_t position) {
  memset(e, 0, sizeof *e);
  e->kind = (uint8_t)(1 + next() % (EVENT_KINDS - 1));
  e->position = position;
  switch (e->kind) {
    case EVENT_SYSCALL:
      random_call(e);
      break;
    case EVENT_COPY_IN:
      e->copy_in.address = number() >> 1;
      e->copy_in.count = (uint32_t)(1 + next() % 60);
      e->copy_in.bytes = contents + next() % 4000;
      break;
    case EVENT_SIGNAL:
      random_signal(e);
      break;
    case EVENT_INSN:
      e->insn.insn = (uint32_t)(1 + next() % (INSN_KINDS - 1));
      e->insn.count = (uint32_t)(1 + next() % EVENT_VALUES);
      for (uint32_t i = 0; i < e->insn.count; i++) e->insn.values[i] = number();
      break;
    case EVENT_FILE:
      e->file.file = (uint32_t)number();
      e->file.address = number() >> 1;
      e->file.bytes = (number() >> 1) + 1;
      e->file.offset = number();
      e->file.writable = next() % 2;
      break;
    case EVENT_CHANGE:
      e->change.file = (uint32_t)number(), e->change.opened = next() % 2;
      e->change.offset = number() >> 1, e->change.size = number() >> 1;
      e->change.count = (uint32_t)(next() % 60);
      e->change.bytes = contents + next() % 4000;
      break;
    case EVENT_OUTPUT:
      e->output.descriptor = (uint32_t)(1 + next() % 2);
      e->output.named = next() % 2;
      e->output.count = (uint32_t)(1 + next() % 60);
      if (e->output.named) {
        e->output.count = (uint32_t)number() >> 1, e->output.closes = next() % 2;
        break;
      }
      e->output.bytes = contents + next() % 4000;
      break;
    case EVENT_OPEN:
      e->open.what = (uint32_t)(next() % OPEN_WHATS);
      e->open.closes = e->open.what == OPEN_STOP && next() % 2;
      if (e->open.what == OPEN_STOP) break;
      if (e->open.what != OPEN_VALUES) e->open.address = number();
      if (e->open.what == OPEN_VIEW || e->open.what == OPEN_CLOSES || e->open.what == OPEN_TIME) break;
      e->open.count = (uint32_t)(1 + next() % 60);
      e->open.bytes = contents + next() % 4000;
      break;
    case EVENT_THREAD:
      e->thread.thread = (uint32_t)number() & EVENT_THREAD_LAST, e->thread.id = (uint32_t)number();
      break;
    case EVENT_PROCESS:
      e->process.process = (uint32_t)number() & EVENT_THREAD_LAST;
      e->process.thread = (uint32_t)number() & EVENT_THREAD_LAST;
      e->process.id = (uint32_t)number();
      break;
    case EVENT_CHECK:
      e->check.pc = number(), e->check.registers = (uint32_t)next(), e->check.has_memory = next() % 2;
      e->check.epoch = next() % 2 ? 1 + (uint32_t)next() % 1000 : 0,
      e->check.alone = e->check.epoch && next() % 2;
      if (e->check.has_memory) e->check.sample = next() % (EVENT_SAMPLE_LAST + 1), e->check.memory = next();
      break;
    default:
      e->exit.group = next() % 2, e->exit.signo = (uint32_t)(next() % 65), e->exit.status = (int32_t)next(),
      e->exit.output = next() % 2 ? next() : 0;
      break;
  }
}

/* Of the two kinds that there are many of only the fields are told: what lies between them is left as it was. */
static bool same_call(const struct input_event *a, const struct input_event *b) {
  return a->position == b->position && a->syscall.nr == b->syscall.nr && a->syscall.pc == b->syscall.pc &&
         !memcmp(a->syscall.args, b->syscall.args, sizeof a->syscall.args) &&
         a->syscall.result == b->syscall.result && a->syscall.digest == b->syscall.digest &&
         a->syscall.has_registers == b->syscall.has_registers &&
         a->syscall.registers == b->syscall.registers && a->syscall.has_time == b->syscall.has_time &&
         a->syscall.time == b->syscall.time;
}

static bool same_copy(const struct input_event *a, const struct input_event *b) {
  return a->position == b->position && a->copy_in.address == b->copy_in.address &&
         a->copy_in.count == b->copy_in.count &&
         !memcmp(a->copy_in.bytes, b->copy_in.bytes, a->copy_in.count);
}

/* Equal in all but where the bytes lie. */
static bool same(const struct input_event *a, const struct input_event *b) {
  struct input_event left = *a, right = *b;
  if (a->kind != b->kind) return false;
  if (a->kind == EVENT_SYSCALL) return same_call(a, b);
  if (a->kind == EVENT_COPY_IN) return same_copy(a, b);
  if (a->kind == EVENT_CHANGE && b->kind == EVENT_CHANGE) {
    if (a->change.count != b->change.count || memcmp(a->change.bytes, b->change.bytes, a->change.count))
      return false;
    left.change.bytes = right.change.bytes = NULL;
  }
  if (a->kind == EVENT_OUTPUT && b->kind == EVENT_OUTPUT) {
    if (a->output.count != b->output.count || a->output.named != b->output.named) return false;
    if (!a->output.named && memcmp(a->output.bytes, b->output.bytes, a->output.count)) return false;
    left.output.bytes = right.output.bytes = NULL;
  }
  if (a->kind == EVENT_OPEN && a->open.count) {
    if (a->open.count != b->open.count || memcmp(a->open.bytes, b->open.bytes, a->open.count)) return false;
    left.open.bytes = right.open.bytes = NULL;
  }
  return !memcmp(&left, &right, sizeof left);
}

/* -- Tests ----------------------------------------------------------------------------------------------- */

static bool round_trip(void) {
  static struct input_event events[STREAM];
  static uint8_t buffer[ROOM];
  struct input_codec codec = {0};
  uint64_t position = number() >> 1;
  size_t length = 0, at = 0;
  for (unsigned i = 0; i < STREAM; i++) {
    random_event(&events[i], position += next() % 3 ? next() % 1000 : 0);
    long n = input_encode(&codec, &events[i], buffer + length, ROOM - length);
    if (n == -EINVAL || n <= 0) return n == -ENOSPC;
    length += (size_t)n;
  }
  memset(&codec, 0, sizeof codec);
  for (unsigned i = 0; i < STREAM; i++) {
    struct input_event got;
    struct input_codec saved = codec;
    memset(&got, (int)next(), sizeof got);
    size_t left = next() % (length - at); /* as if the rest had not arrived yet */
    long n = input_decode(&codec, &got, buffer + at, left);
    if (n == EVENT_TRUNCATED) {
      if (memcmp(&saved, &codec, sizeof codec)) return false;
      n = input_decode(&codec, &got, buffer + at, length - at);
    }
    if (n <= 0 || !same(&got, &events[i])) return false;
    at += (size_t)n;
  }
  return at == length;
}

static bool cut_everywhere(void) {
  struct input_event e, got;
  uint8_t buffer[ROOM];
  random_event(&e, number());
  struct input_codec codec = {0};
  long n = input_encode(&codec, &e, buffer, sizeof buffer);
  for (long cut = 0; cut < n; cut++) {
    memset(&codec, 0, sizeof codec);
    if (input_decode(&codec, &got, buffer, (size_t)cut) != EVENT_TRUNCATED) return false;
    memset(&codec, 0, sizeof codec);
    if (input_encode(&codec, &e, buffer, (size_t)cut) != -ENOSPC || codec.position) return false;
    memset(&codec, 0, sizeof codec);
    input_encode(&codec, &e, buffer, sizeof buffer);
  }
  return n > 0 && (e.kind == EVENT_COPY_IN || n <= EVENT_LARGEST);
}

/* What can be decoded is what would have been encoded. Exact size on the heap, for the sanitizers. */
static bool hostile(void) {
  size_t length = next() % 200 + (next() % 2 ? EVENT_LARGEST : 0), at = 0;
  uint8_t *bytes = malloc(length + 1);
  struct input_codec codec = {0}, other = {0};
  bool good = true;
  for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(next() % 3 ? next() % 16 : next());
  while (good && at < length) {
    struct input_event e;
    uint8_t again[ROOM];
    long n = input_decode(&codec, &e, bytes + at, length - at);
    if (n <= 0) {
      good = n == EVENT_TRUNCATED || n == -EINVAL;
      break;
    }
    good = (size_t)n <= length - at && input_encode(&other, &e, again, sizeof again) == n &&
           !memcmp(again, bytes + at, (size_t)n) && !memcmp(&codec, &other, sizeof codec);
    at += (size_t)n;
  }
  free(bytes);
  return good;
}

static void repeat(const char *name, bool (*test)(void), long count) {
  bool good = true;
  for (long i = 0; i < count && good; i++) {
    uint64_t seed = state;
    if (!(good = test())) printf("%s: with seed 0x%lx\n", name, seed);
  }
  trial_check(name, good);
}

static void check_refusals(void) {
  struct input_codec codec = {.position = 10};
  uint8_t buffer[64];
  struct input_event e = {.kind = EVENT_THREAD, .position = 9};
  trial_check("a position that goes back", input_encode(&codec, &e, buffer, sizeof buffer) == -EINVAL);
  e = (struct input_event){.kind = EVENT_KINDS, .position = 11};
  trial_check("a kind that does not exist", input_encode(&codec, &e, buffer, sizeof buffer) == -EINVAL);
  e = (struct input_event){.kind = EVENT_COPY_IN, .position = 11, .copy_in.count = EVENT_COPY_LIMIT + 1};
  trial_check("a copy-in that is too long", input_encode(&codec, &e, buffer, sizeof buffer) == -EINVAL);
  e = (struct input_event){.kind = EVENT_SYSCALL, .position = 11, .syscall = {.nr = 1, .has_time = true}};
  trial_check("a time told by a call that tells none",
              input_encode(&codec, &e, buffer, sizeof buffer) == -EINVAL);
  static const uint8_t odd_time[] = {EVENT_SYSCALL | 0x40, 1, 1, 0, 0, 2};
  trial_check("… and read", input_decode(&codec, &e, odd_time, sizeof odd_time) == -EINVAL);
  static const uint8_t long_zero[] = {EVENT_THREAD, 0x80, 0x00, 0x01, 0x01};
  trial_check("a number in more bytes than it needs",
              input_decode(&codec, &e, long_zero, sizeof long_zero) == -EINVAL);
  static const uint8_t endless[] = {EVENT_THREAD, 0xff, 0xff, 0xff, 0xff, 0xff,
                                    0xff,         0xff, 0xff, 0xff, 0xff, 0xff};
  trial_check("a number that does not end", input_decode(&codec, &e, endless, sizeof endless) == -EINVAL);
  trial_check("refused events leave no trace", codec.position == 10);
}

static void check_size(void) {
  struct input_codec codec = {0};
  uint8_t buffer[64];
  struct input_event e = {.kind = EVENT_SYSCALL,
                          .syscall = {.nr = 0, .args = {3, 0x7ffff7d00000, 4096}, .result = 512}};
  long first = input_encode(&codec, &e, buffer, sizeof buffer);
  e.position += 100;
  long second = input_encode(&codec, &e, buffer, sizeof buffer);
  trial_check("the same call again takes a few bytes", first > second && second > 0 && second <= 6);
  e.syscall.nr = __NR_gettimeofday;
  e.syscall.has_time = true;
  e.syscall.time = 1234567890123456;
  input_encode(&codec, &e, buffer, sizeof buffer);
  e.position += 100, e.syscall.time += 30;
  trial_check("so does the time a moment later", input_encode(&codec, &e, buffer, sizeof buffer) <= 8);
  for (uint32_t i = 1; i < EVENT_KINDS; i++) trial_check("events have names", input_event_name(i) != NULL);
  for (uint32_t i = 1; i < INSN_KINDS; i++)
    trial_check("instructions have names", input_insn_name(i) != NULL);
  trial_check("others have none",
              !input_event_name(0) && !input_event_name(99) && !input_insn_name(INSN_KINDS));
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* One bit of the input, its length and its cut into pieces all matter. */
/* A thread with a number that no recording can have would be looked for in vain, or be given memory for all below it. */
static void check_thread_numbers(void) {
  const uint8_t last[] = {EVENT_THREAD, 0, 0xff, 0xff, 0xff, 7, 1},
                beyond[] = {EVENT_THREAD, 0, 0x80, 0x80, 0x80, 8, 1};
  struct input_codec codec = {0};
  struct input_event event;
  trial_check("the highest thread", input_decode(&codec, &event, last, sizeof last) == sizeof last &&
                                        event.thread.thread == EVENT_THREAD_LAST);
  trial_check("a thread beyond", input_decode(&codec, &event, beyond, sizeof beyond) == -EINVAL);
}

static void check_digest(void) {
  enum { BYTES = 130, ALL = BYTES * 8 + BYTES + 1 };
  static uint64_t digests[ALL];
  uint8_t bytes[BYTES] = {0};
  unsigned count = 0, turned = 0;
  for (unsigned length = 0; length <= BYTES; length++) digests[count++] = input_digest(0, bytes, length);
  uint64_t plain = digests[count - 1];
  for (unsigned bit = 0; bit < BYTES * 8; bit++) {
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    digests[count++] = input_digest(0, bytes, BYTES);
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    turned += (unsigned)__builtin_popcountl(digests[count - 1] ^ plain);
  }
  qsort(digests, count, sizeof *digests, by_value);
  bool distinct = true;
  for (unsigned i = 1; i < count; i++) distinct = distinct && digests[i] != digests[i - 1];
  trial_check("digests differ", distinct && count == ALL);
  /* Each bit turns about half of the 64: 32 +- 1 on the average. */
  trial_check("digests mix", turned / (BYTES * 8) >= 31 && turned / (BYTES * 8) <= 33);
  trial_check("the cut matters", input_digest(input_digest(0, "ab", 2), "c", 1) !=
                                     input_digest(input_digest(0, "a", 1), "bc", 2));
  uint8_t shifted[BYTES + 8];
  memcpy(shifted + 3, contents, BYTES);
  trial_check("alignment does not", input_digest(5, shifted + 3, BYTES) == input_digest(5, contents, BYTES));
  trial_check("the function is that of the format", input_digest(0, "reprise", 7) == 0xf3734d142a083d0aUL);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000000;
  if (argc > 2) state = strtoul(argv[2], NULL, 0) | 1;
  for (size_t i = 0; i < sizeof contents; i++) contents[i] = (uint8_t)next();
  repeat("round trips", round_trip, count / 100);
  repeat("cuts", cut_everywhere, count / 100);
  repeat("hostile bytes", hostile, count);
  check_refusals();
  check_size();
  check_thread_numbers();
  check_digest();
  return trial_end();
}
