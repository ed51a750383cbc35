/* events.c: encoding and decoding of input-log events (events.h).
 *
 * One function per kind says which fields there are, for both directions: a field is written when the cursor writes and
 * read when it reads, so the two can't drift apart. Every length is checked before it is used. */
#include "input/events.h"

#include <linux/errno.h>

#include "input/times.h"

enum { KIND_MASK = 0x0f, FLAG_FIRST = 0x10, FLAG_SECOND = 0x20, FLAG_THIRD = 0x40 };

struct cursor {
  bool reads;
  bool roomy;          /* there is room for any event */
  uint8_t *to;         /* where an event is written … */
  const uint8_t *from; /* … or read from */
  size_t at, end;
  long error; /* 0, -ENOSPC, -EINVAL; or TOO_SHORT */
  bool same;  /* a call with the arguments of the last one in its slot */
};

enum { TOO_SHORT = 1 };

/* So that there is a whole encoder and a whole decoder, each without a look at the direction. */
#define BOTH_WAYS static inline __attribute__((always_inline))

BOTH_WAYS bool reading(const struct cursor *c) {
  return c->reads;
}

BOTH_WAYS void fail(struct cursor *c, long error) {
  if (!c->error) c->error = error;
}

/* -- Primitive fields ------------------------------------------------------------------------------------ */

BOTH_WAYS void field_byte(struct cursor *c, uint8_t *byte) {
  if (c->error) return;
  if (!c->roomy && c->at >= c->end)
    fail(c, reading(c) ? TOO_SHORT : -ENOSPC);
  else if (reading(c))
    *byte = c->from[c->at++];
  else
    c->to[c->at++] = *byte;
}

BOTH_WAYS uint64_t read_varint(struct cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !c->error; shift += 7) {
    uint8_t byte = 0;
    field_byte(c, &byte);
    /* The tenth byte holds one bit, and the last one is zero only where the number is. */
    if ((shift == 63 && byte > 1) || (shift && !byte)) fail(c, -EINVAL);
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  return 0;
}

BOTH_WAYS void write_varint(struct cursor *c, uint64_t value) {
  uint8_t byte;
  for (; value > 0x7f; value >>= 7) {
    byte = (uint8_t)(value | 0x80);
    field_byte(c, &byte);
  }
  byte = (uint8_t)value;
  field_byte(c, &byte);
}

/* A number up to and including limit. */
BOTH_WAYS void field_number(struct cursor *c, uint64_t *value, uint64_t limit) {
  if (!reading(c)) {
    if (*value > limit) fail(c, -EINVAL);
    write_varint(c, *value);
    return;
  }
  *value = read_varint(c);
  if (*value > limit) {
    *value = 0;
    fail(c, -EINVAL);
  }
}

BOTH_WAYS void field_u32(struct cursor *c, uint32_t *value, uint32_t limit) {
  uint64_t wide = *value;
  field_number(c, &wide, limit);
  *value = (uint32_t)wide;
}

/* The difference to base, folded so that small ones of either sign are short. Wraps around. */
BOTH_WAYS void field_difference(struct cursor *c, uint64_t *value, uint64_t base) {
  uint64_t difference = *value - base;
  uint64_t folded = difference << 1 ^ (0 - (difference >> 63));
  field_number(c, &folded, UINT64_MAX);
  *value = base + (folded >> 1 ^ (0 - (folded & 1)));
}

/* All of its bytes, the low ones first: digests. */
BOTH_WAYS void field_bits(struct cursor *c, uint64_t *value, unsigned bits) {
  if (!reading(c) && !c->error &&
      (c->roomy || c->end - c->at >= sizeof *value)) { /* in one go; what is too much is written over */
    __builtin_memcpy(c->to + c->at, value, sizeof *value);
    c->at += bits / 8;
    return;
  }
  if (reading(c) && c->roomy && !c->error) {
    __builtin_memcpy(value, c->from + c->at, sizeof *value);
    if (bits < 64) *value &= (1UL << bits) - 1;
    c->at += bits / 8;
    return;
  }
  for (unsigned shift = 0; shift < bits; shift += 8) {
    uint8_t byte = (uint8_t)(*value >> shift);
    field_byte(c, &byte);
    *value = (*value & ~(0xffUL << shift)) | (uint64_t)byte << shift;
  }
}

