/* rows_sockets.c: sockets. */
#include "input/row.h"

static const struct input_row rows[] = {
    ROW(socket, EMULATE | AT_ONCE, VALUE, VALUE, VALUE),
    /* The descriptors are told before the sockets are made. */
    ROW(socketpair, EMULATE | AT_ONCE, VALUE, VALUE, VALUE, OUT_FLAGS(8, ON_ERROR | MAYBE)),
    ROW(bind, EMULATE | AT_ONCE, FD, IN_COUNT_32(2, 1), VALUE),
    ROW(connect, EMULATE, FD, IN_COUNT_32(2, 1), VALUE),
    ROW(listen, EMULATE | AT_ONCE, FD, VALUE),
    ROW(shutdown, EMULATE, FD, VALUE),
    ROW(accept, EMULATE, FD, OUT_SOCKADDR(2), SOCKADDR_LENGTH),
    ROW(accept4, EMULATE, FD, OUT_SOCKADDR(2), SOCKADDR_LENGTH, VALUE),
    ROW_WALK(getsockname, EMULATE | AT_ONCE, walk_getname, FD, POINTER, SOCKADDR_LENGTH),
    ROW_WALK(getpeername, EMULATE | AT_ONCE, walk_getname, FD, POINTER, SOCKADDR_LENGTH),
    ROW_WALK(sendto, EMULATE | PLAIN | QUICK, walk_sendto, FD, POINTER, VALUE, VALUE, POINTER, VALUE),
    ROW_WALK(recvfrom, EMULATE | PLAIN | QUICK, walk_recvfrom, FD, POINTER, VALUE, VALUE, POINTER,
             SOCKADDR_LENGTH),
    ROW_WALK(sendmsg, EMULATE | PLAIN, walk_sendmsg, FD, POINTER, VALUE),
    ROW_WALK(recvmsg, EMULATE | PLAIN, walk_recvmsg, FD, POINTER, VALUE),
    ROW_WALK(sendmmsg, EMULATE, walk_sendmmsg, FD, POINTER, VALUE, VALUE),
    ROW_WALK(recvmmsg, EMULATE, walk_recvmmsg, FD, POINTER, VALUE, VALUE, POINTER),
    ROW_WALK(setsockopt, EMULATE | AT_ONCE, walk_setsockopt, FD, VALUE, VALUE, POINTER, VALUE),
    ROW_WALK(getsockopt, EMULATE | AT_ONCE, walk_getsockopt, FD, VALUE, VALUE, POINTER, POINTER),
};

INPUT_GROUP(sockets);
