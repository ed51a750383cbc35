/* checkpoint_vessel.c: copies of a replaying process. See contract/region_checkpoint.h; region/rest.c says when one is made.
 *
 * A vessel is a fork of the process, made by one thread while all others rest. It lets go of the region, so that the run it comes from can end without it, and
 * waits for the manager at its channel. Whenever the manager sends it another region it forks a runner. The forking thread goes on there from
 * where it made the vessel; the others are made again, on their copied stacks, and return from where they rest (arch_mark). Shared memory (without
 * a file, or of files that change) is mapped again from the copies that the manager sends.
 *
 * When the manager closes the channel, or is killed, the vessel ends. It needs nothing that confinement denies (border/confine.c). */
#include "engine/threads/checkpoint_vessel.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uio.h>

#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/file_state.h"
#include "engine/border/sphere.h"
#include "engine/code/cache.h"
#include "engine/memory/maps.h"
#include "engine/region/rest.h"
#include "engine/order/rthreads.h"
#include "engine/signals/signal_state.h"
#include "engine/signals/signals.h"
#include "engine/threads/diversion.h"
#include "engine/threads/live_vessel.h"
#include "engine/threads/threads.h"
#include "engine/view/descriptors.h"
#include "engine/view/vdso.h"

/* -- The channel ------------------------------------------------------------------------------------------------------------- */

enum { FILE_REGION, FILE_SOCKET, FILES_FIRST };
struct parcel {
  struct vessel_message message;
  int files[FILES_FIRST + VESSEL_OBJECTS];
  unsigned count; /* of files */
};

struct control {
  size_t length;
  int level, type;
  int files[FILES_FIRST + VESSEL_OBJECTS];
};

/* Receives a message; one without files only asks whether the vessel waits here. Ends the vessel when the channel has no sender any more. */
static void receive(struct parcel *parcel) {
  static struct control control;
  struct iovec part = {&parcel->message, sizeof parcel->message};
  struct kernel_message header = {
      .parts = &part, .part_count = 1, .control = &control, .control_length = sizeof control};
  long n;
  do {
    header.control_length = sizeof control;
    n = os_call3(__NR_recvmsg, engine_fd + FD_SOCKET, &header, 0);
  } while (n == -EINTR || (n > 0 && !header.control_length));
  if (n <= 0) os_call1(__NR_exit_group, 0);
  parcel->count = (unsigned)((control.length - offsetof(struct control, files)) / sizeof *control.files);
  memcpy(parcel->files, control.files, parcel->count * sizeof *control.files);
  CHECK(n == sizeof parcel->message && parcel->count == parcel->message.objects + FILES_FIRST);
}

static void close_files(const struct parcel *parcel) {
  for (unsigned i = 0; i < parcel->count; i++) os_call1(__NR_close, parcel->files[i]);
}

/* -- Shared memory --------------------------------------------------------------------------------------------------------- */

static int file_of(const struct parcel *parcel, uint64_t inode) {
  for (unsigned i = 0; i < parcel->message.objects; i++)
    if (parcel->message.object[i].inode == inode) return parcel->files[FILES_FIRST + i];
  return -1;
}

static bool is_application(const struct maps_line *line) {
  return line->header && (line->end <= ENGINE_BASE || line->start >= ENGINE_END);
}

/* Copies the pages of a private mapping that were written since it was made: all others are the file's. */
static void copy_written(uintptr_t from, uintptr_t end, uintptr_t to) {
  enum { ENTRIES = 64 };
  const uint64_t there = 3UL << 62 /* in memory, or swapped out */, of_file = 1UL << 61;
  long pages = os_call4(__NR_openat, AT_FDCWD, own_pagemap, O_RDONLY | O_CLOEXEC, 0);
  if (os_failed(pages)) sphere_fail(OUTCOME_FAILED, "can't see which pages were written (error %ld)", -pages);
  for (uintptr_t at = from; at < end; at += ENTRIES * PAGE) {
    uint64_t entries[ENTRIES];
    size_t count = MIN(ENTRIES, (end - at) / PAGE);
    long n = os_call4(__NR_pread64, pages, entries, count * sizeof *entries, at / PAGE * sizeof *entries);
    CHECK(n == (long)(count * sizeof *entries));
    for (size_t i = 0; i < count; i++)
      if (entries[i] & there && !(entries[i] & of_file))
        memcpy((void *)(to + (at - from) + i * PAGE), (const void *)(at + i * PAGE), PAGE);
  }
  os_call1(__NR_close, pages);
}

static _Noreturn void fail_mapping(uintptr_t at, long error) {
  sphere_fail(OUTCOME_FAILED, "can't map the memory at %lx once more (error %ld)", at, -error);
}

/* The mapping takes the place of the old one when it has all of its pages. */
static void map_private(const struct maps_line *line, const struct maps_file *file, int fd) {
  size_t bytes = line->end - line->start;
  long made =
      os_call6(__NR_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, file->offset);
  if (os_failed(made)) fail_mapping(line->start, made);
  if (!(file->protection & PROT_READ)) os_call3(__NR_mprotect, line->start, bytes, PROT_READ);
  copy_written(line->start, line->end, (uintptr_t)made);
  long result = os_call3(__NR_mprotect, made, bytes, file->protection);
  if (!result) result = os_call5(__NR_mremap, made, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, line->start);
  if (os_failed(result)) fail_mapping(line->start, result);
}

