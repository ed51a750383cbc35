/* rows_ipc.c: messages, semaphores, shared memory and keys. (Attaching shared memory: rows_memory.c) */
#include <linux/mqueue.h>

#include "input/row.h"

enum { TIMESPEC = 16, SEMBUF = 6, ATTRIBUTES = sizeof(struct mq_attr) };

static const struct input_row rows[] = {
    ROW(msgget, EMULATE, VALUE, VALUE),
    ROW_WALK(msgsnd, EMULATE, walk_msgsnd, VALUE, POINTER, VALUE, VALUE),
    ROW_WALK(msgrcv, EMULATE, walk_msgrcv, VALUE, POINTER, VALUE, VALUE, VALUE),
    ROW_WALK(msgctl, EMULATE, walk_msgctl, VALUE, VALUE, POINTER),
    ROW(semget, EMULATE, VALUE, VALUE, VALUE),
    ROW(semop, EMULATE, VALUE, IN_COUNT_32(2, SEMBUF), VALUE),
    ROW(semtimedop, EMULATE, VALUE, IN_COUNT_32(2, SEMBUF), VALUE, IN(TIMESPEC)),
    ROW_WALK(semctl, EMULATE, walk_semctl, VALUE, VALUE, VALUE, POINTER),
    ROW(shmget, EMULATE, VALUE, VALUE, VALUE),
    ROW_WALK(shmctl, EMULATE, walk_shmctl, VALUE, VALUE, POINTER),
    ROW(mq_open, EMULATE, PATH, VALUE, VALUE, IN(ATTRIBUTES)),
    ROW(mq_unlink, EMULATE, PATH),
    ROW(mq_timedsend, EMULATE, FD, IN_COUNT(2, 1), VALUE, VALUE, IN(TIMESPEC)),
    ROW(mq_timedreceive, EMULATE, FD, OUT_RESULT(2, 1), VALUE, OUT(4), IN(TIMESPEC)),
    ROW_WALK(mq_notify, EMULATE, walk_mq_notify, FD, POINTER),
    ROW(mq_getsetattr, EMULATE, FD, IN(ATTRIBUTES), OUT(ATTRIBUTES)),
    ROW(add_key, EMULATE, IN_STRING(32), PATH, IN_COUNT(3, 1), VALUE, VALUE),
    ROW(request_key, EMULATE, IN_STRING(32), PATH, PATH, VALUE),
    ROW_WALK(keyctl, EMULATE, walk_keyctl, VALUE, POINTER, POINTER, POINTER, POINTER),
};

INPUT_GROUP(ipc);