BOTH_WAYS void field_registers(struct cursor *c, uint32_t *digest) {
  uint64_t wide = *digest;
  field_bits(c, &wide, 32);
  *digest = (uint32_t)wide;
}

/* Reserves count bytes: where they are; reading, NULL if they are not there. */
BOTH_WAYS const uint8_t *field_bytes(struct cursor *c, const uint8_t *bytes, size_t count) {
  if (!c->error && (reading(c) || !c->roomy) && count > c->end - c->at)
    fail(c, reading(c) ? TOO_SHORT : -ENOSPC);
  if (c->error) return reading(c) ? NULL : bytes;
  size_t at = c->at;
  c->at += count;
  if (reading(c)) return c->from + at;
  if (bytes) __builtin_memcpy(c->to + at, bytes, count);
  return bytes;
}

/* -- Kinds ----------------------------------------------------------------------------------------------- */

/* A number that is there only if its bit in the mask says that it differs from the last one. */
BOTH_WAYS void field_changed(struct cursor *c, uint64_t *value, uint64_t last, uint8_t changed,
                             unsigned bit) {
  if (!(changed >> bit & 1)) {
    if (reading(c)) *value = last;
    return;
  }
  field_difference(c, value, last);
  if (*value == last) fail(c, -EINVAL);
}

/* A mask tells which arguments, and whether the address, differ from the last call with this number; then their differences. */
BOTH_WAYS void kind_syscall(struct cursor *c, const struct input_codec *codec, struct input_event *e,
                            uint8_t flags) {
  static const struct input_call_state nothing;
  field_u32(c, &e->syscall.nr, 0xffff);
  uint32_t slot = e->syscall.nr % EVENT_CALL_SLOTS;
  const struct input_call_state *last =
      codec->calls[slot].nr == e->syscall.nr ? &codec->calls[slot] : &nothing;
  uint8_t changed = 0;
  if (!reading(c)) {
    const uint64_t *now = e->syscall.args, *then = last->args;
    changed = (uint8_t)((now[0] != then[0]) | (now[1] != then[1]) << 1 | (now[2] != then[2]) << 2 |
                        (now[3] != then[3]) << 3 | (now[4] != then[4]) << 4 | (now[5] != then[5]) << 5 |
                        (e->syscall.pc != last->pc) << 6);
  }
  field_byte(c, &changed);
  if (changed >> 7) fail(c, -EINVAL);
  c->same = !changed && last != &nothing;
  if (reading(c) || changed) {
    for (unsigned i = 0; i < 6; i++) field_changed(c, &e->syscall.args[i], last->args[i], changed, i);
    field_changed(c, &e->syscall.pc, last->pc, changed, 6);
  }
  uint64_t result = (uint64_t)e->syscall.result;
  field_difference(c, &result, 0);
  e->syscall.result = (int64_t)result;
  if (flags & FLAG_FIRST) {
    field_bits(c, &e->syscall.digest, 64);
    if (!e->syscall.digest) fail(c, -EINVAL);
  }
  if (flags & FLAG_SECOND) field_registers(c, &e->syscall.registers);
  if (!(flags & FLAG_THIRD)) return;
  field_difference(c, &e->syscall.time, last->time);
  if (!input_time(e->syscall.nr).unit) fail(c, -EINVAL);
}

BOTH_WAYS void kind_copy_in(struct cursor *c, const struct input_codec *codec, struct input_event *e) {
  field_difference(c, &e->copy_in.address, codec->copied_to);
  field_u32(c, &e->copy_in.count, EVENT_COPY_LIMIT);
  if (!e->copy_in.count || e->copy_in.address + e->copy_in.count < e->copy_in.address) fail(c, -EINVAL);
  e->copy_in.bytes = field_bytes(c, e->copy_in.bytes, e->copy_in.count);
}

