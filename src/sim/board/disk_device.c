/* disk_device.c: the block device: virtio 1.2 over memory-mapped registers, with one queue. It reads requests, moves the data, and writes the answers by itself, through dma.c.
 *
 * A request is a chain of descriptors: a head that says what is wanted, the data's places, and a byte for the result. A step of it is a function that begins a
 * transfer and names the next step. A queue that makes no sense stops the device until it is reset. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/board/devices.h"

/* Registers. */
enum {
  MAGIC = 0x00,
  VERSION = 0x04,
  DEVICE = 0x08,
  VENDOR = 0x0c,
  FEATURES = 0x10,
  FEATURES_SELECT = 0x14,
  QUEUE_MOST = 0x34,
  QUEUE_SIZE = 0x38,
  QUEUE_READY = 0x44,
  QUEUE_NOTIFY = 0x50,
  INTERRUPT = 0x60,
  INTERRUPT_DONE = 0x64,
  STATUS = 0x70,
  QUEUE_TABLE = 0x80,
  QUEUE_ASKED = 0x90,
  QUEUE_ANSWERED = 0xa0,
  CAPACITY = 0x100,
};
enum { IS_VIRTIO = 0x74726976, IS_BLOCK_DEVICE = 2, NEEDS_RESET = 0x40, QUEUE_LARGEST = 64, SECTOR = 512 };
enum { FEATURE_FLUSH = 1 << 9, FEATURE_VERSION_1 = 1 /* of the second word */ };
enum { FLAG_NEXT = 1, FLAG_DEVICE_WRITES = 2 };
enum { READ = 0, WRITE = 1, FLUSH = 4, NAME = 8 };
enum { GOOD = 0, FAILED = 1, UNSUPPORTED = 2 };
enum { NAME_BYTES = 20 };

struct descriptor {
  uint64_t at;
  uint32_t bytes;
  uint16_t flags, next;
};

struct head {
  uint32_t kind, reserved;
  uint64_t sector;
};

struct answer {
  uint32_t number, bytes;
};

struct disk_device {
  struct machine *machine;
  uint8_t *image; /* NULL in a replay */
  uint64_t bytes;
  uint32_t status, features_select, interrupt, queue_size, ready;
  uint64_t table, asked, answered; /* where the queue's parts are */
  bool busy, notified;
  bool stale;                               /* it was reset while it was busy: what is under way is void */
  uint16_t taken, given;                    /* requests and answers so far */
  void (*next)(struct disk_device *device); /* step */
  uint16_t asked_count, number;             /* of the queue's; the present request's */
  uint32_t descriptors;                     /* of the present request, so far … */
  struct descriptor descriptor;             /* … with this one */
  struct head head;
  uint64_t offset;  /* where in the image its data goes on */
  uint32_t written; /* bytes, to memory */
  uint8_t result;
  struct answer answer;
};

static struct disk_device *disk_of(const struct machine *machine) {
  return board_of(machine)->devices->disk;
}

static void look(struct disk_device *device);
static void work_on(struct disk_device *device);

/* -- Steps ------------------------------------------------------------------------------------------------------------------------ */

static void moved(struct machine *machine) {
  struct disk_device *device = disk_of(machine);
  if (device->ready && !device->stale) {
    device->next(device);
    return;
  }
  device->stale = false;
  device->busy = device->ready && device->notified;
  if (device->busy) look(device);
}

static void go_wrong(struct disk_device *device) {
  device->status |= NEEDS_RESET;
  device->ready = 0;
  device->busy = false;
}

static bool in_memory(const struct machine *machine, uint64_t at, uint64_t count) {
  return count <= machine->ram_bytes && board_is_ram(machine, at) && at <= machine->ram_bytes - count;
}

static void move(struct disk_device *device, uint64_t at, void *bytes, uint64_t count, bool store,
                 void (*next)(struct disk_device *device)) {
  if (!in_memory(device->machine, at, count)) {
    go_wrong(device);
    return;
  }
  device->next = next;
  dma_move(device->machine,
           &(struct transfer){.at = at, .count = count, .bytes = bytes, .store = store, .next = moved});
}

static void read_descriptor(struct disk_device *device, uint16_t number) {
  if (number >= device->queue_size || device->descriptors++ > device->queue_size) {
    go_wrong(device);
    return;
  }
  move(device, device->table + (uint64_t)number * sizeof device->descriptor, &device->descriptor,
       sizeof device->descriptor, false, work_on);
}

