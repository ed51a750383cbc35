/* loader.c: maps ELF programs. See loader.h.
 *
 * Places are those of the kernel's own loader with randomisation off:
 *
 *   ET_EXEC                       where its headers say
 *   ET_DYN with an interpreter    at two thirds of the address space, aligned as its largest segment wants
 *   ET_DYN without (static PIE)   where mmap puts it; its heap goes to two thirds of the address space
 *   the interpreter               where mmap puts it
 *
 * A segment's pages come from the file; the rest of its memory size is zeroed in the last page of the file
 * and anonymous after it. */
#include "engine/start/loader.h"

#include <linux/mman.h>

#include "engine/base/arch.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/mapping_tree.h"
#include "engine/code/code_files.h"

static long refuse(struct image *image, long error, const char *problem) {
  image->problem = problem;
  return error;
}

static uint32_t segment_prot(const Elf64_Phdr *s) {
  return (s->p_flags & PF_R ? PROT_READ : 0) | (s->p_flags & PF_W ? PROT_WRITE : 0) |
         (s->p_flags & PF_X ? PROT_EXEC : 0);
}

/* -- Facts before mapping ---------------------------------------------------------------------------------------- */

struct extent {
  uintptr_t start, end; /* of all segments, in file addresses; start is page aligned */
  uintptr_t alignment;
};

static bool sane_segment(const Elf64_Phdr *s) {
  return s->p_filesz <= s->p_memsz && s->p_memsz <= ARCH_ADDRESS_SPACE &&
         s->p_vaddr <= ARCH_ADDRESS_SPACE - s->p_memsz && (s->p_vaddr - s->p_offset) % PAGE == 0 &&
         s->p_offset + s->p_filesz >= s->p_offset;
}

static long measure(struct image *image, struct extent *extent) {
  *extent = (struct extent){UINTPTR_MAX, 0, PAGE};
  for (unsigned i = 0; i < image->header.e_phnum; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type != PT_LOAD) continue;
    if (!sane_segment(s)) return refuse(image, -EINVAL, "a damaged ELF file (a segment's size or place)");
    extent->start = MIN(extent->start, ALIGN_DOWN(s->p_vaddr, PAGE));
    extent->end = MAX(extent->end, s->p_vaddr + s->p_memsz);
    if (s->p_align && !(s->p_align & (s->p_align - 1)))
      extent->alignment = MAX(extent->alignment, s->p_align);
  }
  if (extent->end <= extent->start) return refuse(image, -EINVAL, "a damaged ELF file (nothing to load)");
  return 0;
}

/* -- Mapping one segment --------------------------------------------------------------------------------------------- */

static long map(uintptr_t at, size_t bytes, uint32_t prot, long flags, int fd, uint64_t offset) {
  if (mappings_in_engine(at, bytes)) return -ENOMEM;
  return os_call6(__NR_mmap, at, bytes, mappings_kernel_prot(prot), MAP_PRIVATE | flags, fd, offset);
}

static long clear(uintptr_t from, uintptr_t to) {
  static const char zeros[4096];
  return from < to ? safe_copy((void *)from, zeros, to - from) : 0;
}

static void add_file_mapping(uintptr_t start, uintptr_t end, uint32_t prot, int fd, uintptr_t base) {
  struct mapping made = {.start = start, .end = end, .prot = prot};
  lock_take(&mappings_lock);
  if (prot & PROT_EXEC) {
    made.file = code_files_mapped(fd);
    made.file_base = base;
  }
  tree_put(made);
  lock_release(&mappings_lock);
}

static long map_file_part(const struct image *image, const Elf64_Phdr *s, uintptr_t at, long flags) {
  uintptr_t page = ALIGN_DOWN(at, PAGE);
  uint64_t lead = at - page;
  size_t bytes = ALIGN_UP(s->p_filesz + lead, PAGE);
  uint32_t prot = segment_prot(s);
  long result = map(page, bytes, prot, flags, image->fd, s->p_offset - lead);
  if (os_failed(result)) return result;
  if ((uintptr_t)result != page) return -ENOMEM;
  add_file_mapping(page, page + bytes, prot, image->fd, page - (s->p_offset - lead));
  /* The kernel clears the rest of the last page only where it can. */
  if (s->p_memsz > s->p_filesz && prot & PROT_WRITE) return clear(at + s->p_filesz, page + bytes);
  return 0;
}

static long map_zero_part(const Elf64_Phdr *s, uintptr_t at) {
  uintptr_t from = s->p_filesz ? ALIGN_UP(at + s->p_filesz, PAGE) : ALIGN_DOWN(at, PAGE);
  uintptr_t to = ALIGN_UP(at + s->p_memsz, PAGE);
  if (from >= to) return 0;
  uint32_t prot = PROT_READ | PROT_WRITE | (s->p_flags & PF_X ? PROT_EXEC : 0);
  long result = map(from, to - from, prot, MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (os_failed(result)) return result;
  mappings_add(from, to, prot, false);
  return 0;
}

static long map_segments(struct image *image, uintptr_t bias, bool reserved) {
  bool first = !reserved; /* nothing may be lost to the first; the others may overlap it, as for the kernel */
  for (unsigned i = 0; i < image->header.e_phnum; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type != PT_LOAD) continue;
    uintptr_t at = bias + s->p_vaddr;
    long result = 0;
    if (s->p_filesz) result = map_file_part(image, s, at, first ? MAP_FIXED_NOREPLACE : MAP_FIXED);
    if (!os_failed(result) && s->p_memsz > s->p_filesz) result = map_zero_part(s, at);
    if (os_failed(result)) return refuse(image, result, "its segments can't be mapped where it wants them");
    first = false;
  }
  return 0;
}