BOTH_WAYS void kind_signal(struct cursor *c, const struct input_codec *codec, struct input_event *e) {
  field_u32(c, &e->signal.signo, 64);
  if (!e->signal.signo) fail(c, -EINVAL);
  field_difference(c, &e->signal.pc, codec->pc);
  field_u32(c, &e->signal.count, EVENT_INFO_LIMIT);
  const uint8_t *bytes = field_bytes(c, e->signal.info, e->signal.count);
  if (!bytes || !reading(c)) return;
  for (uint32_t i = 0; i < e->signal.count; i++) e->signal.info[i] = bytes[i];
  if (e->signal.count && !bytes[e->signal.count - 1]) fail(c, -EINVAL);
}

/* Only the first value has something to do with the last time: clocks. */
BOTH_WAYS void kind_insn(struct cursor *c, const struct input_codec *codec, struct input_event *e) {
  field_u32(c, &e->insn.insn, INSN_KINDS - 1);
  field_u32(c, &e->insn.count, EVENT_VALUES);
  if (!e->insn.insn || !e->insn.count) fail(c, -EINVAL);
  if (c->error) return;
  field_difference(c, &e->insn.values[0], codec->values[e->insn.insn]);
  for (uint32_t i = 1; i < e->insn.count; i++) field_number(c, &e->insn.values[i], UINT64_MAX);
}

BOTH_WAYS void kind_file(struct cursor *c, const struct input_codec *codec, struct input_event *e) {
  field_u32(c, &e->file.file, UINT32_MAX);
  field_difference(c, &e->file.address, codec->mapped_to);
  field_number(c, &e->file.bytes, UINT64_MAX);
  field_number(c, &e->file.offset, UINT64_MAX);
  if (!e->file.bytes || e->file.address + e->file.bytes < e->file.address) fail(c, -EINVAL);
}

BOTH_WAYS void kind_change(struct cursor *c, struct input_event *e) {
  field_u32(c, &e->change.file, UINT32_MAX);
  field_number(c, &e->change.offset, UINT64_MAX >> 1);
  field_number(c, &e->change.size, UINT64_MAX >> 1);
  field_u32(c, &e->change.count, EVENT_COPY_LIMIT);
  e->change.bytes = field_bytes(c, e->change.bytes, e->change.count);
}

BOTH_WAYS void kind_output(struct cursor *c, struct input_event *e, uint8_t flags) {
  bool named = flags & FLAG_FIRST;
  field_u32(c, &e->output.descriptor, 2);
  field_u32(c, &e->output.count, named ? INT32_MAX : EVENT_COPY_LIMIT);
  if (!e->output.descriptor || (!named && !e->output.count) || (!named && flags & FLAG_SECOND))
    fail(c, -EINVAL);
  field_bits(c, &e->output.digest, 64);
  if (!named) e->output.bytes = field_bytes(c, e->output.bytes, e->output.count);
}

BOTH_WAYS void kind_open(struct cursor *c, struct input_event *e, uint8_t flags) {
  field_u32(c, &e->open.what, OPEN_WHATS - 1);
  if (flags & FLAG_FIRST && e->open.what != OPEN_STOP) fail(c, -EINVAL);
  if (e->open.what == OPEN_STOP) return;
  if (e->open.what != OPEN_VALUES) field_number(c, &e->open.address, UINT64_MAX);
  if (e->open.what == OPEN_VIEW || e->open.what == OPEN_CLOSES || e->open.what == OPEN_TIME) return;
  field_u32(c, &e->open.count, EVENT_COPY_LIMIT);
  if (!e->open.count) fail(c, -EINVAL);
  e->open.bytes = field_bytes(c, e->open.bytes, e->open.count);
}

