/* fcntl.c: the commands of fcntl. None needs to happen in replay: there are no files then. */
#include <linux/fcntl.h>

#include "input/row.h"

enum { FLOCK = sizeof(struct flock), OWNER = 8, HINT = 8 };
/* Newer than some headers. */
enum { DUPFD_QUERY = 1027, CREATED_QUERY = 1028, GETDELEG = 1039, SETDELEG = 1040, DELEGATION = 8 };

#define COMMAND(name, kind, size) \
  { name, INPUT_EMULATE, 0, INPUT_##kind, size, #name, NULL }

static const struct input_command commands[] = {
    COMMAND(F_DUPFD, VALUE, 0),
    COMMAND(F_GETFD, NONE, 0),
    COMMAND(F_SETFD, VALUE, 0),
    COMMAND(F_GETFL, NONE, 0),
    COMMAND(F_SETFL, VALUE, 0),
    COMMAND(F_GETLK, INOUT, FLOCK),
    COMMAND(F_SETLK, IN, FLOCK),
    COMMAND(F_SETLKW, IN, FLOCK),
    COMMAND(F_SETOWN, VALUE, 0),
    COMMAND(F_GETOWN, NONE, 0),
    COMMAND(F_SETSIG, VALUE, 0),
    COMMAND(F_GETSIG, NONE, 0),
    COMMAND(F_SETOWN_EX, IN, OWNER),
    COMMAND(F_GETOWN_EX, OUT, OWNER),
    COMMAND(F_GETOWNER_UIDS, OUT, 8),
    COMMAND(F_OFD_GETLK, INOUT, FLOCK),
    COMMAND(F_OFD_SETLK, IN, FLOCK),
    COMMAND(F_OFD_SETLKW, IN, FLOCK),
    COMMAND(F_SETLEASE, VALUE, 0),
    COMMAND(F_GETLEASE, NONE, 0),
    COMMAND(F_NOTIFY, VALUE, 0),
    COMMAND(F_CANCELLK, VALUE, 0),
    COMMAND(F_DUPFD_CLOEXEC, VALUE, 0),
    COMMAND(F_SETPIPE_SZ, VALUE, 0),
    COMMAND(F_GETPIPE_SZ, NONE, 0),
    COMMAND(F_ADD_SEALS, VALUE, 0),
    COMMAND(F_GET_SEALS, NONE, 0),
    COMMAND(F_GET_RW_HINT, OUT, HINT),
    COMMAND(F_SET_RW_HINT, IN, HINT),
    COMMAND(F_GET_FILE_RW_HINT, OUT, HINT),
    COMMAND(F_SET_FILE_RW_HINT, IN, HINT),
    {DUPFD_QUERY, INPUT_EMULATE, 0, INPUT_VALUE, 0, "F_DUPFD_QUERY", NULL},
    {CREATED_QUERY, INPUT_EMULATE, 0, INPUT_NONE, 0, "F_CREATED_QUERY", NULL},
    {GETDELEG, INPUT_EMULATE, 0, INPUT_INOUT, DELEGATION, "F_GETDELEG", NULL},
    {SETDELEG, INPUT_EMULATE, 0, INPUT_IN, DELEGATION, "F_SETDELEG", NULL},
};

const struct input_command *fcntl_command(uint32_t command) {
  return input_find_command(commands, sizeof commands / sizeof *commands, command);
}

void walk_fcntl(struct input_walk *w) {
  walk_command(w, fcntl_command((uint32_t)w->call->args[1]), 2);
}
