/* config.c: the machine's parameters: defaults, presets of the papers, names and limits. */
#include "sim/machine/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K << 10
#define M << 20
#define G << 30

/* Karma table 1. It says nothing about the size of the L1 caches, the network, functional units, queues or the operating system; its log buffers
   are FDR's (docs/simulator.md has where each value is from). */
static const struct sim_config karma = {
    .harts = 16,
    .ram_bytes = 4ull G,
    .protocol = PROTOCOL_MESI,
    .store_buffer = 16,
    .l1_bytes = 64 K,
    .l1_ways = 4,
    .l1_cycles = 3,
    .l2_bytes = 16 M,
    .l2_ways = 8,
    .l2_banks = 16,
    .l2_cycles = 21,
    .memory_cycles = 300,
    .hop_cycles = 2,
    .perturb_cycles = 3,
    .hold_cycles = 64,
    .clock_mhz = 3000,
    .link_rate = 24000, /* 8 bytes a cycle */
    .bank_cycles = 2,
    .bank_requests = 16,
    .misses = 8,
    .write_backs = 4,
    .memory_channels = 4,
    .memory_rate = 12800,
    .multiply_cycles = 3,
    .divide_cycles = 20,
    .float_cycles = 3,
    .float_divide_cycles = 16,
    .log_buffer = {[LOG_RACES] = {32 K, 10}},
    .barrier_cycles = 10000,
    .slice_cycles = 300000,
    .call_cycles = 150,
    .switch_cycles = 1500,
    .disk_cycles = 30000,
    .cut_cycles = 10000000,
};

/* FDR table 3 and section 7: cores of 4 GHz in a system of 1 GHz, so what the table has in cycles is four times as many here. 180 ns from memory are
   720 cycles over two links and back, directory included. Each processor's caches are one here, of the size of its L2; the directory is at memory. */
static void apply_fdr(struct sim_config *c) {
  c->harts = 4;
  c->ram_bytes = 2ull G;
  c->protocol = PROTOCOL_MOSI;
  c->l1_bytes = 4 M;
  c->l1_cycles = 2;
  c->l2_bytes = 128 M;
  c->l2_ways = 16;
  c->l2_banks = 4;
  c->l2_cycles = 48;
  c->memory_cycles = 470;
  c->memory_directory = true;
  c->hop_cycles = 40;
  c->torus = true;
  c->clock_mhz = 4000;
  c->link_rate = 6400;
  c->bank_cycles = 4;
  c->memory_rate = 6400;
  c->log_buffer[LOG_RACES] = (struct log_buffer_size){32 K, 10};
  c->log_buffer[LOG_CACHE_CHECKPOINT] = (struct log_buffer_size){1024 K, 50};
  c->log_buffer[LOG_MEMORY_CHECKPOINT] = (struct log_buffer_size){256 K, 70};
  c->log_buffer[LOG_INPUT] = (struct log_buffer_size){8 K, 10};
  c->log_buffer[LOG_INTERRUPTS] = (struct log_buffer_size){64 K, 10};
  c->log_buffer[LOG_DMA] = (struct log_buffer_size){32 K, 10};
  c->checkpoint_cycles = 1333333333;
  c->barrier_cycles = 40000;
  c->disk_cycles =
      8000000; /* the paper has none of its five disks': two milliseconds for a request, as they take turns */
  c->disk_rate = 40;
}

/* Small enough to be quick, large enough to be a machine: nothing waits for a link, a bank or a buffer. */
static void apply_default(struct sim_config *c) {
  c->harts = c->l2_banks = 4;
  c->l1_bytes = 32 K;
  c->l2_bytes = 4 M;
  c->link_rate = c->bank_cycles = c->bank_requests = c->misses = c->memory_rate = 0;
  c->multiply_cycles = c->divide_cycles = c->float_cycles = c->float_divide_cycles = 0;
  c->log_buffer[LOG_RACES] = (struct log_buffer_size){0};
}

bool config_preset(struct sim_config *config, const char *name) {
  *config = karma;
  if (!strcmp(name, "karma")) return true;
  if (!strcmp(name, "fdr")) {
    apply_fdr(config);
    return true;
  }
  apply_default(config);
  return !strcmp(name, "default");
}

/* -- Names ------------------------------------------------------------------------------------------------------------------------------------ */

enum field_kind { NUMBER, LONG, SWITCH, PROTOCOL, POLICY };

