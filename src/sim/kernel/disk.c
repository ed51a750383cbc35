/* disk.c: the block device. See disk.h. */
#include "sim/kernel/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/check.h"
#include "sim/kernel/input_log.h"

#define DONE_WORD (KERNEL_PAGE + UINT64_C(2) * LINE_BYTES)
#define REQUEST_WORD (KERNEL_PAGE + UINT64_C(3) * LINE_BYTES)

struct transfer {
  struct transfer *next;
  struct task *worker; /* the device's pseudo-task in the sphere */
  struct task *asker;  /* who waits for it; NULL in replay */
  struct process *process;
  const uint8_t *bytes;
  uint64_t to, count, done;
  bool begun; /* it has seen the request */
  bool over;
  int64_t result;
};

struct disk {
  struct port port;
  struct transfer *first, *last; /* the first one is being worked on, once `working` */
  bool working;
};

static struct disk *disk_of(const struct machine *machine) {
  return machine->disk;
}

static void proceed(struct machine *machine, void *object, uint64_t argument);

/* -- The device ------------------------------------------------------------------------------------------------------------- */

static void woken(struct port *port) {
  machine_at(port->machine, port->cycle, proceed, port->machine->disk, 0);
}

bool disk_begin(struct machine *machine) {
  struct disk *disk = machine->disk = calloc(1, sizeof *disk);
  if (!disk) return false;
  port_init(&disk->port, machine, machine->port_count);
  disk->port.hit_cycles = 1;
  disk->port.woken = woken;
  machine->ports[machine->port_count++] = &disk->port;
  return true;
}

void disk_end(struct machine *machine) {
  struct disk *disk = disk_of(machine);
  for (struct transfer *t = disk ? disk->first : NULL, *next; t; t = next) {
    next = t->next;
    if (!t->asker) free(t);
  }
  free(disk);
}

/* Its R-thread in the sphere: made when it is first needed. */
static struct task *worker_of(struct task *asker, uint32_t number) {
  struct sphere *sphere = asker->thread.sphere;
  struct machine *machine = kernel_of(asker)->machine;
  if (sphere->device) return sphere->device;
  struct task *worker = sphere->device = calloc(1, sizeof *worker);
  CHECK(worker, "no memory for the disk");
  worker->thread.number = number;
  worker->thread.sphere = sphere;
  worker->thread.task = worker;
  worker->thread.reservation = FAST_NONE;
  worker->process = asker->process;
  if (number >= sphere->threads) sphere->threads = number + 1;
  input_attach(worker);
  if (machine->watcher && machine->watcher->born)
    machine->watcher->born(machine, &asker->thread, &worker->thread);
  return worker;
}

static void enqueue(struct machine *machine, struct transfer *transfer, uint64_t delay) {
  struct disk *disk = disk_of(machine);
  if (disk->last)
    disk->last->next = transfer;
  else
    disk->first = transfer;
  disk->last = transfer;
  if (disk->first == transfer) machine_at(machine, kernel_now(machine->kernel) + delay, proceed, disk, 0);
}

/* -- A transfer -------------------------------------------------------------------------------------------------------------- */

static void begin(struct disk *disk, struct transfer *t) {
  struct port *port = &disk->port;
  const struct watcher *watcher = port->machine->watcher;
  struct thread *thread = &t->worker->thread;
  if (port->cycle < port->machine->cycle) port->cycle = port->machine->cycle;
  t->worker->process = t->process;
  port->thread = thread;
  port_set_position(port, thread->position);
  thread->port = port;
  disk->working = true;
  if (watcher && watcher->enter) watcher->enter(port);
}

static void finish(struct disk *disk, struct transfer *t) {
  struct port *port = &disk->port;
  const struct watcher *watcher = port->machine->watcher;
  if (watcher && watcher->leave) watcher->leave(port, LEAVE_BLOCKED);
  t->worker->thread.position = port->position;
  t->worker->thread.port = NULL;
  port->thread = NULL;
  port->stop = UINT64_MAX;
  disk->working = false;
  disk->first = t->next;
  if (!disk->first) disk->last = NULL;
  t->over = true;
  if (t->asker)
    wake_one(t->asker, 0);
  else
    free(t);
  if (disk->first) machine_at(port->machine, port->cycle + 1, proceed, disk, 0);
}

/* True: done; false: the port waits and proceeds when it is woken. */
static bool try_access(struct disk *disk, struct access *a) {
  struct port *port = &disk->port;
  bool open = port->position < port->stop || port->machine->watcher->gate(port);
  if (open && port->machine->system->access(port, a) == ACCESS_DONE) return true;
  port->waiting = true;
  return false;
}

