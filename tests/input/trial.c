/* trial.c: see trial.h. */
#include "trial.h"

#include <sys/mman.h>

#include "input/bounce.h"

static const uint8_t patterns[] = {0xaa, 0x55, 0x3c, 0xc3};
enum { PATTERNS = sizeof patterns, PAGE = 4096 };

static unsigned passed, failed;
static uint8_t *memory;
static uint8_t before[TRIAL_MEMORY], marked[TRIAL_MEMORY], stayed[TRIAL_MEMORY];
enum { MARK_WRITTEN = 1, MARK_PERHAPS = 2 };

long must(long result) {
  if (result < 0) {
    perror("set-up");
    exit(1);
  }
  return result;
}

void trial_check(const char *name, bool good) {
  if (good) {
    passed++;
    return;
  }
  failed++;
  printf("FAIL %s\n", name);
}

int trial_end(void) {
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}

void *place(struct trial *t, size_t bytes) {
  uint8_t *at = t->memory + t->used;
  t->used += (bytes + 64 + 15) & ~15UL; /* a gap shows what is written too far */
  if (t->used > TRIAL_MEMORY) must(-1);
  return at;
}

void *put(struct trial *t, const void *bytes, size_t count) {
  return memcpy(place(t, count), bytes, count);
}

char *put_string(struct trial *t, const char *string) {
  return put(t, string, strlen(string) + 1);
}

void call6(struct trial *t, long nr, long a, long b, long c, long d, long e, long f) {
  long args[6] = {a, b, c, d, e, f};
  t->nr = nr;
  memcpy(t->args, args, sizeof args);
}

/* -- The application's memory, as the table sees it ------------------------------------------------------ */

static bool inside(uintptr_t at, size_t bytes) {
  uintptr_t start = (uintptr_t)memory;
  return at >= start && at - start <= TRIAL_MEMORY && bytes <= TRIAL_MEMORY - (at - start);
}

static long read_memory(void *context, void *to, uintptr_t from, size_t bytes) {
  (void)context;
  if (!inside(from, bytes)) return -EFAULT;
  memcpy(to, (const void *)from, bytes);
  return 0;
}

static long count_piece(void *visitor, const struct input_piece *piece) {
  size_t *total = visitor;
  *total += piece->bytes;
  return 0;
}

static long mark_piece(void *visitor, const struct input_piece *piece) {
  (void)visitor;
  if (!inside(piece->address, piece->bytes)) return -1;
  uint8_t mark = piece->flags & INPUT_PARTIAL ? MARK_PERHAPS : MARK_WRITTEN;
  for (size_t i = 0; i < piece->bytes; i++) marked[piece->address - (uintptr_t)memory + i] |= mark;
  return 0;
}

/* What input_reach allows, input_incoming must stay within. */
static uint8_t reachable[TRIAL_MEMORY];
enum { REACH_WRITE = 1, REACH_IN_PLACE = 2 };
static long reach_piece(void *visitor, const struct input_piece *piece) {
  (void)visitor;
  uint8_t how = piece->flags & INPUT_IN_PLACE ? REACH_WRITE | REACH_IN_PLACE : REACH_WRITE;
  if (piece->flags & INPUT_WRITES && inside(piece->address, piece->bytes))
    memset(reachable + (piece->address - (uintptr_t)memory), how, piece->bytes);
  return 0;
}

static long copy_in(void *visitor, const struct bounce_write *write) {
  struct input_piece piece = {.address = write->to, .bytes = write->bytes, .flags = write->flags};
  if (mark_piece(visitor, &piece)) return -1;
  if (write->from) memcpy((void *)write->to, write->from, write->bytes);
  return 0;
}

/* -- Trials ---------------------------------------------------------------------------------------------- */

static long perform(long nr, const long *a) {
  long result = syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
  return result < 0 ? -errno : result;
}

/* The call on the memory itself; what the table says that it wrote is marked. */
static const char *direct(struct input_call *call, long *result) {
  *result = perform(call->nr, call->args);
  return input_incoming(call, *result, mark_piece, NULL) ? "written elsewhere than the call was told to"
                                                         : NULL;
}

static uint8_t copies[8 * TRIAL_MEMORY] __attribute__((aligned(16)));
enum { UNUSED = 0x99 };

