/* checkpoint.c: see checkpoint.h. An image is the structures below, one after the other, compressed as a whole. */
#include "sim/recorders/checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "order/order.h"
#include "sim/kernel/calls.h"
#include "sim/caches/caches.h"
#include "sim/machine/check.h"
#include "sim/kernel/input_log.h"
#include "sim/kernel/mapped_files.h"
#include "sim/kernel/shared_memory.h"
#include "sim/recorders/watch.h"

enum { A7 = 17, IMAGE_LARGEST = 1 << 30 };

struct saved_sphere {
  uint64_t register_digest, memory_digest;
  uint32_t threads, next_tid; /* R-threads so far; the kernel's next number */
  uint32_t live, regions;
  uint64_t pages;
  uint32_t pid, parent;
  uint64_t brk_start, brk, mapping_top;
  struct signal_action actions[SIGNALS + 1];
};

struct saved_region {
  uint64_t start, end, flags;
};

struct saved_page {
  uint64_t vaddr, entry; /* in an image the page's bytes follow, and of the entry only its flags count */
};

struct saved_thread {
  uint32_t number, tid;
  uint32_t in_call, split, restore_blocked, unused;
  uint64_t position, input; /* input: so much of its input log was written */
  uint64_t split_bytes, reservation;
  uint64_t blocked, saved_blocked, alternate_start, alternate_bytes, clear_tid, robust_list;
  struct registers registers;
};

/* A checkpoint: what was noted when its interval began. */
struct noted {
  uint32_t number; /* of the interval; 0: none */
  struct saved_sphere sphere;
  struct process *process;
  struct saved_region *regions;
  struct saved_page *pages;
  struct saved_thread *threads;
};

struct checkpoints {
  struct noted noted[CHECKPOINTS_KEPT + 1];
  uint8_t *image;
  size_t image_bytes;
};

static void release(struct noted *noted) {
  free(noted->regions);
  free(noted->pages);
  free(noted->threads);
  *noted = (struct noted){0};
}

void checkpoints_free(struct sphere *sphere) {
  struct checkpoints *checkpoints = sphere->checkpoints;
  if (!checkpoints) return;
  for (int n = 0; n <= CHECKPOINTS_KEPT; n++) release(&checkpoints->noted[n]);
  free(checkpoints->image);
  free(checkpoints);
  sphere->checkpoints = NULL;
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  CHECK(memory, "no memory for a checkpoint");
  return memory;
}

/* -- Noting ------------------------------------------------------------------------------------------------------------ */

/* In a call that a replay follows in the log, where it waits or is about to go on: nothing of it is half done. */
static bool waits_in_call(struct task *task) {
  return task->state != TASK_RUNNING && call_is_followed(task_registers(task)->x[A7]);
}

static bool is_quiet(const struct process *process) {
  for (struct task *task = process->tasks; task; task = task->next)
    if (task->state != TASK_DEAD && task->in_kernel && !waits_in_call(task)) return false;
  return true;
}

static void note_page(void *context, uint64_t vaddr, uint64_t entry) {
  struct noted *noted = context;
  noted->pages[noted->sphere.pages++] = (struct saved_page){vaddr, entry};
}

static uint64_t page_of_entry(uint64_t entry) {
  return entry & ~(uint64_t)(PAGE_BYTES - 1);
}

/* A reservation is of a physical line; the replay's pages are others. */
static uint64_t virtual_line(const struct noted *noted, uint64_t paddr) {
  for (uint64_t n = 0; paddr != FAST_NONE && n < noted->sphere.pages; n++)
    if (page_of_entry(noted->pages[n].entry) == page_of_entry(paddr))
      return noted->pages[n].vaddr + paddr % PAGE_BYTES;
  return FAST_NONE;
}

static void note_thread(struct noted *noted, struct task *task) {
  const struct thread *thread = &task->thread;
  const struct port *port = thread->port;
  const struct hart *hart = port ? hart_of(task) : NULL;
  noted->threads[noted->sphere.live++] = (struct saved_thread){
      .number = thread->number,
      .tid = thread->tid,
      .in_call = task->in_kernel,
      .split = hart ? hart->split : thread->split,
      .restore_blocked = task->restore_blocked,
      .position = port ? port->position : thread->position,
      .input = input_written(task),
      .split_bytes = hart ? hart->split_bytes : thread->split_bytes,
      .reservation = virtual_line(noted, port ? port->reservation : thread->reservation),
      .blocked = task->blocked,
      .saved_blocked = task->saved_blocked,
      .alternate_start = task->alternate_start,
      .alternate_bytes = task->alternate_bytes,
      .clear_tid = task->clear_tid,
      .robust_list = task->robust_list,
      .registers = *task_registers(task),
  };
}

