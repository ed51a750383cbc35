/* signal_stress.c: for the stress engine "signals" only (mk/stress.mk).
 *
 * A signal that no program sees arrives wherever one could. At safepoints a frame is built, registers are
 * lost, and the frame is taken back, all as for a handler that returns at once; the frame lies in the
 * thread's slot, because the application need not have room for one. System calls are interrupted before
 * they begin, every other time. */
#include "engine/signals/signals.h"

#if defined(REPRISE_STRESS_SIGNALS)

#include "engine/base/lib.h"

/* The lowest part of the engine stack: the dispatcher at work is near its top. */
enum { FRAME_TOP = SLOT_ENGINE_STACK + SLOT_ENGINE_STACK_SIZE / 2, FRAME_SHARE = 64 };

static _Atomic unsigned safepoints, calls;

void signals_stress(struct thread *thread) {
  if (++safepoints % FRAME_SHARE) return;
  struct thread shadow = *thread; /* a tracer may read the thread's own registers at any time */
  siginfo_t info;
  memset(&info, 0, sizeof info);
  struct frame_request request = {
      .signo = SIGURG,
      .info = &info,
      .handler = 1,
      .restorer = 1,
      .flags = SA_SIGINFO | SA_RESTORER,
      .mask = thread->signals.mask,
      .altstack = thread->signals.altstack,
      .stack = (uintptr_t)thread + FRAME_TOP,
      .unseen = true,
  };
  uintptr_t pc = arch_pc(thread), sp = arch_sp(thread);
  long pushed = arch_push_frame(&shadow, &request);
  CHECK(pushed == 0 && arch_pc(&shadow) == request.handler);
  arch_set_sp(&shadow, arch_sp(&shadow) + ARCH_RETURN_BYTES); /* the handler's return */
  arch_set_result(&shadow, -1);
  uint64_t mask;
  stack_t altstack;
  long popped = arch_pop_frame(&shadow, &mask, &altstack);
  CHECK(popped == 0 && mask == thread->signals.mask && altstack.ss_sp == thread->signals.altstack.ss_sp);
  CHECK(arch_pc(&shadow) == pc && arch_sp(&shadow) == sp);
  thread->arch = shadow.arch; /* other losses the program itself will notice */
}

bool signals_stress_call(void) {
  return ++calls % 2;
}

#endif
