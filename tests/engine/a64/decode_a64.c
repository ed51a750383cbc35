/* decode_a64.c: compares the A64 decoder with what objdump makes of the same words.
 *
 *     decode_a64 -g COUNT SEED      writes COUNT random words, most of them near allocated ones, to standard output
 *     decode_a64 < LISTING          compares with a listing of objdump; prints what differs
 *
 * From the text of each line follow, independently of any encoding: whether there is an instruction, which general registers
 * it names and writes, base, index and displacement of its memory operand, direction and size of the access, and
 * the target of a branch. decode_a64.sh, which is the test, feeds it libraries and random words. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/a64/decode.h"

enum { OPERANDS_MAX = 12 };

/* A line of the listing, taken apart. */
struct line {
  uint64_t address;
  uint32_t word;
  char mnemonic[32];
  char text[256];               /* all operands */
  char *operands[OPERANDS_MAX]; /* split at commas outside brackets and braces */
  unsigned count;
  char split[256];
};

static bool starts(const char *text, const char *with) {
  return !strncmp(text, with, strlen(with));
}

static bool one_of(const char *word, const char *list) { /* list: words with a space before and behind each */
  char padded[40];
  snprintf(padded, sizeof padded, " %s ", word);
  return strstr(list, padded) != NULL;
}

static void split(struct line *line) {
  int depth = 0;
  strcpy(line->split, line->text);
  line->count = 0;
  if (!*line->split) return;
  line->operands[line->count++] = line->split;
  for (char *p = line->split; *p; p++) {
    if (strchr("[{", *p)) depth++;
    if (strchr("]}", *p)) depth--;
    if (*p != ',' || depth || line->count == OPERANDS_MAX) continue;
    *p = 0;
    while (p[1] == ' ') p++;
    line->operands[line->count++] = p + 1;
  }
}

static bool parse(const char *from, struct line *line) {
  unsigned long address;
  unsigned word;
  int used = 0;
  if (sscanf(from, " %lx: %8x %n", &address, &word, &used) < 2 || !used || !strchr(from, ':')) return false;
  line->address = address;
  line->word = word;
  line->mnemonic[0] = line->text[0] = 0;
  sscanf(from + used, "%31s %255[^\n]", line->mnemonic, line->text);
  for (const char *end = "/<"; *end; end++) { /* comments and symbols */
    char *at = strchr(line->text, *end);
    if (at && (*end == '<' || at[1] == '/')) *at = 0;
  }
  size_t length = strlen(line->text);
  while (length && isspace((unsigned char)line->text[length - 1])) line->text[--length] = 0;
  split(line);
  return true;
}

/* The general register at the start of a text: its number, 31 for the stack pointer, -1 if there is none, -2 for zero. */
static int register_at(const char *text, bool *wide) {
  int number, used = 0;
  char kind;
  *wide = *text == 'x' || starts(text, "sp");
  if (starts(text, "sp") && !isalnum((unsigned char)text[2]) && text[2] != '_') return 31; /* not sp_el0 */
  if (starts(text, "wsp") && !isalnum((unsigned char)text[3])) return 31;
  if ((starts(text, "xzr") || starts(text, "wzr")) && !isalnum((unsigned char)text[3])) return -2;
  if (sscanf(text, "%c%d%n", &kind, &number, &used) != 2 || (kind != 'x' && kind != 'w')) return -1;
  if (isalnum((unsigned char)text[used]) || text[used] == '_' || text[1] == '+' || text[1] == '-' ||
      number > 30)
    return -1;
  return number;
}

static uint32_t registers_in(const char *text) {
  uint32_t set = 0;
  bool wide;
  for (const char *p = text; *p; p++) {
    if (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '#')) continue;
    int reg = register_at(p, &wide);
    if (reg >= 0) set |= 1u << reg;
  }
  return set;
}

/* -- What the text says ------------------------------------------------------------------------------------------------ */

struct expected {
  uint32_t named, written;
  bool has_memory, has_base, scattered;
  unsigned access, size; /* size 0: not told */
  int base, index;
  bool has_disp, scalable;
  long disp;
  bool branch;
  uint64_t target;
};

