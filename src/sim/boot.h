/* boot.h: an operating system on the simulated machine: `reprise sim boot`. */
#ifndef REPRISE_SIM_BOOT_H
#define REPRISE_SIM_BOOT_H

#include "sim/machine/config.h"
#include "sim/statistics.h"

struct sim_boot {
  struct sim_config config;
  const char *kernel;    /* a RISC-V image of Linux */
  const char *initrd;    /* an initial file system, or NULL */
  const char *arguments; /* of the kernel */
};

/* Until it powers itself off. The command's status, with a line in error if it is not 0. */
int sim_boot(const struct sim_boot *boot, struct statistics *statistics, char error[256]);

#endif
