/* kernel_call.c: performs a call of the application in the kernel, around signals and watched code. See kernel_call.h. */
#include "engine/signals/kernel_call.h"

#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/code/code_files.h"
#include "engine/order/permissions.h"
#include "engine/order/stops.h"
#include "engine/region/live.h"
#include "engine/signals/time_left.h"

/* A signal that the program must not notice has ended the call. */
static bool is_made_again(const struct thread *thread, long result, struct time_left *left) {
  bool again = (result == -EINTR || result == CALL_INTERRUPTED) && thread->signals.disturbed &&
               !thread->signals.queued.signo;
  if (again) time_left_pass(left);
  return again;
}

/* A page that the engine watches is unwritable for the kernel too: those that the call may write are made writable before it. */
long syscall_in_kernel(struct thread *thread, const struct call *call) {
  long result = -EINTR;
  struct time_left left = {.argument = -1};
  if (codewatch_any()) codewatch_before_call(call);
  if (live_on()) call = time_left_begin(&left, call);
  thread->in_kernel = true;
  do {
    if (permissions_on() && stops_wanted(thread)) stops_parked(thread);
    if (permissions_on()) permissions_stay(thread);
    thread->signals.disturbed = false;
    result = arch_blocking_call(thread, call);
    live_serve(thread);
  } while (is_made_again(thread, result, &left));
  thread->in_kernel = false;
  time_left_end(&left);
  return result;
}

/* A call may have failed at a watched page that no row names: make all pages writable and try once more. */
long syscall_pass_on(struct thread *thread, const struct call *call) {
  long result = syscall_in_kernel(thread, call);
  if (result == -EFAULT && codewatch_release(0, ~PAGE)) result = syscall_in_kernel(thread, call);
  codewatch_after_call(call, result);
  if (!in_sphere()) code_files_after_call(call, result); /* there in turn: objects.c */
  return result;
}
