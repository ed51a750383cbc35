/* rows_memory.c: the address space.
 *
 * Calls that change mappings are done again in replay, with the addresses of the recording. Calls that only tell
 * the kernel how to keep memory (locks, policies) are not. */
#include "input/row.h"

static const struct input_row rows[] = {
    ROW(mmap, EXECUTE, ADDRESS, VALUE, VALUE, VALUE, FD, VALUE),
    ROW(munmap, EXECUTE, ADDRESS, VALUE),
    ROW(mprotect, EXECUTE, ADDRESS, VALUE, VALUE),
    ROW(pkey_mprotect, EXECUTE, ADDRESS, VALUE, VALUE, VALUE),
    ROW(pkey_alloc, EXECUTE, VALUE, VALUE),
    ROW(pkey_free, EXECUTE, VALUE),
    ROW(mremap, EXECUTE, ADDRESS, VALUE, VALUE, VALUE, ADDRESS),
    ROW(remap_file_pages, UNSUPPORTED, ADDRESS, VALUE, VALUE, VALUE, VALUE),
    ROW(mseal, EXECUTE, ADDRESS, VALUE, VALUE),
    ROW(brk, EXECUTE, ADDRESS),
    ROW(madvise, EXECUTE, ADDRESS, VALUE, VALUE),
    ROW(msync, EMULATE, ADDRESS, VALUE, VALUE),
    ROW(mincore, EMULATE | AT_ONCE, ADDRESS, VALUE, OUT_PAGES(1)),
    ROW(mlock, EMULATE | AT_ONCE, ADDRESS, VALUE),
    ROW(mlock2, EMULATE, ADDRESS, VALUE, VALUE),
    ROW(munlock, EMULATE | AT_ONCE, ADDRESS, VALUE),
    ROW(mlockall, EMULATE, VALUE),
    ROW(munlockall, EMULATE),
    ROW(mbind, EMULATE, ADDRESS, VALUE, VALUE, IN_NODES(4), VALUE, VALUE),
    ROW(set_mempolicy, EMULATE, VALUE, IN_NODES(2), VALUE),
    ROW(get_mempolicy, EMULATE, OUT(4), OUT_NODES(2), VALUE, ADDRESS, VALUE),
    ROW(set_mempolicy_home_node, EMULATE, ADDRESS, VALUE, VALUE, VALUE),
    ROW(migrate_pages, EMULATE, VALUE, VALUE, IN_NODES(1), IN_NODES(1)),
    ROW(move_pages, EMULATE, VALUE, VALUE, IN_COUNT(1, 8), IN_COUNT(1, 4), OUT_COUNT(1, 4, ON_ERROR | MAYBE),
        VALUE),
    ROW(process_mrelease, EMULATE, FD, VALUE),
    ROW_WALK(process_vm_readv, EMULATE | AT_ONCE, walk_process_vm, VALUE, POINTER, VALUE, POINTER, VALUE,
             VALUE),
    ROW_WALK(process_vm_writev, EMULATE | AT_ONCE, walk_process_vm, VALUE, POINTER, VALUE, POINTER, VALUE,
             VALUE),
    /* Its result says whether a command exists; threads of a sphere are ordered by other means. */
    ROW(membarrier, EMULATE | AT_ONCE, VALUE, VALUE, VALUE),
    /* System V segments are memory, too. */
    ROW(shmat, EXECUTE, VALUE, ADDRESS, VALUE),
    ROW(shmdt, EXECUTE, ADDRESS),
};

INPUT_GROUP(memory);
