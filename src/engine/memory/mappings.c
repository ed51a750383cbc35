/* mappings.c: system calls that change the address space. See mappings.h.
 *
 * Each handler does the kernel's call and the bookkeeping under mappings_lock, so that the book never disagrees with
 * the kernel for another thread. Code that was translated from a range whose bytes or rights changed is dropped
 * before the call returns to the application.
 *
 * Known limit: executable-only memory is readable, because the engine has to read it. */
#include "engine/memory/mappings.h"

#include <asm/mman.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/shm.h>

#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/mapping_tree.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/code/code_files.h"
#include "engine/memory/limits.h"
#include "engine/memory/memory_pieces.h"

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* A range whose translated code has to go before the call returns. */
struct stale {
  uintptr_t start, end;
  bool translation_held; /* cache_lock is ours */
};

static void note_stale(struct stale *stale, uintptr_t start, uintptr_t end) {
  if (start >= end || !tree_executable(start, end)) return;
  if (stale->start == stale->end) {
    stale->start = start, stale->end = end;
  } else { /* one range that covers both is enough: dropping too much is only slow */
    stale->start = MIN(stale->start, start);
    stale->end = MAX(stale->end, end);
  }
}

/* The protection that the kernel gives for a wanted one. */
static uint32_t effective_prot(long prot) {
  uint32_t p = (uint32_t)prot & (PROT_READ | PROT_WRITE | PROT_EXEC);
  return mappings_read_implies_exec && (p & PROT_READ) ? p | PROT_EXEC : p;
}

/* -- mmap ------------------------------------------------------------------------------------------------------- */

/* The highest free place below the engine's region, for the rare request that fits nowhere above it. */
static uintptr_t place_below_engine(size_t length) {
  uintptr_t top = ENGINE_BASE;
  for (const struct mapping *m; (m = tree_before(top)); top = m->start)
    if (m->end < top && top - m->end >= length) return top - length;
  return 0;
}

static long map_outside_engine(const struct call *call, uintptr_t hint, long prot, long flags) {
  size_t length = ALIGN_UP((size_t)call->args[1], PAGE);
  long at = os_call6(__NR_mmap, hint, call->args[1], prot, flags, call->args[4], call->args[5]);
  if (os_failed(at) || !mappings_in_engine((uintptr_t)at, length)) return at;
  os_call2(__NR_munmap, at, length);
  hint = place_below_engine(length);
  if (!hint) return -ENOMEM;
  at = os_call6(__NR_mmap, hint, call->args[1], prot, flags, call->args[4], call->args[5]);
  if (os_failed(at) || !mappings_in_engine((uintptr_t)at, length)) return at;
  os_call2(__NR_munmap, at, length);
  return -ENOMEM;
}

/* True if the limits allow a mapping, which with MAP_FIXED replaces the present mappings there. */
static bool limits_allow_mapping(const struct mapping *wanted, size_t length, bool fixed) {
  size_t data = mapping_is_data(wanted) ? length : 0, old = 0, old_data = 0;
  if (fixed && wanted->start + length > wanted->start)
    old = tree_mapped(wanted->start, wanted->start + length, &old_data);
  return limits_allow(length - old, data > old_data ? data - old_data : 0);
}

/* Maps memory without access around the engine's region. The sanitizers fence off the address space that they do not use, and
 * the program can't access our part of such a fence anyway: only the rest is mapped. */
static long map_fence(uintptr_t start, uintptr_t end, long flags, struct stale *stale) {
  const struct {
    uintptr_t start, end;
  } parts[] = {{start, MIN(end, ENGINE_BASE)}, {MAX(start, ENGINE_END), end}};
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    if (parts[i].start >= parts[i].end) continue;
    long at = os_call6(__NR_mmap, parts[i].start, parts[i].end - parts[i].start, PROT_NONE, flags, -1, 0);
    if (os_failed(at)) return at;
    note_stale(stale, parts[i].start, parts[i].end);
    tree_put((struct mapping){.start = parts[i].start, .end = parts[i].end});
  }
  return (long)start;
}