BOTH_WAYS void kind_exit(struct cursor *c, struct input_event *e, uint8_t flags) {
  uint64_t status = (uint64_t)(int64_t)e->exit.status;
  field_u32(c, &e->exit.signo, 64);
  field_difference(c, &status, 0);
  e->exit.status = (int32_t)(int64_t)status;
  if ((int64_t)status != e->exit.status) fail(c, -EINVAL);
  if (!(flags & FLAG_SECOND)) return;
  field_bits(c, &e->exit.output, 64);
  if (!e->exit.output) fail(c, -EINVAL);
}

BOTH_WAYS void kind_check(struct cursor *c, const struct input_codec *codec, struct input_event *e,
                          uint8_t flags) {
  field_difference(c, &e->check.pc, codec->pc);
  field_registers(c, &e->check.registers);
  if (flags & FLAG_SECOND) field_u32(c, &e->check.epoch, UINT32_MAX);
  if (!(flags & FLAG_SECOND) != !e->check.epoch || (flags & FLAG_THIRD && !e->check.epoch)) fail(c, -EINVAL);
  if (!e->check.has_memory) return;
  field_u32(c, &e->check.sample, EVENT_SAMPLE_LAST);
  field_bits(c, &e->check.memory, 64);
}

/* The flags of the first byte, by kind. */
BOTH_WAYS uint8_t flags_of(const struct input_event *e, uint8_t kind) {
  bool first = false, second = false, third = false;
  switch (kind) {
    case EVENT_SYSCALL:
      first = e->syscall.digest != 0;
      second = e->syscall.has_registers;
      third = e->syscall.has_time;
      break;
    case EVENT_COPY_IN:
      first = e->copy_in.foreign;
      break;
    case EVENT_SIGNAL:
      first = e->signal.synchronous;
      second = e->signal.ended_wait;
      break;
    case EVENT_EXIT:
      first = e->exit.group;
      second = e->exit.output != 0;
      break;
    case EVENT_CHECK:
      first = e->check.has_memory;
      second = e->check.epoch != 0;
      third = e->check.alone;
      break;
    case EVENT_FILE:
      first = e->file.writable;
      break;
    case EVENT_CHANGE:
      first = e->change.opened;
      break;
    case EVENT_OUTPUT:
      first = e->output.named;
      second = e->output.closes;
      break;
    case EVENT_OPEN:
      first = e->open.closes;
      break;
    default:
      break;
  }
  return (uint8_t)((first ? FLAG_FIRST : 0) | (second ? FLAG_SECOND : 0) | (third ? FLAG_THIRD : 0));
}

BOTH_WAYS void take_flags(struct input_event *e, uint8_t flags) {
  if (e->kind == EVENT_SYSCALL) {
    e->syscall.has_registers = flags & FLAG_SECOND;
    e->syscall.has_time = flags & FLAG_THIRD;
  } else if (e->kind == EVENT_COPY_IN) {
    e->copy_in.foreign = flags & FLAG_FIRST;
  } else if (e->kind == EVENT_SIGNAL) {
    e->signal.synchronous = flags & FLAG_FIRST;
    e->signal.ended_wait = flags & FLAG_SECOND;
  } else if (e->kind == EVENT_EXIT) {
    e->exit.group = flags & FLAG_FIRST;
  } else if (e->kind == EVENT_CHECK) {
    e->check.has_memory = flags & FLAG_FIRST;
    e->check.alone = flags & FLAG_THIRD;
  } else if (e->kind == EVENT_FILE) {
    e->file.writable = flags & FLAG_FIRST;
  } else if (e->kind == EVENT_CHANGE) {
    e->change.opened = flags & FLAG_FIRST;
  } else if (e->kind == EVENT_OUTPUT) {
    e->output.named = flags & FLAG_FIRST;
    e->output.closes = flags & FLAG_SECOND;
  } else if (e->kind == EVENT_OPEN) {
    e->open.closes = flags & FLAG_FIRST;
  }
}

