/* vectors.c: vector instructions in supervisor mode: illegal until sstatus turns them on; then harts race with them while others interrupt them between two elements,
 * and pages are missing there. Handlers look at vstart, and use the unit themselves. */
#include "board.h"

enum { ROUNDS = 40, PAGES = 4, HARTS = 16, VS = 3 << 9, ILLEGAL = 2, LOAD_PAGE = 13, STORE_PAGE = 15 };
#define REGION (4ull << 30)
#define VECTOR(text) ".option push\n .option arch, +v\n" text "\n .option pop"

static u64 top[512] __attribute__((aligned(PAGE)));
static u64 middle[512] __attribute__((aligned(PAGE)));
static u64 low[512] __attribute__((aligned(PAGE)));
static uint8_t pool[HARTS * PAGES][PAGE] __attribute__((aligned(PAGE)));
static uint8_t shared[512] __attribute__((aligned(64)));
static u64 digests[64 * 8];
static int ready, done;

/* As an operating system would that wants the unit for itself. */
static u64 borrow(void) {
  u64 start, length, type, control, sum;
  static uint8_t kept[64][512];
  register u64 hart __asm__("tp");
  __asm__ volatile(VECTOR("csrr %0, vstart\n csrr %1, vl\n csrr %2, vtype\n csrr %3, vcsr\n csrw vstart, "
                          "zero\n vs8r.v v8, (%4)")
                   : "=&r"(start), "=&r"(length), "=&r"(type), "=&r"(control)
                   : "r"(kept[hart])
                   : "memory");
  __asm__ volatile(VECTOR("vsetivli zero, 16, e8, m1, ta, ma\n vmv.v.i v8, 3\n vmv.v.i v9, 1\n vredsum.vs "
                          "v9, v8, v9\n vmv.x.s %0, v9\n"
                          "vl8re8.v v8, (%5)\n vsetvl zero, %2, %3\n csrw vcsr, %4\n csrw vstart, %1")
                   : "=&r"(sum)
                   : "r"(start), "r"(length), "r"(type), "r"(control), "r"(kept[hart])
                   : "memory");
  return start * 64 + sum;
}

void trapped(struct frame *frame) {
  u64 cause = READ_CSR(scause), *digest = &digests[8 * frame->x[4]], value = 0;
  if (cause >> 63) {
    __asm__ volatile("csrci sip, 2");
    value = borrow();
  } else if (cause == LOAD_PAGE || cause == STORE_PAGE) {
    u64 number = (READ_CSR(stval) - REGION) / PAGE;
    low[number] = (u64)pool[number] >> 12 << 10 | ALL;
    __asm__ volatile("sfence.vma" ::: "memory");
    value = borrow();
  } else {
    frame->pc += 4;
    value = READ_CSR(stval);
  }
  *digest = *digest * 31 + cause + value;
}

static void begin_hart(u64 hart) {
  __asm__ volatile("mv tp, %0" : : "r"(hart));
  WRITE_CSR(satp, 8ull << 60 | (u64)top >> 12);
  __asm__ volatile("sfence.vma" : : : "memory");
  __asm__ volatile(
      VECTOR("vsetvli t0, zero, e8, m1, ta, ma\n csrw vstart, zero\n vmv.v.i v8, 0\n vl1re8.v v8, (%0)")
      :
      : "r"(shared)
      : "t0");
  SET_CSR(sstatus, 1 << 9);
  u64 status = READ_CSR(sstatus);
  digests[8 * hart] = digests[8 * hart] * 31 + (status >> 63) * 2 + ((status & VS) == VS);
  SET_CSR(sie, 1 << 1);
  SET_CSR(sstatus, 2);
}

void other(u64 hart) {
  begin_hart(hart);
  __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
  while (!(__atomic_load_n(&ready, __ATOMIC_SEQ_CST) & 0x100)) continue;
  u64 mine = hart + 1, own = REGION + (hart - 1) % HARTS * PAGES * PAGE;
  for (u64 round = 0; round < ROUNDS; round++) {
    u64 seen;
    __asm__ volatile(
        VECTOR("vsetvli t0, %5, e8, m2, tu, mu\n vle8.v v8, (%1)\n vadd.vx v10, v8, %4\n vse8.v v10, (%2)\n"
               "vlseg2e8.v v12, (%3)\n vxor.vv v12, v12, v10\n vsseg2e8.v v12, (%3)\n"
               "vmv.s.x v16, zero\n vredxor.vs v16, v8, v16\n vredsum.vs v16, v14, v16\n vmv.x.s %0, v16")
        : "=&r"(seen)
        : "r"(shared + mine % 448), "r"(shared + (mine >> 9) % 448),
          "r"(own + (round * 410) % (PAGES * PAGE - 64)), "r"(mine), "r"(mine % 30 + 2)
        : "t0", "memory");
    mine = (mine ^ seen) * 0x9e3779b97f4a7c15 >> 7;
  }
  digests[8 * hart] = digests[8 * hart] * 31 + mine;
  __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
}

void main(u64 hart, const void *tree) {
  u64 harts = 1, digest = 0;
  (void)tree;
  top[0] = ALL;
  top[4] = (u64)middle >> 12 << 10 | VALID;
  middle[0] = (u64)low >> 12 << 10 | VALID;
  begin_hart(hart);
  while (firmware(0x48534d, 0, harts, begin_address, 0) == 0) harts++;
  while ((u64)__atomic_load_n(&ready, __ATOMIC_SEQ_CST) != harts - 1) continue;
  __atomic_fetch_or(&ready, 0x100, __ATOMIC_SEQ_CST);
  while ((u64)__atomic_load_n(&done, __ATOMIC_SEQ_CST) != harts - 1) {
    for (volatile int wait = 0; wait < 2000; wait++) continue;
    firmware(0x735049, 0, ~1ull, 0, 0);
  }
  print_hex(digests[0]);
  for (u64 i = 0; i < harts; i++) digest = digest * 31 + digests[8 * i];
  print_hex(digest);
  firmware(0x53525354, 0, 0, 0, 0);
  for (;;) continue;
}
