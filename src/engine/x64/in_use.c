/* in_use.c (x86-64): the parts of its state that the processor regards as unused.
 *
 * xsave and its kin leave out, or mark as unused, what has its initial value and was not touched since; the processor may be wrong about
 * the latter, and a return from a signal in the kernel touches x87 and SSE. So the bytes that these instructions store depend on
 * chance. In a recording and its replay everything that was asked for is stored. x87 and SSE are marked as used; the rest is if it has not its
 * initial value, as a processor may do that looks. (Were the upper halves of vector registers always marked, then a program that restores
 * them would go on with halves that count as used, zero as they are, and each change between old and new vector instructions
 * takes long from then on.) The tiles are let be: that they were used is told exactly, and costs kilobytes. */
#include <asm/sigcontext.h>

#include "engine/base/arch_host.h"
#include "engine/base/lib.h"
#include "engine/x64/translate.h"

enum {
  HEADER = sizeof(struct _fpstate_64),
  EXTENDED = HEADER + sizeof(struct _header),
  CONTROL_INITIAL = 0x37f,
  MXCSR_INITIAL = 0x1f80,
};
#define COMPACT (1UL << 63)
#define LEGACY 3UL /* x87 and SSE */
#define TILES (3UL << 17)

void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4]) {
  __asm__ volatile("cpuid"
                   : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                   : "a"(leaf), "c"(subleaf));
}

uint64_t xgetbv(uint32_t index) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(index));
  return (uint64_t)high << 32 | low;
}

static void clear(uint64_t address, size_t bytes) {
  static const uint8_t zeros[1024];
  for (size_t done = 0; done < bytes; done += sizeof zeros)
    copy_to_app(address + done, zeros, MIN(bytes - done, sizeof zeros));
}

/* The cpuid leaf of a component. It is read once, since cpuid takes long on a virtual machine; all threads read the same. */
struct component {
  uint32_t size, offset;
  bool aligned, known;
};
static struct component component_of(unsigned i) {
  static struct component components[64];
  if (!components[i].known) {
    uint32_t out[4];
    cpuid(0xd, i, out);
    components[i].size = out[0], components[i].offset = out[1], components[i].aligned = out[2] & 2;
    __atomic_store_n(&components[i].known, true, __ATOMIC_RELEASE);
  }
  return components[i];
}

/* The offset of a component, and its size: each at its own place, or one behind the other. */
static uint64_t place_of(unsigned component, uint64_t layout, uint32_t *size) {
  uint64_t offset = EXTENDED;
  for (unsigned i = 2; i <= component; i++) {
    if (!(layout >> i & 1) && i != component) continue;
    struct component one = component_of(i);
    if (one.aligned) offset = ALIGN_UP(offset, 64);
    *size = one.size;
    if (i == component) return layout & COMPACT ? offset : one.offset;
    offset += one.size;
  }
  return offset;
}

/* MXCSR and the mask of its bits that there are. */
static void store_mxcsr(uint64_t address) {
  struct _fpstate_64 now __attribute__((aligned(16)));
  __asm__ volatile("fxsave64 %0" : "=m"(now));
  uint32_t initial[2] = {MXCSR_INITIAL, now.mxcsr_mask};
  copy_to_app(address + offsetof(struct _fpstate_64, mxcsr), initial, sizeof initial);
}

static void store_initial(uint64_t address, unsigned component, uint64_t layout) {
  const uint16_t control = CONTROL_INITIAL;
  if (component == 0) {
    clear(address, offsetof(struct _fpstate_64, mxcsr));
    copy_to_app(address + offsetof(struct _fpstate_64, cwd), &control, sizeof control);
    clear(address + offsetof(struct _fpstate_64, st_space), sizeof((struct _fpstate_64 *)0)->st_space);
  } else if (component == 1) {
    clear(address + offsetof(struct _fpstate_64, xmm_space), sizeof((struct _fpstate_64 *)0)->xmm_space);
    if (layout & COMPACT) store_mxcsr(address);
  } else {
    uint32_t size = 0;
    uint64_t place = place_of(component, layout, &size);
    clear(address + place, size);
  }
}

static bool is_zero(uint64_t address, size_t bytes) {
  uint64_t words[64];
  for (size_t done = 0; done < bytes; done += sizeof words) {
    size_t count = MIN(bytes - done, sizeof words);
    memset(words, 0, sizeof words);
    if (safe_copy(words, (const void *)(address + done), count)) return false;
    for (size_t i = 0; i < COUNT_OF(words); i++)
      if (words[i]) return false;
  }
  return true;
}

/* Of the features whose state is stored at address: x87, SSE, and those that have not their initial value, which is zero. */
uint64_t features_used(uint64_t features, uint64_t address, uint64_t layout) {
  uint64_t used = features & LEGACY;
  for (uint64_t rest = features & ~LEGACY; rest; rest &= rest - 1) {
    unsigned component = (unsigned)__builtin_ctzl(rest);
    uint32_t size = 0;
    uint64_t place = place_of(component, layout, &size);
    if (!is_zero(address + place, size)) used |= 1UL << component;
  }
  return used;
}

/* The instruction has just stored the state at address. */
void complete_saved_state(struct thread *thread, uint64_t address) {
  const uint64_t *gpr = thread->arch.gpr;
  uint64_t header[2]; /* which are used, which there are and how they lie */
  if (safe_copy(header, (const void *)(address + HEADER), sizeof header)) return;
  uint64_t asked = (gpr[RDX] << 32 | (uint32_t)gpr[RAX]) & xgetbv(0) & ~TILES;
  uint64_t missing = asked & ~header[0];
  for (uint64_t rest = missing; rest; rest &= rest - 1)
    store_initial(address, (unsigned)__builtin_ctzl(rest), header[1]);
  uint64_t used = (header[0] & ~asked) | features_used(asked, address, header[1]);
  if (used != header[0]) copy_to_app(address + HEADER, &used, sizeof used);
}
