/* boot.c: see boot.h. Each hart is an R-thread; its recording holds the kernel and the initial file system as well. */
#include "sim/boot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/board/devices.h"
#include "sim/caches/caches.h"
#include "sim/recorders/archive.h"
#include "sim/recorders/chunks.h"
#include "sim/recorders/watch.h"
#include "sim/recorders/watching.h"
#include "sim/run.h"

enum { USAGE = 2, DIVERGED = 120, DAMAGED = 121, UNSUPPORTED = 122, FAILED = 125, NOT_EXECUTABLE = 126 };
/* A recording's arguments. */
enum { KERNEL, INITRD, ARGUMENTS, HARTS, RAM, DISK, ARGUMENT_COUNT };

struct boot {
  const struct sim_boot *request;
  struct machine *machine;
  struct archive_writer *writer;
  struct archive_reader reader;
  struct order_logs *order;
  uint64_t next_write; /* cycle */
  int status;
  char *error;
};

static bool fail(struct boot *boot, int status, const char *format, const char *what) {
  if (boot->status) return false;
  boot->status = status;
  snprintf(boot->error, 1024, format, what);
  return false;
}

static struct sphere *sphere_of(const struct boot *boot) {
  return &board_of(boot->machine)->sphere;
}

/* -- Recording ----------------------------------------------------------------------------------------------------------------- */

static bool begin_recording(struct boot *boot) {
  const struct sim_boot *request = boot->request;
  struct recording_error error;
  char harts[16], ram[24], disk[24];
  snprintf(harts, sizeof harts, "%u", request->config.harts);
  snprintf(ram, sizeof ram, "%llu", (unsigned long long)request->config.ram_bytes);
  snprintf(disk, sizeof disk, "%llu", (unsigned long long)disk_bytes(boot->machine));
  char *argv[] = {(char *)request->kernel,
                  (char *)(request->initrd ? request->initrd : ""),
                  (char *)request->arguments,
                  harts,
                  ram,
                  disk,
                  NULL};
  if (archive_begin(request->folder, true, request->scheme, argv, &boot->writer, &error))
    return fail(boot, error.kind == RECORDING_EXISTS ? USAGE : FAILED, "%s", error.text);
  if (archive_add_file(boot->writer, request->kernel, &error) ||
      (request->initrd && archive_add_file(boot->writer, request->initrd, &error)))
    return fail(boot, FAILED, "%s", error.text);
  return true;
}

/* Of a hart, or behind the harts of the block device. */
static struct board_log *log_of(const struct boot *boot, uint32_t thread) {
  struct board *board = board_of(boot->machine);
  return thread < boot->machine->config.harts ? &board->harts[thread].log : &board->devices->dma.log;
}

static uint32_t thread_count(const struct boot *boot) {
  return boot->machine->config.harts + board_of(boot->machine)->devices->dma.begun;
}

/* Writes the logs since the last time to the disk. A cut makes them good up to here, whatever comes. */
static bool write_logs(struct boot *boot, bool cut) {
  struct recording_error error;
  struct archive_cut cuts[SIM_MAX_HARTS + 1] = {0};
  int status = 0;
  if (cut) {
    for (uint32_t i = 0; i < thread_count(boot); i++) cuts[i].ended = true; /* those that have not begun */
    recorder_cut(boot->machine, sphere_of(boot), cuts);
  }
  for (uint32_t i = 0; i < thread_count(boot) && !status; i++) {
    struct board_log *log = log_of(boot, i);
    struct order_log order = {0};
    status = archive_append(boot->writer, RECORDING_INPUT, i, log->bytes, log->count, &error);
    log->count = 0;
    recorder_segment(boot->machine, sphere_of(boot), i, &order);
    if (!status) status = archive_append(boot->writer, RECORDING_ORDER, i, order.bytes, order.count, &error);
    free(order.bytes);
  }
  if (cut && !status) status = archive_cut(boot->writer, cuts, thread_count(boot), &error);
  boot->next_write = boot->machine->cycle + boot->machine->config.cut_cycles;
  return !status || fail(boot, FAILED, "%s", error.text);
}

static void finish_recording(struct boot *boot) {
  struct recording_error error;
  struct machine *machine = boot->machine;
  board_finish(machine);
  recorder_close(machine, sphere_of(boot));
  if (!write_logs(boot, false)) return;
  struct archive_end end = {.threads = thread_count(boot),
                            .register_digest = board_digest_harts(machine),
                            .memory_digest = board_digest_memory(machine)};
  for (uint32_t i = 0; i < machine->config.harts; i++) end.instructions += machine->harts[i].port.position;
  if (archive_finish(boot->writer, &end, &error)) fail(boot, FAILED, "%s", error.text);
  boot->writer = NULL;
}

bool sim_boot_fits(const struct sim_config *config) {
  return config->ram_bytes >= 16 << 20 && config->ram_bytes % (2 << 20) == 0;
}

