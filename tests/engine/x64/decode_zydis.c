/* decode_zydis.c: holds the x86-64 decoder against Zydis, an independent disassembler.
 *
 *     decode_zydis [-n RANDOM] [-s SEED] [-r REPORTS] [ELF...]
 *
 * Every instruction of the executable sections of the given files, then a sweep over all opcodes, then
 * random byte strings until RANDOM of them (10,000,000 unless told otherwise) are instructions. Compared
 * are the length, the kind of branch, the memory operand (base, index, scale, displacement, segment,
 * direction, size), stack and string accesses, the general registers read and written, and the flags read
 * and written. What Zydis rejects must decode as undefined. Where the two differ on purpose, Zydis's answer
 * is corrected first, and the place says why.
 *
 * Each instruction is also decoded against an inaccessible page, so a read beyond the limit crashes the
 * test, and with one byte missing, which must be noticed. */
/* cflags: -lZydis -lZycore */
/* needs: Zydis/Zydis.h */
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode_bytes.h"
#include "engine/x64/decode.h"

enum field {
  LENGTH,
  VALID,
  BRANCH,
  HAS_MEM,
  ADDRESS,
  SEGMENT,
  DIRECTION,
  SIZE,
  STACK,
  STRING,
  GPR_READ,
  GPR_WRITTEN,
  FLAGS_READ,
  FLAGS_WRITTEN,
  KILLED,
  TRUNCATED,
  FIELDS
};
static const char *const field_names[FIELDS] = {
    "length",     "validity",      "branch", "memory operand", "address",        "segment",
    "direction",  "size",          "stack",  "string",         "registers read", "registers written",
    "flags read", "flags written", "killed", "truncated",
};

/* What Zydis 4.0 says about an instruction, in the decoder's own terms. */
struct facts {
  bool has_mem, vsib, address_only;
  uint8_t base, index, scale, segment, access;
  uint8_t stack_access, string_read, string_write, string_read_di;
  uint16_t size, stack_size;
  int64_t disp;
  uint16_t gpr_read, gpr_written, flags_read, flags_written;
};

struct sample {
  const uint8_t *bytes;
  ZydisDecodedInstruction zydis;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  bool accepted; /* by Zydis */
  struct x64_insn ours;
};

static ZydisDecoder decoder;
static uint8_t *fence; /* the first byte of the inaccessible page */
static unsigned report_limit = 20;
static unsigned long passed, failed, rejected, by_field[FIELDS];

/* ---- Zydis's answer ---- */

static unsigned gpr_number(ZydisRegister reg) {
  ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP) return REG_RIP;
  if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return REG_NONE;
  return (unsigned)ZydisRegisterGetId(whole);
}

static uint8_t direction(ZydisOperandActions actions) {
  return (uint8_t)((actions & ZYDIS_OPERAND_ACTION_MASK_READ ? ACCESS_READ : 0) |
                   (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? ACCESS_WRITE : 0));
}

static void add_register(struct facts *f, ZydisRegister reg, uint8_t access) {
  unsigned number = gpr_number(reg);
  if (number >= REG_RIP) return;
  if (access & ACCESS_READ) f->gpr_read |= (uint16_t)(1u << number);
  if (access & ACCESS_WRITE) f->gpr_written |= (uint16_t)(1u << number);
}

static uint8_t segment_of(const ZydisDecodedOperand *op) {
  if (op->mem.segment == ZYDIS_REGISTER_FS) return SEG_FS;
  return op->mem.segment == ZYDIS_REGISTER_GS ? SEG_GS : SEG_NONE;
}

static void add_explicit_memory(struct facts *f, const ZydisDecodedOperand *op) {
  f->has_mem = true;
  f->vsib = op->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
  f->address_only = op->mem.type == ZYDIS_MEMOP_TYPE_AGEN;
  f->base = (uint8_t)gpr_number(op->mem.base);
  f->index = f->vsib ? (uint8_t)ZydisRegisterGetId(op->mem.index) : (uint8_t)gpr_number(op->mem.index);
  f->scale = op->mem.scale ? op->mem.scale : 1;
  f->segment = segment_of(op);
  f->access = f->address_only ? ACCESS_NONE : direction(op->actions);
  f->size = f->access == ACCESS_NONE ? 0 : f->vsib ? op->element_size / 8 : op->size / 8;
  f->disp = op->mem.disp.value;
}