static long do_mmap(const struct call *call, struct stale *stale) {
  uintptr_t hint = (uintptr_t)call->args[0];
  size_t length = ALIGN_UP((size_t)call->args[1], PAGE);
  long flags = call->args[3];
  if (mappings_in_engine(hint, length)) {
    if (flags & MAP_FIXED && flags & MAP_ANONYMOUS && call->args[2] == PROT_NONE)
      return map_fence(hint, hint + length, flags, stale);
    if (flags & MAP_FIXED_NOREPLACE) return -EEXIST;
    if (flags & MAP_FIXED) return -ENOMEM;
    hint = 0;
  }
  long type = flags & MAP_TYPE;
  struct mapping made = {.start = hint,
                         .prot = effective_prot(call->args[2]),
                         .shared = type == MAP_SHARED || type == MAP_SHARED_VALIDATE,
                         .grows = flags & MAP_GROWSDOWN};
  if (!limits_allow_mapping(&made, length, flags & MAP_FIXED)) return -ENOMEM;
  long at = map_outside_engine(call, hint, mappings_kernel_prot(call->args[2]), flags | mlock_flags());
  if (os_failed(at)) return at;
  made.start = (uintptr_t)at;
  made.end = made.start + length;
  if (made.prot & PROT_EXEC && !(flags & MAP_ANONYMOUS)) {
    made.file = code_files_mapped((int)call->args[4]);
    made.file_base = made.start - (uintptr_t)call->args[5];
  }
  note_stale(stale, made.start, made.end);
  tree_put(made);
  if (mlock_made(made.start, length)) return at;
  os_call2(__NR_munmap, at, length);
  tree_clear(made.start, made.end);
  return -EAGAIN;
}

/* -- munmap, mprotect, mremap ------------------------------------------------------------------------------------- */

static void unmap_part(uintptr_t start, uintptr_t end, struct stale *stale, long *result) {
  if (start >= end || *result) return;
  *result = os_call2(__NR_munmap, start, end - start);
  if (*result) return;
  note_stale(stale, start, end);
  tree_clear(start, end);
}

static long do_munmap(const struct call *call, struct stale *stale) {
  uintptr_t start = (uintptr_t)call->args[0], end = start + ALIGN_UP((size_t)call->args[1], PAGE);
  if (start % PAGE || end <= start) return -EINVAL;
  long result = 0;
  if (!mappings_in_engine(start, end - start)) {
    unmap_part(start, end, stale, &result);
  } else { /* for the application nothing is mapped in the engine's region */
    unmap_part(start, MIN(end, ENGINE_BASE), stale, &result);
    unmap_part(MAX(start, ENGINE_END), end, stale, &result);
  }
  return result;
}

/* Notes a new protection for all that is mapped from start up to end, or up to the first hole: as far as the kernel
 * gets before it fails. */
static void book_protection(uintptr_t start, uintptr_t end, uint32_t prot, struct stale *stale) {
  const struct mapping *m;
  while (start < end && (m = tree_from(start)) && m->start <= start) {
    struct mapping part = *m;
    part.start = start;
    part.end = MIN(part.end, end);
    if (part.prot != prot) {
      note_stale(stale, part.start, part.end);
      part.prot = prot;
      tree_put(part);
    }
    start = part.end;
  }
}

/* After a call that failed: the mappings before the one that can't have the protection have it. Repeats the call for one mapping after the other. */
static void book_part(const struct call *kernel, uint32_t prot, struct stale *stale) {
  uintptr_t start = (uintptr_t)kernel->args[0], end = start + ALIGN_UP((size_t)kernel->args[1], PAGE);
  if (start % PAGE) return;
  for (const struct mapping *m; start < end && (m = tree_from(start)) && m->start <= start;) {
    uintptr_t next = MIN(m->end, end);
    if (m->prot != prot && os_call4(kernel->nr, start, next - start, kernel->args[2], kernel->args[3]))
      return;
    book_protection(start, next, prot, stale);
    start = next;
  }
}

/* Bytes of a range that RLIMIT_DATA would count once they are writable. */
static size_t becomes_data(uintptr_t start, uintptr_t end) {
  size_t bytes = 0;
  for (const struct mapping *m = tree_from(start); m && m->start < end; m = tree_from(m->end)) {
    struct mapping writable = *m;
    writable.prot |= PROT_WRITE;
    if (mapping_is_data(&writable) && !mapping_is_data(m)) bytes += MIN(m->end, end) - MAX(m->start, start);
  }
  return bytes;
}

