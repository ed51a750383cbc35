/* load.c: puts kernel, initial file system and device tree into memory before the board is switched on. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/board/board.h"

enum { IMAGE_HEADER = 64, MAGIC_AT = 56, SIZE_AT = 16, LONGEST_ARGUMENTS = 4096 };
#define IMAGE_MAGIC "RSC\x05"

/* The file's bytes, at this address or ending at `end` if that is 0. *at: where. NULL, or what is wrong. */
static const char *read_into(struct machine *machine, const char *path, uint64_t *at, uint64_t end,
                             uint64_t *count) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return "can't be opened";
  const char *error = fstat(file, &status) || !S_ISREG(status.st_mode) ? "is no file" : NULL;
  uint64_t bytes = error ? 0 : (uint64_t)status.st_size;
  if (!error && bytes > end - BOARD_RAM_START) error = "does not fit into the machine's memory";
  if (!error && !*at) *at = (end - bytes) & ~(uint64_t)(PAGE_BYTES - 1);
  for (uint64_t done = 0; !error && done < bytes;) {
    ssize_t part = read(file, machine_ram(machine, *at + done), bytes - done);
    if (part <= 0)
      error = "can't be read";
    else
      done += (uint64_t)part;
  }
  close(file);
  *count = bytes;
  return error;
}

const char *board_load(struct machine *machine, const char *kernel, const char *initrd,
                       const char *arguments) {
  uint64_t at = BOARD_RAM_START, bytes, tree = machine->ram_bytes - TREE_BYTES, start = 0, end = 0;
  const char *error = read_into(machine, kernel, &at, tree, &bytes);
  const uint8_t *image = machine_ram(machine, at);
  if (error) return error;
  if (strlen(arguments) > LONGEST_ARGUMENTS) return "is given too long arguments";
  if (bytes < IMAGE_HEADER || memcmp(image + MAGIC_AT, IMAGE_MAGIC, 4)) return "is no RISC-V kernel image";
  if (initrd) {
    error = read_into(machine, initrd, &start, tree, &bytes);
    if (error) return error;
    end = start + bytes;
  }
  board_tree(machine, arguments, start, end, machine_ram(machine, tree));
  board_start(&machine->harts[0], NULL, at, tree, 0);
  return NULL;
}
