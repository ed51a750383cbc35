/* run.c: a simulation from beginning to end: makes spheres, runs their programs, stores recordings, compares replays. */
#include "sim/run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "recording/plain.h"
#include "sim/recorders/archive.h"
#include "sim/caches/caches.h"
#include "sim/machine/check.h"
#include "sim/recorders/checkpoint.h"
#include "sim/recorders/chunks.h"
#include "sim/kernel/input_log.h"
#include "sim/kernel/kernel.h"
#include "sim/recorders/trace.h"
#include "sim/recorders/watch.h"

enum { DIVERGED = 120, DAMAGED = 121, FAILED = 125, USAGE = 2 };

/* A program of the request, while it runs. */
struct session {
  const struct sim_program *program;
  struct sphere *sphere;
  struct process *process;
  struct archive_reader reader;
  struct order_logs *order;                                     /* replay */
  struct archive_writer *writer;                                /* recording */
  uint64_t order_bytes, order_packed, input_packed, dma_packed; /* that have been written */
};

struct simulation {
  const struct sim_request *request;
  struct sim_outcome *outcome;
  struct machine *machine;
  struct session sessions[SIM_MAX_PROGRAMS];
  bool chunks, others; /* which schemes have been asked for so far */
  uint64_t next_cut;   /* cycle */
};

static const struct order_scheme *const schemes[] = {&order_tokens, &order_dag, &order_scalar, &order_arcs,
                                                     &order_chunks};

const struct order_scheme *sim_find_scheme(const char *name) {
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (!strcmp(schemes[i]->name, name)) return schemes[i];
  return NULL;
}

static const struct order_scheme *recorded_scheme(const struct simulation *sim) {
  return sim_find_scheme(sim->request->scheme ? sim->request->scheme : "tokens");
}

static void fail(struct simulation *sim, int status, const char *line) {
  if (sim->outcome->error[0]) return;
  sim->outcome->status = status;
  snprintf(sim->outcome->error, sizeof sim->outcome->error, "%s", line);
  plain_text(sim->outcome->error);
}

static bool any(const struct simulation *sim, enum sphere_mode mode) {
  for (uint32_t i = 0; i < sim->request->count; i++)
    if (sim->request->programs[i].mode == mode) return true;
  return false;
}

/* -- Beginning ---------------------------------------------------------------------------------------------------------------------------- */

static void add_order(void *context, uint32_t thread, const uint8_t *bytes, size_t count) {
  struct order_logs *logs = context;
  order_log_append(&logs->log[thread], bytes, count);
}

/* Caches that hold chunks are of another kind than those of the other schemes. */
static bool fits_machine(struct simulation *sim, const struct order_scheme *scheme) {
  *(scheme == &order_chunks ? &sim->chunks : &sim->others) = true;
  if (sim->chunks && sim->others)
    fail(sim, USAGE, "recordings in chunks can't be made or replayed beside those of other schemes");
  return !(sim->chunks && sim->others);
}

static bool read_recording(struct simulation *sim, struct session *session) {
  struct recording_error error;
  struct archive_reader *reader = &session->reader;
  if (archive_open(session->program->folder, false, reader, &error)) {
    fail(sim, error.kind == RECORDING_ABSENT ? USAGE : DAMAGED, error.text);
    return false;
  }
  struct order_logs *logs = session->order = calloc(1, sizeof *logs);
  CHECK(logs, "no memory for order logs");
  logs->scheme = sim_find_scheme(reader->scheme);
  logs->slots = reader->threads;
  if (!logs->scheme || logs->slots > ORDER_SLOTS) {
    fail(sim, DAMAGED, "the recording has an order scheme that is not known here");
    return false;
  }
  if (archive_read(reader, session->sphere->input, add_order, logs, &error)) {
    fail(sim, DAMAGED, error.text);
    return false;
  }
  if (!order_logs_join(logs)) {
    fail(sim, DAMAGED, "the recording is damaged: an order log makes no sense");
    return false;
  }
  if (sim->request->config.flat && (logs->scheme == &order_chunks || order_logs_have_values(logs))) {
    fail(sim, USAGE, "--flat: chunks and recordings under total store order need caches to be replayed");
    return false;
  }
  session->sphere->order = logs;
  session->sphere->breaks_off = reader->cuts;
  return true;
}

