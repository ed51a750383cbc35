/* rows_system.c: the machine as a whole: its name, state, modules and devices. */
#include <linux/sysinfo.h>
#include <linux/utsname.h>

#include "input/row.h"

static const struct input_row rows[] = {
    ROW(uname, EMULATE | AT_ONCE, OUT(sizeof(struct new_utsname))),
    ROW(sethostname, EMULATE, IN_COUNT_32(1, 1), VALUE),
    ROW(setdomainname, EMULATE, IN_COUNT_32(1, 1), VALUE),
    ROW(sysinfo, EMULATE | AT_ONCE, OUT(sizeof(struct sysinfo))),
    ROW_WALK(syslog, EMULATE, walk_syslog, VALUE, POINTER, VALUE),
    ROW(getrandom, EMULATE | AT_ONCE, OUT_RESULT(1, 1), VALUE, VALUE),
    ROW(acct, EMULATE, PATH),
    ROW(swapon, EMULATE, PATH, VALUE),
    ROW(swapoff, EMULATE, PATH),
    ROW_WALK(reboot, EMULATE, walk_reboot, VALUE, VALUE, VALUE, POINTER),
    ROW(init_module, EMULATE, IN_COUNT(1, 1), VALUE, PATH),
    ROW(finit_module, EMULATE, FD, PATH, VALUE),
    ROW(delete_module, EMULATE, IN_STRING(64), VALUE),
    ROW_WALK(kexec_load, EMULATE, walk_kexec, VALUE, VALUE, POINTER, VALUE),
#ifdef __NR_kexec_file_load
    ROW(kexec_file_load, EMULATE, FD, FD, VALUE, IN_COUNT(2, 1), VALUE),
#endif
};

INPUT_GROUP(system);
