/* mappings.h: system calls that change the application's address space (mappings.c, heap.c, mlock.c). */
#ifndef REPRISE_ENGINE_MAPPINGS_H
#define REPRISE_ENGINE_MAPPINGS_H

#include "engine/base/mapping_book.h"

/* mmap, munmap, mprotect, pkey_mprotect, mremap, brk, shmat, shmdt, remap_file_pages, mlockall, munlockall, and madvise
 * that drops contents. Refuses calls (ENOMEM or EINVAL as the kernel would) that would touch the engine's region. */
bool mappings_call(struct thread *thread, const struct call *call, long *result);
/* Replay: maps a file where shmat had attached a segment, so that shmdt finds it. Returns the address, or an error. */
long mappings_attach(int fd, long at, size_t length, long flags);
/* -- heap.c: brk ------------------------------------------------------------------------------------------------ */

/* The start of the heap (the page after the program's last segment), and the size of the program's data segment, which
 * RLIMIT_DATA counts together with the heap. */
void heap_init(uintptr_t start, size_t data_bytes);
/* brk(2): the new end, or the old one if it can't be moved. */
uintptr_t heap_brk(uintptr_t end);
/* The heap as it is now, for /proc/self/maps. */
void heap_range(uintptr_t *start, uintptr_t *end);

/* -- mlock.c: mlockall, munlockall ------------------------------------------------------------------------------- */

long mlock_all(long flags);
long munlock_all(void);
/* mlockall(MCL_FUTURE) for new mappings: the flags for mmap, and the locking after it. False: the mapping must be removed. */
long mlock_flags(void);
bool mlock_made(uintptr_t start, size_t length);
bool mlock_attached(uintptr_t start, size_t length); /* by shmat, which has no such flag */
/* Locks are not inherited. */
void mlock_after_fork(bool child);

#endif
