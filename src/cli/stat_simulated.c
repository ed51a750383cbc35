/* stat_simulated.c: see stat_simulated.h. The logs are not in the engine's format: they are measured, not read. */
#include "cli/stat_simulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "inspect/json.h"
#include "cli/recordings.h"
#include "order/order.h"
#include "recording/plain.h"

struct size {
  uint64_t bytes, stored; /* raw, and on the disk */
};

struct thread_sizes {
  struct size input, order;
};

struct sizes {
  struct thread_sizes *of; /* by thread */
  uint32_t threads;
  struct recording_reader *reader;
};

static bool make_room(struct sizes *sizes, uint32_t thread) {
  if (thread < sizes->threads) return true;
  struct thread_sizes *more = realloc(sizes->of, (thread + 1) * sizeof *more);
  if (!more) return false;
  memset(more + sizes->threads, 0, (thread + 1 - sizes->threads) * sizeof *more);
  sizes->of = more;
  sizes->threads = thread + 1;
  return true;
}

/* A recording that breaks off ends in the midst of a frame: what is before it counts. */
static int measure(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct sizes *sizes = context;
  struct recording_stream *stream;
  struct recording_frame frame;
  if (id.thread == RECORDING_SPHERE || (id.kind != RECORDING_INPUT && id.kind != RECORDING_ORDER)) return 0;
  if (id.thread >= ORDER_SLOTS || !make_room(sizes, id.thread)) return 0;
  struct thread_sizes *of = &sizes->of[id.thread];
  struct size *size = id.kind == RECORDING_INPUT ? &of->input : &of->order;
  int status = recording_stream_open(sizes->reader, id, &stream, error);
  if (status) return status;
  while (!(status = recording_next(stream, &frame, error))) {
    size->bytes += frame.length;
    size->stored += frame.stored;
  }
  recording_stream_close(stream);
  return status == RECORDING_END || status == RECORDING_TRUNCATED ? 0 : status;
}

static struct thread_sizes sum_of(const struct thread_sizes *sizes, uint32_t threads) {
  struct thread_sizes sum = {{0, 0}, {0, 0}};
  for (uint32_t i = 0; i < threads; i++) {
    sum.input.bytes += sizes[i].input.bytes, sum.input.stored += sizes[i].input.stored;
    sum.order.bytes += sizes[i].order.bytes, sum.order.stored += sizes[i].order.stored;
  }
  return sum;
}

static const char *state_of(const struct recording_reader *reader) {
  return recording_reader_state(reader) == RECORDING_COMPLETE ? "complete" : "unfinished";
}

static void line(const char *name, const char *value) {
  if (!value) return;
  printf("%-14s ", name);
  plain_write(stdout, value);
  putchar('\n');
}

static void size_line(const char *name, struct size size) {
  printf("%-14s %" PRIu64 " bytes, %" PRIu64 " on disk\n", name, size.bytes, size.stored);
}

static void print_text(const struct recording_reader *reader, const char *command,
                       const struct thread_sizes *sizes, uint32_t threads) {
  struct thread_sizes sum = sum_of(sizes, threads);
  line("recording", recording_reader_path(reader));
  line("state", state_of(reader));
  line("command", command);
  line("created", recording_get(reader, "created", 0));
  line("machine", "simulated, RV64");
  line("order", recording_get(reader, "scheme", 0));
  printf("%-14s %" PRIu32 "\n", "threads", threads);
  line("instructions", recording_get(reader, "instructions", 0));
  size_line("input log", sum.input);
  size_line("order log", sum.order);
  printf("\n%6s %12s %12s %12s %12s\n", "THREAD", "INPUT", "ON-DISK", "ORDER", "ON-DISK");
  for (uint32_t i = 0; i < threads; i++)
    printf("%6" PRIu32 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", i, sizes[i].input.bytes,
           sizes[i].input.stored, sizes[i].order.bytes, sizes[i].order.stored);
}

static void sizes_json(struct json *json, const struct thread_sizes *sizes) {
  json_number(json, "input_bytes", sizes->input.bytes);
  json_number(json, "input_stored_bytes", sizes->input.stored);
  json_number(json, "order_bytes", sizes->order.bytes);
  json_number(json, "order_stored_bytes", sizes->order.stored);
}

static void print_json(const struct recording_reader *reader, const char *command,
                       const struct thread_sizes *sizes, uint32_t threads) {
  struct thread_sizes sum = sum_of(sizes, threads);
  const char *instructions = recording_get(reader, "instructions", 0);
  struct json json = json_begin(stdout);
  json_string(&json, "is", "recording");
  json_string(&json, "path", recording_reader_path(reader));
  json_string(&json, "state", state_of(reader));
  json_string(&json, "command", command);
  json_string(&json, "created", recording_get(reader, "created", 0));
  json_string(&json, "machine", "sim");
  json_string(&json, "order", recording_get(reader, "scheme", 0));
  json_number(&json, "threads", threads);
  if (instructions) json_number(&json, "instructions", strtoull(instructions, NULL, 10));
  sizes_json(&json, &sum);
  json_end(&json);
  for (uint32_t i = 0; i < threads; i++) {
    json = json_begin(stdout);
    json_string(&json, "is", "thread");
    json_number(&json, "thread", i);
    sizes_json(&json, &sizes[i]);
    json_end(&json);
  }
}

int print_simulated(struct recording_reader *reader, bool json) {
  struct recording_error error;
  struct sizes sizes = {.reader = reader};
  char *command = recording_command_line(reader);
  int status = recording_each_stream(reader, measure, &sizes, &error);
  if (!status) (json ? print_json : print_text)(reader, command, sizes.of, sizes.threads);
  recording_reader_close(reader);
  free(command);
  free(sizes.of);
  return status ? complain_recording(&error) : 0;
}