/* -- Replay -------------------------------------------------------------------------------------------------------------------- */

/* Before there is a machine: how it has to be. */
static bool open_recording(struct boot *boot, struct sim_config *config) {
  struct recording_error error;
  struct archive_reader *reader = &boot->reader;
  if (archive_open(boot->request->folder, true, reader, &error))
    return fail(boot, error.kind == RECORDING_ABSENT ? USAGE : DAMAGED, "%s", error.text);
  int count = 0;
  while (reader->argv[count]) count++;
  config->harts = count == ARGUMENT_COUNT ? (uint32_t)strtoul(reader->argv[HARTS], NULL, 10) : 0;
  config->ram_bytes = config->harts ? strtoull(reader->argv[RAM], NULL, 10) : 0;
  bool fits = reader->threads == config->harts || reader->threads == config->harts + 1;
  if (!config->harts || !fits || config->harts > SIM_MAX_HARTS || !sim_boot_fits(config))
    return fail(boot, DAMAGED, "%s", "the recording is damaged: it makes no sense as one of a board");
  return true;
}

static void add_piece(void *context, enum recording_kind kind, uint32_t thread, const uint8_t *bytes,
                      size_t count) {
  const struct boot *boot = context;
  if (kind == RECORDING_INPUT)
    board_log_append(log_of(boot, thread), bytes, count);
  else
    order_log_append(&boot->order->log[thread], bytes, count);
}

static bool begin_replay(struct boot *boot) {
  struct recording_error error;
  boot->order = calloc(1, sizeof *boot->order);
  if (!boot->order) return fail(boot, FAILED, "%s", "no memory for order logs");
  boot->order->scheme = sim_find_scheme(boot->reader.scheme);
  boot->order->slots = boot->reader.threads;
  if (!boot->order->scheme || boot->order->scheme == &order_chunks)
    return fail(boot, DAMAGED, "%s", "the recording has an order scheme that is not known here");
  if (archive_read_board(&boot->reader, add_piece, boot, &error))
    return fail(boot, DAMAGED, "%s", error.text);
  if (!order_logs_join(boot->order))
    return fail(boot, DAMAGED, "%s", "the recording is damaged: an order log makes no sense");
  sphere_of(boot)->order = boot->order;
  sphere_of(boot)->breaks_off = boot->reader.cuts;
  return true;
}

static bool all_ended(const struct boot *boot) {
  const struct board *board = board_of(boot->machine);
  for (uint32_t i = 0; i < boot->machine->config.harts; i++)
    if (board->harts[i].started && !board->harts[i].ended) return false;
  return !board->devices->dma.begun || board->devices->dma.ended;
}

static void compare(struct boot *boot) {
  struct machine *machine = boot->machine;
  const struct board *board = board_of(machine);
  bool reached = boot->reader.cuts && !replayer_error(machine) && !board->error[0] &&
                 replayer_reached(machine, sphere_of(boot));
  if (reached)
    snprintf(boot->error, 1024, "the recording breaks off here: its recorder was killed, or gave up");
  else if (replayer_error(machine))
    fail(boot, DIVERGED, "replay differs from the recording: %s", replayer_error(machine));
  else if (board->error[0])
    fail(boot, DIVERGED, "replay differs from the recording: %s", board->error);
  else if (!all_ended(boot))
    fail(boot, DIVERGED, "%s", "replay differs from the recording: its harts wait for each other");
  else if (board_digest_harts(machine) != boot->reader.register_digest)
    fail(boot, DIVERGED, "%s", "the replay ends with other registers or positions than the recording");
  else if (board_digest_memory(machine) != boot->reader.memory_digest)
    fail(boot, DIVERGED, "%s", "the replay ends with other memory than the recording");
}

/* -- The board ------------------------------------------------------------------------------------------------------------------ */

/* In replay the recording's own files are loaded. */
static bool load(struct boot *boot) {
  const struct sim_boot *request = boot->request;
  struct recording_error error;
  const char *kernel = request->kernel, *initrd = request->initrd, *arguments = request->arguments;
  char paths[2][32];
  int files[2] = {-1, -1};
  if (request->mode == SPHERE_REPLAY) {
    int count = boot->reader.argv[INITRD][0] ? 2 : 1;
    for (int i = 0; i < count; i++) {
      if (archive_open_file(&boot->reader, (uint32_t)i, &files[i], &error))
        return fail(boot, DAMAGED, "%s", error.text);
      snprintf(paths[i], sizeof paths[i], "/proc/self/fd/%d", files[i]);
    }
    kernel = paths[0];
    initrd = count == 2 ? paths[1] : NULL;
    arguments = boot->reader.argv[ARGUMENTS];
  }
  const char *line = board_load(boot->machine, kernel, initrd, arguments);
  for (int i = 0; i < 2; i++)
    if (files[i] >= 0) close(files[i]);
  if (!line) return true;
  char text[512];
  snprintf(text, sizeof text, "%s: %s", kernel, line);
  return fail(boot, NOT_EXECUTABLE, "%s", text);
}