static bool begin_recording(struct simulation *sim, struct session *session) {
  struct recording_error error;
  const struct sim_program *program = session->program;
  if (archive_begin(program->folder, false, recorded_scheme(sim)->name, program->argv, &session->writer,
                    &error)) {
    fail(sim, error.kind == RECORDING_EXISTS ? USAGE : FAILED, error.text);
    return false;
  }
  if (!sim->outcome->folder[0])
    snprintf(sim->outcome->folder, sizeof sim->outcome->folder, "%s", archive_path(session->writer));
  return true;
}

/* The simulated programs see nothing of the host's environment: it would be input. */
static char path[] = "PATH=/usr/bin:/bin", home[] = "HOME=/", language[] = "LANG=C";
static char *environment[] = {path, home, language, NULL};

static bool go_on(struct simulation *sim, struct session *session) {
  char file[PATH_BYTES];
  struct stat about;
  bool there = session->order->scheme == &order_arcs && !session->reader.cuts &&
               input_log_find_image(session->sphere, ARCHIVE_CHECKPOINT, file);
  int descriptor = there ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0 || fstat(descriptor, &about)) {
    fail(sim, USAGE, "the recording has no checkpoint (record with --scheme arcs --set checkpoint-cycles=N)");
    return false;
  }
  void *image = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  CHECK(image != MAP_FAILED, "no memory for a checkpoint");
  session->process = checkpoint_start(sim->machine->kernel, session->sphere, image, (size_t)about.st_size);
  munmap(image, (size_t)about.st_size);
  return session->process != NULL;
}

static bool begin(struct simulation *sim, uint32_t index) {
  struct session *session = &sim->sessions[index];
  struct kernel *kernel = sim->machine->kernel;
  struct sphere *sphere = session->sphere = calloc(1, sizeof *sphere);
  CHECK(sphere, "no memory for a sphere");
  session->program = &sim->request->programs[index];
  sphere->number = kernel->sphere_count;
  sphere->mode = session->program->mode;
  kernel->spheres[kernel->sphere_count++] = sphere;
  if (sphere->mode != SPHERE_PLAIN) sphere->input = input_log_new();
  if (sphere->mode == SPHERE_REPLAY && !read_recording(sim, session)) return false;
  if (sphere->mode == SPHERE_REPLAY && !fits_machine(sim, session->order->scheme)) return false;
  if (sphere->mode == SPHERE_RECORD && !fits_machine(sim, recorded_scheme(sim))) return false;
  if (sphere->mode == SPHERE_REPLAY && session->program->from_checkpoint) return go_on(sim, session);
  char **argv = session->program->argv ? session->program->argv : session->reader.argv;
  CHECK(argv, "no program to start");
  session->process = kernel_start(kernel, sphere, argv[0], argv, environment);
  return session->process && (sphere->mode != SPHERE_RECORD || begin_recording(sim, session));
}

static void begin_watching(struct simulation *sim) {
  const struct sim_request *request = sim->request;
  struct order_options options = {
      .max_episode = request->max_episode, .single_edges = !request->config.counted_preds, .filter = true};
  if (any(sim, SPHERE_RECORD)) recorder_begin(sim->machine, recorded_scheme(sim), options);
  if (any(sim, SPHERE_REPLAY)) replayer_begin(sim->machine);
  if (request->trace && any(sim, SPHERE_RECORD) && !trace_begin(sim->machine, request->trace))
    fail(sim, FAILED, "the trace can't be written");
  if (any(sim, SPHERE_RECORD) && recorded_scheme(sim) == &order_arcs) checkpoints_begin(sim->machine);
}

/* -- Writing while it runs -------------------------------------------------------------------------------------------------------------------- */

/* As the recording has it on disk: each thread's log by itself. */
static uint64_t compressed(const uint8_t *log, size_t count) {
  size_t room = ZSTD_compressBound(count);
  void *buffer = count ? malloc(room) : NULL;
  size_t bytes = buffer ? ZSTD_compress(buffer, room, log, count, 3) : 0;
  free(buffer);
  return ZSTD_isError(bytes) ? count : bytes;
}

/* Writes a thread's logs since the last time. */
static int write_logs(struct simulation *sim, struct session *session, uint32_t thread,
                      struct recording_error *error) {
  struct sphere *sphere = session->sphere;
  struct order_log order = {0};
  size_t count;
  const uint8_t *input = input_log_stream(sphere->input, thread, &count);
  bool device = sphere->device && sphere->device->thread.number == thread;
  *(device ? &session->dma_packed : &session->input_packed) += compressed(input, count);
  int status = archive_append(session->writer, RECORDING_INPUT, thread, input, count, error);
  input_log_drop(sphere->input, thread);
  recorder_segment(sim->machine, sphere, thread, &order);
  session->order_bytes += order.count;
  session->order_packed += compressed(order.bytes, order.count);
  if (!status)
    status = archive_append(session->writer, RECORDING_ORDER, thread, order.bytes, order.count, error);
  free(order.bytes);
  return status;
}

