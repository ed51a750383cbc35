/* image.c: static RV64 programs from ELF files into an address space, with the stack that Linux gives them. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/kernel/kernel.h"

#define STACK_TOP ((uint64_t)KERNEL_PAGE)
#define STACK_BYTES (8ull << 20)
#define MAPPING_TOP (STACK_TOP - STACK_BYTES - (1ull << 20))
#define PIE_BASE 0x2aaaaaa000ull
enum { MAX_SEGMENTS = 64, SP = 2 };

struct image {
  uint8_t *bytes;
  uint64_t count;
  Elf64_Ehdr header;
  Elf64_Phdr segments[MAX_SEGMENTS];
  uint64_t base, end, headers; /* base: added to every address; headers: address of the program headers */
};

/* -- Reading --------------------------------------------------------------------------------------------------------------------------- */

static const char *read_file(struct image *image, const char *path) {
  struct stat about;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return "can't be opened";
  if (fstat(file, &about) || !S_ISREG(about.st_mode) || !(image->bytes = malloc((size_t)about.st_size + 1))) {
    close(file);
    return "can't be read";
  }
  while (image->count < (uint64_t)about.st_size) {
    ssize_t n = read(file, image->bytes + image->count, (size_t)about.st_size - image->count);
    if (n <= 0) break;
    image->count += (uint64_t)n;
  }
  close(file);
  return image->count == (uint64_t)about.st_size ? NULL : "can't be read";
}

static const char *check_header(struct image *image) {
  const Elf64_Ehdr *h = &image->header;
  if (image->count < sizeof *h || memcmp(image->bytes, ELFMAG, SELFMAG)) return "is not an ELF file";
  memcpy(&image->header, image->bytes, sizeof image->header);
  if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_RISCV)
    return "is not a program for 64-bit RISC-V";
  if (h->e_type != ET_EXEC && h->e_type != ET_DYN) return "is not an executable program";
  if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum || h->e_phnum > MAX_SEGMENTS)
    return "has damaged program headers";
  uint64_t bytes = h->e_phnum * sizeof(Elf64_Phdr);
  if (h->e_phoff > image->count || image->count - h->e_phoff < bytes) return "has damaged program headers";
  memcpy(image->segments, image->bytes + h->e_phoff, bytes);
  return NULL;
}

static const char *check_segments(struct image *image) {
  uint64_t end = MAPPING_TOP - image->base;
  bool any = false;
  for (int i = 0; i < image->header.e_phnum; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type == PT_INTERP)
      return "is dynamically linked; the simulator runs static programs (link with -static)";
    if (s->p_type != PT_LOAD) continue;
    any = true;
    if (s->p_offset > image->count || s->p_filesz > image->count - s->p_offset || s->p_filesz > s->p_memsz)
      return "is cut short";
    if (s->p_vaddr >= end || s->p_memsz > end - s->p_vaddr) return "has segments outside of user memory";
  }
  return any ? NULL : "has nothing to load";
}

/* -- Mapping ---------------------------------------------------------------------------------------------------------------------------- */

static unsigned segment_flags(const Elf64_Phdr *s) {
  return (s->p_flags & PF_R ? PAGE_READ : 0) | (s->p_flags & PF_W ? PAGE_WRITE : 0) |
         (s->p_flags & PF_X ? PAGE_EXECUTE : 0);
}