static void begin_watching(struct boot *boot) {
  const struct sim_boot *request = boot->request;
  struct order_options options = {
      .max_episode = request->max_episode, .single_edges = !request->config.counted_preds, .filter = true};
  if (request->mode == SPHERE_RECORD)
    recorder_begin(boot->machine, sim_find_scheme(request->scheme), options);
  if (request->mode == SPHERE_REPLAY) replayer_begin(boot->machine);
}

static void run(struct boot *boot) {
  struct machine *machine = boot->machine;
  const struct board *board = board_of(machine);
  bool records = boot->request->mode == SPHERE_RECORD, replays = boot->request->mode == SPHERE_REPLAY;
  boot->next_write = records && machine->config.cut_cycles ? machine->config.cut_cycles : UINT64_MAX;
  while (!board->stopped && !boot->status) {
    if (machine->cycle >= boot->next_write && !write_logs(boot, true)) return;
    if (board->refused) fail(boot, UNSUPPORTED, "%s", board->refused);
    if (replays && replayer_error(machine)) return;
    if (machine_turn(machine) != TURN_NONE) continue;
    if (!replays) fail(boot, FAILED, "%s", "all harts wait for interrupts, and none will come");
    return;
  }
}

static void count(struct statistics *statistics, const struct machine *machine) {
  uint64_t instructions = 0;
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    machine->harts[i].instructions = machine->harts[i].port.position;
    instructions += machine->harts[i].instructions;
  }
  statistics_machine(statistics, machine);
  statistics_add(statistics, "instructions", (double)instructions);
  statistics_add(statistics, "page_table_walks", (double)board_of(machine)->walks);
  statistics_add(statistics, "dma_lines", (double)board_of(machine)->dma_lines);
}

static void release(struct boot *boot) {
  if (boot->machine && watch_of(boot->machine)) {
    if (boot->request->mode == SPHERE_RECORD) recorder_end(boot->machine);
    if (boot->request->mode == SPHERE_REPLAY) replayer_end(boot->machine);
  }
  if (boot->machine) board_machine_free(boot->machine);
  archive_abandon(boot->writer);
  archive_close(&boot->reader);
  order_logs_free(boot->order);
}

static bool attach_disk(struct boot *boot) {
  const struct sim_boot *request = boot->request;
  const char *line = NULL;
  if (request->mode == SPHERE_REPLAY) {
    uint64_t bytes = strtoull(boot->reader.argv[DISK], NULL, 10);
    line = bytes ? disk_attach_size(boot->machine, bytes) : NULL;
  } else if (request->disk) {
    line = disk_attach(boot->machine, request->disk);
  }
  if (!line) return true;
  char text[512];
  snprintf(text, sizeof text, "%s: %s", request->disk ? request->disk : "the disk", line);
  return fail(boot, USAGE, "%s", text);
}

/* The board as it is when it is switched on. */
static bool begin(struct boot *boot) {
  const struct sim_boot *request = boot->request;
  struct sim_config config = request->config;
  const char *line;
  if (request->mode != SPHERE_RECORD) config.checkpoint_cycles = 0; /* they are a part of what is recorded */
  if (request->mode == SPHERE_REPLAY && !open_recording(boot, &config)) return false;
  boot->machine = board_machine_new(&config, &line);
  if (!boot->machine) return fail(boot, USAGE, "%s", line);
  if (!attach_disk(boot)) return false;
  if (!config.flat) caches_begin(boot->machine);
  for (uint32_t i = 0; i < config.harts; i++) boot->machine->harts[i].port.waiting = true;
  sphere_of(boot)->mode = request->mode;
  begin_watching(boot);
  if (request->mode == SPHERE_REPLAY && !begin_replay(boot)) return false;
  if (request->mode == SPHERE_RECORD && !begin_recording(boot)) return false;
  struct board *board = board_of(boot->machine);
  if (request->typed && request->mode != SPHERE_REPLAY && !(board->input = fopen(request->typed, "re")))
    return fail(boot, USAGE, "%s: can't be opened", request->typed);
  return load(boot);
}

int sim_boot(const struct sim_boot *request, struct statistics *statistics, char error[1024]) {
  struct boot boot = {.request = request, .error = error};
  error[0] = 0;
  if (begin(&boot)) {
    run(&boot);
    fflush(board_of(boot.machine)->console);
    if (!boot.status && request->mode == SPHERE_RECORD) finish_recording(&boot);
    if (boot.status == UNSUPPORTED && boot.writer) write_logs(&boot, true);
    if (!boot.status && request->mode == SPHERE_REPLAY) compare(&boot);
    if (board_of(boot.machine)->failed)
      fail(&boot, 1, "%s", "the operating system has failed, or wants to be started again");
    count(statistics, boot.machine);
  }
  release(&boot);
  return boot.status;
}
