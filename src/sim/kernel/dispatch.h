/* dispatch.h: which task a hart runs. */
#ifndef REPRISE_SIM_DISPATCH_H
#define REPRISE_SIM_DISPATCH_H

#include "sim/kernel/kernel.h"

/* The ready queue has grown: an idle hart takes the task, or the timers see to it. */
void dispatch_work(struct kernel *kernel, uint64_t cycle);

#endif
