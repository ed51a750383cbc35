/* allowance.c: see allowance.h. The user's soft limits are not meant for the manager's logs, the files that it keeps and the memory that it
 * shares with the sphere, which is a file as well. */
#include "sphere/allowance.h"

#include <string.h>

static void raise_limit(int resource, struct rlimit *old) {
  if (getrlimit(resource, old)) {
    *old = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
    return;
  }
  struct rlimit raised = {old->rlim_max, old->rlim_max};
  setrlimit(resource, &raised);
}

void allowance_take(struct allowance *allowance) {
  struct sigaction ignore;
  memset(&ignore, 0, sizeof ignore);
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &allowance->too_large);
  raise_limit(RLIMIT_FSIZE, &allowance->size);
  raise_limit(RLIMIT_NOFILE, &allowance->files);
}

void allowance_return(const struct allowance *allowance) {
  setrlimit(RLIMIT_FSIZE, &allowance->size);
  setrlimit(RLIMIT_NOFILE, &allowance->files);
  sigaction(SIGXFSZ, &allowance->too_large, NULL);
}
