/* events.h: the events of the input log and their encoding.
 *
 * Each R-thread has a stream of events in the order of their positions. An event is
 *
 *   kind and flags     1 byte: kind in the low four bits
 *   position           varint: instructions since the stream's previous event
 *   fields             by kind, see struct input_event; numbers are varints
 *
 * A varint has seven bits a byte, the low ones first, the high bit set on all but the last, in the fewest bytes; a
 * signed number is folded first (0, -1, 1, -2 → 0, 1, 2, 3). Values that tend to repeat are stored as the difference to the
 * last of their kind: so encoder and decoder keep the same state, and a stream is decoded from its beginning, or
 * from where the encoder's state was reset. */
#ifndef REPRISE_INPUT_EVENTS_H
#define REPRISE_INPUT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_event_kind {
  EVENT_SYSCALL = 1, /* a system call and its result */
  EVENT_COPY_IN,     /* bytes that the kernel, or another process, wrote into memory */
  EVENT_SIGNAL,      /* a signal given to the application at this position */
  EVENT_INSN,        /* the result of a nondeterministic instruction */
  EVENT_FILE,        /* a file of the recording that is mapped at an address */
  EVENT_THREAD,      /* birth of an R-thread of the same process */
  EVENT_PROCESS,     /* birth of a process */
  EVENT_EXIT,        /* the last event of an R-thread */
  EVENT_CHECK,       /* digests of the registers, and perhaps memory, at this position */
  EVENT_CHANGE,      /* a file that is mapped somewhere in the sphere was changed by a system call */
  EVENT_OUTPUT, /* bytes on standard output or error that did not come from the sphere's memory; or another name of them */
  EVENT_OPEN, /* memory that is recorded by what the thread reads there (order/values.h) */
  EVENT_KINDS,
};

enum input_insn_kind {
  INSN_TIME_STAMP = 1, /* rdtsc */
  INSN_TIME_STAMP_CPU, /* rdtscp: time, processor */
  INSN_CPUID,          /* four registers */
  INSN_RANDOM,         /* rdrand, RNDR: value, success */
  INSN_SEED,           /* rdseed, RNDRRS: value, success */
  INSN_STATE_MASK,     /* xgetbv */
  INSN_COUNTER,        /* rdpmc, PMCCNTR_EL0 */
  INSN_PROCESSOR_ID,   /* rdpid, TPIDRRO_EL0 */
  INSN_TIMER,          /* CNTVCT_EL0, CNTPCT_EL0 */
  INSN_ID_REGISTER,    /* CTR_EL0, MIDR_EL1 and their like */
  INSN_SEGMENT,        /* lar, lsl, sidt and their like: value, flag */
  INSN_ATOMIC,         /* what an atomic found in memory (engine/order/sync.h): one or two words … */
  INSN_ATOMIC_AWAITED, /* … which no atomic had put there: replay waits for them to come */
  INSN_BINDING, /* a call through a linkage table that nobody has bound yet: where it goes on, to have it bound */
  INSN_X87_POINTER, /* the address of the last x87 instruction, which the program was shown */
  INSN_FAULT,       /* what the processor told of a fault, where that is not the usual (arch_settle_fault) */
  INSN_KINDS,
};

enum input_open_what {
  OPEN_VALUES, /* what the thread reads from here on differs from what it has seen there: runs of bytes */
  OPEN_VIEW,   /* a block of memory is open for this thread from here on: its number */
  OPEN_CLOSES, /* all blocks are closed for all threads: how many lines of memory follow … */
  OPEN_LINE,   /* … one of them: its address, and what is there now */
  OPEN_STOP,   /* replay stops here: values follow, or the thread closes all blocks by itself */
  OPEN_TIME, /* the time, of a clock that all processors have: all that the thread did before was over; replay does not look at it */
  OPEN_WHATS,
};

enum {
  EVENT_COPY_LIMIT = 1 << 20, /* bytes of one copy-in: longer ones are split */
  EVENT_INFO_LIMIT = 128,     /* bytes of siginfo */
  EVENT_VALUES = 4,
  EVENT_SAMPLE_LAST = 40,            /* the sparsest sample of pages: there are no more of them */
  EVENT_THREAD_LAST = (1 << 24) - 1, /* the highest number of an R-thread, as in the recording format */
  EVENT_LARGEST = 256,               /* an event without its bytes is never longer */
};

/* In place of the digest: a filter of the program's has answered the call, and nothing has performed it. */
#define INPUT_ANSWERED 0x64657265777312feUL

