/* report.h: the report of a crash of the engine itself (report.c). */
#ifndef REPRISE_ENGINE_REPORT_H
#define REPRISE_ENGINE_REPORT_H

#include <stdint.h>

/* bug_report: prints thread, position, application pc and the last blocks of the calling thread to standard error. */
void report_engine_state(void);
/* As bug(), for a fault at an engine or cache address that belongs to no application instruction. */
_Noreturn void report_engine_fault(int signo, uintptr_t pc, uintptr_t address);

#endif