static int write_session(struct simulation *sim, struct session *session, bool open,
                         struct recording_error *error) {
  struct sphere *sphere = session->sphere;
  uint32_t threads = sphere->threads < ORDER_SLOTS ? sphere->threads : ORDER_SLOTS;
  struct archive_cut *cuts = calloc(threads, sizeof *cuts);
  CHECK(cuts || !threads, "out of memory");
  if (open) recorder_cut(sim->machine, sphere, cuts);
  int status = archive_programs(session->writer, sphere->input, error);
  for (uint32_t i = 0; i < threads && !status; i++) status = write_logs(sim, session, i, error);
  if (!status && open && threads) status = archive_cut(session->writer, cuts, threads, error);
  free(cuts);
  return status;
}

/* All recordings on the disk are good up to here. */
static void cut(struct simulation *sim) {
  struct recording_error error;
  sim->next_cut = sim->machine->cycle + sim->machine->config.cut_cycles;
  for (uint32_t i = 0; i < sim->request->count; i++) {
    struct session *session = &sim->sessions[i];
    if (session->writer && write_session(sim, session, true, &error)) {
      archive_abandon(session->writer);
      session->writer = NULL;
      kernel_fail(sim->machine->kernel, FAILED, "%s", error.text);
    }
  }
}

/* Until all processes have ended (true), or nothing can happen any more. */
static bool run_machine(struct simulation *sim) {
  struct machine *machine = sim->machine;
  bool cuts = any(sim, SPHERE_RECORD) && machine->config.cut_cycles;
  sim->next_cut = cuts ? machine->config.cut_cycles : UINT64_MAX;
  while (machine->kernel->tasks && !machine->kernel->error) {
    if (machine->cycle >= sim->next_cut) cut(sim);
    if (machine_turn(machine) == TURN_NONE) return false;
  }
  return true;
}

/* Recordings that break off have come to where they do. */
static bool broke_off(const struct simulation *sim) {
  bool any = false;
  for (uint32_t i = 0; i < sim->request->count; i++) {
    const struct session *session = &sim->sessions[i];
    CHECK(session->sphere, "a session has not begun");
    if (!session->sphere->breaks_off) continue;
    if (!replayer_reached(sim->machine, session->sphere)) return false;
    any = true;
  }
  return any;
}

/* -- The end --------------------------------------------------------------------------------------------------------------------------------- */

static void keep(struct simulation *sim, struct session *session) {
  struct recording_error error;
  struct sphere *sphere = session->sphere;
  recorder_close(sim->machine, sphere);
  int status = write_session(sim, session, false, &error);
  struct archive_end end = {.threads = sphere->threads,
                            .instructions = sphere->instructions,
                            .register_digest = sphere->register_digest,
                            .memory_digest = sphere->memory_digest};
  end.checkpoint = checkpoints_image(sphere, &end.checkpoint_bytes);
  if (status)
    archive_abandon(session->writer);
  else
    status = archive_finish(session->writer, &end, &error);
  session->writer = NULL;
  if (status) fail(sim, FAILED, error.text);
}

static void compare(struct simulation *sim, const struct session *session) {
  const struct sphere *sphere = session->sphere;
  if (session->reader.cuts) return;
  if (sphere->register_digest != session->reader.register_digest)
    fail(sim, DIVERGED, "the replay ends with other registers or positions than the recording");
  else if (sphere->memory_digest != session->reader.memory_digest)
    fail(sim, DIVERGED, "the replay ends with other memory than the recording");
}

static void add_recorder(struct simulation *sim) {
  const struct recorder_counters *count = recorder_count(sim->machine);
#define X(name, text) statistics_add(&sim->outcome->statistics, #name, (double)count->name);
  RECORDER_COUNTERS(X)
#undef X
  statistics_distribution(&sim->outcome->statistics, "episode_instructions", &count->episode_instructions);
}

