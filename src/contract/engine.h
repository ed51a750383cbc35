/* engine.h: the configuration that the launcher passes to the engine, and the layout of the engine's memory.
 *
 * The engine is executed by the name of a descriptor (engine_name.h), with the program's own argv and envp. Descriptor N is
 * the engine's file, N + 1 a memory file with a struct engine_config; both stay open over every execve of the sphere.
 * N + 2 is the program's file (descriptors.h), N + 3 the memory shared with the manager, if there is one, N + 4 in replay the socket
 * over which files come. */
#ifndef REPRISE_CONTRACT_ENGINE_H
#define REPRISE_CONTRACT_ENGINE_H

#include <stdint.h>

enum { ENGINE_CONFIG_MAGIC = 0x52505231, ENGINE_PATH_MAX = 4096, OUTPUT_ROLES = 256, TRIGGER_TEXT_MAX = 128 };

/* prctl() with this first argument has a flight recorder store the last part. The kernel knows no such call: it returns -EINVAL everywhere. */
enum { TRIGGER_CALL = 0x52505254 };

/* Which memory accesses call for the inline permission check. */
enum check_mode {
  CHECK_NONE,
  CHECK_ACCESSES, /* every access that is not stack-pointer relative */
  CHECK_ALL,      /* really every one */
};

/* Whether the engine only runs the program, records it, or replays a recording. */
enum engine_mode { MODE_RUN, MODE_RECORD, MODE_REPLAY };

/* How the threads of a sphere are ordered. All but the first run at once. */
enum engine_order { ENGINE_CHUNK, ENGINE_DAG, ENGINE_TOKENS, ENGINE_SCALAR, ENGINE_ARCS, ENGINE_SYNC };

/* Which memory is recorded by the values that threads read from it (order/values.h). */
enum engine_values {
  VALUES_OFF,
  VALUES_AUTO /* blocks that threads hand to and fro */,
  VALUES_ALL /* all blocks that two threads touch */
};

struct engine_config {
  uint32_t magic;
  uint32_t mode;         /* enum engine_mode */
  uint32_t slot;         /* the first thread's slot in the region; of use after an execve only */
  uint32_t first;        /* 1: started by the launcher, so errors are told to the user; 0: by an execve */
  uint32_t check;        /* enum check_mode */
  uint64_t check_memory; /* record: instructions between two digests of a process's memory; 0: none */
  uint32_t order;        /* enum engine_order */
  uint64_t max_episode;  /* of the order, 0: no limit */
  uint32_t without;      /* record: predictors that are switched off, a bit mask, see predictors.h */
  uint32_t values;       /* enum engine_values; in replay anything but VALUES_OFF if the recording has any */
  uint32_t counters;     /* print counters at exit */
  uint32_t log_channels; /* REPRISE_LOG as a bit mask, see log.h */
  uint32_t hide_no_randomize; /* the launcher, not the program, has turned randomisation off */
  int32_t program_fd;         /* the file to load, open, or -1 when it has still to be opened by name */
  uint32_t limits_known; /* 1: limits holds what the program has set; 0: the kernel's are the program's */
  struct {
    uint64_t soft, hard;
  } limits[2];            /* RLIMIT_DATA and RLIMIT_AS as the program sees them (limits.c) */
  uint64_t mask, ignored; /* replay: signals that the program finds blocked and ignored when it starts */
  uint8_t quiet;          /* replay: output is not shown */
  uint8_t confined;       /* replay: the processes are confined (confine.c) */
  uint8_t serial;      /* replay: one thread at a time, in whatever order it was recorded (order/serial.h) */
  uint8_t tells;       /* replay: accesses to open memory are told (region/telling.h) */
  uint8_t solved;      /* replay: in an order in which no memory is open (reprise solve) */
  uint8_t checkpoints; /* replay: checkpoints can be made (threads/checkpoint_vessel.c) */
  uint8_t live;        /* record: the same, while the program goes on (region/live.h) */
  uint8_t debugged;    /* replay: a debugger drives it (region/debug.h) */
  uint8_t whole;       /* replay: the recording was closed, so all logs are whole */
  uint8_t restores;    /* replay: the process becomes a stored vessel (contract/image_plan.h) */
  uint8_t sandboxed;   /* a filter of the program's judges its calls (sandbox.c) … */
  uint8_t judged;      /* … and also those that its first thread has made since it began */
  uint8_t keeps_code;  /* FD_CODE is there: the folder of the code cache that lasts (code/lasting.h) */
  uint32_t output_roles[OUTPUT_ROLES]; /* the descriptors that are standard output and error (output.c) */
  uint64_t
      trigger_signals; /* live: the flight recorder is told when one of these is delivered: bit n - 1 for signal n … */
  char trigger_text[TRIGGER_TEXT_MAX]; /* … and when the program's output contains this; empty: nothing */
  char comm[16]; /* the process's name as the kernel would have set it (not by the launcher) */
  char program[ENGINE_PATH_MAX]; /* the file to load: the program, or the interpreter of its script */
  char execfn[ENGINE_PATH_MAX];  /* AT_EXECFN as the kernel would have set it */
};