static void tell(struct disk_device *device) {
  plic_set(device->machine, SOURCE_DISK, device->interrupt, device->machine->cycle);
}

static void finish(struct disk_device *device) {
  device->interrupt |= 1;
  tell(device);
  look(device);
}

static void count_answer(struct disk_device *device) {
  device->given++;
  move(device, device->answered + 2, &device->given, sizeof device->given, true, finish);
}

static void give_answer(struct disk_device *device) {
  device->answer = (struct answer){device->number, device->written + 1};
  uint64_t place = device->given % device->queue_size;
  move(device, device->answered + 4 + place * sizeof device->answer, &device->answer, sizeof device->answer,
       true, count_answer);
}

static void read_next(struct disk_device *device) {
  read_descriptor(device, device->descriptor.next);
}

static void moved_data(struct disk_device *device) {
  device->offset += device->descriptor.bytes;
  if (device->descriptor.flags & FLAG_DEVICE_WRITES) device->written += device->descriptor.bytes;
  read_next(device);
}

static void move_data(struct disk_device *device) {
  static uint8_t name[NAME_BYTES] = "reprise";
  bool to_memory = device->descriptor.flags & FLAG_DEVICE_WRITES;
  uint32_t kind = device->head.kind, count = device->descriptor.bytes;
  bool inside = device->offset <= device->bytes && count <= device->bytes - device->offset;
  if (kind == NAME && to_memory && count <= NAME_BYTES) {
    move(device, device->descriptor.at, name, count, true, moved_data);
  } else if ((kind == READ && to_memory && inside) || (kind == WRITE && !to_memory && inside)) {
    move(device, device->descriptor.at, device->image + device->offset, count, to_memory, moved_data);
  } else {
    device->result = kind == READ || kind == WRITE ? FAILED : UNSUPPORTED;
    read_next(device);
  }
}

/* The disk has found the place. */
static void found(struct machine *machine, void *object, uint64_t argument) {
  struct disk_device *device = object;
  (void)argument;
  device->next = read_next;
  moved(machine);
}

static void take_head(struct disk_device *device) {
  struct machine *machine = device->machine;
  uint64_t sectors = device->bytes / SECTOR;
  device->offset = (device->head.sector < sectors ? device->head.sector : sectors) * SECTOR;
  device->result = device->head.sector <= sectors ? GOOD : FAILED;
  machine_at(machine, machine->cycle + machine->config.disk_cycles, found, device, 0);
}

/* A chain's first descriptor is the head, its last one the result, and between them is the data. */
static void work_on(struct disk_device *device) {
  const struct descriptor *descriptor = &device->descriptor;
  bool last = !(descriptor->flags & FLAG_NEXT), to_memory = descriptor->flags & FLAG_DEVICE_WRITES;
  if (device->descriptors == 1) {
    if (last || to_memory || descriptor->bytes != sizeof device->head)
      go_wrong(device);
    else
      move(device, descriptor->at, &device->head, sizeof device->head, false, take_head);
  } else if (!last) {
    move_data(device);
  } else if (to_memory && descriptor->bytes >= 1) {
    move(device, descriptor->at, &device->result, 1, true, give_answer);
  } else {
    go_wrong(device);
  }
}

static void begin_request(struct disk_device *device) {
  device->taken++;
  device->descriptors = device->written = 0;
  read_descriptor(device, device->number);
}

static void compare_counts(struct disk_device *device) {
  if (device->asked_count != device->taken) {
    uint64_t place = device->taken % device->queue_size;
    move(device, device->asked + 4 + 2 * place, &device->number, sizeof device->number, false, begin_request);
  } else if (device->notified) {
    look(device);
  } else {
    device->busy = false;
  }
}

static void look(struct disk_device *device) {
  device->notified = false;
  move(device, device->asked + 2, &device->asked_count, sizeof device->asked_count, false, compare_counts);
}

static void begin(struct machine *machine, void *object, uint64_t argument) {
  struct disk_device *device = object;
  (void)argument;
  device->next = look;
  moved(machine);
}

static void notify(struct hart *hart, struct disk_device *device) {
  struct machine *machine = hart->port.machine;
  struct dma *dma = &board_of(machine)->devices->dma;
  if (board_input(hart, !dma->begun)) {
    if (dma->begun)
      board_differs(&hart->port, "the block device begins a second time");
    else
      dma_start(hart);
  }
  if (board_replays(hart) || !device->ready) return;
  device->notified = true;
  if (device->busy) return;
  device->busy = true;
  machine_at(machine, hart->port.cycle, begin, device, 0);
}

