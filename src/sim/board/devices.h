/* devices.h: what a board has besides harts and memory: an interrupt controller, a serial port, and a block device that accesses memory by itself.
 *
 * Their registers lie above memory, and no cache holds them. A recording has the value of every load of a register and every interrupt as input of the hart, and
 * the bytes that the block device stores in the log of its pseudo-thread (dma.c), as FDR has them (section 5). So a replay needs no devices: loads get what they got, a store to the
 * serial port is printed, and other stores do nothing. */
#ifndef REPRISE_SIM_DEVICES_H
#define REPRISE_SIM_DEVICES_H

#include "sim/board/board.h"

#define DEVICES_START (1ull << 40)
#define PLIC_START DEVICES_START
#define UART_START (DEVICES_START + (1 << 28))
#define DISK_START (UART_START + 0x1000)
enum { PLIC_BYTES = 0x4000000, UART_BYTES = 8, DISK_BYTES = 0x200 };

/* Sources of interrupts. */
enum { SOURCE_UART = 1, SOURCE_DISK, SOURCE_COUNT };
enum { MOST_CONTEXTS = 64 };

struct plic {
  uint32_t priority[SOURCE_COUNT];
  uint32_t level, pending, claimed; /* a bit for each source */
  uint32_t enabled[MOST_CONTEXTS], threshold[MOST_CONTEXTS];
};

struct uart {
  uint8_t enabled, line_control, modem_control, scratch, divisor[2];
  uint8_t received;  /* a character, if … */
  bool has_received; /* … it has not been read yet */
  bool awaited;      /* the next one is on its way */
  bool fifo;
  bool is_empty; /* the transmitter has become empty, and nobody was told */
};

/* What the block device moves to or from memory, a line at a time. */
struct transfer {
  uint64_t at, count, done;
  uint8_t *bytes;
  bool store;
  void (*next)(struct machine *machine); /* when it is over */
};

struct dma {
  struct port port;
  struct thread thread;
  struct board_log log;
  bool begun, ended; /* the thread is there; it has come to its end */
  struct transfer transfer;
};

struct disk_device;

struct devices {
  struct plic plic;
  struct uart uart;
  struct dma dma;
  struct disk_device *disk; /* NULL: there is none */
};

/* devices.c. False: no memory. */
bool devices_begin(struct machine *machine);
void devices_end(struct machine *machine);
bool devices_have(const struct machine *machine, uint64_t paddr);
/* The supervisor's device. */
bool board_device(struct hart *hart, struct access *access);

/* plic.c */
uint32_t plic_read(struct machine *machine, uint64_t offset, uint64_t cycle);
void plic_write(struct machine *machine, uint64_t offset, uint32_t value, uint64_t cycle);
/* The device wants an interrupt, or does not any more. */
void plic_set(struct machine *machine, unsigned source, bool level, uint64_t cycle);

/* uart.c */
uint8_t uart_read(struct machine *machine, uint64_t offset, uint64_t cycle);
void uart_write(struct machine *machine, uint64_t offset, uint8_t value, uint64_t cycle);

/* dma.c: the port and the pseudo-thread. */
void dma_begin(struct machine *machine);
/* The device works for the first time: this hart has asked it to. */
void dma_start(struct hart *by);
/* One transfer at a time; it is inside of memory. */
void dma_move(struct machine *machine, const struct transfer *transfer);
/* The transfer under way, if there is one, is over. */
void dma_cancel(struct machine *machine);
/* The board has stopped. */
void dma_finish(struct machine *machine);

/* disk_device.c. NULL, or what is wrong. The file's bytes do not change: what the operating system writes is lost when the board stops. */
const char *disk_attach(struct machine *machine, const char *path);
/* In a replay there is only its size. */
const char *disk_attach_size(struct machine *machine, uint64_t bytes);
uint64_t disk_bytes(const struct machine *machine);
void disk_detach(struct machine *machine);
uint32_t disk_read(const struct machine *machine, uint64_t offset);
void disk_write(struct hart *hart, uint64_t offset, uint32_t value);

#endif