/* Stack, string and table accesses that the encoding does not spell out. */
static void add_implicit_memory(struct facts *f, const ZydisDecodedOperand *op) {
  uint8_t access = direction(op->actions);
  uint8_t size = (uint8_t)(op->size / 8);
  switch (gpr_number(op->mem.base)) {
    case RSP:
    case RBP:
      f->stack_access |= access;
      f->stack_size = op->size / 8;
      break;
    case RSI:
    case RBX:
      f->string_read = size;
      f->segment = segment_of(op);
      break;
    case RDI:
      if (access & ACCESS_WRITE) f->string_write = size;
      if (access & ACCESS_READ) f->string_read_di = size;
      break;
  }
}

static void correct_memory(struct facts *f, const ZydisDecodedInstruction *z);
static void correct_registers(struct facts *f, const struct sample *s);

static struct facts facts_of(const struct sample *s) {
  struct facts f = {.base = REG_NONE, .index = REG_NONE, .scale = 1};
  for (unsigned i = 0; i < s->zydis.operand_count; i++) {
    const ZydisDecodedOperand *op = &s->operands[i];
    if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
      add_register(&f, op->reg.value, direction(op->actions));
    } else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
      if (op->encoding != ZYDIS_OPERAND_ENCODING_NONE) {
        add_explicit_memory(&f, op);
        correct_memory(&f, &s->zydis);
      } else if (s->ours.kind != INSN_MOVDIR64B) {
        add_implicit_memory(&f, op);
      }
      if (op->encoding == ZYDIS_OPERAND_ENCODING_NONE || f.base != REG_NONE)
        add_register(&f, op->mem.base, ACCESS_READ);
      if (op->mem.type != ZYDIS_MEMOP_TYPE_VSIB) add_register(&f, op->mem.index, ACCESS_READ);
    }
  }
  if (s->zydis.cpu_flags) {
    const ZydisAccessedFlags *flags = s->zydis.cpu_flags;
    unsigned ours = FLAGS_STATUS | FLAG_DF;
    f.flags_read = (uint16_t)(flags->tested & ours);
    f.flags_written = (uint16_t)((flags->modified | flags->set_0 | flags->set_1 | flags->undefined) & ours);
  }
  correct_registers(&f, s);
  return f;
}

/* ---- deliberate disagreements ---- */

/* Knights Corner was no x86-64 machine that Linux programs ran on, and its encodings are undefined
 * everywhere else; PadLock is VIA's. Both count as rejected. */
static bool is_foreign(const ZydisDecodedInstruction *z) {
  return !strncmp(ZydisISASetGetString(z->meta.isa_set), "KNC", 3) ||
         z->meta.category == ZYDIS_CATEGORY_PADLOCK;
}

/* Instructions that came after Zydis 4.0: AMX-FP16, AMX-COMPLEX, AVX-IFMA, AVX-NE-CONVERT, AVX-VNNI-INT8 and
 * INT16, CMPccXADD, RAO-INT, SHA512, SM3 and SM4. */
static bool is_newer(const struct x64_insn *o) {
  if (o->encoding == ENC_LEGACY) return o->map == 2 && o->opcode == 0xfc;
  if (o->encoding != ENC_VEX) return false;
  if (o->map == 3) return o->opcode == 0xde;
  switch (o->opcode) {
    case 0x50:
    case 0x51:
    case 0x5c:
    case 0x6c:
    case 0x72:
    case 0xb0:
    case 0xb1:
    case 0xb4:
    case 0xb5:
    case 0xcb:
    case 0xcc:
    case 0xcd:
    case 0xd2:
    case 0xd3:
    case 0xda:
      return o->map == 2;
    default:
      return o->map == 2 && (o->opcode & 0xf0) == 0xe0;
  }
}

