/* config.h: the parameters of the simulated machine: defaults, presets, configuration file, options. */
#ifndef REPRISE_SIM_CONFIG_H
#define REPRISE_SIM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_MAX_HARTS = 64 };
enum { SIM_MAX_WRITE_BACKS = 16, SIM_MAX_CHANNELS = 16 };

enum sim_protocol { PROTOCOL_MESI, PROTOCOL_MOSI };

/* The logs of FDR's table 3 that have a buffer. Other recorders have the first one. */
enum log_kind {
  LOG_RACES,
  LOG_CACHE_CHECKPOINT,
  LOG_MEMORY_CHECKPOINT,
  LOG_INPUT,
  LOG_INTERRUPTS,
  LOG_DMA,
  LOG_KINDS
};

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
  bool
      memory_directory; /* the L2 is memory with its directory, and not a cache: what it sends comes from there, and what it gets goes there */
  uint32_t hop_cycles;  /* one link of the mesh */
  bool torus;           /* links around the edges too */
  uint32_t perturb_cycles; /* the seed adds 0 … this to each message */
  uint32_t hold_cycles;    /* forward-progress window of LR/SC */

  /* Limits, for which requests wait. 0: there is none. Rates are in megabytes (a million bytes) a second, as the papers have them. */
  uint32_t clock_mhz;       /* of the harts: makes cycles of rates */
  uint32_t link_rate;       /* of a link of the mesh, in each direction */
  uint32_t bank_cycles;     /* a bank of the L2 takes up a message every so many cycles */
  uint32_t bank_requests;   /* blocks that a bank can be busy with */
  uint32_t misses;          /* MSHRs: misses that a private cache can have under way */
  uint32_t write_backs;     /* entries of a private cache's write-back buffer */
  uint32_t memory_channels; /* banks are dealt out over them */
  uint32_t memory_rate;     /* of a channel */
  uint32_t disk_rate;

  /* Cycles of an instruction beyond the first. */
  uint32_t multiply_cycles, divide_cycles, float_cycles, float_divide_cycles;

  /* The recorder's hardware. */
  uint32_t note_bits; /* on a coherence reply; 0: as many as the scheme needs */
  bool counted_preds; /* tokens: an episode counts the edges from a core, instead of ending at a second one */
  struct log_buffer_size {
    uint64_t bytes; /* 0: no limit */
    uint32_t rate;  /* at which it is emptied */
  } log_buffer[LOG_KINDS];
  uint64_t checkpoint_cycles; /* FDR's interval between checkpoints; 0: none are taken */
  uint32_t barrier_cycles;    /* that a checkpoint stops all harts */

  /* Chunks (chunks.h). */
  uint32_t interrupt_policy; /* enum interrupt_policy */

  /* Software. */
  uint64_t slice_cycles;  /* a thread's turn when others wait */
  uint32_t call_cycles;   /* a system call costs this */
  uint32_t switch_cycles; /* and a change of thread this */
  uint64_t cut_cycles;    /* so often, what has been recorded goes to the disk; 0: only at the end */
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
