/* rows_signals.c: signals. Actions, masks and stacks are the engine's own in recording and replay alike; signals that the program
 * sends go to the kernel in the recording only, and arrive in replay by the log. */
#include "input/row.h"

enum { ACTION = 32, STACK = 24, INFO = 128, TIMESPEC = 16 };

static const struct input_row rows[] = {
    ROW(rt_sigaction, VIRTUAL, VALUE, IN(ACTION), OUT(ACTION), VALUE),
    ROW(rt_sigprocmask, VIRTUAL, VALUE, IN_COUNT(3, 1), OUT_COUNT(3, 1, 0), VALUE),
    ROW(rt_sigreturn, VIRTUAL),
    ROW(sigaltstack, VIRTUAL, IN(STACK), OUT(STACK)),
    ROW(rt_sigpending, EMULATE | AT_ONCE, OUT_COUNT(1, 1, 0), VALUE),
    ROW(rt_sigtimedwait, EMULATE, IN_COUNT(3, 1), OUT(INFO), IN(TIMESPEC), VALUE),
    ROW(rt_sigsuspend, EMULATE, IN_COUNT(1, 1), VALUE),
    ROW(rt_sigqueueinfo, EMULATE | AT_ONCE, MEANS(TARGET), MEANS(SIGNAL), IN(INFO)),
    ROW(rt_tgsigqueueinfo, EMULATE | AT_ONCE, MEANS(TARGET), MEANS(THREAD), MEANS(SIGNAL), IN(INFO)),
    ROW(pidfd_send_signal, EMULATE, FD_OF_PROCESS, MEANS(SIGNAL), IN(INFO), VALUE),
    ROW(kill, EMULATE | AT_ONCE, MEANS(TARGET), MEANS(SIGNAL)),
    ROW(tkill, EMULATE | AT_ONCE, MEANS(THREAD), MEANS(SIGNAL)),
    ROW(tgkill, EMULATE | AT_ONCE, MEANS(TARGET), MEANS(THREAD), MEANS(SIGNAL)),
    ROW(restart_syscall, EMULATE),
    ROW(signalfd4, EMULATE | AT_ONCE, FD, IN_COUNT(2, 1), VALUE, VALUE),
#ifdef __NR_pause /* the old calls, which newer architectures never had */
    ROW(pause, EMULATE),
    ROW(signalfd, EMULATE, FD, IN_COUNT(2, 1), VALUE),
#endif
};

INPUT_GROUP(signals);