/* Which flags a kind has. */
static const uint8_t flags_allowed[EVENT_KINDS] = {
    [EVENT_SYSCALL] = FLAG_FIRST | FLAG_SECOND | FLAG_THIRD,
    [EVENT_COPY_IN] = FLAG_FIRST,
    [EVENT_SIGNAL] = FLAG_FIRST | FLAG_SECOND,
    [EVENT_EXIT] = FLAG_FIRST | FLAG_SECOND,
    [EVENT_CHECK] = FLAG_FIRST | FLAG_SECOND | FLAG_THIRD,
    [EVENT_FILE] = FLAG_FIRST,
    [EVENT_CHANGE] = FLAG_FIRST,
    [EVENT_OUTPUT] = FLAG_FIRST | FLAG_SECOND,
    [EVENT_OPEN] = FLAG_FIRST,
};

BOTH_WAYS void kind_fields(struct cursor *c, const struct input_codec *codec, struct input_event *e,
                           uint8_t kind, uint8_t flags) {
  switch (kind) {
    case EVENT_SYSCALL:
      kind_syscall(c, codec, e, flags);
      break;
    case EVENT_COPY_IN:
      kind_copy_in(c, codec, e);
      break;
    case EVENT_SIGNAL:
      kind_signal(c, codec, e);
      break;
    case EVENT_INSN:
      kind_insn(c, codec, e);
      break;
    case EVENT_FILE:
      kind_file(c, codec, e);
      break;
    case EVENT_THREAD:
      field_u32(c, &e->thread.thread, EVENT_THREAD_LAST);
      field_u32(c, &e->thread.id, UINT32_MAX);
      break;
    case EVENT_PROCESS:
      field_u32(c, &e->process.process, EVENT_THREAD_LAST);
      field_u32(c, &e->process.thread, EVENT_THREAD_LAST);
      field_u32(c, &e->process.id, UINT32_MAX);
      break;
    case EVENT_CHANGE:
      kind_change(c, e);
      break;
    case EVENT_OUTPUT:
      kind_output(c, e, flags);
      break;
    case EVENT_OPEN:
      kind_open(c, e, flags);
      break;
    case EVENT_EXIT:
      kind_exit(c, e, flags);
      break;
    default:
      kind_check(c, codec, e, flags);
      break;
  }
}

/* Both sides are, after an event, in a state that follows from it. */
BOTH_WAYS void move_on(struct input_codec *codec, const struct input_event *e, uint8_t kind, bool same) {
  codec->position = e->position;
  switch (kind) {
    case EVENT_SYSCALL: {
      uint32_t slot = e->syscall.nr % EVENT_CALL_SLOTS;
      if (codec->calls[slot].nr != e->syscall.nr) codec->calls[slot].time = 0;
      if (e->syscall.has_time) codec->calls[slot].time = e->syscall.time;
      if (same) break;
      codec->calls[slot].nr = e->syscall.nr;
      codec->calls[slot].pc = e->syscall.pc;
      for (unsigned i = 0; i < 6; i++) codec->calls[slot].args[i] = e->syscall.args[i];
      break;
    }
    case EVENT_COPY_IN:
      codec->copied_to = e->copy_in.address + e->copy_in.count;
      break;
    case EVENT_INSN:
      codec->values[e->insn.insn] = e->insn.values[0];
      break;
    case EVENT_FILE:
      codec->mapped_to = e->file.address + e->file.bytes;
      break;
    case EVENT_SIGNAL:
      codec->pc = e->signal.pc;
      break;
    case EVENT_CHECK:
      codec->pc = e->check.pc;
      break;
    default:
      break;
  }
}

/* The kind is the event's own, or 0 when it is read and not known yet: given apart, because the compiler then makes a copy of all this
 * for a kind it knows. */