static uint64_t round_up(uint64_t address) {
  return (address + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static bool map_segment(struct space *space, struct image *image, const Elf64_Phdr *s) {
  uint64_t start = image->base + s->p_vaddr, end = round_up(start + s->p_memsz),
           first = start & ~(uint64_t)(PAGE_BYTES - 1);
  if (s->p_offset <= image->header.e_phoff && image->header.e_phoff < s->p_offset + s->p_filesz)
    image->headers = start + image->header.e_phoff - s->p_offset;
  if (end > image->end) image->end = end;
  return (end == first || space_map(space, first, end - first, segment_flags(s))) &&
         space_write(space, start, image->bytes + s->p_offset, s->p_filesz);
}

static bool map_all(struct space *space, struct image *image) {
  /* li a7, 139; ecall: where a signal handler returns to */
  static const uint32_t trampoline[] = {0x08b00893, 0x00000073};
  for (int i = 0; i < image->header.e_phnum; i++)
    if (image->segments[i].p_type == PT_LOAD && !map_segment(space, image, &image->segments[i])) return false;
  space->brk_start = space->brk = image->end;
  space->mapping_top = MAPPING_TOP;
  return space_map(space, KERNEL_PAGE, PAGE_BYTES, PAGE_READ | PAGE_WRITE) &&
         space_map(space, TRAMPOLINE, PAGE_BYTES, PAGE_READ | PAGE_EXECUTE) &&
         space_write(space, TRAMPOLINE, trampoline, sizeof trampoline) &&
         space_map(space, STACK_TOP - STACK_BYTES, STACK_BYTES, PAGE_READ | PAGE_WRITE);
}

/* -- The stack ---------------------------------------------------------------------------------------------------------------------------- */

struct stack {
  struct space *space;
  uint64_t at;
  bool failed;
};

static uint64_t push(struct stack *stack, const void *bytes, uint64_t count) {
  stack->at -= count;
  if (stack->at < STACK_TOP - STACK_BYTES / 2 || !space_write(stack->space, stack->at, bytes, count))
    stack->failed = true;
  return stack->at;
}

static uint64_t *push_strings(struct stack *stack, char **strings, uint64_t *count) {
  for (*count = 0; strings[*count];) ++*count;
  uint64_t *at = calloc(*count + 1, sizeof *at);
  for (uint64_t i = 0; at && i < *count && !stack->failed; i++)
    at[i] = push(stack, strings[i], strlen(strings[i]) + 1);
  if (!at) stack->failed = true;
  return at;
}

enum {
  HWCAP_GCV = 1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A') | 1 << ('F' - 'A') | 1 << ('D' - 'A') |
              1 << ('C' - 'A') | 1 << ('V' - 'A')
};

static bool build_stack(struct space *space, const struct image *image, const char *path, char **argv,
                        char **envp, const uint8_t random[16], uint64_t *sp) {
  struct stack stack = {space, STACK_TOP, false};
  uint64_t argc, envc, name = push(&stack, path, strlen(path) + 1), seed = push(&stack, random, 16);
  uint64_t *arguments = push_strings(&stack, argv, &argc), *environment = push_strings(&stack, envp, &envc);
  uint64_t auxiliary[] = {AT_PHDR,        image->headers,
                          AT_PHENT,       sizeof(Elf64_Phdr),
                          AT_PHNUM,       image->header.e_phnum,
                          AT_PAGESZ,      PAGE_BYTES,
                          AT_BASE,        0,
                          AT_FLAGS,       0,
                          AT_ENTRY,       image->base + image->header.e_entry,
                          AT_UID,         0,
                          AT_EUID,        0,
                          AT_GID,         0,
                          AT_EGID,        0,
                          AT_HWCAP,       HWCAP_GCV,
                          AT_CLKTCK,      100,
                          AT_SECURE,      0,
                          AT_RANDOM,      seed,
                          AT_EXECFN,      name,
                          AT_MINSIGSTKSZ, SIGNAL_STACK_LEAST,
                          AT_NULL,        0};
  stack.at &= ~15ull;
  if ((1 + argc + 1 + envc + 1) % 2) stack.at -= 8;
  push(&stack, auxiliary, sizeof auxiliary);
  if (environment) push(&stack, environment, (envc + 1) * 8);
  if (arguments) push(&stack, arguments, (argc + 1) * 8);
  *sp = push(&stack, &argc, 8);
  free(arguments);
  free(environment);
  return !stack.failed;
}

const char *image_load(struct space *space, const char *file, const char *path, char **argv, char **envp,
                       const uint8_t random[16], struct registers *registers) {
  struct image *image = calloc(1, sizeof *image);
  if (!image) return "has no memory to be read into";
  const char *error = read_file(image, file);
  if (!error) error = check_header(image);
  if (image->header.e_type == ET_DYN) image->base = PIE_BASE;
  if (!error) error = check_segments(image);
  if (!error) {
    memset(registers, 0, sizeof *registers);
    registers->pc = image->base + image->header.e_entry;
    if (!map_all(space, image) || !build_stack(space, image, path, argv, envp, random, &registers->x[SP]))
      error = "does not fit into the simulated memory, with its arguments";
  }
  free(image->bytes);
  free(image);
  return error;
}
