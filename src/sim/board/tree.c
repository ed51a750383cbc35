/* tree.c: the flattened device tree that tells the operating system what the board has: memory, harts with their timers, devices, and the command line. */
#include <string.h>

#include "sim/board/devices.h"
#include "sim/machine/check.h"

enum { MAGIC = 0xd00dfeed, BEGIN_NODE = 1, END_NODE = 2, PROPERTY = 3, END = 9 };
enum { UART_CLOCK = 1843200 };
enum { HEADER_BYTES = 40, RESERVED_BYTES = 16, STRINGS_BYTES = 512, VERSION = 17, OLDEST_VERSION = 16 };

struct tree {
  uint8_t *bytes;
  size_t count;
  char strings[STRINGS_BYTES];
  size_t strings_count;
};

static void put_bytes(struct tree *tree, const void *bytes, size_t count) {
  CHECK(tree->count + count + 4 < TREE_BYTES - STRINGS_BYTES, "the device tree is too large");
  memcpy(tree->bytes + tree->count, bytes, count);
  tree->count += count;
  while (tree->count % 4) tree->bytes[tree->count++] = 0;
}

static void put(struct tree *tree, uint32_t value) {
  uint32_t big = __builtin_bswap32(value);
  put_bytes(tree, &big, sizeof big);
}

static void set_word(uint8_t *at, uint32_t value) {
  uint32_t big = __builtin_bswap32(value);
  memcpy(at, &big, sizeof big);
}

static void begin(struct tree *tree, const char *name) {
  put(tree, BEGIN_NODE);
  put_bytes(tree, name, strlen(name) + 1);
}

static void end(struct tree *tree) {
  put(tree, END_NODE);
}

static uint32_t string_at(struct tree *tree, const char *name) {
  for (size_t at = 0; at < tree->strings_count; at += strlen(tree->strings + at) + 1)
    if (!strcmp(tree->strings + at, name)) return (uint32_t)at;
  size_t at = tree->strings_count, length = strlen(name) + 1;
  CHECK(at + length <= STRINGS_BYTES, "too many names in the device tree");
  memcpy(tree->strings + at, name, length);
  tree->strings_count += length;
  return (uint32_t)at;
}

static void property(struct tree *tree, const char *name, const void *bytes, size_t count) {
  put(tree, PROPERTY);
  put(tree, (uint32_t)count);
  put(tree, string_at(tree, name));
  put_bytes(tree, bytes, count);
}

static void text(struct tree *tree, const char *name, const char *value) {
  property(tree, name, value, strlen(value) + 1);
}

static void number(struct tree *tree, const char *name, uint32_t value) {
  uint32_t big = __builtin_bswap32(value);
  property(tree, name, &big, sizeof big);
}

static void long_number(struct tree *tree, const char *name, uint64_t value) {
  uint64_t big = __builtin_bswap64(value);
  property(tree, name, &big, sizeof big);
}

static void put_harts(struct tree *tree, const struct machine *machine) {
  char name[32];
  begin(tree, "cpus");
  number(tree, "#address-cells", 1);
  number(tree, "#size-cells", 0);
  number(tree, "timebase-frequency", TIMEBASE_MHZ * 1000000);
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    snprintf(name, sizeof name, "cpu@%x", i);
    begin(tree, name);
    text(tree, "device_type", "cpu");
    number(tree, "reg", i);
    text(tree, "status", "okay");
    text(tree, "compatible", "riscv");
    text(tree, "riscv,isa", "rv64imafdcv_zba_zbb_zbs");
    text(tree, "mmu-type", "riscv,sv39");
    begin(tree, "interrupt-controller");
    number(tree, "#interrupt-cells", 1);
    property(tree, "interrupt-controller", "", 0);
    text(tree, "compatible", "riscv,cpu-intc");
    number(tree, "phandle", i + 1);
    end(tree);
    end(tree);
  }
  end(tree);
}

static void put_memory(struct tree *tree, const struct machine *machine) {
  uint64_t range[2] = {__builtin_bswap64(BOARD_RAM_START),
                       __builtin_bswap64(machine->ram_bytes - BOARD_RAM_START)};
  begin(tree, "memory@200000");
  text(tree, "device_type", "memory");
  property(tree, "reg", range, sizeof range);
  end(tree);
}

