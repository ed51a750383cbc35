/* waiting_loops.c: finds the loads of loops that wait for an ordinary store of another thread, with no atomic near them:
 *
 *     wait: call sched_yield          wait: mov  flag, %rax
 *           mov  flag, %eax                 cmp  (%rax), %edx
 *           test %eax, %eax                 jne  wait
 *           je   wait
 *
 * Such a loop is short and writes no memory by itself, and the address of the load is the same in each round: a compiler leaves such a load there only if
 * it must read memory anew. A compiler often puts the first round before the loop, so loads shortly before it are watched, too. */
#include "engine/base/arch.h"
#include "engine/base/lib.h"
#include "engine/code/near_atomics.h"

enum {
  LOOP = 128, /* bytes of a loop at most */
  FIRST = 64, /* bytes before it that are perhaps its first round */
  ITEMS = 32,
  REGISTERS = 32
};

struct loop {
  struct code_item items[ITEMS];
  uintptr_t places[ITEMS];
  unsigned count;
  uint8_t writes[REGISTERS]; /* how many of them change the register */
  uint32_t settled; /* registers whose value is the same in each round, unless it is the awaited one */
};

/* False: there is no loop from the target to the jump, or it writes memory. */
static bool read_loop(struct loop *loop, uintptr_t target, uintptr_t jump) {
  uint8_t bytes[LOOP];
  memset(loop, 0, sizeof *loop);
  if (safe_copy(bytes, (const void *)target, jump - target)) return false;
  for (uintptr_t at = target; at < jump; loop->count++) {
    struct code_item *item = &loop->items[loop->count];
    if (loop->count == ITEMS || !arch_describe(bytes + (at - target), jump - at, at, item) || item->stores)
      return false;
    for (unsigned i = 0; i < REGISTERS; i++) loop->writes[i] += item->writes >> i & 1;
    loop->places[loop->count] = at;
    at += item->bytes;
  }
  return true;
}

static uint32_t fixed(const struct loop *loop) {
  uint32_t set = loop->settled;
  for (unsigned i = 0; i < REGISTERS; i++) set |= (uint32_t)!loop->writes[i] << i;
  return set;
}

static bool waits(const struct loop *loop, const struct code_item *item) {
  return item->loads && !(item->address & ~fixed(loop));
}

static void settle(struct loop *loop) {
  uint32_t before;
  do {
    before = loop->settled;
    for (unsigned i = 0; i < loop->count; i++) {
      const struct code_item *item = &loop->items[i];
      for (unsigned reg = 0; reg < REGISTERS; reg++)
        if (item->writes >> reg & 1 && loop->writes[reg] == 1 && (item->constant || waits(loop, item)))
          loop->settled |= 1U << reg;
    }
  } while (loop->settled != before);
}

static void mark(uintptr_t from, uintptr_t to, uintptr_t page, uint64_t *units) {
  for (uintptr_t at = MAX(from, page); at < MIN(to, page + PAGE); at++)
    units[(at - page) / ARCH_ATOMIC_UNIT / 64] |= 1UL << (at - page) / ARCH_ATOMIC_UNIT % 64;
}

static void mark_loop(uintptr_t target, uintptr_t jump, uintptr_t page, uint64_t *units) {
  struct loop loop;
  bool found = false;
  if (!read_loop(&loop, target, jump)) return;
  settle(&loop);
  for (unsigned i = 0; i < loop.count; i++) {
    if (!waits(&loop, &loop.items[i])) continue;
    mark(loop.places[i], loop.places[i] + 1, page, units);
    found = true;
  }
  if (found) mark(target - FIRST, target, page, units);
}

/* Where instructions begin is not known. If one begins with the page they are found; else after a few wrong ones. */
void find_waiting_loads(uintptr_t page, uint64_t *units) {
  uint8_t bytes[PAGE + LOOP + FIRST];
  size_t count = code_is_lasting(page + PAGE) ? sizeof bytes : PAGE;
  struct code_item item;
  if (safe_copy(bytes, (const void *)page, count)) return;
  for (size_t at = 0; at < count; at += item.bytes) {
    uintptr_t pc = page + at;
    if (arch_describe(bytes + at, count - at, pc, &item) && item.jumps_to && item.jumps_to < pc &&
        pc - item.jumps_to <= LOOP)
      mark_loop(item.jumps_to, pc, page, units);
  }
}