static bool is_privileged(const struct line *line) {
  return one_of(line->mnemonic,
                " hvc smc hlt dcps1 dcps2 dcps3 eret eretaa eretab drps ldgm stgm stzgm tstart ttest tcommit "
                "tcancel "
                "smstart smstop ") ||
         (starts(line->mnemonic, "udf")) || starts(line->mnemonic, ".inst");
}

static bool is_load(const char *m) {
  return starts(m, "ld") && !one_of(m, " ldgm ");
}
static bool is_store(const char *m) {
  return starts(m, "st");
}

static bool is_atomic(const struct line *line) {
  static const char *const operations[] = {"add", "clr", "eor", "set", "smax", "smin", "umax", "umin"};
  const char *m = line->mnemonic;
  if (starts(m, "swp") || starts(m, "cas")) return true;
  if (!is_load(m) && !is_store(m)) return false;
  for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
    if (starts(m + 2, operations[i])) return true;
  return false;
}

/* Bytes of one register of what is moved: by the mnemonic's last letter, or by the register. */
static unsigned element_size(const struct line *line, const char *operand) {
  const char *m = line->mnemonic;
  size_t length = strlen(m);
  if (strstr(m, "sw")) {
    if (!starts(m, "swp")) return 4;
  }
  if (!starts(m, "sub") && m[length - 1] == 'b') return 1;
  if (m[length - 1] == 'h') return 2;
  switch (*operand) {
    case 'x':
      return 8;
    case 'w':
      return 4;
    case 'b':
      return 1;
    case 'h':
      return 2;
    case 's':
      return 4;
    case 'd':
      return 8;
    case 'q':
      return 16;
    default:
      return 0;
  }
}

/* {v0.16b-v3.16b}, {v0.b, v1.b}[3] */
static unsigned structure_size(const char *operand, const char *mnemonic) {
  unsigned first, last, elements = 0;
  char kind;
  const char *dot = strchr(operand, '.');
  if (operand[1] != 'v' || !dot) return 0;
  unsigned count = 1;
  for (const char *p = operand; *p && *p != '}'; p++) count += *p == ',';
  if (sscanf(operand, "{v%u.%*[0-9a-z]-v%u", &first, &last) == 2 ||
      sscanf(operand, "{v%u.%*[0-9a-z] - v%u", &first, &last) == 2)
    count = (last + 32 - first) % 32 + 1;
  if (sscanf(dot + 1, "%u%c", &elements, &kind) != 2) {
    elements = 1;
    kind = dot[1];
  }
  unsigned bytes = kind == 'b' ? 1 : kind == 'h' ? 2 : kind == 's' ? 4 : 8;
  if (mnemonic[strlen(mnemonic) - 1] == 'r') elements = 1;
  return count * elements * bytes;
}

static unsigned access_size(const struct line *line) {
  const char *m = line->mnemonic, *first = line->operands[0];
  if (*first == '{') return structure_size(first, m);
  if (strlen(m) > 3 && (starts(m, "ld1") || starts(m, "st1") || starts(m, "ldnf") || starts(m, "ldff")))
    return 0;
  if (one_of(m, " stg stzg stgp ldg ")) return 16;
  if (one_of(m, " st2g stz2g ")) return 32;
  if (one_of(m, " ldpsw ")) return 8;
  if (starts(m, "ldp") || starts(m, "stp") || starts(m, "ldnp") || starts(m, "stnp"))
    return 2 * element_size(line, first);
  if (starts(m, "casp") || starts(m, "ldxp") || starts(m, "ldaxp")) return 2 * (*first == 'x' ? 8 : 4);
  if (starts(m, "stxp") || starts(m, "stlxp")) return 2 * (*line->operands[1] == 'x' ? 8 : 4);
  if (starts(m, "stxr") || starts(m, "stlxr")) return element_size(line, line->operands[1]);
  if (starts(m, "ldapurs") || starts(m, "ldurs") || starts(m, "ldrs") || starts(m, "ldtrs")) {
    char last = m[strlen(m) - 1];
    return last == 'b' ? 1 : last == 'h' ? 2 : 4;
  }
  if (one_of(m, " ldraa ldrab ")) return 8;
  return element_size(line, first);
}

