/* search_gpu.c: reprise-solve-gpu, asked over a pipe, against the search of this machine: the same answers, and how many slices a second.
 *
 *     search_gpu REPRISE-SOLVE-GPU [SLICES]
 *
 *   check mode=… threads=T accesses=N slices=… found=… gave_up=… wrong=0
 *   gpu mode=… threads=T accesses=N slices=… found=… gave_up=… slices_per_s=… with_pipe_per_s=… core_per_s=…
 * check: a half of the slices has one read of another value; a wrong answer ends the program. slices_per_s: by the processor's own clock, the median of some
 * runs; with_pipe: from the first byte of a request to the last of its answer; core: search_solve() on one core, of some of the slices. Each order that was
 * found is tried. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search/gpu/slices.h"
#include "slices.h"

enum { BATCH = 8192, REPEATS = 5, CORE_MOST = 256, STATES = 1000000 };

static int to_gpu, from_gpu;
static struct made_slice *made;
static struct gpu_slice packed[BATCH];
static struct gpu_answer answers[BATCH];

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void start(char *program) {
  int in[2], out[2];
  if (pipe(in) || pipe(out)) die("pipe");
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (!pid) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    close(out[0]);
    execl(program, program, (char *)NULL);
    die(program);
  }
  close(in[0]);
  close(out[1]);
  fcntl(in[1], F_SETPIPE_SZ, 1 << 20);
  to_gpu = in[1];
  from_gpu = out[0];
}

static void send_all(const void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t n = write(to_gpu, (const char *)bytes + done, count - done);
    if (n <= 0) die("reprise-solve-gpu does not listen");
    done += (size_t)n;
  }
}

static void receive_all(void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t n = read(from_gpu, (char *)bytes + done, count - done);
    if (n <= 0) die("reprise-solve-gpu does not answer");
    done += (size_t)n;
  }
}

/* Nanoseconds of the processor. */
static uint64_t ask(enum gpu_mode mode, uint32_t count) {
  struct gpu_request request = {.magic = GPU_MAGIC, .mode = mode, .count = count};
  struct gpu_reply reply;
  send_all(&request, sizeof request);
  send_all(packed, count * sizeof *packed);
  receive_all(&reply, sizeof reply);
  if (reply.magic != GPU_MAGIC || reply.count != count) die("this is no answer");
  receive_all(answers, count * sizeof *answers);
  return reply.nanoseconds;
}

static const char *const names[] = {[GPU_PERMUTATIONS] = "permutations", [GPU_FRONTIER] = "frontier"};

static void make_slices(const struct slice_kind *kind, uint32_t count, bool spoil) {
  for (uint32_t i = 0; i < count; i++) {
    slice_make(kind, &made[i]);
    struct search_access *access = &made[i].accesses[slice_next() % kind->accesses];
    if (spoil && i % 2 && access->kind & SEARCH_READ) access->read = slice_next() % 64;
    if (!gpu_pack(&made[i].slice, &packed[i])) die("a slice can't be packed");
  }
}

/* Counts what was found; each order is tried. */
static void count_answers(enum gpu_mode mode, uint32_t count, uint32_t *found, uint32_t *gave_up) {
  static uint32_t order[SLICE_MOST];
  *found = *gave_up = 0;
  for (uint32_t i = 0; i < count; i++) {
    *found += answers[i].found != 0;
    *gave_up += !answers[i].found && answers[i].gave_up;
    if (answers[i].found && !gpu_unfold(&made[i].slice, &packed[i], mode, &answers[i], order)) {
      fprintf(stderr, "slice %u: the order explains nothing\n", i);
      exit(1);
    }
  }
}

static enum search_result solve_here(uint32_t slice) {
  static uint32_t order[SLICE_MOST];
  return search_solve(&made[slice].slice, &(struct search_options){.states = STATES},
                      &(struct search_answer){.order = order});
}

