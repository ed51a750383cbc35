/* statistics.c: see statistics.h. */
#include "sim/statistics.h"

#include <inttypes.h>
#include <string.h>

#include "sim/caches/caches.h"
#include "sim/machine/check.h"
#include "sim/kernel/kernel.h"
#include "sim/machine/pages.h"
#include "sim/recorders/watch.h"

void statistics_add(struct statistics *statistics, const char *name, double value) {
  CHECK(statistics->count < STATISTICS_MAX, "too many statistics");
  snprintf(statistics->row[statistics->count].name, sizeof statistics->row->name, "%s", name);
  statistics->row[statistics->count++].value = value;
}

double statistics_get(const struct statistics *statistics, const char *name) {
  for (uint32_t i = 0; i < statistics->count; i++)
    if (!strcmp(statistics->row[i].name, name)) return statistics->row[i].value;
  return 0;
}

struct series *statistics_series(struct statistics *statistics, const char *name) {
  CHECK(statistics->series_count < SERIES_MAX, "too many series");
  struct series *series = &statistics->series[statistics->series_count++];
  snprintf(series->name, sizeof series->name, "%s", name);
  return series;
}

void statistics_distribution(struct statistics *statistics, const char *name,
                             const struct distribution *counts) {
  struct series *series = statistics_series(statistics, name);
  for (uint32_t i = 0; i < DISTRIBUTION_PLACES; i++)
    if ((series->value[i] = counts->count[i])) series->count = i + 1;
}

static const char *const message_names[MESSAGE_KINDS_COUNT] = {
#define X(name, ...) #name,
    MESSAGE_KINDS(X)
#undef X
};

static void collect_caches(struct statistics *s, const struct caches *caches) {
  const struct caches_counters *count = &caches->counters;
  uint64_t messages = 0, bits = 0;
  char name[40];
#define X(field, text) statistics_add(s, #field, (double)count->field);
  CACHES_COUNTERS(X)
#undef X
  for (int i = 0; i < MESSAGE_KINDS_COUNT; i++) {
    messages += count->messages[i];
    bits += count->bits[i];
    snprintf(name, sizeof name, "messages_%s", message_names[i]);
    if (count->messages[i]) statistics_add(s, name, (double)count->messages[i]);
  }
  statistics_add(s, "messages", (double)messages);
  statistics_add(s, "message_bytes", (double)bits / 8);
  statistics_add(s, "note_bytes", (double)count->note_bits / 8);
  uint64_t bank = 0, memory = 0;
  for (uint32_t i = 0; i < caches->banks; i++) bank += caches->bank[i].queue.waited;
  for (uint32_t i = 0; i < SIM_MAX_CHANNELS; i++) memory += caches->channel[i].waited;
  statistics_add(s, "bank_cycles", (double)bank);
  statistics_add(s, "memory_cycles", (double)memory);
}

static void collect_banks(struct statistics *s, const struct caches *caches) {
  struct series *requests = statistics_series(s, "bank_requests");
  struct series *waited = statistics_series(s, "bank_waited_cycles");
  requests->count = waited->count = caches->banks;
  for (uint32_t i = 0; i < caches->banks; i++) {
    requests->value[i] = caches->bank[i].requests;
    waited->value[i] = caches->bank[i].queue.waited;
  }
}

/* A hart has two caches. */
static void collect_misses(struct statistics *s, const struct caches *caches) {
  struct series *misses = statistics_series(s, "hart_misses");
  struct series *cycles = statistics_series(s, "hart_miss_cycles");
  struct distribution all = {{0}};
  misses->count = cycles->count = caches->machine->config.harts;
  for (uint32_t n = 0; n < caches->nodes; n++) {
    const struct l1 *l1 = &caches->l1[n];
    for (uint32_t i = 0; i < DISTRIBUTION_PLACES; i++) all.count[i] += l1->miss_cycles.count[i];
    if (l1->port->number >= misses->count) continue;
    for (uint32_t i = 0; i < DISTRIBUTION_PLACES; i++)
      misses->value[l1->port->number] += l1->miss_cycles.count[i];
    cycles->value[l1->port->number] += l1->missed;
  }
  statistics_distribution(s, "miss_cycles", &all);
}

static void collect_harts(struct statistics *s, const struct machine *machine) {
  struct series *instructions = statistics_series(s, "hart_instructions");
  struct series *references = statistics_series(s, "hart_references");
  struct series *cycles = statistics_series(s, "hart_cycles");
  instructions->count = references->count = cycles->count = machine->config.harts;
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    const struct hart *hart = &machine->harts[i];
    instructions->value[i] = hart->instructions;
    references->value[i] = hart->port.references;
    cycles->value[i] = hart->port.cycle;
  }
}