static void note(struct noted *noted, struct process *process, uint32_t number) {
  const struct sphere *sphere = process->sphere;
  const struct space *space = process->space;
  uint32_t regions = 0, tasks = 0;
  for (const struct region *r = space->regions; r; r = r->next) regions++;
  for (struct task *task = process->tasks; task; task = task->next) tasks++;
  release(noted);
  noted->number = number;
  noted->process = process;
  noted->regions = allocate(regions, sizeof *noted->regions);
  noted->pages = allocate(space->pages, sizeof *noted->pages);
  noted->threads = allocate(tasks, sizeof *noted->threads);
  noted->sphere = (struct saved_sphere){.register_digest = sphere->register_digest,
                                        .memory_digest = sphere->memory_digest,
                                        .threads = sphere->threads,
                                        .next_tid = process->kernel->next_tid,
                                        .pid = process->pid,
                                        .parent = process->parent,
                                        .brk_start = space->brk_start,
                                        .brk = space->brk,
                                        .mapping_top = space->mapping_top};
  memcpy(noted->sphere.actions, process->actions, sizeof process->actions);
  for (const struct region *r = space->regions; r; r = r->next)
    noted->regions[noted->sphere.regions++] = (struct saved_region){r->start, r->end, r->flags};
  space_each_page(space, note_page, noted);
  for (struct task *task = process->tasks; task; task = task->next)
    if (task->state != TASK_DEAD) note_thread(noted, task);
}

/* The sphere's process, if there is just one. */
static struct process *only_process(const struct kernel *kernel, const struct sphere *sphere) {
  struct process *found = NULL;
  for (struct process *process = kernel->processes; process; process = process->next) {
    if (process->sphere != sphere || process->zombie) continue;
    if (found) return NULL;
    found = process;
  }
  bool shares = shared_memory_is_used(kernel, sphere) || mapped_files_are_used(kernel, sphere);
  return found && !found->exiting && !sphere->device && !shares ? found : NULL;
}

/* An interval would begin now. False: it can't yet. */
static bool interval_begins(struct machine *machine, uint32_t number) {
  const struct kernel *kernel = machine->kernel;
  if (machine->config.tso) return true; /* stores that are on their way would have to be noted too */
  for (uint32_t n = 0; n < kernel->sphere_count; n++) {
    struct process *process =
        kernel->spheres[n]->mode == SPHERE_RECORD ? only_process(kernel, kernel->spheres[n]) : NULL;
    if (process && !is_quiet(process)) return false;
  }
  for (uint32_t n = 0; n < kernel->sphere_count; n++) {
    struct sphere *sphere = kernel->spheres[n];
    struct process *process = sphere->mode == SPHERE_RECORD ? only_process(kernel, sphere) : NULL;
    if (!process) continue;
    if (!sphere->checkpoints) sphere->checkpoints = allocate(1, sizeof(struct checkpoints));
    struct checkpoints *checkpoints = sphere->checkpoints;
    note(&checkpoints->noted[number % (CHECKPOINTS_KEPT + 1)], process, number);
  }
  return true;
}

/* -- Keeping ------------------------------------------------------------------------------------------------------------- */

struct old_memory {
  const struct noted *noted;
  uint8_t *bytes; /* of the noted pages, in their order */
};

static void put_back(void *context, uint64_t block, const uint8_t *bytes) {
  const struct old_memory *memory = context;
  for (uint64_t n = 0; n < memory->noted->sphere.pages; n++)
    if (page_of_entry(memory->noted->pages[n].entry) == page_of_entry(block))
      memcpy(memory->bytes + n * PAGE_BYTES + block % PAGE_BYTES, bytes, LINE_BYTES);
}

static struct noted *oldest(struct checkpoints *checkpoints, const struct process *process,
                            uint32_t first_kept) {
  struct noted *found = NULL;
  for (int n = 0; n <= CHECKPOINTS_KEPT; n++) {
    struct noted *noted = &checkpoints->noted[n];
    if (noted->process != process || noted->number < first_kept) continue;
    if (!found || noted->number < found->number) found = noted;
  }
  return found;
}

