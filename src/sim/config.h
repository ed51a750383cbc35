/* config.h: what the simulated machine is like: defaults, presets, configuration file, options. */
#ifndef REPRISE_SIM_CONFIG_H
#define REPRISE_SIM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_MAX_HARTS = 31 }; /* two caches each and the disk: the directory has 64 bits */

enum sim_protocol { PROTOCOL_MESI, PROTOCOL_MOSI };

struct sim_config {
  uint32_t harts;
  uint64_t seed;
  uint64_t ram_bytes;

  /* Caches. Sizes are powers of two; ways divide the lines. */
  bool flat;             /* no caches at all: one cycle each */
  uint32_t protocol;     /* enum sim_protocol */
  bool tso;              /* store buffers; else sequential consistency */
  uint32_t store_buffer; /* entries */
  uint64_t l1_bytes;     /* each of I and D */
  uint32_t l1_ways, l1_cycles;
  uint64_t l2_bytes; /* shared, all banks together */
  uint32_t l2_ways, l2_banks, l2_cycles;
  uint32_t memory_cycles;
  uint32_t hop_cycles;     /* one link of the mesh */
  bool torus;              /* links around the edges too */
  uint32_t perturb_cycles; /* the seed adds 0 … this to each message */
  uint32_t hold_cycles;    /* forward-progress window of LR/SC */

  uint64_t checkpoint_cycles; /* FDR's interval between checkpoints; 0: none are taken */

  /* Chunks (chunks.h). */
  uint32_t interrupt_policy; /* enum interrupt_policy */

  /* Software. */
  uint64_t slice_cycles;  /* a thread's turn when others wait */
  uint32_t call_cycles;   /* a system call costs this */
  uint32_t switch_cycles; /* and a change of thread this */
  uint32_t disk_cycles;   /* from a read's start to its first line by DMA */
};

/* "default", "karma" (its table 1) or "fdr" (its table 3). False: there is no such preset. */
bool config_preset(struct sim_config *config, const char *name);
/* "name = value" for one field; sizes take K, M, G. NULL, or what is wrong. */
const char *config_set(struct sim_config *config, const char *name, const char *value);
/* Lines "name = value", empty ones and those that begin with #. NULL, or what is wrong where, in a buffer of the function's own. */
const char *config_read(struct sim_config *config, const char *path);
/* NULL, or what is impossible about it. */
const char *config_check(const struct sim_config *config);

#endif
