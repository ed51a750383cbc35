/* search_gpu.c: how many slices a second reprise-solve-gpu searches, asked over a pipe, beside one core of this machine.
 *
 *     search_gpu REPRISE-SOLVE-GPU [SLICES]
 *
 *   gpu mode=… threads=T accesses=N slices=… found=… gave_up=… slices_per_s=… with_pipe_per_s=… core_per_s=…
 * slices_per_s: by the processor's own clock; with_pipe: from the first byte of a request to the last of its answer; core: search_solve() on one core. Each
 * order that was found is tried; a wrong one ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search/gpu/slices.h"
#include "slices.h"

enum { BATCH = 2048 };

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

static void measure(enum gpu_mode mode, const struct slice_kind *kind, uint32_t count) {
  uint32_t order[SLICE_MOST], found = 0, gave_up = 0;
  for (uint32_t i = 0; i < count; i++) {
    slice_make(kind, &made[i]);
    if (!gpu_pack(&made[i].slice, &packed[i])) die("a slice can't be packed");
  }
  ask(mode, count); /* the first one starts the processor up */
  double begun = slice_time(true);
  uint64_t nanoseconds = ask(mode, count);
  double with_pipe = slice_time(true) - begun;
  for (uint32_t i = 0; i < count; i++) {
    found += answers[i].found != 0;
    gave_up += answers[i].gave_up != 0;
    if (answers[i].found && !gpu_unfold(&made[i].slice, &packed[i], mode, &answers[i], order)) {
      fprintf(stderr, "slice %u: the order explains nothing\n", i);
      exit(1);
    }
  }
  begun = slice_time(false);
  for (uint32_t i = 0; i < count; i++)
    search_solve(&made[i].slice, &(struct search_options){.states = 1000000},
                 &(struct search_answer){.order = order});
  double core = slice_time(false) - begun;
  printf(
      "gpu mode=%s threads=%u accesses=%u slices=%u found=%u gave_up=%u slices_per_s=%.0f "
      "with_pipe_per_s=%.0f core_per_s=%.0f\n",
      mode == GPU_PERMUTATIONS ? "permutations" : "frontier", kind->threads, kind->accesses, count, found,
      gave_up, count * 1e9 / (double)(nanoseconds ? nanoseconds : 1), count * 1e6 / with_pipe,
      count * 1e6 / core);
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
  measure(GPU_PERMUTATIONS, &(struct slice_kind){2, 18, 4, 0}, count);
  measure(GPU_PERMUTATIONS, &(struct slice_kind){4, 18, 4, 0}, count < 4 ? count : 4);
  measure(GPU_FRONTIER, &(struct slice_kind){2, 1024, 16, 0}, count);
  measure(GPU_FRONTIER, &(struct slice_kind){4, 1024, 16, 0}, count);
  measure(GPU_FRONTIER, &(struct slice_kind){8, 1024, 16, 0}, count);
  close(to_gpu);
  return wait(NULL) < 0;
}