/* The word of the request; the lines of the transfer, one after the other; then the word that says so, then (with store buffers) until all of it is visible. */
static void proceed(struct machine *machine, void *object, uint64_t argument) {
  struct disk *disk = object;
  struct transfer *t = disk->first;
  struct port *port = &disk->port;
  (void)argument;
  if (!t || port->waiting) return;
  if (!disk->working) begin(disk, t);
  struct access a = {.kind = ACCESS_STORE, .kernel = true};
  uint64_t word = t->count;
  if (!t->begun) {
    a.kind = ACCESS_LOAD;
    a.vaddr = REQUEST_WORD;
    a.size = sizeof word;
    a.data = &word;
  } else if (t->done < t->count) {
    uint64_t room = LINE_BYTES - (t->to + t->done) % LINE_BYTES, left = t->count - t->done;
    a.vaddr = t->to + t->done;
    a.size = (uint8_t)(left < room ? left : room);
    a.data = (void *)(t->bytes + t->done);
  } else {
    a.vaddr = DONE_WORD;
    a.size = sizeof word;
    a.data = &word;
  }
  if (t->done > t->count) a = (struct access){.kind = ACCESS_FENCE};
  struct space *space = t->process->space;
  if (!space) {
    kernel_fail(machine->kernel, 121,
                "the recording is damaged: a process ends before the disk has stored what it reads");
    return;
  }
  if (a.kind != ACCESS_FENCE) {
    if (space_translate(space, a.vaddr, PAGE_WRITE) == SPACE_FAULT &&
        !space_touch(space, a.vaddr, PAGE_WRITE)) {
      t->result = -EFAULT;
      t->done = t->count;
      machine_at(machine, port->cycle + 1, proceed, disk, 0);
      return;
    }
    a.paddr = space_translate(space, a.vaddr, PAGE_WRITE);
  }
  if (!try_access(disk, &a)) return;
  if (a.kind == ACCESS_FENCE) {
    finish(disk, t);
    return;
  }
  port->position++;
  machine->kernel->count.dma_lines++;
  if (t->begun) t->done += t->done < t->count ? a.size : 1;
  t->begun = true;
  uint32_t rate = machine->config.disk_rate;
  uint64_t line_cycles = rate ? (uint64_t)LINE_BYTES * machine->config.clock_mhz / rate : 0;
  machine_at(machine, port->cycle + line_cycles, proceed, disk, 0);
}

/* -- Those who ask ----------------------------------------------------------------------------------------------------------- */

int64_t disk_transfer(struct task *task, uint64_t to, const uint8_t *bytes, uint64_t count) {
  struct machine *machine = kernel_of(task)->machine;
  struct sphere *sphere = task->thread.sphere;
  uint64_t word = task->thread.tid;
  copy_in(task, REQUEST_WORD, &word, sizeof word);
  /* Chosen after the access, which may wait while other threads are born. */
  uint32_t number = sphere->device ? sphere->device->thread.number : sphere->threads, tid = 0;
  input_child(task, &number, &tid);
  if (!input_has_room(task, number)) return -EIO;
  struct task *worker = worker_of(task, number);
  struct transfer transfer = {.worker = worker,
                              .asker = task,
                              .process = task->process,
                              .bytes = bytes,
                              .to = to,
                              .count = count,
                              .result = (int64_t)count};
  input_transfer(worker, task->thread.tid, to, bytes, count);
  enqueue(machine, &transfer, machine->config.disk_cycles);
  while (!transfer.over) wait_on(task, NULL, UINT64_MAX, false);
  input_interrupt(task);
  copy_out(task, &word, DONE_WORD, sizeof word);
  return transfer.result;
}

/* The transfers of a recording take place in its order; each when its task has come to ask for it. */
static void start_replay(struct task *worker) {
  uint64_t tid, to, count;
  const uint8_t *bytes;
  struct kernel *kernel = kernel_of(worker);
  while (input_next_transfer(worker, &tid)) {
    struct task *asker = find_task(kernel, (uint32_t)tid);
    if (!asker || !asker->disk_kicks) return;
    asker->disk_kicks--;
    if (!input_take_transfer(worker, &to, &bytes, &count)) return;
    struct transfer *transfer = calloc(1, sizeof *transfer);
    CHECK(transfer, "no memory for the disk");
    *transfer = (struct transfer){
        .worker = worker, .process = asker->process, .bytes = bytes, .to = to, .count = count};
    enqueue(kernel->machine, transfer, 1);
  }
}

void disk_replay(struct task *task, uint32_t number) {
  if (!input_has_room(task, number)) return;
  task->disk_kicks++;
  start_replay(worker_of(task, number));
}