static void expect_memory(const struct line *line, struct expected *e) {
  const char *m = line->mnemonic, *open = strchr(line->text, '[');
  bool wide;
  /* A lane's number stands in brackets too. */
  while (open && open[1] != 'x' && open[1] != 's' && open[1] != 'z') open = strchr(open + 1, '[');
  e->index = -1;
  if (starts(m, "cpy") || starts(m, "set")) return;
  bool sets_block = starts(line->text, "zva") || starts(line->text, "gva") || starts(line->text, "gzva");
  if (starts(m, "dc") && sets_block) {
    e->access = ACCESS_WRITE;
    e->has_memory = true;
    return;
  }
  if (!open) return;
  if (!is_load(m) && !is_store(m) && !is_atomic(line) && !starts(m, "prf")) return;
  e->has_memory = true;
  e->access = starts(m, "prf")  ? ACCESS_NONE
              : is_atomic(line) ? ACCESS_BOTH
              : is_load(m)      ? ACCESS_READ
                                : ACCESS_WRITE;
  if (e->access) e->size = access_size(line);
  e->scattered = strchr(open, 'z') && strchr(open, 'z') < strchr(open, ']') &&
                 (strstr(open, "z") && (isdigit((unsigned char)strstr(open, "z")[1])));
  e->base = register_at(open + 1, &wide);
  e->has_base = e->base >= 0;
  const char *comma = strchr(open, ','), *close = strchr(open, ']');
  if (comma && close && comma < close) {
    const char *second = comma + 1;
    while (*second == ' ') second++;
    if (*second == '#') {
      e->disp = strtol(second + 1, NULL, 0);
      e->has_disp = true;
      e->scalable = strstr(second, "mul vl") && strstr(second, "mul vl") < close;
    } else {
      e->index = register_at(second, &wide);
    }
  } else {
    e->has_disp = true;
  }
}

/* Operands that are written: the first, but for those that have none, and those of loads and atomics. */
static void expect_written(const struct line *line, struct expected *e) {
  static const char nothing[] =
      " cmp cmn tst ccmp ccmn cbz cbnz tbz tbnz br blr ret braa brab braaz brabz blraa blrab blraaz blrabz "
      "msr prfm "
      "prfum rprfm dc ic at tlbi sys rmif setf8 setf16 ctermeq ctermne cmpp prfb prfh prfw prfd wfet wfit "
      "cfp dvp cpp sysp ";
  const char *m = line->mnemonic;
  if (line->count == 0) return;
  if (strstr(line->text, "]!") ||
      (strchr(line->text, ']') && strstr(line->text, "],") && *line->operands[line->count - 1] != '[')) {
    if (e->has_memory && e->has_base && strrchr(line->text, '[') && e->access != ACCESS_BOTH)
      e->written |= 1u << e->base;
  }
  if (starts(m, "cpy") || (starts(m, "set") && strchr(line->text, '['))) {
    e->written =
        starts(m, "cpy") ? e->named : registers_in(line->operands[0]) | registers_in(line->operands[1]);
    return;
  }
  if (one_of(m, nothing)) return;
  if (starts(m, "casp"))
    e->written |= registers_in(line->operands[0]) | registers_in(line->operands[1]);
  else if (starts(m, "cas"))
    e->written |= registers_in(line->operands[0]);
  else if (is_atomic(line))
    e->written |= is_store(m) ? 0 : registers_in(line->operands[1]);
  else if (starts(m, "stx") || starts(m, "stlx"))
    e->written |= registers_in(line->operands[0]);
  else if (is_store(m))
    return;
  else if (is_load(m)) {
    for (unsigned i = 0; i < line->count && *line->operands[i] != '['; i++)
      if (*line->operands[i] == 'x' || *line->operands[i] == 'w')
        e->written |= registers_in(line->operands[i]);
  } else {
    e->written |= registers_in(line->operands[0]);
  }
}