static long do_mprotect(const struct call *call, struct stale *stale) {
  uintptr_t start = (uintptr_t)call->args[0];
  size_t length = ALIGN_UP((size_t)call->args[1], PAGE);
  struct call kernel = *call;
  kernel.args[2] = mappings_kernel_prot(call->args[2]);
  if (call->args[2] & PROT_WRITE && !limits_allow(0, becomes_data(start, start + length))) return -ENOMEM;
  bool clipped = mappings_in_engine(start, length);
  if (clipped && start >= ENGINE_BASE) return -ENOMEM;
  if (clipped) {
    length = ENGINE_BASE - start;
    kernel.args[1] = (long)length;
  }
  long result = os_call4(kernel.nr, kernel.args[0], kernel.args[1], kernel.args[2], kernel.args[3]);
  if (result && result != -ENOMEM) {
    book_part(&kernel, effective_prot(call->args[2]), stale);
    return result;
  }
  mappings_follow_growth(start);
  const struct mapping *first = tree_from(start);
  if ((call->args[2] & PROT_GROWSDOWN) && first && first->start < start) {
    length += start - first->start;
    start = first->start;
  }
  if (length && start % PAGE == 0)
    book_protection(start, start + length, effective_prot(call->args[2]), stale);
  return clipped && !result ? -ENOMEM : result;
}

/* Copies the book of a moved range; the part that a growing call adds is booked like the range's last mapping. */
static void book_move(uintptr_t from, size_t old_length, uintptr_t to, size_t new_length) {
  size_t length = MIN(old_length ? old_length : new_length, new_length);
  struct mapping last = {0};
  for (uintptr_t at = from; at < from + length;) {
    const struct mapping *m = tree_from(at);
    if (!m || m->start >= from + length) break;
    last = *m;
    uintptr_t next = last.end;
    last.start = MAX(last.start, from) - from + to;
    last.end = MIN(next, from + length) - from + to;
    if (last.object) last.object_base += from - to;
    if (last.file) last.file_base += to - from;
    if (last.segment) last.segment_at += to - from;
    tree_put(last);
    at = next;
  }
  if (new_length > length && last.end == to + length) {
    last.start = to + length;
    last.end = to + new_length;
    tree_put(last);
  }
}

static long do_mremap(const struct call *call, struct stale *stale) {
  uintptr_t from = (uintptr_t)call->args[0];
  size_t old_length = ALIGN_UP((size_t)call->args[1], PAGE),
         new_length = ALIGN_UP((size_t)call->args[2], PAGE);
  long flags = call->args[3];
  if (mappings_in_engine(from, MAX(old_length, 1))) return -EFAULT;
  if ((flags & MREMAP_FIXED) && mappings_in_engine((uintptr_t)call->args[4], new_length)) return -EINVAL;
  const struct mapping *source = tree_from(from);
  size_t replaced = flags & MREMAP_DONTUNMAP ? 0 : old_length;
  size_t more = new_length > replaced ? new_length - replaced : 0;
  if (source && !limits_allow(more, mapping_is_data(source) ? more : 0)) return -ENOMEM;
  if (stale->translation_held)
    codewatch_release_locked(from, from + old_length); /* protections move along with the pages */
  long at = os_call5(__NR_mremap, from, call->args[1], call->args[2], flags, call->args[4]);
  if (replaying() && at == -EFAULT) /* it was one piece in the recording, where the call succeeded */
    at = pieces_move(from, old_length, new_length, flags,
                     flags & MREMAP_FIXED ? (uintptr_t)call->args[4] : from);
  if (os_failed(at)) return at;
  uintptr_t to = (uintptr_t)at;
  if (to == from) { /* grown or shrunk in place */
    if (new_length < old_length) {
      note_stale(stale, from + new_length, from + old_length);
      tree_clear(from + new_length, from + old_length);
    } else {
      const struct mapping *last = tree_before(from + old_length);
      struct mapping grown = last ? *last : (struct mapping){0};
      grown.start = from + old_length;
      grown.end = from + new_length;
      tree_put(grown);
    }
    return at;
  }
  note_stale(stale, from, from + old_length);
  note_stale(stale, to, to + new_length);
  tree_clear(to, to + new_length);
  book_move(from, old_length, to, new_length);
  if (old_length && !(flags & MREMAP_DONTUNMAP)) tree_clear(from, from + old_length);
  return at;
}

