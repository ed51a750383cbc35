/* races.c: harts race on memory while timers and other harts interrupt them and page tables change below them. What is printed depends on the order of nearly
 * everything; a replay must print the same. */
#include "board.h"

enum { ROUNDS = 400 };

static u64 top[512] __attribute__((aligned(PAGE)));
static u64 middle[512] __attribute__((aligned(PAGE)));
static u64 low[512] __attribute__((aligned(PAGE)));
static uint8_t pages[2][PAGE] __attribute__((aligned(PAGE)));
static volatile u64 words[16], ticks, interrupts;
static int ready, done;

void trapped(struct frame *frame) {
  u64 cause = READ_CSR(scause), now = READ_CSR(time);
  (void)frame;
  if (cause << 1 == 10) { /* the timer */
    ticks = ticks * 31 + now;
    firmware(0x54494d45, 0, now + 3 + now % 5, 0, 0);
  } else if (cause >> 63) {
    __asm__ volatile("csrci sip, 2");
    interrupts = interrupts * 17 + now;
  } else { /* nothing else is expected */
    firmware(0x53525354, 0, 0, 1, 0);
  }
}

static void begin_hart(void) {
  WRITE_CSR(satp, 8ull << 60 | (u64)top >> 12);
  __asm__ volatile("sfence.vma" : : : "memory");
  firmware(0x54494d45, 0, READ_CSR(time) + 5, 0, 0);
  SET_CSR(sie, 1 << 5 | 1 << 1);
  SET_CSR(sstatus, 2);
}

/* Page 4 G is now one page, now the other: hart 0 changes it and tells the others. */
static void change_page(int round) {
  low[0] = (u64)pages[round & 1] >> 12 << 10 | ALL;
  __asm__ volatile("sfence.vma" : : : "memory");
  firmware(0x52464e43, 1, ~1ull, 0, 0);
}

static void race(u64 hart) {
  volatile u64 *window = (volatile u64 *)(4ull << 30);
  u64 state = hart + 1;
  for (int round = 0; round < ROUNDS; round++) {
    u64 at = state % 16;
    state = state * 6364136223846793005 + words[at] + window[at];
    words[(at + hart) % 16] = state >> 7;
    window[(at + 3) % 16] += hart + 1;
    if (hart == 0 && round % 8 == 0) change_page(round);
    if (round % 16 == 5) firmware(0x735049, 0, 1ull << ((hart + 1) % 4), 0, 0);
    if (round % 32 == 9) __asm__ volatile("wfi");
    /* Over the end of a line, and of a page. */
    *(volatile u64 *)((uint8_t *)pages[0] + PAGE - 4) += state;
  }
  __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
}

void other(u64 hart) {
  begin_hart();
  __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
  while (!(__atomic_load_n(&ready, __ATOMIC_SEQ_CST) & 0x100)) continue;
  race(hart);
}

void main(u64 hart, const void *tree) {
  u64 harts = 1, digest = 0;
  (void)tree;
  top[0] = ALL;
  top[4] = (u64)middle >> 12 << 10 | VALID;
  middle[0] = (u64)low >> 12 << 10 | VALID;
  low[0] = (u64)pages[0] >> 12 << 10 | ALL;
  begin_hart();
  while (firmware(0x48534d, 0, harts, begin_address, 0) == 0) harts++;
  while ((u64)__atomic_load_n(&ready, __ATOMIC_SEQ_CST) != harts - 1) continue;
  __atomic_fetch_or(&ready, 0x100, __ATOMIC_SEQ_CST);
  race(hart);
  while ((u64)__atomic_load_n(&done, __ATOMIC_SEQ_CST) != harts) continue;
  for (int i = 0; i < 16; i++) digest = digest * 31 + words[i];
  for (int i = 0; i < PAGE / 8; i++) digest = digest * 31 + ((u64 *)pages[0])[i] + 7 * ((u64 *)pages[1])[i];
  print_hex(digest + ticks * 3 + interrupts * 5);
  firmware(0x53525354, 0, 0, 0, 0);
  for (;;) continue;
}
