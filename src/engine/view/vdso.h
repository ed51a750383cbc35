/* vdso.h: the clocks, read through the kernel's shared page on the program's behalf (vdso.c). */
#ifndef REPRISE_ENGINE_VDSO_H
#define REPRISE_ENGINE_VDSO_H

#include "engine/base/thread.h"

struct clock_words {
  long seconds, fraction;
};

/* start: the address of the kernel's vDSO, AT_SYSINFO_EHDR, or 0. */
void vdso_init(uintptr_t start);
/* The process has none any more: the kernel is asked. */
void vdso_forget(void);
bool vdso_call(struct thread *thread, const struct call *call, long *result);

/* The time that clock_gettime or gettimeofday would return; false: use vdso_call. */
bool vdso_time(const struct call *call, struct clock_words *now);

#endif
