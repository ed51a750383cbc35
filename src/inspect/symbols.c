/* symbols.c: names and source lines, by elfutils. See symbols.h. Debugging information that the system keeps apart from the file is
 * found by its build id; nothing is fetched from anywhere. In a build without elfutils no address has a name.
 *
 * The library is loaded when the first file is opened: with all that it needs in turn that takes half a millisecond, and most commands look up
 * no names. */
#include "inspect/symbols.h"

#if __has_include(<elfutils/libdwfl.h>)
#include <dlfcn.h>
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

#define FUNCTIONS(each)                                                                                \
  each(dwfl_begin) each(dwfl_build_id_find_debuginfo) each(dwfl_build_id_find_elf) each(dwfl_end)      \
      each(dwfl_lineinfo) each(dwfl_module_addrinfo) each(dwfl_module_getelf) each(dwfl_module_getsrc) \
          each(dwfl_offline_section_address) each(dwfl_report_begin) each(dwfl_report_elf)             \
              each(dwfl_report_end) each(elf_getphdrnum) each(gelf_getphdr)

#define MEMBER(name) __typeof__(name) *name;
static struct {
  void *handle;
  Dwfl_Callbacks callbacks;
  FUNCTIONS(MEMBER)
} library;

/* False: this machine does not have the library. */
static bool load_library(void) {
  if (library.handle) return true;
  void *handle = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return false;
#define FIND(name) \
  if (!(*(void **)&library.name = dlsym(handle, #name))) return false;
  FUNCTIONS(FIND)
  library.callbacks = (Dwfl_Callbacks){
      .find_elf = library.dwfl_build_id_find_elf,
      .find_debuginfo = library.dwfl_build_id_find_debuginfo,
      .section_address = library.dwfl_offline_section_address,
  };
  library.handle = handle;
  return true;
}

struct symbols *symbols_open(int fd, const char *name) {
  if (!load_library()) return NULL;
  struct symbols *symbols = calloc(1, sizeof *symbols);
  int own = dup(fd);
  if (symbols) symbols->session = library.dwfl_begin(&library.callbacks);
  if (symbols && symbols->session && own >= 0) {
    library.dwfl_report_begin(symbols->session);
    symbols->module = library.dwfl_report_elf(symbols->session, name, name, own, 0, true);
    library.dwfl_report_end(symbols->session, NULL, NULL);
  }
  if (symbols && symbols->module) return symbols; /* it has taken the descriptor over */
  if (own >= 0) close(own);
  symbols_close(symbols);
  return NULL;
}

void symbols_close(struct symbols *symbols) {
  if (!symbols) return;
  if (symbols->session) library.dwfl_end(symbols->session);
  free(symbols);
}

/* The address that the file itself gives to the place; false if it is loaded nowhere. */
static bool address_of(struct symbols *symbols, uint64_t offset, bool image, GElf_Addr *address) {
  GElf_Addr bias;
  size_t count;
  Elf *elf = library.dwfl_module_getelf(symbols->module, &bias);
  if (!elf || library.elf_getphdrnum(elf, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr segment;
    if (!library.gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD) continue;
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
  const char *name =
      library.dwfl_module_addrinfo(symbols->module, address, &within, &symbol, NULL, NULL, NULL);
  if (!name) return;
  int n = snprintf(text, size, within ? "%s+0x%lx" : "%s", name, (unsigned long)within);
  int line = 0;
  Dwfl_Line *found = library.dwfl_module_getsrc(symbols->module, address);
  const char *source = found ? library.dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL) : NULL;
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