/* Destinations whose old value matters too. */
static bool reads_destination(const struct line *line) {
  static const char whole[] =
      " movk bfi bfxil bfc bfm ldg autdza autdzb autiza autizb pacdza pacdzb paciza pacizb xpaci xpacd ";
  const char *m = line->mnemonic;
  if (one_of(m, whole) || starts(m, "cas") || starts(m, "cpy") || starts(m, "set")) return true;
  if (starts(m, "pac") || starts(m, "aut")) return strcmp(m, "pacga") != 0;
  return starts(m, "inc") || starts(m, "dec") || starts(m, "sqinc") || starts(m, "sqdec") ||
         starts(m, "uqinc") || starts(m, "uqdec") || starts(m, "clast");
}

/* Of the general registers named, those that are only written: they stand alone as a destination and nowhere else. */
static uint32_t only_written(const struct line *line, const struct expected *e) {
  uint32_t elsewhere = 0;
  if (reads_destination(line)) return 0;
  for (unsigned i = 0; i < line->count; i++) {
    bool memory = *line->operands[i] == '[';
    bool status = i == 0 && (starts(line->mnemonic, "stx") || starts(line->mnemonic, "stlx"));
    bool loaded = is_load(line->mnemonic) && !memory && !is_atomic(line);
    bool swapped = is_atomic(line) && i == 1 && !starts(line->mnemonic, "st");
    bool first =
        i == 0 && !is_load(line->mnemonic) && !is_store(line->mnemonic) && !is_atomic(line) && e->written;
    if (!(status || loaded || swapped || first) || memory) elsewhere |= registers_in(line->operands[i]);
    if (loaded && i > 0 && *line->operands[i - 1] == '[') elsewhere |= registers_in(line->operands[i]);
  }
  return e->written & ~elsewhere;
}

static void expect(const struct line *line, struct expected *e) {
  *e = (struct expected){.base = -1, .index = -1};
  e->named = registers_in(line->text);
  expect_memory(line, e);
  expect_written(line, e);
  const char *m = line->mnemonic;
  e->branch = one_of(m, " b bl cbz cbnz tbz tbnz ") || starts(m, "b.") || starts(m, "bc.");
  if (e->branch || one_of(m, " adr adrp ")) e->target = strtoull(line->operands[line->count - 1], NULL, 16);
}

/* -- Comparing -------------------------------------------------------------------------------------------------------------- */

/* Words that the architecture leaves open, which objdump calls undefined: both bits that should be ones and are not, and a pair
 * loaded into one register, or over its own base. They are copied, and the machine decides. */
static bool is_left_open(uint32_t word) {
  bool ordered = (word & 0x3f000000) == 0x08000000;
  unsigned first = word & 31, base = word >> 5 & 31, second = word >> 10 & 31;
  bool pair = (word & 0x3a000000) == 0x28000000;
  bool same_twice = pair && (first == second || first == base || second == base);
  return ordered || same_twice;
}

/* Words that objdump shows though there is no such instruction (registers of the space that is for hints; blocks of eight that start at an odd
 * register, or end beyond the last), and what is not offered to programs: instructions of the kernel, matrices, psel. */
static bool is_not_offered(const struct line *line) {
  bool block = starts(line->mnemonic, "ld64") || starts(line->mnemonic, "st64");
  bool odd_block = block && (line->word & 1 || (line->word & 31) > 22);
  bool matrices = (line->word >> 25 & 15) == 0;
  return is_privileged(line) || strstr(line->text, "s0_") || odd_block || matrices ||
         starts(line->mnemonic, "psel");
}

/* Maintenance of all entries or lines takes no register, and objdump shows none, whatever the word has in its place. */
static bool hides_register(const struct line *line) {
  return starts(line->mnemonic, "tlbi") || (strcmp(line->mnemonic, "ic") == 0 && starts(line->text, "iallu"));
}