struct input_event {
  uint8_t kind;
  uint64_t position;
  union {
    struct {
      uint32_t nr;
      uint64_t pc;
      uint64_t args[6]; /* zero where the call has none */
      int64_t result;
      uint64_t digest; /* of the outgoing bytes, 0 if there were none; of a madvise that failed, bytes done */
      bool has_registers; /* the call may wait: a chunk may end in it */
      uint32_t registers; /* then a digest of them */
      bool has_time;      /* it told the time (times.h) … */
      uint64_t time;      /* … which is this, in fractions of a second */
    } syscall;
    struct {
      uint64_t address;
      uint32_t count;
      bool foreign;         /* another process has written them: it comes before what the thread does next */
      const uint8_t *bytes; /* decoded: into the buffer that was decoded from */
    } copy_in;
    struct {
      uint32_t signo;
      uint64_t pc;
      bool synchronous; /* a fault of the instruction at this position */
      bool ended_wait;  /* it ended the system call before it with EINTR, under that call's mask */
      uint32_t count;   /* bytes of siginfo; trailing zeros are not stored */
      uint8_t info[EVENT_INFO_LIMIT];
    } signal;
    struct {
      uint32_t insn; /* enum input_insn_kind */
      uint32_t count;
      uint64_t values[EVENT_VALUES];
    } insn;
    struct {
      uint32_t file; /* its number in the recording */
      uint64_t address, bytes, offset;
      bool writable; /* the descriptor was open for writing */
    } file;
    struct {
      uint32_t descriptor; /* 1 or 2 */
      bool named;          /* no bytes: it is the program's descriptor `count`, too … */
      bool closes;         /* … which is closed on exec */
      uint32_t count;
      const uint8_t *bytes; /* decoded: into the buffer that was decoded from … */
      uint64_t digest; /* of this and all output before it in the log, since nothing else depends on it */
    } output;
    struct {
      uint32_t file;   /* its number in the recording */
      bool opened;     /* not changed: opened for writing */
      uint64_t offset; /* of the bytes */
      uint64_t size;   /* of the file afterwards */
      uint32_t count;
      const uint8_t *bytes; /* decoded: into the buffer that was decoded from */
    } change;
    struct {
      uint32_t thread; /* the R-thread's number */
      uint32_t id;     /* the kernel's */
    } thread;
    struct {
      uint32_t process; /* its number in the sphere */
      uint32_t thread;  /* its first R-thread's number */
      uint32_t id;      /* the kernel's */
    } process;
    struct {
      bool group;     /* all threads of the process: exit_group, a fatal signal */
      uint32_t signo; /* the signal that ended it, or 0 */
      int32_t status;
      uint64_t output; /* digest of all output in the log, 0: none */
    } exit;
    struct {
      uint32_t what; /* enum input_open_what */
      bool closes;   /* OPEN_STOP: OPEN_CLOSES comes next, if the thread was not ended before */
      uint64_t
          address; /* OPEN_VALUES, OPEN_STOP: none; a block's number; how many lines; a line's address; the time */
      uint32_t count;       /* OPEN_VALUES, OPEN_LINE: of the bytes */
      const uint8_t *bytes; /* decoded: into the buffer that was decoded from */
    } open;
    struct {
      uint64_t pc;
      uint32_t registers; /* a digest of them */
      bool has_memory;
      uint32_t
          sample; /* then the digest is of one page of 2 to the power of this, 0: of all (engine/memory/verify.c) */
      uint64_t memory; /* a digest of what the process can write to, if it was taken */
      uint32_t epoch;  /* it is at the end of this epoch, 0: of none (engine/turns/epochs.h) … */
      bool alone;      /* … and all other threads of the process were stopped */
    } check;
  };
};

enum { EVENT_CALL_SLOTS = 32 };

/* The last call with a number. */
struct input_call_state {
  uint32_t nr;
  uint64_t pc;
  uint64_t args[6];
  uint64_t time; /* the time that such a call returned last */
};

/* The values that the next event is stored relative to. All zero at the beginning of a stream. */
struct input_codec {
  uint64_t position;
  uint64_t copied_to; /* where the last copy-in ended */
  uint64_t mapped_to; /* where the last file's mapping ended */
  uint64_t pc;        /* of the last signal or check */
  uint64_t values[INSN_KINDS];
  struct input_call_state calls[EVENT_CALL_SLOTS]; /* by number, which several share */
};

enum { EVENT_TRUNCATED = 0 };

/* Writes the event to buffer; where its bytes are NULL, room is left for them at its end. Returns its length, -ENOSPC when
 * there is not room for it, -EINVAL when it is not an event
 * (position before the last one's, counts over their limits). The codec moves on only with success. */
long input_encode(struct input_codec *codec, const struct input_event *event, uint8_t *buffer, size_t room);
/* Reads an event. Returns its length, EVENT_TRUNCATED when the buffer ends before it does, -EINVAL when these
 * bytes are no event, whatever follows. The codec moves on only with success. Fields of other kinds are left as they were, or
 * cleared. */
long input_decode(struct input_codec *codec, struct input_event *event, const uint8_t *buffer, size_t bytes);

/* For dump; NULL for no such kind. */
const char *input_event_name(uint32_t kind);
const char *input_insn_name(uint32_t insn);

#endif