/* -- System V shared memory ------------------------------------------------------------------------------------- */

static long do_shmat(const struct call *call, struct stale *stale) {
  static uint32_t segments;
  struct shmid64_ds info;
  long result = os_call3(__NR_shmctl, call->args[0], IPC_STAT, &info);
  size_t length = result ? 0 : ALIGN_UP(info.shm_segsz, PAGE);
  long flags = call->args[2];
  if (call->args[1] && mappings_in_engine((uintptr_t)call->args[1], length)) return -EINVAL;
  long at = os_call3(__NR_shmat, call->args[0], call->args[1], flags);
  if (os_failed(at) || !length) return at;
  if (!mlock_attached((uintptr_t)at, length)) {
    os_call1(__NR_shmdt, at);
    return -EAGAIN;
  }
  uint32_t prot = PROT_READ | (flags & SHM_RDONLY ? 0 : PROT_WRITE) | (flags & SHM_EXEC ? PROT_EXEC : 0);
  note_stale(stale, (uintptr_t)at, (uintptr_t)at + length);
  tree_put((struct mapping){.start = (uintptr_t)at,
                            .end = (uintptr_t)at + length,
                            .prot = effective_prot(prot),
                            .segment = ++segments,
                            .segment_at = (uintptr_t)at,
                            .shared = true});
  return at;
}

/* The first part, from the address on, of a segment that was attached there: its beginning may be gone. */
static const struct mapping *find_attached(uintptr_t at) {
  const struct mapping *m = tree_from(at);
  while (m && (!m->segment || m->segment_at != at)) m = tree_from(m->end);
  return m;
}

static long do_shmdt(const struct call *call, struct stale *stale) {
  uintptr_t at = (uintptr_t)call->args[0];
  const struct mapping *m = find_attached(at);
  long result = !replaying() ? os_call1(__NR_shmdt, at) : m ? 0 : -EINVAL;
  if (result || !m) return result;
  uint32_t segment = m->segment;
  /* Unmaps the rest of the segment, unless it was moved; later mappings over parts of it stay. */
  for (; m; m = tree_from(at)) {
    struct mapping part = *m;
    at = part.end;
    if (part.segment != segment || part.segment_at != (uintptr_t)call->args[0]) continue;
    note_stale(stale, part.start, part.end);
    if (replaying()) os_call2(__NR_munmap, part.start, part.end - part.start);
    tree_clear(part.start, part.end);
  }
  return 0;
}

/* -- The rest --------------------------------------------------------------------------------------------------- */

static bool drops_contents(long advice) {
  switch (advice) {
    case MADV_DONTNEED:
    case MADV_FREE:
    case MADV_REMOVE:
    case MADV_DONTNEED_LOCKED:
    case MADV_GUARD_INSTALL:
      return true;
    default:
      return false;
  }
}

static long do_madvise(const struct call *call, struct stale *stale) {
  uintptr_t start = (uintptr_t)call->args[0];
  size_t length = ALIGN_UP((size_t)call->args[1], PAGE);
  if (mappings_in_engine(start, length)) return -ENOMEM;
  bool drops = drops_contents(call->args[2]);
  if (drops && stale->translation_held) codewatch_release_locked(start, start + length);
  long result = os_call3(__NR_madvise, start, call->args[1], call->args[2]);
  if (drops) note_stale(stale, start, start + length);
  return result;
}

static long do_remap_file_pages(const struct call *call, struct stale *stale) {
  uintptr_t start = ALIGN_DOWN((uintptr_t)call->args[0], PAGE);
  size_t length = ALIGN_DOWN((size_t)call->args[1], PAGE);
  if (mappings_in_engine(start, length)) return -EINVAL;
  long result = os_call5(call->nr, call->args[0], call->args[1], call->args[2], call->args[3], call->args[4]);
  if (!result) note_stale(stale, start, start + length);
  return result;
}

