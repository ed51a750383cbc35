/* core_registers.c: a thread's registers as the kernel puts them into core files, of either machine. See core_registers.h. */
#include "debug/core_registers.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "debug/description.h"

/* Registers of the description, from one number on: where the first is put, how far the next is from there, and how many bytes of each. */
struct row {
  uint8_t first, count;
  uint16_t to;
  int16_t apart;
  uint8_t bytes;
};

struct part {
  uint32_t note;
  const char *owner;
  size_t bytes;
  const struct row *rows;
  size_t count;
  /* What is no copy of a register. */
  void (*complete)(uint8_t *to, const uint8_t *registers, int call);
};

#define ROWS(table) table, sizeof(table) / sizeof *(table)

/* -- x86-64 ------------------------------------------------------------------------------------------------------------------ */

/* struct user_regs_struct */
static const struct row general_x64[] = {
    {0, 1, 80, 0, 8},   /* rax */
    {1, 1, 40, 0, 8},   /* rbx */
    {2, 1, 88, 0, 8},   /* rcx */
    {3, 1, 96, 0, 8},   /* rdx */
    {4, 1, 104, 0, 8},  /* rsi */
    {5, 1, 112, 0, 8},  /* rdi */
    {6, 1, 32, 0, 8},   /* rbp */
    {7, 1, 152, 0, 8},  /* rsp */
    {8, 4, 72, -8, 8},  /* r8 … r11 */
    {12, 4, 24, -8, 8}, /* r12 … r15 */
    {16, 1, 128, 0, 8}, /* rip */
    {17, 1, 144, 0, 4}, /* eflags */
    {18, 1, 136, 0, 4}, /* cs */
    {19, 1, 160, 0, 4}, /* ss */
    {20, 4, 184, 8, 4}, /* ds, es, fs, gs */
    {58, 2, 168, 8, 8}, /* fs_base, gs_base */
};

/* The area of FXSAVE; that of XSAVE goes on behind it. */
static const struct row area_x64[] = {
    {32, 2, 0, 2, 2},      /* control and status of the x87 */
    {39, 1, 6, 0, 2},      /* the last instruction: its opcode … */
    {36, 1, 8, 0, 4},      /* … where it was, … */
    {35, 1, 12, 0, 4},     /* … */
    {38, 1, 16, 0, 4},     /* … and where its operand was */
    {37, 1, 20, 0, 4},     /* … */
    {56, 1, 24, 0, 4},     /* mxcsr */
    {24, 8, 32, 16, 10},   /* st0 … st7 */
    {40, 16, 160, 16, 16}, /* xmm0 … xmm15 */
    {60, 16, 576, 16, 16}, /* the upper halves of ymm0 … ymm15 */
};

enum { FLOATING_ROWS = sizeof area_x64 / sizeof *area_x64 - 1, TAG = 34, ORIGINAL_RAX = 120 };

static void complete_general_x64(uint8_t *to, const uint8_t *registers, int call) {
  int64_t number = call - 1;
  (void)registers;
  memcpy(to + ORIGINAL_RAX, &number, sizeof number);
}

/* The full tag has two bits of each x87 register, both are set if it is empty. */
static void complete_floating_x64(uint8_t *to, const uint8_t *registers, int call) {
  enum { TAG_AT = 4, MASK_AT = 28 };
  const uint32_t mask = 0xffff; /* the bits of mxcsr that there are */
  size_t offset, bytes;
  uint32_t tag;
  (void)call;
  description_register(TAG, &offset, &bytes);
  memcpy(&tag, registers + offset, sizeof tag);
  for (unsigned i = 0; i < 8; i++)
    if ((tag >> 2 * i & 3) != 3) to[TAG_AT] |= (uint8_t)(1 << i);
  memcpy(to + MASK_AT, &mask, sizeof mask);
}

static void complete_area_x64(uint8_t *to, const uint8_t *registers, int call) {
  enum { FEATURES_AT = 464, HEADER_AT = 512 };
  const uint64_t features = 7; /* x87, SSE, AVX */
  complete_floating_x64(to, registers, call);
  memcpy(to + FEATURES_AT, &features, sizeof features);
  memcpy(to + HEADER_AT, &features, sizeof features);
}

static const struct part x64[] = {
    {NT_PRSTATUS, "CORE", 216, ROWS(general_x64), complete_general_x64},
    {NT_PRFPREG, "CORE", 512, area_x64, FLOATING_ROWS, complete_floating_x64},
    {NT_X86_XSTATE, "LINUX", 832, ROWS(area_x64), complete_area_x64},
};

/* -- AArch64 ----------------------------------------------------------------------------------------------------------------- */

static const struct row general_a64[] = {{0, 33, 0, 8, 8}, {33, 1, 264, 0, 4}};
static const struct row floating_a64[] = {{34, 32, 0, 16, 16}, {66, 2, 512, 4, 4}};
static const struct row pointer_a64[] = {{68, 1, 0, 0, 8}};

static const struct part a64[] = {
    {NT_PRSTATUS, "CORE", 272, ROWS(general_a64), NULL},
    {NT_PRFPREG, "CORE", 528, ROWS(floating_a64), NULL},
    {NT_ARM_TLS, "LINUX", 8, ROWS(pointer_a64), NULL},
};

/* -- Both -------------------------------------------------------------------------------------------------------------------- */

static void copy(const struct row *row, const uint8_t *registers, uint8_t *to) {
  size_t offset, bytes;
  to += row->to;
  for (unsigned i = 0; i < row->count; i++, to += row->apart) {
    description_register(row->first + i, &offset, &bytes);
    memcpy(to, registers + offset, row->bytes);
  }
}

bool core_registers(unsigned part, const uint8_t *registers, int call, struct core_registers *to) {
  bool is_x64 = description_elf_machine() == EM_X86_64;
  if (part >= (is_x64 ? sizeof x64 / sizeof *x64 : sizeof a64 / sizeof *a64)) return false;
  const struct part *from = is_x64 ? &x64[part] : &a64[part];
  *to = (struct core_registers){.note = from->note, .owner = from->owner, .bytes = from->bytes};
  for (size_t i = 0; i < from->count; i++) copy(&from->rows[i], registers, to->content);
  if (from->complete) from->complete(to->content, registers, call);
  return true;
}