static void add(uint8_t **at, const void *bytes, size_t count) {
  memcpy(*at, bytes, count);
  *at += count;
}

static void make_image(struct checkpoints *checkpoints, const struct noted *noted, const uint8_t *pages) {
  const struct saved_sphere *sphere = &noted->sphere;
  size_t raw = sizeof *sphere + sphere->regions * sizeof *noted->regions +
               sphere->live * sizeof *noted->threads + sphere->pages * (sizeof *noted->pages + PAGE_BYTES);
  uint8_t *bytes = allocate(raw, 1), *at = bytes;
  add(&at, sphere, sizeof *sphere);
  add(&at, noted->regions, sphere->regions * sizeof *noted->regions);
  add(&at, noted->threads, sphere->live * sizeof *noted->threads);
  for (uint64_t n = 0; n < sphere->pages; n++) {
    add(&at, &noted->pages[n], sizeof *noted->pages);
    add(&at, pages + n * PAGE_BYTES, PAGE_BYTES);
  }
  size_t room = ZSTD_compressBound(raw);
  checkpoints->image = allocate(room, 1);
  checkpoints->image_bytes = ZSTD_compress(checkpoints->image, room, bytes, raw, 1);
  CHECK(!ZSTD_isError(checkpoints->image_bytes), "%s", ZSTD_getErrorName(checkpoints->image_bytes));
  free(bytes);
}

/* The process is about to end. */
static void keep_oldest(struct process *process) {
  struct machine *machine = process->kernel->machine;
  struct checkpoints *checkpoints = process->sphere->checkpoints;
  if (!checkpoints || checkpoints->image) return;
  struct checkpoint_log *log = caches_of(machine)->checkpoints;
  const struct noted *noted = oldest(checkpoints, process, checkpoint_log_first(log));
  if (!noted) return;
  struct old_memory memory = {noted, allocate(noted->sphere.pages, PAGE_BYTES)};
  for (uint64_t n = 0; n < noted->sphere.pages; n++)
    memcpy(memory.bytes + n * PAGE_BYTES, machine_ram(machine, page_of_entry(noted->pages[n].entry)),
           PAGE_BYTES);
  checkpoint_log_each(log, noted->number, put_back, &memory);
  make_image(checkpoints, noted, memory.bytes);
  free(memory.bytes);
}

/* -- Beginning ----------------------------------------------------------------------------------------------------------- */

void checkpoints_begin(struct machine *machine) {
  struct checkpoint_log *log = machine->config.flat ? NULL : caches_of(machine)->checkpoints;
  if (!log) return;
  checkpoint_log_ask(log, interval_begins);
  machine->kernel->ending = keep_oldest;
}

const uint8_t *checkpoints_image(const struct sphere *sphere, size_t *count) {
  const struct checkpoints *checkpoints = sphere->checkpoints;
  *count = checkpoints ? checkpoints->image_bytes : 0;
  return *count ? checkpoints->image : NULL;
}

/* -- Going on from one -------------------------------------------------------------------------------------------------------- */

struct image {
  const uint8_t *at;
  size_t left;
};

static bool take(struct image *image, void *to, size_t count) {
  if (image->left < count) return false;
  memcpy(to, image->at, count);
  image->at += count;
  image->left -= count;
  return true;
}

static bool map_regions(struct space *space, struct image *image, uint32_t count) {
  struct saved_region region;
  for (; count; count--) {
    if (!take(image, &region, sizeof region)) return false;
    bool whole = (region.start | region.end) % PAGE_BYTES == 0;
    if (!whole || region.start >= region.end || region.end > SPACE_END) return false;
    if (!space_map(space, region.start, region.end - region.start, region.flags & 31)) return false;
  }
  return true;
}

static bool fill_pages(struct space *space, struct image *image, uint64_t count) {
  struct saved_page page;
  for (; count; count--) {
    if (!take(image, &page, sizeof page) || page.vaddr % PAGE_BYTES) return false;
    if (space_translate(space, page.vaddr, 0) != SPACE_FAULT) return false;
    uint8_t *bytes = space_add_page(space, page.vaddr, (unsigned)(page.entry & 31));
    if (!bytes || !take(image, bytes, PAGE_BYTES)) return false;
  }
  return true;
}

