/* row.h: the vocabulary in which the rows of the table are written (rows_*.c). */
#ifndef REPRISE_INPUT_ROW_H
#define REPRISE_INPUT_ROW_H

#include <asm/unistd.h>
#include <linux/errno.h>

#include "input/input.h"
#include "input/newer.h"
#include "input/walk.h"

/* How many bytes a pointer argument covers. */
enum rule {
  RULE_FIXED,    /* size */
  RULE_COUNT,    /* args[with] * size */
  RULE_RESULT,   /* result * size, at most args[with] * size; when read: what was sent */
  RULE_STRING,   /* up to the terminating zero, at most size bytes */
  RULE_VECTOR,   /* struct iovec[args[with]]; written or sent: as many bytes as the result says */
  RULE_SOCKADDR, /* socket address, its length in and out at args[with] */
  RULE_BITS,     /* bit set of args[with] bits in whole words, of which the kernel may know fewer */
  RULE_NODES,    /* bit set of args[with] - 1 bits, as the calls about memory policy count */
  RULE_PAGES,    /* a byte per page of args[with] bytes */
};

enum {
  ON_EINTR = 1, /* written when the call ends with EINTR, too */
  ON_ERROR = 2, /* written whatever the result */
  ONLY_ON_EINTR = 4,
  MAYBE = 8,        /* INPUT_PARTIAL */
  NOT_ON_ZERO = 32, /* not written when the result is 0 */
  COUNT_32 = 16,    /* args[with] is an int: nothing when it is negative */
};

/* The same of a descriptor. */
enum {
  BY_COMMAND = 1, /* one if the command says so */
  OF_NEXT = 2,    /* the folder where the next argument, a path, begins, unless that is absolute */
  CHANGED = 4,    /* the call changes its file */
};

enum { PATH_LIMIT = 4096 };

/* One line each. */
/* clang-format off */
/* how: what replay does, and facts, as in EMULATE | AT_ONCE. */
#define ROW(call, how, ...) \
  {#call, __NR_##call, (INPUT_##how) & REPLAY_BITS, ENOSYS, (INPUT_##how) & ~REPLAY_BITS, {__VA_ARGS__}, 0}
/* A row whose INPUT_POINTER arguments are walked by a function. */
#define ROW_WALK(call, how, walk, ...) \
  {#call, __NR_##call, (INPUT_##how) & REPLAY_BITS, ENOSYS, (INPUT_##how) & ~REPLAY_BITS, {__VA_ARGS__}, walk}
/* A call answered with an error, without a look at its arguments. */
#define ROW_REFUSE(call, error) {#call, __NR_##call, INPUT_REFUSE, error, 0, {{0}}, 0}
#define ROW_REFUSE_ALWAYS(call, error) {#call, __NR_##call, INPUT_REFUSE, error, INPUT_ALWAYS, {{0}}, 0}
#define AT_ONCE INPUT_AT_ONCE
#define PLAIN INPUT_PLAIN
#define FILES INPUT_FILES
#define QUICK INPUT_QUICK
#define FOLLOWED INPUT_FOLLOWED
#define AT_OFFSET INPUT_AT_OFFSET
#define LOOKS INPUT_LOOKS

#define VALUE {INPUT_VALUE, 0, 0, 0, 0, 0}
/* Of enum input_meaning. */
#define MEANS(meaning) {INPUT_VALUE, 0, 0, 0, 0, INPUT_##meaning}
#define FD {INPUT_FD, 0, 0, 0, 0, 0}
/* Of a file that the call changes. */
#define FD_CHANGED {INPUT_FD, 0, 0, CHANGED, 0, 0}
#define FD_OF_PROCESS {INPUT_FD, 0, 0, 0, 0, INPUT_PIDFD}
/* The folder of the path in the next argument. */
#define FOLDER {INPUT_FD, 0, 0, OF_NEXT, 0, 0}
#define ADDRESS {INPUT_ADDRESS, 0, 0, 0, 0, 0}
#define POINTER {INPUT_POINTER, 0, 0, 0, 0, 0}
/* Some commands take a descriptor there. */
#define POINTER_OR_FD {INPUT_POINTER, 0, 0, BY_COMMAND, 0, 0}

#define IN(bytes) {INPUT_IN, RULE_FIXED, 0, 0, bytes, 0}
#define IN_COUNT(arg, element) {INPUT_IN, RULE_COUNT, arg, 0, element, 0}
#define IN_COUNT_32(arg, element) {INPUT_IN, RULE_COUNT, arg, COUNT_32, element, 0}
#define IN_SENT(arg) {INPUT_IN, RULE_RESULT, arg, 0, 1, 0}
#define IN_STRING(limit) {INPUT_IN, RULE_STRING, 0, 0, limit, 0}
#define IN_VECTOR(arg) {INPUT_IN, RULE_VECTOR, arg, 0, 0, 0}
#define IN_NODES(arg) {INPUT_IN, RULE_NODES, arg, 0, 0, 0}
#define PATH IN_STRING(PATH_LIMIT)
#define PATH_MEANS(meaning) {INPUT_IN, RULE_STRING, 0, 0, PATH_LIMIT, INPUT_##meaning}
#define IN_OPEN_HOW(arg) {INPUT_IN, RULE_COUNT, arg, 0, 1, INPUT_OPEN_HOW}

#define OUT(bytes) {INPUT_OUT, RULE_FIXED, 0, 0, bytes, 0}
#define OUT_STATE(bytes) {INPUT_OUT, RULE_FIXED, 0, 0, bytes, INPUT_STATE}
#define OUT_FLAGS(bytes, flags) {INPUT_OUT, RULE_FIXED, 0, flags, bytes, 0}
#define OUT_COUNT(arg, element, flags) {INPUT_OUT, RULE_COUNT, arg, flags, element, 0}
#define OUT_RESULT(arg, element) {INPUT_OUT, RULE_RESULT, arg, 0, element, 0}
#define OUT_RESULT_32(arg, element) {INPUT_OUT, RULE_RESULT, arg, COUNT_32, element, 0}
#define OUT_RECORDS(arg) {INPUT_OUT, RULE_RESULT, arg, MAYBE, 1, 0}
#define OUT_VECTOR(arg) {INPUT_OUT, RULE_VECTOR, arg, 0, 0, 0}
#define OUT_SOCKADDR(arg) {INPUT_OUT, RULE_SOCKADDR, arg, 0, 0, 0}
#define OUT_NODES(arg) {INPUT_OUT, RULE_NODES, arg, MAYBE, 0, 0}
#define OUT_PAGES(arg) {INPUT_OUT, RULE_PAGES, arg, ON_ERROR | MAYBE, 1, 0}

#define INOUT(bytes) {INPUT_INOUT, RULE_FIXED, 0, 0, bytes, 0}
#define INOUT_FLAGS(bytes, flags) {INPUT_INOUT, RULE_FIXED, 0, flags, bytes, 0}
#define INOUT_FD_SET(arg) {INPUT_INOUT, RULE_BITS, arg, MAYBE | COUNT_32, 0, 0}
/* The length beside OUT_SOCKADDR: that rule sees to it. */
#define SOCKADDR_LENGTH POINTER
/* clang-format on */

/* The groups (rows_*.c). */
struct input_group {
  const struct input_row *rows;
  size_t count;
};
#define INPUT_GROUP(name) const struct input_group input_group_##name = {rows, sizeof rows / sizeof *rows}
extern const struct input_group input_group_files, input_group_tree, input_group_memory,
    input_group_processes, input_group_signals, input_group_sockets, input_group_events, input_group_time,
    input_group_ipc, input_group_system, input_group_refused;

#endif