/* The manager's copy takes the place of a file that changes, or of memory that is shared. Known limit: from then on the program can make it writable. */
static void map_copy(const struct maps_line *line, void *context) {
  if (!is_application(line)) return;
  struct maps_file file = maps_file(line);
  int fd = file.inode ? file_of(context, file.inode) : -1;
  if (fd < 0 && file.shared && file.protection & PROT_WRITE)
    sphere_fail(OUTCOME_FAILED, "the shared memory at %lx is not in the checkpoint", line->start);
  if (fd < 0) return;
  if (!file.shared) {
    map_private(line, &file, fd);
    return;
  }
  long at = os_call6(__NR_mmap, line->start, line->end - line->start, file.protection, MAP_SHARED | MAP_FIXED,
                     fd, file.offset);
  if (os_failed(at)) fail_mapping(line->start, at);
}

/* -- Runners --------------------------------------------------------------------------------------------------------------- */

/* A thread of the runner has arrived. The last one lets all of them go. */
void vessel_arrive(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  struct region_checkpoint *checkpoint = &region->checkpoint;
  rthread->pid = (int32_t)os_call0(__NR_getpid);
  rthread->tid = (int32_t)os_call0(__NR_gettid);
  rthread->former = 0;
  thread->region_lock.id = (uint32_t)rthread->tid;
  if (atomic_fetch_sub(&checkpoint->missing, 1) > 1) return;
  atomic_store(&checkpoint->freezes, 0);
  region_wake(&checkpoint->freezes, INT32_MAX);
  region_doorbell();
}

static void resumed(struct thread *thread) {
  signals_init_thread(thread);
  kernel_set_mask(thread->rest_mask);
  vessel_arrive(thread);
}

static void make_threads(struct thread *self) {
  enum {
    FLAGS = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
            CLONE_CHILD_CLEARTID
  };
  for (struct thread *thread = threads; thread; thread = thread->next) {
    if (thread == self) continue;
    CHECK(atomic_load(&thread->rthread->checkpoint.at_rest));
    long tid = arch_clone_marked(thread->mark, FLAGS, (int *)&thread->kernel_tid);
    if (os_failed(tid))
      sphere_fail(OUTCOME_FAILED, "can't make the threads of a checkpoint (error %ld)", -tid);
    thread->kernel_tid = (int)tid;
  }
}

static void become_runner(struct thread *thread, struct parcel *parcel) {
  os_call3(__NR_dup3, parcel->files[FILE_REGION], engine_fd + FD_REGION, 0);
  os_call3(__NR_dup3, parcel->files[FILE_SOCKET], engine_fd + FD_SOCKET, 0);
  region_attach_again();
  maps_visit(own_first_maps, map_copy, parcel);
  close_files(parcel);
  thread->kernel_tid = (int)os_call1(__NR_set_tid_address, &thread->kernel_tid);
  threads_forget_ended();
  make_threads(thread);
  vessel_arrive(thread);
}

/* -- Vessels --------------------------------------------------------------------------------------------------------------- */

long vessel_copy_process(struct thread *thread) {
  cache_before_fork();
  process_lock_all(thread);
  long pid = os_call5(__NR_clone, SIGCHLD, 0, 0, 0, 0);
  process_unlock_all(thread, false);
  cache_after_fork(pid == 0);
  return pid;
}

/* A vessel was stored, and this is another process with its memory: the kernel does not know yet what the engine relies on. The thread is the calling one;
 * all others are made in runners. */
static void begin_again(struct thread *thread, uint64_t mask) {
  if (recording()) live_becomes_replay();
  descriptor_keeps_no_program();
  vdso_forget();
  cache_begin_again();
  signals_begin_again(thread);
  kernel_set_mask(mask);
  os_call2(__NR_prctl, PR_SET_NAME, config.comm);
}

struct arch_mark *vessel_mark;

/* Returns in runners only. */
static void await_manager(struct thread *thread) {
  static struct parcel parcel;
  for (;;) {
    receive(&parcel);
    long pid = vessel_copy_process(thread);
    if (!pid) break;
    close_files(&parcel);
    if (os_failed(pid)) os_call1(__NR_exit_group, 1); /* the end of the channel tells the manager */
  }
  become_runner(thread, &parcel);
}

void vessel_wait(struct thread *thread, void (*await)(struct thread *thread)) {
  struct arch_mark mark;
  uint64_t mask;
  os_call4(__NR_rt_sigprocmask, SIG_SETMASK, 0, &mask, sizeof mask);
  /* cppcheck-suppress autoVariables ; as long as the vessel waits */
  vessel_mark = &mark;
  bool restored = arch_mark(&mark);
  if (restored) begin_again(thread, mask);
  if (restored || !await)
    await_manager(thread);
  else
    await(thread);
}

static void become_vessel(struct thread *thread, int channel) {
  os_call3(__NR_dup3, channel, engine_fd + FD_SOCKET, 0);
  region_detach();
  os_call3(__NR_dup3, channel, engine_fd + FD_REGION, 0);
  os_call1(__NR_close, channel);
  vessel_wait(thread, NULL);
}

static bool make(struct thread *thread) {
  int channel = region_ask_file(REQUEST_CHANNEL, thread->rthread->process);
  if (channel < 0) sphere_fail(OUTCOME_FAILED, "no channel for a checkpoint (error %d)", -channel);
  long pid = vessel_copy_process(thread);
  if (!pid) {
    become_vessel(thread, channel);
    return true;
  }
  if (os_failed(pid))
    sphere_fail(OUTCOME_FAILED, "no process can be made for a checkpoint (error %ld)", -pid);
  os_call1(__NR_close, channel);
  thread->rthread->checkpoint.vessel = (int32_t)pid;
  return false;
}

void vessel_init(void) {
  static const struct vessel_maker maker = {make,           resumed,          process_is_alone,
                                            diversion_make, live_make_vessel, live_resumed};
  vessel_maker = &maker;
}
