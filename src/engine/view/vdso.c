/* vdso.c: answers the system calls that ask for the time.
 *
 * The program does not see the kernel's vDSO, so that time enters it through system calls only, where it can be logged. The
 * engine uses the vDSO in its place: a call costs a fifth of the time that the kernel would take. */
#include "engine/view/vdso.h"

#include <linux/elf.h>
#include <linux/time.h>

#include "engine/base/lib.h"
#include "engine/code/code.h"

static long (*clock_gettime)(int clock, struct clock_words *now);
static long (*clock_getres)(int clock, struct clock_words *resolution);

/* The symbols that the dynamic section of an image names. */
struct symbols {
  const Elf64_Sym *table;
  const char *names;
  size_t count;
};

static struct symbols find_symbols(uintptr_t bias, const Elf64_Dyn *dynamic) {
  struct symbols symbols = {0};
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    const void *address = (const void *)(bias + dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_SYMTAB)
      symbols.table = address;
    else if (dynamic->d_tag == DT_STRTAB)
      symbols.names = address;
    else if (dynamic->d_tag == DT_HASH)
      symbols.count = ((const uint32_t *)address)[1];
  }
  /* Without DT_HASH the tables follow each other, symbols first. */
  if (!symbols.count && symbols.table && (uintptr_t)symbols.names > (uintptr_t)symbols.table)
    symbols.count = ((uintptr_t)symbols.names - (uintptr_t)symbols.table) / sizeof(Elf64_Sym);
  return symbols;
}

void vdso_init(uintptr_t start) {
  if (!start) return;
  const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)start;
  const Elf64_Phdr *phdr = (const Elf64_Phdr *)(start + ehdr->e_phoff);
  uintptr_t bias = start;
  const Elf64_Dyn *dynamic = NULL;
  for (unsigned i = 0; i < ehdr->e_phnum; i++) {
    if (phdr[i].p_type == PT_LOAD) bias = start + phdr[i].p_offset - phdr[i].p_vaddr;
    if (phdr[i].p_type == PT_DYNAMIC) dynamic = (const Elf64_Dyn *)(start + phdr[i].p_offset);
  }
  if (!dynamic) return;
  struct symbols symbols = find_symbols(bias, dynamic);
  if (!symbols.table || !symbols.names) return;
  for (size_t i = 0; i < symbols.count; i++) {
    const char *name = symbols.names + symbols.table[i].st_name;
    uintptr_t address = bias + symbols.table[i].st_value;
    if (!symbols.table[i].st_shndx) continue;
    if (!strcmp(name, ARCH_VDSO_CLOCK_GETTIME)) clock_gettime = (long (*)(int, struct clock_words *))address;
    if (!strcmp(name, ARCH_VDSO_CLOCK_GETRES)) clock_getres = (long (*)(int, struct clock_words *))address;
  }
}

void vdso_forget(void) {
  clock_gettime = NULL;
  clock_getres = NULL;
}

static bool read_clock(long (*function)(int, struct clock_words *), const struct call *call, long *result) {
  struct clock_words value;
  if (!function) return false;
  *result = function((int)call->args[0], &value);
  if (*result == 0 && call->args[1]) *result = copy_to_app((uintptr_t)call->args[1], &value, sizeof value);
  return true;
}

bool vdso_time(const struct call *call, struct clock_words *now) {
  bool of_day = call->nr == __NR_gettimeofday;
  if (!clock_gettime || !call->args[!of_day] || (of_day && call->args[1])) return false;
  if (clock_gettime(of_day ? CLOCK_REALTIME : (int)call->args[0], now) != 0) return false;
  if (of_day) now->fraction = (long)((unsigned long)now->fraction / 1000);
  return true;
}

static bool read_time_of_day(const struct call *call, long *result) {
  struct clock_words now;
  if (!call->args[0] || !vdso_time(call, &now)) return false;
  *result = copy_to_app((uintptr_t)call->args[0], &now, sizeof now);
  return true;
}

bool vdso_call(struct thread *thread, const struct call *call, long *result) {
  (void)thread;
  switch (call->nr) {
    case __NR_clock_gettime:
      return call->args[1] && read_clock(clock_gettime, call, result);
    case __NR_clock_getres:
      return read_clock(clock_getres, call, result);
    case __NR_gettimeofday:
      return read_time_of_day(call, result);
    default:
      return false;
  }
}
