/* devices.c: a small operating system with drivers: interrupts over the controller, characters from the serial port, sectors from the disk. It checks what they
 * do, and races with the disk's transfers: other harts read and write the very lines into which it stores.
 *
 * The disk has to begin with the line "reprise", over and over. What is typed, up to the end of a line, is printed; then a number that depends on every race. */
#include "board.h"

enum { UART = 1, DISK = 2, SECTOR = 512, QUEUE = 8, ROUNDS = 12 };
/* The devices are seen at 8 G. */
#define DEVICES (8ull << 30)
#define PLIC(offset) (*(volatile uint32_t *)(DEVICES + (offset)))
#define SERIAL(offset) (*(volatile uint8_t *)(DEVICES + 0x10000000 + (offset)))
#define VIRTIO(offset) (*(volatile uint32_t *)(DEVICES + 0x10001000 + (offset)))
#define CLAIM(hart) PLIC(0x200004 + 0x1000 * (hart))

static u64 top[512] __attribute__((aligned(PAGE)));
static struct {
  struct {
    u64 at;
    uint32_t bytes;
    uint16_t flags, next;
  } table[QUEUE];
  struct {
    uint16_t flags, count, ring[QUEUE];
  } asked;
  struct {
    uint16_t flags, count;
    struct {
      uint32_t number, bytes;
    } ring[QUEUE];
  } answered;
} queue __attribute__((aligned(PAGE)));
static struct {
  uint32_t kind, reserved;
  u64 sector;
} head;
static volatile uint8_t result;
static volatile u64 raced[SECTOR / 8], quiet[SECTOR / 8], digests[64 * 8];
static char typed[64];
static volatile int typed_count, interrupts, ready, done, over;

static void print(const char *text) {
  for (; *text; text++) SERIAL(0) = (uint8_t)*text;
}

static void check(int good, const char *what) {
  if (good) return;
  print("FAILED: ");
  print(what);
  print("\n");
  firmware(0x53525354, 0, 0, 1, 0);
}

void trapped(struct frame *frame) {
  u64 hart = frame->x[4];
  check(READ_CSR(scause) == (1ull << 63 | 9), "an interrupt of a device");
  uint32_t source = CLAIM(hart);
  if (source == UART) {
    while (SERIAL(5) & 1) typed[typed_count++ % 64] = (char)SERIAL(0);
  } else if (source == DISK) {
    VIRTIO(0x64) = VIRTIO(0x60);
    interrupts = interrupts + 1;
  }
  if (source) CLAIM(hart) = source;
}

static void begin_hart(u64 hart) {
  __asm__ volatile("mv tp, %0" : : "r"(hart));
  WRITE_CSR(satp, 8ull << 60 | (u64)top >> 12);
  __asm__ volatile("sfence.vma" : : : "memory");
  PLIC(0x200000 + 0x1000 * hart) = 0;
  SET_CSR(sie, 1 << 9);
  SET_CSR(sstatus, 2);
}

static void begin_devices(u64 harts) {
  PLIC(4 * UART) = PLIC(4 * DISK) = 1;
  PLIC(0x2000) |= 1 << DISK;
  PLIC(0x2000 + 0x80 * (harts - 1)) |= 1 << UART;
  SERIAL(1) = 1;
  check(VIRTIO(0) == 0x74726976 && VIRTIO(4) == 2 && VIRTIO(8) == 2, "a block device");
  check(VIRTIO(0x100) == 64, "its size");
  VIRTIO(0x70) = 0;
  VIRTIO(0x70) = 3;
  VIRTIO(0x24) = 1;
  VIRTIO(0x20) = 1;
  VIRTIO(0x70) = 11;
  VIRTIO(0x38) = QUEUE;
  VIRTIO(0x80) = (uint32_t)(u64)queue.table;
  VIRTIO(0x90) = (uint32_t)(u64)&queue.asked;
  VIRTIO(0xa0) = (uint32_t)(u64)&queue.answered;
  VIRTIO(0x44) = 1;
  VIRTIO(0x38) = 0; /* of a queue in use, nothing changes */
  VIRTIO(0x70) = 15;
  check(VIRTIO(0x70) == 15 && VIRTIO(0x44) == 1, "a device that is ready");
}

