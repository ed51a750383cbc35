/* rows_time.c: clocks, timers and sleeping. */
#include <linux/timex.h>

#include "input/row.h"

enum { TIMESPEC = 16, TIMEVAL = 16, ZONE = 8, ITIMERVAL = 32, ITIMERSPEC = 32, SIGEVENT = 64, TMS = 32 };
enum { TIMEX = sizeof(struct __kernel_timex) };

static const struct input_row rows[] = {
    ROW(clock_gettime, EMULATE | AT_ONCE | QUICK, VALUE, OUT(TIMESPEC)),
    ROW(clock_settime, EMULATE, VALUE, IN(TIMESPEC)),
    ROW(clock_getres, EMULATE | AT_ONCE, VALUE, OUT(TIMESPEC)),
    ROW(clock_adjtime, EMULATE, VALUE, INOUT(TIMEX)),
    ROW(adjtimex, EMULATE, INOUT_FLAGS(TIMEX, ON_ERROR | MAYBE)),
    ROW(gettimeofday, EMULATE | AT_ONCE | QUICK, OUT(TIMEVAL), OUT(ZONE)),
    ROW(settimeofday, EMULATE, IN(TIMEVAL), IN(ZONE)),
    /* Only a sleep for some time, not one until some time, writes the rest of the time. */
    ROW(nanosleep, EMULATE, IN(TIMESPEC), OUT_FLAGS(TIMESPEC, ONLY_ON_EINTR)),
    ROW(clock_nanosleep, EMULATE, VALUE, VALUE, IN(TIMESPEC), OUT_FLAGS(TIMESPEC, ONLY_ON_EINTR | MAYBE)),
    ROW(getitimer, EMULATE | AT_ONCE, VALUE, OUT(ITIMERVAL)),
    ROW(setitimer, EMULATE | AT_ONCE, VALUE, IN(ITIMERVAL), OUT(ITIMERVAL)),
    /* The id is told before the clock is asked. */
    ROW(timer_create, EMULATE | AT_ONCE, VALUE, IN(SIGEVENT), OUT_FLAGS(4, ON_ERROR | MAYBE)),
    ROW(timer_settime, EMULATE | AT_ONCE, VALUE, VALUE, IN(ITIMERSPEC), OUT(ITIMERSPEC)),
    ROW(timer_gettime, EMULATE | AT_ONCE, VALUE, OUT(ITIMERSPEC)),
    ROW(timer_getoverrun, EMULATE, VALUE),
    ROW(timer_delete, EMULATE | AT_ONCE, VALUE),
    ROW(times, EMULATE | AT_ONCE, OUT(TMS)),
#ifdef __NR_time /* the old calls, which newer architectures never had */
    ROW(time, EMULATE | AT_ONCE, OUT(8)),
    ROW(alarm, EMULATE | AT_ONCE, VALUE),
#endif
};

INPUT_GROUP(time);
