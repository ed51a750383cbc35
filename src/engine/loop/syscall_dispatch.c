/* syscall_dispatch.c: the switchboard. Every system call of the application passes here.
 *
 * Each part of the engine is asked in turn whether it owns the call; a call without an owner goes to
 * the kernel as it is. Interfaces that let the kernel write memory or move the program counter behind the
 * engine's back are answered as a kernel without them would, so that programs fall back. */
#include "engine/loop/syscall_dispatch.h"

#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/border/sphere.h"
#include "engine/code/code.h"
#include "engine/code/code_files.h"
#include "engine/memory/mappings.h"
#include "engine/order/open_blocks.h"
#include "engine/order/permissions.h"
#include "engine/order/stops.h"
#include "engine/region/live.h"
#include "engine/turns/epochs.h"
#include "engine/signals/kernel_call.h"
#include "engine/signals/signals.h"
#include "engine/start/exec.h"
#include "engine/threads/threads.h"
#include "engine/view/descriptors.h"
#include "engine/view/files.h"
#include "engine/view/sandbox.h"
#include "engine/view/vdso.h"
#include "input/input.h"
#include "input/times.h"

static bool refused_call(struct thread *thread, const struct call *call, long *result) {
  (void)thread;
  *result = -input_never(call->nr, call->args);
  return *result;
}

static bool reserved_call(struct thread *thread, const struct call *call, long *result) {
  return descriptors_call(thread, call, result, exec_call);
}

static bool (*const owners[])(struct thread *, const struct call *, long *) = {
    arch_own_call, reserved_call, threads_call, signals_call, mappings_call,
    files_call,    vdso_call,     exec_call,    sandbox_call, refused_call,
};

/* Calls that programs make by the million have one or two possible owners, which their facts name. */
static long perform(struct thread *thread, const struct call *call) {
  long result;
  unsigned facts = input_facts(call->nr);
  if (facts & (INPUT_PLAIN | INPUT_FILES)) {
    bool done =
        reserved_call(thread, call, &result) || (facts & INPUT_FILES && files_call(thread, call, &result));
    return done ? result : syscall_pass_on(thread, call);
  }
  if (input_time(call->nr).unit)
    return vdso_call(thread, call, &result) ? result : syscall_pass_on(thread, call);
  for (size_t i = 0; i < COUNT_OF(owners); i++)
    if (owners[i](thread, call, &result)) return result;
  return syscall_pass_on(thread, call);
}

long syscall_in_sphere(struct thread *thread, const struct call *call) {
  struct call known = *call;
  known.nr = (int)call->nr; /* as the kernel has it */
  by_value_before_call(thread, &known);
  return sphere_call(thread, &known, perform);
}

void syscall_handle(struct thread *thread) {
  struct call call;
  arch_call(thread, &call);
  COUNT_MANY(calls);
  LOG(calls, "%ld(%lx, %lx, %lx, %lx, %lx, %lx)", call.nr, call.args[0], call.args[1], call.args[2],
      call.args[3], call.args[4], call.args[5]);
  long result;
  thread->in_call = true;
  if (quick_call(thread, &call, perform, &result)) {
    /* Done. The fewer functions are on the stack around a system call the better: the kernel makes the processor forget where
     * they return to. */
  } else if (in_sphere())
    result = syscall_in_sphere(thread, &call);
  else
    result = signals_stress_call()                     ? CALL_INTERRUPTED
             : sandbox_answers(thread, &call, &result) ? result
                                                       : perform(thread, &call);
  thread->in_call = false;
  if (live_on()) {
    triggers_after_call(thread, &call, result);
    live_after_call(thread);
  }
  if (in_sphere() && recording()) epoch_after_call(thread);
  if (result == CALL_INTERRUPTED) {
    LOG(calls, "%ld interrupted", call.nr);
    arch_restart_call(thread, call.nr);
    if (replaying()) replay_arm(thread); /* a check may follow here, before the next attempt */
  } else if (result != CALL_DONE) {
    LOG(calls, "%ld = %ld", call.nr, result);
    arch_set_result(thread, result);
  }
}
