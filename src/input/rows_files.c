/* rows_files.c: reading, writing and the state of open files.
 *
 * In replay there are no files: all is emulated. Descriptors are numbers out of the log. */
#include <asm/stat.h>
#include <asm/statfs.h>
#include <linux/stat.h>

#include "input/row.h"

enum { OFFSET = 8 };

static const struct input_row rows[] = {
    ROW(read, EMULATE | PLAIN | QUICK, FD, OUT_RESULT(2, 1), VALUE),
    ROW(write, EMULATE | PLAIN | QUICK, FD_CHANGED, IN_SENT(2), VALUE),
    ROW(pread64, EMULATE | PLAIN | QUICK, FD, OUT_RESULT(2, 1), VALUE, VALUE),
    ROW(pwrite64, EMULATE | PLAIN | QUICK | AT_OFFSET, FD_CHANGED, IN_SENT(2), VALUE, VALUE),
    ROW(readv, EMULATE | PLAIN, FD, OUT_VECTOR(2), VALUE),
    ROW(writev, EMULATE | PLAIN, FD_CHANGED, IN_VECTOR(2), VALUE),
    ROW(preadv, EMULATE, FD, OUT_VECTOR(2), VALUE, VALUE, VALUE),
    ROW(pwritev, EMULATE | AT_OFFSET, FD_CHANGED, IN_VECTOR(2), VALUE, VALUE, VALUE),
    ROW(preadv2, EMULATE, FD, OUT_VECTOR(2), VALUE, VALUE, VALUE, VALUE),
    ROW(pwritev2, EMULATE | AT_OFFSET, FD_CHANGED, IN_VECTOR(2), VALUE, VALUE, VALUE, VALUE),
    /* The offset is stored whatever came of it. */
    ROW(sendfile, EMULATE, FD_CHANGED, FD, INOUT_FLAGS(OFFSET, ON_ERROR | MAYBE), VALUE),
    ROW(splice, EMULATE, FD, INOUT_FLAGS(OFFSET, MAYBE), FD_CHANGED, INOUT_FLAGS(OFFSET, MAYBE), VALUE,
        VALUE),
    ROW(tee, EMULATE, FD, FD, VALUE, VALUE),
    ROW_WALK(vmsplice, EMULATE, walk_vmsplice, FD, POINTER, VALUE, VALUE),
    ROW(copy_file_range, EMULATE, FD, INOUT_FLAGS(OFFSET, MAYBE), FD_CHANGED, INOUT_FLAGS(OFFSET, MAYBE),
        VALUE, VALUE),
    ROW(lseek, EMULATE | AT_ONCE | PLAIN | QUICK | FOLLOWED, FD, VALUE, VALUE),
    ROW(close, EMULATE | PLAIN | QUICK | FOLLOWED, FD),
    ROW(close_range, EMULATE | FOLLOWED, FD, FD, VALUE),
    ROW(dup, EMULATE | AT_ONCE | FOLLOWED, FD),
    ROW(dup3, EMULATE | AT_ONCE | FOLLOWED, FD, FD, VALUE),
    ROW(pipe2, EMULATE | AT_ONCE, OUT(8), VALUE),
    ROW_WALK(fcntl, EMULATE | PLAIN | QUICK | FOLLOWED, walk_fcntl, FD, VALUE, POINTER),
    ROW_WALK(ioctl, EMULATE, walk_ioctl, FD, VALUE, POINTER_OR_FD),
    ROW(flock, EMULATE, FD, VALUE),
    ROW(fsync, EMULATE, FD),
    ROW(fdatasync, EMULATE, FD),
    ROW(sync, EMULATE),
    ROW(syncfs, EMULATE, FD),
    ROW(sync_file_range, EMULATE, FD, VALUE, VALUE, VALUE),
    ROW(readahead, EMULATE, FD, VALUE, VALUE),
    ROW(fadvise64, EMULATE, FD, VALUE, VALUE, VALUE),
    ROW(cachestat, EMULATE, FD, IN(16), OUT(40), VALUE),
    ROW(ftruncate, EMULATE, FD_CHANGED, VALUE),
    ROW(fallocate, EMULATE, FD_CHANGED, VALUE, VALUE, VALUE),
    ROW(fstat, EMULATE | AT_ONCE | FILES | QUICK, FD, OUT_STATE(sizeof(struct stat))),
    ROW(fstatfs, EMULATE, FD, OUT(sizeof(struct statfs))),
    /* The kernel leaves the padding behind the names as it was. */
    ROW(getdents64, EMULATE | AT_ONCE | FILES | QUICK, FD, OUT_RECORDS(2), VALUE),
    ROW(fchdir, EMULATE, FD),
    ROW(fchmod, EMULATE, FD, VALUE),
    ROW(fchown, EMULATE, FD, VALUE, VALUE),
    ROW(memfd_create, EMULATE, IN_STRING(256), VALUE),
    ROW(inotify_init1, EMULATE, VALUE),
    ROW(inotify_add_watch, EMULATE, FD, PATH, VALUE),
    ROW(inotify_rm_watch, EMULATE, FD, VALUE),
    ROW(fanotify_init, EMULATE, VALUE, VALUE),
    ROW(fanotify_mark, EMULATE, FD, VALUE, VALUE, FOLDER, PATH),
    ROW(fsetxattr, EMULATE, FD, IN_STRING(256), IN_COUNT(3, 1), VALUE, VALUE),
    ROW(fgetxattr, EMULATE, FD, IN_STRING(256), OUT_RESULT(3, 1), VALUE),
    ROW(flistxattr, EMULATE, FD, OUT_RESULT(2, 1), VALUE),
    ROW(fremovexattr, EMULATE, FD, IN_STRING(256)),
    ROW(vhangup, EMULATE),
#ifdef __NR_open /* the old calls, which newer architectures never had */
    ROW(open, EMULATE | LOOKS, PATH, MEANS(OPEN_FLAGS), VALUE),
    ROW(creat, EMULATE, PATH_MEANS(CREATED), VALUE),
    ROW(dup2, EMULATE | AT_ONCE | FOLLOWED, FD, FD),
    ROW(pipe, EMULATE | AT_ONCE, OUT(8)),
    ROW(getdents, EMULATE, FD, OUT_RECORDS(2), VALUE),
    ROW(inotify_init, EMULATE),
#endif
};

INPUT_GROUP(files);
