/* traps.c: harts run into exceptions and interrupt themselves, one after the other, while hart 0 makes them forget their translations. A fence comes before or behind
 * an exception of the same instruction, and a replay must know which: the code that traps lies in a page of its own. */
#include "board.h"

enum { ROUNDS = 300 };
#define CODE (4ull << 30)

static u64 top[512] __attribute__((aligned(PAGE)));
static u64 middle[512] __attribute__((aligned(PAGE)));
static u64 low[512] __attribute__((aligned(PAGE)));
/* ebreak; ld t0, 0(a0); ret */
static uint32_t code[PAGE / 4] __attribute__((aligned(PAGE))) = {0x00100073, 0x00053283, 0x00008067};
static u64 digests[64 * 8];
static int ready, done;

void trapped(struct frame *frame) {
  u64 cause = READ_CSR(scause), *digest = &digests[8 * frame->x[4]];
  if (cause >> 63)
    __asm__ volatile("csrci sip, 2");
  else
    frame->pc += 4;
  *digest = *digest * 31 + cause + READ_CSR(time);
}

static void begin_hart(u64 hart) {
  __asm__ volatile("mv tp, %0" : : "r"(hart));
  WRITE_CSR(satp, 8ull << 60 | (u64)top >> 12);
  __asm__ volatile("sfence.vma" : : : "memory");
  SET_CSR(sie, 1 << 1);
  SET_CSR(sstatus, 2);
}

void other(u64 hart) {
  begin_hart(hart);
  __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
  while (!(__atomic_load_n(&ready, __ATOMIC_SEQ_CST) & 0x100)) continue;
  for (int round = 0; round < ROUNDS; round++) {
    ((void (*)(u64))CODE)(CODE + PAGE); /* where no page is */
    __asm__ volatile("csrsi sip, 2");
  }
  __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
}

void main(u64 hart, const void *tree) {
  u64 harts = 1, digest = 0;
  (void)tree;
  top[0] = ALL;
  top[4] = (u64)middle >> 12 << 10 | VALID;
  middle[0] = (u64)low >> 12 << 10 | VALID;
  low[0] = (u64)code >> 12 << 10 | ALL;
  begin_hart(hart);
  while (firmware(0x48534d, 0, harts, begin_address, 0) == 0) harts++;
  while ((u64)__atomic_load_n(&ready, __ATOMIC_SEQ_CST) != harts - 1) continue;
  __atomic_fetch_or(&ready, 0x100, __ATOMIC_SEQ_CST);
  while ((u64)__atomic_load_n(&done, __ATOMIC_SEQ_CST) != harts - 1) firmware(0x52464e43, 1, ~1ull, 0, 0);
  for (u64 i = 0; i < harts; i++) digest = digest * 31 + digests[8 * i];
  print_hex(digest);
  firmware(0x53525354, 0, 0, 0, 0);
  for (;;) continue;
}
