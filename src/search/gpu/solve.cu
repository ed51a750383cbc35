/* solve.cu: reprise-solve-gpu: searches on a graphics processor; requests come on standard input, answers go to standard output (slices.h).
 *
 *     reprise-solve-gpu
 *
 * The processor is filled once, and its groups of lanes take slice after slice. Frontiers are searched with little room by a warp first, so that many of
 * them are on the way at a time; those for which it was too little, again with as much room as there is. Any failure ends the program with a line and
 * status 1; its user then searches itself. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "search/gpu/kernels.h"

enum { BATCH = 8192, LITTLE_ROOM = 64, MUCH_ROOM = 1024, MUCH_LANES = 256, PERMUTE_WARPS = 4, PERMUTE_WARPS_ALL = 1 << 13, PERMUTE_STEPS = 1 << 22 };

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "reprise-solve-gpu: %s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

/* -- Kernels ------------------------------------------------------------------------------------------------------------------ */

/* What a search needs, in the processor's memory: a part for each block. */
struct job {
  const struct gpu_slice *slices;
  struct gpu_answer *answers;
  uint32_t count;
  uint32_t *taken; /* slices that blocks have taken, 0 at first */
  struct gpu_reach *reach;
  uint16_t *traces;
  uint32_t room, stride;
  bool again; /* only those slices for which there was too little room */
};

extern __shared__ uint32_t dynamic[];

static __global__ void search_frontiers(struct job job) {
  __shared__ struct gpu_shared shared;
  __shared__ uint32_t mine;
  struct gpu_frontier f;
  gpu_lay_out(&f, dynamic, job.room, job.stride);
  f.shared = &shared;
  f.reach = job.reach + (size_t)blockIdx.x * GPU_NUMBERS;
  f.trace = job.traces + (size_t)blockIdx.x * job.room * GPU_ACCESSES;
  for (uint32_t i = threadIdx.x; i < 4 * job.room; i += blockDim.x) f.slots[i] = 0;
  for (;;) {
    if (!threadIdx.x) mine = atomicAdd(job.taken, 1u);
    __syncthreads();
    uint32_t slice = mine;
    __syncthreads();
    if (slice >= job.count) return;
    if (job.again && (job.answers[slice].found || !job.answers[slice].gave_up)) continue;
    f.slice = &job.slices[slice];
    f.stride = gpu_stride(f.slice->threads, f.slice->locations);
    gpu_frontier_search(&f, &job.answers[slice]);
  }
}

/* A warp takes every `parts`th of the beginnings of a slice's orders, and begins with one of its own. The answers are zero before. */
static __global__ void try_permutations(const struct gpu_slice *slices, struct gpu_answer *answers, uint32_t count,
                                        uint32_t parts) {
  __shared__ struct gpu_small small[PERMUTE_WARPS];
  __shared__ uint8_t memory[PERMUTE_WARPS][GPU_PERMUTE_BYTES];
  unsigned warp = threadIdx.x / GPU_WARP, lane = threadIdx.x % GPU_WARP;
  uint32_t number = blockIdx.x * PERMUTE_WARPS + warp, beginnings;
  if (number / parts >= count) return;
  const struct gpu_slice *slice = &slices[number / parts];
  struct gpu_answer *answer = &answers[number / parts];
  gpu_shrink(slice, &small[warp], lane, GPU_WARP);
  __syncwarp();
  struct gpu_way way = {&small[warp], &memory[warp][lane], 0, 0, 0, PERMUTE_STEPS};
  unsigned length = gpu_beginnings(slice, GPU_WARP * parts, &beginnings);
  for (uint32_t i = number % parts * GPU_WARP + lane; i < beginnings; i += GPU_WARP * parts) {
    if (*(volatile uint32_t *)&answer->found) return;
    if (gpu_permute(&way, i, length) && !atomicExch(&answer->found, 1u)) answer->order = way.choices;
    if (!way.steps) answer->gave_up = 1;
  }
}

/* -- Requests ----------------------------------------------------------------------------------------------------------------- */

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
  if (slice->numbers > GPU_NUMBERS) return false;
  for (unsigned i = 0; i < slice->accesses; i++) {
    const struct gpu_access *access = &slice->access[i];
    if (access->location >= slice->locations || slice->initial[access->location] >= slice->numbers) return false;
    if ((access->kind & SEARCH_READ) && access->read >= slice->numbers) return false;
    if ((access->kind & SEARCH_WRITE) && access->written >= slice->numbers) return false;
  }
  return true;
}

