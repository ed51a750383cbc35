/* basic.c: a small operating system: console, timer, page tables, user mode, faults, atomic operations between harts, and interrupts between them.
 *
 * What it prints must not depend on the number of harts, on caches or on the seed. */
#include "board.h"

void enter_user(u64 pc, u64 stack);

/* -- Firmware ---------------------------------------------------------------------------------------------------------------- */

static void print(const char *text) {
  for (; *text; text++) firmware(1, 0, (u64)(unsigned char)*text, 0, 0);
}

static void print_number(u64 value) {
  char digits[24];
  int n = 23;
  digits[n] = 0;
  do digits[--n] = (char)('0' + value % 10);
  while (value /= 10);
  print(digits + n);
}

static void stop(int failed) {
  firmware(0x53525354, 0, 0, (u64)failed, 0);
}

static void check(int good, const char *what) {
  if (good) return;
  print("FAILED: ");
  print(what);
  print("\n");
  stop(1);
}

/* -- Traps --------------------------------------------------------------------------------------------------------------------- */

static volatile u64 last_cause, last_value, ticks, calls, interrupted[64];
static void after_user(void);

/* WFI ends when an interrupt is pending, permitted or not: so none can come between the look and the wait. */
static void wait_until(const volatile u64 *happened) {
  while (!*happened) {
    __asm__ volatile("csrci sstatus, 2");
    if (!*happened) __asm__ volatile("wfi");
    __asm__ volatile("csrsi sstatus, 2");
  }
}

void trapped(struct frame *frame) {
  u64 cause = READ_CSR(scause), timer = 1ull << 63 | 5, software = 1ull << 63 | 1;
  if (cause == timer) {
    ticks++;
    firmware(0x54494d45, 0, ~0ull, 0, 0);
  } else if (cause == software) {
    __asm__ volatile("csrci sip, 2");
    interrupted[frame->x[4]] = 1;
  } else if (cause == 8) {
    calls++;
    frame->pc += 4;
    if (frame->x[17] == 93) { /* the user program ends: back to supervisor mode */
      frame->pc = (u64)after_user;
      frame->status |= 0x100;
    }
  } else { /* the next instruction, which is four bytes behind or in ra */
    last_cause = cause;
    last_value = READ_CSR(stval);
    frame->pc = cause == 12 ? frame->x[1] : frame->pc + 4;
  }
}

/* -- Memory -------------------------------------------------------------------------------------------------------------------- */

static u64 top[512] __attribute__((aligned(PAGE)));
static u64 middle[512] __attribute__((aligned(PAGE)));
static u64 low[512] __attribute__((aligned(PAGE)));
static uint8_t pages[4][PAGE] __attribute__((aligned(PAGE)));

/* The first gigabyte as it is; at 4 G small pages. */
static void map(void) {
  top[0] = (u64)0 << 10 | ALL;
  top[4] = (u64)middle >> 12 << 10 | VALID;
  middle[0] = (u64)low >> 12 << 10 | VALID;
  low[0] = (u64)pages[0] >> 12 << 10 | VALID | READ | WRITE | ACCESSED | DIRTY;
  low[1] = (u64)pages[1] >> 12 << 10 | VALID | READ | ACCESSED;
  low[2] = (u64)pages[2] >> 12 << 10 | VALID | READ | WRITE | EXECUTE | USER | ACCESSED | DIRTY;
  low[3] = (u64)pages[3] >> 12 << 10 | VALID | READ | WRITE; /* neither accessed nor dirty */
  WRITE_CSR(satp, 8ull << 60 | (u64)top >> 12);
  __asm__ volatile("sfence.vma" : : : "memory");
}

static u64 load(u64 address) {
  u64 value = 0;
  last_cause = 0;
  __asm__ volatile(".option push\n.option norvc\nld %0, 0(%1)\n.option pop"
                   : "+r"(value)
                   : "r"(address)
                   : "memory");
  return value;
}

static void store(u64 address, u64 value) {
  last_cause = 0;
  __asm__ volatile(".option push\n.option norvc\nsd %0, 0(%1)\n.option pop"
                   :
                   : "r"(value), "r"(address)
                   : "memory");
}

