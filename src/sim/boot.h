/* boot.h: an operating system on the simulated machine, run, recorded or replayed: `reprise sim boot`. */
#ifndef REPRISE_SIM_BOOT_H
#define REPRISE_SIM_BOOT_H

#include "sim/machine/config.h"
#include "sim/machine/thread.h"
#include "sim/statistics.h"

struct sim_boot {
  struct sim_config config; /* in replay, harts and ram are the recording's */
  enum sphere_mode mode;
  const char *scheme;    /* record: of the order */
  const char *folder;    /* of the recording, made (NULL: in the default place) or followed */
  const char *kernel;    /* a RISC-V image of Linux */
  const char *initrd;    /* an initial file system, or NULL */
  const char *arguments; /* of the kernel */
  const char *typed;     /* a file: what is typed at the console; NULL: nothing */
  const char *disk;      /* a file: the content of its block device; NULL: there is none */
  uint64_t max_episode;  /* references; 0: no limit */
};

/* Whether a board can have this memory. */
bool sim_boot_fits(const struct sim_config *config);
/* Until it powers itself off. The command's status, with a line in error if there is something to say. */
int sim_boot(const struct sim_boot *request, struct statistics *statistics, char error[1024]);

#endif
