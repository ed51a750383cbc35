/* symbols.c: names and source lines, by elfutils. See symbols.h. Debugging information that the system keeps apart from the file is
 * found by its build id; nothing is fetched from anywhere. In a build without elfutils no address has a name. */
#include "inspect/symbols.h"

#if __has_include(<elfutils/libdwfl.h>)
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct symbols {
  Dwfl *session;
  Dwfl_Module *module;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct symbols *symbols_open(int fd, const char *name) {
  struct symbols *symbols = calloc(1, sizeof *symbols);
  int own = dup(fd);
  if (symbols) symbols->session = dwfl_begin(&callbacks);
  if (symbols && symbols->session && own >= 0) {
    dwfl_report_begin(symbols->session);
    symbols->module = dwfl_report_elf(symbols->session, name, name, own, 0, true);
    dwfl_report_end(symbols->session, NULL, NULL);
  }
  if (symbols && symbols->module) return symbols; /* it has taken the descriptor over */
  if (own >= 0) close(own);
  symbols_close(symbols);
  return NULL;
}

void symbols_close(struct symbols *symbols) {
  if (!symbols) return;
  if (symbols->session) dwfl_end(symbols->session);
  free(symbols);
}

/* The address that the file itself gives to the place; false if it is loaded nowhere. */
static bool address_of(struct symbols *symbols, uint64_t offset, bool image, GElf_Addr *address) {
  GElf_Addr bias;
  size_t count;
  Elf *elf = dwfl_module_getelf(symbols->module, &bias);
  if (!elf || elf_getphdrnum(elf, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD) continue;
    if (image) {
      *address = bias + (segment.p_vaddr & ~(segment.p_align ? segment.p_align - 1 : 0)) + offset;
      return true;
    }
    if (offset < segment.p_offset || offset - segment.p_offset >= segment.p_filesz) continue;
    *address = bias + segment.p_vaddr + (offset - segment.p_offset);
    return true;
  }
  return false;
}

void symbols_text(struct symbols *symbols, uint64_t offset, bool image, char *text, size_t size) {
  GElf_Addr address;
  GElf_Off within;
  GElf_Sym symbol;
  *text = 0;
  if (!address_of(symbols, offset, image, &address)) return;
  const char *name = dwfl_module_addrinfo(symbols->module, address, &within, &symbol, NULL, NULL, NULL);
  if (!name) return;
  int n = snprintf(text, size, within ? "%s+0x%lx" : "%s", name, (unsigned long)within);
  int line = 0;
  Dwfl_Line *found = dwfl_module_getsrc(symbols->module, address);
  const char *source = found ? dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL) : NULL;
  if (!source || n < 0 || (size_t)n >= size) return;
  const char *slash = strrchr(source, '/');
  snprintf(text + n, size - (size_t)n, " (%s:%d)", slash ? slash + 1 : source, line);
}

#else

struct symbols *symbols_open(int fd, const char *name) {
  (void)fd, (void)name;
  return NULL;
}

void symbols_close(struct symbols *symbols) {
  (void)symbols;
}

void symbols_text(struct symbols *symbols, uint64_t offset, bool image, char *text, size_t size) {
  (void)symbols, (void)offset, (void)image, (void)size;
  *text = 0;
}

#endif