static void test_memory(void) {
  const u64 at = 4ull << 30;
  map();
  store(at + 8, 42);
  check(!last_cause && *(u64 *)&pages[0][8] == 42 && load(at + 8) == 42, "a mapped page");
  store(at + PAGE, 1);
  check(last_cause == 15 && last_value == at + PAGE, "a store to a page that is read only");
  check(load(at + PAGE) == 0 && !last_cause, "a load from it");
  load(at + 2 * PAGE);
  check(last_cause == 13, "a user page");
  SET_CSR(sstatus, 1 << 18);
  load(at + 2 * PAGE);
  check(!last_cause, "a user page, permitted");
  load(at + 3 * PAGE);
  check(last_cause == 13, "a page that is not marked as accessed");
  low[3] |= ACCESSED;
  __asm__ volatile("sfence.vma" : : : "memory");
  load(at + 3 * PAGE);
  check(!last_cause, "a page that is, now");
  store(at + 3 * PAGE, 5);
  check(last_cause == 15, "and is not marked as dirty");
  low[3] |= DIRTY;
  __asm__ volatile("sfence.vma" : : : "memory");
  store(at + 3 * PAGE, 5);
  check(!last_cause && pages[3][0] == 5, "and is, now");
  load(at + 4 * PAGE);
  check(last_cause == 13 && last_value == at + 4 * PAGE, "no page");
  load(1ull << 50);
  check(last_cause == 13, "no address");
  load(1ull << 29);
  check(last_cause == 5 || !last_cause, "beyond memory");
  ((void (*)(void))(at))();
  check(last_cause == 12 && last_value == at, "code where none may be");
  print("memory\n");
}

/* -- User mode ---------------------------------------------------------------------------------------------------------------- */

/* li a7, 1; ecall; ecall; csrr a0, sstatus (illegal); li a7, 93; ecall */
static const uint32_t user_code[] = {0x00100893, 0x00000073, 0x00000073, 0x10002573, 0x05d00893, 0x00000073};

static void test_user(void) {
  for (unsigned i = 0; i < sizeof user_code / 4; i++) ((uint32_t *)pages[2])[i] = user_code[i];
  __asm__ volatile("fence.i");
  last_cause = 0;
  enter_user((4ull << 30) + 2 * PAGE, (4ull << 30) + 3 * PAGE);
}

/* -- Several harts ------------------------------------------------------------------------------------------------------------ */

static int started, done;
static u64 sum;

void other(u64 hart) {
  __asm__ volatile("mv tp, %0" : : "r"(hart));
  map();
  for (int i = 0; i < 1000; i++) __atomic_fetch_add(&sum, 1, __ATOMIC_SEQ_CST);
  SET_CSR(sie, 2);
  __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
  wait_until(&interrupted[hart]);
  __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
}

static void after_user(void) {
  u64 harts = 1;
  check(calls == 3 && last_cause == 2 && last_value == user_code[3], "user mode");
  print("user mode\n");
  while (firmware(0x48534d, 0, harts, begin_address, 0) == 0) harts++;
  while ((u64)__atomic_load_n(&started, __ATOMIC_SEQ_CST) != harts - 1) continue;
  check(sum == 1000 * (harts - 1), "sums of all harts");
  firmware(0x735049, 0, ~1ull, 0, 0);
  while ((u64)__atomic_load_n(&done, __ATOMIC_SEQ_CST) != harts - 1) continue;
  print("harts\n");
  stop(0);
  for (;;) continue;
}

void main(u64 hart, const void *tree) {
  const uint8_t *magic = tree;
  (void)hart;
  print("begin\n");
  check(magic[0] == 0xd0 && magic[1] == 0x0d && magic[2] == 0xfe && magic[3] == 0xed, "a device tree");
  SET_CSR(sie, 1 << 5);
  u64 now = READ_CSR(time);
  firmware(0x54494d45, 0, now + 20, 0, 0);
  check(!ticks, "a timer that is not due, or not permitted");
  wait_until(&ticks);
  check(READ_CSR(time) >= now + 20, "a timer that rings too early");
  print("timer ");
  print_number(ticks);
  print("\n");
  test_memory();
  test_user();
}