static void compare(enum gpu_mode mode, const struct slice_kind *kind, uint32_t count) {
  uint32_t found, gave_up, wrong = 0;
  make_slices(kind, count, true);
  for (uint32_t i = 0; mode == GPU_PERMUTATIONS && i < count; i++)
    for (uint32_t k = 0; k < kind->accesses; k++)
      made[i].accesses[k].began = 0, made[i].accesses[k].ended = UINT64_MAX;
  ask(mode, count);
  count_answers(mode, count, &found, &gave_up);
  for (uint32_t i = 0; i < count; i++) {
    enum search_result here = solve_here(i);
    wrong += here == SEARCH_FOUND && !answers[i].found && !answers[i].gave_up;
    wrong += here == SEARCH_NONE && answers[i].found;
  }
  printf("check mode=%s threads=%u accesses=%u slices=%u found=%u gave_up=%u wrong=%u\n", names[mode],
         kind->threads, kind->accesses, count, found, gave_up, wrong);
  fflush(stdout);
  if (wrong) exit(1);
}

static int in_order(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

static void measure(enum gpu_mode mode, const struct slice_kind *kind, uint32_t count) {
  uint32_t found, gave_up, some = count < CORE_MOST ? count : CORE_MOST;
  uint64_t times[REPEATS];
  double with_pipe = 0;
  make_slices(kind, count, false);
  for (unsigned i = 0; i < REPEATS; i++) {
    double begun = slice_time(true);
    times[i] = ask(mode, count);
    with_pipe = slice_time(true) - begun;
  }
  qsort(times, REPEATS, sizeof *times, in_order);
  count_answers(mode, count, &found, &gave_up);
  double begun = slice_time(false);
  for (uint32_t i = 0; i < some; i++) solve_here(i);
  double core = slice_time(false) - begun;
  printf(
      "gpu mode=%s threads=%u accesses=%u slices=%u found=%u gave_up=%u slices_per_s=%.0f "
      "with_pipe_per_s=%.0f core_per_s=%.0f\n",
      names[mode], kind->threads, kind->accesses, count, found, gave_up,
      count * 1e9 / (double)(times[REPEATS / 2] ? times[REPEATS / 2] : 1), count * 1e6 / with_pipe,
      some * 1e6 / core);
  fflush(stdout);
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

int main(int argc, char **argv) {
  uint32_t count = argc > 2 ? (uint32_t)atoi(argv[2]) : BATCH;
  if (argc < 2 || !count || count > BATCH) {
    fprintf(stderr, "usage: %s REPRISE-SOLVE-GPU [SLICES]\n", argv[0]);
    return 2;
  }
  made = calloc(count, sizeof *made);
  if (!made) die("memory");
  start(argv[1]);
  compare(GPU_PERMUTATIONS, &(struct slice_kind){2, 18, 4, 0}, least(count, 2048));
  compare(GPU_PERMUTATIONS, &(struct slice_kind){4, 12, 4, 2}, least(count, 2048));
  compare(GPU_FRONTIER, &(struct slice_kind){2, 256, 4, 3}, least(count, 1024));
  compare(GPU_FRONTIER, &(struct slice_kind){4, 512, 16, 0}, least(count, 1024));
  measure(GPU_PERMUTATIONS, &(struct slice_kind){2, 18, 4, 0}, count);
  measure(GPU_FRONTIER, &(struct slice_kind){4, 1024, 16, 0}, count);
  measure(GPU_FRONTIER, &(struct slice_kind){2, 1024, 16, 0}, count);
  measure(GPU_FRONTIER, &(struct slice_kind){4, 1024, 4, 4}, count);
  measure(GPU_FRONTIER, &(struct slice_kind){8, 1024, 16, 0}, least(count, 1024));
  measure(GPU_PERMUTATIONS, &(struct slice_kind){4, 18, 4, 0}, least(count, 512));
  measure(GPU_PERMUTATIONS, &(struct slice_kind){8, 18, 4, 0}, least(count, 4));
  close(to_gpu);
  return wait(NULL) < 0;
}
