/* A static position-independent program relocates itself, then all that exec_static.c says. */
/* cflags: -static-pie */
#include "exec_static.c"