/* What the copies take however they are aligned: bounce_room adds what alignment may take. */
static long count_copied(void *visitor, const struct input_piece *piece) {
  size_t *least = visitor;
  if (!(piece->flags & INPUT_IN_PLACE) && inside(piece->address, piece->bytes)) *least += piece->bytes;
  return 0;
}

static const char *with_too_little(struct input_call *call) {
  struct bounce bounce;
  size_t least = 0;
  if (input_reach(call, count_copied, &least)) return "a walk stopped";
  if (!least) return NULL;
  if (bounce_enter(&bounce, call, copies, least - 1) != -ENOMEM) return "fits into too little";
  for (size_t i = least - 1; i < sizeof copies; i++)
    if (copies[i] != UNUSED) return "copied behind the room that was given";
  return NULL;
}

/* The call on copies: the memory must not change before the copy-in, and then as if it had been direct. */
static const char *on_copies(struct input_call *call, long *result) {
  struct bounce bounce;
  size_t room = bounce_room(call);
  if (room > sizeof copies) return "too much to copy";
  memset(copies, UNUSED, sizeof copies);
  const char *wrong = with_too_little(call);
  if (wrong) return wrong;
  memset(copies, UNUSED, sizeof copies);
  if (bounce_enter(&bounce, call, copies, room)) return "does not fit into the room it asked for";
  *result = perform(call->nr, bounce.args);
  for (size_t i = 0; i < TRIAL_MEMORY; i++)
    if (memory[i] != before[i] && !(reachable[i] & REACH_IN_PLACE))
      return "the memory changed before the copy-in";
  return bounce_leave(&bounce, *result, copy_in, NULL) ? "copied elsewhere than the call was told to" : NULL;
}

static const char *one_pattern(trial_case *setup, uint8_t pattern, bool bounced, size_t *place_of) {
  static char why[128];
  struct trial t = {.memory = memory, .outgoing = (size_t)-1};
  static struct input_call call;
  size_t outgoing = 0;
  memset(memory, pattern, TRIAL_MEMORY);
  memset(marked, 0, sizeof marked);
  memset(reachable, 0, sizeof reachable);
  setup(&t);
  memcpy(before, memory, TRIAL_MEMORY);
  input_begin(&call, t.nr, t.args, read_memory, NULL);
  call.pid = getpid();
  call.semaphores = t.semaphores;
  if (input_outgoing(&call, count_piece, &outgoing) || input_reach(&call, reach_piece, NULL))
    return "a walk stopped";
  long result = 0;
  const char *wrong = bounced ? on_copies(&call, &result) : direct(&call, &result);
  if (t.after) t.after(&t);
  if (t.expect != ANY_RESULT && (t.expect < 0 ? result != t.expect : result < 0)) {
    snprintf(why, sizeof why, "the call returned %ld", result);
    return why;
  }
  if (wrong) return wrong;
  if (t.outgoing != (size_t)-1 && outgoing != t.outgoing) {
    snprintf(why, sizeof why, "%zu bytes reported as read instead of %zu", outgoing, t.outgoing);
    return why;
  }
  for (size_t i = 0; i < TRIAL_MEMORY; i++) {
    *place_of = i;
    if (before[i] != memory[i] && !marked[i]) return "written, not reported";
    if (marked[i] && !reachable[i]) return "reported as written, not as reachable";
    /* On copies a byte that the kernel did not write changes to whatever the copy held. */
    if (!bounced && (marked[i] != MARK_WRITTEN || before[i] != memory[i] || before[i] != pattern))
      stayed[i] = 0;
  }
  return NULL;
}

void trial_run(const char *name, trial_case *setup) {
  const char *why = NULL;
  size_t at = 0;
  memset(stayed, 1, sizeof stayed);
  if (!memory) {
    uint8_t *room = mmap(NULL, TRIAL_MEMORY + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory = room + PAGE;
    must(mprotect(memory, TRIAL_MEMORY, PROT_READ | PROT_WRITE));
  }
  for (unsigned i = 0; i < 2 * PATTERNS && !why; i++) why = one_pattern(setup, patterns[i / 2], i % 2, &at);
  for (size_t i = 0; i < TRIAL_MEMORY && !why; i++)
    if (stayed[i]) {
      at = i;
      why = "reported as written, never changed";
    }
  if (why) printf("%s: %s (at %zu)\n", name, why, at);
  trial_check(name, !why);
}
