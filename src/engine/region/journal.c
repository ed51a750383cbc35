/* journal.c: puts events into a thread's input log: each into the ring that the manager empties, at the ring's last
 * published position. */
#include "engine/region/journal.h"

#include <linux/fcntl.h>

#include "engine/base/lib.h"
#include "engine/region/value_log.h"
#include "input/input.h"
#include "input/digest.h"

enum { COPY_PIECE = RECORD_PIECE };

/* -- Single events ------------------------------------------------------------------------------------------------------------- */

void record_position(struct thread *thread) {
  if (values_on()) value_log_flush(thread);
  atomic_store_explicit(&thread->rthread->ring.position, arch_position(thread), memory_order_release);
}

static uint64_t position_of(struct rthread *rthread) {
  return atomic_load_explicit(&rthread->ring.position, memory_order_relaxed);
}

static void put_event(struct rthread *rthread, struct input_event *event) {
  event->position = position_of(rthread);
  uint8_t *at = ring_room(&rthread->ring, EVENT_LARGEST + COPY_PIECE);
  long length = input_encode(&rthread->input.codec, event, at, EVENT_LARGEST + COPY_PIECE);
  CHECK(length > 0);
  ring_produced(&rthread->ring, (size_t)length);
}

void record_event(struct thread *thread, struct input_event *event) {
  record_position(thread);
  put_event(thread->rthread, event);
}

void record_birth(struct rthread *parent, int32_t id) {
  uint32_t number = parent->born.number, process = parent->born.process;
  struct input_event event = {.kind = EVENT_THREAD, .thread = {.thread = number, .id = (uint32_t)id}};
  if (process != parent->process)
    event = (struct input_event){.kind = EVENT_PROCESS,
                                 .process = {.process = process, .thread = number, .id = (uint32_t)id}};
  put_event(parent, &event);
}

void record_values(struct thread *thread, const uint8_t *bytes, uint32_t count) {
  struct input_event event = {.kind = EVENT_OPEN,
                              .open = {.what = OPEN_VALUES, .count = count, .bytes = bytes}};
  put_event(thread->rthread, &event);
}

/* Events of calls are not initialised as a whole: they are large, and there are many. */
static void copy_in_event(struct input_event *event, uintptr_t address, const void *bytes, size_t count) {
  event->kind = EVENT_COPY_IN;
  event->copy_in.address = address;
  event->copy_in.count = (uint32_t)count;
  event->copy_in.foreign = false;
  event->copy_in.bytes = bytes;
}

void record_copy_in(struct thread *thread, uintptr_t address, const void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    size_t part = MIN(count - done, COPY_PIECE);
    struct input_event event;
    copy_in_event(&event, address + done, (const uint8_t *)bytes + done, part);
    record_event(thread, &event);
    done += part;
  }
}

void record_foreign(struct thread *thread, uintptr_t address, const void *bytes, size_t count) {
  struct input_event event;
  CHECK(count <= COPY_PIECE);
  copy_in_event(&event, address, bytes, count);
  event.copy_in.foreign = true;
  record_event(thread, &event);
}

/* -- Calls --------------------------------------------------------------------------------------------------------------------- */

/* Puts a copy-in of the memory at the address, COPY_PIECE bytes at most, at the given place. Its length; 0 if it can't be read: then
 * nothing is logged. */
static size_t put_content(struct rthread *rthread, uint8_t *at, uintptr_t address, size_t count) {
  struct input_codec *codec = &rthread->input.codec;
  uint64_t position = codec->position, copied_to = codec->copied_to;
  struct input_event event;
  copy_in_event(&event, address, NULL, count);
  event.position = position_of(rthread);
  long length = input_encode(codec, &event, at, EVENT_LARGEST + COPY_PIECE);
  CHECK(length > 0);
  if (!safe_copy(at + length - count, (const void *)address, count)) return (size_t)length;
  codec->position = position;
  codec->copied_to = copied_to;
  return 0;
}

