/* processes.h: signals to processes of a sphere, and to no others (processes.c). */
#ifndef REPRISE_SPHERE_PROCESSES_H
#define REPRISE_SPHERE_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

struct manager;

/* A descriptor of the process, which stays this process's when its id is reused; -1 where the kernel has no such descriptors. */
int process_open(pid_t pid);
/* Sends a signal to the process behind a descriptor of process_open; where there is none (-1), to the id. Safe in signal handlers. */
void process_send(int descriptor, pid_t pid, int signo);

/* True if the thread waits in the kernel. */
bool process_sleeps(pid_t tid);
/* True if the thread belongs to the sphere: the region's word for it may be out of date, or forged. */
bool process_belongs(const struct manager *manager, pid_t pid, pid_t tid);
/* Makes the thread come by a safepoint: in a replay processes may not signal each other. */
struct rthread;
void process_summon(const struct manager *manager, const struct rthread *slot);
/* Sends a signal to every process that the region names and that has the region's file open: the region alone is not enough, since it may be out of
 * date, or forged. */
void processes_signal(const struct manager *manager, int signo);

#endif
