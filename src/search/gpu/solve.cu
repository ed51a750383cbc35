/* solve.cu: reprise-solve-gpu: searches on a graphics processor; requests come on standard input, answers go to standard output (slices.h).
 *
 *     reprise-solve-gpu
 *
 * A warp for each slice of a frontier search, a block for each slice whose permutations are tried. Any failure ends the program with a line and
 * status 1; its user then searches itself. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "search/gpu/kernels.h"

enum { BATCH = 8192, PERMUTING = 256 };

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "reprise-solve-gpu: %s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

static __global__ void search_frontiers(const struct gpu_slice *slices, gpu_trace *traces, struct gpu_answer *answers) {
  __shared__ struct gpu_frontier frontier;
  gpu_frontier_search(&slices[blockIdx.x], &frontier, traces + (size_t)blockIdx.x * GPU_ACCESSES, &answers[blockIdx.x]);
}

/* The answers are zero before. */
static __global__ void try_permutations(const struct gpu_slice *slices, struct gpu_answer *answers) {
  const struct gpu_slice *slice = &slices[blockIdx.x];
  struct gpu_answer *answer = &answers[blockIdx.x];
  uint64_t orders = gpu_orders(slice);
  for (uint64_t rank = threadIdx.x; rank < orders; rank += blockDim.x)
    if (gpu_explains(slice, rank, orders) && atomicAdd(&answer->found, 1u) == 0) answer->rank = rank;
}

/* False at the end of the input. */
static bool read_all(void *to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t n = read(STDIN_FILENO, (char *)to + done, bytes - done);
    if (n <= 0 && !done) return false;
    if (n <= 0) {
      fprintf(stderr, "reprise-solve-gpu: the input ends within a request\n");
      exit(1);
    }
    done += (size_t)n;
  }
  return true;
}

static void write_all(const void *from, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t n = write(STDOUT_FILENO, (const char *)from + done, bytes - done);
    if (n <= 0) exit(1);
    done += (size_t)n;
  }
}

/* Slices come from the program's parent, but are checked before memory is accessed: an index too large would be a fault far from its cause. */
static bool makes_sense(const struct gpu_slice *slice, uint32_t mode) {
  unsigned most = mode == GPU_PERMUTATIONS ? GPU_PERMUTED : GPU_ACCESSES;
  if (slice->threads > GPU_THREADS || slice->accesses > most || slice->locations > GPU_LOCATIONS) return false;
  if (slice->first[0] || slice->first[slice->threads] != slice->accesses) return false;
  for (unsigned t = 0; t < slice->threads; t++)
    if (slice->first[t] > slice->first[t + 1]) return false;
  for (unsigned i = 0; i < slice->accesses; i++)
    if (slice->access[i].location >= slice->locations) return false;
  return true;
}

struct memory {
  struct gpu_slice *host_slices, *slices;
  struct gpu_answer *host_answers, *answers;
  gpu_trace *traces;
  cudaEvent_t begun, ended;
};

static void allocate(struct memory *m) {
  check(cudaMallocHost((void **)&m->host_slices, BATCH * sizeof *m->host_slices), "memory");
  check(cudaMallocHost((void **)&m->host_answers, BATCH * sizeof *m->host_answers), "memory");
  check(cudaMalloc((void **)&m->slices, BATCH * sizeof *m->slices), "memory of the processor");
  check(cudaMalloc((void **)&m->answers, BATCH * sizeof *m->answers), "memory of the processor");
  check(cudaMalloc((void **)&m->traces, (size_t)BATCH * GPU_ACCESSES * sizeof *m->traces), "memory of the processor");
  check(cudaEventCreate(&m->begun), "events");
  check(cudaEventCreate(&m->ended), "events");
}

/* Nanoseconds. */
static uint64_t solve(struct memory *m, uint32_t mode, uint32_t count) {
  float milliseconds = 0;
  check(cudaMemcpy(m->slices, m->host_slices, count * sizeof *m->slices, cudaMemcpyHostToDevice), "slices");
  check(cudaMemset(m->answers, 0, count * sizeof *m->answers), "answers");
  check(cudaEventRecord(m->begun), "events");
  if (mode == GPU_PERMUTATIONS)
    try_permutations<<<count, PERMUTING>>>(m->slices, m->answers);
  else
    search_frontiers<<<count, GPU_LANES>>>(m->slices, m->traces, m->answers);
  check(cudaGetLastError(), "start");
  check(cudaEventRecord(m->ended), "events");
  check(cudaMemcpy(m->host_answers, m->answers, count * sizeof *m->answers, cudaMemcpyDeviceToHost), "answers");
  check(cudaEventElapsedTime(&milliseconds, m->begun, m->ended), "events");
  return (uint64_t)((double)milliseconds * 1e6);
}

int main(void) {
  struct memory memory = {};
  struct gpu_request request;
  while (read_all(&request, sizeof request)) {
    if (request.magic != GPU_MAGIC || request.mode > GPU_FRONTIER || !request.count || request.count > BATCH) {
      fprintf(stderr, "reprise-solve-gpu: this is no request, or one for more than %d slices\n", BATCH);
      return 1;
    }
    if (!memory.slices) allocate(&memory);
    if (!read_all(memory.host_slices, request.count * sizeof *memory.host_slices)) return 1;
    for (uint32_t i = 0; i < request.count; i++)
      if (!makes_sense(&memory.host_slices[i], request.mode)) {
        fprintf(stderr, "reprise-solve-gpu: slice %u makes no sense\n", i);
        return 1;
      }
    struct gpu_reply reply = {GPU_MAGIC, request.count, solve(&memory, request.mode, request.count)};
    write_all(&reply, sizeof reply);
    write_all(memory.host_answers, request.count * sizeof *memory.host_answers);
  }
  return 0;
}