static const struct field {
  const char *name;
  size_t offset;
  enum field_kind kind;
} fields[] = {
#define FIELD(name, member, kind) \
  { name, offsetof(struct sim_config, member), kind }
    FIELD("harts", harts, NUMBER),
    FIELD("seed", seed, LONG),
    FIELD("ram", ram_bytes, LONG),
    FIELD("flat", flat, SWITCH),
    FIELD("protocol", protocol, PROTOCOL),
    FIELD("tso", tso, SWITCH),
    FIELD("store-buffer", store_buffer, NUMBER),
    FIELD("l1-size", l1_bytes, LONG),
    FIELD("l1-ways", l1_ways, NUMBER),
    FIELD("l1-cycles", l1_cycles, NUMBER),
    FIELD("l2-size", l2_bytes, LONG),
    FIELD("l2-ways", l2_ways, NUMBER),
    FIELD("l2-banks", l2_banks, NUMBER),
    FIELD("l2-cycles", l2_cycles, NUMBER),
    FIELD("memory-cycles", memory_cycles, NUMBER),
    FIELD("hop-cycles", hop_cycles, NUMBER),
    FIELD("torus", torus, SWITCH),
    FIELD("perturb-cycles", perturb_cycles, NUMBER),
    FIELD("hold-cycles", hold_cycles, NUMBER),
    FIELD("clock", clock_mhz, NUMBER),
    FIELD("link-rate", link_rate, NUMBER),
    FIELD("bank-cycles", bank_cycles, NUMBER),
    FIELD("bank-requests", bank_requests, NUMBER),
    FIELD("misses", misses, NUMBER),
    FIELD("write-backs", write_backs, NUMBER),
    FIELD("memory-channels", memory_channels, NUMBER),
    FIELD("memory-rate", memory_rate, NUMBER),
    FIELD("memory-directory", memory_directory, SWITCH),
    FIELD("disk-rate", disk_rate, NUMBER),
    FIELD("multiply-cycles", multiply_cycles, NUMBER),
    FIELD("divide-cycles", divide_cycles, NUMBER),
    FIELD("float-cycles", float_cycles, NUMBER),
    FIELD("float-divide-cycles", float_divide_cycles, NUMBER),
    FIELD("note-bits", note_bits, NUMBER),
    FIELD("counted-predecessors", counted_preds, SWITCH),
    FIELD("checkpoint-cycles", checkpoint_cycles, LONG),
    FIELD("barrier-cycles", barrier_cycles, NUMBER),
#define LOG(name, kind) \
  FIELD(name "-log", log_buffer[kind].bytes, LONG), FIELD(name "-log-rate", log_buffer[kind].rate, NUMBER)
    LOG("race", LOG_RACES),
    LOG("cache-checkpoint", LOG_CACHE_CHECKPOINT),
    LOG("memory-checkpoint", LOG_MEMORY_CHECKPOINT),
    LOG("input", LOG_INPUT),
    LOG("interrupt", LOG_INTERRUPTS),
    LOG("dma", LOG_DMA),
#undef LOG
    FIELD("interrupts", interrupt_policy, POLICY),
    FIELD("slice-cycles", slice_cycles, LONG),
    FIELD("call-cycles", call_cycles, NUMBER),
    FIELD("switch-cycles", switch_cycles, NUMBER),
    FIELD("disk-cycles", disk_cycles, NUMBER),
    FIELD("cut-cycles", cut_cycles, LONG),
#undef FIELD
};

static const char *read_number(const char *text, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 0);
  if (end == text || errno || *text == '-') return "is not a number";
  int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  if (shift) end++;
  if (*end) return "is not a number";
  if (*value > UINT64_MAX >> shift) return "is too large";
  *value <<= shift;
  return NULL;
}

static const char *read_switch(const char *text, bool *value) {
  *value = !strcmp(text, "yes");
  return *value || !strcmp(text, "no") ? NULL : "is neither yes nor no";
}

static const char *read_policy(const char *text, uint32_t *value) {
  static const char *const names[] = {"squash", "commit", "finish"}; /* enum interrupt_policy */
  for (*value = 0; *value < 3; ++*value)
    if (!strcmp(text, names[*value])) return NULL;
  return "is none of squash, commit and finish";
}