struct memory {
  struct gpu_slice *host_slices, *slices;
  struct gpu_answer *host_answers, *answers;
  uint32_t *taken;
  struct gpu_reach *reach;
  uint16_t *traces;
  size_t blocks, trace_bytes; /* that there is room for */
  int processors, shared;     /* multiprocessors; bytes that a block of one can have in common */
  cudaEvent_t begun, ended;
};

static void allocate(struct memory *m) {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "the processor");
  m->processors = device.multiProcessorCount;
  m->shared = (int)device.sharedMemPerBlockOptin - 1024;
  check(cudaMallocHost((void **)&m->host_slices, BATCH * sizeof *m->host_slices), "memory");
  check(cudaMallocHost((void **)&m->host_answers, BATCH * sizeof *m->host_answers), "memory");
  check(cudaMalloc((void **)&m->slices, BATCH * sizeof *m->slices), "memory of the processor");
  check(cudaMalloc((void **)&m->answers, BATCH * sizeof *m->answers), "memory of the processor");
  check(cudaMalloc((void **)&m->taken, sizeof *m->taken), "memory of the processor");
  check(cudaFuncSetAttribute(search_frontiers, cudaFuncAttributeMaxDynamicSharedMemorySize, m->shared),
        "memory of blocks");
  check(cudaEventCreate(&m->begun), "events");
  check(cudaEventCreate(&m->ended), "events");
}

static void reserve(struct memory *m, size_t blocks, size_t trace_bytes) {
  if (blocks > m->blocks) {
    check(cudaFree(m->reach), "memory of the processor");
    check(cudaMalloc((void **)&m->reach, blocks * GPU_NUMBERS * sizeof *m->reach), "memory of the processor");
    m->blocks = blocks;
  }
  if (trace_bytes > m->trace_bytes) {
    check(cudaFree(m->traces), "memory of the processor");
    check(cudaMalloc((void **)&m->traces, trace_bytes), "memory of the processor");
    m->trace_bytes = trace_bytes;
  }
}

static size_t bytes_of(uint32_t room, uint32_t stride) {
  return (size_t)room * (3 * sizeof(gpu_state) * stride + GPU_ROOM_OVERHEAD);
}

/* As many blocks as there can be at a time. */
static void search_all(struct memory *m, uint32_t count, uint32_t room, unsigned lanes, bool again) {
  struct job job = {m->slices, m->answers, count, m->taken};
  int fit = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t stride = gpu_stride(m->host_slices[i].threads, m->host_slices[i].locations);
    if (stride > job.stride) job.stride = stride;
  }
  while (bytes_of(room, job.stride) > (size_t)m->shared) room /= 2;
  size_t bytes = bytes_of(room, job.stride);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, search_frontiers, (int)lanes, bytes), "occupancy");
  size_t blocks = (size_t)fit * (size_t)m->processors;
  reserve(m, blocks, blocks * room * GPU_ACCESSES * sizeof *m->traces);
  job.reach = m->reach;
  job.traces = m->traces;
  job.room = room;
  job.again = again;
  check(cudaMemsetAsync(m->taken, 0, sizeof *m->taken), "start");
  search_frontiers<<<(unsigned)(blocks < count ? blocks : count), lanes, bytes>>>(job);
  check(cudaGetLastError(), "start");
}

/* The more orders there are, the more warps search for one. */
static void permute_all(struct memory *m, uint32_t count) {
  uint32_t parts = 1;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t wanted = m->host_slices[i].threads; parts < 1u << wanted * wanted / 4 && parts < PERMUTE_WARPS_ALL / count;)
      parts *= 2;
  uint32_t warps = count * parts;
  try_permutations<<<(warps + PERMUTE_WARPS - 1) / PERMUTE_WARPS, PERMUTE_WARPS * GPU_WARP>>>(m->slices, m->answers, count,
                                                                                            parts);
  check(cudaGetLastError(), "start");
}

/* Nanoseconds. */
static uint64_t solve(struct memory *m, uint32_t mode, uint32_t count) {
  float milliseconds = 0;
  check(cudaMemcpy(m->slices, m->host_slices, count * sizeof *m->slices, cudaMemcpyHostToDevice), "slices");
  check(cudaMemset(m->answers, 0, count * sizeof *m->answers), "answers");
  check(cudaEventRecord(m->begun), "events");
  if (mode == GPU_PERMUTATIONS) {
    permute_all(m, count);
  } else {
    search_all(m, count, LITTLE_ROOM, GPU_WARP, false);
    search_all(m, count, MUCH_ROOM, MUCH_LANES, true);
  }
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