static long do_mlockall(const struct call *call, struct stale *stale) {
  (void)stale;
  return mlock_all(call->args[0]);
}

static long do_munlockall(const struct call *call, struct stale *stale) {
  (void)call, (void)stale;
  return munlock_all();
}

static const struct {
  long nr;
  long (*handler)(const struct call *, struct stale *);
} handlers[] = {
    {__NR_mmap, do_mmap},
    {__NR_munmap, do_munmap},
    {__NR_mprotect, do_mprotect},
    {__NR_pkey_mprotect, do_mprotect},
    {__NR_mremap, do_mremap},
    {__NR_shmat, do_shmat},
    {__NR_shmdt, do_shmdt},
    {__NR_madvise, do_madvise},
    {__NR_remap_file_pages, do_remap_file_pages},
    {__NR_mlockall, do_mlockall},
    {__NR_munlockall, do_munlockall},
};

/* True if the call may concern code. Then no other thread may translate while the kernel and the book change, or it
 * would watch pages whose protection is just being replaced. */
static bool may_concern_code(const struct call *call) {
  uintptr_t start = (uintptr_t)call->args[0], end = start + ALIGN_UP((size_t)call->args[1], PAGE);
  switch (call->nr) {
    case __NR_shmat:
    case __NR_shmdt:
      return true;
    case __NR_mmap:
      if (!(call->args[3] & MAP_FIXED)) return false;
      break;
    case __NR_mremap:
      if (call->args[3] & MREMAP_FIXED) return true;
      break;
    case __NR_mprotect:
    case __NR_pkey_mprotect:
      if (call->args[2] & PROT_GROWSDOWN) return true;
      break;
    default:
      break;
  }
  lock_take(&mappings_lock);
  bool code = tree_executable(start, end);
  lock_release(&mappings_lock);
  return code;
}

static long perform(long (*handler)(const struct call *, struct stale *), const struct call *call) {
  struct stale stale = {.translation_held = may_concern_code(call)};
  if (stale.translation_held) lock_take(&cache_lock);
  lock_take(&mappings_lock);
  mappings_unsettled = true;
  long result = handler(call, &stale);
  mappings_unsettled = false;
  lock_release(&mappings_lock);
  if (stale.translation_held) {
    if (stale.start < stale.end) code_changed_locked(stale.start, stale.end);
    lock_release(&cache_lock);
  } else if (stale.start < stale.end) { /* it became code since we looked: the application's own race */
    code_changed(stale.start, stale.end);
  }
  return result;
}

long mappings_attach(int fd, long at, size_t length, long flags) {
  static uint32_t segments;
  int prot = PROT_READ | (flags & SHM_RDONLY ? 0 : PROT_WRITE) | (flags & SHM_EXEC ? PROT_EXEC : 0);
  struct call call = {.nr = __NR_mmap,
                      .args = {at, (long)length, prot,
                               MAP_SHARED | (flags & SHM_REMAP ? MAP_FIXED : MAP_FIXED_NOREPLACE), fd, 0}};
  long result = perform(do_mmap, &call);
  if (result != at) return result;
  lock_take(&mappings_lock);
  struct mapping made = *tree_from((uintptr_t)at);
  made.start = (uintptr_t)at;
  made.end = (uintptr_t)at + length;
  made.segment = ++segments;
  made.segment_at = (uintptr_t)at;
  tree_put(made);
  lock_release(&mappings_lock);
  return at;
}

bool mappings_call(struct thread *thread, const struct call *call, long *result) {
  if (limits_call(thread, call, result)) return true;
  if (call->nr == __NR_brk) {
    *result = (long)heap_brk((uintptr_t)call->args[0]);
    return true;
  }
  for (size_t i = 0; i < COUNT_OF(handlers); i++) {
    if (handlers[i].nr != call->nr) continue;
    *result = perform(handlers[i].handler, call);
    LOG(memory, "call %ld(%lx, %lx, %lx, %lx) = %lx", call->nr, call->args[0], call->args[1], call->args[2],
        call->args[3], *result);
    return true;
  }
  return false;
}