/* Operands that are named and not touched: the decoder reports the address alone. */
static bool only_names_memory(const ZydisDecodedInstruction *z) {
  switch (z->meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
    case ZYDIS_CATEGORY_CLDEMOTE:
    case ZYDIS_CATEGORY_CLFLUSHOPT:
    case ZYDIS_CATEGORY_CLWB:
      return true;
    default:
      break;
  }
  switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_INVLPG:
    case ZYDIS_MNEMONIC_PREFETCH:
    case ZYDIS_MNEMONIC_PREFETCHW:
    case ZYDIS_MNEMONIC_PREFETCHWT1:
      return true;
    /* The gather and scatter prefetches: map 0F 38, opcodes C6 and C7. */
    default:
      return z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && z->opcode_map == ZYDIS_OPCODE_MAP_0F38 &&
             (z->opcode == 0xc6 || z->opcode == 0xc7);
  }
}

static void correct_memory(struct facts *f, const ZydisDecodedInstruction *z) {
  if (only_names_memory(z)) f->access = ACCESS_NONE, f->size = 0;
  /* The area's size depends on what the operating system has enabled. */
  if (z->meta.category == ZYDIS_CATEGORY_XSAVE || z->meta.category == ZYDIS_CATEGORY_XSAVEOPT) f->size = 0;
  /* A 32-bit absolute address is zero-extended like every 32-bit address. */
  if (z->address_width == 32 && z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (z->opcode & 0xfc) == 0xa0) {
    f->disp = (uint32_t)f->disp;
  }
  /* 66 63 reads two bytes (tried on hardware: it does not fault two bytes before an unmapped page). */
  if (z->mnemonic == ZYDIS_MNEMONIC_MOVSXD && z->operand_width == 16) f->size = f->size ? 2 : 0;
  /* With 67, Zydis forgets that base 5 with REX.B and mod 0 is no base (tried on hardware). */
  if (z->address_width == 32 && z->raw.modrm.mod == 0 && z->raw.modrm.rm == 4 && z->raw.sib.base == 5 &&
      f->base == R13) {
    f->base = REG_NONE;
    f->disp = z->raw.disp.value;
  }
}

/* Implicit registers and flags on which Zydis is incomplete, or the decoder deliberately cautious. */
static void correct_registers(struct facts *f, const struct sample *s) {
  const ZydisDecodedInstruction *z = &s->zydis;
  switch (z->meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP: /* register operands are not looked at */
      if (z->mnemonic != ZYDIS_MNEMONIC_NOP) break;
      f->gpr_read = (uint16_t)((1u << f->base | 1u << f->index) & 0xffff);
      break;
    case ZYDIS_CATEGORY_CMOV: /* the destination may keep its old value */
      f->gpr_read |= f->gpr_written;
      break;
    case ZYDIS_CATEGORY_STRINGOP:
    case ZYDIS_CATEGORY_IOSTRINGOP:
      if (f->string_read) f->gpr_written |= 1 << RSI;
      if (f->string_write || f->string_read_di) f->gpr_written |= 1 << RDI;
      f->flags_read &= (uint16_t)~FLAG_ZF; /* repe looks at it only after setting it */
      break;
    default:
      break;
  }
  switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
      f->flags_read = FLAGS_STATUS | FLAG_DF;
      break; /* into r11 */
    case ZYDIS_MNEMONIC_XLAT:
      f->gpr_read |= 1 << RAX;
      break; /* the index */
    case ZYDIS_MNEMONIC_LSL:
      f->gpr_read &= s->ours.gpr_read;
      break; /* its destination is not read, as in lar */
    case ZYDIS_MNEMONIC_MWAITX:
      f->gpr_read |= 1 << RBX;
      break; /* the timeout */
    case ZYDIS_MNEMONIC_ENCLS:
    case ZYDIS_MNEMONIC_ENCLU:
    case ZYDIS_MNEMONIC_ENCLV:
      f->gpr_read |= 1 << RBX | 1 << RCX | 1 << RDX; /* arguments */
      break;
    case ZYDIS_MNEMONIC_UIRET: /* pops what an interrupt pushed, flags included */
      f->gpr_read |= 1 << RSP;
      f->gpr_written |= 1 << RSP;
      f->flags_written = FLAGS_STATUS | FLAG_DF;
      break;
    case ZYDIS_MNEMONIC_XBEGIN:
      f->gpr_read |= 1 << RAX;
      break; /* kept unless the transaction aborts */
    case ZYDIS_MNEMONIC_VPTEST:
    case ZYDIS_MNEMONIC_VTESTPS:
    case ZYDIS_MNEMONIC_VTESTPD:
    case ZYDIS_MNEMONIC_TESTUI:
    case ZYDIS_MNEMONIC_CLRSSBSY:
    case ZYDIS_MNEMONIC_RSTORSSP:
    case ZYDIS_MNEMONIC_SETSSBSY:
    case ZYDIS_MNEMONIC_SAVEPREVSSP:
      f->flags_written = FLAGS_STATUS; /* the carry, and the others cleared */
      break;
    default:
      break;
  }
}

