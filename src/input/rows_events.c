/* rows_events.c: waiting for events on descriptors and futexes. */
#include <linux/eventpoll.h>

#include "input/row.h"

enum { EVENT = sizeof(struct epoll_event), TIMESPEC = 16, TIMEVAL = 16, ITIMERSPEC = 32 };
/* The kernel stores an event member by member: where the structure has a hole, that stays as it is. */
#define OUT_EVENTS \
  { INPUT_OUT, RULE_RESULT, 2, COUNT_32 | (EVENT > 12 ? MAYBE : 0), EVENT, 0 }
/* The rest of the timeout is stored whatever the result, unless the timeout was zero. */
#define TIME_LEFT(bytes) INOUT_FLAGS(bytes, ON_ERROR | MAYBE)

static const struct input_row rows[] = {
    ROW_WALK(ppoll, EMULATE, walk_poll, POINTER, VALUE, TIME_LEFT(TIMESPEC), IN_COUNT(4, 1), VALUE),
    ROW_WALK(pselect6, EMULATE, walk_pselect6, VALUE, INOUT_FD_SET(0), INOUT_FD_SET(0), INOUT_FD_SET(0),
             TIME_LEFT(TIMESPEC), POINTER),
    ROW(epoll_create1, EMULATE | AT_ONCE, VALUE),
    ROW_WALK(epoll_ctl, EMULATE | AT_ONCE | PLAIN | QUICK, walk_epoll_ctl, FD, VALUE, FD, POINTER),
    ROW(epoll_pwait, EMULATE, FD, OUT_EVENTS, VALUE, VALUE, IN_COUNT(5, 1), VALUE),
    ROW(epoll_pwait2, EMULATE, FD, OUT_EVENTS, VALUE, IN(TIMESPEC), IN_COUNT(5, 1), VALUE),
    ROW(eventfd2, EMULATE | AT_ONCE, VALUE, VALUE),
    ROW(timerfd_create, EMULATE | AT_ONCE, VALUE, VALUE),
    ROW(timerfd_settime, EMULATE | AT_ONCE, FD, VALUE, IN(ITIMERSPEC), OUT(ITIMERSPEC)),
    ROW(timerfd_gettime, EMULATE | AT_ONCE, FD, OUT(ITIMERSPEC)),
    ROW_WALK(futex, EMULATE, walk_futex, ADDRESS, VALUE, VALUE, POINTER, ADDRESS, VALUE),
    ROW_WALK(futex_waitv, EMULATE, walk_futex_waitv, POINTER, VALUE, VALUE, IN(TIMESPEC), VALUE),
    ROW(futex_wake, EMULATE, ADDRESS, VALUE, VALUE, VALUE),
    ROW(futex_wait, EMULATE, ADDRESS, VALUE, VALUE, VALUE, IN(TIMESPEC), VALUE),
    ROW_WALK(futex_requeue, EMULATE, walk_futex_requeue, POINTER, VALUE, VALUE, VALUE),
#ifdef __NR_poll /* the old calls, which newer architectures never had */
    ROW_WALK(poll, EMULATE, walk_poll, POINTER, VALUE, VALUE),
    ROW(select, EMULATE, VALUE, INOUT_FD_SET(0), INOUT_FD_SET(0), INOUT_FD_SET(0), TIME_LEFT(TIMEVAL)),
    ROW(epoll_create, EMULATE | AT_ONCE, VALUE),
    ROW(epoll_wait, EMULATE | PLAIN | QUICK, FD, OUT_EVENTS, VALUE, VALUE),
    ROW(eventfd, EMULATE | AT_ONCE, VALUE),
#endif
};

INPUT_GROUP(events);
