/* sphere.c: how programs, threads and processes of a sphere begin and end, in recording and replay. See sphere.h. */
#include "engine/border/sphere.h"

#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/slots.h"
#include "engine/border/objects.h"
#include "engine/border/thread_words.h"
#include "engine/code/code.h"
#include "engine/memory/mappings.h"
#include "engine/memory/verify.h"
#include "engine/order/baton.h"
#include "engine/order/open_blocks.h"
#include "engine/order/sync.h"
#include "engine/order/serial.h"
#include "engine/order/shared.h"
#include "engine/order/stops.h"
#include "engine/order/thread_order.h"
#include "engine/region/debug.h"
#include "engine/region/sent_signals.h"
#include "engine/region/turns.h"
#include "engine/signals/signals.h"
#include "engine/turns/turn_tables.h"
#include "input/digest.h"

/* -- Calls as both sides see them ---------------------------------------------------------------------------------------- */

void call_leave_if_killed(struct thread *thread, const struct call *call) {
  if (call_sends_itself(thread, call) != SIGKILL) return;
  thread_leave_robust_list(thread);
  process_announce_end(thread);
}

uint64_t digest_memory(uint64_t digest, uintptr_t address, size_t bytes) {
  uint8_t buffer[1024];
  for (size_t done = 0; done < bytes;) {
    size_t part = MIN(sizeof buffer, bytes - done);
    if (safe_copy(buffer, (const void *)(address + done), part)) break;
    digest = input_digest(digest, buffer, part);
    done += part;
  }
  return digest;
}

static long digest_piece(void *visitor, const struct input_piece *piece) {
  uint64_t *digest = visitor;
  *digest = digest_memory(*digest, piece->address, piece->bytes);
  return 0;
}

uint64_t call_digest(struct input_call *call) {
  uint64_t digest = 0;
  input_outgoing(call, digest_piece, &digest);
  return digest;
}

long sphere_call(struct thread *thread, const struct call *call,
                 long (*perform)(struct thread *, const struct call *)) {
  return recording() ? record_call(thread, call, perform) : replay_call(thread, call, perform);
}

void sphere_safepoint(struct thread *thread) {
  if (replaying())
    replay_safepoint(thread);
  else
    turns->safepoint(thread);
}

/* -- Programs ---------------------------------------------------------------------------------------------------------------- */

static void set_ids(struct thread *thread) {
  thread->rthread->pid = (int32_t)os_call0(__NR_getpid);
  thread->rthread->tid = (int32_t)os_call0(__NR_gettid);
  thread->rthread->former = 0;
  thread->rthread->context = (uintptr_t)thread;
  thread->region_lock.id = (uint32_t)thread->rthread->tid;
}

/* The first process of all. */
static void found_sphere(struct thread *thread) {
  thread->rthread = rthread_make(0, NULL);
  thread->number = thread->rthread->number;
  thread->rthread->process = region->processes++;
  set_ids(thread);
  atomic_store(&thread->rthread->turn, 1);
  if (replaying()) {
    atomic_store(&region->holder, slot_of(thread->rthread) + 1);
    turns->found(thread);
    serial_found(thread->rthread);
    const struct input_event *event = replay_expect(thread, EVENT_PROCESS, "a new process");
    thread->tid = thread->process->pid = (int)event->process.id;
    replay_consume(thread);
  } else {
    turns->found(thread);
    atomic_store(&thread->rthread->turn, 0);
    output_identify();
    verify_found();
    struct input_event event = {.kind = EVENT_PROCESS,
                                .process = {.id = (uint32_t)thread->tid, .thread = thread->rthread->number}};
    record_event(thread, &event);
  }
}

void sphere_start(struct thread *thread) {
  region_attach();
  turns_choose();
  open_start();
  sync_start();
  arch_set_position(thread, 0);
  memcpy(thread->process->output_roles, config.output_roles, sizeof config.output_roles);
  if (config.first) {
    found_sphere(thread);
    return;
  }
  thread->rthread = &region->slots[config.slot];
  thread->rthread->programs++;
  thread->number = thread->rthread->number;
  set_ids(thread);
  arch_set_position(thread, thread->rthread->ring.position);
  memory_forget_written(thread->rthread->pid);
  turns->rejoin(thread);
  if (!replaying()) return;
  /* After an execve the process keeps its id. */
  thread->tid = thread->process->pid = thread->rthread->replay.seen_id;
}

