/* calls_moves.c: system calls that move bytes at a place of a file (preadv, pwritev) or between files (sendfile, copy_file_range). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/files.h"

call_function call_preadv, call_pwritev, call_preadv2, call_pwritev2, call_sendfile, call_copy_file_range;

enum { MOST_BYTES = 1 << 24, MOST_PARTS = 1024 };

/* -- At a place ------------------------------------------------------------------------------------------------------------ */

typedef call_function *at_place;

/* Part by part as pread64 or pwrite64 does it, from argument[3] on. */
static int64_t parts(struct task *task, const uint64_t argument[6], at_place move) {
  uint64_t part[2], at = argument[3];
  int64_t total = 0;
  if (argument[2] > MOST_PARTS) return -EINVAL;
  for (uint64_t i = 0; i < argument[2]; i++) {
    if (copy_out(task, part, argument[1] + i * sizeof part, sizeof part)) return total ? total : -EFAULT;
    const uint64_t one[6] = {argument[0], part[0], part[1], at};
    int64_t result = part[1] ? move(task, one) : 0;
    if (result < 0) return total ? total : result;
    total += result;
    at += (uint64_t)result;
    if ((uint64_t)result < part[1]) break;
  }
  return total;
}

call_function call_pread64, call_pwrite64, call_readv, call_writev;

int64_t call_preadv(struct task *task, const uint64_t argument[6]) {
  return parts(task, argument, call_pread64);
}

int64_t call_pwritev(struct task *task, const uint64_t argument[6]) {
  return parts(task, argument, call_pwrite64);
}

/* The place -1 is the file's own. Flags are about how fast or how safe it is, but for one that appends. */
int64_t call_preadv2(struct task *task, const uint64_t argument[6]) {
  if (argument[5]) return -EOPNOTSUPP;
  return argument[3] == UINT64_MAX ? call_readv(task, argument) : call_preadv(task, argument);
}

int64_t call_pwritev2(struct task *task, const uint64_t argument[6]) {
  if (argument[5]) return -EOPNOTSUPP;
  return argument[3] == UINT64_MAX ? call_writev(task, argument) : call_pwritev(task, argument);
}

/* -- Between files ----------------------------------------------------------------------------------------------------------- */

/* A place that the program keeps, or the file's own if `address` is 0. */
static int64_t read_place(struct task *task, uint64_t address, uint64_t *place) {
  *place = FILE_POSITION;
  return address && copy_out(task, place, address, sizeof *place) ? -EFAULT : 0;
}

static int64_t move(struct task *task, struct open_file *from, uint64_t from_at, struct open_file *to,
                    uint64_t to_at, uint64_t count) {
  if (count > MOST_BYTES) count = MOST_BYTES;
  uint8_t *bytes = malloc(count + 1);
  if (!bytes) return -ENOMEM;
  off_t own = lseek(from->host, 0, SEEK_CUR);
  int64_t result = file_read_at(task, from, bytes, count, from_at == FILE_POSITION ? (uint64_t)own : from_at);
  if (result > 0) result = file_write_at(task, to, bytes, (uint64_t)result, to_at);
  if (result > 0 && from_at == FILE_POSITION) lseek(from->host, own + result, SEEK_SET);
  free(bytes);
  return result;
}

static int64_t write_place(struct task *task, uint64_t address, uint64_t place, int64_t moved) {
  place += (uint64_t)moved;
  return address && moved > 0 && copy_in(task, address, &place, sizeof place) ? -EFAULT : moved;
}

/* What a replay shows it has from the program's memory: programs that are refused here read and write instead. */
int64_t call_sendfile(struct task *task, const uint64_t argument[6]) {
  struct open_file *to = file_get(task, argument[0]), *from = file_get(task, argument[1]);
  uint64_t place;
  if (!to || !from) return -EBADF;
  if (file_is_own(from) || file_is_shown(to)) return -EINVAL;
  int64_t result = read_place(task, argument[2], &place);
  if (result) return result;
  result = move(task, from, place, to, FILE_POSITION, argument[3]);
  return write_place(task, argument[2], place, result);
}

int64_t call_copy_file_range(struct task *task, const uint64_t argument[6]) {
  struct open_file *from = file_get(task, argument[0]), *to = file_get(task, argument[2]);
  uint64_t from_at, to_at;
  if (!to || !from) return -EBADF;
  if (file_is_own(from) || file_is_own(to) || argument[5] || file_is_shown(to)) return -EINVAL;
  int64_t result = read_place(task, argument[1], &from_at);
  if (!result) result = read_place(task, argument[3], &to_at);
  if (result) return result;
  result = move(task, from, from_at, to, to_at, argument[4]);
  result = write_place(task, argument[1], from_at, result);
  return write_place(task, argument[3], to_at, result);
}