/* -- Where --------------------------------------------------------------------------------------------------------- */

/* Finds room for all of the image and keeps it until the segments are mapped over it. The file itself is mapped, because
 * the kernel aligns files and anonymous memory differently. fixed: only at the hint. */
static long reserve(const struct image *image, size_t bytes, uintptr_t hint, bool fixed) {
  if (mappings_in_engine(hint, bytes)) return -ENOMEM;
  long at = os_call6(__NR_mmap, hint, bytes, PROT_NONE, MAP_PRIVATE | (fixed ? MAP_FIXED_NOREPLACE : 0),
                     image->fd, 0);
  if (os_failed(at)) return at;
  if ((fixed && (uintptr_t)at != hint) || mappings_in_engine((uintptr_t)at, bytes)) {
    os_call2(__NR_munmap, at, bytes);
    return -ENOMEM;
  }
  return at;
}

/* Unmaps reserved memory that no segment was mapped over. */
static void release_rest(uintptr_t start, uintptr_t end) {
  lock_take(&mappings_lock);
  while (start < end) {
    const struct mapping *next = tree_from(start);
    uintptr_t hole_end = next ? MIN(next->start, end) : end;
    if (hole_end > start) os_call2(__NR_munmap, start, hole_end - start);
    start = next ? next->end : end;
  }
  lock_release(&mappings_lock);
}

/* Replaces a reservation by one with the alignment that the image wants: below the first as the kernel has it, or, where
 * addresses are handed out upwards and that one is taken, in a larger piece. */
static long reserve_aligned(const struct image *image, size_t bytes, uintptr_t alignment, long at) {
  os_call2(__NR_munmap, at, bytes);
  long below = reserve(image, bytes, ALIGN_DOWN((uintptr_t)at, alignment), true);
  if (!os_failed(below)) return below;
  long larger = reserve(image, bytes + alignment, 0, false);
  if (os_failed(larger)) return larger;
  uintptr_t aligned = ALIGN_UP((uintptr_t)larger, alignment), lead = aligned - (uintptr_t)larger;
  if (lead) os_call2(__NR_munmap, larger, lead);
  os_call2(__NR_munmap, aligned + bytes, alignment - lead);
  return (long)aligned;
}

static long map_movable(struct image *image, const struct extent *extent, uintptr_t hint, uintptr_t *bias) {
  size_t bytes = ALIGN_UP(extent->end - extent->start, PAGE);
  long at = reserve(image, bytes, hint, hint != 0);
  if (!os_failed(at) && !hint && extent->alignment > PAGE)
    at = reserve_aligned(image, bytes, extent->alignment, at);
  if (os_failed(at)) return refuse(image, at, "no room for it in the address space");
  *bias = (uintptr_t)at - extent->start;
  long result = map_segments(image, *bias, true);
  release_rest((uintptr_t)at, (uintptr_t)at + bytes);
  return result;
}

static long map_image(struct image *image, uintptr_t hint, uintptr_t *bias) {
  struct extent extent;
  long result = measure(image, &extent);
  if (result) return result;
  *bias = 0;
  if (image->place) hint = image->place;
  image->place = extent.start;
  image->extent = ALIGN_UP(extent.end - extent.start, PAGE);
  if (image->header.e_type == ET_EXEC) {
    if (mappings_in_engine(extent.start, extent.end - extent.start))
      return refuse(image, -ENOMEM, "it wants the addresses that the engine lies at");
    return map_segments(image, 0, false);
  }
  result = map_movable(image, &extent, hint ? ALIGN_DOWN(hint, extent.alignment) : 0, bias);
  image->place = *bias + extent.start;
  return result;
}

/* -- Facts from the program's own segments ----------------------------------------------------------------------------- */

static void describe(const struct image *image, uintptr_t bias, struct loaded *loaded) {
  const Elf64_Ehdr *h = &image->header;
  uintptr_t end = 0, data_start = 0, data_end = 0;
  loaded->entry = bias + h->e_entry;
  loaded->headers = bias;
  loaded->header_count = h->e_phnum;
  for (unsigned i = 0; i < h->e_phnum; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type == PT_GNU_STACK) loaded->executable_stack = s->p_flags & PF_X;
    if (s->p_type != PT_LOAD) continue;
    if (s->p_offset <= h->e_phoff && h->e_phoff < s->p_offset + s->p_filesz)
      loaded->headers = bias + h->e_phoff - s->p_offset + s->p_vaddr;
    end = MAX(end, s->p_vaddr + s->p_memsz);
    data_start = MAX(data_start, s->p_vaddr);
    data_end = MAX(data_end, s->p_vaddr + s->p_filesz);
  }
  loaded->heap = ALIGN_UP(bias + end, PAGE);
  loaded->data_bytes = data_end > data_start ? data_end - data_start : 0;
}

long loader_map(struct image *program, struct image *interpreter, uintptr_t top, struct loaded *loaded) {
  *loaded = (struct loaded){0};
  uintptr_t bias, base = top / 3 * 2;
  long result = map_image(program, interpreter ? base : 0, &bias);
  if (result) return result;
  describe(program, bias, loaded);
  loaded->start = loaded->entry;
  if (!interpreter && program->header.e_type == ET_DYN) loaded->heap = ALIGN_UP(base, PAGE);
  LOG(start, "program at %lx, entry %lx", bias, loaded->entry);
  if (!interpreter) return 0;
  result = map_image(interpreter, 0, &bias);
  if (result) return refuse(program, result, interpreter->problem);
  loaded->base = bias;
  loaded->start = bias + interpreter->header.e_entry;
  LOG(start, "interpreter at %lx, entry %lx", bias, loaded->start);
  return 0;
}
