/* mapped_files.c: see mapped_files.h.
 *
 * A file's pages are physical pages that every mapping shares. When a page has no user yet, the kernel stores the file's bytes to it, through the caches and in the
 * name of the task that maps it, so order log and input log have that; what differs from the file is written to it when the last mapping of the page goes, at msync, and before
 * the file is read. Files have numbers that are never used twice: a replay, which has no files, takes numbers, and which pages are filled, from the log, and keeps
 * the pages to the end, since processes of a replay may map and unmap in another order. */
#include "sim/kernel/mapped_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/kernel/input_log.h"
#include "sim/machine/check.h"
#include "sim/machine/pages.h"

enum { MOST_PAGES = 1 << 24 }; /* of a file, from its beginning to what is mapped */

struct file_page {
  uint64_t page;  /* physical; 0: none yet */
  uint8_t *bytes; /* the file's, as far as is known here; NULL in a replay, and before the first mapping */
  bool mapped;
};

struct mapped_file {
  struct mapped_file *next;
  const struct sphere *sphere;
  uint64_t device, inode;
  uint32_t number;
  int host; /* a descriptor of its own, or -1 in a replay */
  bool filling;
  struct wait_queue filled;
  uint64_t count;
  struct file_page *pages;
};

/* -- Files ---------------------------------------------------------------------------------------------------------------- */

static bool is_possible(const struct open_file *file) {
  struct stat about;
  return !file_is_own(file) && !fstat(file->host, &about) && S_ISREG(about.st_mode);
}

static struct mapped_file *find(const struct kernel *kernel, const struct open_file *open) {
  struct stat about;
  if (!kernel->mapped_files || file_is_own(open) || fstat(open->host, &about)) return NULL;
  struct mapped_file *file = kernel->mapped_files;
  while (file && (file->host < 0 || file->device != about.st_dev || file->inode != about.st_ino))
    file = file->next;
  return file;
}

/* The file that the physical page is of, and its number there. */
static struct mapped_file *find_page(const struct kernel *kernel, uint64_t page, uint64_t *n) {
  for (struct mapped_file *file = kernel->mapped_files; file; file = file->next)
    for (*n = 0; *n < file->count; ++*n)
      if (file->pages[*n].page == page) return file;
  return NULL;
}

static struct mapped_file *add(struct kernel *kernel, const struct sphere *sphere, uint32_t number) {
  struct mapped_file *file = calloc(1, sizeof *file);
  CHECK(file, "out of memory");
  *file = (struct mapped_file){.next = kernel->mapped_files, .sphere = sphere, .number = number, .host = -1};
  return kernel->mapped_files = file;
}

/* The number of the file at the descriptor, or -errno. */
static int64_t number_of(struct task *task, uint64_t descriptor, bool writes) {
  struct kernel *kernel = kernel_of(task);
  const struct open_file *open = file_get(task, descriptor);
  struct stat about;
  if (!open) return -EBADF;
  if (!is_possible(open)) return -ENODEV;
  int access = fcntl(open->host, F_GETFL) & O_ACCMODE;
  if (access == O_WRONLY || (writes && access != O_RDWR)) return -EACCES;
  struct mapped_file *file = find(kernel, open);
  if (file && file->sphere != task->thread.sphere) {
    kernel_fail(
        kernel, 122,
        "%s: a file that programs of two recordings map as shared is not supported by the simulator's kernel",
        task->process->path);
    return -ENODEV;
  }
  /* A descriptor that can write serves all mappings, and the file may be read-only for the first one. */
  bool better = file && writes && (fcntl(file->host, F_GETFL) & O_ACCMODE) != O_RDWR;
  if (!file || better) {
    int host = fcntl(open->host, F_DUPFD_CLOEXEC, 3);
    if (host < 0 || fstat(host, &about)) return -ENOMEM;
    if (!file) file = add(kernel, task->thread.sphere, ++kernel->next_mapped_file);
    if (file->host >= 0) close(file->host);
    file->host = host;
    file->device = about.st_dev;
    file->inode = about.st_ino;
  }
  return file->number;
}

