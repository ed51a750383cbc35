/* instruction_values.c: the values of nondeterministic instructions. See arch_host.h. */
#include "engine/base/arch_host.h"

#include "engine/base/lib.h"
#include "engine/border/sphere.h"

static void cross(struct thread *thread, uint32_t insn, uint64_t *values, uint32_t count) {
  if (recording()) {
    struct input_event event = {.kind = EVENT_INSN, .insn = {.insn = insn, .count = count}};
    memcpy(event.insn.values, values, count * sizeof *values);
    record_event(thread, &event);
    return;
  }
  const struct input_event *next = replay_expect(thread, EVENT_INSN, input_insn_name(insn));
  if (next->insn.insn != insn || next->insn.count != count)
    replay_diverged(thread, "expected the instruction %s, got %s", input_insn_name(next->insn.insn),
                    input_insn_name(insn));
  memcpy(values, next->insn.values, count * sizeof *values);
  replay_consume(thread);
  replay_arm(thread);
}

void values_time_stamp(struct thread *thread, uint64_t values[2]) {
  cross(thread, INSN_TIME_STAMP_CPU, values, 2);
}
void values_processor(struct thread *thread, uint64_t values[1]) {
  cross(thread, INSN_PROCESSOR_ID, values, 1);
}
void values_state_mask(struct thread *thread, uint64_t values[1]) {
  cross(thread, INSN_STATE_MASK, values, 1);
}
void values_cpuid(struct thread *thread, uint64_t values[4]) {
  cross(thread, INSN_CPUID, values, 4);
}
void values_timer(struct thread *thread, uint64_t values[1]) {
  cross(thread, INSN_TIMER, values, 1);
}
void values_counter(struct thread *thread, uint64_t values[1]) {
  cross(thread, INSN_COUNTER, values, 1);
}
void values_id_register(struct thread *thread, uint64_t values[1]) {
  cross(thread, INSN_ID_REGISTER, values, 1);
}
void values_random(struct thread *thread, uint64_t values[2]) {
  cross(thread, INSN_RANDOM, values, 2);
}

/* In a replay: true if the recording has such a value here. */
static bool is_logged(struct thread *thread, uint32_t insn) {
  const struct input_event *next = replay_peek(thread);
  return next && next->kind == EVENT_INSN && next->insn.insn == insn &&
         next->position == arch_position(thread);
}

/* What the processor remembers may be code that the cache has lost: in the recording at other times than in the replay. */
uint64_t values_x87_pointer(struct thread *thread, uint64_t address) {
  if (replaying() ? !is_logged(thread, INSN_X87_POINTER) : !address) return 0;
  cross(thread, INSN_X87_POINTER, &address, 1);
  return address;
}

uint64_t values_fault(struct thread *thread, uint64_t told, uint64_t usual) {
  if (replaying() ? !is_logged(thread, INSN_FAULT) : told == usual) return usual;
  cross(thread, INSN_FAULT, &told, 1);
  return told;
}