void sphere_begin_program(struct thread *thread) {
  open_forget(thread);
  arch_set_position(thread, thread->rthread->ring.position);
  arch_request(thread); /* for requests made meanwhile */
  turns->begin_program(thread);
  if (replaying()) replay_arm(thread);
}

void sphere_mapped_image(struct thread *thread, int fd, uintptr_t address, size_t bytes) {
  struct input_event event = {.kind = EVENT_FILE,
                              .file = {.file = record_file(thread, fd), .address = address, .bytes = bytes}};
  record_event(thread, &event);
}

int sphere_next_image(struct thread *thread, uintptr_t *address) {
  const struct input_event *event = replay_expect(thread, EVENT_FILE, "loading a program");
  *address = event->file.address;
  int fd = objects_open(event->file.file, false);
  replay_consume(thread);
  return fd;
}

/* A copy-in of the last bytes, which are always zero, tells where the stack ends. */
uintptr_t sphere_stack_top(struct thread *thread, uintptr_t top) {
  static const uint8_t end[8];
  if (recording()) {
    record_copy_in(thread, top - sizeof end, end, sizeof end);
    return top;
  }
  const struct input_event *event = replay_expect(thread, EVENT_COPY_IN, "the end of the stack");
  uintptr_t recorded = event->copy_in.address + event->copy_in.count;
  if (recorded > USER_END) replay_senseless(thread, "the stack ends where no program has memory");
  replay_consume(thread);
  return recorded;
}

uintptr_t sphere_stack(struct thread *thread, uintptr_t sp, uintptr_t top) {
  if (recording()) {
    record_copy_in(thread, sp, (const void *)sp, top - sp);
    return sp;
  }
  sp = replay_expect(thread, EVENT_COPY_IN, "the initial stack")->copy_in.address;
  if (sp > top) replay_senseless(thread, "the initial stack lies elsewhere");
  replay_copy_ins(thread);
  return sp;
}

/* -- Threads and processes ------------------------------------------------------------------------------------------------------ */

static void expect_birth(struct thread *thread, struct rthread *child, bool vfork) {
  struct rthread *parent = thread->rthread;
  if (vfork) record_position(thread);
  child->holds = vfork ? slot_of(parent) + 1 : 0;
  atomic_store(&parent->born.state, vfork ? BIRTH_BY_CHILD : BIRTH_BY_PARENT);
}

/* The parent waits in the kernel, or was killed there: nobody else writes its log. */
static void log_own_birth(struct rthread *child) {
  struct rthread *parent = child->holds ? &region->slots[child->holds - 1] : NULL;
  if (!parent) return;
  child->holds = 0;
  record_birth(parent, child->tid);
  if (atomic_exchange(&parent->born.state, BIRTH_LOGGED) == BIRTH_LAST) rthread_end(parent);
}

struct rthread *sphere_before_clone(struct thread *thread, bool process, bool vfork) {
  struct rthread *child = rthread_make(thread->rthread->replay.child_number, thread);
  if (!child) {
    if (!atomic_exchange(&region->full, true))
      sphere_warn(
          "more than %u threads at a time can't be recorded: the program is told that there are too many "
          "(EAGAIN)",
          region->slots_most);
    return NULL;
  }
  child->pid = process ? 0 : thread->rthread->pid;
  child->process = process ? atomic_fetch_add(&region->processes, 1) : thread->rthread->process;
  child->replay.seen_id = thread->rthread->replay.child_id;
  thread->rthread->born.number = child->number;
  thread->rthread->born.process = child->process;
  thread->rthread->vforks = vfork;
  if (recording()) expect_birth(thread, child, vfork);
  if (debugged()) debug_forks(thread, child, vfork);
  turns->spawn(thread, child);
  if (vfork) turns->hold(thread, child);
  return child;
}

void sphere_after_clone(struct thread *thread, struct rthread *child, bool vfork, long id) {
  if (vfork) turns->resume(thread, child, os_failed(id));
  thread->rthread->vforks = false;
  if (os_failed(id)) {
    rthread_unmake(child);
  } else if (!vfork) { /* it may be stopped or killed before it has come so far itself */
    child->tid = (int32_t)id;
    if (!child->pid) child->pid = child->tid;
  }
}