static bool set_up_thread(struct process *process, const struct saved_thread *saved) {
  struct machine *machine = process->kernel->machine;
  if (saved->number >= process->sphere->threads) return false;
  struct task *task = task_new(process, NULL);
  task->thread.number = saved->number;
  task->thread.tid = saved->tid;
  task->thread.position = saved->position;
  task->thread.split = saved->split;
  task->thread.split_bytes = saved->split_bytes;
  if (saved->reservation != FAST_NONE)
    thread_park(machine, &task->thread, space_translate(process->space, saved->reservation, PAGE_READ));
  task->thread.registers = saved->registers;
  task->thread.registers.x[0] = 0;
  task->blocked = saved->blocked;
  task->saved_blocked = saved->saved_blocked;
  task->restore_blocked = saved->restore_blocked;
  task->alternate_start = saved->alternate_start;
  task->alternate_bytes = saved->alternate_bytes;
  task->clear_tid = saved->clear_tid;
  task->robust_list = saved->robust_list;
  process->kernel->count.instructions -= saved->position; /* was not executed here */
  if (machine->watcher && machine->watcher->born) machine->watcher->born(machine, NULL, &task->thread);
  if (saved->in_call) kernel_go_on(task);
  task_start(task);
  return input_skip(task, saved->input);
}

/* Those of the sphere's threads that are not there any more. False: one is there twice. */
static bool note_ended(struct machine *machine, struct sphere *sphere, struct image threads, uint32_t live) {
  struct saved_thread saved;
  bool lives[ORDER_SLOTS] = {false};
  for (; live && take(&threads, &saved, sizeof saved); live--) {
    if (saved.number >= ORDER_SLOTS || lives[saved.number]) return false;
    lives[saved.number] = true;
  }
  for (uint32_t slot = 0; slot < sphere->threads; slot++)
    if (!lives[slot]) replayer_ended(machine, sphere, slot);
  return true;
}

static bool set_up_threads(struct process *process, struct image *threads, uint32_t count) {
  struct saved_thread saved;
  for (; count; count--)
    if (!take(threads, &saved, sizeof saved) || !set_up_thread(process, &saved)) return false;
  return true;
}

static struct process *build(struct kernel *kernel, struct sphere *sphere, struct image *image) {
  struct saved_sphere saved;
  if (!take(image, &saved, sizeof saved) || !saved.live || saved.live > MAX_TASKS) return NULL;
  if (saved.threads > ORDER_SLOTS || image->left / sizeof(struct saved_region) < saved.regions) return NULL;
  struct space *space = space_new(kernel->machine);
  struct process *process = process_new(kernel, sphere, space, saved.parent);
  CHECK(space, "no memory for an address space");
  process->pid = saved.pid;
  process->path = strdup("the recorded program");
  memcpy(process->actions, saved.actions, sizeof process->actions);
  files_begin(process);
  space->brk_start = saved.brk_start;
  space->brk = saved.brk;
  space->mapping_top = saved.mapping_top;
  sphere->register_digest = saved.register_digest;
  sphere->memory_digest = saved.memory_digest;
  sphere->threads = saved.threads;
  if (kernel->next_tid < saved.next_tid) kernel->next_tid = saved.next_tid;
  if (!map_regions(space, image, saved.regions)) return NULL;
  struct image threads = *image;
  size_t skipped = saved.live * sizeof(struct saved_thread);
  if (image->left < skipped) return NULL;
  image->at += skipped;
  image->left -= skipped;
  if (!fill_pages(space, image, saved.pages)) return NULL;
  if (!note_ended(kernel->machine, sphere, threads, saved.live)) return NULL;
  return set_up_threads(process, &threads, saved.live) ? process : NULL;
}

struct process *checkpoint_start(struct kernel *kernel, struct sphere *sphere, const uint8_t *image,
                                 size_t count) {
  unsigned long long raw = ZSTD_getFrameContentSize(image, count);
  uint8_t *memory = raw < IMAGE_LARGEST ? malloc(raw + 1) : NULL;
  struct process *process = NULL;
  if (memory && ZSTD_decompress(memory, raw, image, count) == raw) {
    struct image parts = {memory, raw};
    process = build(kernel, sphere, &parts);
  }
  free(memory);
  if (!process) kernel_fail(kernel, 121, "the recording is damaged: its checkpoint can't be read");
  return process;
}