static struct mapped_file *numbered(struct task *task, uint32_t number) {
  const struct sphere *sphere = task->thread.sphere;
  struct mapped_file *file = kernel_of(task)->mapped_files;
  while (file && (file->number != number || file->sphere != sphere)) file = file->next;
  return file ? file : add(kernel_of(task), sphere, number);
}

/* -- To the host ------------------------------------------------------------------------------------------------------------- */

static const uint8_t *memory_of(const struct kernel *kernel, const struct file_page *page) {
  return machine_ram(kernel->machine, page->page);
}

/* Memory has been drained. */
static void write_page(const struct kernel *kernel, const struct mapped_file *file, uint64_t n) {
  struct file_page *page = &file->pages[n];
  const uint8_t *memory = memory_of(kernel, page);
  struct stat about;
  if (!page->bytes || !memcmp(page->bytes, memory, PAGE_BYTES) || fstat(file->host, &about)) return;
  uint64_t at = n * PAGE_BYTES, size = (uint64_t)about.st_size;
  uint64_t count = at >= size ? 0 : size - at < PAGE_BYTES ? size - at : PAGE_BYTES;
  if (count && pwrite(file->host, memory, count, (off_t)at) == (ssize_t)count)
    memcpy(page->bytes, memory, PAGE_BYTES);
}

static void drain(const struct kernel *kernel) {
  if (kernel->machine->system->drain) kernel->machine->system->drain(kernel->machine);
}

static void flush(const struct kernel *kernel, const struct mapped_file *file) {
  bool drained = false;
  for (uint64_t n = 0; file->host >= 0 && n < file->count; n++) {
    if (!file->pages[n].mapped) continue;
    if (!drained) drain(kernel);
    drained = true;
    write_page(kernel, file, n);
  }
}

void mapped_file_flush(struct kernel *kernel, const struct open_file *open) {
  const struct mapped_file *file = find(kernel, open);
  if (file) flush(kernel, file);
}

void mapped_files_flush(struct kernel *kernel) {
  for (const struct mapped_file *file = kernel->mapped_files; file; file = file->next) flush(kernel, file);
}

void mapped_files_settle(struct kernel *kernel) {
  bool drained = false;
  for (const struct mapped_file *file = kernel->mapped_files; file; file = file->next)
    for (uint64_t n = 0; file->host >= 0 && n < file->count; n++) {
      struct file_page *page = &file->pages[n];
      if (!page->mapped || page_users(kernel->machine, page->page) > 1) continue;
      if (!drained) drain(kernel);
      drained = true;
      write_page(kernel, file, n);
      page->mapped = false;
    }
}

bool mapped_file_may_write(struct kernel *kernel, const struct open_file *open, const void *bytes,
                           uint64_t count, uint64_t offset) {
  const struct mapped_file *file = find(kernel, open);
  if (!file) return true;
  flush(kernel, file);
  for (uint64_t at = offset; at < offset + count;) {
    uint64_t in_page = at % PAGE_BYTES, part = PAGE_BYTES - in_page, n = at / PAGE_BYTES;
    if (part > offset + count - at) part = offset + count - at;
    const uint8_t *from = (const uint8_t *)bytes + (at - offset);
    if (n < file->count && file->pages[n].mapped &&
        memcmp(memory_of(kernel, &file->pages[n]) + in_page, from, part))
      return false;
    at += part;
  }
  return true;
}

/* -- Into memory --------------------------------------------------------------------------------------------------------------- */

/* Pages for the range, as parts of the task's space. */
static bool share(struct task *task, struct mapped_file *file, uint64_t at, uint64_t first, uint64_t count) {
  struct machine *machine = kernel_of(task)->machine;
  if (first + count > file->count) {
    file->pages = realloc(file->pages, (first + count) * sizeof *file->pages);
    CHECK(file->pages, "out of memory");
    memset(file->pages + file->count, 0, (first + count - file->count) * sizeof *file->pages);
    file->count = first + count;
  }
  for (uint64_t n = 0; n < count; n++) {
    struct file_page *page = &file->pages[first + n];
    if (!page->page) {
      uint64_t taken = page_take(machine);
      if (taken == SPACE_FAULT) return false;
      page->page = taken;
    }
    if (!space_share_page(task->process->space, at + n * PAGE_BYTES, page->page,
                          PAGE_SHARED | PAGE_READ | PAGE_WRITE))
      return false;
  }
  return true;
}