/* -- Registers --------------------------------------------------------------------------------------------------------------------- */

uint32_t disk_read(const struct machine *machine, uint64_t offset) {
  const struct disk_device *device = disk_of(machine);
  uint64_t sectors = device->bytes / SECTOR;
  switch (offset) {
    case MAGIC:
      return IS_VIRTIO;
    case VERSION:
      return 2;
    case DEVICE:
      return IS_BLOCK_DEVICE;
    case VENDOR:
      return 0x5250;
    case FEATURES:
      return device->features_select == 0   ? FEATURE_FLUSH
             : device->features_select == 1 ? FEATURE_VERSION_1
                                            : 0;
    case QUEUE_MOST:
      return QUEUE_LARGEST;
    case QUEUE_READY:
      return device->ready;
    case INTERRUPT:
      return device->interrupt;
    case STATUS:
      return device->status;
    case CAPACITY:
      return (uint32_t)sectors;
    case CAPACITY + 4:
      return (uint32_t)(sectors >> 32);
    default:
      return 0;
  }
}

static void set_status(struct disk_device *device, uint32_t value) {
  device->status = value;
  if (value) return;
  device->ready = device->interrupt = 0;
  device->taken = device->given = 0;
  device->notified = false;
  device->stale = device->busy;
  dma_cancel(device->machine);
  tell(device);
}

static void set_half(uint64_t *address, uint64_t offset, uint32_t value) {
  uint64_t shift = offset % 8 * 8;
  *address = (*address & ~(UINT64_C(0xffffffff) << shift)) | (uint64_t)value << shift;
}

static void set_ready(struct disk_device *device, uint32_t value) {
  uint32_t size = device->queue_size;
  bool sensible = size && size <= QUEUE_LARGEST && !(size & (size - 1));
  device->ready = value & sensible;
}

void disk_write(struct hart *hart, uint64_t offset, uint32_t value) {
  struct disk_device *device = disk_of(hart->port.machine);
  if (offset == QUEUE_NOTIFY) {
    notify(hart, device);
    return;
  }
  if (board_replays(hart)) return;
  switch (offset) {
    case FEATURES_SELECT:
      device->features_select = value;
      break;
    case QUEUE_SIZE: /* of a queue that is in use, as that of another one */
      if (!device->ready) device->queue_size = value;
      break;
    case QUEUE_READY:
      set_ready(device, value);
      break;
    case INTERRUPT_DONE:
      device->interrupt &= ~value;
      tell(device);
      break;
    case STATUS:
      set_status(device, value);
      break;
    case QUEUE_TABLE:
    case QUEUE_TABLE + 4:
      set_half(&device->table, offset, value);
      break;
    case QUEUE_ASKED:
    case QUEUE_ASKED + 4:
      set_half(&device->asked, offset, value);
      break;
    case QUEUE_ANSWERED:
    case QUEUE_ANSWERED + 4:
      set_half(&device->answered, offset, value);
      break;
    default: /* there is one queue, and features are taken as they are offered */
      break;
  }
}

/* -- The image --------------------------------------------------------------------------------------------------------------------- */

const char *disk_attach_size(struct machine *machine, uint64_t bytes) {
  struct disk_device *device = board_of(machine)->devices->disk = calloc(1, sizeof *device);
  if (!device) return "no memory for a disk";
  device->machine = machine;
  device->bytes = bytes;
  return NULL;
}

const char *disk_attach(struct machine *machine, const char *path) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return "can't be opened";
  const char *error = fstat(file, &status) || !S_ISREG(status.st_mode) ? "is no file"
                      : !status.st_size || status.st_size % SECTOR     ? "has no whole sectors of 512 bytes"
                                                                       : NULL;
  if (!error) error = disk_attach_size(machine, (uint64_t)status.st_size);
  if (!error) {
    void *image = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (image == MAP_FAILED)
      error = "can't be read";
    else
      disk_of(machine)->image = image;
  }
  close(file);
  return error;
}

uint64_t disk_bytes(const struct machine *machine) {
  const struct disk_device *device = disk_of(machine);
  return device ? device->bytes : 0;
}

void disk_detach(struct machine *machine) {
  struct disk_device *device = disk_of(machine);
  if (!device) return;
  if (device->image) munmap(device->image, (size_t)device->bytes);
  free(device);
  board_of(machine)->devices->disk = NULL;
}