static const char *set_field(struct sim_config *config, const struct field *field, const char *text) {
  void *at = (char *)config + field->offset;
  uint64_t number = 0;
  if (field->kind == SWITCH) return read_switch(text, at);
  if (field->kind == PROTOCOL) {
    *(uint32_t *)at = !strcmp(text, "mosi") ? PROTOCOL_MOSI : PROTOCOL_MESI;
    return !strcmp(text, "mesi") || !strcmp(text, "mosi") ? NULL : "is neither mesi nor mosi";
  }
  if (field->kind == POLICY) return read_policy(text, at);
  const char *error = read_number(text, &number);
  if (error) return error;
  if (field->kind == NUMBER && number > UINT32_MAX) return "is too large";
  if (field->kind == NUMBER)
    *(uint32_t *)at = (uint32_t)number;
  else
    *(uint64_t *)at = number;
  return NULL;
}

const char *config_set(struct sim_config *config, const char *name, const char *value) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!strcmp(fields[i].name, name)) return set_field(config, &fields[i], value);
  return "is no parameter of the machine";
}

/* -- Files -------------------------------------------------------------------------------------------------------------------------------------- */

static char *trim(char *text) {
  while (*text == ' ' || *text == '\t') text++;
  char *end = text + strlen(text);
  while (end > text && strchr(" \t\r\n", end[-1])) *--end = 0;
  return text;
}

static const char *read_line(struct sim_config *config, char *line) {
  char *name = trim(line), *value = strchr(name, '=');
  if (!*name || *name == '#') return NULL;
  if (!value) return "is not of the form name = value";
  *value++ = 0;
  return config_set(config, trim(name), trim(value));
}

const char *config_read(struct sim_config *config, const char *path) {
  static char message[512];
  char line[256], copy[256];
  FILE *file = fopen(path, "re");
  if (!file) {
    snprintf(message, sizeof message, "%s: can't be opened", path);
    return message;
  }
  for (int number = 1; fgets(line, sizeof line, file); number++) {
    snprintf(copy, sizeof copy, "%s", line);
    const char *error = read_line(config, line);
    if (!error) continue;
    snprintf(message, sizeof message, "%s:%d: `%s` %s", path, number, trim(copy), error);
    fclose(file);
    return message;
  }
  fclose(file);
  return NULL;
}

/* -- Limits ------------------------------------------------------------------------------------------------------------------------------------ */

static bool is_power(uint64_t n) {
  return n && !(n & (n - 1));
}

static bool is_cache(uint64_t bytes, uint64_t parts) {
  return parts && bytes % (parts * 64) == 0 && is_power(bytes / (parts * 64));
}

static const char *check_limits(const struct sim_config *c) {
  if (!c->write_backs || c->write_backs > SIM_MAX_WRITE_BACKS) return "write-backs: 1 to 16 are possible";
  if (!c->memory_channels || c->memory_channels > SIM_MAX_CHANNELS)
    return "memory-channels: 1 to 16 are possible";
  if (!c->clock_mhz) return "clock: at least 1 MHz";
  if (c->misses == 1 && c->tso) return "misses: at least 2 with --tso";
  for (int kind = 0; kind < LOG_KINDS; kind++)
    if (c->log_buffer[kind].bytes && !c->log_buffer[kind].rate)
      return "a log's buffer that is not emptied fills for ever: -log-rate is 0";
  return NULL;
}

const char *config_check(const struct sim_config *c) {
  if (!c->harts || c->harts > SIM_MAX_HARTS) return "harts: 1 to 64 are possible";
  if (c->ram_bytes < 1 M || c->ram_bytes > 64ull G || c->ram_bytes % 4096)
    return "ram: 1M to 64G in whole pages are possible";
  if (!c->slice_cycles) return "slice-cycles: a turn has at least one cycle";
  if (c->flat) return NULL;
  if (!is_cache(c->l1_bytes, c->l1_ways))
    return "l1-size and l1-ways: the number of sets must be a power of two";
  if (!is_power(c->l2_banks) || c->l2_banks > 64) return "l2-banks: a power of two up to 64";
  if (!is_cache(c->l2_bytes, (uint64_t)c->l2_ways * c->l2_banks))
    return "l2-size, l2-ways and l2-banks: the number of sets in a bank must be a power of two";
  if (c->tso && !c->store_buffer) return "store-buffer: at least one entry with --tso";
  if (!c->l1_cycles || !c->l2_cycles || !c->memory_cycles)
    return "l1-cycles, l2-cycles and memory-cycles: at least 1";
  return check_limits(c);
}