void record_memory(struct thread *thread, uintptr_t address, size_t bytes) {
  struct ring *ring = &thread->rthread->ring;
  for (size_t done = 0; done < bytes;) {
    size_t part = MIN(COPY_PIECE, bytes - done);
    uint8_t *at = ring_room(ring, EVENT_LARGEST + COPY_PIECE);
    size_t length = put_content(thread->rthread, at, address + done, part);
    if (!length) return;
    ring_produced(ring, length);
    done += part;
  }
}

void call_event(const struct thread *thread, const struct call *call, struct input_event *event) {
  const struct input_row *row = input_row(call->nr);
  event->kind = EVENT_SYSCALL;
  event->syscall.nr = (uint32_t)call->nr;
  event->syscall.pc = arch_pc(thread);
  event->syscall.has_time = false;
  unsigned i = 0;
  for (; row && i < 6 && row->args[i].kind != INPUT_NONE; i++)
    event->syscall.args[i] = (uint64_t)call->args[i];
  for (; i < 6; i++) event->syscall.args[i] = 0;
}

/* Standard output's and error's descriptors can change hands while the call is made, so only its arguments count. The offsets
 * of other descriptors do not matter. */
static bool is_followed_by_result(const struct call *call) {
  switch (call->nr) {
    case __NR_dup:
#ifdef __NR_dup2
    case __NR_dup2:
#endif
    case __NR_dup3:
    case __NR_close_range:
      return true;
    case __NR_fcntl:
      return call->args[1] == F_DUPFD || call->args[1] == F_DUPFD_CLOEXEC || call->args[1] == F_SETFD;
    case __NR_lseek:
      return (unsigned)call->args[0] <= 2;
    default:
      return input_facts(call->nr) & INPUT_STORES;
  }
}

uint64_t output_seal(const struct call *call, uint64_t digest, int64_t result) {
  return is_followed_by_result(call) ? input_digest(digest, &result, sizeof result) : digest;
}

uint32_t registers_digest(const struct thread *thread) {
  uint64_t digest = arch_registers_digest(thread);
  return (uint32_t)(digest ^ digest >> 32);
}

static void record_call_event(struct thread *thread, const struct call *call, long result, uint64_t digest,
                              bool waited) {
  struct input_event event;
  call_event(thread, call, &event);
  event.syscall.result = result;
  event.syscall.digest = digest;
  bool verified = waited || sync_on();
  event.syscall.has_registers = verified;
  if (verified) event.syscall.registers = registers_digest(thread);
  put_event(thread->rthread, &event);
}

void record_result(struct thread *thread, const struct call *call, long result, uint64_t digest,
                   bool waited) {
  record_call_event(thread, call, result, output_seal(call, digest, result), waited);
}

void record_answer(struct thread *thread, const struct call *call, long result) {
  record_call_event(thread, call, result, INPUT_ANSWERED, false);
}

void record_short(struct thread *thread, struct input_event *event, const struct short_piece *pieces,
                  unsigned count) {
  struct rthread *rthread = thread->rthread;
  enum { ROOM = EVENT_LARGEST + SHORT_PIECES * (EVENT_LARGEST + COPY_PIECE) };
  _Static_assert((int)ROOM < (int)RING_MARK, "it comes in one piece");
  uint8_t *start = ring_room(&rthread->ring, ROOM), *at = start;
  event->position = position_of(rthread);
  long length = input_encode(&rthread->input.codec, event, at, EVENT_LARGEST);
  CHECK(length > 0);
  at += length;
  unsigned i = 0;
  for (; i < count && pieces[i].bytes <= COPY_PIECE; i++)
    if (pieces[i].bytes) at += put_content(rthread, at, pieces[i].address, pieces[i].bytes);
  ring_produced(&rthread->ring, (size_t)(at - start));
  for (; i < count; i++) record_memory(thread, pieces[i].address, pieces[i].bytes);
}