static void words(struct tree *tree, const char *name, const uint32_t *values, size_t count) {
  uint32_t big[2 * MOST_CONTEXTS];
  CHECK(count <= sizeof big / sizeof *big, "a property of the device tree has too many words");
  for (size_t i = 0; i < count; i++) big[i] = __builtin_bswap32(values[i]);
  property(tree, name, big, count * sizeof *big);
}

static void place(struct tree *tree, uint64_t start, uint64_t bytes) {
  words(tree, "reg", (uint32_t[]){(uint32_t)(start >> 32), (uint32_t)start, 0, (uint32_t)bytes}, 4);
}

/* Harts' own interrupt controllers have the handles 1 to their number, the board's the one behind. */
static uint32_t plic_handle(const struct machine *machine) {
  return machine->config.harts + 1;
}

static void put_plic(struct tree *tree, const struct machine *machine) {
  uint32_t contexts[2 * MOST_CONTEXTS];
  for (size_t i = 0; i < machine->config.harts; i++) {
    contexts[2 * i] = (uint32_t)i + 1;
    contexts[2 * i + 1] = INTERRUPT_EXTERNAL;
  }
  begin(tree, "interrupt-controller@10000000000");
  text(tree, "compatible", "sifive,plic-1.0.0");
  place(tree, PLIC_START, PLIC_BYTES);
  property(tree, "interrupt-controller", "", 0);
  number(tree, "#interrupt-cells", 1);
  number(tree, "#address-cells", 0);
  number(tree, "riscv,ndev", SOURCE_COUNT - 1);
  words(tree, "interrupts-extended", contexts, (size_t)2 * machine->config.harts);
  number(tree, "phandle", plic_handle(machine));
  end(tree);
}

static void put_devices(struct tree *tree, const struct machine *machine) {
  put_plic(tree, machine);
  begin(tree, "serial@10010000000");
  text(tree, "compatible", "ns16550a");
  place(tree, UART_START, UART_BYTES);
  number(tree, "clock-frequency", UART_CLOCK);
  number(tree, "interrupt-parent", plic_handle(machine));
  number(tree, "interrupts", SOURCE_UART);
  end(tree);
  if (!disk_bytes(machine)) return;
  begin(tree, "virtio@10010001000");
  text(tree, "compatible", "virtio,mmio");
  place(tree, DISK_START, DISK_BYTES);
  number(tree, "interrupt-parent", plic_handle(machine));
  number(tree, "interrupts", SOURCE_DISK);
  end(tree);
}

static void put_choice(struct tree *tree, const char *arguments, uint64_t initrd, uint64_t initrd_end) {
  begin(tree, "chosen");
  text(tree, "bootargs", arguments);
  if (initrd_end > initrd) {
    long_number(tree, "linux,initrd-start", initrd);
    long_number(tree, "linux,initrd-end", initrd_end);
  }
  end(tree);
}

static size_t finish(struct tree *tree, size_t structure) {
  put(tree, END);
  size_t strings = tree->count;
  memcpy(tree->bytes + strings, tree->strings, tree->strings_count);
  size_t total = strings + tree->strings_count;
  const uint32_t header[10] = {MAGIC,
                               (uint32_t)total,
                               (uint32_t)structure,
                               (uint32_t)strings,
                               HEADER_BYTES,
                               VERSION,
                               OLDEST_VERSION,
                               0,
                               (uint32_t)tree->strings_count,
                               (uint32_t)(strings - structure)};
  for (size_t i = 0; i < 10; i++) set_word(tree->bytes + 4 * i, header[i]);
  return total;
}

size_t board_tree(const struct machine *machine, const char *arguments, uint64_t initrd, uint64_t initrd_end,
                  uint8_t *bytes) {
  struct tree tree = {.bytes = bytes, .count = HEADER_BYTES + RESERVED_BYTES};
  memset(bytes, 0, tree.count);
  begin(&tree, "");
  number(&tree, "#address-cells", 2);
  number(&tree, "#size-cells", 2);
  text(&tree, "compatible", "reprise,sim");
  text(&tree, "model", "reprise,sim");
  put_choice(&tree, arguments, initrd, initrd_end);
  put_memory(&tree, machine);
  put_harts(&tree, machine);
  put_devices(&tree, machine);
  end(&tree);
  return finish(&tree, HEADER_BYTES + RESERVED_BYTES);
}