void sphere_child(struct thread *thread, struct rthread *own) {
  bool copied = thread->rthread != own; /* a process of its own */
  if (copied) thread->number = own->number;
  thread->rthread = own;
  set_ids(thread);
  if (recording()) log_own_birth(own);
  open_forget(thread);
  sync_forget(thread);
  arch_set_position(thread, 0);
  if (replaying()) {
    thread->tid = own->replay.seen_id;
    if (!thread->process->pid) thread->process->pid = thread->tid;
  }
  turns->begin(thread, copied);
  if (replaying()) replay_arm(thread);
}

/* True if the thread leaves memory as the process leaves it: no other thread runs there any more, and all writes from outside are logged. In
 * parallel the other threads are known to have stopped only where they were made to. */
static bool memory_ends(const struct thread *thread, bool group) {
  if (!group && (!turns->alone || rthread_has_others(thread->rthread))) return false;
  return process_was_alone() && !memory_was_written(thread->rthread->pid);
}

/* Under a debugger: true if no thread has a turn after this one, which is at its end. */
static bool is_last(const struct thread *thread, bool group) {
  const struct chunk_end *end = &thread->rthread->chunk.end;
  return turns->alone ? !end->known || end->next == CHUNK_NOBODY
                      : !serial_has_followers(thread->rthread, group);
}

/* In a replay the first process may send no signal: the manager is told how it ended. */
static void tell_end(int status, uint32_t signo) {
  atomic_store(&region->signo, signo);
  atomic_store(&region->status, (uint32_t)(status & 0xff) << 8 | REGION_STATUS_KNOWN);
}

static void end(struct thread *thread, struct input_event *event) {
  struct rthread *rthread = thread->rthread;
  if (recording()) {
    verify_record(thread, memory_ends(thread, event->exit.group));
    event->exit.output = rthread->input.output_digest;
    record_event(thread, event);
    atomic_store(&rthread->input.exited, 1);
    turns->end(thread, event->exit.group, NULL);
    baton_forget(rthread, thread->number);
    return;
  }
  struct verify_memory memory = verify_replay_registers(thread);
  if (turns->alone) verify_replay_memory(thread, &memory);
  char doing[48] = "the end of a thread";
  if (event->exit.signo) format(doing, sizeof doing, "the end of a process by signal %u", event->exit.signo);
  const struct input_event *next = replay_expect(thread, EVENT_EXIT, doing);
  if (next->exit.status != event->exit.status || next->exit.signo != event->exit.signo)
    replay_diverged(thread, "expected to end with status %d, signal %u; got %d, %u", next->exit.status,
                    next->exit.signo, event->exit.status, event->exit.signo);
  if (!rthread->process && (event->exit.group || rthread->tid == rthread->pid))
    tell_end(event->exit.status, event->exit.signo);
  if (next->exit.output != rthread->input.output_digest)
    replay_senseless(thread, "its output has another digest");
  replay_consume(thread);
  atomic_store(&rthread->input.exited, 1);
  if (debugged())
    debug_ends(thread, event->exit.group, is_last(thread, event->exit.group), event->exit.status,
               (int)event->exit.signo);
  turns->end(thread, event->exit.group, &memory);
  baton_forget(rthread, thread->number);
}

void sphere_thread_end(struct thread *thread, int status) {
  struct input_event event = {.kind = EVENT_EXIT, .exit = {.status = status}};
  end(thread, &event);
}

void sphere_process_end(struct thread *thread, int status, int signo) {
  struct input_event event = {.kind = EVENT_EXIT,
                              .exit = {.group = true, .status = status, .signo = (uint32_t)signo}};
  order_tick(thread); /* its accesses before the others are stopped: in memory of other processes, too */
  if (replaying()) turns->gate(thread);
  turns->end_others(thread);
  by_value_close_here(thread);
  process_leave_robust_lists(thread);
  process_announce_end(thread);
  order_tick(thread);
  if (replaying()) turns->gate(thread);
  end(thread, &event);
}

void sphere_before_exec(struct thread *thread, struct engine_config *next) {
  turns->end_others(thread);
  turns->leave_program(thread);
  if (debugged()) debug_executes(thread);
  struct rthread *rthread = thread->rthread;
  next->slot = slot_of(rthread);
  rthread->ring.position = arch_position(thread);
  rthread->former = rthread->tid == rthread->pid ? 0 : rthread->tid;
  rthread->tid = rthread->pid;
  rthread->replay.seen_id = thread->process->pid;
  next->mask = thread->signals.mask;
  next->ignored = signals_ignored(thread);
  output_before_exec(thread, next->output_roles);
}

void sphere_exec_failed(struct thread *thread) {
  set_ids(thread);
  turns->come_back(thread);
}
