/* sbi.c: the firmware: SBI calls of the operating system, version 0.3 of the interface with the legacy console. */
#include "sim/board/board.h"
#include "sim/machine/check.h"

enum { A0 = 10, A1, A2, A3, A4, A5, A6, A7 };
enum { NOT_SUPPORTED = -2, INVALID = -3, ALREADY = -6 };
enum { TIMER_FREE = 1 };
/* Extensions, most of them four letters. */
enum {
  LEGACY_TIMER = 0,
  LEGACY_PUT = 1,
  LEGACY_GET = 2,
  LEGACY_SHUTDOWN = 8,
  BASE = 0x10,
  TIME = 0x54494d45,
  IPI = 0x735049,
  RFENCE = 0x52464e43,
  HSM = 0x48534d,
  SRST = 0x53525354,
};

struct answer {
  int64_t error;
  uint64_t value;
};

uint64_t board_time(const struct machine *machine, uint64_t cycle) {
  return cycle * TIMEBASE_MHZ / machine->config.clock_mhz;
}

/* -- Timer --------------------------------------------------------------------------------------------------------------------- */

static void ring(struct machine *machine, void *object, uint64_t number) {
  struct hart *hart = object;
  if (board_hart_of(hart)->timer == number) board_raise(hart, INTERRUPT_TIMER, machine->cycle);
}

static void set_timer(struct hart *hart, uint64_t time) {
  struct machine *machine = hart->port.machine;
  struct board_hart *own = board_hart_of(hart);
  uint64_t now = hart->port.cycle, per_tick = machine->config.clock_mhz / TIMEBASE_MHZ;
  own->timer++;
  own->pending &= ~(1ull << INTERRUPT_TIMER);
  if (time >= UINT64_MAX / per_tick / 2) return; /* never */
  uint64_t due = (time + 1) * per_tick;
  machine_at(machine, due > now ? due : now, ring, hart, own->timer);
}

/* -- Other harts --------------------------------------------------------------------------------------------------------------- */

static void interrupt_hart(struct hart *hart, const struct hart *by) {
  board_raise(hart, INTERRUPT_SOFTWARE, by->port.cycle);
}
static void fence_hart(struct hart *hart, const struct hart *by) {
  (void)by;
  board_fence(hart);
}

static struct answer each_hart(struct hart *hart, uint64_t mask, uint64_t base,
                               void (*call)(struct hart *hart, const struct hart *by)) {
  struct machine *machine = hart->port.machine;
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    bool named = base == UINT64_MAX || (i >= base && i - base < 64 && mask >> (i - base) & 1);
    if (named) call(&machine->harts[i], hart);
  }
  return (struct answer){0, 0};
}

static struct answer hart_state(struct hart *hart, const uint64_t *x) {
  enum { START, STOP, STATUS };
  struct machine *machine = hart->port.machine;
  uint64_t number = x[A6] == STOP ? hart->port.number : x[A0];
  if (number >= machine->config.harts) return (struct answer){INVALID, 0};
  struct board_hart *own = &board_of(machine)->harts[number];
  bool started = board_input(hart, own->started);
  switch (x[A6]) {
    case START:
      if (started) return (struct answer){ALREADY, 0};
      if (own->started) {
        board_differs(&hart->port, "it starts a hart that has been started");
        return (struct answer){INVALID, 0};
      }
      board_start(&machine->harts[number], hart, x[A1], x[A2], hart->port.cycle);
      return (struct answer){0, 0};
    case STOP:
      if (board_of(machine)->sphere.mode == SPHERE_RECORD)
        board_of(machine)->refused = "a hart that stops can't be recorded";
      own->started = false;
      hart->idle = hart->port.waiting = true;
      return (struct answer){0, 0};
    case STATUS:
      return (struct answer){0, !started};
    default:
      return (struct answer){NOT_SUPPORTED, 0};
  }
}

/* -- The rest ------------------------------------------------------------------------------------------------------------------ */

static bool has_extension(uint64_t number) {
  return number == BASE || number == TIME || number == IPI || number == RFENCE || number == HSM ||
         number == SRST || number <= LEGACY_GET || number == LEGACY_SHUTDOWN;
}

static struct answer about(const uint64_t *x) {
  enum { VERSION, IMPLEMENTATION, IMPLEMENTATION_VERSION, PROBE };
  switch (x[A6]) {
    case VERSION:
      return (struct answer){0, 3};
    case IMPLEMENTATION:
      return (struct answer){0, 0x5250};
    case PROBE:
      return (struct answer){0, has_extension(x[A0])};
    default:
      return (struct answer){0, 0};
  }
}

/* In a replay all harts go on to where they were then. */
static struct answer stop(struct board *board, bool failed) {
  if (board->sphere.mode != SPHERE_REPLAY) board->stopped = true;
  board->failed = failed;
  return (struct answer){0, 0};
}

static struct answer answer_call(struct hart *hart, const uint64_t *x) {
  struct board *board = board_of(hart->port.machine);
  switch (x[A7]) {
    case TIME:
      set_timer(hart, x[A0]);
      return (struct answer){0, 0};
    case IPI:
      return each_hart(hart, x[A0], x[A1], interrupt_hart);
    case RFENCE:
      return each_hart(hart, x[A0], x[A1], fence_hart);
    case HSM:
      return hart_state(hart, x);
    case SRST:
      return stop(board, x[A0] || x[A1]); /* a restart, or for a reason */
    case BASE:
      return about(x);
    default:
      return (struct answer){NOT_SUPPORTED, 0};
  }
}

void board_call(struct hart *hart) {
  struct board *board = board_of(hart->port.machine);
  uint64_t *x = hart->registers.x, extension = x[A7];
  hart->registers.pc += 4;
  hart->port.position++;
  hart->port.cycle++;
  if (extension == LEGACY_PUT) {
    fputc((int)(x[A0] & 0xff), board->console);
    x[A0] = 0;
  } else if (extension == LEGACY_GET) {
    int byte = board->input && !board_replays(hart) ? fgetc(board->input) : EOF;
    x[A0] = board_input(hart, (uint64_t)(int64_t)(byte == EOF ? -1 : byte));
  } else if (extension == LEGACY_TIMER) {
    set_timer(hart, x[A0]);
    x[A0] = 0;
  } else if (extension == LEGACY_SHUTDOWN) {
    stop(board, false);
  } else {
    struct answer answer = answer_call(hart, x);
    x[A0] = (uint64_t)answer.error;
    x[A1] = answer.value;
  }
}
