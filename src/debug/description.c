/* description.c: the registers of both architectures as the client gets them, in the order in which engines export them
 * (engine/a64/export.c, engine/x64/export.c). */
#include "debug/description.h"

#include <elf.h>
#include <string.h>

/* A run of registers of one kind: NAMEfirst … NAMElast; last < first: NAME alone. */
struct registers {
  const char *feature; /* not NULL: a new feature begins */
  const char *name;
  int first, last;
  unsigned bits;
  const char *type;  /* may be NULL */
  const char *types; /* definitions that the feature begins with, or NULL */
  const char *group; /* may be NULL */
};

static const char vectors_a64[] =
    "<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/><vector id=\"v2u\" type=\"uint64\" count=\"2\"/>"
    "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/><vector id=\"v4u\" type=\"uint32\" count=\"4\"/>"
    "<vector id=\"v8u\" type=\"uint16\" count=\"8\"/><vector id=\"v16u\" type=\"uint8\" count=\"16\"/>"
    "<vector id=\"v1u\" type=\"uint128\" count=\"1\"/>"
    "<union id=\"vnd\"><field name=\"f\" type=\"v2d\"/><field name=\"u\" type=\"v2u\"/></union>"
    "<union id=\"vns\"><field name=\"f\" type=\"v4f\"/><field name=\"u\" type=\"v4u\"/></union>"
    "<union id=\"vnh\"><field name=\"u\" type=\"v8u\"/></union>"
    "<union id=\"vnb\"><field name=\"u\" type=\"v16u\"/></union>"
    "<union id=\"vnq\"><field name=\"u\" type=\"v1u\"/></union>"
    "<union id=\"aarch64v\"><field name=\"d\" type=\"vnd\"/><field name=\"s\" type=\"vns\"/>"
    "<field name=\"h\" type=\"vnh\"/><field name=\"b\" type=\"vnb\"/><field name=\"q\" "
    "type=\"vnq\"/></union>";

static const struct registers a64[] = {
    {"org.gnu.gdb.aarch64.core", "x", 0, 30, 64, NULL, NULL, NULL},
    {NULL, "sp", 0, -1, 64, "data_ptr", NULL, NULL},
    {NULL, "pc", 0, -1, 64, "code_ptr", NULL, NULL},
    {NULL, "cpsr", 0, -1, 32, NULL, NULL, NULL},
    {"org.gnu.gdb.aarch64.fpu", "v", 0, 31, 128, "aarch64v", vectors_a64, NULL},
    {NULL, "fpsr", 0, -1, 32, NULL, NULL, NULL},
    {NULL, "fpcr", 0, -1, 32, NULL, NULL, NULL},
    {"org.gnu.gdb.aarch64.tls", "tpidr", 0, -1, 64, "data_ptr", NULL, NULL},
};

static const char vectors_x64[] =
    "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/><vector id=\"v2d\" type=\"ieee_double\" "
    "count=\"2\"/>"
    "<vector id=\"v16i8\" type=\"int8\" count=\"16\"/><vector id=\"v8i16\" type=\"int16\" count=\"8\"/>"
    "<vector id=\"v4i32\" type=\"int32\" count=\"4\"/><vector id=\"v2i64\" type=\"int64\" count=\"2\"/>"
    "<union id=\"vec128\"><field name=\"v4_float\" type=\"v4f\"/><field name=\"v2_double\" type=\"v2d\"/>"
    "<field name=\"v16_int8\" type=\"v16i8\"/><field name=\"v8_int16\" type=\"v8i16\"/>"
    "<field name=\"v4_int32\" type=\"v4i32\"/><field name=\"v2_int64\" type=\"v2i64\"/>"
    "<field name=\"uint128\" type=\"uint128\"/></union>";