static int move(uint32_t kind, u64 sector, volatile void *bytes) {
  static uint16_t asked;
  head.kind = kind;
  head.sector = sector;
  queue.table[0].at = (u64)&head, queue.table[0].bytes = sizeof head, queue.table[0].flags = 1;
  queue.table[0].next = 1;
  queue.table[1].at = (u64)bytes, queue.table[1].bytes = SECTOR;
  queue.table[1].flags = kind ? 1 : 3;
  queue.table[1].next = 2;
  queue.table[2].at = (u64)&result, queue.table[2].bytes = 1, queue.table[2].flags = 2;
  queue.asked.ring[asked++ % QUEUE] = 0;
  __atomic_store_n(&queue.asked.count, asked, __ATOMIC_SEQ_CST);
  VIRTIO(0x50) = 0;
  while (__atomic_load_n(&queue.answered.count, __ATOMIC_SEQ_CST) != asked) continue;
  return result;
}

static void race(u64 hart) {
  u64 state = hart + 1;
  while (!over) {
    u64 at = state >> 32 & (SECTOR / 8 - 1);
    state = state * 6364136223846793005 + raced[at] + 1;
    if (state >> 62 == 0) raced[(at + hart) % (SECTOR / 8)] = state;
  }
  digests[8 * hart] = state;
}

void other(u64 hart) {
  begin_hart(hart);
  __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
  race(hart);
  __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
}

static u64 use_disk(void) {
  u64 digest = 0, first;
  check(move(0, 0, quiet) == 0, "a sector");
  first = quiet[0];
  check(first == 0x0a65736972706572, "its content");
  for (int round = 0; round < ROUNDS; round++) {
    check(move(0, (u64)round, raced) == 0, "a sector while others read it");
    check(move(1, (u64)round + 16, raced) == 0, "a sector while others write it");
    check(move(0, (u64)round + 16, quiet) == 0, "what was written");
    for (int i = 0; i < SECTOR / 8; i++) digest = digest * 31 + quiet[i];
  }
  for (int i = 0; i < SECTOR / 8; i++) quiet[i] = (u64)i * 3;
  check(move(1, 40, quiet) == 0, "a sector that is written");
  for (int i = 0; i < SECTOR / 8; i++) quiet[i] = 0;
  check(move(0, 40, quiet) == 0 && quiet[9] == 27, "and read again");
  check(move(0, 64, quiet) == 1, "a sector that is not there");
  check(move(77, 0, quiet) == 2, "what it does not know");
  check(interrupts > 0, "its interrupts");
  return digest;
}

void main(u64 hart, const void *tree) {
  u64 harts = 1, digest;
  (void)tree;
  top[0] = ALL;
  top[8] = 1ull << 40 >> 12 << 10 | VALID | READ | WRITE | ACCESSED | DIRTY;
  begin_hart(hart);
  while (firmware(0x48534d, 0, harts, begin_address, 0) == 0) harts++;
  while ((u64)__atomic_load_n(&ready, __ATOMIC_SEQ_CST) != harts - 1) continue;
  begin_devices(harts);
  digest = use_disk();
  over = 1;
  while ((u64)__atomic_load_n(&done, __ATOMIC_SEQ_CST) != harts - 1) continue;
  while (!typed_count || typed[(typed_count - 1) % 64] != '\n') continue;
  typed[typed_count % 64] = 0;
  print(typed);
  for (u64 i = 0; i < harts; i++) digest = digest * 31 + digests[8 * i];
  print_hex(digest);
  firmware(0x53525354, 0, 0, 0, 0);
  for (;;) continue;
}