/* The first page from n on whose bytes are not the file's yet, which they become in page->bytes; else the end. */
static uint64_t next_to_fill(const struct kernel *kernel, const struct mapped_file *file, uint64_t n,
                             uint64_t end) {
  for (; n < end; n++) {
    struct file_page *page = &file->pages[n];
    if (page->mapped) continue;
    if (!page->bytes) page->bytes = malloc(PAGE_BYTES);
    CHECK(page->bytes, "out of memory");
    memset(page->bytes, 0, PAGE_BYTES);
    (void)!pread(file->host, page->bytes, PAGE_BYTES, (off_t)(n * PAGE_BYTES)); /* behind its end are zeros */
    page->mapped = true;
    if (memcmp(page->bytes, memory_of(kernel, page), PAGE_BYTES)) return n;
  }
  return end;
}

static int64_t fill(struct task *task, struct mapped_file *file, uint64_t at, uint64_t first,
                    uint64_t count) {
  struct kernel *kernel = kernel_of(task);
  int64_t result = 0;
  bool reads = !input_replays(task);
  if (reads) drain(kernel);
  for (uint64_t n = first; n <= first + count && !result; n++) {
    if (reads) n = next_to_fill(kernel, file, n, first + count);
    input_counter(task, &n);
    if (n >= first + count) break;
    if (copy_in(task, at + (n - first) * PAGE_BYTES, file->pages[n].bytes, PAGE_BYTES)) result = -EFAULT;
  }
  return result;
}

static int64_t attach(struct task *task, struct mapped_file *file, uint64_t at, uint64_t bytes,
                      uint64_t first, unsigned flags) {
  if (first > MOST_PAGES || bytes / PAGE_BYTES > MOST_PAGES - first) return -EOVERFLOW;
  while (file->filling && !input_replays(task)) wait_on(task, &file->filled, UINT64_MAX, false);
  file->filling = true;
  uint64_t count = bytes / PAGE_BYTES;
  bool shared = share(task, file, at, first, count);
  int64_t result = shared ? fill(task, file, at, first, count) : -ENOMEM;
  file->filling = false;
  wake_queue(&file->filled, UINT32_MAX, 0);
  space_protect(task->process->space, at, bytes, flags);
  return result;
}

int64_t mapped_file_attach(struct task *task, uint64_t at, uint64_t bytes, uint64_t descriptor,
                           uint64_t offset, unsigned flags) {
  int64_t number = input_replays(task) ? 0 : number_of(task, descriptor, flags & PAGE_WRITE);
  input_result(task, &number);
  return number < 0 ? number
                    : attach(task, numbered(task, (uint32_t)number), at, bytes, offset / PAGE_BYTES, flags);
}

int64_t mapped_file_extend(struct task *task, uint64_t last, uint64_t at, uint64_t bytes, unsigned flags) {
  uint64_t n = 0;
  struct mapped_file *file = find_page(kernel_of(task), last, &n);
  return attach(task, file, at, bytes, n + 1, flags);
}

/* -- All of them ----------------------------------------------------------------------------------------------------------------- */

bool mapped_files_have_page(const struct kernel *kernel, uint64_t page) {
  uint64_t n;
  return find_page(kernel, page, &n);
}

bool mapped_files_are_used(const struct kernel *kernel, const struct sphere *sphere) {
  const struct mapped_file *file = kernel->mapped_files;
  while (file && file->sphere != sphere) file = file->next;
  return file;
}

void mapped_files_end(struct kernel *kernel) {
  for (struct mapped_file *file = kernel->mapped_files, *next; file; file = next) {
    next = file->next;
    for (uint64_t n = 0; n < file->count; n++) {
      if (file->pages[n].page) page_release(kernel->machine, file->pages[n].page);
      free(file->pages[n].bytes);
    }
    if (file->host >= 0) close(file->host);
    free(file->pages);
    free(file);
  }
  kernel->mapped_files = NULL;
}
