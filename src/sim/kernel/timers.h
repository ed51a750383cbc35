/* timers.h: moments at which a process is sent a signal (setitimer, timer_create) or a counter is raised (timerfd). */
#ifndef REPRISE_SIM_TIMERS_H
#define REPRISE_SIM_TIMERS_H

#include "sim/kernel/kernel.h"

struct timer {
  struct timer *next;   /* of the kernel's */
  uint32_t number;      /* among them, never reused */
  uint32_t setting;     /* which: an earlier one is void */
  uint64_t due, period; /* cycles; due 0: it is not set */
  bool realtime;
  struct process *process; /* whose it is, and the process's name for it; NULL: a file's */
  uint32_t name;
  struct signal_info info; /* is sent, if it has a number … */
  uint32_t tid;            /* … to this task, or if 0 to any of the process */
  uint32_t overruns;       /* while the last one was pending */
  struct open_file *file;  /* timerfd: its counter is raised */
};

/* The file is closed. */
void timer_free(struct kernel *kernel, struct timer *timer);
/* The process ends, or executes another program, which keeps its alarm. */
void timers_free(struct process *process, bool alarm_too);

#endif