BOTH_WAYS long event(struct cursor *c, struct input_codec *codec, struct input_event *e, uint8_t kind) {
  uint8_t head = reading(c) ? 0 : (uint8_t)(kind | flags_of(e, kind));
  field_byte(c, &head);
  if (c->error) return c->error;
  if (reading(c)) {
    if (!kind) kind = head & KIND_MASK;
    e->kind = kind;
    if (!kind || kind >= EVENT_KINDS || head & ~(KIND_MASK | flags_allowed[kind])) return -EINVAL;
    take_flags(e, head);
  }
  uint64_t step = e->position - codec->position;
  if (!reading(c) && e->position < codec->position) return -EINVAL;
  field_number(c, &step, UINT64_MAX - codec->position);
  e->position = codec->position + step;
  kind_fields(c, codec, e, kind, head);
  if (c->error) return c->error;
  move_on(codec, e, kind, c->same);
  return (long)c->at;
}

/* -- The interface --------------------------------------------------------------------------------------- */

static const struct input_event no_event;

long input_encode(struct input_codec *codec, const struct input_event *e, uint8_t *buffer, size_t room) {
  struct cursor c = {.to = buffer, .end = room};
  /* The encoder only reads the event. */
  struct input_event *same = (struct input_event *)e;
  if (!e->kind || e->kind >= EVENT_KINDS) return -EINVAL;
  if (e->kind == EVENT_SYSCALL && room >= EVENT_LARGEST)
    return event(&(struct cursor){.to = buffer, .roomy = true}, codec, same, EVENT_SYSCALL);
  if (e->kind == EVENT_COPY_IN && room >= EVENT_LARGEST && e->copy_in.count <= room - EVENT_LARGEST)
    return event(&(struct cursor){.to = buffer, .roomy = true}, codec, same, EVENT_COPY_IN);
  if (e->kind != EVENT_SIGNAL) return event(&c, codec, same, e->kind);
  struct input_event copy = *e;
  while (copy.signal.count && copy.signal.count <= EVENT_INFO_LIMIT &&
         !copy.signal.info[copy.signal.count - 1])
    copy.signal.count--;
  return event(&c, codec, &copy, EVENT_SIGNAL);
}

/* Of the kinds that there are many of, where there is room for any event: only what such an event may leave out is cleared first. */
static long decode_usual(struct input_codec *codec, struct input_event *e, const uint8_t *buffer,
                         size_t bytes) {
  struct cursor c = {.reads = true, .roomy = true, .from = buffer, .end = bytes};
  if ((buffer[0] & KIND_MASK) == EVENT_SYSCALL) {
    e->syscall.digest = e->syscall.registers = e->syscall.time = 0;
    return event(&c, codec, e, EVENT_SYSCALL);
  }
  long length = event(&c, codec, e, EVENT_COPY_IN);
  return c.error == TOO_SHORT ? EVENT_TRUNCATED : length;
}

long input_decode(struct input_codec *codec, struct input_event *e, const uint8_t *buffer, size_t bytes) {
  struct cursor c = {.reads = true, .from = buffer, .end = bytes};
  uint8_t kind = bytes >= EVENT_LARGEST ? buffer[0] & KIND_MASK : 0;
  if (kind == EVENT_SYSCALL || kind == EVENT_COPY_IN) return decode_usual(codec, e, buffer, bytes);
  *e = no_event;
  long length = event(&c, codec, e, 0);
  return c.error == TOO_SHORT ? EVENT_TRUNCATED : length;
}

const char *input_event_name(uint32_t kind) {
  static const char *const names[EVENT_KINDS] = {
      NULL,      "syscall", "copy-in", "signal", "instruction", "file", "thread",
      "process", "exit",    "check",   "change", "output",      "open",
  };
  return kind < EVENT_KINDS ? names[kind] : NULL;
}

const char *input_insn_name(uint32_t insn) {
  static const char *const names[INSN_KINDS] = {
      NULL,         "time-stamp",     "time-stamp-cpu", "cpuid",       "random",      "seed",
      "state-mask", "counter",        "processor-id",   "timer",       "id-register", "segment",
      "atomic",     "atomic-awaited", "binding",        "x87-pointer", "fault",
  };
  return insn < INSN_KINDS ? names[insn] : NULL;
}