/* FDR's figure 5, but for the race, input and DMA logs. */
static void collect_checkpoints(struct statistics *s, const struct checkpoint_log *log) {
  struct checkpoint_counters all = checkpoint_log_count(log), *count = &all;
  statistics_add(s, "checkpoints", (double)count->intervals);
  statistics_add(s, "cache_checkpoint_bytes", (double)count->cache_entries * CHECKPOINT_ENTRY);
  statistics_add(s, "memory_checkpoint_bytes", (double)count->memory_entries * CHECKPOINT_ENTRY);
  statistics_add(s, "cache_checkpoint_compressed", (double)count->cache_compressed);
  statistics_add(s, "memory_checkpoint_compressed", (double)count->memory_compressed);
}

static void collect_log_buffers(struct statistics *s, const struct caches *caches) {
  static const char *const names[] = {"race",  "cache_checkpoint", "memory_checkpoint",
                                      "input", "interrupt",        "dma"};
  char name[40];
  for (int kind = 0; kind < LOG_KINDS; kind++) {
    uint64_t bytes = 0, stalls = 0, most = 0;
    for (uint32_t n = 0; n < NODES; n++) {
      const struct log_buffer *buffer = &caches->log_buffer[n][kind];
      bytes += buffer->bytes;
      stalls += buffer->stalls;
      if (buffer->most > most) most = buffer->most;
    }
    if (!bytes) continue;
    snprintf(name, sizeof name, "%s_hardware_bytes", names[kind]);
    statistics_add(s, name, (double)bytes);
    snprintf(name, sizeof name, "%s_stall_cycles", names[kind]);
    statistics_add(s, name, (double)stalls);
    snprintf(name, sizeof name, "%s_buffer_most", names[kind]);
    statistics_add(s, name, (double)most);
  }
}

void statistics_machine(struct statistics *s, const struct machine *machine) {
  uint64_t cycles = 0, references = 0;
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    if (machine->harts[i].port.cycle > cycles) cycles = machine->harts[i].port.cycle;
    references += machine->harts[i].port.references;
  }
  statistics_add(s, "harts", machine->config.harts);
  statistics_add(s, "clock_mhz", machine->config.clock_mhz);
  statistics_add(s, "cycles", (double)cycles);
  statistics_add(s, "references", (double)references);
  collect_harts(s, machine);
  if (machine->system != &cached_memory) return;
  collect_caches(s, caches_of(machine));
  collect_misses(s, caches_of(machine));
  collect_banks(s, caches_of(machine));
  collect_log_buffers(s, caches_of(machine));
  if (caches_of(machine)->checkpoints) collect_checkpoints(s, caches_of(machine)->checkpoints);
}

void statistics_collect(struct statistics *s, const struct machine *machine) {
  const struct kernel *kernel = machine->kernel;
  statistics_add(s, "instructions", (double)kernel->count.instructions);
  statistics_add(s, "system_calls", (double)kernel->count.calls);
  statistics_add(s, "page_faults", (double)kernel->count.page_faults);
  statistics_add(s, "context_switches", (double)kernel->count.switches);
  statistics_add(s, "timer_interrupts", (double)kernel->count.interrupts);
  statistics_add(s, "signals", (double)kernel->count.signals);
  statistics_add(s, "dma_lines", (double)kernel->count.dma_lines);
  statistics_add(s, "program_memory", (double)pages_touched(machine));
  statistics_machine(s, machine);
}

void statistics_print(const struct statistics *s, FILE *to, bool json) {
  for (uint32_t i = 0; i < s->count; i++) {
    const char *format = s->row[i].value == (double)(uint64_t)s->row[i].value ? "%.0f" : "%.4f";
    fprintf(to, json ? "%s\"%s\": " : "%s%-26s ", json ? (i ? ", " : "{") : "", s->row[i].name);
    fprintf(to, format, s->row[i].value);
    fputs(json ? "" : "\n", to);
  }
  for (uint32_t i = 0; i < s->series_count; i++) {
    const struct series *series = &s->series[i];
    fprintf(to, json ? ", \"%s\": [" : "%-26s", series->name);
    for (uint32_t n = 0; n < series->count; n++)
      fprintf(to, json && !n ? "%" PRIu64 : json ? ", %" PRIu64 : " %" PRIu64, series->value[n]);
    fputs(json ? "]" : "\n", to);
  }
  if (json) fputs("}\n", to);
}
