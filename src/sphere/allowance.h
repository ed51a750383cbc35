/* allowance.h: limits on files, which the manager lifts for itself and gives back to the program (allowance.c). */
#ifndef REPRISE_SPHERE_ALLOWANCE_H
#define REPRISE_SPHERE_ALLOWANCE_H

#include <signal.h>
#include <sys/resource.h>

struct allowance {
  struct rlimit files, size;  /* as the program has them */
  struct sigaction too_large; /* its action for SIGXFSZ */
};

/* To be called first: raises both limits to the hard ones, and makes the kernel return an error instead of sending a signal. */
void allowance_take(struct allowance *allowance);
/* In the process that becomes the program. */
void allowance_return(const struct allowance *allowance);

#endif