static const char *difference(const struct line *line, const struct a64_insn *insn) {
  bool vector =
      (line->word >> 25 & 7) == 7 || (line->word >> 25 & 15) == 2; /* copied whether allocated or not */
  bool text_says =
      !starts(line->mnemonic, ".inst") && !starts(line->mnemonic, "udf") && !strstr(line->text, "undefined");
  struct expected e;
  if (!text_says)
    return insn->kind == A64_UNDEFINED || vector || is_left_open(line->word) ? NULL : "not an instruction";
  if (insn->kind == A64_UNDEFINED) return is_not_offered(line) ? NULL : "an instruction";
  if (insn->kind == A64_BLOCK_OF_EIGHT || hides_register(line)) return NULL;
  expect(line, &e);
  uint32_t written = a64_registers_written(insn), named = a64_registers_read(insn) | written;
  if (insn->links) written &= ~(1u << 30), named &= ~(1u << 30);
  if (insn->links) e.named &= ~(1u << 30);
  if (insn->kind == A64_RETURN) named &= ~(1u << 30), e.named &= ~(1u << 30);
  if (insn->links && a64_register(line->word, FIELD_N) == 30 && insn->reads) named = e.named;
  if (named != e.named) return "registers named";
  if (written != e.written) return "registers written";
  if (!insn->links && insn->kind != A64_RETURN &&
      a64_registers_read(insn) != (e.named & ~only_written(line, &e)))
    return "registers read";
  if (e.branch && (line->address + (uint64_t)insn->offset != e.target || insn->offset == 0) &&
      e.target != line->address)
    return "target";
  if (e.has_memory && insn->kind != A64_LOAD_LITERAL && insn->kind != A64_PREFETCH_LITERAL) {
    if (insn->mem.access != e.access) return "direction";
    if (e.size && insn->mem.size != e.size) return "size";
    if (e.scattered != insn->mem.scattered && e.access) return "scattered";
    if (e.has_base && !e.scattered && insn->mem.base != e.base) return "base";
    if (e.has_base && !e.scattered && e.index >= 0 && insn->mem.index != e.index && e.access) return "index";
    if (e.has_base && !e.scattered && e.has_disp && !e.scalable && e.access && insn->mem.disp != e.disp)
      return "displacement";
    if (e.scalable && e.access && insn->mem.scalable && insn->mem.disp != e.disp) return "displacement";
  }
  if (!e.has_memory && insn->mem.access && insn->kind != A64_LOAD_LITERAL && !starts(line->mnemonic, "cpy") &&
      !starts(line->mnemonic, "set"))
    return "memory";
  return NULL;
}

/* -- Random words --------------------------------------------------------------------------------------------------------------- */

static uint64_t state;
static uint32_t next_random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)(state >> 16);
}

static void generate(unsigned long count) {
  for (unsigned long i = 0; i < count; i++) {
    uint32_t word = next_random();
    fwrite(&word, sizeof word, 1, stdout);
  }
}

int main(int argc, char **argv) {
  if (argc == 4 && !strcmp(argv[1], "-g")) {
    state = strtoull(argv[3], NULL, 0) * 0x9e3779b97f4a7c15u + 1;
    generate(strtoul(argv[2], NULL, 0));
    return 0;
  }
  char text[1024];
  struct line line;
  unsigned long passed = 0, failed = 0, shown = 0;
  while (fgets(text, sizeof text, stdin)) {
    if (!parse(text, &line)) continue;
    struct a64_insn insn;
    a64_decode(line.word, &insn);
    const char *what = difference(&line, &insn);
    if (!what) {
      passed++;
      continue;
    }
    if (shown++ < 40)
      printf("  %s: %s (read %08x written %08x kind %u access %u size %u)\n", what, strtok(text, "\n"),
             a64_registers_read(&insn), a64_registers_written(&insn), insn.kind, insn.mem.access,
             insn.mem.size);
    failed++;
  }
  printf("%lu passed, %lu failed\n", passed, failed);
  return failed != 0;
}