static const struct registers x64[] = {
    {"org.gnu.gdb.i386.core", "rax", 0, -1, 64, "int64", NULL, NULL},
    {NULL, "rbx", 0, -1, 64, "int64", NULL, NULL},
    {NULL, "rcx", 0, -1, 64, "int64", NULL, NULL},
    {NULL, "rdx", 0, -1, 64, "int64", NULL, NULL},
    {NULL, "rsi", 0, -1, 64, "int64", NULL, NULL},
    {NULL, "rdi", 0, -1, 64, "int64", NULL, NULL},
    {NULL, "rbp", 0, -1, 64, "data_ptr", NULL, NULL},
    {NULL, "rsp", 0, -1, 64, "data_ptr", NULL, NULL},
    {NULL, "r", 8, 15, 64, "int64", NULL, NULL},
    {NULL, "rip", 0, -1, 64, "code_ptr", NULL, NULL},
    {NULL, "eflags", 0, -1, 32, "int32", NULL, NULL},
    {NULL, "cs", 0, -1, 32, "int32", NULL, NULL},
    {NULL, "ss", 0, -1, 32, "int32", NULL, NULL},
    {NULL, "ds", 0, -1, 32, "int32", NULL, NULL},
    {NULL, "es", 0, -1, 32, "int32", NULL, NULL},
    {NULL, "fs", 0, -1, 32, "int32", NULL, NULL},
    {NULL, "gs", 0, -1, 32, "int32", NULL, NULL},
    {NULL, "st", 0, 7, 80, "i387_ext", NULL, NULL},
    {NULL, "fctrl", 0, -1, 32, "int", NULL, "float"},
    {NULL, "fstat", 0, -1, 32, "int", NULL, "float"},
    {NULL, "ftag", 0, -1, 32, "int", NULL, "float"},
    {NULL, "fiseg", 0, -1, 32, "int", NULL, "float"},
    {NULL, "fioff", 0, -1, 32, "int", NULL, "float"},
    {NULL, "foseg", 0, -1, 32, "int", NULL, "float"},
    {NULL, "fooff", 0, -1, 32, "int", NULL, "float"},
    {NULL, "fop", 0, -1, 32, "int", NULL, "float"},
    {"org.gnu.gdb.i386.sse", "xmm", 0, 15, 128, "vec128", vectors_x64, NULL},
    {NULL, "mxcsr", 0, -1, 32, "int", NULL, "vector"},
    {"org.gnu.gdb.i386.linux", "orig_rax", 0, -1, 64, "int", NULL, NULL},
    {"org.gnu.gdb.i386.segments", "fs_base", 0, -1, 64, "int", NULL, NULL},
    {NULL, "gs_base", 0, -1, 64, "int", NULL, NULL},
    {"org.gnu.gdb.i386.avx", "ymm%uh", 0, 15, 128, "uint128", NULL, NULL},
};

static const struct machine {
  const char *name, *architecture, *triple;
  unsigned elf_machine;
  const struct registers *registers;
  size_t count;
  unsigned program_counter; /* index of the register */
  unsigned thread_pointer;  /* index of the register with the thread's own memory … */
  unsigned table;           /* … and how far from there the table of thread-local blocks is found (glibc) */
  bool stops_before;        /* watchpoints are reported before the access, as by the hardware */
} machines[] = {
    {"aarch64", "aarch64", "aarch64-unknown-linux-gnu", EM_AARCH64, a64, sizeof a64 / sizeof *a64, 32, 68, 0,
     true},
    {"x86-64", "i386:x86-64", "x86_64-unknown-linux-gnu", EM_X86_64, x64, sizeof x64 / sizeof *x64, 16, 58, 8,
     false},
};

static const struct machine *machine = &machines[0];

bool description_choose(const char *architecture) {
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    if (architecture && !strcmp(machines[i].name, architecture)) {
      machine = &machines[i];
      return true;
    }
  return false;
}

static unsigned count_of(const struct registers *registers) {
  return registers->last < registers->first ? 1 : (unsigned)(registers->last - registers->first + 1);
}

bool description_register(unsigned number, size_t *offset, size_t *bytes) {
  *offset = 0;
  for (size_t i = 0; i < machine->count; i++) {
    const struct registers *registers = &machine->registers[i];
    unsigned count = count_of(registers);
    *bytes = registers->bits / 8;
    if (number < count) {
      *offset += number * *bytes;
      return true;
    }
    number -= count;
    *offset += count * *bytes;
  }
  return false;
}

size_t description_bytes(void) {
  size_t offset, bytes;
  description_register(~0U, &offset, &bytes);
  return offset;
}

unsigned description_program_counter(void) {
  return machine->program_counter;
}

unsigned description_thread_pointer(unsigned *table) {
  *table = machine->table;
  return machine->thread_pointer;
}

unsigned description_elf_machine(void) {
  return machine->elf_machine;
}

const char *description_triple(void) {
  return machine->triple;
}

bool description_stops_before(void) {
  return machine->stops_before;
}

static void write_register(FILE *out, const struct registers *registers, int number) {
  fputs("<reg name=\"", out);
  if (registers->last < registers->first)
    fputs(registers->name, out);
  else if (strchr(registers->name, '%'))
    fprintf(out, "ymm%dh", number);
  else
    fprintf(out, "%s%d", registers->name, number);
  fprintf(out, "\" bitsize=\"%u\"", registers->bits);
  if (registers->type) fprintf(out, " type=\"%s\"", registers->type);
  if (registers->group) fprintf(out, " group=\"%s\"", registers->group);
  fputs("/>", out);
}

void description_write(FILE *out) {
  fprintf(out,
          "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM "
          "\"gdb-target.dtd\"><target><architecture>%s</architecture>"
          "<osabi>GNU/Linux</osabi>",
          machine->architecture);
  for (size_t i = 0; i < machine->count; i++) {
    const struct registers *registers = &machine->registers[i];
    if (registers->feature)
      fprintf(out, "%s<feature name=\"%s\">%s", i ? "</feature>" : "", registers->feature,
              registers->types ? registers->types : "");
    for (unsigned j = 0; j < count_of(registers); j++)
      write_register(out, registers, registers->first + (int)j);
  }
  fputs("</feature></target>", out);
}