/* An entry of output_roles: the descriptor has this role, 1 or 2. */
#define OUTPUT_ROLE(fd, role) (((uint32_t)(fd) + 1) << 8 | (role))

/* All of the engine's memory lies in [ENGINE_BASE, ENGINE_END): nothing that the kernel chooses for a program
 * comes near it, nor do the fixed regions of the address, thread and memory sanitizers. */
#define ENGINE_BASE 0x680000000000UL
#define ENGINE_END 0x690000000000UL
#define CODE_CACHE_BASE (ENGINE_BASE + 0x10000000UL) /* within a direct branch of the engine's text */
#define CODE_CACHE_MAX 0x40000000UL
#define CODE_WRITTEN_BASE (ENGINE_BASE + 0x180000000UL) /* the same memory, writable and not executable */
#define ARENA_BASE (ENGINE_BASE + 0x80000000UL)         /* the engine's tables */
#define ARENA_MAX 0x80000000UL
#define CODE_COPY_BASE (ENGINE_BASE + 0x1c0000000UL) /* for a moment: the cache of a child */
#define VDSO_BASE (ENGINE_BASE + 0x200000000UL)      /* the kernel's vDSO, moved out of the program's way */
#define LASTING_BASE (ENGINE_BASE + 0x210000000UL)   /* lasting_files.c: stored blocks … */
#define LASTING_ROOM 0x40000000UL
#define LASTING_NEW_BASE (ENGINE_BASE + 0x250000000UL) /* … those that will be … */
#define LASTING_NEW_ROOM 0x4000000UL
#define LASTING_OLD_BASE \
  (ENGINE_BASE + 0x258000000UL) /* … and, while they are stored, the old file and the new table */
#define LASTING_OLD_ROOM 0x10000000UL
#define LASTING_TABLE_BASE (ENGINE_BASE + 0x268000000UL)
#define LASTING_TABLE_ROOM 0x8000000UL
#define IMAGE_PLAN_BASE (ENGINE_BASE + 0x280000000UL) /* image_restore.c: what a process is made of */
#define REGION_BASE (ENGINE_BASE + 0x300000000UL)     /* shared with the manager: contract/region.h */
#define DIRECTORY_BASE \
  (ENGINE_BASE + 0x500000000UL) /* entries of memory blocks, the infos that belong to them, and groups */
#define DIRECTORY_PART 0x21000000UL
#define DIRECTORY_GROUPS 0x4001000UL
#define SHARED_RANGES \
  (ENGINE_BASE + 0x580000000UL) /* shared.c: what is mapped of the memory that processes share */
#define OPEN_BASE (ENGINE_BASE + 0x590000000UL) /* open_blocks.c: what is known of each block … */
#define OPEN_PART 0x4000000UL
#define OPEN_THREADS (OPEN_BASE + OPEN_PART) /* … and what each thread has seen */
#define OPEN_STRIDE 0x30000UL
#define SYNC_BASE \
  (ENGINE_BASE + 0x5d0000000UL) /* order/sync.h: what each thread has seen of memory by its atomics */
#define SYNC_STRIDE 0x4000UL
#define SYNC_LEFT_BASE (SYNC_BASE + 0x8000000UL) /* … and what the atomics of each clock have left there */
#define RINGS_BASE (ENGINE_BASE + 0x600000000UL)
#define AUDIT_BASE (ENGINE_BASE + 0xd000000000UL)        /* audit.c */
#define LARGE_COPIES_BASE (ENGINE_BASE + 0xe000000000UL) /* waiting.c: for calls that move very much */
#define LARGE_COPIES_STRIDE 0x100000000UL
#define THREAD_AREA_BASE (ENGINE_BASE + 0x1000000000UL) /* one slot per thread */
#define THREAD_AREA_STRIDE 0x8000000UL

/* These descriptors belong to the engine, from its own file on. For the application they are not open. */
enum { FD_ENGINE, FD_CONFIG, FD_PROGRAM, FD_REGION, FD_SOCKET, FD_CODE, FD_COUNT };
/* FD_CODE is the folder of stored code, if there is one.
 * Without a sphere there is no region: this is the launcher's standard error, because the program may close its own early. */
enum { FD_COUNTERS = FD_REGION };

/* The value of a SIGSYS that is for the engine: the thread must come to a safepoint. */
#define KICK_VALUE 0x5265707269736521UL

#endif
