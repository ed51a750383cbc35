/* boot.c: see boot.h. */
#include "sim/boot.h"

#include <stdlib.h>
#include <string.h>

#include "sim/board/board.h"
#include "sim/caches/caches.h"

enum { USAGE = 2, FAILED = 125, NOT_EXECUTABLE = 126 };

static int complain(char error[256], int status, const char *what, const char *line) {
  snprintf(error, 256, "%s%s%s", what, *what ? ": " : "", line);
  return status;
}

static void count(struct statistics *statistics, const struct machine *machine) {
  uint64_t instructions = 0;
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    machine->harts[i].instructions = machine->harts[i].port.position;
    instructions += machine->harts[i].instructions;
  }
  statistics_machine(statistics, machine);
  statistics_add(statistics, "instructions", (double)instructions);
  statistics_add(statistics, "page_table_walks", (double)board_of(machine)->walks);
}

int sim_boot(const struct sim_boot *boot, struct statistics *statistics, char error[256]) {
  const char *line;
  struct machine *machine = board_machine_new(&boot->config, &line);
  if (!machine) return complain(error, USAGE, "", line);
  if (!boot->config.flat) caches_begin(machine);
  for (uint32_t i = 0; i < boot->config.harts; i++) machine->harts[i].port.waiting = true;
  int status = 0;
  const struct board *board = board_of(machine);
  if ((line = board_load(machine, boot->kernel, boot->initrd, boot->arguments)))
    status = complain(error, NOT_EXECUTABLE, boot->kernel, line);
  while (!status && !board->stopped)
    if (machine_turn(machine) == TURN_NONE)
      status = complain(error, FAILED, "", "all harts wait for interrupts, and none will come");
  fflush(board->console);
  if (board->failed) status = complain(error, 1, "", "the operating system has failed");
  count(statistics, machine);
  board_machine_free(machine);
  return status;
}