static void add_log_sizes(struct simulation *sim) {
  struct input_sizes sizes = {0};
  uint64_t order = 0, packed = 0, input_packed = 0, dma_packed = 0;
  struct statistics *s = &sim->outcome->statistics;
  for (uint32_t i = 0; i < sim->request->count; i++) {
    const struct session *session = &sim->sessions[i];
    if (session->sphere->mode == SPHERE_PLAIN) continue;
    struct input_sizes own = input_log_sizes(session->sphere->input);
    sizes.input += own.input, sizes.dma += own.dma, sizes.interrupt += own.interrupt;
    order += session->order_bytes, packed += session->order_packed;
    input_packed += session->input_packed, dma_packed += session->dma_packed;
    for (uint32_t slot = 0; session->order && slot < session->order->slots; slot++)
      order += session->order->log[slot].count;
  }
  if (!sizes.input && !order) return;
  double kilo = statistics_get(s, "instructions") / 1000;
  statistics_add(s, "input_log_bytes", (double)sizes.input);
  statistics_add(s, "input_log_bytes_compressed", (double)input_packed);
  statistics_add(s, "dma_log_bytes", (double)sizes.dma);
  statistics_add(s, "dma_log_bytes_compressed", (double)dma_packed);
  statistics_add(s, "interrupt_log_bytes", (double)sizes.interrupt);
  statistics_add(s, "order_log_bytes", (double)order);
  statistics_add(s, "order_log_bytes_compressed", (double)packed);
  statistics_add(s, "order_bytes_per_kiloinstruction", kilo > 0 ? (double)order / kilo : 0);
  if (any(sim, SPHERE_RECORD)) add_recorder(sim);
}

static int shell_status(int status) {
  return status & 127 ? 128 + (status & 127) : status >> 8;
}

static void finish(struct simulation *sim) {
  struct kernel *kernel = sim->machine->kernel;
  statistics_collect(&sim->outcome->statistics, sim->machine);
  if (any(sim, SPHERE_REPLAY) && replayer_error(sim->machine))
    kernel_fail(kernel, DIVERGED, "replay differs from the recording: %s", replayer_error(sim->machine));
  if (kernel->error) {
    cut(sim); /* what there is, up to here */
    fail(sim, kernel->error_status, kernel->error);
    return;
  }
  if (sim->outcome->breaks_off) return;
  CHECK(sim->sessions[0].process, "no program was started");
  sim->outcome->status = shell_status(sim->sessions[0].process->status);
  for (uint32_t i = 0; i < sim->request->count; i++) {
    struct session *session = &sim->sessions[i];
    if (session->sphere->mode == SPHERE_RECORD) keep(sim, session);
    if (session->sphere->mode == SPHERE_REPLAY) compare(sim, session);
  }
  add_log_sizes(sim);
}

static void release(struct simulation *sim) {
  if (!trace_end(sim->machine)) fail(sim, FAILED, "the trace can't be written");
  if (any(sim, SPHERE_RECORD)) recorder_end(sim->machine);
  if (any(sim, SPHERE_REPLAY)) replayer_end(sim->machine);
  kernel_machine_free(sim->machine);
  for (uint32_t i = 0; i < sim->request->count; i++) {
    struct session *session = &sim->sessions[i];
    if (!session->sphere) continue;
    if (session->sphere->device) input_detach(session->sphere->device);
    free(session->sphere->device);
    input_log_free(session->sphere->input);
    order_logs_free(session->order);
    archive_abandon(session->writer);
    checkpoints_free(session->sphere);
    archive_close(&session->reader);
    free(session->sphere);
  }
}

void sim_run(const struct sim_request *request, struct sim_outcome *outcome) {
  struct simulation sim = {.request = request, .outcome = outcome};
  const char *error;
  memset(outcome, 0, sizeof *outcome);
  struct sim_config config = request->config;
  if (!any(&sim, SPHERE_RECORD)) config.checkpoint_cycles = 0; /* they are a part of what is recorded */
  sim.machine = kernel_machine_new(&config, &error);
  if (!sim.machine) {
    fail(&sim, USAGE, error);
    return;
  }
  if (!request->config.flat) caches_begin(sim.machine);
  begin_watching(&sim);
  bool good = !outcome->error[0];
  for (uint32_t i = 0; i < request->count && good; i++) good = begin(&sim, i);
  if (good && !run_machine(&sim)) {
    outcome->breaks_off = broke_off(&sim);
    if (!outcome->breaks_off && !(any(&sim, SPHERE_REPLAY) && replayer_error(sim.machine)))
      kernel_fail(sim.machine->kernel, FAILED, "all simulated threads wait for each other");
  }
  if (!outcome->error[0]) finish(&sim);
  release(&sim);
}