/* ---- comparison ---- */

static void report(const struct sample *s, enum field field, long long want, long long got) {
  static bool seen[ZYDIS_MNEMONIC_MAX_VALUE + 1][FIELDS];
  static unsigned printed;
  char text[128] = "(rejected)";
  by_field[field]++;
  failed++;
  bool *again = &seen[s->accepted ? s->zydis.mnemonic : ZYDIS_MNEMONIC_INVALID][field];
  if (printed >= report_limit || (s->accepted && *again)) return;
  *again = true;
  printed++;
  if (s->accepted) {
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterFormatInstruction(&formatter, &s->zydis, s->operands, s->zydis.operand_count_visible, text,
                                    sizeof text, 0, NULL);
  }
  for (unsigned i = 0; i < 15; i++)
    printf("%02x%s", s->bytes[i], i + 1 == (s->accepted ? s->zydis.length : 15) ? " | " : " ");
  printf("%s: %s: want %#llx, got %#llx\n", text, field_names[field], want, got);
}

/* Returns whether the two agree, so that a wrong length does not drag ten other reports along. */
static bool check(const struct sample *s, enum field field, long long want, long long got) {
  if (want == got) return true;
  report(s, field, want, got);
  return false;
}

static enum x64_kind branch_of(const ZydisDecodedInstruction *z) {
  switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_CALL:
      if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) return INSN_FAR;
      return z->opcode == 0xe8 ? INSN_CALL : INSN_CALL_IND;
    case ZYDIS_MNEMONIC_JMP:
      if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) return INSN_FAR;
      return z->opcode == 0xff ? INSN_JMP_IND : INSN_JMP;
    case ZYDIS_MNEMONIC_RET:
      return z->opcode == 0xca || z->opcode == 0xcb ? INSN_FAR : INSN_RET;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
      return INSN_FAR;
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
      return INSN_LOOP;
    case ZYDIS_MNEMONIC_SYSCALL:
      return INSN_SYSCALL;
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
      return INSN_UNDEFINED;
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XEND:
      return INSN_COPY;
    default:
      return z->meta.category == ZYDIS_CATEGORY_COND_BR ? INSN_JCC : INSN_COPY;
  }
}

/* Kinds that no branch shares count as INSN_COPY. */
static enum x64_kind branch_kind(uint8_t kind) {
  return kind <= INSN_SYSCALL || kind == INSN_UNDEFINED ? (enum x64_kind)kind : INSN_COPY;
}

static bool compare_memory(const struct sample *s, const struct facts *f) {
  const struct x64_insn *o = &s->ours;
  bool same = check(s, HAS_MEM, f->has_mem, o->has_mem);
  if (!same || !f->has_mem) return same;
  same &= check(s, ADDRESS, f->base, o->mem.base) && check(s, ADDRESS, f->index, o->mem.index) &&
          check(s, ADDRESS, f->index == REG_NONE ? 1 : f->scale, f->index == REG_NONE ? 1 : o->mem.scale) &&
          check(s, ADDRESS, f->disp, o->mem.disp) && check(s, ADDRESS, f->vsib, o->mem.vsib);
  same &= check(s, SEGMENT, f->segment, o->mem.segment);
  same &= check(s, DIRECTION, f->access, o->mem.access);
  same &= check(s, SIZE, f->size, o->mem.size);
  return same;
}

