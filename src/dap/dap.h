/* dap.h: serves an editor that speaks the debug adapter protocol (adapter.c). */
#ifndef REPRISE_DAP_DAP_H
#define REPRISE_DAP_DAP_H

enum { DAP_NOT_SPOKEN = 1 };

/* Serves one client until it is gone: 0, or DAP_NOT_SPOKEN after a line on standard error. */
int dap_run(int in, int out);

#endif
