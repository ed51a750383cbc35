/* config.c: the machine's parameters: defaults, presets of the papers, names and limits. */
#include "sim/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K << 10
#define M << 20
#define G << 30

/* Karma table 1, which says nothing about the size of the L1 caches (64 KB here), the network or the operating system. */
#define KARMA                                                                                            \
  .harts = 16, .ram_bytes = 4ull G, .protocol = PROTOCOL_MESI, .store_buffer = 16, .l1_bytes = 64 K,     \
  .l1_ways = 4, .l1_cycles = 3, .l2_bytes = 16 M, .l2_ways = 8, .l2_banks = 16, .l2_cycles = 21,         \
  .memory_cycles = 300, .hop_cycles = 2, .perturb_cycles = 3, .hold_cycles = 64, .slice_cycles = 300000, \
  .call_cycles = 150, .switch_cycles = 1500, .disk_cycles = 30000

static const struct sim_config karma = {KARMA};

/* FDR table 3: 1 GHz, 180 ns from memory, MOSI; the L2 of its four processors together. */
static void apply_fdr(struct sim_config *c) {
  c->harts = 4;
  c->ram_bytes = 2ull G;
  c->protocol = PROTOCOL_MOSI;
  c->l1_bytes = 128 K;
  c->l1_cycles = 2;
  c->l2_ways = c->l2_banks = 4;
  c->l2_cycles = 12;
  c->memory_cycles = 140;
  c->hop_cycles = 10;
  c->torus = true;
}

/* Small enough to be quick, large enough to be a machine. */
static void apply_default(struct sim_config *c) {
  c->harts = c->l2_banks = 4;
  c->l1_bytes = 32 K;
  c->l2_bytes = 4 M;
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
    FIELD("checkpoint-cycles", checkpoint_cycles, LONG),
    FIELD("interrupts", interrupt_policy, POLICY),
    FIELD("slice-cycles", slice_cycles, LONG),
    FIELD("call-cycles", call_cycles, NUMBER),
    FIELD("switch-cycles", switch_cycles, NUMBER),
    FIELD("disk-cycles", disk_cycles, NUMBER),
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

const char *config_check(const struct sim_config *c) {
  if (!c->harts || c->harts > SIM_MAX_HARTS) return "harts: 1 to 31 are possible";
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
  return NULL;
}