static bool compare_implicit(const struct sample *s, const struct facts *f) {
  const struct x64_insn *o = &s->ours;
  bool same = check(s, STACK, f->stack_access << 8 | f->stack_size, o->stack_access << 8 | o->stack_size);
  same &= check(s, STRING, f->string_read << 16 | f->string_write << 8 | f->string_read_di,
                o->string_read << 16 | o->string_write << 8 | o->string_read_di);
  same &= check(s, GPR_READ, f->gpr_read, o->gpr_read);
  same &= check(s, GPR_WRITTEN, f->gpr_written, o->gpr_written);
  same &= check(s, FLAGS_READ, f->flags_read, o->flags_read);
  same &= check(s, FLAGS_WRITTEN, f->flags_written, o->flags_written);
  same &= check(s, KILLED, 0, (o->gpr_killed & ~o->gpr_written) | (o->flags_killed & ~o->flags_written));
  return same;
}

/* The decoder's own view must not depend on what follows, and one byte less must not be enough. */
static bool compare_truncated(const struct sample *s) {
  struct x64_insn again;
  unsigned len = s->zydis.length;
  memcpy(fence - len, s->bytes, len);
  if (!check(s, TRUNCATED, 1, x64_decode(fence - len, len, &again))) return false;
  if (!check(s, TRUNCATED, 0, memcmp(&again, &s->ours, sizeof again))) return false;
  memmove(fence - len + 1, s->bytes, len - 1);
  return len == 1 || check(s, TRUNCATED, 0, x64_decode(fence - len + 1, len - 1, &again));
}

/* Returns the length if Zydis accepts the bytes, 0 if not. */
static unsigned compare(const uint8_t *bytes) {
  struct sample s = {.bytes = bytes};
  s.accepted = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, X64_INSN_MAX, &s.zydis, s.operands)) &&
               !is_foreign(&s.zydis);
  bool complete = x64_decode(bytes, X64_INSN_MAX, &s.ours);
  if (!s.accepted) {
    rejected++;
    if (complete && s.ours.kind != INSN_UNDEFINED && is_newer(&s.ours)) return 0;
    if (check(&s, VALID, INSN_UNDEFINED, complete ? s.ours.kind : -1)) passed++;
    return 0;
  }
  if (!check(&s, VALID, 1,
             branch_of(&s.zydis) == INSN_UNDEFINED || (complete && s.ours.kind != INSN_UNDEFINED)))
    return s.zydis.length;
  if (s.ours.kind == INSN_UNDEFINED && branch_of(&s.zydis) != INSN_UNDEFINED) return s.zydis.length;
  if (!check(&s, LENGTH, s.zydis.length, s.ours.len)) return s.zydis.length;
  if (s.ours.kind == INSN_UNDEFINED) {
    passed++;
    return s.zydis.length;
  }
  struct facts f = facts_of(&s);
  bool same = check(&s, BRANCH, branch_of(&s.zydis), branch_kind(s.ours.kind));
  same &= compare_memory(&s, &f);
  same &= compare_implicit(&s, &f);
  same &= compare_truncated(&s);
  if (same) passed++;
  return s.zydis.length;
}

int main(int argc, char **argv) {
  unsigned long strings = 10000000;
  uint64_t seed = 1;
  bool readable = true;
  int option;
  while ((option = getopt(argc, argv, "n:s:r:")) != -1) {
    if (option == 'n')
      strings = strtoul(optarg, NULL, 0);
    else if (option == 's')
      seed = strtoull(optarg, NULL, 0);
    else if (option == 'r')
      report_limit = (unsigned)strtoul(optarg, NULL, 0);
    else
      return 2;
  }
  uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_NONE)) return 2;
  fence = pages + 4096;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  /* No kernel enables bounds registers any more, so their instructions are the nops they were made from. */
  ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE);

  for (int i = optind; i < argc; i++) {
    unsigned long count = visit_file(argv[i], compare);
    printf("%s: %lu instructions\n", argv[i], count);
    readable &= count > 0;
  }
  printf("sweep: %lu instructions\n", visit_sweep(compare));
  visit_random(seed, strings, compare);
  printf("random: %lu instructions\n", strings);
  printf("rejected by Zydis: %lu\n", rejected);
  for (unsigned i = 0; i < FIELDS; i++) {
    if (by_field[i]) printf("%s: %lu mismatches\n", field_names[i], by_field[i]);
  }
  printf("%lu passed, %lu failed\n", passed, failed);
  return failed || !readable;
}
